"""Results of runs beside the numbers and marks that a paper prints."""

from dataclasses import asdict, dataclass, field

from robustdr.audit.cells import Cell
from robustdr.audit.chance import odds
from robustdr.audit.findings import Finding, Flaw
from robustdr.audit.relations import interval_text
from robustdr.claims.intervals import Interval
from robustdr.core.markup import code, plain, table_row


@dataclass(frozen=True)
class Outcome:
    """What a run gives for a printed number, and the conventions that give the whole column.

    Attributes:
        usual: under the project's conventions. giving: the conventions with the fewest departures that give all numbers
            of the column, or the project's if they give this number. agrees: whether one of these has the cut of the
            label. column: numbers of the column. tried: number of conventions.
        chance: if only rare conventions give the column, the chance that some of those tried would give wrong numbers;
            else 0.
        better: in words, the convention that gives more numbers of the column than the project's, but not all; or ''.
    """

    usual: float
    giving: list[str]
    agrees: bool
    column: int
    tried: int
    chance: float = 0.0
    better: str = ""

    @property
    def words(self) -> str:
        """The conventions that give the printed number."""
        names = "; or ".join(self.giving) or "no convention"
        return names if self.agrees or not self.giving else f"{names}, which is another measure"


@dataclass(frozen=True)
class Number:
    """A printed number, the file of its run, and the run's results."""

    cell: Cell
    run: str
    outcome: Outcome

    @property
    def agrees_usually(self) -> bool:
        """Whether the project's conventions give the printed number."""
        return self.cell.interval.meets(Interval(self.outcome.usual, self.outcome.usual))


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


def _flaw(number: Number) -> Flaw:
    outcome = number.outcome
    words = f"what {number.run} gives by the project's conventions; "
    if outcome.giving:
        all_numbers = f"all {outcome.column} numbers of the column" if outcome.column > 1 else "the printed number"
        often = f"in {outcome.chance:.0%} of cases" if outcome.chance >= 0.01 else odds(outcome.chance)
        words += (
            f"only with {outcome.giving[0]}, one of {outcome.tried} conventions that were tried, the runs give "
            f"{all_numbers}; by chance one of them gives wrong numbers {often}"
        )
    else:
        words += f"no convention gives {'the whole column' if outcome.column > 1 else 'the printed number'}"
        words += f"; {outcome.better}" if outcome.better else ""
    return Flaw(number.cell, interval_text(Interval(outcome.usual, outcome.usual), number.cell), words)


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
    def values(self) -> dict[int, Interval]:
        """Return what the runs give by the id of a cell: the printed number, if a convention of its label gives it."""
        return {
            id(number.cell): number.cell.interval
            if number.outcome.agrees
            else Interval(number.outcome.usual, number.outcome.usual)
            for number in self.numbers
        }

    @property
    def findings(self) -> list[Finding]:
        """Return findings on numbers that no convention gives, or a rare one, and on marks that no test gives."""
        numbers = [number for number in self.numbers if not number.agrees_usually]
        wrong = [_flaw(number) for number in numbers if not number.outcome.agrees]
        rare = [_flaw(number) for number in numbers if number.outcome.agrees and number.outcome.chance]
        marks = [
            Flaw(
                mark.cell,
                f"no {mark.mark}" if mark.printed else mark.mark,
                f"what its runs give: p = {mark.p:.2g} against {mark.against}, at {mark.level:g} with and without "
                f"Bonferroni's correction for {mark.comparisons}",
            )
            for mark in self.marks
            if mark.words == "neither"
        ]
        named_flaws = [("recomputed", flaw) for flaw in wrong] + [("recomputed_mark", flaw) for flaw in marks]
        findings = [Finding(name, "inconsistent", [flaw], "") for name, flaw in named_flaws]
        return findings + [Finding("recomputed", "suspicious", [flaw], "") for flaw in rare]

    def markdown(self) -> list[str]:
        """Return Markdown with every recomputed number and mark, and the conventions or tests that give it."""
        lines = ["## Recomputed from runs", "", "| cell | printed | run | recomputed | printed number is given by |"]
        lines.append("| --- | ---: | --- | ---: | --- |")
        for number in self.numbers:
            says = number.outcome.words if number.outcome.agrees else f"**{number.outcome.words}**"
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
                {
                    "cell": str(number.cell),
                    "printed": number.cell.printed,
                    "run": number.run,
                    **asdict(number.outcome),
                    "words": number.outcome.words,
                }
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
