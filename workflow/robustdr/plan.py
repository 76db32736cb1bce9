"""What a scale makes of the experiments: the settings and the key of every artifact, before any of them exists."""

from collections.abc import Iterable
from functools import cache
from itertools import filterfalse
from pathlib import Path
from typing import Any

from robustdr import variations
from robustdr.collections import part, part_files
from robustdr.config import Config, Tree
from robustdr.encoding.settings import CheckpointSettings
from robustdr.errors import UserError
from robustdr.evaluation.settings import EvaluateSettings
from robustdr.places import Places
from robustdr.pretraining import HEAD, PACKAGES, TRAINS
from robustdr.pretraining.settings import PretrainingSettings
from robustdr.provenance import digests, key
from robustdr.retrieval.settings import BM25IndexSettings, EmbedSettings
from robustdr.settings import deciding
from robustdr.structure import ORIGINAL
from robustdr.systems.kind import LENGTHS, At, Reads
from robustdr.training.settings import ScoreSettings, TrainingDataSettings
from robustdr.variations.base import build, find
from robustdr.variations.settings import VariationSettings

# Keys of a collection that decide no byte of it.
DESCRIBING = {"description", "licence", "url", "relevance_level", "log", "validated", "unavailable", "miniature"}


class Plan(Places):
    """Settings and keys of one scale."""

    # settings: exactly what reaches each stage

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

    def train_settings(self, system: str) -> Any:
        return self.kind(system).training(self, system)

    def score_settings(self, system: str) -> ScoreSettings:
        teacher = self.recipe(system)["teacher"]
        return ScoreSettings(self.recipe(teacher)["ranker"], **self.lengths(teacher), **self.computing)

    def embed_settings(self, system: str) -> EmbedSettings:
        stored = self.bound["embeddings"]["precision"]
        return EmbedSettings(self.lengths(system)["passage_length"], stored, **self.computing)

    @cache
    def indexes(self) -> dict[str, BM25IndexSettings]:
        """The settings of every index of words by its name."""
        at_hand = filterfalse(self.unbound, self.config.systems)
        made = (self.kind(system).index(self, system) for system in at_hand)
        return {index.name: index for index in made if index}

    def rank_settings(self, system: str, at: At) -> Any:
        """For hard negatives alone, as many passages are ranked as these are drawn from."""
        part = "negatives" if (system, at) in self.mined() else "retrieval"
        return self.kind(system).settings(self, system, at[0], self.bound[part]["depth"])

    def evaluate_settings(self, system: str, collection: str) -> EvaluateSettings:
        level = self.config.collections[collection].get("relevance_level", 1)
        measures = {
            f"{split}.{kind}": measures
            for (c, split), (kinds, measures) in self.evaluations(system).items()
            if c == collection
            for kind in kinds
        }
        return EvaluateSettings(measures, level)

    # keys

    def _source(self, collection: str, split: str | None) -> list[Tree]:
        """What a corpus (None) or split is read from: its part of the entry and the bytes of its own files."""
        source = self.config.collections[collection]
        entry = {name: value for name, value in part(source, split).items() if name not in DESCRIBING}
        return [entry, digests(part_files(source, split))]

    @cache
    def corpus_key(self, collection: str) -> str:
        kind = self.config.collections[collection]["kind"]
        return key(["corpus", f"robustdr.collections.{kind}"], self._source(collection, None), [])

    @cache
    def split_key(self, collection: str, split: str) -> str:
        source = self.config.collections[collection]
        kind = source["splits"][split].get("kind", source["kind"])
        return key(["split", f"robustdr.collections.{kind}"], [*self._source(collection, split), split], [])

    @cache
    def card_key(self, collection: str) -> str:
        splits = [self.split_key(collection, split) for split in self.splits(collection)]
        passages = [] if self.is_log(collection) else [self.corpus_key(collection)]
        return key(["card"], self.config.collections[collection], [*passages, *splits])

    @cache
    def variation_key(self, collection: str, split: str, variation: str) -> str:
        made = self.generator(collection, split, variation)
        data = [package.partition("==")[0] for package in made.packages]
        seed = self.variation_settings(collection, split, variation).seed
        settings = [made.name, made.effective, seed, digests(made.files)]
        return key(["vary_split", type(made).__module__], settings, [self.split_key(collection, split)], data)

    def similarity_key(self, checkpoint: str, collection: str, split: str, variations: Iterable[str]) -> str:
        inputs = [self.checkpoint_key(checkpoint), self.split_key(collection, split)]
        inputs += [self.variation_key(collection, split, variation) for variation in variations]
        return key(["similarity"], self.computing["threads"], inputs)

    def queries_key(self, collection: str, split: str, variation: str) -> str:
        original = variation == ORIGINAL
        return self.split_key(collection, split) if original else self.variation_key(collection, split, variation)

    @cache
    def checkpoint_key(self, checkpoint: str) -> str:
        settings = self.checkpoint_settings(checkpoint)
        local = "path" in settings.source and "package" not in settings.source
        folder = [Path(settings.source["path"])] if local else []
        data = [settings.source["package"]] if "package" in settings.source else []
        return key(["checkpoint"], [deciding(settings), digests(folder)], [], data)

    @cache
    def training_data_key(self, system: str, seed: int) -> str:
        collection, split = self.train_split(system)
        inputs = [self.variation_key(collection, split, variation) for variation in self.training_variations(system)]
        if inputs:
            inputs.append(
                self.checkpoint_key(self.checkpoint_of(system))
            )  # its tokenizer sees what a variation changes
        inputs.append(self.split_key(collection, split))
        if not self.trains_on_queries_alone(system):
            inputs += [self.corpus_key(collection)]
        if miner := self.miner_of(system):
            inputs += [self.run_key(miner, self.seed_of(miner, seed), collection, split, ORIGINAL)]
        return key(["training_data"], [deciding(self.training_data_settings(system)), seed], inputs)

    @cache
    def pretrained_key(self, pretraining: str, seed: int) -> str:
        recipe = self.config.pretraining[pretraining]
        inputs = [self.checkpoint_key(recipe["initial"]), self.corpus_key(self.texts_of(pretraining))]
        data = [pin.partition("==")[0] for pin in PACKAGES]
        settings = [deciding(self.pretraining_settings(pretraining)), seed]
        return key(["train", TRAINS], settings, inputs, data)

    def initial_key(self, system: str, seed: int) -> str:
        """The key of the model that a system starts from."""
        if parent := self.initial_of(system):
            return self.model_key(parent, seed)
        if pretraining := self.pretraining_of(system):
            return self.pretrained_key(pretraining, seed)
        return self.checkpoint_key(self.checkpoint_of(system))

    @cache
    def model_key(self, system: str, seed: int) -> str:
        initial = self.initial_key(system, seed)
        if not self.is_trained(system):
            return initial
        name, _, snapshot = system.partition(".")
        recipe = self.recipe(name)
        inputs = [self.training_data_key(name, seed), initial]
        kind = self.kind(name)
        inputs += kind.learns_from(self, name, seed).keys
        code = ["train", kind.trains, *kind.modules(self, name), f"robustdr.losses.{recipe['loss']['name']}"]
        return key(code, [deciding(self.train_settings(name)), seed, snapshot], inputs)

    @cache
    def teacher_scores_key(self, system: str, seed: int) -> str:
        teacher = self.recipe(system)["teacher"]
        inputs = [self.training_data_key(system, seed), self.model_key(teacher, self.seed_of(teacher, seed))]
        inputs.append(self.corpus_key(self.train_split(system)[0]))
        return key(["score", *self.kind(teacher).modules(self, teacher)], deciding(self.score_settings(system)), inputs)

    @cache
    def embeddings_key(self, system: str, seed: int, collection: str) -> str:
        encoder = self.encoder_of(system)
        inputs = [self.model_key(encoder, seed), self.corpus_key(collection)]
        return key(["embed"], deciding(self.embed_settings(encoder)), inputs)

    @cache
    def index_key(self, collection: str, index: BM25IndexSettings) -> str:
        return key(["index"], deciding(index), [self.corpus_key(collection)])

    def ranking(self, system: str, seed: int, at: At, kinds: list[str]) -> Reads:
        """What ranking the variations `kinds` of a split reads beside passages and queries."""
        own = self.kind(system).reads(self, system, seed, at, kinds)
        if not self.config.judged_candidates(*at):
            return own
        qrels = self.split_files(*at)[1]
        return Reads({**own.paths, "judged": [qrels]}, [*own.files, qrels], [*own.keys, self.split_key(*at)])

    @cache
    def run_key(self, system: str, seed: int, collection: str, split: str, variation: str) -> str:
        kind, at = self.kind(system), (collection, split)
        inputs = [self.queries_key(collection, split, variation), self.corpus_key(collection)]
        inputs += self.ranking(system, seed, at, [variation]).keys
        return key(["rank", kind.ranks, *kind.modules(self, system)], deciding(self.rank_settings(system, at)), inputs)

    @cache
    def measures_key(self, system: str, seed: int, collection: str) -> str:
        evaluated = [(at, kinds) for at, (kinds, _) in self.evaluations(system).items() if at[0] == collection]
        runs = [self.run_key(system, seed, *at, kind) for at, kinds in evaluated for kind in kinds]
        judged = [self.split_key(*at) for at, _ in evaluated]
        return key(["evaluate"], deciding(self.evaluate_settings(system, collection)), [*runs, *judged])

    def measures(self, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
        """The measures files of all seeds of (system, role) pairs that can be run, and the key that each must carry."""
        at_hand = ((system, role) for system, role in pairs if self.is_at_hand(system, role))
        places = dict.fromkeys((system, self.collection_of(role)) for system, role in at_hand)
        return {
            f"{self.root}/measures/{collection}/{system}/seed{seed}.parquet": self.measures_key(
                system, seed, collection
            )
            for system, collection in places
            if not self.why_not(system)
            for seed in self.seeds(system)
        }


def plans(config: Config, labels: str | None = None) -> dict[str, Plan]:
    """All scales by the folder of their results.

    Args:
        labels: `qvg_labels` of config.yaml.
    """
    folder = Path(labels) if labels else None
    for name in (name for source in config.collections.values() for name in source.get("validated", {}).values()):
        if folder and not (folder / name).is_file():
            raise UserError(f"config/config.yaml: qvg_labels: {folder / name}: no such file")
    made = {plan.root: plan for plan in (Plan(config, scale, folder) for scale in config.scales)}
    for plan in made.values():
        plan.searches()  # what each system ranks is known before any work
    if "results" not in made:
        raise UserError("config/scales: full.yaml is missing; it is the scale behind results/")
    return made
