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
    for path, varied_texts in files.items():
        if unknown := varied_texts.keys() - texts.keys():
            raise UserError(f"{path}: query {min(unknown)!r} is none of {originals} ({len(unknown):,} such queries)")
    variations_by_qid = {
        qid: [varied_texts[qid] for varied_texts in files.values() if qid in varied_texts] for qid in texts
    }
    return [(texts[qid], rewordings) for qid, rewordings in variations_by_qid.items() if rewordings]


def slip_tables(originals: Path, misspelled: Path) -> str:
    """The slips of misspelled queries beside those of every generator on the same queries, as Markdown.

    Raises:
        UserError: no query has a slip; see also `paired`.
    """
    pairs = paired(originals, [misspelled])
    people = slips.counts(slips.slips(original, wrong) for original, (wrong,) in pairs)
    if not len(people["kind"]):
        raise UserError(f"{misspelled}: no query has a misspelled word beside {originals}")
    generated = {
        name: slips.generated(generator, [original for original, _ in pairs])
        for name, generator in slips.generators().items()
    }
    return slips.as_text(people, generated)


def rewording_table(originals: Path, varied: Sequence[Path], model: Path | None) -> str:
    """Rewordings beside intent's printed numbers, people's, and those of generators on the same queries, as Markdown.

    Args:
        model: sentence-transformers folder for the similarity.

    Raises:
        UserError: see `paired` and `Similarity`.
    """
    encode, pairs = Similarity(model) if model else None, paired(originals, varied)
    questions = [question for question, _ in pairs]
    generated = {name: measure(reworded(variations.create(name), questions), encode) for name in reworders()}
    return as_text({"these queries": measure(pairs, encode), STACKFAQ: _stored()["rewordings"][STACKFAQ], **generated})


def reworders() -> list[str]:
    """The names of qvg's ten generators and intent's one."""
    return [name for name in variations.names() if {"qvg", "intent"} & {*variations.kind(name).papers}][1:]


def as_text(rows: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """A Markdown table of intent's printed numbers, and of rows as those of `measure`, by name."""
    means = MEASURES[: -len(CHANGES)]
    lines = [table_row(["rewordings", *means, f"% that change: {' · '.join(CHANGES)}"])]
    lines.append(table_row(["---"] * (len(means) + 2)))
    lines += map(table_row, _printed())
    for name, values in rows.items():
        cells = [f"{values[key][0]:.2f} ±{values[key][1]:.2f}" if key in values else "–" for key in means]
        lines.append(table_row([name, *cells, " · ".join(f"{100 * values[key][0]:.0f}" for key in CHANGES)]))
    return "".join(f"{line}\n" for line in lines)


def _printed() -> list[list[str]]:
    """The rows of intent's Tables 2 and 3; of its six encoders, the least and the most similarity."""
    intent, rows = load_paper("intent"), []
    for level in LEVELS:
        for collection in ("wikiqa", "antique-binary"):
            place = {"query_set": level, "collection": collection}
            similarities = [cell.value for cell in intent.tables["table2"].select(place)]
            distances = [f"{cell.value:.2f}" for cell in intent.tables["table3"].select(place)]
            label = intent.words[collection][0]
            rows.append(
                [
                    f"intent, {level}, {label}",
                    f"{min(similarities):.2f}–{max(similarities):.2f}",
                    *distances[1:],
                    distances[0],
                    "–",
                    "–",
                ]
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
        name: slips.counts([[slips.Slip(*slip_fields) for slip_fields in query] for query in source["slips"]])
        for name, source in sources.items()
    }
    listed = [(correct, wrong) for correct, many in lexicon.misspellings().items() for wrong in many]
    people["codespell's list"] = slips.counts([slips.slip(*pair)] for pair in listed[::10])
    source_shares = {name: slips.shares(counted) for name, counted in people.items()}
    for name, source in sources.items():
        text += f"**{name}**: {source['about']}\n\n"
        if "generators" in source:
            other_shares = {key: shares for key, shares in source_shares.items() if key != name}
            generated = {
                key: {feature: np.array(values) for feature, values in shares.items()}
                for key, shares in source["generators"].items()
            }
            text += f"{slips.as_text(people[name], other_shares | generated)}\n"
    return text


def rewordings_of_people() -> str:
    """Rewordings by people beside intent's printed numbers and those of generators, as Markdown."""
    return as_text(_stored()["rewordings"])
