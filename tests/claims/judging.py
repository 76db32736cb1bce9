"""Judging a claim on values chosen for it."""

from pydantic import TypeAdapter

from robustdr.claims.claim import Claim
from robustdr.claims.family import decide_claims
from robustdr.claims.intervals import Interval
from robustdr.claims.measured import Measured, Verdict
from robustdr.claims.measured import measure as measured_of
from robustdr.claims.tests import AnyTest
from robustdr.evaluation.store import Store

TESTS = TypeAdapter(AnyTest).json_schema()["discriminator"]["mapping"].keys()
SOMEWHERE = {"table": "prose"}  # the size that a sentence gives is told to `measure` itself


def claim(name: str, level: float = 0.01, measure: str = "RR@10", about: dict | None = None, **arguments) -> Claim:
    """A claim on the role `toy` with the test `name`; `about`: more keys of it."""
    keys = {"claim": "It is so", "source": "§4", "role": "toy", "measure": measure, "level": level, **(about or {})}
    return Claim.model_validate({**keys, "test": {"name": name, **arguments}})


def judged(
    store: Store,
    name: str,
    level: float = 0.01,
    measure: str = "RR@10",
    stated_size: Interval | None = None,
    printed: dict[str, float] | None = None,
    sized: bool = False,
    paper_queries: int | None = None,
    **arguments,
) -> Verdict:
    """The test `name` on the role `toy`.

    Args:
        stated_size: the size that the sentence gives.
        printed: sizes of effects by their words, as the paper prints them.
    """
    tested_claim = claim(name, level, measure, **({"printed_size": SOMEWHERE} if stated_size else {}), **arguments)
    sizes = {words: Interval(size, size) for words, size in (printed or {}).items()}
    undecided = measured_of(tested_claim, Measured(store, "toy", measure, {}), stated_size, sizes, sized, paper_queries)
    return decide_claims([tested_claim], [undecided])[0]


def verdict(store: Store, name: str, **arguments) -> str:
    return judged(store, name, **arguments).verdict


def size(store: Store, name: str, **arguments) -> str:
    """How the size of the last effect compares with the printed one, at the paper's own scale."""
    return judged(store, name, sized=True, **arguments).effects[-1].compared
