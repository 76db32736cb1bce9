"""Controls: effects that any valid setting must show, and what they mean for the claims that need them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

from robustdr.claims.claim import Claim, Control
from robustdr.claims.effects import Numbers
from robustdr.claims.intervals import Interval, bounds
from robustdr.claims.measured import Judged, Verdict, judged
from robustdr.claims.verdicts import NOT_RUN, NOT_TESTABLE, SHOWN, UNDECIDED
from robustdr.core.errors import Absent
from robustdr.evaluation.estimates import Estimate

PASSES, FAILS = "passes", "fails"


@dataclass(frozen=True)
class Checked:
    """A control: `passes`, `fails`, `undecided` or `not run`, with its effects; `reason` says why it was not run."""

    name: str
    what: str
    state: str
    effects: list[Judged] = field(default_factory=list)
    reason: str = ""

    @property
    def words(self) -> str:
        """Its numbers: those outside their region, or all of them; their intervals are those of the control's level."""
        shown = [effect for effect in self.effects if not _is_there(effect)] or self.effects
        return self.reason or "; ".join(map(_asked, shown))


def _asked(effect: Judged) -> str:
    shown = effect.shown
    interval = f"{bounds(shown.low, shown.high)} ({100 * shown.confidence:g}% interval)"
    also = " and surely not 0" if effect.region[0] > 0 else ""
    return f"{effect.words}: {100 * shown.size:+.1f}% {interval}, asked {asked(shown.region)}{also}"


def _sized(effect: Judged) -> str:
    shown = effect.shown
    return f"{effect.words}: {100 * shown.size:+.1f}% {bounds(*shown.interval)}"


def asked(region: tuple[float, float]) -> str:
    """Return where an effect must lie, in words."""
    low, high = region
    if high == inf:
        return f"above {100 * low:g}%"
    return f"below {100 * high:g}%" if low == -inf else f"from {100 * low:g}% to {100 * high:g}%"


def checked(name: str, control: Control, numbers: Numbers[Estimate]) -> Checked:
    """Test a control: each effect must be in its region with its whole interval, at the control's level.

    Where a size is asked for (`at_least`), the effect must reach it, and its interval must lie above 0. A control fails
    if the interval of an effect lies outside the region; else it is undecided.
    """
    try:
        effects = judged(control.test, numbers, control.level)
    except Absent as error:
        return Checked(name, control.what, NOT_RUN, [], str(error))
    possible = all(Interval(effect.low, effect.high).meets(Interval(*effect.region)) for effect in effects)
    state = PASSES if all(map(_is_there, effects)) else UNDECIDED if possible else FAILS
    return Checked(name, control.what, state, effects)


def _is_there(effect: Judged) -> bool:
    asked_for = effect.region[0]
    return effect.size >= asked_for and effect.low > 0 if asked_for > 0 else effect.inside


def on_proxies(found: Verdict, replaced: str) -> Verdict:
    """Return the verdict on a claim where `replaced` says what stands in for what it is about: it is not testable."""
    if not replaced or found.verdict == NOT_RUN:
        return found
    return Verdict(NOT_TESTABLE, found.effects, replaced)


def controlled(claim: Claim, found: Verdict, controls: Mapping[str, Checked], numbers: Numbers[Estimate]) -> Verdict:
    """Return the verdict on a claim after its controls.

    A claim that needs a control which does not pass is not testable. A gain whose credited part alone is not above 0
    has, or may have, another cause: it has one where that part is surely below the whole gain.
    """
    if found.verdict == NOT_RUN:
        return found
    lacking = [controls[name] for name in claim.needs if controls[name].state != PASSES]
    if lacking:
        return Verdict(
            NOT_TESTABLE, found.effects, "; ".join(f"{one.name} {one.state}: {one.words}" for one in lacking)
        )
    if claim.control is None or found.verdict not in SHOWN:
        return found
    try:
        parts = judged(claim.control, numbers, claim.level)
    except Absent as error:
        return replace(found, reason=f"its own control was not run: {error}")
    if all(part.low > 0 for part in parts):
        return found
    sure = max(part.high for part in parts) < min(effect.low for effect in found.effects)
    words = "; ".join(map(_sized, parts))
    return replace(
        found, reason=f"the gain {'has' if sure else 'may have'} another cause; the part credited adds {words}"
    )
