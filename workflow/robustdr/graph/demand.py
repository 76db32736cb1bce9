"""What papers need of one scale: which systems rank which query sets, and what these systems are made from."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from robustdr.experiments.kinds import Split
from robustdr.experiments.models import ORIGINAL
from robustdr.graph.lineage import Lineage
from robustdr.retrieval.settings import FLAT

Ranked = tuple[str, Split, list[str]]  # a system, a split, its variations


@dataclass(frozen=True, eq=False)
class Demand:
    """What the tables, figures and claims of all papers need of a scale."""

    lineage: Lineage

    @cache
    def pairs(self, name: str) -> dict[tuple[str, str], bool]:
        """Return each (system, role) of a paper's tables, figures and claims; True: more than original queries.

        Of a single table or figure, `<paper>_<part>`: its cells, and the controls of the claims that these cells test.
        """
        paper, part = self.lineage.config.part_of(name)
        specs, of_paper = self.lineage.config.papers[paper].specs(part), self.lineage.config.claims[paper]
        found = dict.fromkeys((pair for spec in specs for pair in spec.pairs()), True)
        for tested in of_paper.tested_by(list(found)) if part else of_paper.tested().values():
            sets = {query_set for test in tested.tests().values() for _, query_set in test.named("query_sets")}
            for pair in tested.pairs():
                found[pair] = found.get(pair, False) or sets != {ORIGINAL}
        return found

    def cells(self, name: str) -> dict[tuple[str, str], bool]:
        """Return the `pairs` that this scale has."""
        return {pair: varied for pair, varied in self.pairs(name).items() if self.lineage.has_cell(*pair)}

    @cache
    def evaluated(self) -> dict[str, dict[Split, tuple[list[str], list[str]]]]:
        """Return (variations that this scale can make, measures) of each system by split, original queries first."""
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
        """Return the (variations, measures) that papers need of a system, by split, the original queries first."""
        return self.evaluated().get(system, {})

    @property
    def _mining(self) -> list[Ranked]:
        """The rankings of training queries for mining hard negatives."""
        lineage = self.lineage
        miners = ((lineage.miner_of(system), system) for system in lineage.complete())
        return [(miner, lineage.train_split(system), [ORIGINAL]) for miner, system in miners if miner]

    def _ranked(self, asked: Iterable[Ranked]) -> dict[tuple[str, Split], list[str]]:
        """Return the variations of a split that each system ranks for `asked`, with first stages of rerankers."""
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
        """Return for each split the lists of variations that are ranked, and the systems that rank each list."""
        found: dict[Split, dict[tuple[str, ...], list[str]]] = {}
        for (system, split), variations in self._ranked([*self._measured, *self._mining]).items():
            found.setdefault(split, {}).setdefault(tuple(variations), []).append(system)
        return found

    @cache
    def mined(self) -> set[tuple[str, Split]]:
        """Return the systems that rank a training split only for hard negatives; nothing else reads these runs."""
        first = [
            (other, split, of)
            for miner, split, variations in self._mining
            for other, of in self.lineage.kind(miner).candidates(self.lineage, miner, split, variations).items()
        ]
        return {(miner, split) for miner, split, _ in self._mining} - self._ranked([*self._measured, *first]).keys()

    @cache
    def splits(self, collection: str) -> list[str]:
        """Return the splits of a collection that any job reads."""
        lineage = self.lineage
        trained = {lineage.train_split(system) for system in lineage.complete() if lineage.is_trained(system)}
        return sorted(split for of, split in {*self.searches(), *trained} if of == collection)

    @cache
    def keeps_vectors(self, system: str, collection: str) -> bool:
        """Whether passage vectors are kept: if the scale keeps or indexes them, or if others read them too."""
        lineage = self.lineage
        searches_indexes = lineage.scale.retrieval.index.factory != FLAT
        if lineage.scale.embeddings.keep or searches_indexes or lineage.encoder_of(system) != system:
            return True
        of_passages = lineage.passages_of(collection)
        searches = {
            (other, of)
            for other in self.evaluated()
            if lineage.encoder_of(other) == system
            for of, _ in self.evaluations(other)
            if lineage.passages_of(of) == of_passages
        }
        taught = (name for name in lineage.complete() if getattr(lineage.recipe(name), "teacher", None) == system)
        trained = (lineage.passages_of(lineage.train_split(name)[0]) for name in taught)
        return bool(searches - {(system, collection)}) or of_passages in trained

    def training_variations(self, system: str) -> list[str]:
        """Return the variations that a system is trained on, without those that this scale cannot make.

        Under `assign: fresh` they are drawn again, as `<variation>.draw<n>` from n = 2, until each epoch has one.
        """
        lineage, recipe = self.lineage, self.lineage.recipe(system)
        if not recipe.variations:
            return []
        missing = lineage.unavailable_variations(lineage.train_split(system), recipe.variations)
        names = [name for name in recipe.variations if name not in missing]
        draws = math.ceil(lineage.budget(system).epochs / len(names)) if names and recipe.assign == "fresh" else 1
        return names + [f"{name}.draw{draw}" for draw in range(2, draws + 1) for name in names]

    def snapshots(self) -> dict[str, list[int]]:
        """Return the percentages of training at which a system's snapshots are taken."""
        taken: dict[str, list[int]] = {}
        for name in self.evaluated():
            system, _, percent = name.partition(".at")
            if percent:
                taken[system] = sorted({*taken.get(system, []), int(percent)})
        return taken

    # behind papers

    def behind(self, papers: Iterable[str]) -> list[str]:
        """Return the systems that papers show and that can be made, each after its parents."""
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
        """Return the collections that anything behind papers reads."""
        lineage, systems = self.lineage, self.behind(papers)
        pretrainings = filter(None, map(lineage.pretraining_of, systems))
        found = [collection for system in systems for collection, _ in self.evaluations(system)]
        found += [lineage.train_split(system)[0] for system in systems if lineage.is_trained(system)]
        found += [lineage.collection_of(lineage.config.pretraining[name].collection) for name in pretrainings]
        return list(dict.fromkeys(found))

    def varied(self, papers: Iterable[str]) -> dict[Split, list[str]]:
        """Return the variations behind papers by split, for evaluated and for training queries."""
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
        """Return every (pre-training, seed) behind papers."""
        found = ((self.lineage.pretraining_of(system), system) for system in self.behind(papers))
        return list(
            dict.fromkeys((name, seed) for name, system in found if name for seed in self.lineage.seeds(system))
        )

    def models(self, papers: Iterable[str]) -> list[tuple[str, int]]:
        """Return every (system, seed) that is trained for papers."""
        behind = (system.partition(".")[0] for system in self.behind(papers) if self.lineage.is_trained(system))
        return [(system, seed) for system in dict.fromkeys(behind) for seed in self.lineage.seeds(system)]
