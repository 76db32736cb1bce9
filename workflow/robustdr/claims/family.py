"""What the parts of a sentence say together, and how many sentences chance alone would support."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from robustdr.claims.claim import Claim
from robustdr.claims.effects import ABOVE
from robustdr.claims.measured import Verdict
from robustdr.claims.verdicts import CONTRADICTED, INCONCLUSIVE, SUPPORTED, UNJUDGED, overall
from robustdr.evaluation.statistics import holm


def effect_verdicts(present: Sequence[float], against: Sequence[float], levels: Sequence[float]) -> list[str]:
    """Return the verdict on each effect of a sentence.

    A sentence says "all": if each effect is there at its own level, all are (an intersection-union test; Berger, 1982).
    If not, so many are as Holm's correction within the sentence leaves; and so many are against it. An effect that is
    made smaller, less sure or opposite never improves a verdict.

    Args:
        present, against: p of each effect being there, and of the opposite. levels: of the effects' claims.
    """
    if all(p < level for p, level in zip(present, levels, strict=True)):
        return [SUPPORTED] * len(present)
    for_, not_ = (
        holm([p / level for p, level in zip(p_values, levels, strict=True)]) for p_values in (present, against)
    )
    return [
        SUPPORTED if p < 1 else CONTRADICTED if opposite < 1 else INCONCLUSIVE
        for p, opposite in zip(for_, not_, strict=True)
    ]


def decide_claims(claims: Sequence[Claim], undecided: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts on claims, those of one sentence together; see `effect_verdicts`.

    A part that is not testable or was not run takes no part. Sentences do not change each other's verdicts.
    """
    decided = list(undecided)
    for sentence in dict.fromkeys(claim.claim for claim in claims):
        parts = [
            n for n, claim in enumerate(claims) if claim.claim == sentence and undecided[n].verdict not in UNJUDGED
        ]
        tested_effects = [
            (effect.there, effect.against, claims[n].level) for n in parts for effect in undecided[n].effects
        ]
        verdicts = iter(
            effect_verdicts(*(list(column) for column in zip(*tested_effects, strict=True))) if tested_effects else ()
        )
        for number in parts:
            effects = [replace(effect, verdict=next(verdicts)) for effect in undecided[number].effects]
            reached = overall([effect.verdict for effect in effects], claims[number].test.superlative)
            decided[number] = replace(undecided[number], verdict=reached, effects=effects)
    return decided


def supported_by_chance(judged: Iterable[tuple[Claim, Verdict]]) -> float:
    """Return how many tested sentences would be supported, at most, in a world without effects.

    A two-sided test at a level finds an effect of one sign half as often; a margin is tested at its level. A sentence
    of several effects is supported no more often than the least likely of them.
    """
    chances: dict[str, list[float]] = {}
    for claim, verdict in judged:
        if verdict.verdict not in UNJUDGED:
            chances.setdefault(claim.claim, []).extend(
                claim.level / 2 if effect.region == ABOVE else claim.level for effect in verdict.effects if effect.known
            )
    return sum(min(probabilities, default=0.0) for probabilities in chances.values())
