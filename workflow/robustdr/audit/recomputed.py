"""Results of runs beside the numbers and marks that a paper prints."""

from dataclasses import asdict, dataclass, field

from robustdr.audit.cells import Cell
from robustdr.audit.chance import odds
from robustdr.audit.findings import Finding, Flaw
from robustdr.audit.relations import interval_text
from robustdr.claims.intervals import Interval
from robustdr.core.markup import code, plain, table_row


@dataclass(frozen=True)
class Found:
    """A printed number with those that its run gives.

    Attributes:
        usual: under the project's conventions. giving: the conventions that give the printed number, with the fewest
            departures; if none does, the nearest one. value: under the first of these. tried: number of conventions.
        chance: if only rare conventions give the number, the chance that some of those tried would give a wrong one;
            else 0.
    """

    usual: float
    giving: list[str]
    value: float
    agrees: bool
    tried: int = 1
    chance: float = 0.0


@dataclass(frozen=True)
class Number:
    """A printed number, the file of its run, and the run's results."""

    cell: Cell
    run: str
    outcome: Found


@dataclass(frozen=True)
class Mark:
    """A mark that a cell has or lacks, with a paired t-test of its run against another one.

    Attributes:
        level: as declared. comparisons: the divisor of Bonferroni's correction.
    """

    cell: Cell
    mark: str
    against: str
    p: float
    level: float
    comparisons: int

    @property
    def printed(self) -> bool:
        return self.mark in self.cell.mark

    @property
    def words(self) -> str:
        """The test under which the presence or absence of the mark is right, or `neither`."""
        uncorrected, corrected = self.p < self.level, self.p < self.level / self.comparisons
        names = {"without correction": uncorrected, "with Bonferroni's": corrected}
        agreeing = [name for name, significant in names.items() if significant == self.printed]
        return "with and without correction" if len(agreeing) == 2 else agreeing[0] if agreeing else "neither"


def _often(chance: float) -> str:
    return f"in {chance:.0%} of cases" if chance >= 0.01 else odds(chance)


@dataclass(frozen=True)
class Recomputed:
    """The results of one paper's runs.

    Attributes:
        skipped: cells that cannot be evaluated, with the reason. notes: what a reader should know of the runs.
    """

    numbers: list[Number]
    marks: list[Mark]
    skipped: list[tuple[Cell, str]]
    notes: list[str] = field(default_factory=list)

    @property
    def findings(self) -> list[Finding]:
        """Return findings on numbers that no convention gives, or a rare one, and on marks that no test gives."""
        rare, numbers = [], []
        for number in self.numbers:
            outcome = number.outcome
            usual = interval_text(Interval(outcome.usual, outcome.usual), number.cell)
            explanation = f"what {number.run} gives by the project's conventions; "
            if not outcome.agrees:
                nearest = interval_text(Interval(outcome.value, outcome.value), number.cell)
                explanation += f"no convention gives the printed number, the nearest is {outcome.giving[0]}: {nearest}"
                numbers.append(Flaw(number.cell, usual, explanation))
            elif outcome.chance:
                explanation += (
                    f"the printed number only with {outcome.giving[0]}, one of {outcome.tried} conventions that were "
                )
                explanation += f"tried; by chance one of them gives a wrong number {_often(outcome.chance)}"
                if exceptions := self._others_without(number):
                    explanation += (
                        f"; it does not give {exceptions[0].cell.printed} of its column ({exceptions[0].run})"
                    )
                rare.append(Flaw(number.cell, usual, explanation))
        marks = [
            Flaw(
                mark.cell,
                f"{'no ' * mark.printed}{mark.mark}",
                f"what its runs give: p = {mark.p:.2g} against {mark.against}, at {mark.level:g} with and without "
                f"Bonferroni's correction for {mark.comparisons}",
            )
            for mark in self.marks
            if mark.words == "neither"
        ]
        named_flaws = [("recomputed", flaw) for flaw in numbers] + [("recomputed_mark", flaw) for flaw in marks]
        findings = [Finding(name, "inconsistent", [flaw], "") for name, flaw in named_flaws]
        return findings + [Finding("recomputed", "suspicious", [flaw], "") for flaw in rare]

    def _others_without(self, number: Number) -> list[Number]:
        """The numbers of the same column that the conventions of a number do not give."""
        place = (number.cell.table, number.cell.column)
        column = [peer for peer in self.numbers if (peer.cell.table, peer.cell.column) == place]
        return [o for o in column if not (o.outcome.agrees and {*o.outcome.giving} & {*number.outcome.giving})]

    def markdown(self) -> list[str]:
        """Return Markdown with every recomputed number and mark, and the conventions or tests that give it."""
        lines = ["## Recomputed from runs", "", "| cell | printed | run | recomputed | printed number is given by |"]
        lines.append("| --- | ---: | --- | ---: | --- |")
        for number in self.numbers:
            conventions = "; or ".join(number.outcome.giving)
            says = (
                conventions
                if number.outcome.agrees
                else f"**no convention**; nearest: {conventions}, {number.outcome.value:.4f}"
            )
            cell = number.cell
            printed = code(f"{cell.printed}{cell.mark}")
            lines.append(table_row([plain(str(cell)), printed, plain(number.run), f"{number.outcome.usual:.4f}", says]))
        lines += ["", *(f"- {plain(f'{cell}: {reason}')}" for cell, reason in self.skipped)] if self.skipped else []
        lines += ["", *(f"- {plain(note)}." for note in self.notes)] if self.notes else []
        if self.marks:
            lines += ["", "| cell | mark | against | p | marked rightly |", "| --- | --- | --- | ---: | --- |"]
        for mark in self.marks:
            state = mark.mark if mark.printed else f"no {mark.mark}"
            test_words = f"{mark.words} (level {mark.level:g}, {mark.comparisons} comparisons)"
            lines.append(table_row([*map(plain, (str(mark.cell), state, mark.against)), f"{mark.p:.2g}", test_words]))
        return [*lines, ""]

    def as_data(self) -> dict[str, list[dict[str, object]]]:
        """Return the same as JSON values."""
        return {
            "numbers": [
                {"cell": str(number.cell), "printed": number.cell.printed, "run": number.run, **asdict(number.outcome)}
                for number in self.numbers
            ],
            "skipped": [{"cell": str(cell), "reason": reason} for cell, reason in self.skipped],
            "notes": [{"note": note} for note in self.notes],
            "marks": [
                {
                    "cell": str(mark.cell),
                    "mark": mark.mark,
                    "printed": mark.printed,
                    "against": mark.against,
                    "p": mark.p,
                    "level": mark.level,
                    "comparisons": mark.comparisons,
                    "right": mark.words,
                }
                for mark in self.marks
            ],
        }
