"""The findings on one page: what each paper's headline sentences come to, here and by the paper's own numbers."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from textwrap import shorten
from typing import NamedTuple

from robustdr.audit.printed_claims import percent
from robustdr.claims.intervals import bounds
from robustdr.claims.measured import difference
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
from robustdr.evaluation.statistics import holm
from robustdr.reporting import naming
from robustdr.reporting.artifacts import Claims, Effect, Record, is_headline, is_hypothesis
from robustdr.reporting.claims import SIGN

QUOTED = 64  # characters of a sentence that the page quotes


class Part(NamedTuple):
    """What one step of a chain of controls adds, as a share of the first system's mean on the original queries."""

    size: float
    low: float
    high: float


class Chain(NamedTuple):
    """A method's gain, by step: None if the next step comes with it. `measured` says of what, on what."""

    label: str
    parts: dict[str, Part | None]
    measured: str


class OtherSetting(NamedTuple):
    """The same claims in another setting: its name, what the verdicts were reached on, and the papers by title."""

    setting: str
    basis: str
    papers: dict[str, Claims]


class Sentence(NamedTuple):
    """A headline sentence of a paper: its parts that were judged, the weakest first, and the verdict on all of them.

    If none was judged, `parts` are those that were not. `short` is the sentence in a few words of this project's.
    """

    parts: list[Record]
    verdict: str
    unjudged: Counter[str]
    """Parts that are not testable or were not run, by verdict."""
    short: str

    @property
    def part(self) -> Record:
        """Return the part with the comparison that supports the sentence least."""
        return self.parts[0]

    @property
    def comparisons(self) -> list[tuple[Record, Effect]]:
        """Return the comparisons with their parts, the one that supports the sentence least first."""
        return [(part, effect) for part in self.parts for effect in part["effects"]]

    @property
    def effects(self) -> list[Effect]:
        return [effect for _, effect in self.comparisons]

    @property
    def is_judged(self) -> bool:
        return self.verdict not in UNJUDGED

    @property
    def why(self) -> str:
        """Return why it was not judged, or is open."""
        return self.part["why"] or self.part["reason"]

    @property
    def words(self) -> str:
        """The verdict; for some of several comparisons with their numbers, and with the parts that were not judged."""
        words = self.verdict
        if self.verdict == PARTLY:
            words = f"{PARTLY}: {tally(effect['verdict'] for effect in self.effects)}"
        return f"{words} ({self.unjudged_parts})" if self.unjudged else words

    @property
    def supported(self) -> str:
        """How many of its comparisons support it."""
        return f"{sum(effect['verdict'] == SUPPORTED for effect in self.effects)} of {len(self.effects)} comparisons"

    @property
    def unjudged_parts(self) -> str:
        """How many of its parts were not judged, as `2 other parts: not run`."""
        return ", ".join(
            f"{count} other part{'s' if count > 1 else ''}: {verdict}" for verdict, count in self.unjudged.items()
        )

    @property
    def power(self) -> float | None:
        """Return the smallest power of its comparisons; None if no printed effect goes its way."""
        return min((effect["power"] for effect in self.effects if effect["power"] is not None), default=None)


def sentences(paper: Claims, chosen: Callable[[Record], bool] = is_headline) -> list[Sentence]:
    """Return a paper's headline sentences, or the others that are chosen by their parts."""
    parts: dict[str, list[Record]] = {}
    for claim in filter(chosen, paper["claims"]):
        parts.setdefault(claim["sentence"], []).append(claim)
    verdicts = sentence_verdicts(
        (sentence, record["verdict"]) for sentence, records in parts.items() for record in records
    )
    headline_sentences = []
    for records, verdict in zip(parts.values(), verdicts, strict=True):
        judged = [record for record in records if record["verdict"] not in UNJUDGED]
        weakest = sorted(judged, key=lambda record: (-record["effects"][0]["there"], record["effects"][0]["against"]))
        unjudged = Counter(record["verdict"] for record in records if record not in judged)
        short = next((record["short"] for record in records if record["short"]), records[0]["sentence"])
        headline_sentences.append(Sentence(weakest or records, verdict, unjudged if weakest else Counter(), short))
    return headline_sentences


