"""What people do to queries beside what generators do: tables for the documentation and for a user's own queries.

`variations/people.yaml` has the numbers of public sources; `tests/variations/people.py` makes it from them.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from robustdr import variations
from robustdr.audit.reported import load_paper
from robustdr.core.errors import UserError
from robustdr.core.markup import table_row
from robustdr.core.yaml_files import read_yaml
from robustdr.variations import lexicon, queries, slips
from robustdr.variations.diversity import CHANGES, MEASURES, Rewordings, measure, reworded
from robustdr.variations.similarity import Similarity

PEOPLE = Path(variations.__file__).with_name("people.yaml")
STACKFAQ = "people, StackFAQ"
LEVELS = ("character", "word", "sentence", "llm")  # of the generators in intent's Tables 2 and 3


def paired(originals: Path, varied: Sequence[Path]) -> Rewordings:
    """The queries that any of the files varies, each with its variations.

    Raises:
        UserError: a file has a query that is not among the originals; see also `queries.read_user_queries`.
    """
    texts, files = queries.read_user_queries(originals), {path: queries.read_user_queries(path) for path in varied}
    for path, found in files.items():
        if unknown := found.keys() - texts.keys():
            raise UserError(f"{path}: query {min(unknown)!r} is none of {originals} ({len(unknown):,} such queries)")
    made = {qid: [found[qid] for found in files.values() if qid in found] for qid in texts}
    return [(texts[qid], given) for qid, given in made.items() if given]


def slip_tables(originals: Path, misspelled: Path) -> str:
    """The slips of misspelled queries beside those of every generator on the same queries, as Markdown.

    Raises:
        UserError: no query has a slip; see also `paired`.
    """
    pairs = paired(originals, [misspelled])
    people = slips.counts(slips.slips(right, wrong) for right, (wrong,) in pairs)
    if not len(people["kind"]):
        raise UserError(f"{misspelled}: no query has a misspelled word beside {originals}")
    made = {name: slips.generated(of, [right for right, _ in pairs]) for name, of in slips.generators().items()}
    return slips.as_text(people, made)


def rewording_table(originals: Path, varied: Sequence[Path], model: Path | None) -> str:
    """Rewordings beside intent's printed numbers, people's, and those of generators on the same queries, as Markdown.

    Args:
        model: sentence-transformers folder for the similarity.

    Raises:
        UserError: see `paired` and `Similarity`.
    """
    encode, own = Similarity(model) if model else None, paired(originals, varied)
    asked = [question for question, _ in own]
    made = {name: measure(reworded(variations.create(name), asked), encode) for name in reworders()}
    return as_text({"these queries": measure(own, encode), STACKFAQ: _stored()["rewordings"][STACKFAQ], **made})


def reworders() -> list[str]:
    """The names of qvg's ten generators and intent's one."""
    return [name for name in variations.names() if {"qvg", "intent"} & {*variations.kind(name).papers}][1:]


def as_text(rows: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """A Markdown table of intent's printed numbers, and of rows as those of `measure`, by name."""
    means = MEASURES[: -len(CHANGES)]
    lines = [table_row(["rewordings", *means, f"% that change: {' · '.join(CHANGES)}"])]
    lines.append(table_row(["---"] * (len(means) + 2)))
    lines += map(table_row, _printed())
    for name, found in rows.items():
        cells = [f"{found[key][0]:.2f} ±{found[key][1]:.2f}" if key in found else "–" for key in means]
        lines.append(table_row([name, *cells, " · ".join(f"{100 * found[key][0]:.0f}" for key in CHANGES)]))
    return "".join(f"{line}\n" for line in lines)


def _printed() -> list[list[str]]:
    """The rows of intent's Tables 2 and 3; of its six encoders, the least and the most similarity."""
    intent, rows = load_paper("intent"), []
    for level in LEVELS:
        for collection in ("wikiqa", "antique-binary"):
            place = {"query_set": level, "collection": collection}
            alike = [cell.value for cell in intent.tables["table2"].select(place)]
            given = [f"{cell.value:.2f}" for cell in intent.tables["table3"].select(place)]
            label = intent.words[collection][0]
            rows.append(
                [f"intent, {level}, {label}", f"{min(alike):.2f}–{max(alike):.2f}", *given[1:], given[0], "–", "–"]
            )
    return rows


@cache
def _stored() -> dict[str, Any]:
    return read_yaml(PEOPLE)


def slips_of_people() -> str:
    """The slips of people in public sources, beside those of every generator on the same queries, as Markdown.

    Of codespell's list it takes every tenth misspelling.
    """
    sources, text = _stored()["slips"], ""
    people = {
        name: slips.counts([[slips.Slip(*one) for one in query] for query in of["slips"]])
        for name, of in sources.items()
    }
    listed = [(right, wrong) for right, many in lexicon.misspellings().items() for wrong in many]
    people["codespell's list"] = slips.counts([slips.slip(*pair)] for pair in listed[::10])
    others = {name: slips.shares(counted) for name, counted in people.items()}
    for name, of in sources.items():
        text += f"**{name}**: {of['about']}\n\n"
        if "generators" in of:
            beside = {key: shares for key, shares in others.items() if key != name}
            made = {
                key: {feature: np.array(values) for feature, values in found.items()}
                for key, found in of["generators"].items()
            }
            text += f"{slips.as_text(people[name], beside | made)}\n"
    return text


def rewordings_of_people() -> str:
    """Rewordings by people beside intent's printed numbers and those of generators, as Markdown."""
    return as_text(_stored()["rewordings"])
