"""Runs of a ledger that can be judged together, laid out as measures files: seeds of several evenings add up."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from robustdr.evaluation.measures import write_values
from robustdr.keys.integrity import record

RUN = ["scale", "system", "collection", "seed"]
Expected = Mapping[tuple[str, str, str], str]  # system, collection, query set -> digest of settings


def settled_rows(rows: pd.DataFrame, scale: str, expected: Expected) -> pd.DataFrame:
    """Return the rows of a scale that were made with the expected settings; runs with other settings never mix in."""
    rows = rows[rows["scale"] == scale]
    places = zip(rows["system"], rows["collection"], rows["query_set"], strict=True)
    matching = [expected.get(place) == settings for place, settings in zip(places, rows["settings"], strict=True)]
    return rows[np.array(matching, bool)]


def one_run_a_seed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one run a seed of each system on each collection, of rows that `settled` returned.

    Runs of one seed differ in code and hardware. The run on the hardware with the most runs is taken, so that systems
    are compared on one machine where this is possible. Of several runs on it, the newest is taken.
    """
    rows = newest(rows, [*RUN, "hardware"])
    runs = rows.drop_duplicates([*RUN, "hardware"])
    often = runs["hardware"].map(runs["hardware"].value_counts())
    best = runs.assign(often=often).sort_values(["often", "hardware"]).drop_duplicates(RUN, keep="last")
    return rows.merge(best[[*RUN, "hardware"]])


def newest(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Return the rows of the newest of the runs that agree in the columns `same`."""
    last = rows.sort_values(["date", "key"]).drop_duplicates(columns, keep="last")
    return rows.merge(last[[*columns, "key"]])


def lay_out(rows: pd.DataFrame, folder: Path) -> dict[str, str]:
    """Write rows of `one_run_a_seed` as measures files with records; return their keys by path, in the order of seeds.

    Query sets and measures that not every seed of a system has are left out.
    """
    keys = {}
    for (system, collection), system_rows in rows.groupby(["system", "collection"]):
        seeds = system_rows.groupby(["query_set", "measure"])["seed"].transform("nunique")
        for seed, seed_rows in system_rows[seeds == system_rows["seed"].nunique()].groupby("seed"):
            path = folder / str(collection) / str(system) / f"seed{seed}" / "all.parquet"
            long = seed_rows[["query_set", "measure", "qids", "values"]].rename(
                columns={"qids": "qid", "values": "value"}
            )
            long["qid"] = long["qid"].str.split(" ")
            keys[str(path)] = str(seed_rows["key"].iloc[0])
            write_values(long.explode(["qid", "value"]).astype({"value": float}), path)
            record(path, key=keys[str(path)])
    return keys