def judged(
    paper: Claims, second: OtherSetting | None, chosen: Callable[[Record], bool] = is_headline
) -> list[tuple[Sentence, ...]]:
    """Return a paper's `sentences` in this and the second setting, if one of these judged them."""
    documents = [paper, second.papers[paper["title"]]] if second else [paper]
    rows = zip(*(sentences(document, chosen) for document in documents), strict=True)
    return [row for row in rows if any(sentence.is_judged for sentence in row)]


def banner(paper: Claims) -> str:
    """Return what a miniature has in place of the papers' data, without amounts; '' for no miniature."""
    return paper["miniature"].partition(" Amounts:")[0]


def answer(papers: Iterable[Claims], setting: str = "") -> list[str]:
    """Return what held, what held in part, what is open or contradicted, and what cannot be known: a line for each.

    Args:
        setting: where, if readers must be told; then what was not judged is left out.
    """
    sentence_pairs = [(sentence, paper) for paper in papers for sentence in sentences(paper)]
    place = f" on {setting}" if setting else ""

    def sentence_text(sentence: Sentence, paper: Claims) -> str:
        if sentence.is_judged:
            notes = [sentence.unjudged_parts] if sentence.unjudged else []
            if sentence.verdict == PARTLY:
                notes = [sentence.supported, *notes]
            if sentence.verdict == CONTRADICTED:
                against = sum(effect["verdict"] == CONTRADICTED for effect in sentence.effects)
                notes = [f"against it: {against} of {len(sentence.effects)} comparisons", *notes]
            notes += dict.fromkeys(part["doubt"] for part in sentence.parts if part["doubt"])
            if sentence.verdict == INCONCLUSIVE and sentence.why:
                notes = [_first_reason(sentence, paper), *notes]
            return f"{plain(sentence.short)} ({'; '.join(notes)})" if notes else plain(sentence.short)
        why = _first_reason(sentence, paper)
        return f"{plain(sentence.short)} ({why})" if sentence.verdict == NOT_RUN else why

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
        text_counts = Counter(
            sentence_text(sentence, paper) for sentence, paper in sentence_pairs if sentence.verdict in verdicts
        )
        if text_counts and not (setting and set(verdicts) <= set(UNJUDGED)):
            texts = (f"{text} ({count} sentences)" if count > 1 else text for text, count in text_counts.items())
            because = ", because" if NOT_TESTABLE in verdicts else ""
            lines.append(
                f"**{name}{place}** ({text_counts.total()} of {len(sentence_pairs)} sentences){because}: "
                f"{'; '.join(texts)}."
            )
    if setting:
        unjudged = sum(not sentence.is_judged for sentence, _ in sentence_pairs)
        lines.append(f"**Not judged{place}**: {unjudged} of {len(sentence_pairs)} sentences.")
    return lines


def _why(sentence: Sentence, paper: Claims) -> str:
    """Return why a sentence was not judged or is open, in Markdown: a control that did not pass, by its requirement."""
    requirements = {}
    for control in paper["controls"]:
        state = "is open" if control["state"] == INCONCLUSIVE else control["state"]
        requirements[f"{control['name']} {state}"] = f"a control {state}: {control['what'].partition(' (')[0]}"
    return readable(naming.replace_names(sentence.why, requirements), paper)


def _first_reason(sentence: Sentence, paper: Claims) -> str:
    return _why(sentence, paper).partition("; ")[0]


def readable(text: str, paper: Claims) -> str:
    """Return a text with the paper's names, in Markdown."""
    return plain(naming.readable(text, paper["names"]))


def _quoted(sentence: str) -> str:
    return f"“{plain(shorten(sentence, QUOTED, placeholder=' […]'))}”"


def _table(heading: str, rows: list[str], second: OtherSetting | None, setting: str) -> list[str]:
    """The rows of sentences (see `_row`) below their head; none if there are no rows."""
    if not rows:
        return []
    head = [heading, "Verdict", "On", "Weakest comparison", "p", "Least power"]
    aligned = ["---", "---", "---", "---", "---:", "---:"]
    if second:
        head[1] += f" on {setting}"
        head += [f"Verdict on {second.setting}", "Weakest comparison there", "Do the two differ?"]
        aligned += ["---"] * 3
    return ["", table_row(head), table_row(aligned), *rows]


