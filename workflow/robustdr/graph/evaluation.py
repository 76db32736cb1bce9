"""Nodes of evaluation: the measures of a system on query sets of a split."""

from collections.abc import Sequence
from functools import cache

from robustdr.evaluation.settings import EvaluateSettings
from robustdr.experiments.kinds import Split
from robustdr.graph.collections import JUDGEMENTS
from robustdr.graph.demand import Cells
from robustdr.graph.part import Part
from robustdr.keys.node import Input, Need, Node, reads


class Evaluation(Part):
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

    def all_measures(self, paper: str, cells: Cells) -> list[Node]:
        """Return the nodes of measures, for all seeds, of those cells of a paper that can be made."""
        return [
            self.measures(system, seed, split, group[0])
            for system, split, group in self.demand.groups(paper, cells)
            if not self.lineage.unavailable(system)
            for seed in self.lineage.seeds(system)
        ]
