"""The page of claims: what each was tested on, every figure, and what a miniature cannot say."""

import json
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from reporting.conftest import settings_of
from robustdr.claims.verdicts import VERDICTS
from robustdr.core.errors import UserError
from robustdr.evaluation.names import MEAN
from robustdr.experiments.config import load
from robustdr.graph import tables
from robustdr.graph.graph import graph
from robustdr.keys.integrity import record
from robustdr.reporting.artifacts import Claims, opened
from robustdr.reporting.claims import write_claims
from robustdr.reporting.settings import ClaimsSettings

REPORTED = """\
paper: toy
title: A toy paper
tables:
  table1:
    caption: Depths
    where: {collection: passages, system: dense}
    unit: percent
    row: query_set
    columns: [{measure: Success@20}, {measure: Success@200}]
    cells: |
      original        | 80.0 | 90.0
      misspell        | 40.0 | 70.0
      variations_mean | 40.0 | 80.0
    relations:
      - for: {query_set: variations_mean, measure: "*"}
        mean_of: {query_set: [original, misspell]}
  prose:
    caption: The text
    row: quantity
    columns: [{}]
    cells: |
      shrinks | about 80%
"""
EVALUATION = {"variations": ["misspell"], "split": "dev", "collection": "toy", "measures": []}
LOSES = {"name": "loses", "system": "base", "query_sets": [MEAN, "misspell"]}
SHRINKS = {"name": "loss_shrinks", "system": "base", "query_sets": [MEAN], "from_measure": "Success@20", "margin": 0.1}
SHRINKS["printed_size"] = {"table": "prose", "quantity": "shrinks"}


def claim(words, measure, test, **fields):
    return {
        "claim": words,
        "source": "§3",
        "role": "passages",
        "measure": measure,
        "level": 0.05,
        "test": test,
        **fields,
    }


@pytest.fixture()
def write(measured, tmp_path):
    """`write(claims, miniature, …)`: the Markdown and the records; `whole` has what else is in the JSON."""
    ranks = {"dev.original": [1, 3] * 20, "dev.misspell": [2, 9] * 20}  # Success@1 .5 and 0, Success@5 1 and .5
    path = measured("base", ranks, measures=("Success@1", "Success@5"))
    (tmp_path / "reported.yaml").write_text(REPORTED, encoding="utf-8")

    def make(
        claims: list[dict],
        miniature: str = "Toys.",
        reported: bool = True,
        controls: dict | None = None,
        priors: Path | None = None,
        **changed,
    ) -> tuple[str, list[dict]]:
        declared = {"controls": controls or {}, "claims": claims}
        (tmp_path / "claims.yaml").write_text(yaml.safe_dump(declared), encoding="utf-8")
        settings = {
            "miniature": miniature,
            "command": "snakemake claims.md",
            "evaluation": {"passages": {**EVALUATION, "means": {MEAN: ["misspell"]}}},
            "printed": {"passages": {"variations": ["misspell"]}},
            "names": {"base": "dense"},
            "measured": {"Success@20": "Success@1", "Success@200": "Success@5"},
            "reasons": {"ance": "released as a pickle only"},
            "lacking": ["ance"],
            "keys": {str(path): "key"},
            **changed,
        }
        printed = tmp_path / "reported.yaml" if reported else None
        files = tmp_path / "claims.yaml", printed, priors, tmp_path / "toy.md"
        write_claims(settings_of(ClaimsSettings, **settings), [path], *files)
        assert opened(tmp_path / "toy.json", Claims)[1] == ""  # what reads it finds each key
        artifact = json.loads((tmp_path / "toy.json").read_text(encoding="utf-8"))
        return (tmp_path / "toy.md").read_text(encoding="utf-8"), artifact["claims"]

    return make


