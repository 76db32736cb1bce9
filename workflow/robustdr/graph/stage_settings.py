"""What reaches each stage, and nothing else: its settings, and the code that it loads by name."""

from collections.abc import Iterable
from typing import Any

from robustdr import variations
from robustdr.collections import kind_of
from robustdr.encoding.settings import CheckpointSettings
from robustdr.evaluation.settings import EvaluateSettings
from robustdr.experiments.config import Tree
from robustdr.graph.places import Places
from robustdr.keys.provenance import Code
from robustdr.pretraining import HEAD, PACKAGES, TRAINS
from robustdr.pretraining.settings import PretrainingSettings
from robustdr.retrieval.settings import EmbedSettings
from robustdr.systems.kind import LENGTHS
from robustdr.training.settings import ScoreSettings, TrainingDataSettings
from robustdr.variations.base import build, find
from robustdr.variations.settings import VariationSettings


class StageSettings(Places):
    """Settings and code of the stages of one scale, but for the settings that the kind of a system decides."""

    def variation_settings(self, collection: str, split: str, variation: str) -> VariationSettings:
        entry = self.variation(collection, split, variation)
        name, parameters, draw = variations.drawn(variation)
        place = variations.REGISTRY[entry.get("generator", name)]
        seed = self.bound["variation_seed"] + draw - 1
        return VariationSettings(place, {**entry.get("parameters", {}), **parameters}, seed)

    def generator(self, collection: str, split: str, variation: str) -> variations.Variation:
        """The generator behind a variation of a split, made without looking for its resources."""
        settings = self.variation_settings(collection, split, variation)
        return build(find(settings.generator), settings.parameters)

    def variation_shards(self, collection: str, split: str, variation: str) -> list[str]:
        """The shards, jobs of their own, that a query set is gathered from; their names say of how many each is one.

        None where one job varies all queries: scale or split say nothing else, or the generator keeps what it made.
        """
        count = self.config.collections[collection]["splits"][split].get("count", 1)
        shards = -(-count // self.bound.get("variation_shard", count))
        if shards == 1 or not self.generator(collection, split, variation).processes:
            return []
        folder = self.query_set(collection, split, variation).removesuffix(".tsv")
        return [f"{folder}/{shard}-of-{shards}.tsv" for shard in range(shards)]

    def versioned(self) -> dict[str, int]:
        """The variations whose generator makes several versions of a query at once, and how many."""
        named = dict.fromkeys((*variations.names(), *self.bound["variations"]))
        generators = {name: self.bound["variations"].get(name, {}).get("generator", name) for name in named}
        counts = {name: variations.kind(generator).versions for name, generator in generators.items()}
        return {name: count for name, count in counts.items() if count > 1}

    def checkpoint_settings(self, checkpoint: str) -> CheckpointSettings:
        entry = {key: value for key, value in self.bound["checkpoints"][checkpoint].items() if key != "trained"}
        return CheckpointSettings(name=checkpoint, **entry)

    def training_data_settings(self, system: str) -> TrainingDataSettings:
        given = self.recipe(system).get("assign", "one")
        assign: Any = "all" if given == "fresh" else given
        if self.trains_on_queries_alone(system):
            return TrainingDataSettings(assign)
        return TrainingDataSettings(assign, self.bound["negatives"]["depth"], self.bound["negatives"]["keep"])

    def budgeted(self, system: str) -> Tree:
        """What the training of every kind of system is told."""
        recipe = self.recipe(system)
        how = {"system": system, "loss": recipe["loss"], "augmentation": recipe.get("augmentation", 0.0)}
        return {**how, **self.computing, **self.budget(system)}

    def pretraining_settings(self, pretraining: str) -> PretrainingSettings:
        recipe = dict(self.config.pretraining[pretraining])
        budget = self.bound["pretraining"][recipe.pop("budget")]
        own = {name: value for name, value in recipe.items() if name not in ("label", "initial", "collection", "paper")}
        checkpoint = self.checkpoint_settings(recipe["initial"])
        head = checkpoint.source if HEAD in checkpoint.drop else None
        return PretrainingSettings(system=pretraining, head=head, **own, **self.computing, **budget)

    def lengths(self, system: str) -> Tree:
        """The tokens that a system reads of a query and of a passage."""
        recipe = self.recipe(system)
        says = recipe if LENGTHS[0] in recipe else self.budget(system)
        return {length: says[length] for length in LENGTHS}

    def score_settings(self, system: str) -> ScoreSettings:
        teacher = self.recipe(system)["teacher"]
        return ScoreSettings(self.recipe(teacher)["ranker"], **self.lengths(teacher), **self.computing)

    def embed_settings(self, system: str) -> EmbedSettings:
        stored = self.bound["embeddings"]["precision"]
        return EmbedSettings(self.lengths(system)["passage_length"], stored, **self.computing)

    def evaluate_settings(self, system: str, collection: str) -> EvaluateSettings:
        level = self.config.collections[collection].get("relevance_level", 1)
        measures = {
            f"{split}.{kind}": measures
            for (c, split), (kinds, measures) in self.evaluations(system).items()
            if c == collection
            for kind in kinds
        }
        return EvaluateSettings(measures, level)

    # code

    def corpus_code(self, collection: str) -> Code:
        return Code(["corpus", f"robustdr.collections.{kind_of(self.config.collections[collection], None)}"])

    def split_code(self, collection: str, split: str) -> Code:
        return Code(["split", f"robustdr.collections.{kind_of(self.config.collections[collection], split)}"])

    def variation_code(self, collection: str, split: str, variation: str) -> Code:
        made = self.generator(collection, split, variation)
        return Code(["vary_split", "vary_shard", type(made).__module__], _names(made.packages))

    def checkpoint_code(self, checkpoint: str) -> Code:
        source = self.checkpoint_settings(checkpoint).source
        return Code(["checkpoint"], [source["package"]] if "package" in source else [])

    def pretrained_code(self) -> Code:
        return Code(["train", TRAINS], _names(PACKAGES))

    def model_code(self, system: str) -> Code:
        kind, recipe = self.kind(system), self.recipe(system)
        return Code(["train", kind.trains, *kind.modules(self, system), f"robustdr.losses.{recipe['loss']['name']}"])

    def teacher_scores_code(self, system: str) -> Code:
        teacher = self.recipe(system)["teacher"]
        return Code(["score", *self.kind(teacher).modules(self, teacher)])

    def run_code(self, system: str) -> Code:
        kind = self.kind(system)
        return Code(["rank", kind.ranks, *kind.modules(self, system)])


def _names(pins: Iterable[str]) -> list[str]:
    """The packages that pins, name==version, are of."""
    return [pin.partition("==")[0] for pin in pins]
