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
