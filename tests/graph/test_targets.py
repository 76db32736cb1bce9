"""Targets that are none are answered with those that there are, before Snakemake looks for a rule."""

import pytest

from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.graph.graph import graphs
from robustdr.graph.targets import check_target, nodes


@pytest.fixture(scope="module")
def scales():
    return graphs(load())


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "results/tables/rodr_table99.md",
            "one of the tables of rodr: 'table99' is unknown .*; allowed: decomposition, ",
        ),
        (
            "results/foo/tables/rodr_table2.md",
            "folder of a scale: 'results/foo' is unknown .*; allowed: results, results/compact, res",
        ),
        ("results/mini/tables/xx_table1.md", "paper: 'xx' is unknown; allowed: all, capot, intent, qvg, rodr, toroder"),
        ("results/mini/figures/rodr_figure99.svg", "one of the figures of rodr: 'figure99' is unknown"),
        ("results/mini/claims/roder.md", r"paper: 'roder' is unknown \(did you mean rodr"),
    ],
)
def test_what_there_is_none_of(scales, target, message):
    with pytest.raises(UserError, match=f"{target}: {message}"):
        check_target(target, scales)


@pytest.mark.parametrize(
    "target",
    [
        "results/tables/rodr_table2.md",
        "results/mini/tables/rodr_decomposition.tex",
        "results/mini/claims/rodr.json",
        "results/tables/qvg_table2.md",
        "results/audit/summary.md",
        "all",
        "--profile",
    ],
)
def test_others_are_left_to_snakemake(scales, target):
    check_target(target, scales)


def test_a_report_of_single_tables_and_figures(scales):
    asked = ["rodr_table2", "rodr_figure2"]
    found = nodes("results/mini/report/index.html", scales, asked)
    assert [node.path for node in found] == [
        "results/mini/tables/rodr_table2.md",
        "results/mini/figures/rodr_figure2.svg",
        "results/mini/claims/rodr.md",
    ]
    (judged,) = nodes("results/mini/claims/rodr.json", scales, asked)
    assert judged.key == found[2].key != nodes("results/mini/claims/rodr.json", scales, ["rodr"])[0].key


def test_what_a_report_cannot_show(scales):
    with pytest.raises(UserError, match=r"papers: 'rodr_table99' is unknown .*did you mean rodr_table"):
        nodes("results/mini/report/index.html", scales, ["rodr_table99"])