def _row(text: str, row: tuple[Sentence, ...], paper: Claims, second: OtherSetting | None) -> str:
    """A sentence's text and source, and its verdict and weakest comparison in each setting (see `judged`)."""
    sentence, *second_sentences = row
    text = f"{text} ({plain(sentence.part['source'].partition(';')[0])})"
    cells = [text, _verdict(sentence, paper), *_numbers(sentence, paper)]
    if second:
        (second_sentence,) = second_sentences
        second_paper = second.papers[paper["title"]]
        numbers = _numbers(second_sentence, second_paper)
        weakest = "–" if second_sentence.verdict == NOT_RUN else numbers[1]
        cells += [_verdict(second_sentence, second_paper), weakest, _differences(sentence, second_sentence, paper)]
    return table_row(cells)


def _verdict(sentence: Sentence, paper: Claims) -> str:
    """The verdict; with the first control that leaves it open, if one does."""
    why = f": {_first_reason(sentence, paper)}" if sentence.verdict == INCONCLUSIVE and sentence.why else ""
    return f"**{sentence.words}**{why}"


def _headlines(paper: Claims, second: OtherSetting | None, setting: str) -> list[str]:
    """A row for each headline sentence that was judged, in either setting if there are two."""
    rows = [_row(_quoted(row[0].part["sentence"]), row, paper, second) for row in judged(paper, second)]
    return _table("Sentence", rows, second, setting)


def _hypotheses(paper: Claims, second: OtherSetting | None, setting: str) -> list[str]:
    """A row for each hypothesis of this project that was judged, in either setting if there are two."""
    judged_rows = judged(paper, second, is_hypothesis)
    rows = [_row(plain(row[0].part["claim"]), row, paper, second) for row in judged_rows]
    text = "Hypotheses of this project. Their tests are not corrected for the number of hypotheses."
    return ["", text, *_table("Hypothesis", rows, second, setting)] if rows else []


def _numbers(sentence: Sentence, paper: Claims) -> list[str]:
    """Where a sentence was tested, its weakest comparison, p and power; why it was not, if it was not."""
    if not sentence.is_judged:
        return ["–", _why(sentence, paper), "–", "–"]
    effect = sentence.effects[0]
    size = "no finite size" if effect["size"] is None else f"{100 * effect['size']:+.1f}%"
    weakest = f"{effect['words']}: {size} {bounds(*effect['interval'])}"
    low, high = effect["printed"] or (None, None)
    if low is not None and high is not None:
        weakest += f", printed {percent(low, high)}"
    power = "–" if sentence.power is None else f"{sentence.power:.2f}"
    return [plain(sentence.part["place"]), readable(weakest, paper), f"{effect['p']:.2g}", power]


def _differences(first: Sentence, second: Sentence, paper: Claims) -> str:
    """How many of a sentence's comparisons differ between two settings, by Holm, and the clearest difference."""
    if not (first.is_judged and second.is_judged):
        return "–"
    second_effects = {(part["claim"], effect["words"]): effect for part, effect in second.comparisons}
    differences = {
        compared: difference(effect["size"], interval, second_effect["size"], other_interval)
        for part, effect in first.comparisons
        if (second_effect := second_effects.get(compared := (part["claim"], effect["words"])))
        and effect["size"] is not None
        and second_effect["size"] is not None
        and (interval := _finite(effect))
        and (other_interval := _finite(second_effect))
    }
    if not differences:
        return "–"
    p_values = holm([value.p for value in differences.values()])
    (_, words), clearest = min(differences.items(), key=lambda item: item[1].p)
    size = f"{100 * clearest.size:+.1f} {bounds(clearest.low, clearest.high)}"
    count = sum(p < 0.05 for p in p_values)
    return f"{count} of {len(differences)} differ; clearest {readable(words, paper)}: {size}, p = {min(p_values):.2g}"


def _finite(effect: Effect) -> tuple[float, float] | None:
    low, high = effect["interval"]
    return None if low is None or high is None else (low, high)


