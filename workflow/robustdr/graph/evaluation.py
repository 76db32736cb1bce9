"""Nodes of evaluation: the measures of a system on all query sets of a collection."""

from collections.abc import Iterable
from functools import cache

from robustdr.evaluation.settings import EvaluateSettings
from robustdr.experiments.kinds import Split
from robustdr.graph.collections import JUDGEMENTS
from robustdr.graph.part import Part
from robustdr.keys.node import Input, Need, Node, reads


class Evaluation(Part):
    """Nodes of evaluation: the measures of a system on all query sets of a collection."""

    def evaluate_settings(self, system: str, collection: str) -> EvaluateSettings:
        level = self.lineage.config.collections[collection].get("relevance_level", 1)
        evaluated = {split: of for split, of in self.demand.evaluations(system).items() if split[0] == collection}
        measures = {f"{name}.{v}": of for (_, name), (names, of) in evaluated.items() for v in names}
        return EvaluateSettings(measures, level)

    def evaluated(self, system: str, collection: str) -> list[tuple[Split, str]]:
        """Return (split, variation) of every query set of a collection on which a system is measured."""
        splits = self.demand.evaluations(system).items()
        return [(split, name) for split, (names, _) in splits if split[0] == collection for name in names]

    def judgements(self, system: str, collection: str) -> dict[str, Input]:
        """Return what judges a system's query sets on a collection: one file each, and passages if answers judge."""
        files = [self.split_files(split)[1] for split, _ in self.evaluated(system, collection)]
        by_answers = any(file.path.endswith(JUDGEMENTS["answers"]) for file in files)
        corpus = {"corpus": reads(self.corpus(collection))} if by_answers else {}
        return {"judgements": reads(*files), **corpus}

    @cache
    def measures(self, system: str, seed: int, collection: str) -> Node:
        runs = [self.run(system, seed, split, name) for split, name in self.evaluated(system, collection)]
        return self.node(
            "evaluate",
            f"measures/{collection}/{system}/seed{seed}.parquet",
            f"measures of {system} on {collection}, seed {seed}",
            f"{collection}.{system}.{seed}",
            settings=self.evaluate_settings(system, collection),
            inputs={"runs": reads(*runs), **self.judgements(system, collection)},
            need=Need(self.sized(4000, 16000), self.sized(30, 90)),
        )

    def all_measures(self, pairs: Iterable[tuple[str, str]]) -> list[Node]:
        """Return the nodes of measures, for all seeds, of those (system, role) pairs that can be made."""
        at_hand = ((system, role) for system, role in pairs if self.lineage.has_cell(system, role))
        places = dict.fromkeys((system, self.lineage.collection_of(role)) for system, role in at_hand)
        return [
            self.measures(system, seed, collection)
            for system, collection in places
            if not self.lineage.unavailable(system)
            for seed in self.lineage.seeds(system)
        ]
