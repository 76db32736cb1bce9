"""The findings on one page: what each paper's headline claims come to, here and by the paper's own numbers."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from robustdr.audit.printed import percent
from robustdr.claims.controls import FAILS as FAILS_HERE
from robustdr.claims.intervals import bounds
from robustdr.claims.verdicts import FAILS, HOLDS, NOT_RUN, NOT_TESTABLE, UNDECIDED, VERDICTS
from robustdr.core.files import write_text
from robustdr.core.markup import plain, prose, table_row
from robustdr.reporting.written import Claims, Effect, Record

OPEN = (UNDECIDED, NOT_TESTABLE, NOT_RUN)
MOST = 3  # contradictions and controls of a paper that have a line of their own


class Method(NamedTuple):
    """What a method gains over its base on the mean of the variations, as a share of the base's original queries."""

    label: str
    base: str
    size: float
    low: float
    high: float
    seeds: int


def _papers_own(paper: Claims) -> list[Record]:
    return [claim for claim in paper["claims"] if not claim["hypothesis"]]


def _overview(papers: list[Claims]) -> list[str]:
    """A table with a line per paper: its headline claims by verdict, and how many of all its claims are decided."""
    papers = [paper for paper in papers if _papers_own(paper)]
    shown = [v for v in VERDICTS if any(c["verdict"] == v for p in papers for c in _papers_own(p) if c["headline"])]
    lines = [
        table_row(["Paper", "headline claims", *shown, "all claims", "decided", "as printed: hold", "fail"]),
        table_row(["---", *["---:"] * (len(shown) + 5)]),
    ]
    for paper in papers:
        claims = _papers_own(paper)
        head = Counter(claim["verdict"] for claim in claims if claim["headline"])
        said = Counter(claim["as_printed"]["verdict"] for claim in claims)
        decided = sum(claim["verdict"] not in OPEN for claim in claims)
        numbers = [head.total(), *(head[verdict] for verdict in shown), len(claims), decided, said[HOLDS], said[FAILS]]
        lines.append(table_row([plain(paper["title"]), *map(str, numbers)]))
    return lines


def _effect(effect: Effect) -> str:
    size = "no finite size" if effect["size"] is None else f"{100 * effect['size']:+.1f}%"
    text = f"{effect['words']}: {size} {bounds(*effect['interval'])}"
    low, high = effect["printed"] or (None, None)
    return text if low is None or high is None else f"{text}, printed {percent(low, high)}"


def headline(claim: Record) -> str:
    """A claim in one line: verdict, sentence, the effect that decides, and how many single runs agree."""
    effects, again = claim["effects"], claim.get("replicates")
    more = f" (the first of {len(effects)})" if len(effects) > 1 else ""
    facts = [_effect(effects[0]) + more] if effects else []
    facts += [claim["reason"]] if claim["reason"] else []
    facts += [f"{again['same']} of {again['of']} single runs say the same"] if again and again["of"] else []
    words = f"- **{claim['words']}**: {plain(claim['claim'])} ({plain(claim['source'])})."
    return f"{words} {prose('. '.join(facts))}." if facts else words


def _headlines(claims: list[Record]) -> list[str]:
    """A line for each headline claim that was run, and the number of those that were not."""
    ours = [claim for claim in claims if claim["headline"]]
    lines = [headline(claim) for claim in ours if claim["verdict"] != NOT_RUN]
    left = len(ours) - len(lines)
    return [*lines, f"- **{NOT_RUN}**: {left} of {len(ours)} headline claims."] if left else lines


def _listed(what: str, lines: list[str], where: str) -> list[str]:
    """The first lines below a sentence, and how many more there are; nothing without lines."""
    if not lines:
        return []
    rest = [f"- {len(lines) - MOST} more: `{where}`"] if len(lines) > MOST else []
    return ["", what, "", *lines[:MOST], *rest]


def _paper(paper: Claims, where: str) -> list[str]:
    claims = sorted(_papers_own(paper), key=lambda claim: not claim["headline"])
    contradicted = [claim for claim in claims if claim["as_printed"]["verdict"] == FAILS]
    said = [
        f"- {plain(claim['claim'])} ({plain(claim['source'])}). {prose(claim['as_printed']['evidence'][0])}."
        for claim in contradicted
    ]
    failed = [
        f"- {plain(control['what'])}: **{control['state']}**. {prose(control['evidence'])}."
        for control in paper["controls"]
        if control["state"] == FAILS_HERE
    ]
    return [
        *["", f"## {plain(paper['title'])}", ""],
        *_headlines(claims),
        *_listed("The paper's own numbers contradict:", said, where),
        *_listed("This scale cannot say more, because a control fails:", failed, where),
    ]


def _methods(methods: list[Method]) -> list[str]:
    if not methods:
        return []
    lines = [
        *["", "## What each method gains, all variations together", ""],
        table_row(["Method", "over", "gain", "95 % interval", "seeds"]),
        table_row(["---", "---", "---:", "---", "---:"]),
    ]
    for of in methods:
        gain = [f"{100 * of.size:+.1f}%", bounds(of.low, of.high), str(of.seeds)]
        lines.append(table_row([plain(of.label), plain(of.base), *gain]))
    return lines


def write_findings(about: str, papers: dict[Path, Claims], methods: list[Method], output: Path) -> None:
    """Write the page.

    Args:
        about: what the verdicts were reached on, as a sentence. papers: claims at one scale, by their .json file.
        methods: gains in the comparison of all methods. output: the .md file.
    """
    first = next(iter(papers.values()))
    folder = next(iter(papers)).parent
    lines = ["# Findings", ""]
    if first["miniature"]:
        lines += [f"> **Miniature.** {prose(first['miniature'])}", ""]
    lines += [
        f"{plain(about)} `make findings` writes this page. It has the claims that a paper's abstract or conclusion "
        f"rests on; all claims, with every number, stand in `{folder}/`. An effect is a share of the base on the "
        "original queries, with its interval.",
        "",
        *_overview(list(papers.values())),
    ]
    for path, paper in papers.items():
        if any(claim["headline"] for claim in _papers_own(paper)):
            lines += _paper(paper, str(path.with_suffix(".md")))
    shown = {claim["verdict"] for paper in papers.values() for claim in _papers_own(paper) if claim["headline"]}
    lines += [*_methods(methods), "", *(f"- **{v}**: {VERDICTS[v]}." for v in VERDICTS if v in shown)]
    write_text(output, "\n".join(lines) + "\n")
