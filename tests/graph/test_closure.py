"""A target makes what its file shows: its systems on its query sets with its seeds, and what these are made from."""

import pytest

from robustdr.experiments.models import ORIGINAL
from robustdr.graph import tables
from robustdr.graph.graph import graph
from robustdr.keys.node import histories

SCALES = ("mini", "evidence", "compact", "first", "full")


def shown(made, paper, spec):
    """{(system, split): query sets} of the cells of a table or figure, from the configuration alone."""
    lineage, evaluation = made.lineage, made.lineage.config.papers[paper].evaluation
    found = {}
    for system, role in spec.pairs():
        if not lineage.has_cell(system, role) or lineage.unavailable(system):
            continue
        split, variations = lineage.split_of(paper, role), evaluation[role].variations
        lacking = lineage.unavailable_variations(split, variations)
        found.setdefault((system, split), {ORIGINAL}).update(set(variations) - set(lacking))
    return found


def shown_data(made, paper, spec):
    """{split: query sets} of a table about data; a table that counts training queries has these too."""
    if not getattr(spec, "about_data", False):
        return {}
    found = {}
    for role in spec.collections:
        if not made.lineage.unavailable_collection(role):
            split = made.lineage.split_of(paper, role)
            found[split] = set(made.lineage.config.papers[paper].evaluation[role].variations)
            found |= {(split[0], "train"): set()} if "cards" in spec.reads else {}
    return found


def first_stages(made, cells):
    """{(system, split): query sets} that other systems rank for rerankers among the cells."""
    found = {}
    for (system, split), variations in cells.items():
        candidates = made.lineage.kind(system).candidates(made.lineage, system, split, sorted(variations))
        for other, names in candidates.items():
            found.setdefault((other, split), set()).update(names)
    return {**first_stages(made, found), **found} if found else {}


def behind(made, systems):
    """The trained systems that systems are made from."""
    return {ancestor for system in systems for ancestor in made.lineage.lineage(system)}


def parts(made):
    for paper, experiment in made.lineage.config.papers.items():
        for name, spec in experiment.tables.items():
            yield paper, name, spec, tables.table(made, paper, name)
        for name, spec in experiment.figures.items():
            yield paper, name, spec, tables.figure(made, paper, name)


@pytest.fixture(scope="module", params=SCALES)
def at_scale(request, config):
    return graph(config, request.param)


def test_a_table_measures_its_cells_and_nothing_else(at_scale):
    for paper, name, spec, node in parts(at_scale):
        found = {}
        for measures in (one for one in histories([node]) if one.rule == "evaluate"):
            _, _, collection, system, seed, _ = measures.path.removeprefix(at_scale.root).split("/")
            for query_set in measures.settings.measures:
                split, _, variation = query_set.partition(".")
                found.setdefault((system, (collection, split), variation), set()).add(int(seed.removeprefix("seed")))
        cells = shown(at_scale, paper, spec)
        wanted = {(*at, variation): set(at_scale.lineage.seeds(at[0])) for at, of in cells.items() for variation in of}
        gate = found.keys() - wanted.keys()  # released checkpoints, which must give their published scores first
        assert {system for system, *_ in gate} <= at_scale.lineage.scale.published.keys(), (paper, name)
        assert {at: found[at] for at in found.keys() - gate} == wanted, (paper, name)


def test_its_jobs_rank_its_query_sets_and_those_that_these_need(at_scale):
    """Training queries are ranked for hard negatives. A job ranks its whole group."""
    made = at_scale
    for paper, name, spec, node in parts(made):
        cells = shown(made, paper, spec)
        trained = behind(made, {system for system, _ in cells} | {system for system, _ in first_stages(made, cells)})
        miners = {(made.lineage.miner_of(system), made.lineage.train_split(system)) for system in trained}
        mining = {at: {ORIGINAL} for at in miners if at[0]}
        allowed = [cells, first_stages(made, cells), mining, first_stages(made, mining)]
        for run in (one for one in histories([node]) if one.rule == "rank"):
            _, _, collection, system, _, file = run.path.removeprefix(made.root).split("/")
            split, _, variation = file.removesuffix(".arrow").partition(".")
            group = set(made.demand.ranked_with(system, (collection, split), variation))
            assert any(group <= of.get((system, (collection, split)), set()) for of in allowed), (paper, name, run.path)


def test_it_makes_the_variations_splits_and_models_that_these_need(at_scale):
    made = at_scale
    cut = made.lineage.scale.cut  # then passages are those that any split of the collection judges
    for paper, name, spec, node in parts(made):
        cells = shown(made, paper, spec)
        systems = {system for system, _ in cells} | {system for system, _ in first_stages(made, cells)}
        trained = behind(made, systems)
        about_data = shown_data(made, paper, spec)
        varied = {(*split, variation) for (_, split), of in cells.items() for variation in of}
        varied |= {(*split, variation) for split, of in about_data.items() for variation in of}
        varied |= {(*made.lineage.train_split(of), v) for of in trained for v in made.demand.training_variations(of)}
        splits = {split for _, split in cells} | {*about_data} | {made.lineage.train_split(of) for of in trained}
        for one in histories([node]):
            parts_of = one.path.removeprefix(f"{made.root}/").split("/")
            if one.rule == "vary":
                variation = parts_of[3].removesuffix(".tsv").partition(".version")[0]
                assert any(at[:2] == tuple(parts_of[1:3]) and at[2].startswith(variation) for at in varied), one.path
            elif one.rule == "train":
                assert parts_of[-2].partition(".")[0] in {system.partition(".")[0] for system in trained}, one.path
            elif one.rule == "split" and not cut:
                assert tuple(parts_of[1:3]) in splits, (paper, name, one.path)
