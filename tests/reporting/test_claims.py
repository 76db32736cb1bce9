"""Claims are tested on the measures that a scale takes."""

import yaml

from robustdr.evaluation.store import MEAN
from robustdr.reporting.claims import write_claims


def test_both_measures_of_a_claim_are_those_of_the_scale(measured, tmp_path):
    ranks = {"dev.original": [1, 3] * 20, "dev.misspell": [2, 9] * 20}  # Success@1 .5 and 0, Success@5 1 and .5
    path = measured("base", ranks, measures=("Success@1", "Success@5"))
    test = {"name": "loss_shrinks", "system": "base", "query_sets": [MEAN], "from_measure": "Success@20"}
    claim = {"claim": "It shrinks", "source": "§3", "role": "passages", "measure": "Success@200", "level": 0.05}
    claim["test"] = {**test, "by": 0.5, "margin": 0.1}
    claims = tmp_path / "claims.yaml"
    claims.write_text(yaml.safe_dump({"claims": [claim]}), encoding="utf-8")
    settings = {
        "title": "T",
        "miniature": "",
        "command": "snakemake",
        "evaluation": {"passages": {"collection": "toy", "split": "dev", "means": {MEAN: ["misspell"]}}},
        "measured": {"Success@20": "Success@1", "Success@200": "Success@5"},
        "reasons": {},
        "keys": {str(path): "key"},
    }
    write_claims(settings, [path], claims, tmp_path / "toy.md")
    text = (tmp_path / "toy.md").read_text(encoding="utf-8")
    assert "-100.0% in Success@1, -50.0% in Success@5" in text
