"""The front page: README's findings are those of the ledger as it is, and its rows and links are right."""

import re
from pathlib import Path

import pytest

from robustdr.core.errors import UserError
from robustdr.reporting import front
from robustdr.reporting.findings import OtherSetting, judged
from robustdr.reporting.front import ledger_digest, write_front
from robustdr.reporting.style import COLOURS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FOLDERS = ("config", "evidence", "results")
PAGES = [
    *(ROOT / folder / "README.md" for folder in FOLDERS),
    *ROOT.glob("*.md"),
    *sorted((ROOT / "docs").rglob("*.md")),
]


def claim(sentence, verdict="supported", headline=True, hypothesis=False):
    effect = {"words": "misspell", "size": 0.25, "interval": [0.2, None], "printed": [0.5, 0.52]}
    effect |= {"region": [0.0, None], "p": 0.01, "there": 0.01, "against": 1.0, "power": 0.5, "verdict": verdict}
    return {
        "claim": f"{sentence}: on A", "sentence": sentence, "short": sentence, "source": "§1", "headline": headline,
        "hypothesis": hypothesis, "verdict": verdict, "words": verdict, "why": "", "doubt": "", "reason": "",
        "effects": [effect],
    }  # fmt: skip


def paper(*claims):
    return {
        "title": "A paper",
        "miniature": "Toys.",
        "claims": list(claims),
        "names": {"misspell": "MISSPELL"},
        "controls": [],
    }


@pytest.mark.parametrize("page", ["README.md", "docs/findings.md"])
def test_findings_are_as_new_as_the_ledger(page):
    line = f"<!-- findings of {ledger_digest(ROOT / 'evidence')} -->"
    assert line in (ROOT / page).read_text(encoding="utf-8"), "run `make findings`"


def test_readme_is_short_and_its_picture_is_there():
    assert len(README.splitlines()) <= 110 and (ROOT / "docs/headlines.svg").is_file()


def test_the_digest_moves_with_a_file_of_the_ledger(tmp_path):
    (tmp_path / "priors.json").write_text("{}")
    before = ledger_digest(tmp_path)
    (tmp_path / "priors.json").write_text("{} ")
    assert ledger_digest(tmp_path) != before


def test_a_part_that_was_judged_stands_for_each_headline_sentence():
    unjudged_claims = claim("B", headline=False), claim("C", hypothesis=True), claim("D", "not run")
    first = paper(claim("A", "not run"), {**claim("A"), "claim": "A: on B"}, *unjudged_claims, claim("E"))
    assert [row[0].part["claim"] for row in judged(first, None)] == ["A: on B", "E: on A"]


def test_a_sentence_that_another_setting_judged_stands_with_the_verdicts_of_both():
    first = paper(claim("A", "not run"), claim("B", "not run"))
    second = OtherSetting("real text", "Runs.", {"A paper": paper(claim("A", "contradicted"), claim("B", "not run"))})
    assert [[sentence.verdict for sentence in row] for row in judged(first, second)] == [["not run", "contradicted"]]


def test_the_findings_replace_the_old_ones_and_equal_verdicts_give_equal_bytes(tmp_path):
    readme, picture = tmp_path / "README.md", tmp_path / "picture.svg"
    readme.write_text("a\n<!-- findings of old -->\nold\n<!-- end of findings -->\nb\n")
    outputs = []
    for _ in range(2):
        write_front("Verdicts.", [paper(claim("A"))], "toys", None, tmp_path / "evidence", readme, picture)
        outputs.append((readme.read_bytes(), picture.read_bytes()))
    assert outputs[0] == outputs[1] and b"old" not in outputs[0][0] and b"**Miniature.** Toys." in outputs[0][0]
    assert b"- **Held** (1 of 1 sentences): A.\n" in outputs[0][0]


def test_the_picture_has_a_lane_and_a_verdict_for_each_setting(tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr(front, "save", lambda figure, _: figures.append(figure))
    first = paper(claim("A"), claim("B", "not testable here"))
    second = OtherSetting("real text", "Runs.", {"A paper": paper(claim("A", "contradicted"), claim("B", "partly"))})
    front.draw(judged(first, second), ["toys", "real text"], tmp_path / "picture.svg")
    (axes,) = figures[0].axes
    blue, red = COLOURS[:2]
    assert [(text.get_text(), text.get_color()) for text in axes.texts] == [
        ("supported", blue), ("contradicted", red), ("not testable here", blue), ("partly: 0 of 1 comparisons", red),
    ]  # fmt: skip
    heights = [text.get_position()[1] for text in axes.texts]
    assert heights == pytest.approx([-0.2, 0.2, 0.8, 1.2])
    dots = [(line.get_ydata()[0], line.get_color()) for line in axes.lines if list(line.get_xdata()) == [25.0]]
    assert dots == [(heights[0], blue), (heights[1], red), (heights[3], red)]  # B was not judged on toys


def test_a_readme_without_a_place_is_an_error(tmp_path):
    (tmp_path / "README.md").write_text("a\n")
    with pytest.raises(UserError, match="no line '<!-- findings of LEDGER -->'"):
        write_front("V.", [paper(claim("A"))], "toys", None, tmp_path, tmp_path / "README.md", tmp_path / "p.svg")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert not [link for link in links if link and not (page.parent / link).exists()]
