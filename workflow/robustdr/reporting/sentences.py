"""Verdicts as sentences: of a claim, of a paper, and of all papers at a scale."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil

from robustdr.claims.measured import USUAL, detectable
from robustdr.claims.verdicts import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_RUN,
    NOT_TESTABLE,
    OPEN,
    PARTLY,
    SUPPORTED,
    VERDICTS,
    tally,
)
from robustdr.reporting.artifacts import Effect, Record

OPENING = {SUPPORTED: "Supported", PARTLY: "Partly", CONTRADICTED: "Contradicted", INCONCLUSIVE: "Inconclusive"}


def percent(value: float | None) -> str:
    """A share in percent with its sign; – for one that is infinite."""
    return "–" if value is None else f"{round(100 * value, 1) + 0.0:+.1f}%"


def numbers(effect: Effect) -> str:
    """An effect in numbers: its size, its interval with the level, p, what the paper prints, and the power for that."""
    text = f"{percent(effect['size'])}, {100 * USUAL:g} % interval {' to '.join(map(percent, effect['interval']))}"
    text += f", p = {effect['p']:.2g}"
    if not effect["printed"]:
        return text
    low, high = map(percent, effect["printed"])
    power = "" if effect["power"] is None else f" (power {effect['power']:.2f})"
    return f"{text}; printed {low if low == high else f'{low} to {high}'}{power}"


def smallest(effect: Effect) -> float | None:
    """The smallest effect that these queries and runs show with probability `POWER`; None without an interval."""
    low, high = effect["low"], effect["high"]
    return None if low is None or high is None else detectable((high - low) / 2, effect["confidence"])


def queries_for_printed(effect: Effect) -> int | None:
    """About how many queries show the printed effect with probability `POWER`, if runs do not vary; None if none do.

    The error of a mean falls with the root of the number of queries.
    """
    smallest_size, (low, high) = smallest(effect), effect["printed"] or (None, None)
    if smallest_size is None or low is None or high is None or not (size := (low + high) / 2):
        return None
    return ceil(effect["queries"] * (smallest_size / size) ** 2)


def of_claim(claim: Record) -> str:
    """The verdict on a claim as a sentence, with the numbers of the effect that supports it least."""
    verdict, effects = claim["verdict"], claim["effects"]
    reason = f" {claim['reason'][:1].upper()}{claim['reason'][1:]}." if claim["reason"] else ""
    if verdict == NOT_TESTABLE:
        return f"It cannot be tested here: {claim['why'] or claim['reason']}."
    if verdict == NOT_RUN or not effects:
        return f"It was not run here: {claim['reason']}." if claim["reason"] else "It was not run here."
    first = effects[0]
    opening = f"{OPENING[verdict]}: {claim['why']}" if claim["why"] else OPENING[verdict]
    if len(effects) == 1:
        return f"{opening}. {numbers(first)}.{reason}"
    counts = tally(effect["verdict"] for effect in effects)
    return f"{opening}: {counts}. The weakest: {first['words']}: {numbers(first)}.{reason}"


def counted(verdicts: Mapping[str, int]) -> str:
    """The number of claims by verdict, in words, best first."""
    return ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS if verdicts.get(verdict))


def of_paper(claims: Sequence[Record], sentences: Mapping[str, int]) -> str:
    """What a paper's headline claims come to, as a sentence.

    Args:
        sentences: the number of headline sentences by verdict.
    """
    if not (total := sum(sentences.values())):
        return f"No claim of its abstract is among the {len(claims)} that are tested."
    return f"Its abstract and conclusion rest on {total} claims: {counted(sentences)}."


def of_scale(scale: str, sentences: Sequence[Mapping[str, int]], gains: str, rank: float | None) -> str:
    """The answer of a scale, in sentences: do the papers' headline claims replicate?

    Args:
        sentences: the number of headline sentences by verdict, one a paper. gains: which methods gain, as a sentence.
        rank: Spearman's correlation of reported and reproduced drops.
    """
    verdicts = sum((Counter(counts) for counts in sentences), Counter[str]())
    open_ = sum(verdicts[verdict] for verdict in OPEN)
    decided = verdicts.total() - open_
    supported, partly = verdicts[SUPPORTED], verdicts[PARTLY]
    answer_parts = [
        f"Abstracts and conclusions rest on {verdicts.total()} claims. At scale {scale}, {decided} of them can be "
        f"decided: {supported} supported, {partly} partly, {decided - supported - partly} contradicted.",
        gains,
        "" if rank is None else f"Drops as printed and here have a rank correlation of {rank:.2f}.",
    ]
    return " ".join(filter(None, answer_parts))
