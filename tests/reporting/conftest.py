"""Fixtures: a small paper with printed numbers, and measures of its systems."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from robustdr.evaluation.names import MEAN
from robustdr.reporting.settings import TableSettings
from robustdr.reporting.tables import write_table

REPORTED = """\
paper: toy
title: A toy paper
tables:
  table1:
    caption: A table of query sets
    where: {collection: passages, split: dev}
    unit: percent
    marks: {"†": "better than dr_oq"}
    row: query_set
    columns:
      - {quantity: unchanged, unit: count}
      - {quantity: changed, unit: count}
      - {system: dr_oq, measure: RR@10, and: drop}
      - {system: align, measure: RR@10, and: drop}
    cells: |
      original        | 1,040 | 0     | 70.0         | 71.0
      variations_mean | -     | -     | 50.0/-30.0%  | 60.0†/-18.0%
      misspell        | 0     | 1,040 | 35.0/-50.0%  | 50.0†/-30.0%
      swap_words      | 40    | 1,000 | 69.0/-1.4%   | 70.0/-1.4%
  table2:
    caption: A table of systems
    where: {collection: passages, split: dev, query_set: original}
    unit: percent
    row: system
    columns:
      - {measure: RR@10}
    cells: |
      dr_oq | 70.0
      align | 71.0
  table3:
    caption: Drops by collection
    where: {query_set: variations_mean, value: drop}
    unit: percent
    row: collection
    columns: [{system: dr_oq, measure: RR@10}, {system: align, measure: RR@10}]
    cells: |
      passages | -24.0% | -8.00%
      verbs    | -10.0% | -9.00%
  table4:
    caption: Seeds
    where: {collection: passages, system: dr_oq, measure: RR@10}
    unit: fraction
    row: query_set
    columns:
      [
        {seed: 1}, {seed: 3}, {seed: 3},
        {value: median}, {value: deviation}, {value: ci}, {value: upper_bound}, {value: lower_bound},
      ]
    cells: |
      original        | 70.0% | 71.0% | 72.0% | 71.0% | 1.00E-02 | 1.13E-02 | 72.1% | 69.9%
      variations_mean | 50.0% | 51.0% | 52.0% | 51.0% | 1.00E-02 | 1.13E-02 | 52.1% | 49.9%
  table5:
    caption: Drops against one system
    where: {collection: passages, measure: RR@10}
    unit: percent
    row: query_set
    columns: [{system: dr_oq}, {system: dr_oq, value: drop}, {system: align}, {system: align, value: drop}]
    cells: |
      original | 80.0% | 0.00%   | 79.0% | -1.25%
      misspell | 40.0% | -50.00% | 60.0% | -25.00%
  hours:
    caption: Hours
    where: {collection: passages}
    row: [system, quantity]
    columns: [{}]
    cells: |
      dr_oq | training_time_from_scratch | about 2hrs
      align | training_time              | 1 hour
