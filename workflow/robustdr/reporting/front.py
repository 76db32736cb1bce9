"""The front page: the findings in README.md and a picture of the headline sentences, both made from verdicts."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import shorten

from robustdr.core.errors import UserError
from robustdr.core.files import sha256, write_text
from robustdr.core.markup import prose
from robustdr.reporting.artifacts import Claims
from robustdr.reporting.findings import OtherSetting, Sentence, answer, banner, sentences
from robustdr.reporting.style import COLOURS, pyplot, save

BLOCK = re.compile(r"<!-- findings of [^\n]* -->\n.*?<!-- end of findings -->", re.DOTALL)


def ledger_digest(evidence: Path) -> str:
    """Return 16 hexadecimal digits that stand for all runs of the ledger, whatever their order."""
    files = sorted(path for path in evidence.rglob("*") if path.suffix == ".parquet" or path.name == "priors.json")
    text = "\n".join(f"{path.relative_to(evidence)} {sha256(path)}" for path in files)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def judged(papers: Iterable[Claims]) -> list[Sentence]:
    """Return the headline sentences that were judged."""
    return [sentence for paper in papers for sentence in sentences(paper) if sentence.is_judged]


def draw(judged_sentences: Iterable[Sentence], output: Path) -> None:
    """Draw the comparison that supports each sentence least: a dot with its interval, a diamond as printed.

    Where the sentence puts it is shaded.
    """
    rows = [sentence for sentence in judged_sentences if sentence.effects[0]["size"] is not None]
    figure, axes = pyplot().subplots(figsize=(9, 1.1 + 0.36 * len(rows)))
    for y, sentence in enumerate(rows):
        effect = sentence.effects[0]
        size = 100 * (effect["size"] or 0)
        low, high = (size if end is None else 100 * end for end in effect["interval"])
        axes.plot([low, high], [y, y], color=COLOURS[0], label="here, with its 95 % interval" if not y else None)
        axes.plot([size], [y], "o", color=COLOURS[0])
        printed_low, printed_high = effect["printed"] or (None, None)
        if printed_low is not None and printed_high is not None:
            axes.plot(
                [100 * (printed_low + printed_high) / 2], [y], "D", color=COLOURS[4], label="printed" if not y else None
            )
    x_low, x_high = axes.get_xlim()
    for y, sentence in enumerate(rows):
        lowest, highest = sentence.effects[0]["region"]
        ends = x_low if lowest is None else 100 * lowest, x_high if highest is None else 100 * highest
        axes.fill_betweenx((y - 0.4, y + 0.4), *ends, color=COLOURS[7], alpha=0.15, linewidth=0)
    axes.set_xlim(x_low, x_high)
    axes.axvline(0, color="black", linewidth=0.8)
    names = [f"{shorten(sentence.short, 70, placeholder=' …')}  [{sentence.words}]" for sentence in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.set_xlabel("the weakest comparison of each sentence: loss ← 0 → gain, %; shaded: where the sentence puts it")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=2)
    save(figure, output)


def write_front(
    basis: str, papers: list[Claims], second: OtherSetting | None, evidence: Path, readme: Path, picture: Path
) -> None:
    """Write what held, what did not and what cannot be known into README.md, and the picture as .svg and .png.

    Args:
        basis: what the verdicts were reached on, as a sentence. second: the verdicts of another setting.
        evidence: the ledger.

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
    draw(judged(papers), picture)
