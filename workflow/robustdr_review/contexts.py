"""What stands around a number and says that it is no cell's: a range, a unit, a setting, another subject."""

import re
from collections.abc import Sequence

from robustdr_review.sentences import Figure

_RANGE_BEFORE = re.compile(
    r"\d\s?%?\s?[–-]\s?$|\bbetween\s+$|\bbetween\s+[\d.,]+\s?%?\s+and\s+$|\brang(?:es?|ed|ing) (?:from|between)\b",
    re.I,
)
_RANGE_AFTER = re.compile(r"\s?[–-]\s?\d")
_UNIT = re.compile(
    r"\s?(?P<unit>[kcmnμµ]?m|m?s|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|years?|[KMGT]i?B|[kMG]?Hz|dB|[kmM]?[VWJ]|eV|"
    r"-?\s?fold|times|x)(?![\w-])|\s?(?P<sign>[×°Ω])"
)
_EQUAL = re.compile(r"([^\W\d]\w*)\s*(?:[=≈]\s*[\d.]|≈)$")
_SETTING = re.compile(
    r"\b(?:probabilit\w+|learning rate|dropout|temperature|threshold|gate|target|criterion|weight decay|momentum|"
    r"cut-?off|warm-?up|alpha level|significance level)\b",
    re.I,
)
_SUBJECT = re.compile(
    r"(?P<subject>[^,;:()]*)\b(?:attain|achieve|reach|score|obtain|yield|get|got|establish)(?:e?s|e?d)?\b[^,;:()]*$",
    re.I,
)
_ELIDED = re.compile(
    r"\b(?:and|but|yet|or|then|also|still|thus|even|only|which|that|to|would|can|could|will|not)\b", re.I
)
_DIFFERENCE_BEFORE = re.compile(r"\bby\s+(?:about\s+|over\s+|nearly\s+|an?\s+)?$", re.I)
_DIFFERENCE_AFTER = re.compile(
    r"\s*(?:absolute\s+|relative\s+)?(?:better|worse|higher|lower|more|less|fewer|larger|smaller|greater|faster|slower|"
    r"improvement|increase|decrease|gain|drop|reduction|boost)\b",
    re.I,
)
_PARTS = re.compile(
    r"^\s*(?:of|are|is|were|was)\b|"
    r"\b(?:account\w* for|ma[dk]e\w* up|compris\w+|constitut\w+|represent\w*|consists? of|shares?|proportion|of all)\b",
    re.I,
)


def is_of_range(figure: Figure, sentence: str) -> bool:
    """Whether a figure is of a set: an end of a range (`0.16–0.19`, `between 3.1 and 4.2`), or in braces."""
    before, after = sentence[: figure.position + bool(figure.sign)], sentence[figure.end :]
    is_in_braces = before.rfind("{") > before.rfind("}") and "}" in after
    return bool(_RANGE_BEFORE.search(before) or _RANGE_AFTER.match(after)) or is_in_braces


def has_other_unit(figure: Figure, sentence: str, texts: str) -> bool:
    """Whether a figure has a unit that the texts of its cells do not have: `1.60 mm` is no number of stages."""
    match = _UNIT.match(sentence, figure.end)
    unit = (match["unit"] or match["sign"]).strip("- ") if match else ""
    return bool(unit) and not re.search(rf"(?<![^\W_]){re.escape(unit[:3])}", texts, re.I)


def is_of_other_name(figure: Figure, sentence: str, texts: str) -> bool:
    """Whether a figure is the value of a name that the texts of its cells lack: `δ shock = 0.15`."""
    match = _EQUAL.search(sentence[: figure.position] + figure.text[:1])
    return match is not None and match[1].casefold() not in texts


def is_setting(sentence: str, texts: str) -> bool:
    """Whether a sentence speaks of a setting or a threshold that the texts of cells do not name."""
    return any(word.lower() not in texts for word in _SETTING.findall(sentence))


def is_share(figure: Figure, sentence: str) -> bool:
    """Whether a sentence says that a figure is a part of a whole: `25% of all pairs`."""
    before, after = sentence[: figure.position], sentence[figure.end :]
    return bool(_PARTS.search(after) or re.search(r"\bof (?:all|the|these|our)\b", before, re.I))


def has_other_subject(figure: Figure, sentence: str, starts: Sequence[int]) -> bool:
    """Whether what attains a figure, as `my best system achieves 20.7`, is none of the labels at places `starts`."""
    match = _SUBJECT.search(sentence[: figure.position])
    if match is None or not _ELIDED.sub("", match["subject"]).strip():
        return False
    return not any(match.start("subject") <= start < match.end("subject") for start in starts)


def is_difference(figure: Figure, sentence: str) -> bool:
    """Whether a sentence calls a figure a difference: `by 2.4`, `50% better`."""
    return bool(_DIFFERENCE_BEFORE.search(sentence[: figure.position]) or _DIFFERENCE_AFTER.match(sentence, figure.end))
