"""The findings on one page: what each paper's headline sentences come to, here and by the paper's own numbers."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import shorten
from typing import NamedTuple

from robustdr.audit.printed import percent
from robustdr.claims.intervals import bounds
from robustdr.claims.verdicts import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_RUN,
    NOT_TESTABLE,
    PARTLY,
    SUPPORTED,
    UNJUDGED,
    sentence_verdicts,
    tally,
)
from robustdr.core.files import write_text
from robustdr.core.markup import plain, prose, table_row
from robustdr.reporting.claims import SIGN
from robustdr.reporting.naming import named
from robustdr.reporting.written import Claims, Effect, Record

QUOTED = 64  # characters of a sentence that the page quotes


class Part(NamedTuple):
    """What one step of a chain of controls adds, as a share of the first system's mean on the original queries."""

    size: float
    low: float
    high: float


class Chain(NamedTuple):
    """A method's gain on the mean of the variations, by step: None if the next step comes with it."""

    label: str
    parts: dict[str, Part | None]


class Sentence(NamedTuple):
    """A headline sentence of a paper: its parts that were judged, the weakest first, and the verdict on all of them.

    If none was judged, `parts` are those that were not. `short` is the sentence in a few words of this project's.
    """

    parts: list[Record]
    verdict: str
    left: Counter[str]
    """Parts that are not testable or were not run, by verdict."""
    short: str

    @property
    def part(self) -> Record:
        """Return the part with the comparison that supports the sentence least."""
        return self.parts[0]

    @property
    def effects(self) -> list[Effect]:
        """Return the comparisons of all parts, the one that supports the sentence least first."""
        return [effect for one in self.parts for effect in one["effects"]]

    @property
    def why(self) -> str:
        """Return why it was not judged."""
        return self.part["why"] or self.part["reason"]

    @property
    def words(self) -> str:
        """The verdict; for some of several comparisons with their numbers, and with the parts that were not judged."""
        words = self.verdict
        if self.verdict == PARTLY:
            words = f"{PARTLY}: {tally(effect['verdict'] for effect in self.effects)}"
        left = ", ".join(f"{count} {verdict}" for verdict, count in self.left.items())
        return f"{words} (other parts: {left})" if left else words

    @property
    def power(self) -> float | None:
        """Return the smallest power of its comparisons; None if no printed effect goes its way."""
        return min((effect["power"] for effect in self.effects if effect["power"] is not None), default=None)


def sentences(paper: Claims) -> list[Sentence]:
    """Return a paper's headline sentences."""
    parts: dict[str, list[Record]] = {}
    for claim in paper["claims"]:
        if claim["headline"] and not claim["hypothesis"]:
            parts.setdefault(claim["sentence"], []).append(claim)
    verdicts = sentence_verdicts((sentence, one["verdict"]) for sentence, of in parts.items() for one in of)
    found = []
    for of, verdict in zip(parts.values(), verdicts, strict=True):
        judged = [one for one in of if one["verdict"] not in UNJUDGED]
        weakest = sorted(judged, key=lambda one: (-one["effects"][0]["there"], one["effects"][0]["against"]))
        left = Counter(one["verdict"] for one in of if one not in judged)
        short = next((one["short"] for one in of if one["short"]), of[0]["sentence"])
        found.append(Sentence(weakest or of, verdict, left if weakest else Counter(), short))
    return found


def answer(papers: Iterable[Claims]) -> list[str]:
    """Return what held, what held in part, what is open or contradicted, and what cannot be known: a line for each."""
    every = [(one, paper) for paper in papers for one in sentences(paper)]

    def told(one: Sentence, paper: Claims) -> str:
        if one.verdict == PARTLY:
            supported = sum(effect["verdict"] == SUPPORTED for effect in one.effects)
            return f"{plain(one.short)} ({supported} of {len(one.effects)} comparisons)"
        if one.verdict not in UNJUDGED:
            return plain(one.short)
        why = readable(one.why.partition("; ")[0], paper)
        return f"{plain(one.short)} ({why})" if one.verdict == NOT_RUN else why

    groups = {
        "Held": (SUPPORTED,),
        "Held in part": (PARTLY,),
        "Open": (INCONCLUSIVE,),
        "Contradicted": (CONTRADICTED,),
        "Cannot be known here": (NOT_TESTABLE,),
        "Not run": (NOT_RUN,),
    }
    lines = []
    for name, verdicts in groups.items():
        said = Counter(told(one, paper) for one, paper in every if one.verdict in verdicts)
        if said:
            texts = (f"{text} ({count})" if count > 1 else text for text, count in said.items())
            lines.append(f"**{name}** ({said.total()} of {len(every)} sentences): {'; '.join(texts)}.")
    return lines


def _effect(effect: Effect) -> str:
    """What is compared, its size here with its interval, and as printed."""
    size = "no finite size" if effect["size"] is None else f"{100 * effect['size']:+.1f}%"
    text = f"{effect['words']}: {size} {bounds(*effect['interval'])}"
    low, high = effect["printed"] or (None, None)
    return text if low is None or high is None else f"{text}, printed {percent(low, high)}"


