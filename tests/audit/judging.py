"""Judging a claim on values chosen for it."""

from robustdr.audit.claims import Measured, Verdict, judge
from robustdr.audit.intervals import Interval
from robustdr.audit.printed import AsPrinted, Judged
from robustdr.evaluation.store import Store


def judged(
    store: Store,
    name: str,
    level: float = 0.01,
    measure: str = "RR@10",
    said: Interval | None = None,
    printed: dict[str, float] | None = None,
    incomparable: str = "",
    **arguments,
) -> Verdict:
    """The test `name` on the role `toy`.

    Args:
        said: the size that the sentence gives. printed: sizes of effects by their words, as the paper prints them.
    """
    test = {"name": name, **({"by": {}} if said else {}), **arguments}
    claim = {"claim": "It is so", "source": "§4", "measure": measure, "level": level, "test": test}
    sizes = [Judged(words, size, size, "", "holds") for words, size in (printed or {}).items()]
    measured = Measured(store, "toy", measure, {})
    return judge(claim, measured, said, AsPrinted("holds", sizes), incomparable, "claims.yaml")


def verdict(store: Store, name: str, **arguments) -> str:
    return judged(store, name, **arguments).verdict
