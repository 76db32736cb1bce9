"""The findings document: the verdicts on the claims of all papers, with their numbers."""

import json
from collections import Counter
from pathlib import Path

from robustdr.claims.verdicts import FAILS, HOLDS, NOT_RUN, NOT_TESTABLE, UNDECIDED, VERDICTS
from robustdr.core.files import write_text
from robustdr.core.markup import plain, prose, table_row
from robustdr.reporting.claims import MOST
from robustdr.reporting.written import Claims, Record

DECIDED = [verdict for verdict in VERDICTS if verdict not in (UNDECIDED, NOT_TESTABLE, NOT_RUN)]


def _share(verdicts: Counter[str]) -> str:
    """`<decided> of <testable>` claims; `–` if none is testable."""
    decided = sum(verdicts[verdict] for verdict in DECIDED)
    tested = decided + verdicts[UNDECIDED]
    return f"{decided} of {tested}" if tested else "–"


def _overview(papers: list[Claims]) -> list[str]:
    """A Markdown table with a line per paper: its number of claims by verdict."""
    claims = {paper["title"]: [claim for claim in paper["claims"] if not claim["hypothesis"]] for paper in papers}
    every = {claim["verdict"] for of in claims.values() for claim in of}
    shown = [verdict for verdict in VERDICTS if verdict in every]
    lines = [
        table_row(["Paper", "claims", "hold as printed", *shown, "decided"]),
        table_row(["---", *["---:"] * (len(shown) + 3)]),
    ]
    for title, of in claims.items():
        here = Counter(claim["verdict"] for claim in of)
        printed = sum(claim["as_printed"]["verdict"] == HOLDS for claim in of)
        counts = [str(number) for number in (len(of), printed, *(here[verdict] for verdict in shown))]
        lines.append(table_row([plain(title), *counts, _share(here)]))
    return lines


def _entry(claim: Record, *facts: str) -> str:
    return f"- **{plain(claim['claim'])}** ({plain(claim['source'])}). {prose('. '.join(filter(None, facts)))}."


def _paper(paper: Claims) -> list[str]:
    """A paper's section: claims that its own numbers contradict, then all claims by verdict."""
    lines = ["", f"## {plain(paper['title'])}"]
    contradicted = [claim for claim in paper["claims"] if claim["as_printed"]["verdict"] == FAILS]
    if contradicted:
        lines += ["", "### Contradicted by the paper's own numbers", ""]
        for claim in contradicted:
            printed = claim["as_printed"]
            lines.append(_entry(claim, "; ".join(printed["evidence"][:MOST]), "; ".join(printed["findings"])))
    lines += ["", paper["chance"], *([paper["aa"]] if paper["aa"] else [])]
    for verdict in (*DECIDED, UNDECIDED, NOT_TESTABLE):
        claims = [claim for claim in paper["claims"] if claim["verdict"] == verdict]
        if claims:
            lines += ["", f"### {verdict.capitalize()}: {VERDICTS[verdict]}", ""]
            lines += [_entry(c, c["how"], c["reason"], "; ".join(c["evidence"][:MOST])) for c in claims]
    reasons = Counter(claim["reason"] for claim in paper["claims"] if claim["verdict"] == NOT_RUN)
    if reasons:
        lines += ["", f"### {NOT_RUN.capitalize()}", ""]
        lines += [f"- {n} claims: {prose(reason)}" for reason, n in reasons.items()]
    return lines


def write_findings(commit: str, claims: list[Path], output: Path) -> None:
    """Write the document.

    Args:
        commit: the project's commit.
        claims: .json files of the papers' claims, at one scale.
        output: the .md file.
    """
    papers = [json.loads(path.read_text(encoding="utf-8")) for path in claims]
    lines = ["# Findings", ""]
    if papers[0]["miniature"]:
        lines += [f"> **Miniature.** {prose(papers[0]['miniature'])}", ""]
    lines += [
        f"Verdicts on the papers' claims at scale {papers[0]['scale']}, commit {commit} (`make findings`). After "
        f"test, level, queries and seeds stand the effects, those that decide first, at most {MOST}; all stand in "
        f"`{Path(papers[0]['path']).parent}/`.",
        "",
        *_overview(papers),
    ]
    for paper in papers:
        lines += _paper(paper)
    write_text(output, "\n".join(lines) + "\n")
