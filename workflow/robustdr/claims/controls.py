"""Controls: effects that any valid setting must show, and what they mean for the claims that need them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

from robustdr.claims.claim import Claim, Control
from robustdr.claims.effects import Numbers
from robustdr.claims.intervals import Interval, bounds
from robustdr.claims.measured import Judged, Verdict, judge_effects
from robustdr.claims.verdicts import INCONCLUSIVE, NOT_RUN, NOT_TESTABLE, PARTLY, SUPPORTED
from robustdr.core.errors import Absent
from robustdr.evaluation.estimates import Estimate

PASSES, FAILS = "passes", "fails"


@dataclass(frozen=True)
class Checked:
    """A control: `passes`, `fails`, `inconclusive` or `not run`, with its effects; `reason` says why it was not run."""

    name: str
    requirement: str
    state: str
    effects: list[Judged] = field(default_factory=list)
    reason: str = ""

    @property
    def blocks(self) -> bool:
        """Whether claims that need it are not testable: it may show nothing at all, not only less than is required."""
        visible = bool(self.effects) and all(
            effect.known and effect.low > min(effect.region[0], 0) for effect in self.effects
        )
        return self.state == FAILS or not visible

    @property
    def words(self) -> str:
        """Its numbers: those whose interval is not in their region, or all of them; intervals are at its level."""
        effects = [effect for effect in self.effects if not _inside(effect)] or self.effects
        return self.reason or "; ".join(
            f"{view.words}: {100 * view.size:+.1f}% {bounds(view.low, view.high)} "
            f"({100 * view.confidence:g}% interval), required: {region_words(view.region)}"
            for view in (effect.reader_view for effect in effects)
        )


def region_words(region: tuple[float, float]) -> str:
    """Return where an effect must lie, in words."""
    low, high = region
    if high == inf:
        return f"above {100 * low:g}%"
    return f"below {100 * high:g}%" if low == -inf else f"from {100 * low:g}% to {100 * high:g}%"


def _inside(effect: Judged) -> bool:
    return effect.known and Interval(effect.low, effect.high).lies_inside(Interval(*effect.region))


def check_control(name: str, control: Control, numbers: Numbers[Estimate]) -> Checked:
    """Test a control: each effect must be in its region with its whole interval, at the control's level.

    It fails if the size of an effect lies outside the region. If the size lies inside and the interval does not, it is
    inconclusive. So fewer data, whose intervals are wider, do not make a claim testable that more data would not.
    """
    try:
        effects = judge_effects(control.test, numbers, control.level)
    except Absent as error:
        return Checked(name, control.title, NOT_RUN, [], str(error))
    outside = any(not Interval(effect.size, effect.size).meets(Interval(*effect.region)) for effect in effects)
    state = FAILS if outside else PASSES if all(map(_inside, effects)) else INCONCLUSIVE
    return Checked(name, control.title, state, effects)


def apply_controls(claim: Claim, verdict: Verdict, controls: Mapping[str, Checked], replaced: str = "") -> Verdict:
    """Return what is known of a claim after its controls: one that needs a control which `blocks` is not testable.

    Args:
        replaced: why this scale cannot test it, whatever was run: what the claim is about is not here; '' if it is.
    """
    if replaced:
        return Verdict(NOT_TESTABLE, [], why=replaced)
    if verdict.verdict == NOT_RUN or verdict.why:
        return verdict
    lacking = [controls[name] for name in claim.needs if controls[name].blocks]
    if not lacking:
        return verdict
    why = "; ".join(
        f"{control.name} {'is open' if control.state == INCONCLUSIVE else control.state}" for control in lacking
    )
    return Verdict(
        NOT_TESTABLE,
        verdict.effects,
        "; ".join(f"{control.name} {control.state}: {control.words}" for control in lacking),
        why,
    )


def add_explanation(
    claim: Claim, verdict: Verdict, controls: Mapping[str, Checked], numbers: Numbers[Estimate]
) -> Verdict:
    """Return a decided verdict with what else may be behind it: open controls of a null, another cause of a gain.

    A null needs its controls: without them, the setting may be unable to show the effect. A significant result, for the
    claim or against it, needs none. A gain may have another cause if the method's own part alone is not above 0; it has
    one if that part is significantly below the whole gain.
    """
    if verdict.verdict == INCONCLUSIVE and not verdict.why:
        return replace(verdict, why="; ".join(f"{n} is open" for n in claim.needs if controls[n].state != PASSES))
    if claim.control is None or verdict.verdict not in (SUPPORTED, PARTLY):
        return verdict
    try:
        parts = judge_effects(claim.control, numbers, claim.level)
    except Absent as error:
        doubt = "its own control was not run"
        details = f": {error}"
    else:
        if all(part.low > 0 for part in parts):
            return verdict
        sure = max(part.high for part in parts) < min(effect.low for effect in verdict.effects)
        doubt = f"the gain {'has' if sure else 'may have'} another cause"
        views = [part.reader_view for part in parts]
        sizes = "; ".join(f"{view.words}: {100 * view.size:+.1f}% {bounds(*view.interval)}" for view in views)
        details = f"; the method's own part adds {sizes}"
    return replace(verdict, doubt=doubt, reason="; ".join(filter(None, [verdict.reason, doubt + details])))
