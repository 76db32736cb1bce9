"""Runs of a ledger that can be judged together, laid out as measures files: seeds of several evenings add up."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from robustdr.evaluation.measures import write_values
from robustdr.keys.integrity import record

Expected = Mapping[tuple[str, str, str], str]  # system, collection, query set -> digest of settings


def settled(rows: pd.DataFrame, scale: str, expected: Expected) -> pd.DataFrame:
    """Return the rows of a scale that were made with the expected settings; runs with other settings never mix in."""
    rows = rows[rows["scale"] == scale]
    at = zip(rows["system"], rows["collection"], rows["query_set"], strict=True)
    wanted = [expected.get(place) == of for place, of in zip(at, rows["settings"], strict=True)]
    return rows[np.array(wanted, bool)]


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


def lay_out(rows: pd.DataFrame, folder: Path) -> dict[str, str]:
    """Write rows of `generation` as measures files with records, and return their keys by path, in the order of seeds.

    Query sets and measures that not every seed of a system has are left out.
    """
    keys = {}
    for (system, collection), of in rows.groupby(["system", "collection"]):
        seeds = of.groupby(["query_set", "measure"])["seed"].transform("nunique")
        for seed, one in of[seeds == of["seed"].nunique()].groupby("seed"):
            path = folder / str(collection) / str(system) / f"seed{seed}.parquet"
            long = one[["query_set", "measure", "qids", "values"]].rename(columns={"qids": "qid", "values": "value"})
            long["qid"] = long["qid"].str.split(" ")
            keys[str(path)] = str(one["key"].iloc[0])
            write_values(long.explode(["qid", "value"]).astype({"value": float}), path)
            record(path, key=keys[str(path)])
    return keys
