"""Tables about query sets alone: how far variations are from the original queries, in words and in meaning."""

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

from robustdr.core.files import read_queries
from robustdr.reporting.cells import ORIGINAL, Cell, Grid, Maker, columns_of

Counts = dict[str, Any]  # statistics of a varied query set, see `variations.statistics`
DIVERSITY = {  # quantity in reported.yaml -> of the statistics, and for people
    "sentence_length": ("characters", "characters"),
    "jaccard_similarity": ("word_jaccard", "Jaccard similarity of words"),
    "levenshtein_distance": ("characters_edited", "Levenshtein distance"),
}
SIMILARITY = "cosine_similarity"


def diversity(make: Maker, statistics: list[Path], queries: list[Path]) -> Grid:
    """A row per query set, columns for the length of its queries and their distances from the original ones.

    A mean is that over its variations (intent, Table 3).

    Args:
        statistics: of the varied query sets. queries: the original queries of each collection among them.
    """
    made = _by_place(statistics)
    lengths = {
        path.parts[-3:-1]: fmean(map(len, read_queries(path).values())) for path in queries if path.stem == "queries"
    }
    cells: dict[tuple[str, str], Cell] = {}
    for role in make.spec["collections"]:
        where = make.settings.evaluation[role]
        at = (where["collection"], where["split"])
        for query_set in make.spec["query_sets"]:
            for quantity, (field, heading) in DIVERSITY.items():
                if query_set == ORIGINAL and field != "characters":
                    continue
                cell = cells[query_set, f"{role} {heading}"] = _blank(make, role, query_set, quantity)
                if query_set == ORIGINAL:
                    cell.reproduced = lengths.get(at)
                elif not cell.not_run:
                    cell.reproduced = _mean(made[*at, kind][field] for kind in _kinds(make, role, query_set))
    return Grid("Query set", make.spec["query_sets"], columns_of(cells), cells)


def similarity(make: Maker, similarities: list[Path]) -> Grid:
    """A row per sentence encoder; columns for the cosine similarity of query sets and original queries, by collection.

    Args:
        similarities: of each encoder (the name of a file) and split, its mean by variation.
    """
    made, cells = _by_place(similarities), {}
    for role in make.spec["collections"]:
        where = make.settings.evaluation[role]
        for encoder, label in make.spec["encoders"].items():
            found = made.get((where["collection"], where["split"], encoder))
            for query_set in make.spec["query_sets"]:
                cell = cells[label, f"{role} {query_set}"] = _blank(make, role, query_set, SIMILARITY, encoder)
                cell.not_run = cell.not_run or make.settings.reasons.get(encoder, "")
                if found and not cell.not_run:
                    cell.reproduced = _mean(found[kind] for kind in _kinds(make, role, query_set))
    return Grid("Encoder", list(make.spec["encoders"].values()), columns_of(cells), cells)


def _by_place(paths: list[Path]) -> dict[tuple[str, ...], Counts]:
    """What files hold, by collection, split and their name."""
    return {(*path.parts[-3:-1], path.stem): json.loads(path.read_text(encoding="utf-8")) for path in paths}


def _kinds(make: Maker, role: str, query_set: str) -> list[str]:
    """The variations behind a query set."""
    return make.settings.evaluation[role]["means"].get(query_set, [query_set])


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fmean(found) if found else None


def _blank(make: Maker, role: str, query_set: str, quantity: str, system: str = "") -> Cell:
    """A cell in its place with what is printed there."""
    cell = make.blank("", role, query_set, "")
    coordinates = {"collection": role, "query_set": query_set, "quantity": quantity}
    cell.value, cell.system = quantity, system
    cell.quote(make.printed(**coordinates, **({"system": system} if system else {})))
    reasons = [make.settings.reasons[kind] for kind in _kinds(make, role, query_set) if kind in make.settings.reasons]
    cell.not_run = cell.not_run or next(iter(reasons), "")
    return cell
