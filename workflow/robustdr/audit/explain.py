"""The simplest hypothesis under which broken relations would hold; reports call it a hypothesis, never a fact."""

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from math import inf

from robustdr.audit.hypotheses import UNKNOWN, UNPRINTED, VARIANTS, Hypothesis, hypotheses, variant
from robustdr.audit.lookup import Lookup
from robustdr.audit.relations import Check, interval_text
from robustdr.claims.intervals import Interval

Explained = list[tuple[list[Check], Hypothesis]]


def explain(lookup: Lookup, broken: Sequence[Check]) -> Explained:
    """Group the broken checks of one declaration by the hypothesis that explains them (`UNKNOWN` if none does).

    The hypothesis that explains most checks is taken first; among equals, the simplest.
    """
    groups = _cover(lookup, broken, broken)
    first, (_, text) = groups[0]
    unexplained = [check for checks, hypothesis in groups if hypothesis == UNKNOWN for check in checks]
    of_declaration = len(lookup.by_declaration[broken[0].target.table, broken[0].line])
    if unexplained and len(first) * 2 > of_declaration and text == VARIANTS.get(broken[0].kind, ("",) * 3)[2]:
        # If most cells follow another formula, the others are searched with that formula too.
        variants = [variant(check) or check for check in unexplained]
        return [group for group in groups if group[1] != UNKNOWN] + _cover(lookup, variants, unexplained)
    return groups


def _cover(lookup: Lookup, searched: Sequence[Check], broken: Sequence[Check]) -> Explained:
    """Explain each of `broken` by a hypothesis under which the check of the same index in `searched` holds."""
    by_text: dict[str, tuple[int, set[int]]] = {}
    for index, check in enumerate(searched):
        for text, cost in {text: cost for cost, text in hypotheses(lookup, check)}.items():
            by_text.setdefault(text, (cost, set()))[1].add(index)
    for text, indices in _common_bases(broken):
        by_text[text] = UNPRINTED, set(indices)
    groups: Explained = []
    unexplained = set(range(len(broken)))
    texts, candidates = [*by_text], [*by_text.values()]

    def size(place: int) -> int:
        return len(unexplained & candidates[place][1])

    for place in largest_first([cost for cost, _ in candidates], size):
        cost, explained = candidates[place]
        groups.append(([broken[index] for index in sorted(unexplained & explained)], (cost, texts[place])))
        unexplained.difference_update(explained)
    if unexplained:
        groups.append(([broken[index] for index in sorted(unexplained)], UNKNOWN))
    return groups


def largest_first(costs: Sequence[int], size: Callable[[int], int]) -> Iterator[int]:
    """Yield the indices of groups, largest first, then cheapest; groups may shrink meanwhile; empty ones are skipped.

    Args:
        costs: of each group. size: returns the current size of the group at an index.
    """
    waiting = [(-size(place), cost, place) for place, cost in enumerate(costs)]
    heapify(waiting)
    while waiting:
        counted, cost, place = heappop(waiting)
        current_size = size(place)
        if 0 < current_size < -counted:  # it is counted again when it comes first, not in every round
            heappush(waiting, (-current_size, cost, place))
        elif current_size:
            yield place


def _common_bases(broken: Sequence[Check]) -> list[tuple[str, list[int]]]:
    """Return groups of changes from one declared baseline that would all follow from another, printed or not."""
    by_base: dict[int, list[int]] = {}
    for index, check in enumerate(broken):
        if check.kind == "drop_from" and len(check.operands["main"]) == len(check.operands["of"]) == 1:
            by_base.setdefault(id(check.operands["main"][0]), []).append(index)
    common_bases = []
    for indices in by_base.values():
        common = Interval(-inf, inf)
        for check in (broken[index] for index in indices):
            value, change = check.operands["of"][0].interval, check.target.interval
            if change.low <= -1:  # a loss of everything, which no baseline follows from
                common = Interval(inf, -inf)
                break
            low, high = value.low / (1 + change.high), value.high / (1 + change.low)
            common = Interval(max(common.low, low), min(common.high, high))
        if len(indices) > 2 and common.low <= common.high:
            declared = broken[indices[0]].operands["main"][0]
            common_bases.append(
                (f"the baseline is {interval_text(common, declared)} in place of {declared.printed}", indices)
            )
    return common_bases
