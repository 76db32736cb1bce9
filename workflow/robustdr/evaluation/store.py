"""Measured values by system, collection, query set and measure, refused where their key is not the expected one."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from robustdr.errors import UserError
from robustdr.evaluation.measures import read_measures

MEAN = "variations_mean"


@dataclass(frozen=True)
class Source:
    """One measures file: the measures of one system and seed on one collection, and the key that it must carry."""

    path: Path
    key: str

    @property
    def system(self) -> str:
        return self.path.parent.name

    @property
    def collection(self) -> str:
        return self.path.parent.parent.name


@dataclass
class Store:
    """Per-query values of all the systems that a table or claim needs.

    Attributes:
        sources: the measures files. reasons: why a system is not there, by system, in words.
    """

    sources: list[Source]
    reasons: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _frames(self) -> dict[tuple[str, str], list[pd.DataFrame]]:
        frames: dict[tuple[str, str], list[pd.DataFrame]] = {}
        for source in self.sources:
            frame, key = read_measures(source.path)
            if key != source.key:
                what = f"carries the key {key}" if key else "carries no key"
                self.reasons[source.system] = (
                    f"{source.path} {what}, the configuration and code make {source.key}: "
                    f"stale; delete it and run again"
                )
            frames.setdefault((source.system, source.collection), []).append(frame)
        return {at: seeds for at, seeds in frames.items() if at[0] not in self.reasons}

    def why_not(self, system: str, collection: str) -> str:
        """Why there are no values of `system` on `collection`; empty where there are."""
        if (system, collection) in self._frames:
            return ""
        return self.reasons.get(system, "not run")

    def _seeds(self, system: str, collection: str) -> list[pd.DataFrame]:
        if reason := self.why_not(system, collection):
            raise UserError(f"{system} on {collection}: {reason}")
        return self._frames[system, collection]

    def query_sets(self, system: str, collection: str, split: str) -> list[str]:
        """The variations that were measured, in the order of their evaluation; `original` is not among them.

        Raises:
            UserError: nothing was measured there.
        """
        found = self._seeds(system, collection)[0]["query_set"].unique()
        kinds = [name.removeprefix(f"{split}.") for name in found if name.startswith(f"{split}.")]
        return [kind for kind in kinds if kind != "original"]

    def values(self, system: str, collection: str, split: str, query_set: str, measure: str) -> np.ndarray:
        """[seeds, queries], queries in the order of their ids; `variations_mean` averages each query's variations.

        Raises:
            UserError: nothing was measured there.
        """
        if query_set == MEAN:
            kinds = self.query_sets(system, collection, split)
            if not kinds:
                raise UserError(f"{system} on {collection}: no variation of {split} was measured")
            return np.mean([self.values(system, collection, split, kind, measure) for kind in kinds], axis=0)
        rows = []
        for frame in self._seeds(system, collection):
            chosen = frame[(frame["query_set"] == f"{split}.{query_set}") & (frame["measure"] == measure)]
            rows.append(chosen.sort_values("qid")["value"].to_numpy())
        if not len(rows[0]):
            raise UserError(f"{system} on {collection}: no {measure} for {split}.{query_set} was measured")
        return np.stack(rows)
