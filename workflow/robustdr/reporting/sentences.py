"""Verdicts as sentences: of a claim, of a paper, and of all papers at a scale."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil

from robustdr.claims.controls import PASSES
from robustdr.claims.measured import USUAL, detectable
from robustdr.claims.verdicts import (
    ABSENT,
    AS_PRINTED,
    LARGER,
    NOT_RUN,
    NOT_SEEN,
    NOT_TESTABLE,
    OPEN,
    OPPOSITE,
    PARTLY,
    SEEN,
    SHOWN,
    SMALLER,
    UNDECIDED,
    VERDICTS,
)
from robustdr.reporting.written import Control, Effect, Record

OPENING = {
    SEEN: "The effect is there",
    AS_PRINTED: "The effect is there, as large as printed",
    SMALLER: "The effect is there, but smaller than printed",
    LARGER: "The effect is there, and larger than printed",
    NOT_SEEN: "Our runs do not show the effect, and would show one as large as printed",
    ABSENT: "We found no effect, and one as large as printed would have shown",
    OPPOSITE: "The effect goes the other way",
    UNDECIDED: "Our data allow both no effect and the printed one",
}


def percent(value: float | None) -> str:
    """A share in percent with its sign; – for one that is infinite."""
    return "–" if value is None else f"{round(100 * value, 1) + 0.0:+.1f}%"


def numbers(effect: Effect) -> str:
    """An effect in numbers: its size, its interval with the level, and what the paper prints."""
    found = f"{percent(effect['size'])}, {100 * USUAL:g} % interval {' to '.join(map(percent, effect['interval']))}"
    if not effect["printed"]:
        return found
    low, high = map(percent, effect["printed"])
    return f"{found}; printed {low if low == high else f'{low} to {high}'}"


def smallest(effect: Effect) -> float | None:
    """The smallest effect that these queries and runs show with probability `POWER`; None without an interval."""
    low, high = effect["low"], effect["high"]
    return None if low is None or high is None else detectable((high - low) / 2, effect["confidence"])


def queries_for_printed(effect: Effect) -> int | None:
    """About how many queries show the printed effect with probability `POWER`, if runs do not vary; None if none do.

    The error of a mean falls with the root of the number of queries.
    """
    here, (low, high) = smallest(effect), effect["printed"] or (None, None)
    if here is None or low is None or high is None or not (size := (low + high) / 2):
        return None
    return ceil(effect["queries"] * (here / size) ** 2)


def of_claim(claim: Record, controls: Mapping[str, Control]) -> str:
    """The verdict on a claim as a sentence, with the numbers of the effect that decides."""
    verdict, effects = claim["verdict"], claim["effects"]
    if verdict == NOT_TESTABLE and claim["replaced"]:
        return f"It cannot be tested here: {claim['replaced']}."
    if verdict == NOT_TESTABLE:
        lacking = [controls[name] for name in claim["needs"] if name in controls]
        failed = [f"{one['what']} ({one['state']})" for one in lacking if one["state"] != PASSES]
        return f"It cannot be tested here, because a control does not pass: {'; '.join(failed) or claim['reason']}."
    if verdict == NOT_RUN or not effects:
        return f"It was not run here: {claim['reason']}." if claim["reason"] else "It was not run here."
    first, several = effects[0], len(effects) > 1
    named = f"{first['words']}: " if first["words"] and several else ""
    if verdict == PARTLY:
        shown = sum(effect["verdict"] in SHOWN for effect in effects)
        others = f"The first of the others: {named}{numbers(first)}"
        return f"{shown} of {len(effects)} comparisons go the claim's way. {others}."
    if verdict in SHOWN and several:
        least = min(effects, key=lambda effect: (effect["size"] or 0.0) * (-1 if effect["down"] else 1))
        return (
            f"{OPENING[verdict]} in all {len(effects)} comparisons. The smallest: {least['words']}: {numbers(least)}."
        )
    if verdict == UNDECIDED and claim["reason"]:
        if all(effect["verdict"] in SHOWN for effect in effects):  # the correction over claims fails the weakest
            first = max(effects, key=lambda effect: effect["p"])
            named = f"{first['words']}: " if several else ""
        return f"Undecided: {claim['reason']}. {named}{numbers(first)}."
    return f"{OPENING[verdict]}. {named}{numbers(first)}." if named else f"{OPENING[verdict]}: {numbers(first)}."


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
    every = sum((Counter(of) for of in sentences), Counter[str]())
    open_ = sum(every[verdict] for verdict in OPEN)
    decided = every.total() - open_
    seen, partly = sum(every[verdict] for verdict in SHOWN), every[PARTLY]
    found = [
        f"Abstracts and conclusions rest on {every.total()} claims. At scale {scale}, {decided} of them can be "
        f"decided: {seen} seen, {partly} partly, {decided - seen - partly} not.",
        gains,
        "" if rank is None else f"Drops as printed and here have a rank correlation of {rank:.2f}.",
    ]
    return " ".join(filter(None, found))
