"""Names of measures, in the spelling of ir_measures, and of means over query sets."""

import math
import re

from ir_measures import parse_measure
from ir_measures.measures import Measure, ParamInfo, register

from robustdr.core.errors import UserError, unknown

ORIGINAL = "original"  # the query set without a variation
MEAN = "variations_mean"  # over all variations of an evaluation
WORST = "variations_worst"  # the variation that costs a system most
COUNTED = ("RBP", "Judged", "Residual", "Unjudged")  # counted here; the others are trec_eval's
MEASURES = ("RR", "R", "nDCG", "AP", "Success", "P", *COUNTED)
WITHOUT_CUT = {"RR", "AP", "RBP"}
CALLED = {  # other names and spellings of measures, in small letters
    **{name.casefold(): name for name in MEASURES},
    **{"mrr": "RR", "map": "AP", "recall": "R", "precision": "P", "hit": "Success", "hits": "Success"},
}
CUT = {"cutoff": ParamInfo(dtype=int, required=True, desc="ranks that count")}
CUT_AND_PERSISTENCE = {**CUT, "p": ParamInfo(dtype=float, default=0.8, desc="probability of reading on")}
ALLOWED = {"cutoff": "a rank from 1 on", "rel": "a grade from 1 on", "p": "a number between 0 and 1"}


class Unjudged(Measure):
    """The number of passages without a judgement."""

    NAME = __name__ = "Unjudged"
    SUPPORTED_PARAMS = CUT


class Residual(Measure):
    """What RBP would gain if all passages without a judgement were relevant (Moffat and Zobel 2008)."""

    NAME = __name__ = "Residual"
    SUPPORTED_PARAMS = CUT_AND_PERSISTENCE


register(Unjudged())
register(Residual())


def parse(name: str) -> Measure:
    """Return the measure with a name such as `RR@10`, `AP(rel=2)` or `RBP(p=0.9,rel=2)@10`.

    Raises:
        UserError: an unknown measure or parameter, a value that is not allowed, or a measure without the cut, or RBP
            without the `rel`, that it needs.
    """
    letters = re.split(r"[^A-Za-z]", name, maxsplit=1)[0]
    if letters not in MEASURES:
        cut = name.removeprefix(letters)
        suggestion = CALLED.get(letters.casefold(), letters) + (f"@{cut}" if cut.isdigit() else cut)
        meant = [suggestion] if suggestion != name else []
        raise unknown(
            "measure", name, [measure if measure in WITHOUT_CUT else f"{measure}@k" for measure in MEASURES], meant
        )
    try:
        measure = parse_measure(name)
    except (ValueError, TypeError):
        raise UserError(f"measure {name!r}: write it as {letters}@10 or {letters}(parameter=value)@10") from None
    parameters = ALLOWED.keys() & measure.SUPPORTED_PARAMS.keys()
    for parameter, value in measure.params.items():
        if parameter not in parameters:
            raise unknown(f"measure {name!r}: parameter", parameter, sorted(parameters))
        kind, limit = (float, 1.0) if parameter == "p" else (int, math.inf)
        if type(value) is not kind or not 0 < value < limit:
            raise UserError(f"measure {name!r}: {parameter} is {value!r}; allowed: {ALLOWED[parameter]}")
    if "cutoff" not in measure.params and letters not in WITHOUT_CUT:
        raise UserError(f"measure {name!r} needs a cut, e.g. {name}@10")
    if letters == "RBP" and "rel" not in measure.params:
        raise UserError(f"measure {name!r}: gains are binary here; add rel, e.g. RBP(p=0.9,rel=2)@10")
    return measure


def cut_of(measure: Measure) -> int | None:
    """The number of ranks that count; None: all."""
    return measure.params.get("cutoff")
