"""Nodes of retrieval: passage vectors, indexes and rankings."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from robustdr.collections import ignores_identical_ids
from robustdr.experiments.kinds import Graph, Inputs, Kind, Split, memory
from robustdr.experiments.models import ORIGINAL, ReleasedRuns
from robustdr.graph.demand import Group
from robustdr.graph.models import Models
from robustdr.keys.node import Input, Need, Node, reads
from robustdr.keys.provenance import Code
from robustdr.retrieval.settings import (
    IDENTICAL_IDS,
    BM25IndexSettings,
    EmbedSettings,
    ReleasedRunSettings,
    SearchSettings,
)
from robustdr.systems.trained import lengths


@dataclass(frozen=True)
class Released(Kind):
    """Reads the released runs of a system on some query sets of a split.

    Attributes:
        runs: what the scale says of them. place: where it says so, for messages. variations: of the query sets.
    """

    runs: ReleasedRuns
    place: str
    variations: Sequence[str]

    ranks = "robustdr.retrieval.released"

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> ReleasedRunSettings:
        files = {name: self.runs.files[name] for name in self.variations}
        sha256, origin = self.runs.sha256 or "", self.runs.origin
        return ReleasedRunSettings(files=files, order=self.runs.order, sha256=sha256, origin=origin, depth=depth)

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        return {"candidates": Input(files=[Path(self.runs.path)], place=self.place)}

    def need(self, graph: Graph, system: str, split: str) -> Need:
        return Need(memory(graph), 120)


class Retrieval(Models):
    """Nodes of retrieval: passage vectors, indexes and rankings."""

    @cache
    def embeddings(self, system: str, seed: int, collection: str) -> list[Node]:
        """Return the nodes of shards of passage vectors that a system searches; none if vectors are not kept."""
        if not self.demand.keeps_vectors(system, collection):
            return []
        encoder = self.lineage.encoder_of(system)
        its_seed = self.lineage.seed_of(encoder, seed)
        return [self.vectors(encoder, its_seed, collection, n) for n in range(self._shards(collection))]

    def _shards(self, collection: str) -> int:
        stored = self.lineage.scale.embeddings
        return stored.shards_of.get(self.lineage.passages_of(collection), stored.shards)

    @cache
    def vectors(self, system: str, seed: int, collection: str, shard: int) -> Node:
        if (owner := self.lineage.passages_of(collection)) != collection:
            return self.vectors(system, seed, owner, shard)
        stored, card, shards = self.lineage.scale.embeddings, self.card(collection), self._shards(collection)
        passage_length = lengths(self.lineage, system)["passage_length"]
        return self.node(
            "embed",
            f"embeddings/{collection}/{system}/seed{seed}/{shard}.npy",
            f"vectors of {collection} by {system}, shard {shard}",
            f"{collection}.{system}.{seed}.{shard}",
            settings=EmbedSettings(passage_length, stored.precision, **self.computing),
            decides=[shard, shards],
            inputs={"model": reads(self.model(system, seed)), "corpus": reads(self.corpus(collection))},
            after=[card, *self.gates_of_vectors(system, collection)],
            options={"card": card.path, "shard": shard, "shards": shards},
            need=Need(self.sized(3000, 16000), 60, gpus=1, cores=self.threads),
        )

    def compressed(self, system: str, seed: int, collection: str) -> list[Node]:
        """Return the nodes of compressed indexes of a system's passage vectors, one for each shard."""
        encoder = self.lineage.encoder_of(system)
        its_seed = self.lineage.seed_of(encoder, seed)
        return [self.compressed_shard(encoder, its_seed, collection, n) for n in range(self._shards(collection))]

    @cache
    def compressed_shard(self, system: str, seed: int, collection: str, shard: int) -> Node:
        if (owner := self.lineage.passages_of(collection)) != collection:
            return self.compressed_shard(system, seed, owner, shard)
        factory = self.lineage.scale.retrieval.index.factory
        return self.node(
            "compress",
            f"compressed/{collection}/{system}/seed{seed}/{shard}.faiss",
            f"index of {collection} by {system}, shard {shard}",
            f"{collection}.{system}.{seed}.{shard}",
            inputs={"vectors": reads(self.vectors(system, seed, collection, shard))},
            options={"factory": factory},
            decides=factory,
            need=Need(self.sized(3000, 24000), 240, gpus=1, cores=self.threads),
        )

    @cache
    def recall(self, system: str, seed: int, split: Split) -> Node | None:
        """Return the node of how much of an exact search's ranking of the original queries compressed indexes find.

        None for a system that does not search compressed indexes.
        """
        run, (collection, name) = self.run(system, seed, split, ORIGINAL), split
        if "compressed" not in run.inputs:
            return None
        vectors = [node for index in run.inputs["compressed"].nodes for node in index.inputs["vectors"].nodes]
        return self.node(
            "recall",
            f"recall/{collection}/{system}/seed{seed}/{name}.json",
            f"recall of compressed indexes, {collection}, {name} by {system}, seed {seed}",
            f"{collection}.{name}.{system}.{seed}",
            settings=run.settings,
            inputs={
                "model": run.inputs["model"],
                "corpus": run.inputs["corpus"],
                "queries": reads(self.query_set(split, ORIGINAL)),
                "vectors": reads(*vectors),
                "run": reads(run),
            },
            need=run.need,
        )

    @cache
    def indexes(self) -> dict[str, BM25IndexSettings]:
        """Return the settings of every index of words by its name."""
        indexes = (self.lineage.kind(system).index(self.lineage, system) for system in self.lineage.complete())
        return {index.name: index for index in indexes if index}

    @cache
    def index(self, collection: str, settings: BM25IndexSettings) -> Node:
        """Return the node of the index of a collection's words that BM25 searches."""
        if (owner := self.lineage.passages_of(collection)) != collection:
            return self.index(owner, settings)
        name = settings.name
        folder = f"indexes/{collection}/{name}"
        return self.node(
            "build_index",
            folder,
            f"words of {collection}, {name}",
            f"{collection}.{name}",
            settings=settings,
            inputs={"corpus": reads(self.corpus(collection))},
            after=[self.card(collection)],
            stage="index",
            need=Need(self.sized(2000, 16000), self.sized(120, 360)),  # MS MARCO's documents take about 1.9 h
        )

    @cache
    def run(self, system: str, seed: int, split: Split, variation: str) -> Node:
        """Return the node of a system's ranking of one query set."""
        return self._ranking(system, seed, split, (variation,), self.demand.ranked_with(system, split, variation)[0])

    @cache
    def ranking(self, system: str, seed: int, split: Split, group: Group) -> Node:
        """Return the node of a ranking of a group of `Demand.searches`; its path is that of the first run."""
        return self._ranking(system, seed, split, group, group[0])

    def ranking_with(self, system: str, seed: int, split: Split, variation: str) -> Node:
        """Return the node of the ranking by the job that ranks a variation."""
        return self.ranking(system, seed, split, self.demand.ranked_with(system, split, variation))

    def _ranking(self, system: str, seed: int, split: Split, names: Group, first: str) -> Node:
        """Return the node of a ranking of some of a group's variations; `first` is the group's first variation."""
        lineage, (collection, name) = self.lineage, split
        kind_of_recipe, released = lineage.kind(system), lineage.released_runs(system, split, names)
        place = f"{lineage.config.scale_files[lineage.scale_name]}: released.{system}.runs.{'/'.join(split)}"
        kind: Kind = Released(released, place, names) if released else kind_of_recipe
        part = lineage.scale.negatives if (system, split) in self.demand.mined() else lineage.scale.retrieval
        inputs = {
            "corpus": reads(self.corpus(collection)),
            "queries": reads(*(self.query_set(split, variation) for variation in names)),
            **kind.reads(self, system, seed, split, names),
        }
        runs = [f"runs/{collection}/{system}/seed{seed}/{name}.{variation}.arrow" for variation in names]
        # Runs of training queries are mined, not read by people.
        trec = [f"{run.removesuffix('.arrow')}.trec.gz" for run in runs if name != "train"]
        if lineage.config.judged_candidates(*split):
            inputs["judged"] = reads(self.split_files(split)[1])
        ignored = ignores_identical_ids(lineage.config.collections[collection])
        settings = kind.ranking(self, system, collection, part.depth + ignored)  # one more, for the one left out
        decides: Any = IDENTICAL_IDS if ignored else None
        folder = f"{self.root}/runs/{collection}/{system}/seed{seed}"
        outputs = {"runs": [f"{self.root}/{run}" for run in runs], "trec": [f"{self.root}/{run}" for run in trec]}
        if lineage.scale.embeddings.queries and isinstance(settings, SearchSettings) and name != "train":
            outputs["query-vectors"] = [f"{folder}/{name}.{first}.queries.npy"]
            decides = [decides, "query-vectors"]
        return self.node(
            "mine" if name == "train" and not kind_of_recipe.network else kind_of_recipe.rule,
            runs[0],
            f"ranking of {collection}, {name}, {names[0]} by {system}, seed {seed}",
            f"{collection}.{name}.{first}.{system}.{seed}",
            stage="rank",
            first=f"{folder}/{name}.{first}.arrow",
            code=Code(["rank", kind.ranks, *kind.modules(lineage, system)]),
            settings=settings,
            decides=decides,
            inputs=inputs,
            after=[self.split_card(split), *self.gates_of_run(system, split)],
            options={
                "ranks": kind.ranks,
                "collection": collection,
                "tag": f"{system}-seed{seed}",
                **({"ignore": IDENTICAL_IDS} if ignored else {}),
                **kind.mentions(self, system, seed, split),
            },
            outputs=outputs,
            need=kind.need(self, system, name),
            query_set=f"{name}.{names[0]}",
            outside={released.path: released.fetch} if released else {},
            makes=lambda: [self.run(system, seed, split, variation) for variation in names],
            network=kind.network,
        )
