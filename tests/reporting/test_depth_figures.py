"""Figures by depth of the ranking and by method: every line is the numbers behind it."""

from types import SimpleNamespace

import numpy as np
import pytest

from reporting.conftest import REST, settings_of
from robustdr.audit.reported import load
from robustdr.evaluation.names import MEAN
from robustdr.evaluation.statistics import confidence_interval
from robustdr.evaluation.store import open_store
from robustdr.reporting.drawing import Drawing, write_figure
from robustdr.reporting.figures.accuracy_by_depth import accuracy_by_depth
from robustdr.reporting.figures.loss_by_depth import loss_by_depth
from robustdr.reporting.figures.methods import methods
from robustdr.reporting.settings import FigureSettings

REPORTED = """\
paper: toy
title: A toy paper
tables:
  table1:
    caption: Accuracy
    where: {collection: passages, system: base}
    unit: percent
    row: measure
    columns: [{query_set: original}, {query_set: variations_mean}]
    cells: |
      Success@20  | 90% | 60%
      Success@200 | 95% | 80%
  table2:
    caption: Drops at 20
    where: {collection: passages, query_set: variations_mean, measure: Success@20}
    unit: percent
    row: value
    columns: [{system: base}, {system: capot}]
    cells: |
      drop | -33% | -11%
"""
DEPTHS = {"Success@20": "Success@1", "Success@200": "Success@5"}
# Success@1 and @5 of 40 queries: `regular` .5 and 1 clean, 0 and .5 noisy; `capot_x` .5 and 1, then .25 and .75.
RANKS = {
    "regular": {"dev.original": [1, 3] * 20, "dev.misspell": [2, 9] * 20},
    "capot_x": {"dev.original": [1, 3] * 20, "dev.misspell": [1, 2, 4, 0] * 10},
}
SHARED = {"title": "T", "measures": ["Success@20", "Success@200"]}
LOSS = {"kind": "loss_by_depth", "collection": "passages", "query_set": MEAN, "drop_from": "regular", **SHARED}
LOSS |= {"systems": {"regular": "Regular", "capot_x": "CAPOT"}, "reported": ["table2"]}
ACCURACY = {"kind": "accuracy_by_depth", "collections": ["passages"], "systems": [["regular"]], **SHARED}
ACCURACY |= {"query_sets": ["original", MEAN], "reported": ["table1"]}
METHODS = {"title": "T", "kind": "methods", "collection": "passages", "measure": "Success@200"}
METHODS |= {"systems": {"regular": "Regular", "capot_x": "CAPOT"}}


@pytest.fixture()
def toy(measured, tmp_path):
    """`settings(spec)`, the measures files, `drawing(settings, reported)`, and the file of printed numbers."""
    (tmp_path / "reported.yaml").write_text(REPORTED, encoding="utf-8")
    files = [measured(system, ranks, measures=("Success@1", "Success@5")) for system, ranks in RANKS.items()]
    means = {MEAN: ["misspell"], "typos_mean": ["misspell"]}

    def settings(spec):
        return settings_of(
            FigureSettings,
            spec=spec,
            evaluation={"passages": {"collection": "toy", "split": "dev", "means": means, **REST}},
            measured=DEPTHS,
            names={"regular": "base", "capot_x": "capot"},
            miniature="Small.",
            keys={str(path): "key" for path in files},
        )

    def drawing(settings, reported=None):
        return Drawing(settings, settings.spec, open_store(settings, files), reported)

    return SimpleNamespace(settings=settings, files=files, drawing=drawing, path=tmp_path / "reported.yaml")


def lines(axis):
    """The heights of the labelled lines."""
    return {
        line.get_label(): pytest.approx(list(line.get_ydata()), nan_ok=True)
        for line in axis.lines
        if not line.get_label().startswith("_")
    }


def ticks(axis):
    return [label.get_text() for label in axis.get_xticklabels()]


def test_accuracy_by_depth(toy):
    drawn = accuracy_by_depth(toy.drawing(toy.settings(ACCURACY), load(toy.path)))
    reported_axis, reproduced_axis = drawn.axes
    assert lines(reported_axis) == {"passages, original": [90, 95], "passages, variations_mean": [60, 80]}
    assert lines(reproduced_axis) == {"passages, original": [50, 100], "passages, variations_mean": [0, 50]}
    assert (ticks(reported_axis), ticks(reproduced_axis)) == (["20", "200"], ["1", "5"])
    assert [line.get_linestyle() for line in reproduced_axis.lines] == ["-", "--"]


def test_loss_by_depth(toy):
    drawn = loss_by_depth(toy.drawing(toy.settings(LOSS), load(toy.path)))
    reported_axis, reproduced_axis = drawn.axes
    assert lines(reported_axis) == {"Regular": [-33, np.nan], "CAPOT": [-11, np.nan]}  # nothing is printed at 200
    assert lines(reproduced_axis) == {"Regular": [-100, -50], "CAPOT": [-50, -25]}  # against .5 and 1
    assert any(text.get_text() == "The paper prints 2 of these 4 points as numbers." for text in drawn.texts)


def test_losses_are_relative_to_the_named_system(toy, measured):
    clean = {"dev.original": [1] * 40, "dev.misspell": [1, 2] * 20}  # .5 noisy against .5 clean of `regular`
    measured("capot_x", clean, measures=("Success@1", "Success@5"))
    settings = toy.settings(LOSS)
    drawn = loss_by_depth(toy.drawing(settings, load(toy.path)))
    assert lines(drawn.axes[1])["CAPOT"] == [0, 0]


def test_drops_by_method(toy):
    drawn = methods(toy.drawing(toy.settings(METHODS)))
    (axis,) = drawn.axes
    assert [label.get_text() for label in axis.get_yticklabels()] == ["all", "typos"]
    drops = {bars.get_label(): list(bars.lines[0].get_xdata()) for bars in axis.containers}
    assert drops == {"Regular": pytest.approx([-50, -50]), "CAPOT": pytest.approx([-25, -25])}
    (segments,) = axis.containers[0].lines[2]
    first = segments.get_segments()[0]
    half = confidence_interval(np.array([0.0, -1.0] * 20))
    assert first[:, 0] == pytest.approx([-50 - 100 * half, -50 + 100 * half])


def test_a_figure_without_printed_numbers_is_drawn(toy, tmp_path):
    write_figure(toy.settings(LOSS), toy.files, None, tmp_path / "figure.svg")
    assert "T (miniature)" in (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert (tmp_path / "figure.png").stat().st_size > 1000
