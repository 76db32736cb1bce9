"""The findings on one page: headline claims alone, what the prints contradict, and what cannot be said."""

import json
import re
from pathlib import Path

import pytest

from robustdr.claims.claim import load_claims
from robustdr.reporting.findings import Chain, OtherSetting, Part, write_findings


def claim(text, verdict, printed="supported", headline=True, **changes):
    as_printed = {"verdict": printed, "reason": "", "evidence": [f"{text} here: -1.0%: contradicted"], "findings": []}
    effect = {"words": "misspell, over dr_oq", "size": 0.031, "interval": [0.01, 0.05], "printed": [0.049, 0.051]}
    effect |= {"p": 0.012, "there": 0.012, "against": 1.0, "power": 0.83, "verdict": "supported"}
    record = {
        "claim": text,
        "sentence": text,
        "short": f"short of {text}",
        "place": "toy",
        "source": "§1",
        "headline": headline,
        "hypothesis": False,
        "verdict": verdict,
    }
    return (
        record
        | {"words": verdict, "why": "", "doubt": "", "reason": "", "effects": [effect], "as_printed": as_printed}
        | changes
    )


def control(name, state):
    return {
        "name": name,
        "what": f"{name} must show",
        "state": state,
        "evidence": f"{name}: +1.0%, required: above 25%",
    }


@pytest.fixture()
def page(tmp_path):
    again = {"same": 4, "of": 5, "runs": []}
    claims = [
        claim("A", "supported", replicates=again),
        claim("B", "not testable here", why="typo_mean stands in", effects=[]),
        claim("C", "not run", reason="no run of dr_oq", effects=[]),
        claim("D", "supported", headline=False),
        claim("E", "contradicted", printed="contradicted", headline=False),
        claim("F", "supported", hypothesis=True),
        *(claim(f"G{number}", "supported", printed="contradicted", headline=False) for number in range(3)),
    ]
    fields = {"title": "A paper", "scale": "mini", "miniature": "Toys.", "names": {"dr_oq": "DR_OQ", "must": "MUST"}}
    paper = {**fields, "controls": [control("cost", "fails"), control("gain", "passes")], "claims": claims}
    methods_paper = {
        **fields,
        "title": "All methods",
        "controls": [],
        "claims": [claim("H", "supported", hypothesis=True)],
    }
    folder, output = Path("results/mini/claims"), tmp_path / "findings.md"
    chains = [Chain("RoDR", {"steps": Part(0.05, 0.03, 0.07), "loss": None}, "RR@10 on toys")]
    papers = {folder / "a.json": paper, folder / "all.json": methods_paper}
    write_findings("Verdicts at scale mini.", json_copy(papers), chains, "0123", output)
    return output.read_text(encoding="utf-8")


def json_copy(papers):
    return {path: json.loads(json.dumps(paper)) for path, paper in papers.items()}


def test_a_line_says_what_held_what_cannot_be_known_and_what_was_not_run(page):
    assert "\n**Held** (1 of 3 sentences): short of A.\n" in page and "**Held in part**" not in page
    assert "\n**Cannot be known here** (1 of 3 sentences), because: mean of typo stands in.\n" in page
    assert "\n**Not run** (1 of 3 sentences): short of C (no run of DR_OQ).\n" in page


def test_a_judged_sentence_has_a_row_with_its_weakest_comparison(page):
    row = "| “A” (§1) | **supported** | toy | misspell, over DR_OQ: +3.1% [+1.0, +5.0], printed +4.9% to +5.1% "
    assert page.startswith("<!-- findings of 0123 -->\n# Findings\n") and f"{row}| 0.012 | 0.83 |\n" in page


def test_hypotheses_stand_on_the_page_where_a_comparison_claims_nothing_else(page):
    headlines, _, hypotheses = page.partition("\n## All methods\n")
    assert [row.split(" | ")[0] for row in hypotheses.splitlines() if "**supported**" in row] == ["| H (§1)"]
    assert "| F" not in headlines and "| H " not in headlines


def test_a_hypothesis_stands_with_its_verdict_in_both_settings(tmp_path):
    fields = {"title": "All methods", "scale": "mini", "miniature": "", "controls": [], "names": {}}
    first, there = (
        {**fields, "claims": [claim("H", verdict, headline=False, hypothesis=True)]}
        for verdict in ("supported", "contradicted")
    )
    second = OtherSetting("real text", "Runs.", {"All methods": there})
    write_findings("V.", {Path("claims/all.json"): first}, [], "", tmp_path / "page.md", "WordNet", second)
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| Hypothesis | Verdict on WordNet | On |" in page
    (row,) = [line.split(" | ") for line in page.splitlines() if line.startswith("| H (§1) |")]
    assert (row[1], row[6]) == ("**supported**", "**contradicted**")


