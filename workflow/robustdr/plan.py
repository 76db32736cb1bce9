"""What a scale makes of the experiments: the settings and the key of every artifact, before any of them exists."""

from collections.abc import Iterable
from functools import cache

from robustdr import variations
from robustdr.config import Config, Tree
from robustdr.errors import UserError
from robustdr.provenance import key
from robustdr.structure import ORIGINAL, Structure


class Plan(Structure):
    """Settings and keys of one scale."""

    # settings: exactly what reaches each stage

    def variation_settings(self, variation: str) -> Tree:
        bound = self.bound["variations"].get(variation, {})
        return {
            "name": bound.get("generator", variation),
            "parameters": bound.get("parameters", {}),
            "seed": self.bound["variation_seed"],
        }

    def generator(self, variation: str) -> variations.Variation:
        """The generator behind a variation, made without looking for its resources."""
        settings = self.variation_settings(variation)
        return variations.build(variations.kind(settings["name"]), settings["parameters"])

    def checkpoint_settings(self, checkpoint: str) -> Tree:
        return {"name": checkpoint, **self.bound["checkpoints"][checkpoint]}

    def training_data_settings(self, system: str) -> Tree:
        assign = {"assign": self.recipe(system).get("assign", "one")}
        if self.trains_on_queries_alone(system):
            return assign
        depth = min(self.bound["negatives"]["depth"], self.bound["retrieval"]["depth"])
        return {"depth": depth, "keep": self.bound["negatives"]["keep"], **assign}

    def train_settings(self, system: str) -> Tree:
        recipe = self.recipe(system)
        how = {"encoders": recipe.get("encoders", "shared"), "augmentation": recipe.get("augmentation", 0)}
        return {"system": system, "loss": recipe["loss"], **how, **self.budget(system)}

    def embed_settings(self, system: str) -> Tree:
        length = self.budget(system)["passage_length"]
        return {"passage_length": length, "precision": self.bound["embeddings"]["precision"]}

    def search_settings(self, system: str) -> Tree:
        if "bm25" in self.recipe(system):
            return {**self.bound["bm25"], "depth": self.bound["retrieval"]["depth"]}
        lengths = {length: self.budget(system)[length] for length in ("query_length", "passage_length")}
        return {**lengths, **self.bound["retrieval"]}

    def evaluate_settings(self, system: str, collection: str) -> Tree:
        level = self.config.collections[collection].get("relevance_level", 1)
        measures = {
            f"{split}.{kind}": measures
            for (c, split), (kinds, measures) in self.evaluations(system).items()
            if c == collection
            for kind in kinds
        }
        return {"measures": measures, "relevance_level": level}

    # keys

    def collection_key(self, collection: str) -> str:
        source = self.config.collections[collection]
        kinds = {source["kind"], *(split.get("kind", source["kind"]) for split in source["splits"].values())}
        return key([f"robustdr.collections.{kind}" for kind in sorted(kinds)], [], source, [])

    def variation_key(self, collection: str, split: str, variation: str) -> str:
        settings = self.variation_settings(variation)
        made = self.generator(variation)
        packages = [package.partition("==")[0].lower() for package in made.packages]
        return key([type(made).__module__], packages, [settings, split], [self.collection_key(collection)])

    def queries_key(self, collection: str, split: str, variation: str) -> str:
        original = variation == ORIGINAL
        return self.collection_key(collection) if original else self.variation_key(collection, split, variation)

    @cache
    def checkpoint_key(self, checkpoint: str) -> str:
        packages = ["transformers", "sentence-transformers"]
        return key(["robustdr.encoding.checkpoint"], packages, self.checkpoint_settings(checkpoint), [])

    @cache
    def training_data_key(self, system: str, seed: int) -> str:
        recipe = self.recipe(system)
        collection, split = self.train_split(system)
        inputs = [self.variation_key(collection, split, variation) for variation in self.training_variations(system)]
        if self.trains_on_queries_alone(system):
            inputs.append(self.queries_key(collection, split, ORIGINAL))
        else:
            miner = recipe["negatives"]
            inputs.append(self.run_key(miner, self.seed_of(miner, seed), collection, split, ORIGINAL))
        return key(["robustdr.training.data"], [], [self.training_data_settings(system), seed], inputs)

    @cache
    def model_key(self, system: str, seed: int) -> str:
        if not self.is_trained(system):
            return self.checkpoint_key(self.checkpoint_of(system))
        name, _, snapshot = system.partition(".")
        recipe = self.recipe(name)
        parent = self.initial_of(name)
        inputs = [
            self.training_data_key(name, seed),
            self.model_key(parent, seed) if parent else self.checkpoint_key(self.checkpoint_of(name)),
        ]
        if "teacher" in recipe:
            collection, _ = self.train_split(name)
            inputs.append(self.embeddings_key(recipe["teacher"], seed, collection))
        modules = ["robustdr.training.loop", f"robustdr.losses.{recipe['loss']['name']}"]
        packages = ["torch", "transformers", "sentence-transformers"]
        return key(modules, packages, [self.train_settings(name), seed, snapshot], inputs)

    @cache
    def embeddings_key(self, system: str, seed: int, collection: str) -> str:
        encoder = self.encoder_of(system)
        inputs = [self.model_key(encoder, seed), self.collection_key(collection)]
        return key(["robustdr.retrieval.embeddings"], ["torch", "transformers"], self.embed_settings(encoder), inputs)

    @cache
    def run_key(self, system: str, seed: int, collection: str, split: str, variation: str) -> str:
        queries = self.queries_key(collection, split, variation)
        settings = [self.search_settings(system), variation]
        if "bm25" in self.recipe(system):
            return key(["robustdr.retrieval.bm25"], ["bm25s"], settings, [self.collection_key(collection), queries])
        inputs = [self.model_key(system, seed), self.embeddings_key(system, seed, collection), queries]
        return key(["robustdr.retrieval.search"], ["torch", "transformers", "faiss-cpu"], settings, inputs)

    @cache
    def measures_key(self, system: str, seed: int, collection: str) -> str:
        inputs = [
            self.run_key(system, seed, collection, split, kind)
            for (c, split), (kinds, _) in self.evaluations(system).items()
            if c == collection
            for kind in kinds
        ]
        settings = self.evaluate_settings(system, collection)
        return key(["robustdr.evaluation.measures"], ["pytrec-eval-terrier"], settings, inputs)

    def measures(self, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
        """The measures files of all seeds of (system, role) pairs that can be run, and the key that each must carry."""
        places = dict.fromkeys((system, self.collection_of(role)) for system, role in pairs)
        return {
            f"{self.root}/measures/{collection}/{system}/seed{seed}.parquet": self.measures_key(
                system, seed, collection
            )
            for system, collection in places
            if not self.why_not(system)
            for seed in self.seeds(system)
        }


def plans(config: Config) -> dict[str, Plan]:
    """All scales by the folder of their results."""
    made = {plan.root: plan for plan in (Plan(config, scale) for scale in config.scales)}
    if "results" not in made:
        raise UserError("config/scales: full.yaml is missing; it is the scale behind results/")
    return made
