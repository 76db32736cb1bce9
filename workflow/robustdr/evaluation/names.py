"""Names of measures, in the spelling of ir_measures, and of means over query sets."""

import re
from dataclasses import dataclass

from robustdr.core.errors import UserError, unknown

ORIGINAL = "original"  # the query set without a variation
MEAN = "variations_mean"  # over all variations of an evaluation
WORST = "variations_worst"  # the variation that costs a system most
PROVIDED = {"RR": "recip_rank", "R": "recall", "nDCG": "ndcg_cut", "AP": "map", "Success": "success", "P": "P"}
# trec_eval's binding lacks RBP, and a level that counts every judged passage. The last two names are this project's.
COUNTED = ("RBP", "Judged", "Residual", "Unjudged")
MEASURES = (*PROVIDED, *COUNTED)
WITHOUT_CUT = {"RR", "AP", "RBP"}
CALLED = {  # other names and spellings of measures, in small letters
    **{name.casefold(): name for name in MEASURES},
    **{"mrr": "RR", "map": "AP", "recall": "R", "precision": "P", "hit": "Success", "hits": "Success"},
}
PARAMETERS = {  # of each measure that has any, in the order of its name
    **{name: ("rel",) for name in ("RR", "R", "AP", "Success", "P")},
    "RBP": ("p", "rel"),
    "Residual": ("p",),
}


@dataclass(frozen=True)
class Measure:
    """A measure by its parts: `RBP(p=0.9,rel=2)@10` is RBP at the cut 10.

    Attributes:
        cut: ranks that count; None: all. rel: the lowest grade that is relevant; None: the collection's.
        p: persistence of RBP and of its residual; 0.8 if the name has none.
    """

    name: str
    cut: int | None = None
    rel: int | None = None
    p: float = 0.8


def parse(measure: str) -> Measure:
    """Split a name such as `RR@10`, `AP(rel=2)` or `RBP(p=0.9,rel=2)@10`.

    Raises:
        UserError: an unknown measure or parameter, a value that is not allowed, or a measure without the cut, or RBP
            without the `rel`, that it needs.
    """
    match = re.fullmatch(r"([A-Za-z]+)(?:\(([^()]+)\))?(?:@([1-9]\d*))?", measure)
    if match is None or match[1] not in MEASURES:
        letters = re.split(r"[^A-Za-z]", measure, maxsplit=1)[0]
        cut = measure.removeprefix(letters)
        suggestion = CALLED.get(letters.casefold(), letters) + (f"@{cut}" if cut.isdigit() else cut)
        meant = [suggestion] if suggestion != measure else []
        raise unknown("measure", measure, [name if name in WITHOUT_CUT else f"{name}@k" for name in MEASURES], meant)
    name, arguments, cut = match.groups()
    if cut is None and name not in WITHOUT_CUT:
        raise UserError(f"measure {measure!r} needs a cut, e.g. {measure}@10")
    parameters = (
        {key: value for key, _, value in (part.partition("=") for part in arguments.split(","))} if arguments else {}
    )
    for parameter in parameters:
        if parameter not in PARAMETERS.get(name, ()):
            raise unknown(f"measure {measure!r}: parameter", parameter, PARAMETERS.get(name, ()))
    if name == "RBP" and "rel" not in parameters:
        raise UserError(f"measure {measure!r}: gains are binary here; add rel, e.g. RBP(p=0.9,rel=2)@10")
    rel, p = parameters.get("rel"), parameters.get("p", "0.8")
    if rel is not None and not re.fullmatch(r"[1-9]\d*", rel):
        raise UserError(f"measure {measure!r}: rel is {rel!r}; allowed: a grade from 1 on")
    if not re.fullmatch(r"0?\.\d*[1-9]\d*", p):
        raise UserError(f"measure {measure!r}: p is {p!r}; allowed: a number between 0 and 1")
    return Measure(name, int(cut) if cut else None, int(rel) if rel else None, float(p))
