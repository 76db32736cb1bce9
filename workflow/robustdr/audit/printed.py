"""Claims judged on the numbers that their own paper prints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from robustdr.audit import intervals
from robustdr.audit.cells import Cell
from robustdr.audit.effects import ORIGINAL, Systems, effects
from robustdr.audit.findings import Audit
from robustdr.audit.intervals import Interval
from robustdr.audit.reported import Reported
from robustdr.audit.verdicts import HOLDS, INCONCLUSIVE, NOT_PRINTED, outside, planned, worst
from robustdr.core.errors import UserError, unknown

MEAN = "variations_mean"
WHOLE = ("value", "median")  # what a table may call the mean of several seeds


class Unprinted(UserError):
    """The paper does not print a number that a claim rests on."""


@dataclass
class Printed:
    """The printed numbers behind a claim: `Numbers` as rounding intervals.

    Attributes:
        tables: those of the paper that the claim rests on. role: the collection, as the paper's tables call it.
        names: what the tables call a system. variations: those of the role. means: the variations behind a mean.
        used: the cells that were looked up.
    """

    reported: Reported
    tables: Sequence[str]
    role: str
    measure: str
    names: Mapping[str, str]
    variations: Sequence[str]
    means: Mapping[str, Sequence[str]]
    used: list[Cell] = field(default_factory=list)
    _taken: int = 0

    def taken(self) -> list[Cell]:
        """The cells that were looked up since this was last asked."""
        first, self._taken = self._taken, len(self.used)
        return self.used[first:]

    def _find(self, values: Sequence[str], system: str, query_set: str, measure: str) -> Cell | None:
        if ".at" in system:
            return None  # papers print what training ends with
        name = self.names.get(system, system)
        at = {"collection": self.role, "query_set": query_set, "system": name, "measure": measure or self.measure}
        for table in self.tables:
            for cell in self.reported.tables[table].select(at):
                if cell.coordinates["value"] in values and "seed" not in cell.coordinates:
                    self.used.append(cell)
                    return cell
        return None

    def mean(self, system: Systems, query_set: str, measure: str = "") -> Interval:
        """What is printed, or else the mean of what is: over several systems, and over the variations behind a mean."""
        if not isinstance(system, str):
            return intervals.mean([self.mean(one, query_set, measure) for one in system])
        cell = self._find(WHOLE, system, query_set, measure)
        if cell is None and query_set in self.means:
            return intervals.mean([self.mean(system, kind, measure) for kind in self.means[query_set]])
        if cell is None:
            raise Unprinted(f"no {measure or self.measure} of {system} on {query_set} in {', '.join(self.tables)}")
        return cell.interval

    def drop(self, system: Systems, query_set: str) -> Interval:
        """The printed drop, which is rounded less than what would follow from printed measures."""
        cell = self._find(("drop",), system, query_set, "") if isinstance(system, str) else None
        if cell is not None:
            return cell.interval
        if isinstance(system, str) and query_set == MEAN:  # stands beside the original queries, a loss without its sign
            cell = self._find(("average_drop",), system, ORIGINAL, "")
            if cell is not None:
                return -cell.interval
        original = self.mean(system, ORIGINAL)
        return (self.mean(system, query_set) - original) / original

    def hours(self, system: str) -> Interval:
        name = self.names.get(system, system)
        for quantity in ("training_and_index_time", "training_time"):
            cell = self.reported.first(self.tables, collection=self.role, system=name, quantity=quantity)
            if cell is not None:
                self.used.append(cell)
                return cell.interval
        raise Unprinted(f"no hours of {system} in {', '.join(self.tables)}")

    def others(self, system: Systems, query_sets: Sequence[str]) -> list[str]:
        named = {kind for query_set in query_sets for kind in self.means.get(query_set, [query_set])}
        return [kind for kind in self.variations if kind not in named]


def percent(low: float, high: float) -> str:
    """What a rounding interval of shares leaves open: `+51.5% to +52.7%`, or `+50.8%` where that is all."""
    return " to ".join(dict.fromkeys(f"{100 * end:+.1f}%" for end in (low, high)))


@dataclass(frozen=True)
class Judged:
    """One effect as printed: its rounding interval, the verdict, and the marks of significance beside its cells.

    `asked`: the queries that its margin asks for, if it has one.
    """

    words: str
    low: float
    high: float
    marks: str
    verdict: str
    asked: int | None = None

    def __str__(self) -> str:
        marked = f", marked {self.marks}" if self.marks else ""
        asked = f" (the margin asks for {self.asked:,} queries)" if self.asked else ""
        return f"{self.words}: {percent(self.low, self.high)}{marked}: {self.verdict}{asked}"


@dataclass(frozen=True)
class AsPrinted:
    """What the paper's own numbers say of its claim.

    `reason`: why there is no verdict. `findings`: those of the audit on the cells that the claim rests on.
    """

    verdict: str
    effects: list[Judged]
    reason: str = ""
    findings: list[str] = field(default_factory=list)


class Claimed(NamedTuple):
    """A claim of a paper and what the paper's own numbers say of it."""

    claim: Mapping[str, Any]
    found: AsPrinted


