"""Marks of tables: the paper's test as SciPy computes it, ours beside it, and footnotes that say what was computed."""

import json
from itertools import product

import numpy as np
import pytest
import scipy.stats

from robustdr.evaluation.names import MEAN
from robustdr.reporting.marks import OURS, MarkTest, PValues
from robustdr.reporting.spec import Significance

SETS = ("original", "misspell", "swap_words")
LABELS = {"dr_oq": "DR_OQ", "rodr": "RoDR"}
NAMES = {name: name for name in LABELS}


def spec(**changes):
    test = {"against": {"rodr": "dr_oq"}, "level": 0.01, "mark": "†", **changes}
    return {"title": "T", "rows": "query_sets", "collections": ["passages"], "systems": [*LABELS], "significance": test}


@pytest.fixture()
def drawn(paper, measured):
    """`drawn(seeds)`: measures of two systems drawn at random, RoDR's better but for `swap_words`; values by both."""

    def draw(seeds):
        rng, values = np.random.default_rng(4), {}
        paper.measures.clear()
        for system, seed in product(LABELS, range(1, seeds + 1)):
            ranks = {
                name: rng.integers(1, 7 - 4 * (system == "rodr" and name != SETS[2]), size=60).tolist() for name in SETS
            }
            path = measured(system, {f"dev.{name}": set_ranks for name, set_ranks in ranks.items()}, seed=seed)
            paper.measures[path] = "key"
            for name, set_ranks in ranks.items():
                values.setdefault((system, name), []).append(1 / np.array(set_ranks))
        return {key: np.array(seed_values) for key, seed_values in values.items()}

    return draw


def table(paper, **changes):
    settings = {"spec": spec(), "labels": LABELS, "names": NAMES, "trained": [*LABELS], **changes}
    artifact = json.loads(paper.table("table1", **settings)["json"].read_text(encoding="utf-8"))
    return {cell["query_set"]: cell for cell in artifact["cells"] if cell["system"] == "rodr"}, artifact["footnotes"]


def priors(tmp_path, deviation):
    """A file of priors in which runs of any two systems differ by `deviation`, whatever their queries do."""
    prior = {"level": 2 * float(np.log(deviation)), "slope": 0.0, "degrees": 5.0, "most": 50.0, "least": 1e-9}
    prior |= {"deviation": deviation, "contrasts": 20, "clusters": 10}
    path = tmp_path / "priors.json"
    family = {"several": prior, "one": prior}
    path.write_text(json.dumps({"version": 1, "scales": {"mini": {"systems": family, "drop": family}}}))
    return path


@pytest.mark.parametrize("seeds", [1, 3])
@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("deviation", [None, 0.001, 0.5])
def test_every_mark_is_scipys_whatever_is_known_of_runs(paper, drawn, tmp_path, seeds, pooled, deviation):
    """Values averaged over seeds; a mean is the mean of each query, or all pairs of its variations."""
    values = drawn(seeds)
    paper.priors = priors(tmp_path, deviation) if deviation else None
    cells, _ = table(paper, spec=spec(pooled=pooled))
    for name, sets in {**{name: [name] for name in SETS}, MEAN: SETS[1:]}.items():
        a, b = (
            np.stack([values[system, query_set].mean(axis=0) for query_set in sets]) for system in ("rodr", "dr_oq")
        )
        a, b = (a.ravel(), b.ravel()) if pooled else (a.mean(axis=0), b.mean(axis=0))
        p = scipy.stats.ttest_rel(a, b).pvalue
        assert cells[name]["p"] == pytest.approx(p)
        assert cells[name]["mark"].startswith("†") == (p < 0.01 and a.mean() > b.mean())
    assert cells["original"]["mark"] and not cells[SETS[2]]["mark"]


def marks(cells):
    return {cell["mark"] for name, cell in cells.items() if name != SETS[2]}


def test_ours_is_another_mark_with_the_variance_between_runs(paper, drawn, tmp_path):
    drawn(1)
    cells, notes = table(paper)
    assert marks(cells) == {"†"} and cells["original"]["p_runs"] is None
    assert f"No cell has {OURS}: it has one training run, and how much runs differ was not measured." in notes
    paper.priors = priors(tmp_path, 0.0001)
    cells, notes = table(paper)
    assert marks(cells) == {"†§"}
    assert any(note.startswith(f"{OURS}: the same difference of means at the same level") for note in notes)
    paper.priors = priors(tmp_path, 0.5)
    cells, _ = table(paper)
    assert marks(cells) == {"†"} and cells["original"]["p_runs"] > 0.1
    _, notes = table(paper, trained=[])  # BM25 alone: no run decides
    assert not any(OURS in note for note in notes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "at p < 0.01, uncorrected: RoDR against DR_OQ."),
        ({"level": 0.05}, "at p < 0.05, uncorrected: RoDR against DR_OQ."),
        ({"pooled": True}, "uncorrected; for a mean over variations, the pairs of all variations together: RoDR"),
        ({"correction": "bonferroni"}, "Bonferroni's correction for those in a column that were run: RoDR"),
    ],
)
def test_a_footnote_says_what_was_computed(paper, drawn, changes, said):
    drawn(1)
    _, notes = table(paper, spec=spec(**changes))
    (note,) = (note for note in notes if note.startswith("†"))
    assert note.startswith("†: paired two-tailed t-test over queries (of each, the mean over seeds) at p < ")
    assert said in note


def test_marks_of_losses_and_of_both_sides():
    down, two_sided = (
        MarkTest(Significance(against={"a": "b"}, level=0.05, mark="↓")),
        MarkTest(Significance(against="original", level=0.05, mark="↓", gain="↑", correction="bonferroni")),
    )
    sure, unsure = PValues(0.01, 0.01), PValues(0.01, 0.2)
    assert [down.mark(sure, difference) for difference in (-0.1, 0.1)] == ["↓§", ""]
    assert [two_sided.mark(sure, difference) for difference in (-0.1, 0.1)] == ["↓§", "↑§"] and two_sided.mark(
        unsure, -0.1
    ) == "↓"
    assert down.mark(PValues(0.2, None), -0.1) == ""
