"""The front page: three findings in README.md and a picture of the headline claims, both made from verdicts."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import shorten

import matplotlib.pyplot as plt

from robustdr.claims.verdicts import NOT_RUN, VERDICTS
from robustdr.core.errors import UserError
from robustdr.core.files import sha256, write_text
from robustdr.reporting.findings import headline
from robustdr.reporting.style import COLOURS, save
from robustdr.reporting.written import Claims, Record

BLOCK = re.compile(r"<!-- findings of [^\n]* -->\n.*?<!-- end of findings -->", re.DOTALL)
FINDINGS = 3


def ledger_digest(evidence: Path) -> str:
    """Return 16 hexadecimal digits that stand for all runs of the ledger, whatever their order."""
    files = sorted(path for path in evidence.rglob("*") if path.suffix == ".parquet" or path.name == "runs.json")
    text = "\n".join(f"{path.relative_to(evidence)} {sha256(path)}" for path in files)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def shown(papers: Iterable[Claims]) -> list[Record]:
    """Return the headline claims that were run, the first of each sentence; last paper first."""
    found = {
        (paper["title"], claim["sentence"]): claim
        for paper in papers
        for claim in reversed(paper["claims"])
        if claim["headline"] and not claim["hypothesis"] and claim["verdict"] != NOT_RUN
    }
    return list(reversed(found.values()))


def chosen(claims: Iterable[Record]) -> list[Record]:
    """Return three claims: the first of each verdict, in the order of `VERDICTS`."""
    first: dict[str, Record] = {}
    for claim in claims:
        first.setdefault(claim["verdict"], claim)
    return [first[verdict] for verdict in VERDICTS if verdict in first][:FINDINGS]


def draw(claims: list[Record], output: Path) -> None:
    """Draw the first effect of each claim: a dot with its interval, a diamond as printed, the claimed side shaded."""
    rows = [claim for claim in claims if claim["effects"] and claim["effects"][0]["size"] is not None]
    figure, axes = plt.subplots(figsize=(9, 1.1 + 0.36 * len(rows)))
    for at, claim in enumerate(rows):
        effect = claim["effects"][0]
        size = 100 * (effect["size"] or 0)
        low, high = (size if end is None else 100 * end for end in effect["interval"])
        axes.plot([low, high], [at, at], color=COLOURS[0], label="here, with its 95 % interval" if not at else None)
        axes.plot([size], [at], "o", color=COLOURS[0])
        left, right = effect["printed"] or (None, None)
        if left is not None and right is not None:
            axes.plot([100 * (left + right) / 2], [at], "D", color=COLOURS[4], label="printed" if not at else None)
    left, right = axes.get_xlim()
    for at, claim in enumerate(rows):
        lowest, highest = claim["effects"][0]["region"]
        ends = left if lowest is None else 100 * lowest, right if highest is None else 100 * highest
        axes.fill_betweenx((at - 0.4, at + 0.4), *ends, color=COLOURS[7], alpha=0.15, linewidth=0)
    axes.set_xlim(left, right)
    axes.axvline(0, color="black", linewidth=0.8)
    names = [f"{shorten(claim['sentence'], 70, placeholder=' …')}  [{claim['words']}]" for claim in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.set_xlabel("loss ← 0 → gain, % of the base system on the original queries; shaded: where the claim puts it")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=2)
    save(figure, output)


def write_front(about: str, papers: list[Claims], evidence: Path, readme: Path, picture: Path) -> None:
    """Write the three findings into README.md and the picture as .svg and .png.

    Args:
        about: what the verdicts were reached on, as a sentence. evidence: the ledger.

    Raises:
        UserError: README.md has no place for the findings.
    """
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    if not BLOCK.search(text):
        raise UserError(f"{readme}: no line '<!-- findings of LEDGER -->' and '<!-- end of findings -->' below it")
    claims = shown(papers)
    lines = [f"<!-- findings of {ledger_digest(evidence)} -->", about, "", *map(headline, chosen(claims))]
    block = "\n".join([*lines, "<!-- end of findings -->"])
    write_text(readme, BLOCK.sub(lambda _: block, text))
    draw(claims, picture)