def test_every_figure_of_a_claim(write):
    text, [record] = write([claim("Noise hurts", "Success@20", LOSES, reported=["table1"])])
    assert (record["verdict"], record["as_printed"]["verdict"]) == ("supported", "supported")
    assert record["how"] == "loses, Success@1 for Success@20, level 0.05, 40 queries"
    effect = record["effects"][0]
    assert (effect["words"], effect["size"], effect["queries"]) == (MEAN, pytest.approx(-1.0), 40)
    assert effect["printed"] == pytest.approx([(39.95 - 80.1) / 79.95, (40.1 - 79.95) / 80.1])
    assert effect["region"] == [None, 0.0] and effect["power"] == 1.0  # every query loses all that it had
    assert record["evidence"][0].startswith(f"{MEAN}: -100.0% [-100.0, -100.0], p = ")
    assert record["evidence"][0].endswith(", printed -50.2% to -49.8%, power 1.00: supported")
    assert record["as_printed"]["evidence"][0] == f"{MEAN}: -50.2% to -49.8%: supported"
    counts = "1 claim. Here: 1 supported. As printed: 1 supported. "
    assert text.startswith(f"# T: claims\n\n> **Miniature.** Toys.\n\n{counts}")
    assert "1 supported; if there were no effects, chance would support at most 0.0." in text
    assert record["evidence"][0] in text and "| **supported** | supported | Noise hurts (§3) |" in text


def test_the_audit_s_findings_stand_beside_the_claims_that_rest_on_their_cells(write):
    _, [record] = write([claim("Noise hurts", "Success@20", LOSES, reported=["table1"])])
    (finding,) = record["as_printed"]["findings"]
    assert finding.startswith("inconsistent: table1/mean_of/passages · variations_mean · dense · Success@20")
    _, [record] = write(
        [claim("Noise hurts", "Success@20", {**LOSES, "query_sets": ["misspell"]}, reported=["table1"])]
    )
    assert record["as_printed"]["findings"] == []


@pytest.mark.parametrize(
    ("miniature", "shallow", "deep", "expected"),
    [
        ("Toys.", "Success@1", "Success@5", ""),
        ("", "Success@20", "Success@200", ""),  # other measures are taken
        ("", "Success@1", "Success@5", "smaller"),
    ],
)
def test_a_size_is_judged_where_scale_and_measures_are_the_papers(write, miniature, shallow, deep, expected):
    """Half of what is found at rank 5 at most is lost, all at rank 1: a loss that shrinks by half, not by 80 %."""
    test = {**SHRINKS, "from_measure": shallow, "margin": 0.01}
    scale_measures = {shallow: "Success@1", deep: "Success@5"}
    queries = {"passages": 10_000}
    _, [record] = write([claim("It shrinks", deep, test)], miniature, measured=scale_measures, paper_queries=queries)
    assert (record["verdict"], record["effects"][0]["compared"]) == ("supported", expected)
    assert record["effects"][0]["printed"] == pytest.approx([0.74, 0.91])
    assert "margin 1%" in record["how"]


def test_controls_stand_at_the_top_and_decide_what_is_testable(write):
    test = {"name": "loses", "system": "base", "query_sets": ["misspell"], "at_least": 0.25}
    fields = {"role": "passages", "measure": "Success@20", "level": 0.05}
    controls = {
        "noise_hurts": {"requirement": "Noise costs a quarter", **fields, "test": test},
        "ance_too": {"requirement": "For ANCE too", **fields, "test": {**test, "system": "ance"}},
    }
    claims = [claim(name, "Success@20", LOSES, needs=[name]) for name in controls]
    text, (first, second) = write(claims, controls=controls)
    assert (first["verdict"], second["verdict"]) == ("supported", "not testable here")
    assert second["reason"] == "ance_too not run: ance on toy: released as a pickle only"
    table = text[: text.index("2 claims.")]
    assert (
        "| `noise_hurts` | **passes** | Noise costs a quarter | misspell: -100.0% [-100.0, -100.0] (90% interval)"
        in table
    )
    assert "| `ance_too` | **not run** | For ANCE too | ance on toy: released as a pickle only |" in table


