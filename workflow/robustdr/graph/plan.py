"""What a scale makes of the experiments: the settings and the key of every artifact, before any of them exists."""

from collections.abc import Iterable
from functools import cache
from itertools import filterfalse
from pathlib import Path
from typing import Any

from robustdr.collections import part, part_files
from robustdr.core.errors import UserError
from robustdr.core.settings import deciding
from robustdr.experiments.config import Config, Tree
from robustdr.graph.stage_settings import StageSettings
from robustdr.graph.structure import ORIGINAL
from robustdr.keys.provenance import Code, digests, key
from robustdr.retrieval.settings import BM25IndexSettings
from robustdr.systems.kind import At, Reads

# Keys of a collection that decide no byte of it.
DESCRIBING = {"description", "licence", "url", "relevance_level", "log", "validated", "unavailable", "miniature"}


class Plan(StageSettings):
    """Settings and keys of one scale."""

    # settings that the kind of a system decides

    def train_settings(self, system: str) -> Any:
        return self.kind(system).training(self, system)

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

    # keys

    def _source(self, collection: str, split: str | None) -> list[Any]:
        """What a corpus (None) or split is read from: its part of the entry and the bytes of its own files."""
        source = self.config.collections[collection]
        entry = {name: value for name, value in part(source, split).items() if name not in DESCRIBING}
        return [entry, digests(part_files(source, split))]

    @cache
    def corpus_key(self, collection: str) -> str:
        return key(self.corpus_code(collection), self._source(collection, None), {})

    @cache
    def split_key(self, collection: str, split: str) -> str:
        return key(self.split_code(collection, split), [*self._source(collection, split), split], {})

    @cache
    def card_key(self, collection: str) -> str:
        inputs: Tree = {"splits": [(split, self.split_key(collection, split)) for split in self.splits(collection)]}
        if not self.is_log(collection):
            inputs["corpus"] = self.corpus_key(collection)
        return key(Code(["card"]), self.config.collections[collection], inputs)

    @cache
    def variation_key(self, collection: str, split: str, variation: str) -> str:
        made = self.generator(collection, split, variation)
        seed = self.variation_settings(collection, split, variation).seed
        settings = [made.name, made.effective, seed, digests(made.files)]
        inputs = {"queries": self.split_key(collection, split)}
        return key(self.variation_code(collection, split, variation), settings, inputs)

    def similarity_key(self, checkpoint: str, collection: str, split: str, variations: Iterable[str]) -> str:
        inputs = {
            "model": self.checkpoint_key(checkpoint),
            "queries": self.split_key(collection, split),
            "varied": [(kind, self.variation_key(collection, split, kind)) for kind in variations],
        }
        return key(Code(["similarity"]), self.computing["threads"], inputs)

    def queries_key(self, collection: str, split: str, variation: str) -> str:
        original = variation == ORIGINAL
        return self.split_key(collection, split) if original else self.variation_key(collection, split, variation)

    @cache
    def checkpoint_key(self, checkpoint: str) -> str:
        settings = self.checkpoint_settings(checkpoint)
        local = "path" in settings.source and "package" not in settings.source
        folder = [Path(settings.source["path"])] if local else []
        return key(self.checkpoint_code(checkpoint), [deciding(settings), digests(folder)], {})

    @cache
    def training_data_key(self, system: str, seed: int) -> str:
        at, settings = self.train_split(system), self.training_data_settings(system)
        inputs: Tree = {"queries": self.split_key(*at)}
        if kinds := self.training_variations(system):
            varied = {kind: self.variation_key(*at, kind) for kind in kinds}
            # One is assigned by the variations' names, all are kept in the order of the recipe.
            inputs["variations"] = varied if settings.assign == "one" else list(varied.values())
            inputs["tokenizer"] = self.checkpoint_key(self.checkpoint_of(system))  # it sees what a variation changes
        if not self.trains_on_queries_alone(system):
            inputs["corpus"] = self.corpus_key(at[0])
        if miner := self.miner_of(system):
            inputs["run"] = self.run_key(miner, self.seed_of(miner, seed), *at, ORIGINAL)
        return key(Code(["training_data"]), [deciding(settings), seed], inputs)

    @cache
    def pretrained_key(self, pretraining: str, seed: int) -> str:
        inputs = {
            "initial": self.checkpoint_key(self.config.pretraining[pretraining]["initial"]),
            "corpus": self.corpus_key(self.texts_of(pretraining)),
        }
        return key(self.pretrained_code(), [deciding(self.pretraining_settings(pretraining)), seed], inputs)

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
        inputs = {"data": self.training_data_key(name, seed), "initial": initial}
        inputs |= self.kind(name).learns_from(self, name, seed).keys
        return key(self.model_code(name), [deciding(self.train_settings(name)), seed, snapshot], inputs)

    @cache
    def teacher_scores_key(self, system: str, seed: int) -> str:
        teacher = self.recipe(system)["teacher"]
        inputs = {
            "data": self.training_data_key(system, seed),
            "model": self.model_key(teacher, self.seed_of(teacher, seed)),
            "corpus": self.corpus_key(self.train_split(system)[0]),
        }
        return key(self.teacher_scores_code(system), deciding(self.score_settings(system)), inputs)

    @cache
    def embeddings_key(self, system: str, seed: int, collection: str) -> str:
        encoder = self.encoder_of(system)
        inputs = {"model": self.model_key(encoder, seed), "corpus": self.corpus_key(collection)}
        settings = [deciding(self.embed_settings(encoder)), self.bound["embeddings"]["shards"]]
        return key(Code(["embed"]), settings, inputs)

    @cache
    def index_key(self, collection: str, index: BM25IndexSettings) -> str:
        return key(Code(["index"]), deciding(index), {"corpus": self.corpus_key(collection)})

    @cache
    def compressed_key(self, system: str, seed: int, collection: str) -> str:
        factory = self.bound["retrieval"]["index"]["factory"]
        return key(Code(["compress"]), factory, {"vectors": self.embeddings_key(system, seed, collection)})

    def ranking(self, system: str, seed: int, at: At, kinds: list[str]) -> Reads:
        """What ranking the variations `kinds` of a split reads beside passages and queries."""
        own = self.kind(system).reads(self, system, seed, at, kinds)
        if not self.config.judged_candidates(*at):
            return own
        qrels = self.split_files(*at)[1]
        return own.beside(Reads({"judged": [qrels]}, [qrels], {"judged": self.split_key(*at)}))

    @cache
    def run_key(self, system: str, seed: int, collection: str, split: str, variation: str) -> str:
        at = (collection, split)
        inputs = {"queries": self.queries_key(*at, variation), "corpus": self.corpus_key(collection)}
        inputs |= self.ranking(system, seed, at, [variation]).keys
        return key(self.run_code(system), deciding(self.rank_settings(system, at)), inputs)

    @cache
    def measures_key(self, system: str, seed: int, collection: str) -> str:
        evaluated = [(at, kinds) for at, (kinds, _) in self.evaluations(system).items() if at[0] == collection]
        inputs = {
            "runs": [
                (f"{at[1]}.{kind}", self.run_key(system, seed, *at, kind)) for at, kinds in evaluated for kind in kinds
            ],
            "judgements": {at[1]: self.split_key(*at) for at, _ in evaluated},
        }
        return key(Code(["evaluate"]), deciding(self.evaluate_settings(system, collection)), inputs)

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