def test_a_sentence_that_was_not_judged_says_why(page):
    assert "\n- **not testable here**: mean of typo stands in: short of B\n" in page
    assert "\n- **not run**: no run of DR_OQ: short of C\n" in page


def test_a_control_stands_with_what_it_asks_for_and_a_reason_of_several_sentences_once(tmp_path):
    why = "cost fails; cost_gain is open"
    not_testable = [claim(text, "not testable here", why=why, effects=[]) for text in "AB"]
    fields = {"title": "A paper", "scale": "mini", "miniature": "", "names": {}}
    controls = [control("cost", "fails"), control("gain", "inconclusive"), control("cost_gain", "inconclusive")]
    controls[0]["what"] = "Typos cost 25 % (half of what is printed)"
    paper = {**fields, "controls": controls, "claims": [*not_testable, claim("C", "inconclusive", why="gain is open")]}
    write_findings("V.", {Path("claims/a.json"): paper}, [], "", tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    asked = "a control fails: Typos cost 25 %; a control is open: cost gain must show"
    assert f"\n- **not testable here**: {asked}: short of A; short of B\n" in page
    assert (
        "\n**Cannot be known here** (2 of 3 sentences), because: a control fails: Typos cost 25 % (2 sentences).\n"
        in page
    )
    assert "\n**Open** (1 of 3 sentences): short of C (a control is open: gain must show).\n" in page
    assert "| **inconclusive**: a control is open: gain must show |" in page


def test_a_sentence_of_several_parts_has_one_row_and_the_number_shown_is_the_number_judged(tmp_path):
    parts = [("on a", "not run"), ("on b", "supported"), ("on c", "contradicted")]
    claims = [claim(f"A: {part}", verdict, sentence="A", place=part) for part, verdict in parts]
    worst = {**claims[2]["effects"][0], "size": -0.5, "p": 0.001, "there": 1.0, "against": 0.001}
    claims[2]["effects"] = [{**worst, "verdict": "contradicted"}]
    paper = {"title": "A paper", "scale": "mini", "miniature": "", "controls": [], "names": {}, "claims": claims}
    write_findings("Verdicts.", {Path("claims/a.json"): paper}, [], "", tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    words = "partly: 1 supported, 0 open, 1 against, of 2 (1 other part: not run)"
    assert f"| “A” (§1) | **{words}** | on c | misspell, over dr oq: -50.0% " in page and page.count("“A”") == 1
    assert "(1 of 1 sentences): short of A: on a (1 of 2 comparisons; 1 other part: not run)." in page


def test_another_cause_of_a_gain_is_told_once(tmp_path):
    doubt = "the gain may have another cause"
    claims = [claim(f"A: {place}", "supported", sentence="A", place=place, doubt=doubt) for place in ("on a", "on b")]
    paper = {"title": "A paper", "scale": "mini", "miniature": "", "controls": [], "names": {}, "claims": claims}
    write_findings("Verdicts.", {Path("claims/a.json"): paper}, [], "", tmp_path / "page.md")
    assert f"short of A: on a ({doubt}).\n" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_an_effect_without_bounds_has_words(tmp_path):
    unbounded = {"words": "misspell", "size": None, "interval": [None, 0.5], "printed": [None, None]}
    unbounded |= {"p": 1.0, "there": 1.0, "against": 1.0, "power": None, "verdict": "inconclusive"}
    fields = {"title": "A paper", "scale": "mini", "miniature": "", "controls": [], "names": {}}
    papers = {Path("claims/a.json"): {**fields, "claims": [claim("A", "inconclusive", effects=[unbounded])]}}
    write_findings("Verdicts.", papers, [], "", tmp_path / "page.md")
    row = "misspell: no finite size [–, +50.0] | 1 | – |"
    assert row in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_other_claims_and_hypotheses_have_none(page):
    assert "“D”" not in page and "“F”" not in page


def test_headline_sentences_that_the_prints_contradict_are_listed_with_the_audit_s_doubts(tmp_path):
    doubted = claim("A", "supported", printed="contradicted")
    doubted["as_printed"] |= {"evidence": ["misspell: -1.0%: contradicted (much)"], "findings": ["table1/copy"]}
    fields = {"title": "A paper", "scale": "mini", "miniature": "", "controls": [], "names": {}}
    write_findings("V.", {Path("claims/a.json"): {**fields, "claims": [doubted]}}, [], "", tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "- “A” : misspell: -1.0%; the audit doubts these numbers.\n" in page.replace("”:", "” :")


def test_gains_are_taken_apart(page):
    assert "\nGains by RR@10 on toys, each step over the one before it. " in page
    assert "| Method | steps | loss |\n| --- | --- | --- |\n| RoDR | +5.0% [+3.0, +7.0] | – |\n" in page


def test_another_setting_has_columns_a_line_of_its_own_and_the_differences(tmp_path):
    def paper(*claims):
        fields = {
            "title": "A paper",
            "scale": "mini",
            "miniature": "Toys.",
            "controls": [],
            "names": {"dr_oq": "DR_OQ"},
        }
        return fields | {"claims": list(claims)}

    def part(name, verdict, size, interval):
        effect = {**claim("A", verdict)["effects"][0], "size": size, "interval": interval, "verdict": verdict}
        return claim(f"A: {name}", verdict, sentence="A", effects=[effect])

    not_run = claim("B", "not run", reason="no run of dr_oq", effects=[])
    here = paper(
        part("near", "supported", -0.2, [-0.25, -0.15]), part("far", "supported", -0.3, [-0.31, -0.29]), not_run
    )
    there = paper(
        part("near", "supported", -0.21, [-0.26, -0.16]),
        part("far", "inconclusive", -0.1, [-0.11, -0.09]),
        claim("B", "supported"),
    )
    beside = OtherSetting("real text", "From 3 models.", {"A paper": {**there, "miniature": "Sentences. Amounts: 5."}})
    papers = {Path("claims/a.json"): here}
    write_findings("Verdicts.", papers, [], "", tmp_path / "page.md", "WordNet", beside)
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    head = "| Sentence | Verdict on WordNet | On | Weakest comparison | p | Least power | Verdict on real text "
    assert f"\n{head}| Weakest comparison there | Do the two differ? |\n" in page
    # 20 points apart, with an interval of sqrt(1 + 1) points on either side; the near parts differ by 1 of 7.
    difference = "1 of 2 differ; clearest misspell, over DR_OQ: +20.0 [+18.6, +21.4], p = "
    (row,) = (line for line in page.splitlines() if line.startswith("| “A”"))
    assert "| **supported** | toy | misspell, over DR_OQ: -20.0% " in row and difference in row
    (row,) = (line for line in page.splitlines() if line.startswith("| “B”"))
    assert row.startswith("| “B” (§1) | **not run** | – | no run of DR_OQ | – | – | **supported** | ") and row.endswith(
        "| – |"
    )
    assert "\n**Held on real text** (1 of 2 sentences): short of B.\n" in page
    assert "\n**Not judged on real text**: 0 of 2 sentences.\n" in page
    assert "\n**On real text.** Sentences. From 3 models.\n" in page and "Not run on real text" not in page


PAGE = Path(__file__).parents[2] / "docs/findings.md"
VERDICT = re.compile(
    r"\*\*(?P<verdict>[a-z ]+)(: (?P<k>\d+) supported, (?P<o>\d+) open, (?P<a>\d+) against, of (?P<n>\d+))?"
    r"( \(\d+ other parts?: [^)]+\))?\*\*(: a control is open: .+)?"
)
EFFECT = re.compile(r".*: [+-][\d.]+% \[(?P<low>\S+), (?P<high>\S+)\].*")
WORDS = {"Held": "supported", "Held in part": "partly", "Open": "inconclusive", "Contradicted": "contradicted"}


def test_each_sentence_of_the_page_agrees_with_the_numbers_beside_it():
    """A supported sentence has no comparison that is not there; one in part has one; counts add up."""
    text = PAGE.read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in text.splitlines()
        if line.startswith("| “")
    ]
    assert len(rows) > 5
    counts = dict(re.findall(r"^\*\*(.*?)\*\* \((\d+) of \d+ sentences\)", text, re.M))
    (setting,) = set(re.findall(r"Verdict on ([^|]+) \| Weakest comparison there", text))
    for place, verdict_column, effect_column in (("", 1, 3), (f" on {setting}", 6, 7)):
        verdicts = [VERDICT.fullmatch(row[verdict_column]) for row in rows]
        for row, verdict in zip(rows, verdicts, strict=True):
            if verdict["verdict"] == "supported":
                low, high = map(float, EFFECT.fullmatch(row[effect_column]).group("low", "high"))
                assert (low > 0 or high < 0) and (place or float(row[4]) < 0.05)
            if verdict["verdict"] == "partly":
                k, o, a, n = (int(verdict[name]) for name in "koan")
                assert k + o + a == n and 0 < k < n
        for name, word in WORDS.items():
            assert int(counts.get(name + place, 0)) == [verdict["verdict"] for verdict in verdicts].count(word)
    papers = re.sub(r"\n## All methods under equal conditions\n.*?(?=\n## )", "", text, flags=re.DOTALL)
    assert sum(bool(re.search(r"\w", word)) for word in papers.split()) <= 1850


def test_only_headline_sentences_have_a_short_form():
    for path in sorted(PAGE.parents[1].glob("config/papers/*/claims.yaml")):
        claims = load_claims(path).claims
        headlines = {claim.claim for claim in claims if claim.headline and not claim.hypothesis}
        assert {claim.claim for claim in claims if claim.short} <= headlines, path
