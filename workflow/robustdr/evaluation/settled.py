"""Values of a ledger's runs, in place of the measures files of one folder of results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from robustdr.evaluation.ledger import SCHEMA
from robustdr.evaluation.names import ORIGINAL
from robustdr.evaluation.store import Store, Values

Expected = Mapping[tuple[str, str, str], str]  # system, collection, query set -> digest of settings


def settled(rows: pd.DataFrame, scale: str, expected: Expected) -> pd.DataFrame:
    """Return the rows of a scale that were made with the expected settings; runs with other settings never mix in."""
    rows = rows[rows["scale"] == scale]
    at = zip(rows["system"], rows["collection"], rows["query_set"], strict=True)
    wanted = [expected.get(place) == of for place, of in zip(at, rows["settings"], strict=True)]
    return rows[wanted]


def generation(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one run a seed of each system on each collection, all made by the same code.

    Of several versions of the code, the one with the most seeds is taken, then the newest. Of a seed's runs, the one on
    the hardware that has the most runs is taken, so that systems are compared on one machine where this is possible.
    """
    runs = rows.drop_duplicates(["system", "collection", "seed", "key", "hardware"])
    often = runs["hardware"].value_counts()
    taken = []
    for _, of in rows.groupby(["system", "collection"]):
        _, _, code = max(
            (of_code["seed"].nunique(), max(of_code["date"]), code) for code, of_code in of.groupby("code")
        )
        of = of[of["code"] == code]
        for _, one in of.groupby("seed"):
            _, hardware, key = max((often[name], name, key) for (name, key), _ in one.groupby(["hardware", "key"]))
            taken.append(one[(one["hardware"] == hardware) & (one["key"] == key)])
    return pd.concat(taken) if taken else rows


@dataclass
class SettledStore(Store):
    """A store over rows of a ledger: one run a seed; see `generation`.

    Query sets and measures that not every seed of a system has are left out.
    """

    rows: pd.DataFrame = field(default_factory=lambda: SCHEMA.empty_table().to_pandas())

    @cached_property
    def measured(self) -> dict[tuple[str, str], list[Values]]:
        found: dict[tuple[str, str], list[Values]] = {}
        for (system, collection), of in self.rows.groupby(["system", "collection"]):
            seeds = [
                dict(zip(zip(one["query_set"], one["measure"], strict=True), one["values"], strict=True))
                for _, one in of.groupby("seed")
            ]
            common = set(seeds[0]).intersection(*seeds)
            found[system, collection] = [{at: values for at, values in one.items() if at in common} for one in seeds]
        return found

    def queries(self, system: str, role: str) -> list[str]:
        self._seeds(system, role)
        rows, name = self.rows, self._named(role, ORIGINAL)
        here = (rows["system"] == system) & (rows["collection"] == self.evaluation[role]["collection"])
        return str(rows.loc[here & (rows["query_set"] == name), "qids"].iloc[0]).split(" ")
