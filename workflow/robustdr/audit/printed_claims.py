"""Claims judged on the numbers that their own paper prints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isinf
from typing import NamedTuple

from robustdr.audit import rounding
from robustdr.audit.cells import Cell
from robustdr.audit.findings import Finding
from robustdr.audit.reported import Reported
from robustdr.claims.bases import Sized
from robustdr.claims.claim import Claim, load_claims
from robustdr.claims.effects import ORIGINAL, Systems
from robustdr.claims.intervals import Interval
from robustdr.claims.verdicts import CONTRADICTED, INCONCLUSIVE, NOT_PRINTED, PARTLY, SUPPORTED, overall, planned, tally
from robustdr.core.errors import Absent, UserError, unknown
from robustdr.core.yaml_files import read_yaml
from robustdr.evaluation.names import MEAN, WORST
from robustdr.evaluation.settings import Averaged

UNSIGNED = {MEAN: ("average_drop",), WORST: ("worst_drop",)}  # labels of losses, printed without sign
WHOLE = ("value", "median")  # labels that a table may use for the mean of several seeds


@dataclass
class Printed:
    """The printed numbers for a claim: `Numbers` as rounding intervals.

    Attributes:
        tables: the paper's tables for the claim. role: the collection, by its name in these tables.
        names: systems by their names in the tables. variations: of the role. means: the variations behind each mean.
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
    _returned: int = 0

    def new_cells(self) -> list[Cell]:
        """Return the cells looked up since the last call."""
        first, self._returned = self._returned, len(self.used)
        return self.used[first:]

    def _find(self, values: Sequence[str], system: str, query_set: str, measure: str) -> Cell | None:
        if ".at" in system:
            return None  # papers print the final system only
        name = self.names.get(system, system)
        place = {"collection": self.role, "query_set": query_set, "system": name, "measure": measure or self.measure}
        for table in self.tables:
            for cell in self.reported.tables[table].select(place):
                if cell.coordinates["value"] in values and "seed" not in cell.coordinates:
                    self.used.append(cell)
                    return cell
        return None

    def mean(self, system: Systems, query_set: str, measure: str = "") -> Interval:
        """Return the printed mean; else the mean of printed ones, over systems or over the variations behind a mean."""
        if not isinstance(system, str):
            return rounding.mean([self.mean(member, query_set, measure) for member in system])
        cell = self._find(WHOLE, system, query_set, measure)
        if cell is None and query_set in self.means:
            return rounding.mean([self.mean(system, variation, measure) for variation in self.means[query_set]])
        if cell is None:
            raise Absent(f"no {measure or self.measure} of {system} on {query_set} in {', '.join(self.tables)}")
        return cell.interval

    def drop(self, system: Systems, query_set: str, base: Systems = "") -> Interval:
        """Return the printed drop, which has less rounding error than one computed from printed measures."""
        cell = self._find(("drop",), system, query_set, "") if isinstance(system, str) else None
        if cell is not None:
            return cell.interval
        if isinstance(system, str) and query_set in UNSIGNED:  # printed with the original queries
            cell = self._find(UNSIGNED[query_set], system, ORIGINAL, "")
            if cell is not None:
                return -cell.interval
        original = self.mean(base or system, ORIGINAL)
        return (self.mean(system, query_set) - original) / original

    def hours(self, system: str) -> Interval:
        name = self.names.get(system, system)
        for quantity in ("training_and_index_time", "training_time"):
            cell = self.reported.first(self.tables, collection=self.role, system=name, quantity=quantity)
            if cell is not None:
                self.used.append(cell)
                return cell.interval
        raise Absent(f"no hours of {system} in {', '.join(self.tables)}")

    def other_variations(self, system: Systems, query_sets: Sequence[str]) -> list[str]:
        covered = {variation for query_set in query_sets for variation in self.means.get(query_set, [query_set])}
        return [variation for variation in self.variations if variation not in covered]


def percent(low: float, high: float) -> str:
    """Return an interval of shares in words: `+51.5% to +52.7%`, `+50.8%` or `at least +50.0%`."""
    if isinf(low) or isinf(high):
        return f"at most {100 * high:+.1f}%" if isinf(low) else f"at least {100 * low:+.1f}%"
    return " to ".join(dict.fromkeys(f"{100 * end:+.1f}%" for end in (low, high)))


@dataclass(frozen=True)
class PrintedEffect:
    """One effect as printed: its rounding interval (a loss is negative), the verdict, and the marks beside its cells.

    `asked`: the queries that its margin needs, if it has one.
    """

    words: str
    low: float
    high: float
    marks: str
    verdict: str
    asked: int | None = None

    def __str__(self) -> str:
        marked = f", marked {self.marks}" if self.marks else ""
        margin_words = f" (the margin asks for {self.asked:,} queries)" if self.asked else ""
        return f"{self.words}: {percent(self.low, self.high)}{marked}: {self.verdict}{margin_words}"


@dataclass(frozen=True)
class AsPrinted:
    """The verdict of the paper's own numbers on its claim.

    `reason`: why there is no verdict. `findings`: the audit's findings on the cells of the claim.
    """

    verdict: str
    effects: list[PrintedEffect]
    reason: str = ""
    findings: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """The verdict; for some of several effects with their numbers."""
        verdicts = [effect.verdict for effect in self.effects]
        return f"{PARTLY}: {tally(verdicts)}" if self.verdict == PARTLY else self.verdict

    @property
    def against(self) -> int:
        """The number of its comparisons that the printed numbers contradict."""
        return sum(effect.verdict == CONTRADICTED for effect in self.effects) if self.verdict != NOT_PRINTED else 0


