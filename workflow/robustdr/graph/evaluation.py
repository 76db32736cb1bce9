"""Nodes of evaluation: the measures of a system on query sets of a split."""

from collections.abc import Sequence
from functools import cache

from robustdr.evaluation.settings import EvaluateSettings, PublishedSettings
from robustdr.experiments.kinds import Split
from robustdr.experiments.models import ORIGINAL
from robustdr.graph.collections import JUDGEMENTS
from robustdr.graph.demand import Cells
from robustdr.graph.retrieval import Retrieval
from robustdr.keys.node import Input, Need, Node, reads
from robustdr.retrieval.settings import FLAT


class Evaluation(Retrieval):
    """Nodes of evaluation: the measures of a system on query sets of a split."""

    def evaluate_settings(self, system: str, query_sets: Sequence[tuple[Split, str]]) -> EvaluateSettings:
        """Return how query sets of one collection, (split, variation), are evaluated."""
        evaluations = self.demand.evaluations(system)
        measures = {f"{split[1]}.{variation}": evaluations[split][1] for split, variation in query_sets}
        (collection,) = {collection for (collection, _), _ in query_sets}
        return EvaluateSettings(measures, self.lineage.config.collections[collection].get("relevance_level", 1))

    def judgements(self, query_sets: Sequence[tuple[Split, str]]) -> dict[str, Input]:
        """Return what judges query sets of one collection: one file each, and passages if answers judge."""
        files = [self.split_files(split)[1] for split, _ in query_sets]
        by_answers = any(file.path.endswith(JUDGEMENTS["answers"]) for file in files)
        corpus = {"corpus": reads(self.corpus(query_sets[0][0][0]))} if by_answers else {}
        return {"judgements": reads(*files), **corpus}

    @cache
    def measures(self, system: str, seed: int, split: Split, variation: str) -> Node:
        """Return the node of a system's measures on the group of `Demand.measured` that has a variation."""
        collection, name = split
        group = next(group for group in self.demand.measured()[system, split] if variation in group)
        first = group[0]
        query_sets = [(split, variation) for variation in group]
        return self.node(
            "evaluate",
            f"measures/{collection}/{system}/seed{seed}/{name}.{first}.parquet",
            f"measures of {system} on {collection}, {name}, {first}, seed {seed}",
            f"{collection}.{name}.{first}.{system}.{seed}",
            settings=self.evaluate_settings(system, query_sets),
            inputs={
                "runs": reads(*(self.run(system, seed, split, variation) for variation in group)),
                **self.judgements(query_sets),
            },
            need=Need(self.sized(4000, 16000), self.sized(30, 90)),
        )

    @cache
    def witness(self, checkpoint: str) -> tuple[str, Split] | None:
        """Return the system and the split on which a checkpoint's published score is checked; None if it cannot be.

        It can be where a paper measures the checkpoint as it is, by an exact search of a whole collection.
        """
        lineage, score = self.lineage, self.lineage.published(checkpoint)
        if score is None or lineage.scale.retrieval.index.factory != FLAT:
            return None
        collection = lineage.collection_of(score.role)
        for system, evaluations in self.demand.evaluated().items():
            if lineage.is_random(system) or lineage.starts_from(system) != checkpoint or lineage.unavailable(system):
                continue
            for split, (variations, measures) in evaluations.items():
                if split[0] == collection and ORIGINAL in variations and score.measure in measures:
                    return system, split
        return None

    @cache
    def published(self, checkpoint: str) -> Node:
        """Return the node of the check that a checkpoint, which has a `witness`, reaches its published score."""
        scale, witness = self.lineage.scale, self.witness(checkpoint)
        score = scale.published.get(checkpoint)
        if witness is None or score is None:
            raise KeyError(checkpoint)
        system, split = witness
        return self.node(
            "published",
            f"published/{checkpoint}.json",
            f"check of the published score of {checkpoint}",
            checkpoint,
            settings=PublishedSettings(
                checkpoint=checkpoint,
                query_set=f"{split[1]}.{ORIGINAL}",
                remedy=scale.checkpoints[checkpoint].fetch,
                **vars(score),
            ),
            inputs={"measures": reads(self.measures(system, 0, split, ORIGINAL))},
            need=Need(4000, 10),
        )

    @cache
    def _checked(self, system: str) -> tuple[str, ...]:
        """Return the released checkpoints behind a system whose published scores are checked."""
        checkpoint = self.lineage.starts_from(system)
        names = [checkpoint] if checkpoint and self.witness(checkpoint) else []
        ancestors = (name for parent in self.lineage.parents(system) for name in self._checked(parent))
        return tuple(dict.fromkeys([*names, *ancestors]))

    def gates(self, *systems: str) -> list[Node]:
        """Return the checks of published scores of all released checkpoints behind systems."""
        return [
            self.published(name) for name in dict.fromkeys(name for system in systems for name in self._checked(system))
        ]

    def gates_of_vectors(self, system: str, collection: str) -> list[Node]:
        """Return the `gates` of a system that are not decided by searching the passages of this collection."""
        passages_of, witnesses = self.lineage.passages_of, {name: self.witness(name) for name in self._checked(system)}
        passages = passages_of(collection)
        return [
            self.published(name)
            for name, witness in witnesses.items()
            if witness and passages_of(witness[1][0]) != passages
        ]

    def gates_of_run(self, system: str, split: Split) -> list[Node]:
        """Return the `gates` of a system that are not decided by a run of this split."""
        witnesses = {name: self.witness(name) for name in self._checked(system)}
        return [self.published(name) for name, witness in witnesses.items() if witness and witness[1] != split]

    def all_measures(self, paper: str, cells: Cells) -> list[Node]:
        """Return the nodes of measures, for all seeds, of those cells of a paper that can be made."""
        return [
            self.measures(system, seed, split, group[0])
            for system, split, group in self.demand.groups(paper, cells)
            if not self.lineage.unavailable(system)
            for seed in self.lineage.seeds(system)
        ]