def said(claim: Mapping[str, Any], reported: Reported | None, where: str) -> Interval | None:
    """The size that a claim's sentence gives, with `by` pointing to where it is printed; a printed loss is positive.

    Raises:
        UserError: nothing is printed there.
    """
    place = claim["test"].get("by")
    if place is None:
        return None
    cell = reported.find(**place) if reported else None
    if cell is None:
        raise UserError(f"{where}: test.by: the paper prints nothing at {', '.join(map(str, place.values()))}")
    return -cell.interval if cell.number < 0 else cell.interval


def as_printed(claim: Mapping[str, Any], printed: Printed, audit: Audit, where: str) -> AsPrinted:
    """Apply a claim's test to what the paper prints: direction and size; significance where the claim names its `mark`.

    An effect fails where no value behind the printed numbers agrees with the claim. Where some do and some do not it is
    inconclusive; a mark settles its direction, and where the claim names one that is not printed nothing does.

    Raises:
        UserError: a table that the paper does not have, or a `by` that points nowhere.
    """
    for table in printed.tables:
        if table not in printed.reported.tables:
            raise unknown(f"{where}: reported", table, printed.reported.tables)
    judged: list[Judged] = []
    try:
        for effect in effects(claim["test"], printed, said(claim, printed.reported, where), where):
            compared = [cell for cell in printed.taken() if cell.coordinates.get("query_set") == effect.query_set]
            marks = "".join(dict.fromkeys(cell.mark for cell in compared))
            size = effect.gain if effect.base is None else effect.gain / effect.base
            mark = claim.get("mark", "")
            attested = mark in marks if mark else size.within(effect.region)
            verdict = outside(size, effect.region) or (HOLDS if attested else INCONCLUSIVE)
            asked = planned(effect.region, sum(effect.base) / 2, claim["level"]) if effect.base else None
            judged.append(Judged(effect.words, size.low, size.high, marks, verdict, asked))
    except Unprinted as error:
        return AsPrinted(NOT_PRINTED, judged, str(error))
    cells = {id(cell) for cell in printed.used}
    found = [finding for finding in audit.findings if any(id(flaw.cell) in cells for flaw in finding.flaws)]
    findings = [f"{finding.severity}: {finding.id}" for finding in found]
    return AsPrinted(worst(effect.verdict for effect in judged), judged, "", findings)


def _unprinted(source: str) -> str:
    """Why no table stands behind a claim: it is this project's own, or its numbers are in none that can be read."""
    if source.startswith("hypothesis"):
        return "no paper prints it"
    return f"the numbers behind it ({source}) are not in the available text"


def judge(
    document: Mapping[str, Any],
    evaluation: Mapping[str, Any],
    names: Mapping[str, str],
    audit: Audit | None,
    where: str,
) -> list[AsPrinted]:
    """The claims of one paper as printed.

    Args:
        document: what claims.yaml holds. evaluation: by role, `variations` and `means`, as in experiment.yaml.
        names: what the tables call a system.
        audit: of its reported.yaml; None where no paper stands behind the claims. where: claims.yaml, for messages.
    """
    made = []
    for number, claim in enumerate(document["claims"]):
        if audit is None or "reported" not in claim:
            made.append(AsPrinted(NOT_PRINTED, [], _unprinted(claim["source"])))
            continue
        role = evaluation[claim["role"]]
        means = {MEAN: role["variations"], **role.get("means", {})}
        at = (claim["reported"], claim["role"], claim["measure"], names, role["variations"], means)
        made.append(as_printed(claim, Printed(audit.reported, *at), audit, f"{where}: claims.{number}"))
    return made


def judge_folder(folder: Path, audit: Audit) -> list[Claimed]:
    """The claims in the folder of a paper, with what its own numbers say of each; none where it declares none."""
    paths = [folder / "claims.yaml", folder / "experiment.yaml"]
    if not all(path.exists() for path in paths):
        return []
    document, experiment = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in paths)
    names = {name: system.get("reported", name) for name, system in experiment["systems"].items()}
    names |= experiment.get("names", {})
    made = judge(document, experiment["evaluation"], names, audit, str(paths[0]))
    return list(map(Claimed, document["claims"], made))
