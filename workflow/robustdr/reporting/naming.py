"""Names in texts for readers: the labels of systems, and what papers call query sets and measures."""

import re
from collections.abc import Mapping


def replace_names(text: str, names: Mapping[str, str]) -> str:
    """The text with each of these names that stands in it as a word replaced: `over dr_oq` becomes `over DR_OQ`.

    A measure is named without its depth: with `RR: MRR`, `RR@10` becomes `MRR@10`.
    """
    if not names:
        return text
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<![\w@.])({longest_first})(?!\w|\.\w)", lambda match: names[match[0]], text)


def readable(text: str, names: Mapping[str, str]) -> str:
    """The text with these names, and other names of query sets and controls in words: `typo_mean` is mean of typo."""
    words = re.sub(r"(\w+)_mean\b", r"mean of \1", replace_names(text, names))
    return re.sub("(?<=[a-z])_(?=[a-z])", " ", words)
