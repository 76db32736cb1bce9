"""Figures: the numbers are the measured ones, and the bytes are always the same."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reporting.conftest import told
from robustdr.errors import UserError
from robustdr.evaluation.statistics import confidence_interval
from robustdr.evaluation.store import MEAN, open_store
from robustdr.reporting.figures import learning_curve, write_figure
from robustdr.reporting.settings import FigureSettings
from robustdr.settings import as_json

ROOT = Path(__file__).parents[2]
# Rank of the relevant passage of 40 queries, by system; the curve of `rodr` rises, the other's falls.
CURVE = {"dr_oq": [2, 4], "rodr.at50": [1, 4], "rodr": [1, 2], "plain.at50": [4, 4], "plain": [0, 4]}


@pytest.fixture()
def figure(measured):
    """(settings, measures) of a learning curve."""
    measures = [measured(name, {"dev.original": r * 20, "dev.misspell": r[:1] * 40}) for name, r in CURVE.items()]
    settings = {
        "spec": {
            "title": "Learning curve",
            "kind": "learning_curve",
            "collection": "passages",
            "measure": "RR@100",
            "start": "dr_oq",
            "systems": {"rodr": "with", "plain": "without"},
            "points": [0.5, 1.0],
        },
        "evaluation": {"passages": {"collection": "toy", "split": "dev", "means": {MEAN: ["misspell"]}}},
        "measured": {"RR@100": "RR@10"},
        "miniature": "Small.",
        "keys": {str(path): "key" for path in measures},
    }
    return told(FigureSettings, **settings), measures


def test_the_curves_are_the_measured_values(figure):
    settings, measures = figure
    drawn = learning_curve(settings, open_store(settings, measures), None)
    rr = {0: 0.0, 1: 1.0, 2: 0.5, 4: 0.25}
    names = {"with": ["dr_oq", "rodr.at50", "rodr"], "without": ["dr_oq", "plain.at50", "plain"]}
    for axis, ranks in zip(drawn.axes, (CURVE, {name: r[:1] * 2 for name, r in CURVE.items()}), strict=True):
        for line in axis.lines:
            expected = [100 * np.mean([rr[rank] for rank in ranks[name]]) for name in names[line.get_label()]]
            assert list(line.get_xdata()) == [0, 50, 100]
            assert list(line.get_ydata()) == pytest.approx(expected)
    band = drawn.axes[0].collections[0].get_paths()[0].vertices
    values = np.array([rr[rank] for rank in CURVE["dr_oq"] * 20])
    heights = band[band[:, 0] == 0][:, 1]
    assert heights.max() - heights.min() == pytest.approx(200 * confidence_interval(values))
    assert drawn.axes[0].get_ylabel() == "RR@10 ×100"


def test_the_same_figure_twice_is_the_same_bytes_in_any_process(figure, tmp_path):
    settings, measures = figure
    write_figure(settings, measures, None, tmp_path / "one.svg")
    code = (
        "import json, sys; from pathlib import Path; from robustdr.reporting.figures import write_figure;"
        "from robustdr.reporting.settings import FigureSettings; from robustdr.settings import read;"
        "settings, measures = json.load(sys.stdin);"
        "write_figure(read(FigureSettings, settings), [Path(path) for path in measures], None, Path(sys.argv[1]))"
    )
    import json

    environment = {"PYTHONPATH": str(ROOT / "workflow"), "PYTHONHASHSEED": "5"}
    handed = json.dumps([as_json(settings), [str(path) for path in measures]])
    arguments = [sys.executable, "-c", code, str(tmp_path / "two.svg")]
    subprocess.run(arguments, input=handed, env=environment, text=True, check=True)
    for suffix in ("svg", "png"):
        assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()
    svg = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert "Learning curve (miniature)" in svg and "with" in svg
    assert not re.search(r"<dc:date>|Matplotlib v", svg)


def test_a_stale_snapshot_stops_the_figure_and_is_named(figure, tmp_path):
    settings, measures = figure
    settings = replace(settings, keys={**settings.keys, str(measures[1]): "new"})
    with pytest.raises(UserError, match=r"rodr\.at50 on toy: .*rodr\.at50/seed1\.parquet carries the key key"):
        write_figure(settings, measures, None, tmp_path / "figure.svg")
    assert not (tmp_path / "figure.svg").exists()