def _unjudged(paper: Claims) -> list[str]:
    """A line for each reason why headline sentences were not judged, with these."""
    reasons: dict[str, list[str]] = {}
    for sentence in sentences(paper):
        if not sentence.is_judged:
            reasons.setdefault(f"**{sentence.verdict}**: {_why(sentence, paper)}", []).append(plain(sentence.short))
    return (
        ["", *(f"- {reason}: {'; '.join(sentence_texts)}" for reason, sentence_texts in reasons.items())]
        if reasons
        else []
    )


def _contradicted(paper: Claims) -> list[str]:
    """A line for each part of a headline sentence that the paper's own numbers contradict."""
    lines = []
    for sentence in sentences(paper):
        for part in sentence.parts:
            printed_verdict = part["as_printed"]
            if printed_verdict["verdict"] == CONTRADICTED:
                evidence = readable(printed_verdict["evidence"][0].partition(f": {CONTRADICTED}")[0], paper)
                doubted = "; the audit doubts these numbers" if printed_verdict["findings"] else ""
                part_text = part["claim"].removeprefix(part["sentence"]).removeprefix(": ")
                lines.append(f"- {_quoted(part['sentence'])} {plain(part_text)}: {evidence}{doubted}.")
    return ["", "The paper's own numbers contradict these sentences:", "", *lines] if lines else []


def _chains(chains: Sequence[Chain]) -> list[str]:
    if not chains:
        return []
    links = list(chains[0].parts)
    lines = [
        *["", "## What each method's gain is made of", ""],
        f"Gains by {plain(chains[0].measured)}, each step over the one before it. – : the next step comes with it.",
        "",
        table_row(["Method", *links]),
        table_row(["---", *["---"] * len(links)]),
    ]
    for chain in chains:
        parts = (
            f"{100 * part.size:+.1f}% {bounds(part.low, part.high)}" if part else "–" for part in chain.parts.values()
        )
        lines.append(table_row([plain(chain.label), *parts]))
    return lines


def write_findings(
    basis: str,
    papers: dict[Path, Claims],
    chains: Sequence[Chain],
    ledger: str,
    output: Path,
    setting: str = "",
    second: OtherSetting | None = None,
) -> None:
    """Write the page.

    Args:
        basis: what the verdicts were reached on, as a sentence. papers: claims at one scale, by their .json file.
        chains: what the gains of the compared methods are made of. ledger: the digest of the evidence.
        output: the .md file. setting: what the papers were run on. second: the verdicts of another setting.
    """
    with_headlines = [paper for paper in papers.values() if sentences(paper)]
    miniature = banner(next(iter(papers.values())))
    lines = [f"<!-- findings of {ledger} -->", "# Findings", ""]
    lines += [f"> **Miniature.** {prose(miniature)}", ""] if miniature else []
    answers = answer(with_headlines)
    if second:
        answers += answer(second.papers.values(), second.setting)
    lines += [
        *(line for paragraph in answers for line in (paragraph, "")),
        f"{plain(basis)} All numbers: `{next(iter(papers)).parent}/`. Words: [verdicts](explanation/verdicts.md).",
        "",
    ]
    if second:
        texts = dict.fromkeys(map(banner, second.papers.values()))
        miniature = " ".join(filter(None, texts))
        lines += [f"**On {second.setting}.** {prose(miniature)} {plain(second.basis)}", ""]
    lines += [
        "How to read the tables:",
        "",
        f"- {SIGN}",
        "- A row has the comparison that supports its sentence least, with its 95 % interval.",
        "- p is two-sided; against a bound (±2 % for “similar”) it is one-sided.",
        "- “8 of 9 comparisons” is after Holm's correction within the sentence.",
        "- Power is how often our test shows the printed effect.",
        "- “The gain may have another cause”: what the method alone adds is not surely above 0.",
    ]
    if second:
        lines.append(
            f"- The last column is the effect on {second.setting} minus that on {setting}, in points. Positive: less "
            "lost, or more gained. p is corrected (Holm)."
        )
    for paper in with_headlines:
        lines += ["", f"## {plain(paper['title'])}"]
        lines += [*_headlines(paper, second, setting), *_unjudged(paper), *_contradicted(paper)]
    for paper in papers.values():
        if not sentences(paper) and (rows := _hypotheses(paper, second, setting)):
            lines += ["", f"## {plain(paper['title'])}", *rows]
    lines += _chains(chains)
    write_text(output, "\n".join(lines) + "\n")
