"""Measured values by system, role, query set and measure; files whose record has an unexpected key are refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from robustdr.core.errors import Absent
from robustdr.evaluation.estimates import Estimate
from robustdr.evaluation.measures import read_measures
from robustdr.evaluation.names import MEAN
from robustdr.evaluation.priors import Runs
from robustdr.evaluation.settings import Evaluated
from robustdr.keys.integrity import key_of

Values = dict[tuple[str, str], np.ndarray]  # (query set, measure) -> [queries], in the order of their ids


@dataclass(frozen=True)
class Source:
    """One measures file: measures of one system and seed on one collection, and the expected key."""

    path: Path
    key: str

    @property
    def system(self) -> str:
        return self.path.parent.parent.name

    @property
    def collection(self) -> str:
        return self.path.parent.parent.parent.name

    @property
    def seed(self) -> str:
        return self.path.parent.name


@dataclass
class Store:
    """Per-query values of all systems that a table or claim needs.

    A measures file may hold query sets of several papers; only a role's `means` say what a mean averages.

    Attributes:
        sources: the measures files.
        evaluation: by role, its `collection` and `split`, and in `means` the variations that each mean averages; those
            of `variations_mean` are the paper's. Roles of one collection and split may have different means.
        reasons: why a system, a collection or a query set is unavailable, in words.
        runs: which systems a training run decides, and the priors of how much runs vary.
    """

    sources: list[Source]
    evaluation: Mapping[str, Evaluated]
    reasons: dict[str, str] = field(default_factory=dict)
    runs: Runs = field(default_factory=Runs)

    @cached_property
    def _measured(self) -> dict[tuple[str, str], dict[str, Values]]:
        """Return the values by (system, collection) and seed."""
        measured: dict[tuple[str, str], dict[str, Values]] = {}
        for source in self.sources:
            frame, key = read_measures(source.path), key_of(source.path)
            if key != source.key:
                key_text = f"carries the key {key}" if key else "carries no key"
                self.reasons[source.system] = (
                    f"{source.path} {key_text}, the configuration and code make {source.key}: "
                    f"stale; delete it and run again"
                )
            groups = frame.sort_values("qid").groupby(["query_set", "measure"])
            values = {name: group["value"].to_numpy() for name, group in groups}
            measured.setdefault((source.system, source.collection), {}).setdefault(source.seed, {}).update(values)
        return {place: seeds for place, seeds in measured.items() if place[0] not in self.reasons}

    def averaged(self, role: str, query_set: str) -> list[str]:
        """Return the variations behind a mean; for another query set, the query set alone."""
        return self.evaluation[role]["means"].get(query_set, [] if query_set == MEAN else [query_set])

    def why_not(self, system: str, role: str, query_set: str) -> str:
        """Return why there are no values of `system` on a query set; '' if there are."""
        if (system, self.evaluation[role]["collection"]) not in self._measured:
            return self._reason(system, role)
        variations = self.averaged(role, query_set)
        if not variations:
            return f"no query set of {query_set} can be made at this scale"
        missing = [variation for variation in variations if not self._has(system, role, variation)]
        return self.reasons.get(missing[0], "this query set was not run") if missing else ""

    def _reason(self, system: str, role: str) -> str:
        return self.reasons.get(self.evaluation[role]["collection"]) or self.reasons.get(system, "not run")

    def _seeds(self, system: str, role: str) -> dict[str, Values]:
        place = (system, self.evaluation[role]["collection"])
        if place not in self._measured:
            raise Absent(f"{system} on {place[1]}: {self._reason(system, role)}")
        return self._measured[place]

    def _stored_name(self, role: str, variation: str) -> str:
        """Return the name of a query set in measures files."""
        return f"{self.evaluation[role]['split']}.{variation}"

    def _has(self, system: str, role: str, variation: str) -> bool:
        first, *_ = self._seeds(system, role).values()
        return any(name == self._stored_name(role, variation) for name, _ in first)

    def query_sets(self, system: str, role: str) -> list[str]:
        """Return the paper's measured variations, those of `variations_mean`; `original` is not among them.

        Raises:
            Absent: there are no measured values.
        """
        self._seeds(system, role)
        return [variation for variation in self.averaged(role, MEAN) if self._has(system, role, variation)]

    def queries(self, system: str, role: str) -> list[str]:
        """Return the ids of a role's queries, in the order of `values`.

        Raises:
            Absent: there are no measured values.
        """
        self._seeds(system, role)
        place = (system, self.evaluation[role]["collection"])
        frame = pd.concat(read_measures(s.path) for s in self.sources if (s.system, s.collection) == place)
        return sorted(set(frame.loc[frame["query_set"] == self._stored_name(role, "original"), "qid"]))

    def values(self, system: str, role: str, query_set: str, measure: str) -> np.ndarray:
        """Return values [seeds, queries], queries in the order of their ids; a mean averages each query's variations.

        Raises:
            Absent: there are no measured values.
        """
        seeds = [*self._seeds(system, role).values()]
        names = [self._stored_name(role, variation) for variation in self.averaged(role, query_set)]
        collection = self.evaluation[role]["collection"]
        if not names:
            raise Absent(f"{system} on {collection}: no query set of {query_set} was measured")
        missing = [name for name in names if (name, measure) not in seeds[0]]
        if missing:
            raise Absent(f"{system} on {collection}: no {measure} for {missing[0]} was measured")
        return np.mean([[seed[name, measure] for seed in seeds] for name in names], axis=0)

    def estimate(
        self, system: str, role: str, query_set: str, measure: str, counted: np.ndarray | float = 1.0
    ) -> Estimate:
        """Return the mean of `values` times `counted` [queries], with what is known of the training runs behind it.

        Raises:
            Absent: there are no measured values.
        """
        trained = self.runs.trained & {system}
        values = self.values(system, role, query_set, measure) * counted
        runs = Runs(trained, self.runs.families) if trained else Runs()
        return Estimate(values, runs=runs, seeds=[*self._seeds(system, role)])


def open_store(settings: Any, measures: list[Path], priors: Path | None = None) -> Store:
    """Return the store for a table, figure or page of claims.

    Args:
        settings: `keys` by measures file, `reasons`, `evaluation` by role, see `Store`, the `trained` systems, and the
            scale whose priors count (`variance_from`).
        measures: measures files, each with a key in the settings. priors: evidence/priors.json, if it exists.
    """
    sources = [Source(path, settings.keys[str(path)]) for path in measures]
    runs = Runs.from_file(priors, settings.variance_from, frozenset(settings.trained))
    return Store(sources, settings.evaluation, dict(settings.reasons), runs)
