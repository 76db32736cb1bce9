"""Targets that are none are answered with those that there are, before Snakemake looks for a rule."""

from pathlib import Path

import pytest

from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.graph.graph import graphs
from robustdr.graph.targets import check_target, nodes

PAPERS = sorted(path.name for path in (Path(__file__).parents[2] / "config/papers").iterdir())


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
        ("results/mini/tables/xx_table1.md", f"paper: 'xx' is unknown; allowed: {', '.join(PAPERS)}"),
        ("results/mini/figures/rodr_figure99.svg", "one of the figures of rodr: 'figure99' is unknown"),
        ("results/mini/claims/roder.md", r"paper: 'roder' is unknown \(did you mean rodr"),
    ],
)
def test_what_there_is_none_of(scales, target, message):
    with pytest.raises(UserError, match=f"{target}: {message}"):
        check_target(target, scales)


@pytest.mark.parametrize(
    ("target", "record"),
    [
        ("models/c/dr/seed1/model.safetensors", "models/c/dr/seed1"),
        ("models/c/dr.at10/seed1/1_Pooling/config.json", "models/c/dr/seed1"),
        ("models/c/dr.at10/seed1.sha256", "models/c/dr/seed1"),
        ("checkpoints/base/model.safetensors", "checkpoints/base"),
        ("checkpoints/typos/seed1/model.safetensors", "checkpoints/typos/seed1"),
        ("indexes/c/k1-0.9_b-0.4/index.json", "indexes/c/k1-0.9_b-0.4"),
        ("collections/c/dev/qrels.txt", "collections/c/dev/queries.tsv"),
        ("variations/c/dev/llm.version1.tsv", "variations/c/dev/llm.tsv"),
        ("variations/c/dev/llm.split.json", "variations/c/dev/llm.tsv"),
        ("runs/c/dr/seed1/dev.original.trec.gz", "runs/c/dr/seed1/dev.original.arrow"),
        ("runs/c/dr/seed1/dev.original.queries.npy", "runs/c/dr/seed1/dev.original.arrow"),
        ("report/queries.html", "report/index.html"),
        ("report/data/c/passages0.js", "report/data/c/queries.js"),
    ],
)
def test_files_that_no_rule_declares(scales, target, record):
    with pytest.raises(UserError, match=f"^results/mini/{target}: .* record: results/mini/{record}.sha256$"):
        check_target(f"results/mini/{target}", scales)


@pytest.mark.parametrize(
    "target",
    [
        "results/mini/models/c/dr/seed1.sha256",
        "results/mini/models/c/dr/seed1/training.csv",
        "results/mini/checkpoints/base.sha256",
        "results/mini/checkpoints/typos/seed1.sha256",
        "results/mini/costs/checkpoints/typos/seed1.json",
        "results/mini/indexes/c/k1-0.9_b-0.4.sha256",
        "results/mini/report/index.html",
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
