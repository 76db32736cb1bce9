"""The findings of all papers in one document."""

import json

import pytest

from robustdr.reporting.findings import write_findings


def claim(text, verdict, printed="holds", reason=""):
    as_printed = {"verdict": printed, "reason": "", "evidence": ["here: -1.0%: fails"], "findings": ["suspicious: x"]}
    evidence = [f"{text} {number}" for number in range(5)]
    made = {"claim": text, "source": "§1", "how": "improves, level 0.05", "verdict": verdict, "reason": reason}
    made["hypothesis"] = text == "H"
    return made | {"evidence": evidence, "as_printed": as_printed}


@pytest.fixture()
def document(tmp_path):
    claims = [
        claim("A", "seen"),
        claim("H", "seen"),
        claim("B", "not seen", "fails"),
        claim("C", "undecided"),
        claim("D", "not run", reason="private"),
        claim("E", "not run", reason="private"),
        claim("F", "not testable here"),
    ]
    about = {
        "title": "A paper",
        "scale": "mini",
        "miniature": "Toys.",
        "chance": "1 is seen.",
        "aa": "",
        "path": "results/mini/claims/a.md",
    }
    (tmp_path / "a.json").write_text(json.dumps({**about, "claims": claims}))
    write_findings("abc1234", [tmp_path / "a.json"], tmp_path / "findings.md")
    return (tmp_path / "findings.md").read_text(encoding="utf-8")


def test_the_overview_counts_verdicts_and_what_is_decided(document):
    assert "| A paper | 6 | 5 | 1 | 1 | 1 | 1 | 2 | 2 of 3 |" in document
    assert "at scale mini, commit abc1234" in document and "> **Miniature.** Toys." in document


def test_claims_stand_below_their_verdict_with_the_effects_that_decide(document):
    holds, absent = document.index("### Seen:"), document.index("### Not seen:")
    assert holds < document.index("- **A** (§1). improves, level 0.05. A 0; A 1; A 2.") < absent
    assert "A 3" not in document and "- **B** (§1). improves" in document[absent:]
    assert "### Smaller" not in document and "- 2 claims: private" in document


def test_what_the_paper_contradicts_itself(document):
    part = document[document.index("### Contradicted by") : document.index("### Seen:")]
    assert part.count("- **") == 1 and "- **B** (§1). here: -1.0%: fails. suspicious: x." in part
