"""Judging a claim on values chosen for it."""

from pydantic import TypeAdapter

from robustdr.claims.claim import Claim
from robustdr.claims.intervals import Interval
from robustdr.claims.measured import Measured, Verdict, judge
from robustdr.claims.tests import AnyTest
from robustdr.evaluation.store import Store

TESTS = TypeAdapter(AnyTest).json_schema()["discriminator"]["mapping"].keys()
SOMEWHERE = {"table": "prose"}  # the size that a sentence gives is told to `judge` itself


def claim(name: str, level: float = 0.01, measure: str = "RR@10", about: dict | None = None, **arguments) -> Claim:
    """A claim on the role `toy` with the test `name`; `about`: more keys of it."""
    keys = {"claim": "It is so", "source": "§4", "role": "toy", "measure": measure, "level": level, **(about or {})}
    return Claim.model_validate({**keys, "test": {"name": name, **arguments}})


def judged(
    store: Store,
    name: str,
    level: float = 0.01,
    measure: str = "RR@10",
    said: Interval | None = None,
    printed: dict[str, float] | None = None,
    sized: bool = False,
    paper_queries: int | None = None,
    **arguments,
) -> Verdict:
    """The test `name` on the role `toy`.

    Args:
        said: the size that the sentence gives. printed: sizes of effects by their words, as the paper prints them.
    """
    one = claim(name, level, measure, **({"by": SOMEWHERE} if said else {}), **arguments)
    sizes = {words: Interval(size, size) for words, size in (printed or {}).items()}
    return judge(one, Measured(store, "toy", measure, {}), said, sizes, sized, paper_queries)


def verdict(store: Store, name: str, **arguments) -> str:
    return judged(store, name, **arguments).verdict
