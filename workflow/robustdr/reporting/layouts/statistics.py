"""A row per quantity, a column per collection: its size, and the lengths of its queries."""

import json
from pathlib import Path
from statistics import fmean
from typing import Literal

from robustdr.collections.card import Card
from robustdr.core.files import read_queries
from robustdr.core.settings import settings
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid, Maker
from robustdr.reporting.spec import TableSpec


@settings
class Settings(TableSpec):
    reads = ("cards", "queries")
    about_data = True

    rows: Literal["statistics"]


QUANTITIES = {  # quantity in reported.yaml -> heading
    "passages": "Passages",
    "train_queries": "Training queries",
    "dev_queries": "Evaluated queries",
    "typo_queries_per_query": "Misspelled queries per query",
    "relevant_per_query": "Relevant passages per query",
    "query_length": "Words per query",
    "typo_query_length": "Words per misspelled query",
}


def statistics(make: Maker[Settings]) -> Grid:
    """A row per quantity, a column per collection: its size, and the lengths of its queries and their variations."""
    cards: dict[str, Card] = {}
    for card in (json.loads(path.read_text(encoding="utf-8")) for path in make.statistics):
        cards.setdefault(card["name"], card)["splits"] |= card["splits"]
    cells: dict[tuple[str, str], Cell] = {}
    for role in make.spec.collections:
        role_evaluation = make.settings.evaluation[role]
        query_files = [
            path
            for path in make.queries
            if path.parts[-3:-1] == (role_evaluation["collection"], role_evaluation["split"])
        ]
        counts = (
            _counted(cards[role_evaluation["collection"]], role_evaluation["split"], query_files) if query_files else {}
        )
        for quantity, heading in QUANTITIES.items():
            cell = cells[heading, role] = make.blank("", role, "", "")
            cell.value = quantity
            cell.quote(make.printed(collection=role, quantity=quantity))
            cell.reproduced = counts.get(quantity)
    return Grid("", list(QUANTITIES.values()), list(make.spec.collections), cells)


def _counted(card: Card, split: str, queries: list[Path]) -> dict[str, float]:
    """The quantities of one collection; equal variations of a query count once."""
    originals = read_queries(next(path for path in queries if path.stem == "queries"))
    varied = [read_queries(path) for path in queries if path.stem != "queries"]
    different = [text for qid in originals for text in {of_set[qid] for of_set in varied} - {originals[qid]}]
    evaluated = card["splits"][split]
    relevant = sum(count for grade, count in evaluated["grades"].items() if grade != "0")
    return {
        "passages": card["passages"]["count"],
        "train_queries": card["splits"]["train"]["queries"],
        "dev_queries": evaluated["queries"],
        "typo_queries_per_query": len(different) / len(originals),
        "relevant_per_query": relevant / len(originals),
        "query_length": fmean(len(text.split()) for text in originals.values()),
        "typo_query_length": fmean(len(text.split()) for text in different),
    }