def test_a_mean_leaves_out_what_the_scale_lacks_and_its_control(write):
    """A claim on such a system alone is not run, and one on another system still needs the control on it."""
    fields = {"role": "passages", "measure": "Success@20", "level": 0.05, "requirement": "ANCE loses"}
    control = {"ance_loses": {**fields, "test": {**LOSES, "system": "ance"}}}
    systems_by_claim = {"both": ["base", "ance"], "alone": ["ance"], "other": "base"}
    claims = [
        claim(name, "Success@20", {**LOSES, "system": systems}, needs=["ance_loses"])
        for name, systems in systems_by_claim.items()
    ]
    _, records = write(claims, controls=control)
    assert [record["verdict"] for record in records] == ["supported", "not run", "not testable here"]
    assert records[0]["reason"] == "without ance, which this scale lacks"


def test_hypotheses_count_among_no_papers_claims(write):
    claims = [claim("Noise hurts", "Success@20", LOSES), claim("Ours", "Success@20", LOSES)]
    claims[1]["source"] = "hypothesis, stated before its run"
    text, records = write(claims, reported=False)
    assert [record["hypothesis"] for record in records] == [False, True]
    assert "1 claim. Here: 1 supported." in text and "1 hypotheses of this project" in text


@pytest.mark.parametrize(
    ("scale", "deviation", "words"),
    [
        ("mini", 0.01, "supported"),
        ("mini", 0.6, "inconclusive"),
        ("full", 0.01, "inconclusive: one training run, and how much runs differ at this scale was not measured"),
    ],
)
def test_one_training_run_is_judged_with_the_prior_of_its_own_scale_alone(write, tmp_path, scale, deviation, words):
    """All of 1 is lost: told where runs move drops by .01, not by .6, and not where nothing is known of them."""
    path = tmp_path / "priors.json"
    prior = {"level": 2 * log(deviation), "slope": 0.0, "degrees": 4.0, "most": 40.0, "least": 1e-9}
    prior |= {"deviation": deviation, "contrasts": 20, "clusters": 10}
    path.write_text(
        json.dumps({"version": 1, "scales": {"mini": {"drop": {"several": prior, "one": prior}}}}), encoding="utf-8"
    )
    _, [record] = write([claim("Noise hurts", "Success@20", LOSES)], trained=["base"], priors=path, variance_from=scale)
    assert (record["words"], "one training run" in record["how"]) == (words, True)


def test_a_claim_that_its_own_cells_contradict_says_so(write):
    """At 200, printed 90.0 falls to 8.0 and 80.0; that misspellings are better is contradicted by either."""
    test = {"name": "rises", "system": "base", "query_sets": [MEAN, "misspell"]}
    _, [record] = write([claim("Noise helps", "Success@200", test, reported=["table1"])])
    assert record["as_printed"]["words"] == "contradicted"
    assert record["reason"] == "the paper's own numbers contradict it in 2 of 2 comparisons"
    assert [effect["power"] for effect in record["effects"]] == [None, None]


def test_what_a_scale_replaces_is_said_before_anything_else(write):
    why = {"claims.0": "rules stand in for a language model"}
    display_names = {"passages": "passages (here: toy)"}
    text, [record] = write([claim("Noise hurts", "Success@20", LOSES)], untestable=why, display_names=display_names)
    assert record["words"] == "not testable here: rules stand in for a language model"
    assert "| **not testable here: rules stand in for a language model** |" in text
    assert "| On passages (here: toy): loses, Success@1 for Success@20, level 0.05" in text


def test_what_was_not_run_is_folded_away_with_its_reason(write):
    text, records = write(
        [claim("Noise hurts", "Success@20", LOSES), claim("ANCE too", "Success@20", {**LOSES, "system": "ance"})]
    )
    assert [record["verdict"] for record in records] == ["supported", "not run"]
    assert records[1]["reason"] == "ance on toy: released as a pickle only"
    folded = text.partition("<details><summary>Claims not run here: 1</summary>")[2].partition("</details>")[0]
    assert "ANCE too" in folded and "released as a pickle only" in folded and "Noise hurts" not in folded


