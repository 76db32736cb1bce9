"""The front page: the findings in README.md and a picture of the headline sentences, both made from verdicts."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten

from robustdr.claims.verdicts import PARTLY
from robustdr.core.errors import UserError
from robustdr.core.files import sha256, write_text
from robustdr.core.markup import prose
from robustdr.reporting.artifacts import Claims
from robustdr.reporting.findings import OtherSetting, Sentence, answer, banner, judged
from robustdr.reporting.style import COLOURS, pyplot, save

BLOCK = re.compile(r"<!-- findings of [^\n]* -->\n.*?<!-- end of findings -->", re.DOTALL)


def ledger_digest(evidence: Path) -> str:
    """Return 16 hexadecimal digits that stand for all runs of the ledger, whatever their order."""
    files = sorted(path for path in evidence.rglob("*") if path.suffix == ".parquet" or path.name == "priors.json")
    text = "\n".join(f"{path.relative_to(evidence)} {sha256(path)}" for path in files)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def draw(rows: Sequence[tuple[Sentence, ...]], settings: Sequence[str], output: Path) -> None:
    """Draw the comparison that supports each sentence least: a dot with its interval, a diamond as printed.

    Each setting has a lane of its own, its verdict on the right. Where the sentence puts the comparison is shaded.

    Args:
        rows: headline sentences, in each setting. settings: their names.
    """
    figure, axes = pyplot().subplots(figsize=(9, 1.1 + (0.16 + 0.22 * len(settings)) * len(rows)))
    width = 0.8 / len(settings)
    lanes = [
        (y - 0.4 + width * (number + 0.5), COLOURS[number], sentence)
        for y, row in enumerate(rows)
        for number, sentence in enumerate(row)
    ]
    judged_lanes = [(y, colour, sentence.effects[0]) for y, colour, sentence in lanes if sentence.is_judged]
    for y, colour, effect in judged_lanes:
        if effect["size"] is not None:
            size = 100 * effect["size"]
            low, high = (size if end is None else 100 * end for end in effect["interval"])
            axes.plot([low, high], [y, y], color=colour)
            axes.plot([size], [y], "o", color=colour)
        printed_low, printed_high = effect["printed"] or (None, None)
        if printed_low is not None and printed_high is not None:
            axes.plot([50 * (printed_low + printed_high)], [y], "D", color=COLOURS[4])
    x_low, x_high = axes.get_xlim()
    for y, _, effect in judged_lanes:
        lowest, highest = effect["region"]
        ends = x_low if lowest is None else 100 * lowest, x_high if highest is None else 100 * highest
        axes.fill_betweenx((y - 0.45 * width, y + 0.45 * width), *ends, color=COLOURS[7], alpha=0.15, linewidth=0)
    for y, colour, sentence in lanes:
        verdict = f"{PARTLY}: {sentence.supported}" if sentence.verdict == PARTLY else sentence.verdict
        axes.text(1.01, y, verdict, color=colour, va="center", size="small", transform=axes.get_yaxis_transform())
    axes.set_xlim(x_low, x_high)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [shorten(row[0].short, 70, placeholder=" …") for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("the weakest comparison of each sentence: loss ← 0 → gain, %; shaded: where the sentence puts it")
    for number, setting in enumerate(settings):
        axes.plot([], [], "o-", color=COLOURS[number], label=f"here, on {setting}, with its 95 % interval")
    axes.plot([], [], "D", color=COLOURS[4], label="printed")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=len(settings) + 1)
    save(figure, output)


def write_front(
    basis: str,
    papers: list[Claims],
    setting: str,
    second: OtherSetting | None,
    evidence: Path,
    readme: Path,
    picture: Path,
) -> None:
    """Write what held, what did not and what cannot be known into README.md, and the picture as .svg and .png.

    Args:
        basis: what the verdicts were reached on, as a sentence. setting: what the papers were run on.
        second: the verdicts of another setting. evidence: the ledger.

    Raises:
        UserError: README.md has no place for the findings.
    """
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    if not BLOCK.search(text):
        raise UserError(f"{readme}: no line '<!-- findings of LEDGER -->' and '<!-- end of findings -->' below it")
    texts = dict.fromkeys(filter(None, map(banner, papers)))
    opening = " ".join([*(f"**Miniature.** {prose(text)}" for text in texts), basis])
    answers = answer(papers) + (answer(second.papers.values(), second.setting) if second else [])
    findings = [f"- {line}" for line in answers]
    lines = [f"<!-- findings of {ledger_digest(evidence)} -->", opening, "", *findings]
    block = "\n".join([*lines, "<!-- end of findings -->"])
    write_text(readme, BLOCK.sub(lambda _: block, text))
    rows = [row for paper in papers for row in judged(paper, second)]
    draw(rows, [setting, second.setting] if second else [setting], picture)
