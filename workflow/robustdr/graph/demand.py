"""What papers need of one scale: which systems rank which query sets, and what these systems are made from."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from robustdr.experiments.kinds import Split
from robustdr.experiments.models import ORIGINAL, Config
from robustdr.graph.lineage import Lineage
from robustdr.reporting.spec import Spec
from robustdr.retrieval.settings import FLAT

Cells = Mapping[tuple[str, str], bool]  # by system and role: whether on variations too, or on original queries alone
QuerySets = Mapping[tuple[str, Split], list[str]]  # variations by system and split, the original queries first
Group = tuple[str, ...]  # variations of a split that one job ranks, or measures


def cells_of(spec: Spec) -> Cells:
    """Return the cells of a table or figure."""
    return dict.fromkeys(spec.pairs(), True)


@cache
def _pairs(config: Config, name: str) -> dict[tuple[str, str], bool]:
    paper, part = config.part_of(name)
    specs, of_paper = config.papers[paper].specs(part), config.claims[paper]
    varied_by_pair = {pair: True for spec in specs for pair in cells_of(spec)}
    for tested in of_paper.tested_by(varied_by_pair) if part else of_paper.tested().values():
        sets = {query_set for test in tested.tests().values() for _, query_set in test.names_under("query_sets")}
        for pair in tested.pairs():
            varied_by_pair[pair] = varied_by_pair.get(pair, False) or sets != {ORIGINAL}
    return varied_by_pair


def grouped(needs: Iterable[QuerySets]) -> dict[tuple[str, Split], list[Group]]:
    """Return the query sets of each system and split in groups: those of a group have the same needs."""
    needs_of: dict[tuple[str, Split], dict[str, list[int]]] = defaultdict(dict)
    for number, need in enumerate(needs):
        for system_split, variations in need.items():
            for variation in variations:
                needs_of[system_split].setdefault(variation, []).append(number)
    return {
        system_split: [
            tuple(name for name in numbers_of if numbers_of[name] == list(shared_numbers))
            for shared_numbers in dict.fromkeys(map(tuple, numbers_of.values()))
        ]
        for system_split, numbers_of in needs_of.items()
    }


@dataclass(frozen=True, eq=False)
class Demand:
    """What the tables, figures and claims of all papers need of a scale.

    A table, a figure or the claims that it tests make no query set that they do not show. So query sets are ranked and
    measured in groups: those that the same tables, figures and claims need.
    """

    lineage: Lineage

    def pairs(self, name: str) -> dict[tuple[str, str], bool]:
        """Return the cells of a paper's tables, figures and claims, the same at every scale.

        Of a single table or figure, `<paper>_<part>`: its cells, and the controls of the claims that these cells test.
        """
        return _pairs(self.lineage.config, name)

    def cells(self, name: str) -> dict[tuple[str, str], bool]:
        """Return the `pairs` that this scale has."""
        return {pair: varied for pair, varied in self.pairs(name).items() if self.lineage.has_cell(*pair)}

    def together(self, names: Iterable[str]) -> dict[tuple[str, str], bool]:
        """Return the `pairs` of several tables, figures or papers."""
        varied_by_pair: dict[tuple[str, str], bool] = {}
        for name in names:
            varied_by_pair |= {
                pair: varied or varied_by_pair.get(pair, False) for pair, varied in self.pairs(name).items()
            }
        return varied_by_pair

    def query_sets(self, paper: str, cells: Cells) -> dict[tuple[str, Split], list[str]]:
        """Return the query sets of those cells of a paper that this scale can make."""
        sets: dict[tuple[str, Split], list[str]] = {}
        for (system, role), varied in cells.items():
            if self.lineage.has_cell(system, role):
                split, variations = self._varied(paper, role)
                names = sets.setdefault((system, split), [])
                needed_names = [ORIGINAL, *(variations if varied else [])]
                names += [
                    name for name in needed_names if name not in names and self.lineage.is_ranked(system, split, name)
                ]
        return {place: names for place, names in sets.items() if names}

    @cache
    def _varied(self, paper: str, role: str) -> tuple[Split, list[str]]:
        """Return the split behind a role of a paper's evaluation, and its variations that this scale can make."""
        split, evaluation = self.lineage.split_of(paper, role), self.lineage.config.papers[paper].evaluation[role]
        missing = self.lineage.unavailable_variations(split, evaluation.variations)
        return split, [name for name in evaluation.variations if name not in missing]

    @cache
    def _needs(self) -> list[QuerySets]:
        """Return the query sets of each table and figure, of the claims that it tests, and of each paper."""
        needs: list[QuerySets] = []
        for paper, experiment in self.lineage.config.papers.items():
            for part, spec in {**experiment.tables, **experiment.figures}.items():
                cells = cells_of(spec), self.pairs(f"{paper}_{part}")
                needs += [self.query_sets(paper, needed_cells) for needed_cells in cells]
            needs.append(self.query_sets(paper, self.pairs(paper)))
        return needs

    @cache
    def measured(self) -> dict[tuple[str, Split], list[Group]]:
        """Return the groups of query sets on which papers measure each system."""
        return grouped(self._needs())

    def groups(self, paper: str, cells: Cells) -> list[tuple[str, Split, Group]]:
        """Return each (system, split, group) of `measured` that cells of a paper need."""
        return [
            (system, split, group)
            for (system, split), names in self.query_sets(paper, cells).items()
            for group in self.measured()[system, split]
            if not set(group).isdisjoint(names)
        ]

    @cache
    def evaluated(self) -> dict[str, dict[Split, tuple[list[str], list[str]]]]:
        """Return all (variations, measures) of each system by split, the original queries first."""
        lineage, config = self.lineage, self.lineage.config
        evaluated: dict[str, dict[Split, tuple[list[str], list[str]]]] = {}
        for (system, split), groups in self.measured().items():
            evaluated.setdefault(system, {})[split] = [name for group in groups for name in group], []
        for paper in config.papers:
            for system, role in self.cells(paper):
                _, measures = evaluated[system][lineage.split_of(paper, role)]
                role_measures = config.papers[paper].evaluation[role].measures
                scale_measures = (lineage.scale.measures.get(measure, measure) for measure in role_measures)
                measures += [measure for measure in scale_measures if measure not in measures]
        return evaluated

    def evaluations(self, system: str) -> dict[Split, tuple[list[str], list[str]]]:
        """Return the (variations, measures) that papers need of a system, by split, the original queries first."""
        return self.evaluated().get(system, {})

    def _with_candidates(self, needed: QuerySets) -> dict[tuple[str, Split], list[str]]:
        """Return query sets with those that first stages of rerankers rank for them."""
        ranked: dict[tuple[str, Split], list[str]] = {}

        def add(system: str, split: Split, variations: list[str]) -> None:
            ranked_variations = ranked.setdefault((system, split), [])
            ranked_variations += [name for name in variations if name not in ranked_variations]
            if self.lineage.released_runs(system, split, variations):
                return
            for candidate_system, candidate_variations in (
                self.lineage.kind(system).candidates(self.lineage, system, split, variations).items()
            ):
                add(candidate_system, split, candidate_variations)

        for (system, split), variations in needed.items():
            add(system, split, variations)
        return ranked

    def _mining(self) -> Iterator[tuple[str, Split]]:
        """Yield the systems whose rankings of training queries give hard negatives."""
        for system in self.lineage.complete():
            if miner := self.lineage.miner_of(system):
                yield miner, self.lineage.train_split(system)

    @cache
    def searches(self) -> dict[Split, dict[Group, list[str]]]:
        """Return for each split the groups of variations that are ranked, and the systems that rank each group."""
        with_runs: dict[tuple[str, Split], list[str]] = {}  # released ones: no job reads these and ranks others
        for need in self._needs():
            for (system, split), names in need.items():
                if released := [name for name in names if self.lineage.released_runs(system, split, [name])]:
                    with_runs[system, split] = released
        needs = [*self._needs(), {system_split: [ORIGINAL] for system_split in self._mining()}, with_runs]
        systems_of: dict[Split, dict[Group, list[str]]] = {}
        for (system, split), groups in grouped(map(self._with_candidates, needs)).items():
            for group in groups:
                systems_of.setdefault(split, {}).setdefault(group, []).append(system)
        return systems_of

    @cache
    def _ranked_with(self) -> dict[tuple[str, Split, str], Group]:
        return {
            (system, split, variation): group
            for split, groups in self.searches().items()
            for group, systems in groups.items()
            for system in systems
            for variation in group
        }

    def ranked_with(self, system: str, split: Split, variation: str) -> Group:
        """Return the group of variations that the job of this ranking ranks; it alone if no paper needs it."""
        return self._ranked_with().get((system, split, variation), (variation,))

    @cache
    def mined(self) -> set[tuple[str, Split]]:
        """Return the systems that rank a training split only for hard negatives; nothing else reads these runs."""
        mining = set(self._mining())
        first = {
            (candidate_system, split): candidate_variations
            for miner, split in mining
            for candidate_system, candidate_variations in self.lineage.kind(miner)
            .candidates(self.lineage, miner, split, [ORIGINAL])
            .items()
        }
        return mining - {
            system_split for need in (*self._needs(), first) for system_split in self._with_candidates(need)
        }

    @cache
    def splits(self, collection: str) -> list[str]:
        """Return the splits of a collection that any job reads."""
        lineage = self.lineage
        trained = {lineage.train_split(system) for system in lineage.complete() if lineage.is_trained(system)}
        return sorted(
            split for split_collection, split in {*self.searches(), *trained} if split_collection == collection
        )

    @cache
    def keeps_vectors(self, system: str, collection: str) -> bool:
        """Whether passage vectors are kept: if the scale keeps or indexes them, or if others read them too."""
        lineage = self.lineage
        searches_indexes = lineage.scale.retrieval.index.factory != FLAT
        if lineage.scale.embeddings.keep or searches_indexes or lineage.encoder_of(system) != system:
            return True
        of_passages = lineage.passages_of(collection)
        searches = {
            (reader, searched_collection)
            for reader in self.evaluated()
            if lineage.encoder_of(reader) == system
            for searched_collection, _ in self.evaluations(reader)
            if lineage.passages_of(searched_collection) == of_passages
        }
        taught = (name for name in lineage.complete() if getattr(lineage.recipe(name), "teacher", None) == system)
        trained = (lineage.passages_of(lineage.train_split(name)[0]) for name in taught)
        return bool(searches - {(system, collection)}) or of_passages in trained

    def training_variations(self, system: str) -> list[str]:
        """Return the variations that a system is trained on, without those that this scale cannot make.

        A mixture of them that was released for the training split stands for all.
        Under `assign: fresh` they are drawn again, as `<variation>.draw<n>` from n = 2, until each epoch has one.
        """
        lineage, recipe = self.lineage, self.lineage.recipe(system)
        if not recipe.variations:
            return []
        if mixture := lineage.released_mixture(system):
            return [mixture]
        missing = lineage.unavailable_variations(lineage.train_split(system), recipe.variations)
        names = [name for name in recipe.variations if name not in missing]
        draws = math.ceil(lineage.budget(system).epochs / len(names)) if names and recipe.assign == "fresh" else 1
        return names + [f"{name}.draw{draw}" for draw in range(2, draws + 1) for name in names]

    def snapshots(self) -> dict[str, list[int]]:
        """Return the percentages of training at which a system's snapshots are taken."""
        percents: dict[str, list[int]] = {}
        for name in self.evaluated():
            system, _, percent = name.partition(".at")
            if percent:
                percents[system] = sorted({*percents.get(system, []), int(percent)})
        return percents

    # behind papers, or tables and figures of papers

    @cache
    def shown_query_sets(self, names: tuple[str, ...]) -> dict[tuple[str, Split], list[str]]:
        """Return the query sets of systems that can be made, those that papers show."""
        sets: dict[tuple[str, Split], list[str]] = {}
        for name in names:
            paper, _ = self.lineage.config.part_of(name)
            for (system, split), variations in self.query_sets(paper, self.pairs(name)).items():
                if not self.lineage.unavailable(system):
                    names_of_sets = sets.setdefault((system, split), [])
                    names_of_sets += [variation for variation in variations if variation not in names_of_sets]
        return sets