def test_claims_without_a_paper_are_not_printed(write):
    _, [record] = write([claim("Noise hurts", "Success@20", LOSES)], reported=False)
    assert (record["verdict"], record["as_printed"]["verdict"]) == ("supported", "not printed")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reported": ["tabel1"]}, "claims.0: reported: 'tabel1' is unknown (did you mean table1"),
        (
            {"test": {**SHRINKS, "printed_size": {"table": "prose", "quantity": "grows"}}},
            "claims.0: test.printed_size: the paper prints nothing",
        ),
    ],
)
def test_a_claim_that_rests_on_nothing_is_an_error(write, change, message):
    with pytest.raises(UserError) as error:
        write([{**claim("It shrinks", "Success@200", SHRINKS, reported=["table1"]), **change}])
    assert message in str(error.value)


@pytest.mark.parametrize("paper", ["rodr", "capot", "toroder", "all"])
def test_every_claim_of_the_configuration_is_judged(paper, tmp_path, monkeypatch):
    """At mini scale, on values drawn at random: what is not judged says that it is not run."""
    monkeypatch.chdir(Path(__file__).parents[2])
    job_graph, rng = graph(load(), "mini"), np.random.default_rng(0)
    settings = tables.claims(job_graph, paper, (paper,)).settings
    keys = {}
    nodes = {node.path: node for node in job_graph.all_measures(paper, job_graph.demand.pairs(paper))}
    for path, key in settings.keys.items():
        measures = nodes[path].settings.measures
        rows = [(query_set, measure) for query_set, set_measures in measures.items() for measure in set_measures]
        frame = pd.DataFrame([(*row, f"q{query}") for row in rows for query in range(20)])
        frame.columns = ["query_set", "measure", "qid"]
        output = tmp_path / path
        output.parent.mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pandas(frame.assign(value=rng.uniform(size=len(frame))), preserve_index=False)
        pq.write_table(table, output)
        record(output, key=key)
        keys[str(output)] = key
    folder = Path("config/papers") / paper
    reported = folder / "reported.yaml"
    output = tmp_path / "claims.md"
    write_claims(
        replace(settings, keys=keys),
        list(map(Path, keys)),
        folder / "claims.yaml",
        reported if reported.exists() else None,
        None,
        output,
    )
    claims = json.loads(output.with_suffix(".json").read_text(encoding="utf-8"))["claims"]
    released = ("TAS-Balanced", "ADORE+STAR", "TCT-ColBERTv2", "coCondenser", "SimLM")
    reasons = (*released, "20 times", "no released", "three points")
    declared = yaml.safe_load((folder / "claims.yaml").read_text(encoding="utf-8"))["claims"]
    for number, (claim, claim_record) in enumerate(zip(declared, claims, strict=True)):
        if claim_record["verdict"] == "not run":
            assert any(name in claim_record["claim"] + claim_record["reason"] for name in reasons)
        else:
            replaced = settings.untestable.get(f"claims.{number}", "")
            assert claim_record["verdict"] in VERDICTS and bool(claim_record["effects"]) != bool(replaced)
            assert not replaced or claim_record["words"] == f"not testable here: {replaced}"
        unprinted = "reported" not in claim or "single epoch" in claim_record["claim"]
        assert (claim_record["as_printed"]["verdict"] == "not printed") == unprinted


def test_the_same_bytes_twice(write, tmp_path):
    claims = [claim("Noise hurts", "Success@20", LOSES, reported=["table1"])]
    write(claims)
    once = {name: Path(tmp_path / name).read_bytes() for name in ("toy.md", "toy.json")}
    write(claims)
    assert {name: Path(tmp_path / name).read_bytes() for name in once} == once
