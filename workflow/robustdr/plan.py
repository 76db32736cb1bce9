"""What a scale makes of the experiments: the settings and the key of every artifact, before any of them exists."""

from dataclasses import dataclass
from functools import cache

from robustdr import variations
from robustdr.config import Config, Tree
from robustdr.errors import UserError
from robustdr.provenance import key

ORIGINAL = "original"


@dataclass(frozen=True, eq=False)
class Plan:
    """One scale of the configuration.

    Systems are named as in the experiments; `<system>.at<percent>` is a system's snapshot after that share of its
    training. Collections are entries of collections.yaml; `collection_of` turns a role into one.
    """

    config: Config
    scale: str

    @property
    def bound(self) -> Tree:
        """What the scale binds to the roles."""
        return self.config.scales[self.scale]

    @property
    def root(self) -> str:
        """The folder of this scale's results."""
        return "results" if self.scale == "full" else f"results/{self.scale}"

    def collection_of(self, role: str) -> str:
        return self.bound["collections"][role]

    def recipe(self, system: str) -> Tree:
        """The recipe of a system or of the system behind a snapshot."""
        return self.config.systems[system.partition(".")[0]]

    def budget(self, system: str) -> Tree:
        return self.bound["budgets"][self.recipe(system)["budget"]]

    def is_trained(self, system: str) -> bool:
        return "loss" in self.recipe(system)

    def seeds(self, system: str) -> list[int]:
        """The seeds that a system is run with: one, 0, for systems that nothing random happens to."""
        return self.bound["seeds"] if self.is_trained(system) else [0]

    def seed_of(self, system: str, seed: int) -> int:
        """The seed of an ancestor `system` of something made with `seed`."""
        return seed if self.is_trained(system) else 0

    def initial_of(self, system: str) -> str | None:
        """The system that this one continues from; None where it starts from a checkpoint of the scale."""
        initial = self.recipe(system)["initial"]
        return None if initial in self.bound["checkpoints"] else initial

    def checkpoint_of(self, system: str) -> str:
        """The checkpoint of the scale at the root of a system's lineage."""
        parent = self.initial_of(system)
        return self.recipe(system)["initial"] if parent is None else self.checkpoint_of(parent)

    def measured(self, measure: str) -> str:
        """The measure that is taken at this scale where the paper takes `measure`."""
        return self.bound["measures"].get(measure, measure)

    def train_split(self, system: str) -> tuple[str, str]:
        """(collection, split) that a system is trained on."""
        return self.collection_of(self.recipe(system)["collection"]), "train"

    # query sets

    @cache
    def evaluations(self) -> dict[tuple[str, str], tuple[list[str], list[str]]]:
        """(variations, measures) that the papers need of each (collection, split), `original` first."""
        needed: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
        for paper in self.config.papers.values():
            for role, evaluation in paper["evaluation"].items():
                at = (self.collection_of(role), evaluation["split"])
                kinds, measures = needed.setdefault(at, ([ORIGINAL], []))
                wanted = (kind for kind in evaluation["variations"] if kind not in self.unavailable_variations())
                kinds += [kind for kind in wanted if kind not in kinds]
                taken = (self.measured(measure) for measure in evaluation["measures"])
                measures += [measure for measure in taken if measure not in measures]
        return needed

    @cache
    def query_sets(self) -> dict[tuple[str, str], list[str]]:
        """The variations to search of each (collection, split): what is evaluated, and training queries for mining."""
        sets = {at: kinds for at, (kinds, _) in self.evaluations().items()}
        for system in self.config.systems:
            if self.is_trained(system):
                sets.setdefault(self.train_split(system), [ORIGINAL])
        return sets

    def splits(self, collection: str) -> list[str]:
        return sorted(split for c, split in self.query_sets() if c == collection)

    def keeps_embeddings(self, system: str, collection: str) -> bool:
        """Whether the passage vectors of a system are kept: those of a teacher always are on what it teaches."""
        taught = (name for name, recipe in self.config.systems.items() if recipe.get("teacher") == system)
        return self.bound["embeddings"]["keep"] or any(self.train_split(name)[0] == collection for name in taught)

    def collections(self) -> list[str]:
        """The collections that anything is read from."""
        return list(dict.fromkeys(collection for collection, _ in self.query_sets()))

    def varied(self) -> dict[tuple[str, str], list[str]]:
        """The variations to generate of each (collection, split): of evaluated and of training queries."""
        needed = {at: [kind for kind in kinds if kind != ORIGINAL] for at, (kinds, _) in self.evaluations().items()}
        for system, recipe in self.config.systems.items():
            if "variations" in recipe:
                kinds = needed.setdefault(self.train_split(system), [])
                kinds += [kind for kind in recipe["variations"] if kind not in kinds]
        return needed

    def models(self) -> list[tuple[str, int]]:
        """Every (system, seed) that is trained at this scale."""
        trained = [system for system in self.config.systems if self.is_trained(system) and not self.why_not(system)]
        return [(system, seed) for system in trained for seed in self.seeds(system)]

    def snapshots(self) -> dict[str, list[int]]:
        """The percentages of training after which a system's snapshots are taken, for learning curves."""
        taken: dict[str, list[int]] = {}
        for paper in self.config.papers.values():
            for figure in paper.get("figures", {}).values():
                for system in figure["systems"]:
                    percents = [round(100 * point) for point in figure["points"] if point < 1]
                    taken[system] = sorted({*taken.get(system, []), *percents})
        return taken

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

    def unavailable_variations(self) -> dict[str, str]:
        """Why a variation cannot be generated at this scale, by variation."""
        bound = self.bound["variations"]
        return {kind: entry["unavailable"] for kind, entry in bound.items() if "unavailable" in entry}

    def checkpoint_settings(self, checkpoint: str) -> Tree:
        return {"name": checkpoint, **self.bound["checkpoints"][checkpoint]}

    def training_data_settings(self, system: str) -> Tree:
        depth = min(self.bound["negatives"]["depth"], self.bound["retrieval"]["depth"])
        return {"depth": depth, "keep": self.bound["negatives"]["keep"]}

    def train_settings(self, system: str) -> Tree:
        return {"system": system, "loss": self.recipe(system)["loss"], **self.budget(system)}

    def embed_settings(self, system: str) -> Tree:
        length = self.budget(system)["passage_length"]
        return {"passage_length": length, "precision": self.bound["embeddings"]["precision"]}

    def search_settings(self, system: str) -> Tree:
        if "bm25" in self.recipe(system):
            return {**self.bound["bm25"], "depth": self.bound["retrieval"]["depth"]}
        lengths = {length: self.budget(system)[length] for length in ("query_length", "passage_length")}
        return {**lengths, **self.bound["retrieval"]}

    def evaluate_settings(self, collection: str) -> Tree:
        level = self.config.collections[collection].get("relevance_level", 1)
        measures = {
            f"{split}.{kind}": measures
            for (c, split), (kinds, measures) in self.evaluations().items()
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
        inputs = [
            self.run_key(recipe["negatives"], self.seed_of(recipe["negatives"], seed), collection, split, ORIGINAL),
            *(self.variation_key(collection, split, variation) for variation in recipe.get("variations", [])),
        ]
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
        inputs = [self.model_key(system, seed), self.collection_key(collection)]
        return key(["robustdr.retrieval.embeddings"], ["torch", "transformers"], self.embed_settings(system), inputs)

    @cache
    def run_key(self, system: str, seed: int, collection: str, split: str, variation: str) -> str:
        queries = self.queries_key(collection, split, variation)
        settings = [self.search_settings(system), variation]
        if "bm25" in self.recipe(system):
            return key(["robustdr.retrieval.bm25"], ["bm25s"], settings, [self.collection_key(collection), queries])
        inputs = [self.embeddings_key(system, seed, collection), queries]
        return key(["robustdr.retrieval.search"], ["torch", "transformers", "faiss-cpu"], settings, inputs)

    @cache
    def measures_key(self, system: str, seed: int, collection: str) -> str:
        inputs = [
            self.run_key(system, seed, collection, split, kind)
            for (c, split), (kinds, _) in self.evaluations().items()
            if c == collection
            for kind in kinds
        ]
        settings = self.evaluate_settings(collection)
        return key(["robustdr.evaluation.measures"], ["pytrec-eval-terrier"], settings, inputs)

    # what can be run, and where its measures are

    def why_not(self, system: str) -> str:
        """Why a system cannot be run at this scale: something in its lineage is not to be had. Empty if it can."""
        recipe = self.recipe(system)
        if "bm25" in recipe:
            return ""
        reason = self.bound["checkpoints"][self.checkpoint_of(system)].get("unavailable", "")
        parents = {recipe[field] for field in ("negatives", "teacher") if field in recipe}
        return reason or next(filter(None, (self.why_not(parent) for parent in sorted(parents))), "")

    def measures(self, systems: list[str], roles: list[str]) -> dict[str, str]:
        """The measures files of all seeds of the systems that can be run, and the key that each must carry."""
        return {
            f"{self.root}/measures/{collection}/{system}/seed{seed}.parquet": self.measures_key(
                system, seed, collection
            )
            for collection in dict.fromkeys(self.collection_of(role) for role in roles)
            for system in dict.fromkeys(systems)
            if not self.why_not(system)
            for seed in self.seeds(system)
        }


def plans(config: Config) -> dict[str, Plan]:
    """All scales by the folder of their results."""
    made = {plan.root: plan for plan in (Plan(config, scale) for scale in config.scales)}
    if "results" not in made:
        raise UserError("config/scales: full.yaml is missing; it is the scale behind results/")
    return made
