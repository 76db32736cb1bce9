"""The findings on one page: headline claims alone, what the prints contradict, and what cannot be said."""

import json
from pathlib import Path

import pytest

from robustdr.reporting.findings import Method, write_findings


def claim(text, verdict, printed="supported", headline=True, **other):
    as_printed = {"verdict": printed, "reason": "", "evidence": [f"{text} here: -1.0%: contradicted"], "findings": []}
    effect = {"words": "misspell, over dr_oq", "size": 0.031, "interval": [0.01, 0.05], "printed": [0.049, 0.051]}
    effect |= {"p": 0.012, "there": 0.012, "against": 1.0, "power": 0.83, "verdict": "supported"}
    made = {
        "claim": text,
        "sentence": text,
        "source": "§1",
        "headline": headline,
        "hypothesis": False,
        "verdict": verdict,
    }
    return made | {"words": verdict, "why": "", "reason": "", "effects": [effect], "as_printed": as_printed} | other


def control(name, state):
    return {"name": name, "what": f"{name} must show", "state": state, "evidence": f"{name}: +1.0%, asked above 25%"}


@pytest.fixture()
def page(tmp_path):
    again = {"same": 4, "of": 5, "runs": []}
    claims = [
        claim("A", "supported", replicates=again),
        claim("B", "not testable here", reason="cost fails: +1.0%", needs=["cost", "gain"], replicates=again),
        claim("C", "not run", effects=[]),
        claim("D", "supported", headline=False),
        claim("E", "contradicted", printed="contradicted", headline=False),
        claim("F", "supported", hypothesis=True),
        *(claim(f"G{number}", "supported", printed="contradicted", headline=False) for number in range(3)),
    ]
    about = {"title": "A paper", "scale": "mini", "miniature": "Toys.", "names": {"dr_oq": "DR_OQ", "must": "MUST"}}
    paper = {**about, "controls": [control("cost", "fails"), control("gain", "passes")], "claims": claims}
    others = {**about, "title": "All methods", "controls": [], "claims": [claim("H", "supported", hypothesis=True)]}
    folder, output = Path("results/mini/claims"), tmp_path / "findings.md"
    methods = [Method("RoDR", "DR_OQ", 0.05, 0.03, 0.07, 5)]
    papers = {folder / "a.json": paper, folder / "all.json": others}
    write_findings("Verdicts at scale mini.", json_copy(papers), methods, "0123", output)
    return output.read_text(encoding="utf-8")


def json_copy(papers):
    return {path: json.loads(json.dumps(paper)) for path, paper in papers.items()}


def test_a_headline_claim_has_a_line_with_the_effect_and_how_many_runs_agree(page):
    line = (
        "- **supported**: “A” (§1)\n"
        "    - Misspell, over DR_OQ: here +3.1% [+1.0, +5.0], p = 0.012, printed +4.9% to +5.1%.\n"
        "    - Smallest power at the printed size: 0.83. Judged alone, which widens the intervals, 4 of 5 training "
        "runs say “supported”.\n"
    )
    assert page.startswith("<!-- findings of 0123 -->\n# Findings\n") and line in page
    assert (
        "- **not testable here**: “B” (§1)\n" in page
        and "\n    - A control does not pass: cost must show (fails).\n" in page
        and "cost fails: +1.0%." not in page
        and page.count("Judged alone") == 1
    )
    assert "- **not run**: 1 of 3 headline claims.\n" in page


def test_a_sentence_of_several_parts_has_one_line(tmp_path):
    parts = [("on a", "not run"), ("on b", "supported"), ("on c", "contradicted")]
    claims = [claim(f"A: {part}", verdict, sentence="A") for part, verdict in parts]
    claims[2]["effects"] = [{**claims[2]["effects"][0], "there": 1.0, "against": 0.001, "verdict": "contradicted"}]
    paper = {"title": "A paper", "scale": "mini", "miniature": "", "controls": [], "names": {}, "claims": claims}
    write_findings("Verdicts.", {Path("claims/a.json"): paper}, [], "", tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    words = "partly: 1 supported, 0 open, 1 against, of 2"
    assert f"- **{words}**: “A” (§1)\n    - On c. Misspell" in page and page.count("\n- **") == 2
    assert "Other parts of the sentence: 1 not run.\n" in page
    assert "| A paper | 1 | 1 | 1 | 1 |" in page


def test_an_effect_without_bounds_has_words(tmp_path):
    unbounded = {"words": "misspell", "size": None, "interval": [None, 0.5], "printed": [None, None]}
    unbounded |= {"p": 1.0, "there": 1.0, "against": 1.0, "power": None, "verdict": "inconclusive"}
    about = {"title": "A paper", "scale": "mini", "miniature": "", "controls": [], "names": {}}
    papers = {Path("claims/a.json"): {**about, "claims": [claim("A", "inconclusive", effects=[unbounded])]}}
    write_findings("Verdicts.", papers, [], "", tmp_path / "page.md")
    assert "Misspell: here no finite size [–, +50.0], p = 1." in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_other_claims_and_hypotheses_have_none(page):
    assert "D (§1)" not in page and "F (§1)" not in page and "All methods" not in page


def test_the_overview_counts_headlines_by_verdict_and_all_claims(page):
    assert "| Paper | headline claims | supported | not testable here | not run | all claims | decided |" in page
    assert "| A paper | 3 | 1 | 1 | 1 | 8 | 6 | 4 | 0 | 4 |" in page


def test_contradictions_are_three_and_a_number(page):
    part = page[page.index("own numbers contradict") : page.index("Controls that do not pass")]
    assert part.count("\n- ") == 4 and "- 1 more: `results/mini/claims/a.md`" in part
    assert "- E (§1). Printed: E here: -1.0%." in part


def test_what_the_scale_cannot_say_are_controls_that_do_not_pass(page):
    assert "- cost must show: **fails**. Cost: +1.0%, asked above 25%." in page and "gain must show" not in page


def test_methods_and_the_words_of_verdicts(page):
    assert "| RoDR | DR_OQ | +5.0% | [+3.0, +7.0] | 5 |" in page
    assert "- **supported**: every comparison" in page and "- **contradicted**" not in page


def test_query_sets_are_in_words_and_one_run_is_no_replicate(tmp_path):
    effect = {"words": "human_typo, against typo_mean", "size": 0.1, "interval": [0, 1], "printed": None}
    effect |= {"p": 0.5, "there": 0.5, "against": 1.0, "power": None, "verdict": "inconclusive"}
    once, reason = {"same": 1, "of": 1, "runs": []}, "one run"
    claims = [claim("A", "inconclusive", effects=[effect, effect], replicates=once, reason=reason)]
    paper = {"title": "A paper", "scale": "mini", "miniature": "", "controls": [], "names": {}, "claims": claims}
    write_findings("Verdicts.", {Path("claims/a.json"): paper}, [], "", tmp_path / "page.md")
    words = "Human typo, against mean of typo (the weakest of 2 comparisons): here +10.0% [+0.0, +100.0], p = 0.5."
    assert f"- **inconclusive**: “A” (§1)\n    - {words}\n    - One run.\n" in (tmp_path / "page.md").read_text()
