"""A claims.yaml: what each test takes, and what is refused."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from robustdr.audit.reported import PAPERS
from robustdr.claims.claim import Claims, load_claims
from robustdr.core.errors import UserError

GOOD = """\
claims:
  - claim: It loses
    source: §4
    role: passages
    measure: RR@10
    level: 0.05
    reported: [table1]
    mark: †
    test: {name: loses, system: a, query_sets: [typo], printed_size: {table: prose, value: drop}, margin: 0.01}
  - {claim: C, source: S, role: r, measure: m, level: .1, test: {name: improves, system: a, over: [b], query_sets: [t]}}
  - {claim: D, source: S, role: r, measure: m, level: 0.05,
     test: {name: cheaper, system: a, than: b, printed_size: {table: t}}}
"""
REFUSED = {
    "unknown test": (
        "name: loses",
        "name: looses",
        r":9: claims.0.test.name: 'looses' is unknown \(did you mean loses\?",
    ),
    "no test": ("name: loses, ", "", r":9: claims.0.test: 'name' is missing"),
    "unknown key": (
        "role: passages",
        "roles: passages",
        r":4: claims.0: key: 'roles' is unknown \(did you mean role\?",
    ),
    "key of another test": (
        "over: [b]",
        "over: [b], than: c",
        r":10: claims.1.test: key: 'than' is unknown; allowed: margin",
    ),
    "key that the test needs": ("over: [b], ", "", r":10: claims.1.test: 'over' is missing"),
    "several where one is asked for": (
        "than: b",
        "than: [b]",
        r":12: claims.2.test.than: \['b'\] should be a valid string",
    ),
    "several in hours": (
        "system: a, than",
        "system: [a], than",
        r":12: claims.2.test.system: \['a'\] should be a valid",
    ),
    "no query sets": ("[typo]", "[]", r":9: claims.0.test.query_sets: \[\] should have at least 1 item"),
    "a name twice": ("[b]", "[b, b]", r":10: claims.1.test.over: 'b' is given twice"),
    "a system twice": (
        "system: a, over",
        "system: [a, a], over",
        r":10: .*system: 'a' is given twice",
    ),
    "a number for a name": ("role: passages", "role: 4", r":4: claims.0.role: 4 should be a valid string"),
    "a level above 1": ("level: 0.05\n", "level: 5\n", r":6: claims.0.level: 5 should be less than 1"),
    "no margin": ("margin: 0.01", "margin: 0", r":9: claims.0.test.margin: 0 should be greater than 0"),
    "a margin of nothing": (
        "printed_size: {table: prose, value: drop}, ",
        "",
        r":9: claims.0.test: `margin` needs `printed_size`",
    ),
    "a cell without a table": ("table: prose, ", "", r":9: claims.0.test.printed_size: 'table' is missing"),
    "a mark of no table": ("    reported: [table1]\n", "", r":2: claims.0: `mark` is given without `reported`"),
    "an empty sentence": ("claim: It loses", "claim: ''", r":2: claims.0.claim: '' should have at least 1"),
    "a sentence twice": (
        "claim: D",
        "claim: C",
        r"claims.yaml: top level: 'C' is given twice; claims of one sentence need a `part` each",
    ),
    "no claims": (GOOD[8:], " []", r":1: claims: \[\] should have at least 1 item"),
}


@pytest.mark.parametrize(("old", "new", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_claims_are_one_line_with_file_line_key_and_what_is_allowed(tmp_path, old, new, message):
    assert old in GOOD
    path = tmp_path / "claims.yaml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError, match=message) as error:
        load_claims(path)
    assert str(error.value).startswith(f"{path}:") and "\n" not in str(error.value)


def test_systems_and_measures_of_a_claim(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(GOOD.replace("system: a, over", "system: [a, c], over"), encoding="utf-8")
    loses, improves, cheaper = load_claims(path).claims
    assert [*improves.test.systems()] == [("system", "a"), ("system", "c"), ("over", "b")]
    assert [*cheaper.test.systems()] == [("system", "a"), ("than", "b")]
    assert loses.measures == ["RR@10"]


@pytest.mark.parametrize("path", sorted(PAPERS.glob("*/claims.yaml")), ids=lambda path: path.parent.name)
def test_the_threshold_of_each_control_has_a_reason(path):
    assert [name for name, control in load_claims(path).controls.items() if not control.reason] == []


@pytest.mark.parametrize("path", sorted(PAPERS.glob("*/claims.yaml")), ids=lambda path: path.parent.name)
def test_the_schema_for_editors_allows_the_papers_claims(path: Path):
    schema = TypeAdapter(Claims).json_schema()
    Draft202012Validator(json.loads(json.dumps(schema))).validate(yaml.safe_load(path.read_text(encoding="utf-8")))


CONTROLLED = """\
controls:
  misspellings_cost:
    requirement: Misspellings cost DR_OQ a quarter
    role: passages
    measure: RR@10
    level: 0.05
    test: {name: loses, system: dr_oq, query_sets: [misspell], at_least: 0.25}
  training_wins_back:
    requirement: Training on variations wins a quarter of that back
    role: passages
    measure: RR@10
    level: 0.001
    test: {name: recovers, system: dr_qv, base: dr_oq, query_sets: [misspell], at_least: 0.25}
claims:
  - claim: RoDR is better
    source: §4
    role: passages
    measure: RR@10
    level: 0.05
    headline: true
    needs: [misspellings_cost, training_wins_back]
    control: {name: improves, system: rodr, over: [rodr_without_alignment], query_sets: [original]}
    test: {name: improves, system: rodr, over: [dr_oq_qv], query_sets: [misspell]}
"""


def test_controls_are_read_and_what_a_claim_compares_includes_its_control(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(CONTROLLED, encoding="utf-8")
    claims = load_claims(path)
    assert list(claims.tested()) == ["controls.misspellings_cost", "controls.training_wins_back", "claims.0"]
    assert claims.claims[0].headline and not claims.claims[0].hypothesis
    systems = ("rodr", "dr_oq_qv", "rodr", "rodr_without_alignment")
    assert claims.claims[0].pairs() == [(system, "passages") for system in systems]
    cells = [("rodr", "passages"), ("dr_oq_qv", "passages")]
    needed = [claims.controls[name] for name in claims.claims[0].needs]
    assert needed and claims.tested_by(cells) == [claims.claims[0], *needed]
    assert claims.tested_by(cells[:1]) == claims.tested_by([(system, "documents") for system, _ in cells]) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  misspellings_cost:", "  others:", r"claims.0.needs: 'misspellings_cost' is unknown; allowed: others, tr"),
        (
            "at_least: 0.25}\n  tr",
            "at_least: 0}\n  tr",
            r"controls.misspellings_cost.test.at_least: 0 should be greater",
        ),
        (
            "at_least: 0.25}\n  tr",
            "at_least: 0.2, printed_size: {table: t}}\n  tr",
            "`at_least` and `printed_size` both give a size",
        ),
        ("base: dr_oq, ", "", r"controls.training_wins_back.test: 'base' is missing"),
        ("requirement: M", "claim: M", r"controls.misspellings_cost: key: 'claim' is unknown"),
    ],
)
def test_bad_controls_are_refused(tmp_path, old, new, message):
    assert old in CONTROLLED
    path = tmp_path / "claims.yaml"
    path.write_text(CONTROLLED.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError, match=message):
        load_claims(path)