"""
RANKS = {
    # Means: .75; .375 and .75, together .5625. Drops: -50 %, 0 %, -25 %.
    "dr_oq": {"original": [1, 2] * 20, "misspell": [2, 4] * 20, "swap_words": [1, 2] * 20},
    # Means: .75; .625 and .75, together .6875. Drops: -16.7 %, 0 %, -8.3 %.
    "rodr": {"original": [1, 2] * 20, "misspell": [1, 4] * 20, "swap_words": [1, 2] * 20},
}
SPECS = {
    "table1": {
        "title": "Query sets",
        "rows": "query_sets",
        "collections": ["passages"],
        "systems": ["dr_oq", "rodr"],
        "significance": {"against": {"rodr": "dr_oq"}, "level": 0.01, "mark": "†"},
    },
    "table2": {"title": "Systems & more", "rows": "systems", "collections": ["passages"], "systems": ["dr_oq", "rodr"]},
    "table3": {
        "title": "Collections",
        "rows": "collections",
        "collections": ["passages", "verbs"],
        "systems": [["dr_oq", "dr_oq_verbs"], ["rodr", "rodr_verbs"]],
        "measures": ["RR@10"],
        "query_sets": [MEAN],
        "drop_from": ["dr_oq", "dr_oq_verbs"],
    },
    "table4": {
        "title": "Seeds",
        "rows": "seeds",
        "collections": ["passages"],
        "systems": ["dr_oq"],
        "measures": ["RR@10"],
    },
    "table5": {
        "title": "Drops",
        "rows": "query_sets",
        "collections": ["passages"],
        "systems": ["dr_oq", "rodr"],
        "measures": ["RR@10"],
        "drop_from": ["dr_oq"],
    },
    "methods": {
        "title": "All methods",
        "rows": "methods",
        "collections": ["passages"],
        "systems": ["dr_oq", "rodr"],
        "base": "dr_oq",
        "level": 0.05,
    },
    "decomposition": {
        "title": "What gains are made of",
        "rows": "chains",
        "collections": ["passages"],
        "systems": ["rodr"],
        "links": ["steps", "negatives", "loss"],
        "chains": {"rodr": ["dr_oq", None, "control"]},
        "reported": ["table2", "table1"],
    },
}


NOTHING = {"paper": "toy", "title": "T", "scale": "mini", "miniature": "", "command": "snakemake", "evaluation": {}}
NOTHING |= {
    "measured": {},
    "labels": {},
    "names": {},
    "reasons": {},
    "keys": {},
    "trained": [],
    "variance_from": "mini",
    "paper_queries": {},
    "display_names": {},
}
REST = {"variations": [], "measures": []}  # of an evaluation that is read by its means alone


def settings_of(kind, **settings):
    """Settings of a `kind` of report, empty but for those that are named."""
    return kind(**{**NOTHING, **settings})


def evaluation(**means: list[str]) -> dict:
    """What settings say of the roles; `means` beside that of all variations."""
    shared = {"split": "dev", "variations": ["misspell", "swap_words"], "measures": ["RR@10"]}
    shared["means"] = {MEAN: shared["variations"], **means}
    return {"passages": {"collection": "toy", **shared}, "verbs": {"collection": "toy-verbs", **shared}}


@pytest.fixture()
def paper(measured, tmp_path):
    """`paper.table("table1", …)` writes a table and gives its files; change `measures`, `costs`, `queries` before."""
    reported = tmp_path / "reported.yaml"
    reported.write_text(REPORTED, encoding="utf-8")
    statistics = []
    for kind, unchanged, changed, lost_count in (("misspell", 0, 40, 3), ("swap_words", 1234, 5678, 0)):
        counts = {"queries": unchanged + changed, "unchanged": unchanged, "changed": changed, "lost": lost_count}
        counts |= {"changed_in_case_alone": changed // 57, "changed_ignoring_case_and_punctuation": changed - 1}
        for collection in ("toy", "toy-verbs"):
            statistics.append(tmp_path / "variations" / collection / "dev" / f"{kind}.json")
            statistics[-1].parent.mkdir(parents=True, exist_ok=True)
            statistics[-1].write_text(json.dumps(counts))

    def measure(system: str, **options) -> Path:
        return measured(system, {f"dev.{kind}": ranks for kind, ranks in RANKS[system].items()}, **options)

    measures = {measure(system): "key" for system in RANKS}

    def table(name: str, recalls=(), **changes) -> dict[str, Path]:
        settings = {
            "table": name,
            "title": "A toy paper",
            "spec": SPECS[name],
            "miniature": "Toys stand in for 100 % of the world.",
            "command": f"snakemake results/mini/tables/toy_{name}.md",
            "evaluation": evaluation(),
            "measured": {"RR@10": "RR@10"},
            "labels": {"dr_oq": "DR_OQ", "rodr": "RoDR w/o L_p|q", "dr_oq_verbs": "DR_OQ", "rodr_verbs": "RoDR"},
            "names": {"dr_oq": "dr_oq", "rodr": "align", "dr_oq_verbs": "dr_oq", "rodr_verbs": "align"},
            "losses": {},
            "reasons": {},
            "keys": {str(path): key for path, key in measures.items()},
            "environment": {"torch": "2.13"},
            "stand_ins": ["base: a toy."],
            "notes": ["A note\n  on two lines."],
        }
        output = tmp_path / "tables" / f"toy_{name}.md"
        printed = reported if name != "methods" else None
        table_settings = settings_of(TableSettings, **{**settings, **changes})
        write_table(
            table_settings, list(measures), statistics, queries, printed, costs, made_by.priors, output, recalls
        )
        return {suffix: output.with_suffix(f".{suffix}") for suffix in ("md", "csv", "json", "tex")}

    costs: list[Path] = []
    queries: list[Path] = []
    made_by = SimpleNamespace(
        table=table,
        priors=None,
        measures=measures,
        measure=measure,
        costs=costs,
        queries=queries,
        evaluation=evaluation,
        specs=SPECS,
    )
    return made_by