def readable(text: str, paper: Claims) -> str:
    """Return a text with the paper's names, and other query sets in words: `typo_mean` is the mean of typo."""
    words = re.sub(r"(\w+)_mean\b", r"mean of \1", named(text, paper["names"]))
    return plain(re.sub("(?<=[a-z])_(?=[a-z])", " ", words))


def _quoted(sentence: str) -> str:
    return f"“{plain(shorten(sentence, QUOTED, placeholder=' […]'))}”"


def _judged(paper: Claims) -> list[str]:
    """A row for each headline sentence that was judged."""
    found = [one for one in sentences(paper) if one.verdict not in UNJUDGED]
    if not found:
        return []
    lines = [
        "",
        table_row(["Sentence", "Verdict", "On", "Weakest comparison", "p", "Least power"]),
        table_row(["---", "---", "---", "---", "---:", "---:"]),
    ]
    for one in found:
        effect = one.effects[0]
        power = "–" if one.power is None else f"{one.power:.2f}"
        place, compared = plain(one.part["place"]), readable(_effect(effect), paper)
        quote = f"{_quoted(one.part['sentence'])} ({plain(one.part['source'].partition(';')[0])})"
        lines.append(table_row([quote, f"**{one.words}**", place, compared, f"{effect['p']:.2g}", power]))
    return lines


def _unjudged(paper: Claims) -> list[str]:
    """A line for each reason why headline sentences were not judged, with these."""
    reasons: dict[str, list[str]] = {}
    for one in sentences(paper):
        if one.verdict in UNJUDGED:
            reasons.setdefault(f"**{one.verdict}**: {readable(one.why, paper)}", []).append(plain(one.short))
    return ["", *(f"- {reason}: {'; '.join(of)}" for reason, of in reasons.items())] if reasons else []


def _contradicted(paper: Claims) -> list[str]:
    """A line for each part of a headline sentence that the paper's own numbers contradict."""
    lines = []
    for one in sentences(paper):
        for part in one.parts:
            said = part["as_printed"]
            if said["verdict"] == CONTRADICTED:
                evidence = readable(said["evidence"][0].partition(f": {CONTRADICTED}")[0], paper)
                doubted = "; the audit doubts these numbers" if said["findings"] else ""
                about = part["claim"].removeprefix(part["sentence"]).removeprefix(": ")
                lines.append(f"- {_quoted(part['sentence'])} {plain(about)}: {evidence}{doubted}.")
    return ["", "The paper's own numbers contradict these sentences:", "", *lines] if lines else []


def _paper(paper: Claims) -> list[str]:
    return ["", f"## {plain(paper['title'])}", *_judged(paper), *_unjudged(paper), *_contradicted(paper)]


def _chains(chains: Sequence[Chain]) -> list[str]:
    if not chains:
        return []
    links = list(chains[0].parts)
    lines = [
        *["", "## What each method's gain is made of", ""],
        "Gains on the mean of all variations, each step over the one before it. – : the next step comes with it.",
        "",
        table_row(["Method", *links]),
        table_row(["---", *["---"] * len(links)]),
    ]
    for chain in chains:
        parts = (f"{100 * of.size:+.1f}% {bounds(of.low, of.high)}" if of else "–" for of in chain.parts.values())
        lines.append(table_row([plain(chain.label), *parts]))
    return lines


def write_findings(about: str, papers: dict[Path, Claims], chains: Sequence[Chain], ledger: str, output: Path) -> None:
    """Write the page.

    Args:
        about: what the verdicts were reached on, as a sentence. papers: claims at one scale, by their .json file.
        chains: what the gains of the compared methods are made of. ledger: the digest of the evidence.
        output: the .md file.
    """
    with_headlines = [paper for paper in papers.values() if sentences(paper)]
    miniature = next(iter(papers.values()))["miniature"].partition(" Amounts:")[0]
    lines = [f"<!-- findings of {ledger} -->", "# Findings", ""]
    lines += [f"> **Miniature.** {prose(miniature)}", ""] if miniature else []
    lines += [
        *(line for said in answer(with_headlines) for line in (said, "")),
        f"{plain(about)} `make findings` writes this page from them. All claims, controls and numbers stand in "
        f"`{next(iter(papers)).parent}/`. [Verdicts](explanation/verdicts.md) says what the words mean.",
        "",
        f"{SIGN} Each row has the comparison that supports its sentence least: the effect here with its 95 % interval, "
        "and as printed. p is two-sided against no effect; where a sentence sets a bound (±2 % for “similar”), it is "
        "one-sided against that. Intervals and p are of one comparison; the counts are corrected for all of a sentence "
        "(Holm). Power: how often our test shows an effect of printed size.",
    ]
    for paper in with_headlines:
        lines += _paper(paper)
    lines += _chains(chains)
    write_text(output, "\n".join(lines) + "\n")
