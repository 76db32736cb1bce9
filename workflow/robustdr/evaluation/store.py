"""Measured values by system, collection, query set and measure, refused where their key is not the expected one."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from robustdr.errors import UserError
from robustdr.evaluation.measures import read_measures
from robustdr.evaluation.names import MEAN

Values = dict[tuple[str, str], np.ndarray]  # (query set, measure) -> [queries], in the order of their ids


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

    A measures file may hold query sets of several papers: what a mean averages is said by `means` alone.

    Attributes:
        sources: the measures files.
        reasons: why a system, a collection or a query set is not there, in words.
        means: by collection and mean, the variations that it averages; those of `variations_mean` are the paper's.
    """

    sources: list[Source]
    reasons: dict[str, str] = field(default_factory=dict)
    means: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    @cached_property
    def _measured(self) -> dict[tuple[str, str], list[Values]]:
        """The values of each seed by (system, collection)."""
        measured: dict[tuple[str, str], list[Values]] = {}
        for source in self.sources:
            frame, key = read_measures(source.path)
            if key != source.key:
                what = f"carries the key {key}" if key else "carries no key"
                self.reasons[source.system] = (
                    f"{source.path} {what}, the configuration and code make {source.key}: "
                    f"stale; delete it and run again"
                )
            groups = frame.sort_values("qid").groupby(["query_set", "measure"])
            values = {at: group["value"].to_numpy() for at, group in groups}
            measured.setdefault((source.system, source.collection), []).append(values)
        return {at: seeds for at, seeds in measured.items() if at[0] not in self.reasons}

    def kinds(self, collection: str, query_set: str) -> list[str]:
        """The variations behind a mean; behind another query set itself alone."""
        return self.means.get(collection, {}).get(query_set, [] if query_set == MEAN else [query_set])

    def why_not(self, system: str, collection: str, split: str, query_set: str) -> str:
        """Why there are no values of `system` there; empty where there are."""
        if (system, collection) not in self._measured:
            return self._reason(system, collection)
        kinds = self.kinds(collection, query_set)
        if not kinds:
            return f"no query set of {query_set} can be made at this scale"
        missing = [kind for kind in kinds if not self._has(system, collection, split, kind)]
        return self.reasons.get(missing[0], "this query set was not run") if missing else ""

    def _reason(self, system: str, collection: str) -> str:
        return self.reasons.get(collection) or self.reasons.get(system, "not run")

    def _seeds(self, system: str, collection: str) -> list[Values]:
        if (system, collection) not in self._measured:
            raise UserError(f"{system} on {collection}: {self._reason(system, collection)}")
        return self._measured[system, collection]

    def _has(self, system: str, collection: str, split: str, kind: str) -> bool:
        return any(name == f"{split}.{kind}" for name, _ in self._seeds(system, collection)[0])

    def query_sets(self, system: str, collection: str, split: str) -> list[str]:
        """The paper's variations, those of `variations_mean`, that were measured; `original` is not among them.

        Raises:
            UserError: nothing was measured there.
        """
        self._seeds(system, collection)
        return [kind for kind in self.kinds(collection, MEAN) if self._has(system, collection, split, kind)]

    def queries(self, system: str, collection: str, split: str) -> list[str]:
        """The ids of a split's queries, in the order of `values`.

        Raises:
            UserError: nothing was measured there.
        """
        self._seeds(system, collection)
        paths = (s.path for s in self.sources if (s.system, s.collection) == (system, collection))
        frame, _ = read_measures(next(paths))
        return sorted(set(frame.loc[frame["query_set"] == f"{split}.original", "qid"]))

    def values(self, system: str, collection: str, split: str, query_set: str, measure: str) -> np.ndarray:
        """[seeds, queries], queries in the order of their ids; a mean averages each query's variations.

        Raises:
            UserError: nothing was measured there.
        """
        seeds, kinds = self._seeds(system, collection), self.kinds(collection, query_set)
        if not kinds:
            raise UserError(f"{system} on {collection}: no query set of {query_set} was measured")
        missing = [kind for kind in kinds if (f"{split}.{kind}", measure) not in seeds[0]]
        if missing:
            raise UserError(f"{system} on {collection}: no {measure} for {split}.{missing[0]} was measured")
        return np.mean([[seed[f"{split}.{kind}", measure] for seed in seeds] for kind in kinds], axis=0)


def open_store(settings: Any, measures: list[Path]) -> Store:
    """The store behind a table, figure or page of claims.

    Args:
        settings: `keys` by measures file, `reasons`, and `evaluation` by role with its `collection` and `means`.
        measures: measures files, each with a key in the settings.
    """
    sources = [Source(path, settings.keys[str(path)]) for path in measures]
    means = {where["collection"]: where["means"] for where in settings.evaluation.values()}
    return Store(sources, dict(settings.reasons), means)
