"""Claims judged on the whole ledger, and on each of its runs alone: how often does a verdict come again?"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as with_
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd

from robustdr.claims.verdicts import NOT_RUN, NOT_TESTABLE
from robustdr.core.errors import UserError
from robustdr.core.files import write_json
from robustdr.evaluation import ledger
from robustdr.evaluation.settled import lay_out, one_run_a_seed
from robustdr.evidence.identity import current, unreadable
from robustdr.graph import tables
from robustdr.graph.graph import Graph
from robustdr.reporting.artifacts import Record as Claim
from robustdr.reporting.claims import write_claims
from robustdr.reporting.settings import ClaimsSettings


class Single(NamedTuple):
    """One training run of every system: a seed on one machine, at one scale."""

    scale: str
    seed: int
    hardware: str


def claims_inputs(graph: Graph, paper: str, keys: Mapping[str, str]) -> tuple[ClaimsSettings, Path, Path | None]:
    """Return the settings of a paper's claims on measures of a ledger, its claims.yaml, and its reported.yaml, if any.

    Args:
        keys: of measures files, by path; see `settled.lay_out`.
    """
    node = tables.claims(graph, paper, (paper,))
    claims_places = {Path(path).parts[-4:-2] for path in node.settings.keys}  # collection, system
    claims_keys = {path: key for path, key in keys.items() if Path(path).parts[-4:-2] in claims_places}
    (claims,), reported = (node.inputs[name].files for name in ("claims", "reported"))
    settings: ClaimsSettings = with_(node.settings, keys=claims_keys, command="robustdr evidence findings")
    return settings, Path(claims), next(iter(reported), None)


@dataclass(frozen=True)
class Judge:
    """Judges claims on rows of a ledger.

    Attributes:
        graphs: by scale. rows: of `ledger.read_ledger`. priors: the ledger's priors.json, if there is one.
    """

    graphs: Mapping[str, Graph]
    rows: pd.DataFrame
    priors: Path | None

    @classmethod
    def from_ledger(cls, graphs: Mapping[str, Graph], evidence: Path) -> "Judge":
        """Read a ledger. Rows whose scale or settings the configuration no longer has are left out.

        Raises:
            UserError: the files of a collection that it has runs on are not here.
        """
        by_scale = {graph.lineage.scale_name: graph for graph in graphs.values()}
        rows = ledger.read_ledger(evidence)
        for graph in graphs.values():
            for collection, reason in unreadable(graph, rows).items():
                raise UserError(f"{evidence}: its runs on {collection} cannot be judged here: {reason}")
        priors = evidence / tables.PRIORS.name
        return cls(by_scale, current(graphs.values(), rows), priors if priors.is_file() else None)

    def has(self, scale: str) -> bool:
        return bool((self.rows["scale"] == scale).any())

    def write(self, scale: str, papers: list[str], folder: Path) -> list[Path]:
        """Write the verdicts of papers as .md and .json, each claim with those of every single run.

        Returns:
            the .json files.
        """
        outputs = self._claims(scale, self.rows[self.rows["scale"] == scale], papers, folder)
        singles: dict[str, list[tuple[Single, dict[str, Any]]]] = {paper: [] for paper in papers}
        for single, rows in self._singles(scale):
            with TemporaryDirectory() as temporary:
                for paper, path in self._claims(single.scale, rows, papers, Path(temporary)).items():
                    singles[paper].append((single, json.loads(path.read_text(encoding="utf-8"))))
        for paper, path in outputs.items():
            document = json.loads(path.read_text(encoding="utf-8"))
            for number, claim in enumerate(document["claims"]):
                claim["replicates"] = replicates(
                    claim["verdict"], [(single, verdicts["claims"][number]) for single, verdicts in singles[paper]]
                )
            write_json(path, document)
        return list(outputs.values())

    def _claims(self, scale: str, rows: pd.DataFrame, papers: list[str], folder: Path) -> dict[str, Path]:
        """Judge papers on one run a seed of these rows, and return their .json files."""
        with TemporaryDirectory() as laid:
            keys = lay_out(one_run_a_seed(rows), Path(laid))
            outputs = {paper: folder / f"{paper}.json" for paper in papers}
            for paper, output in outputs.items():
                settings, claims, reported = claims_inputs(self.graphs[scale], paper, keys)
                measures = [*map(Path, settings.keys)]
                write_claims(settings, measures, claims, reported, self.priors, output.with_suffix(".md"))
        return outputs

    def _singles(self, judged: str) -> Iterator[tuple[Single, pd.DataFrame]]:
        """Yield every seed of every machine with its rows, and with those of systems in which nothing is random.

        They are of all scales that have the setting of the scale `judged`.
        """
        setting = self.graphs[judged].lineage.variance_scale
        for scale, scale_rows in self.rows.groupby("scale"):
            if self.graphs[str(scale)].lineage.variance_scale != setting:
                continue
            random = scale_rows["system"].map(self.graphs[str(scale)].lineage.is_random)
            for (seed, hardware), run_rows in scale_rows[random].groupby(["seed", "hardware"]):
                yield Single(str(scale), int(seed), str(hardware)), pd.concat([run_rows, scale_rows[~random]])


def replicates(verdict: str, singles: list[tuple[Single, dict[str, Any]]]) -> dict[str, Any]:
    """Return how many single runs reach a claim's verdict: `same` `of` those that could test it, and all as `runs`.

    A run has its scale, seed, hardware, verdict, and the size and interval of each effect, to nine decimals.
    """
    tested = [claim["verdict"] for _, claim in singles if claim["verdict"] not in (NOT_RUN, NOT_TESTABLE)]
    runs = [
        {**single._asdict(), "verdict": claim["verdict"]}
        | {
            "effects": [
                {
                    "words": effect["words"],
                    "size": _rounded(effect["size"]),
                    "interval": [*map(_rounded, effect["interval"])],
                }
                for effect in claim["effects"]
            ]
        }
        for single, claim in singles
    ]
    return {"same": tested.count(verdict), "of": len(tested), "runs": runs}


def _rounded(size: float | None) -> float | None:
    """Leave out the last digits, which differ between machines."""
    return None if size is None else round(size, 9)


def deciding(claims: list[Claim]) -> dict[str, list[dict[str, Any]]]:
    """Return by claim the effect that decides it in each single run: size, interval, and the run's verdict."""
    runs_by_claim: dict[str, list[dict[str, Any]]] = {}
    for claim in claims:
        words = claim["effects"][0]["words"] if claim["effects"] else None
        for run in claim["replicates"]["runs"]:
            origin = {name: run[name] for name in (*Single._fields, "verdict")}
            runs_by_claim.setdefault(claim["claim"], []).extend(
                {**origin, **effect} for effect in run["effects"] if effect["words"] == words
            )
    return {claim: runs for claim, runs in runs_by_claim.items() if runs}
