"""What papers need of one scale: which systems rank which query sets, and what these are made from."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from robustdr.experiments.kinds import Split
from robustdr.experiments.models import ORIGINAL
from robustdr.graph.lineage import Lineage
from robustdr.retrieval.settings import FLAT

Ranked = tuple[str, Split, list[str]]  # a system, a split, which variations


@dataclass(frozen=True, eq=False)
class Demand:
    """What the tables, figures and claims of all papers need of a scale."""

    lineage: Lineage

    def pairs(self, paper: str) -> dict[tuple[str, str], bool]:
        """Every (system, role) that a paper's tables, figures and claims need; whether more than original queries."""
        experiment = self.lineage.config.papers[paper]
        specs = [*experiment.tables.values(), *experiment.figures.values()]
        found = dict.fromkeys((pair for spec in specs for pair in spec.pairs()), True)
        for claim in self.lineage.config.claims[paper]:
            for pair in claim.pairs():
                found[pair] = found.get(pair, False) or [*claim.test.named("query_sets")] != [("query_sets", ORIGINAL)]
        return found

    def cells(self, paper: str) -> dict[tuple[str, str], bool]:
        """Those of `pairs` that this scale has."""
        return {pair: varied for pair, varied in self.pairs(paper).items() if self.lineage.has_cell(*pair)}

    @cache
    def evaluated(self) -> dict[str, dict[Split, tuple[list[str], list[str]]]]:
        """(variations that can be made here, measures) of each system by split, the original queries first."""
        lineage = self.lineage
        found: dict[str, dict[Split, tuple[list[str], list[str]]]] = {}
        for paper, experiment in lineage.config.papers.items():
            for (system, role), varied in self.cells(paper).items():
                evaluation, split = experiment.evaluation[role], lineage.split_of(paper, role)
                variations, measures = found.setdefault(system, {}).setdefault(split, ([ORIGINAL], []))
                wanted = evaluation.variations if varied else []
                missing = lineage.unavailable_variations(split, wanted)
                variations += [name for name in wanted if name not in missing and name not in variations]
                taken = (lineage.scale.measures.get(measure, measure) for measure in evaluation.measures)
                measures += [measure for measure in taken if measure not in measures]
        return found

    def evaluations(self, system: str) -> dict[Split, tuple[list[str], list[str]]]:
        """(variations, measures) that the papers need of a system by split, the original queries first."""
        return self.evaluated().get(system, {})

    @property
    def _mining(self) -> list[Ranked]:
        """The rankings of training queries that hard negatives are mined from."""
        lineage = self.lineage
        miners = ((lineage.miner_of(system), system) for system in lineage.complete())
        return [(miner, lineage.train_split(system), [ORIGINAL]) for miner, system in miners if miner]

    def _ranked(self, asked: Iterable[Ranked]) -> dict[tuple[str, Split], list[str]]:
        """The variations that each system ranks of a split for those `asked`, first stages of rerankers included."""
        ranked: dict[tuple[str, Split], list[str]] = {}

        def add(system: str, split: Split, variations: list[str]) -> None:
            own = ranked.setdefault((system, split), [])
            own += [name for name in variations if name not in own]
            candidates = self.lineage.kind(system).candidates(self.lineage, system, split, variations)
            for other, of in candidates.items():
                add(other, split, of)

        for system, split, variations in asked:
            add(system, split, variations)
        return ranked

    @property
    def _measured(self) -> list[Ranked]:
        splits = ((system, of) for system, of in self.evaluated().items())
        return [(system, split, variations) for system, of in splits for split, (variations, _) in of.items()]

    @cache
    def searches(self) -> dict[Split, dict[tuple[str, ...], list[str]]]:
        """The lists of variations that are ranked of each split, and the systems that rank each list."""
        found: dict[Split, dict[tuple[str, ...], list[str]]] = {}
        for (system, split), variations in self._ranked([*self._measured, *self._mining]).items():
            found.setdefault(split, {}).setdefault(tuple(variations), []).append(system)
        return found

    @cache
    def mined(self) -> set[tuple[str, Split]]:
        """The systems that rank a training split for hard negatives alone: nothing else reads these runs."""
        first = [
            (other, split, of)
            for miner, split, variations in self._mining
            for other, of in self.lineage.kind(miner).candidates(self.lineage, miner, split, variations).items()
        ]
        return {(miner, split) for miner, split, _ in self._mining} - self._ranked([*self._measured, *first]).keys()

    @cache
    def splits(self, collection: str) -> list[str]:
        """The splits of a collection that anything reads."""
        lineage = self.lineage
        trained = {lineage.train_split(system) for system in lineage.complete() if lineage.is_trained(system)}
        return sorted(split for of, split in {*self.searches(), *trained} if of == collection)

    @cache
    def keeps_vectors(self, system: str, collection: str) -> bool:
        """Whether passage vectors are kept: the scale says so or indexes them, or other systems read them."""
        lineage = self.lineage
        searches_indexes = lineage.scale.retrieval.index.factory != FLAT
        if lineage.scale.embeddings.keep or searches_indexes or lineage.encoder_of(system) != system:
            return True
        shared = any(
            lineage.encoder_of(other) == system and any(of == collection for of, _ in self.evaluations(other))
            for other in self.evaluated()
            if other != system
        )
        taught = (name for name in lineage.complete() if getattr(lineage.recipe(name), "teacher", None) == system)
        return shared or any(lineage.train_split(name)[0] == collection for name in taught)

    def training_variations(self, system: str) -> list[str]:
        """The variations that a system is trained on, without those that this scale cannot make.

        Under `assign: fresh` they are drawn again, as `<variation>.draw<n>` from n = 2, until there is one of them for
        every epoch.
        """
        lineage, recipe = self.lineage, self.lineage.recipe(system)
        if not recipe.variations:
            return []
        missing = lineage.unavailable_variations(lineage.train_split(system), recipe.variations)
        names = [name for name in recipe.variations if name not in missing]
        draws = math.ceil(lineage.budget(system).epochs / len(names)) if names and recipe.assign == "fresh" else 1
        return names + [f"{name}.draw{draw}" for draw in range(2, draws + 1) for name in names]

    def snapshots(self) -> dict[str, list[int]]:
        """The percentages of training after which a system's snapshots are taken."""
        taken: dict[str, list[int]] = {}
        for name in self.evaluated():
            system, _, percent = name.partition(".at")
            if percent:
                taken[system] = sorted({*taken.get(system, []), int(percent)})
        return taken

    # behind papers

    def behind(self, papers: Iterable[str]) -> list[str]:
        """The systems that papers show and that can be made, each after those that it is made from."""
        found: list[str] = []

        def add(system: str) -> None:
            if system not in found and not self.lineage.unavailable(system):
                for parent in self.lineage.parents(system):
                    add(parent)
                found.append(system)

        for paper in papers:
            for system, _ in self.cells(paper):
                add(system)
        return found

    def collections(self, papers: Iterable[str]) -> list[str]:
        """The collections that anything behind papers is read from."""
        lineage, systems = self.lineage, self.behind(papers)
        pretrainings = filter(None, map(lineage.pretraining_of, systems))
        found = [collection for system in systems for collection, _ in self.evaluations(system)]
        found += [lineage.train_split(system)[0] for system in systems if lineage.is_trained(system)]
        found += [lineage.collection_of(lineage.config.pretraining[name].collection) for name in pretrainings]
        return list(dict.fromkeys(found))

    def varied(self, papers: Iterable[str]) -> dict[Split, list[str]]:
        """The variations behind papers by split: of evaluated and of training queries."""
        needed: dict[Split, list[str]] = {}
        for system in self.behind(papers):
            wanted = [(split, variations[1:]) for split, (variations, _) in self.evaluations(system).items()]
            if self.lineage.is_trained(system):
                wanted.append((self.lineage.train_split(system), self.training_variations(system)))
            for split, variations in wanted:
                found = needed.setdefault(split, [])
                found += [name for name in variations if name not in found]
        return {split: variations for split, variations in needed.items() if variations}

    def pretrained(self, papers: Iterable[str]) -> list[tuple[str, int]]:
        """Every (pre-training, seed) behind papers."""
        found = ((self.lineage.pretraining_of(system), system) for system in self.behind(papers))
        return list(
            dict.fromkeys((name, seed) for name, system in found if name for seed in self.lineage.seeds(system))
        )

    def models(self, papers: Iterable[str]) -> list[tuple[str, int]]:
        """Every (system, seed) that is trained for papers."""
        behind = (system.partition(".")[0] for system in self.behind(papers) if self.lineage.is_trained(system))
        return [(system, seed) for system in dict.fromkeys(behind) for seed in self.lineage.seeds(system)]
