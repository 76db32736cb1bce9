"""The findings on one page: what each paper's headline claims come to, here and by the paper's own numbers."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from robustdr.audit.printed import percent
from robustdr.claims.controls import PASSES
from robustdr.claims.intervals import bounds
from robustdr.claims.verdicts import (
    CONTRADICTED,
    NOT_RUN,
    NOT_TESTABLE,
    OPEN,
    PARTLY,
    SUPPORTED,
    VERDICTS,
    of_sentences,
    tally,
)
from robustdr.core.files import write_text
from robustdr.core.markup import plain, prose, table_row
from robustdr.reporting.claims import SIGN, counted
from robustdr.reporting.naming import named
from robustdr.reporting.sentences import counted as in_words
from robustdr.reporting.written import Claims, Effect, Record

MOST = 3  # contradictions and controls of a paper that have a line of their own


class Method(NamedTuple):
    """What a method gains over its base on the mean of the variations, as a share of the base's original queries."""

    label: str
    base: str
    size: float
    low: float
    high: float
    seeds: int


class Sentence(NamedTuple):
    """A headline sentence of a paper: its parts that were judged, the weakest first, and the verdict on all of them.

    If none was judged, `parts` are those that were not.
    """

    parts: list[Record]
    verdict: str
    left: Counter[str]
    """Parts that are not testable or were not run, by verdict."""

    @property
    def part(self) -> Record:
        """Return the part with the comparison that supports the sentence least."""
        return self.parts[0]

    @property
    def words(self) -> str:
        if self.verdict == PARTLY:
            return f"{PARTLY}: {tally(effect['verdict'] for one in self.parts for effect in one['effects'])}"
        return self.part["words"] if self.part["verdict"] == self.verdict else self.verdict

    @property
    def power(self) -> float | None:
        """Return the smallest power of its comparisons; None if no printed effect goes its way."""
        found = [effect["power"] for one in self.parts for effect in one["effects"] if effect["power"] is not None]
        return min(found, default=None)


def sentences(paper: Claims) -> list[Sentence]:
    """Return a paper's headline sentences."""
    parts: dict[str, list[Record]] = {}
    for claim in _papers_own(paper):
        if claim["headline"]:
            parts.setdefault(claim["sentence"], []).append(claim)
    verdicts = of_sentences((sentence, one["verdict"]) for sentence, of in parts.items() for one in of)
    found = []
    for of, verdict in zip(parts.values(), verdicts, strict=True):
        judged = [one for one in of if one["verdict"] not in (NOT_RUN, NOT_TESTABLE)]
        weakest = sorted(judged, key=lambda one: (-one["effects"][0]["there"], one["effects"][0]["against"]))
        left = Counter(one["verdict"] for one in of if one not in judged)
        found.append(Sentence(weakest or of, verdict, left if weakest else Counter()))
    return found


def _papers_own(paper: Claims) -> list[Record]:
    return [claim for claim in paper["claims"] if not claim["hypothesis"]]


def _overview(papers: list[Claims]) -> list[str]:
    """A table with a line per paper: its headline sentences by verdict, and how all its sentences are decided."""
    papers = [paper for paper in papers if _papers_own(paper)]
    head = [Counter(sentence.verdict for sentence in sentences(paper)) for paper in papers]
    shown = [verdict for verdict in VERDICTS if any(of[verdict] for of in head)]
    lines = [
        table_row(
            [
                "Paper",
                "headline claims",
                *shown,
                "all claims",
                "decided",
                "its own numbers agree",
                "partly",
                "contradict",
            ]
        ),
        table_row(["---", *["---:"] * (len(shown) + 6)]),
    ]
    for paper, of in zip(papers, head, strict=True):
        here, said = counted(paper["claims"])
        decided = here.total() - sum(here[verdict] for verdict in OPEN)
        agree = [said[SUPPORTED], said[PARTLY], said[CONTRADICTED]]
        numbers = [of.total(), *(of[verdict] for verdict in shown), here.total(), decided, *agree]
        lines.append(table_row([plain(paper["title"]), *map(str, numbers)]))
    return lines


def _effect(effect: Effect, of: int) -> str:
    """The effect that decides, of so many: what is compared, its size here, and as printed."""
    about = effect["words"] + (f" (the weakest of {of} comparisons)" if of > 1 else "")
    size = "no finite size" if effect["size"] is None else f"{100 * effect['size']:+.1f}%"
    text = f"{f'{about}: here' if about else 'here'} {size} {bounds(*effect['interval'])}, p = {effect['p']:.2g}"
    low, high = effect["printed"] or (None, None)
    return text if low is None or high is None else f"{text}, printed {percent(low, high)}"


def _sentence(text: str) -> str:
    return prose(text[:1].upper() + text[1:]) + "."


def _readable(text: str, paper: Claims) -> str:
    """A sentence with the paper's names, and other query sets in words: `typo_mean` is the mean of typo."""
    words = re.sub(r"(\w+)_mean\b", r"mean of \1", named(text, paper["names"]))
    return _sentence(re.sub("(?<=[a-z])_(?=[a-z])", " ", words))


