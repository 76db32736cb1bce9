"""What a paper's claims say together: a correction over its headline claims, and what chance alone would show."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from robustdr.claims.claim import Claim
from robustdr.claims.effects import ABOVE
from robustdr.claims.measured import Verdict
from robustdr.claims.verdicts import NOT_RUN, NOT_TESTABLE, OPPOSITE, SHOWN, UNDECIDED
from robustdr.evaluation.statistics import holm


def _tested(verdict: Verdict) -> bool:
    return verdict.verdict not in (NOT_RUN, NOT_TESTABLE) and all(effect.known for effect in verdict.effects)


def corrected(claims: Sequence[Claim], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts after Holm's correction over the headline claims that were tested.

    One that says that the effect is there, or the opposite, is undecided if its corrected p is not below its level.
    """
    made = list(verdicts)
    family = [n for n, claim in enumerate(claims) if claim.headline and not claim.hypothesis and _tested(verdicts[n])]
    for number, p in zip(family, holm([verdicts[n].p for n in family]), strict=True):
        found = verdicts[number]
        if found.verdict in (*SHOWN, OPPOSITE) and p >= claims[number].level:
            several = f"corrected for {len(family)} headline claims p = {p:.2g}"
            reason = f"{found.verdict} alone (p = {found.p:.2g}), but {several}"
            made[number] = replace(found, verdict=UNDECIDED, reason="; ".join(filter(None, (reason, found.reason))))
    return made


def by_chance(judged: Iterable[tuple[Claim, Verdict]]) -> float:
    """Return how many tested claims would be seen, at most, in a world without effects.

    A two-sided test at a level finds an effect of one sign half as often; a margin is tested at its level. A claim of
    several effects is seen no more often than one effect. A claim that a test finds nothing does not count.
    """
    return sum(
        claim.level / 2 if any(effect.region == ABOVE for effect in found.effects) else claim.level
        for claim, found in judged
        if _tested(found) and found.effects and not any(effect.unless_refuted for effect in found.effects)
    )
