"""Names of measures, as ir_measures writes them."""

import re

from robustdr.errors import UserError, unknown

PROVIDED = {"RR": "recip_rank", "R": "recall", "nDCG": "ndcg_cut", "AP": "map", "Success": "success", "P": "P"}
JUDGED = "Judged"  # trec_eval's binding refuses the relevance level that would count every judged passage
MEASURES = (*PROVIDED, JUDGED)
WITHOUT_CUT = {"RR", "AP"}


def parse(measure: str) -> tuple[str, int | None]:
    """Split `RR@10` into (`RR`, 10) and `AP` into (`AP`, None).

    Raises:
        UserError: a measure that is not provided, or one that needs a cut and has none.
    """
    match = re.fullmatch(r"([A-Za-z]+)(?:@([1-9]\d*))?", measure)
    if match is None or match[1] not in MEASURES:
        raise unknown("measure", measure, [name if name in WITHOUT_CUT else f"{name}@k" for name in MEASURES])
    if match[2] is None and match[1] not in WITHOUT_CUT:
        raise UserError(f"measure {measure!r} needs a cut, e.g. {measure}@10")
    return match[1], int(match[2]) if match[2] else None
