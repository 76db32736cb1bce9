"""The axis of a forest plot: where effects, their intervals and printed effects lie, in percent of its width."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from matplotlib.ticker import MaxNLocator

from robustdr.reporting.artifacts import Effect


class Axis(NamedTuple):
    """An axis of effects, shares of a base: losses left of 0, gains right of it."""

    low: float
    high: float

    @classmethod
    def from_effects(cls, effects: Iterable[Effect], share: float = 1.0) -> "Axis":
        """The axis that covers 0 and the middle `share` of all finite sizes and ends, with a margin."""
        numbers = ((effect["size"], *effect["interval"], *(effect["printed"] or ())) for effect in effects)
        ends = [end for effect_numbers in numbers for end in effect_numbers if end is not None]
        low, high = np.quantile(ends, [(1 - share) / 2, (1 + share) / 2]).tolist() if ends else (0.0, 0.0)
        low, high = min(low, 0.0), max(high, 0.0)
        margin = 0.05 * (high - low) or 0.05
        return cls(low - margin, high + margin)

    def position(self, value: float | None, otherwise: float = 0.0) -> float:
        """The place of a value, at an end of the axis if it lies outside; `otherwise` if the value is infinite."""
        if value is None:
            return otherwise
        place = 100 * (value - self.low) / (self.high - self.low)
        return round(min(max(place, 0.0), 100.0), 2)

    def outside(self, value: float | None) -> bool:
        return value is not None and not self.low <= value <= self.high

    @property
    def ticks(self) -> list[float]:
        """About five round values on the axis, 0 among them."""
        tick_values = MaxNLocator(nbins=5, steps=[1, 2, 5, 10]).tick_values(self.low, self.high)
        ticks = [round(float(tick), 6) for tick in tick_values]  # without the error of sums of steps
        return [tick for tick in ticks if self.low <= tick <= self.high]