def headline(sentence: Sentence, paper: Claims) -> list[str]:
    """Return the lines of a paper's sentence: verdict and words; the effect that decides; what else must be known."""
    claim = sentence.part
    verdict, effects, again = claim["verdict"], claim["effects"], claim.get("replicates")
    part = claim["claim"].removeprefix(claim["sentence"]).removeprefix(": ")
    several = sum(len(one["effects"]) for one in sentence.parts)
    tested = [_sentence(part)] if part else []
    tested += [_readable(_effect(effects[0], several), paper)] if effects and verdict != NOT_TESTABLE else []
    also = []
    if verdict == NOT_TESTABLE:  # the numbers of a control have a line of their own
        also += [
            f"A control does not pass: {plain(control['what'])} ({control['state']})."
            for control in paper["controls"]
            if control["name"] in claim["needs"] and control["state"] != PASSES
        ]
    else:
        also += [_readable(reason, paper) for reason in _reasons(sentence)]
    if sentence.power is not None and verdict != NOT_TESTABLE:
        also.append(f"Smallest power at the printed size: {sentence.power:.2f}.")
    if again and again["of"] > 1 and verdict not in (NOT_TESTABLE, NOT_RUN):
        also.append(
            f"Judged alone, which widens the intervals, {again['same']} of {again['of']} training runs say “{verdict}”."
        )
    if sentence.left:
        also.append(f"Other parts of the sentence: {in_words(sentence.left)}.")
    lines = [f"- **{sentence.words}**: “{plain(claim['sentence'])}” ({plain(claim['source'])})"]
    return [*lines, *(f"    - {' '.join(of)}" for of in (tested, also) if of)]


def _reasons(sentence: Sentence) -> list[str]:
    """What else is to be said of a sentence's parts: once if it is the same, else with the part."""
    reasons: dict[str, list[str]] = {}
    for one in sentence.parts:
        if one["reason"]:
            reasons.setdefault(one["reason"], []).append(one["claim"].removeprefix(one["sentence"]).removeprefix(": "))
    whole = len(sentence.parts) == 1 or [*map(len, reasons.values())] == [len(sentence.parts)]
    return [reason if whole else f"{' and '.join(parts)}: {reason}" for reason, parts in reasons.items()]


def _headlines(paper: Claims) -> list[str]:
    """A line for each headline sentence that was run, and the number of those that were not."""
    ours = sentences(paper)
    run = [one for one in ours if one.verdict != NOT_RUN]
    lines = [line for one in run for line in headline(one, paper)]
    left = len(ours) - len(run)
    return [*lines, f"- **{NOT_RUN}**: {left} of {len(ours)} headline claims."] if left else lines


def _listed(what: str, lines: list[str], where: str) -> list[str]:
    """The first lines below a sentence, and how many more there are; nothing without lines."""
    if not lines:
        return []
    rest = [f"- {len(lines) - MOST} more: `{where}`"] if len(lines) > MOST else []
    return ["", what, "", *lines[:MOST], *rest]


def _paper(paper: Claims, where: str) -> list[str]:
    claims = sorted(_papers_own(paper), key=lambda claim: not claim["headline"])

    contradicted = [claim for claim in claims if claim["as_printed"]["verdict"] == CONTRADICTED]
    said = [
        f"- {plain(claim['claim'])} ({plain(claim['source'])}). Printed: "
        + _readable(claim["as_printed"]["evidence"][0].removesuffix(f": {CONTRADICTED}"), paper)
        for claim in contradicted
    ]
    failed = [
        f"- {plain(control['what'])}: **{control['state']}**. {_readable(control['evidence'], paper)}"
        for control in paper["controls"]
        if control["state"] not in (PASSES, NOT_RUN)
    ]
    return [
        *["", f"## {plain(paper['title'])}", ""],
        *_headlines(paper),
        *_listed("The paper's own numbers contradict these sentences:", said, where),
        *_listed("Controls that do not pass, so that this scale cannot say more:", failed, where),
    ]


def _methods(methods: list[Method]) -> list[str]:
    if not methods:
        return []
    lines = [
        *["", "## What each method gains, all variations together", ""],
        *["A gain whose interval includes 0 is not told apart from none.", ""],
        table_row(["Method", "over", "gain", "95 % interval", "seeds"]),
        table_row(["---", "---", "---:", "---", "---:"]),
    ]
    for of in methods:
        gain = [f"{100 * of.size:+.1f}%", bounds(of.low, of.high), str(of.seeds)]
        lines.append(table_row([plain(of.label), plain(of.base), *gain]))
    return lines


def write_findings(about: str, papers: dict[Path, Claims], methods: list[Method], ledger: str, output: Path) -> None:
    """Write the page.

    Args:
        about: what the verdicts were reached on, as a sentence. papers: claims at one scale, by their .json file.
        methods: gains in the comparison of all methods. ledger: the digest of the evidence. output: the .md file.
    """
    first = next(iter(papers.values()))
    folder = next(iter(papers)).parent
    lines = [f"<!-- findings of {ledger} -->", "# Findings", ""]
    if first["miniature"]:
        lines += [f"> **Miniature.** {prose(first['miniature'])}", ""]
    shown = {sentence.verdict for paper in papers.values() for sentence in sentences(paper)}
    lines += [
        f"{plain(about)} `make findings` writes this page. It has the claims that a paper's abstract or conclusion "
        f"rests on; all claims, with every number, stand in `{folder}/`.",
        "",
        *_overview(list(papers.values())),
        "",
        *(f"- **{verdict}**: {VERDICTS[verdict]}." for verdict in VERDICTS if verdict in shown),
        "",
        f"{SIGN} Brackets hold its 95 % interval. “Printed” is the same effect from the paper's numbers, within their "
        "rounding. If a sentence makes several comparisons, the one that supports it least is shown, "
        "with its p. Power: how often our test shows an effect as large as printed.",
    ]
    for path, paper in papers.items():
        if any(claim["headline"] for claim in _papers_own(paper)):
            lines += _paper(paper, str(path.with_suffix(".md")))
    lines += _methods(methods)
    write_text(output, "\n".join(lines) + "\n")
