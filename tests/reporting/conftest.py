"""Fixtures: a small paper with printed numbers, and measures of its systems."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

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
      - {system: rodr, measure: RR@10, and: drop}
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
      rodr  | 71.0
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
}


@pytest.fixture()
def paper(measured, tmp_path):
    """`paper.table("table1", …)` writes a table and gives its four files; `paper.measures` may be changed before."""
    reported = tmp_path / "reported.yaml"
    reported.write_text(REPORTED, encoding="utf-8")
    statistics = []
    for kind, unchanged, changed in (("misspell", 0, 40), ("swap_words", 1234, 5678)):
        statistics.append(tmp_path / f"{kind}.json")
        statistics[-1].write_text(json.dumps({"unchanged": unchanged, "changed": changed}))

    def measure(system: str, **named) -> Path:
        return measured(system, {f"dev.{kind}": ranks for kind, ranks in RANKS[system].items()}, **named)

    measures = {measure(system): "key" for system in RANKS}

    def table(name: str, **changes) -> dict[str, Path]:
        settings = {
            "paper": "toy",
            "table": name,
            "title": "A toy paper",
            "spec": SPECS[name],
            "scale": "mini",
            "miniature": "Toys stand in for 100 % of the world.",
            "command": f"snakemake results/mini/tables/toy_{name}.md",
            "evaluation": {
                "passages": {
                    "collection": "toy",
                    "split": "dev",
                    "variations": ["misspell", "swap_words"],
                    "measures": ["RR@10"],
                }
            },
            "measured": {"RR@10": "RR@10"},
            "labels": {"dr_oq": "DR_OQ", "rodr": "RoDR w/o L_p|q"},
            "reasons": {},
            "keys": {str(path): key for path, key in measures.items()},
            "environment": {"torch": "2.13"},
            "stand_ins": ["base: a toy."],
            "notes": ["A note\n  on two lines."],
        }
        output = tmp_path / "tables" / f"toy_{name}.md"
        write_table({**settings, **changes}, list(measures), statistics, reported, output)
        return {suffix: output.with_suffix(f".{suffix}") for suffix in ("md", "csv", "json", "tex")}

    return SimpleNamespace(table=table, measures=measures, measure=measure)
