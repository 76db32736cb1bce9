"""The contrast of two colours, as WCAG 2.1 defines it."""

from collections.abc import Sequence


def contrast(first: Sequence[float], second: Sequence[float]) -> float:
    """(L + .05) / (l + .05) of the relative luminances of two colours, each of red, green and blue from 0 to 255."""
    dark, light = sorted(map(_luminance, (first, second)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Sequence[float]) -> float:
    parts = [part / 255 for part in colour[:3]]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
