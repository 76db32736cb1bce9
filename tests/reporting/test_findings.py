"""The findings on one page: headline claims alone, what the prints contradict, and what cannot be said."""

import json
from pathlib import Path

import pytest

from robustdr.reporting.findings import Method, write_findings


def claim(text, verdict, printed="holds", headline=True, **other):
    as_printed = {"verdict": printed, "reason": "", "evidence": [f"{text} here: -1.0%: fails"], "findings": []}
    effect = {"words": "misspell, over dr_oq", "size": 0.031, "interval": [0.01, 0.05], "printed": [0.049, 0.051]}
    made = {
        "claim": text,
        "sentence": text,
        "source": "§1",
        "headline": headline,
        "hypothesis": False,
        "verdict": verdict,
    }
    return made | {"words": verdict, "reason": "", "effects": [effect], "as_printed": as_printed} | other


def control(name, state):
    return {"name": name, "what": f"{name} must show", "state": state, "evidence": f"{name}: +1.0%, asked above 25%"}


@pytest.fixture()
def page(tmp_path):
    again = {"same": 4, "of": 5, "runs": []}
    claims = [
        claim("A", "seen", replicates=again),
        claim("B", "not testable here", reason="cost fails: +1.0%"),
        claim("C", "undecided", effects=[]),
        claim("D", "seen", headline=False),
        claim("E", "not seen", printed="fails", headline=False),
        claim("F", "seen", hypothesis=True),
        *(claim(f"G{number}", "seen", printed="fails", headline=False) for number in range(3)),
    ]
    about = {"title": "A paper", "scale": "mini", "miniature": "Toys.", "names": {"dr_oq": "DR_OQ"}}
    paper = {**about, "controls": [control("cost", "fails"), control("gain", "passes")], "claims": claims}
    others = {**about, "title": "All methods", "controls": [], "claims": [claim("H", "seen", hypothesis=True)]}
    folder, output = Path("results/mini/claims"), tmp_path / "findings.md"
    methods = [Method("RoDR", "DR_OQ", 0.05, 0.03, 0.07, 5)]
    papers = {folder / "a.json": paper, folder / "all.json": others}
    write_findings("Verdicts at scale mini.", json_copy(papers), methods, "0123", output)
    return output.read_text(encoding="utf-8")


def json_copy(papers):
    return {path: json.loads(json.dumps(paper)) for path, paper in papers.items()}


def test_a_headline_claim_has_a_line_with_the_effect_and_how_many_runs_agree(page):
    line = "- **seen**: A (§1). Here +3.1% [+1.0, +5.0], printed +4.9% to +5.1% (misspell, over DR_OQ). 4 of 5 single"
    assert page.startswith("<!-- findings of 0123 -->\n# Findings\n") and line in page
    assert "- **not testable here**: B (§1)." in page and "cost fails." in page and "cost fails: +1.0%." not in page
    assert "- **undecided**: C (§1).\n" in page


def test_a_sentence_of_several_parts_has_one_line(tmp_path):
    parts = [("on a", "not run"), ("on b", "seen"), ("on c", "opposite")]
    claims = [claim(f"A: {part}", verdict, sentence="A") for part, verdict in parts]
    paper = {"title": "A paper", "scale": "mini", "miniature": "", "controls": [], "names": {}, "claims": claims}
    write_findings("Verdicts.", {Path("claims/a.json"): paper}, [], "", tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "- **partly**: A: on b (§1)." in page and page.count("- **") == 2 and "Not run: 1 of its 3 parts." in page
    assert "| A paper | 1 | 1 | 1 | 1 |" in page


def test_an_effect_without_bounds_has_words(tmp_path):
    unbounded = {"words": "misspell", "size": None, "interval": [None, 0.5], "printed": [None, None]}
    about = {"title": "A paper", "scale": "mini", "miniature": "", "controls": [], "names": {}}
    papers = {Path("claims/a.json"): {**about, "claims": [claim("A", "undecided", effects=[unbounded])]}}
    write_findings("Verdicts.", papers, [], "", tmp_path / "page.md")
    assert "Here no finite size [–, +50.0] (misspell)." in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_other_claims_and_hypotheses_have_none(page):
    assert "D (§1)" not in page and "F (§1)" not in page and "All methods" not in page


def test_the_overview_counts_headlines_by_verdict_and_all_claims(page):
    assert "| Paper | headline claims | seen | undecided | not testable here | all claims | decided |" in page
    assert "| A paper | 3 | 1 | 1 | 1 | 8 | 6 | 4 | 4 |" in page


def test_contradictions_are_three_and_a_number(page):
    part = page[page.index("own numbers contradict") : page.index("cannot say more")]
    assert part.count("\n- ") == 4 and "- 1 more: `results/mini/claims/a.md`" in part
    assert "- E (§1). E here: -1.0%: fails." in part


def test_what_the_scale_cannot_say_are_controls_that_do_not_pass(page):
    assert "- cost must show: **fails**. cost: +1.0%, asked above 25%." in page and "gain must show" not in page


def test_methods_and_the_words_of_verdicts(page):
    assert "| RoDR | DR_OQ | +5.0% | [+3.0, +7.0] | 5 |" in page
    assert "- **seen**: the effect is there" in page and "- **opposite**" not in page
