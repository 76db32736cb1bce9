"""Whether a released checkpoint reaches the score that was published of it.

The interval around what is measured has two parts, and a third where the source differs from here:

- the 95 % interval of the mean over queries. The queries and judgements are those of the source, so another sample is
  not drawn. But number types, ties and lengths differ, and each moves some queries. This interval says how much a mean
  moves if a few queries do. A model whose conversion lacks a part, or that pools other tokens, misses by far more.
- a unit of the last printed digit, in case it was cut and not rounded.
- `margin`: points for what the source reads and this project does not.
"""

from decimal import Decimal
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import write_json
from robustdr.evaluation.measures import read_measures
from robustdr.evaluation.settings import PublishedSettings
from robustdr.evaluation.statistics import confidence_interval


def check(settings: PublishedSettings, measures: Path, output: Path) -> None:
    """Write what is measured beside what was published.

    Raises:
        UserError: the two differ by more than the interval; nothing is written.
    """
    frame = read_measures(measures)
    rows = frame[(frame["query_set"] == settings.query_set) & (frame["measure"] == settings.measure)]
    values = rows["value"].to_numpy() * 100
    if not len(values):
        raise UserError(f"{measures}: no {settings.measure} for {settings.query_set}; delete it and run again")
    printed = Decimal(settings.score)
    percent = 1 if printed > 1 else 100  # a share is printed for some
    score, unit = float(printed) * percent, 10.0 ** int(printed.as_tuple().exponent) * percent
    measured, sampling = float(values.mean()), confidence_interval(values)
    allowed = sampling + unit + settings.margin
    parts = f"{sampling:.2f} for the sample of {len(values):,} queries, {unit:.3g} for rounding"
    parts += f", {settings.margin:g} for what the source reads" if settings.margin else ""
    if abs(measured - score) > allowed:
        mend = f"fetch and convert it again: {settings.remedy}" if settings.remedy else "compare it with its source"
        raise UserError(
            f"checkpoint {settings.checkpoint}: {settings.measure} on {settings.role} is {measured:.2f} here, and "
            f"{settings.score} was published ({settings.source}). They may differ by {allowed:.2f} ({parts}). It was "
            f"not read as its authors mean it: look at its entry under `checkpoints` of the scale, then {mend}"
        )
    write_json(
        output,
        {
            "checkpoint": settings.checkpoint,
            "role": settings.role,
            "measure": settings.measure,
            "published": settings.score,
            "source": settings.source,
            "measured": round(measured, 4),
            "allowed": round(allowed, 4),
            "parts": parts,
            "queries": len(values),
        },
    )
