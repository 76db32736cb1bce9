"""The meaning of heads and labels: the project's names of measures, collections and query sets, or the paper's own."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from robustdr.audit.reported import PAPERS, load

FREE = ("system", "query_set", "category", "quantity", "collection", "split")  # for labels of unknown meaning
MEASURES = {
    "RR": "mrr rr",
    "nDCG": "ndcg",
    "R": "recall r",
    "AP": "map ap",
    "P": "precision prec p",
    "Success": "success s acc accuracy hit hits hr top",
    "Judged": "judged",
    "Unjudged": "unjudged",
}
VALUES = {
    "median": "median",
    "deviation": "std stdev std_dev sd standard_deviation deviation",
    "ci": "ci 95_ci confidence_interval",
    "drop": "drop drop_rate loss delta d_rel rel rel_change relative_loss change impact decrease",
    "upper_bound": "upper_bound",
    "lower_bound": "lower_bound",
}
ORIGINAL = "original originals clean none unaltered no_noise unperturbed origin"
HEADINGS = {
    "system": "model models method methods system systems retriever retrievers approach ranker",
    "collection": "dataset datasets collection collections corpus benchmark",
    "query_set": "variation variations variation_set query_set query_type noise typo perturbation queries",
    "split": "split",
    "seed": "seed run",
    "measure": "measure measures metric metrics",
    "category": "category categories group type training training_data setting supervision",
    "quantity": "statistic statistics quantity",
}
COLLECTIONS = {
    "msmarco-passage": "ms_marco msmarco ms_marco_passage ms_marco_dev",
    "natural-questions": "nq natural_questions",
    "trivia-qa": "triviaqa trivia_qa trivia tqa",
    "trec-dl-2019": "dl19 trec_dl_19 trec_dl_2019 dl_19",
    "dl-typo": "dl_typo",
}
SPLITS = ("dev", "test", "train", "validation")
_COUNTED = re.compile(
    r"(#.*|.*\b(?:queries|time|hours?|params?|parameters|size|epochs?|latency|count|number of).*)", re.I
)
_DEPTH = re.compile(r"([A-Za-z]+)\s*[@-]?\s*(\d{1,9})\s*(k?)(?:\s+acc(?:uracy|\.)?)?", re.I)
_SEED = re.compile(r"(?:seed|run)\s*#?\s*(\d{1,9})", re.I)


class Meaning(NamedTuple):
    """A coordinate and its label; the coordinate is '' if unknown."""

    coordinate: str
    label: str


def slug(text: str) -> str:
    """The text in lower-case letters, digits and `_`."""
    return re.sub(r"[^a-z0-9]+", "_", text.casefold().replace("δ", "delta").replace("∆", "delta")).strip("_")


def meaning(text: str, among_measures: bool = False) -> Meaning:
    """The meaning of one label; RR and AP without a depth are measures only `among_measures`."""
    bare = re.sub(r"[↑↓%]|\(\s*%?\s*\)", "", text).strip()
    name = slug(bare)
    if measure := _measure(bare, among_measures):
        return Meaning("measure", measure)
    if seed := _SEED.fullmatch(bare):
        return Meaning("seed", seed[1])
    for coordinate, table in (("value", VALUES), ("collection", COLLECTIONS), ("query_set", {"original": ORIGINAL})):
        for label, words in table.items():
            if name in words.split():
                return Meaning(coordinate, label)
    if name in SPLITS:
        return Meaning("split", name)
    for coordinate in ("query_set", "collection", "system"):
        if name in _project_labels()[coordinate]:
            return Meaning(coordinate, _project_labels()[coordinate][name])
    return Meaning("quantity" if _COUNTED.fullmatch(bare) else "", text)


def _measure(text: str, among_measures: bool) -> str:
    match = _DEPTH.fullmatch(text)
    if match and len(match[1]) == 1 and "@" not in text:
        return ""  # S2 is the second subject, P10 the tenth person
    name, depth = (match[1], int(match[2]) * (1000 if match[3] else 1)) if match else (text, 0)
    for measure, words in MEASURES.items():
        stands_alone = measure in ("RR", "AP", "nDCG") and (among_measures or name.casefold() not in ("rr", "ap"))
        if name.casefold() in words.split() and (depth or stands_alone):
            return f"{measure}@{depth}" if depth else measure
    return ""


@cache
def _project_labels() -> Mapping[str, Mapping[str, str]]:
    """The labels in the project's reported.yaml files, by coordinate and slug."""
    labels: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(PAPERS.glob("*/reported.yaml")):
        for table in load(path).tables.values():
            for place in [*(place for _, place in table.rows), *table.columns]:
                for coordinate in {"query_set", "collection", "system"} & set(place):
                    labels[coordinate].setdefault(slug(place[coordinate]), place[coordinate])
    return labels


def coordinate_of(heading: str) -> str:
    """The coordinate that a heading names; '' if none."""
    return next((name for name, words in HEADINGS.items() if slug(heading) in words.split()), "")


def axis(labels: Sequence[str], heading: str, used: Sequence[str]) -> list[Meaning]:
    """The meanings of the labels of one head row or label column, with coordinates that are not `used`.

    A label of unknown meaning gets the coordinate that the heading names, else that of most other labels, else the
    first free one.
    """
    among_measures = any(meaning(label).coordinate == "measure" for label in labels)
    meanings = [meaning(label, among_measures) for label in labels]
    heading_coordinates = [name for name in [coordinate_of(heading)] if name and name not in used]
    counts = Counter(sense.coordinate for sense in meanings if sense.coordinate not in ("", "value", "seed", *used))
    unknown = sum(not sense.coordinate or sense.coordinate in used for sense in meanings)
    likely = [name for name, number in counts.most_common(1) if number >= unknown and name != "quantity"]
    free = [name for name in FREE if name not in used]
    default = next(iter([*heading_coordinates, *likely, *free, FREE[-1]]))
    return [
        sense if sense.coordinate and sense.coordinate not in used else Meaning(default, label)
        for sense, label in zip(meanings, labels, strict=True)
    ]