class Claimed(NamedTuple):
    """A claim of a paper with the verdict of the paper's own numbers."""

    claim: Claim
    as_printed: AsPrinted


def find_stated_size(claim: Claim, reported: Reported | None, message_place: str) -> Interval | None:
    """Return the size that a claim's sentence gives, None without `printed_size`, its place; a loss is positive.

    Raises:
        UserError: there is no printed number.
    """
    if not isinstance(claim.test, Sized) or claim.test.printed_size is None:
        return None
    place = claim.test.printed_size.model_dump()
    cell = reported.find(**place) if reported else None
    if cell is None:
        raise UserError(
            f"{message_place}: test.printed_size: the paper prints nothing at {', '.join(map(str, place.values()))}"
        )
    return -cell.interval if cell.number < 0 else cell.interval


def as_printed(claim: Claim, printed: Printed, findings: Sequence[Finding], message_place: str) -> AsPrinted:
    """Apply a claim's test to printed numbers: direction and size; significance if the claim names its `mark`.

    An effect is contradicted if no value behind the printed numbers agrees with the claim. It is supported if the
    `mark` that the claim names is printed or, if it names none, if all values agree. Otherwise it is inconclusive.

    Raises:
        UserError: a table that the paper lacks, or a `printed_size` that points nowhere.
    """
    for table in printed.tables:
        if table not in printed.reported.tables:
            raise unknown(f"{message_place}: reported", table, printed.reported.tables)
    judged: list[PrintedEffect] = []
    try:
        for effect in claim.test.effects(printed, find_stated_size(claim, printed.reported, message_place)):
            compared = [cell for cell in printed.new_cells() if cell.coordinates.get("query_set") == effect.query_set]
            marks = "".join(dict.fromkeys(cell.mark for cell in compared))
            size = effect.gain if effect.base is None else effect.gain / effect.base
            attested = claim.mark in marks if claim.mark else size.lies_inside(effect.region)
            if effect.unless_refuted and claim.mark:
                verdict = CONTRADICTED if attested else SUPPORTED
            elif effect.unless_refuted:
                verdict = INCONCLUSIVE
            elif not size.meets(effect.region):
                verdict = CONTRADICTED
            else:
                verdict = SUPPORTED if attested else INCONCLUSIVE
            needed_queries = planned(effect.region, sum(effect.base) / 2, claim.level) if effect.base else None
            low, high = -size if effect.down else size
            judged.append(PrintedEffect(effect.words, low, high, marks, verdict, needed_queries))
    except Absent as error:
        return AsPrinted(NOT_PRINTED, judged, str(error))
    cells = {id(cell) for cell in printed.used}
    claim_findings = [finding for finding in findings if any(id(flaw.cell) in cells for flaw in finding.flaws)]
    finding_names = [f"{finding.severity}: {finding.id}" for finding in claim_findings]
    reached = overall([effect.verdict for effect in judged], claim.test.superlative)
    return AsPrinted(reached, judged, "", finding_names)


def judge(
    claims: Sequence[Claim],
    evaluation: Mapping[str, Averaged],
    names: Mapping[str, str],
    reported: Reported | None,
    findings: Sequence[Finding],
    message_place: str,
) -> list[AsPrinted]:
    """Judge the claims of one paper on its printed numbers.

    Args:
        evaluation: by role, `variations` and `means`, as in experiment.yaml. names: systems' names in the tables.
        reported: None if no paper prints numbers for the claims. findings: of its audit.
        message_place: path of claims.yaml, for error messages.
    """
    verdicts = []
    for number, claim in enumerate(claims):
        if reported is None or claim.reported is None:
            reason = f"the numbers behind it ({claim.source}) are not in the available text"
            if claim.source.startswith("hypothesis"):
                reason = "no paper prints it"
            verdicts.append(AsPrinted(NOT_PRINTED, [], reason))
            continue
        role = evaluation[claim.role]
        means = {MEAN: role["variations"], **role.get("means", {})}
        printed = Printed(reported, claim.reported, claim.role, claim.measure, names, role["variations"], means)
        verdicts.append(as_printed(claim, printed, findings, f"{message_place}: claims.{number}"))
    return verdicts


def judge_folder(reported: Reported, findings: Sequence[Finding]) -> list[Claimed]:
    """Return the claims beside a reported.yaml with their verdicts; none if there is no claims.yaml.

    Raises:
        UserError: a claims.yaml or experiment.yaml that cannot be read, or a claim that names something missing.
    """
    paths = [reported.path.with_name(name) for name in ("claims.yaml", "experiment.yaml")]
    if not all(path.exists() for path in paths):
        return []
    claims, experiment = load_claims(paths[0]).claims, read_yaml(paths[1])
    names = {name: system.get("reported", name) for name, system in experiment["systems"].items()}
    names |= experiment.get("names", {})
    verdicts = judge(claims, experiment["evaluation"], names, reported, findings, str(paths[0]))
    return list(map(Claimed, claims, verdicts))
