"""How far a run of the workflow is: jobs done, models trained, minutes left."""

import shutil
import sys
from collections import Counter
from pathlib import Path

from robustdr.core.benchmarks import NUMBER

EVERY, SHARE = 60, 0.1  # where no terminal rewrites it, the line comes each minute, or with each tenth of the jobs
TRAINS = ("pretrain", "train")  # the rules whose jobs train a model
# Seconds of a job of the miniature on one machine, by rule: how long jobs take beside each other.
WEIGHTS = dict(
    download_passages=4.3, write_passages=4.3, download_queries=0.5, check=0.5, vary=1.7, download_checkpoint=7.6,
    training_data=1.3, tokenise=4.0, pretrain=60.0, train=18.6, score=10.0, embed=9.3, build_index=1.1, mine=7.0,
    retrieve=7.0, rerank=7.0, evaluate=1.2, table=1.6, figure=2.0, claims=2.0, queries=0.8,
    texts=1.0, report=1.5, headline=0.5, audit=1.0, audit_summary=1.5,
    **dict.fromkeys(("all", "collections", "variations", "models", "measures"), 0.01),  # targets, without work
)  # fmt: skip


def recorded(benchmarks: Path) -> dict[str, list[float]]:
    """Return {name of the benchmarks' folder: seconds of each earlier job}, from Snakemake's files."""
    seconds_of: dict[str, list[float]] = {}
    for path in benchmarks.rglob("*.tsv"):
        name = path.relative_to(benchmarks).with_suffix("").parts[0]
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            if NUMBER.fullmatch(seconds := line.partition("\t")[0]):  # a run that was killed may leave half a file
                seconds_of.setdefault(name, []).append(float(seconds))
    return seconds_of


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


class Progress:
    """What a run has done and has left; times are seconds of one clock.

    The time left is the expected seconds of the jobs left, divided by the seconds of jobs done per second so far: this
    holds for any number of cores. The expected time of a job is the mean of its rule in this run; else in earlier runs
    on this machine; else its part of `WEIGHTS`, at the speed of this run. If it is unknown for a job that is left, no
    time is told.

    Args:
        earlier: seconds of jobs of earlier runs, by rule.
        estimates: whether the time left is told. Where jobs of a rule take unequal times, as those of different models,
            no mean says it: then the time so far is told.
    """

    def __init__(self, earlier: dict[str, list[float]], estimates: bool = True) -> None:
        self.earlier = earlier
        self.estimates = estimates
        self.planned: Counter[str] = Counter()
        self.took: dict[str, list[float]] = {}
        self.running: dict[int, tuple[str, float]] = {}
        self.began: float | None = None

    def plan(self, jobs: dict[str, int]) -> None:
        """The jobs of the run, by rule."""
        self.planned = Counter(jobs)

    def start(self, job: int, rule: str, now: float) -> None:
        self.began = now if self.began is None else self.began
        self.running[job] = (rule, now)

    def finish(self, job: int, now: float) -> None:
        rule, began = self.running.pop(job)
        self.took.setdefault(rule, []).append(now - began)

    @property
    def done(self) -> int:
        return sum(map(len, self.took.values()))

    @property
    def all(self) -> int:
        return self.planned.total()

    def expected(self, rule: str) -> float | None:
        """Expected seconds of a job; None if they are unknown."""
        if measured := _mean(self.took.get(rule, [])) or _mean(self.earlier.get(rule, [])):
            return measured
        pairs = [(WEIGHTS.get(done), took) for done, took in self.took.items()]
        weights_and_seconds = [(weight * len(took), sum(took)) for weight, took in pairs if weight]
        weight = WEIGHTS.get(rule)
        if not weight or not weights_and_seconds:
            return None
        return weight * sum(took for _, took in weights_and_seconds) / sum(total for total, _ in weights_and_seconds)

    def seconds_left(self, now: float) -> float | None:
        """Return expected seconds until the last job is done; None if unknown."""
        ahead: list[float | None] = []  # expected seconds of each job that is not done
        for rule, count in self.planned.items():
            begun = [since for running_rule, since in self.running.values() if running_rule == rule]
            seconds = self.expected(rule)
            ahead += [seconds] * (count - len(self.took.get(rule, [])) - len(begun))
            ahead += [None if seconds is None else max(seconds - (now - since), 0.0) for since in begun]
        if self.began is None or now <= self.began or None in ahead:
            return None
        worked = sum(map(sum, self.took.values())) + sum(now - since for _, since in self.running.values())
        return sum(filter(None, ahead)) * (now - self.began) / worked if worked else None

    def line(self, now: float) -> str:
        """`12 of 149 jobs, 3 of 19 models trained, about 7 minutes left`."""
        parts = [f"{self.done} of {self.all} jobs"]
        if models := sum(self.planned[rule] for rule in TRAINS):
            trained = sum(len(self.took.get(rule, [])) for rule in TRAINS)
            parts.append(f"{trained} of {models} models trained")
        if not self.estimates:
            if self.began is not None and now - self.began >= EVERY:
                passed = round((now - self.began) / 60)
                parts.append(f"{passed} minute{'s' if passed > 1 else ''} so far")
        elif self.done < self.all and (remaining := self.seconds_left(now)) is not None:
            minutes = max(1, round(remaining / 60))
            parts.append(f"about {minutes} minute{'s' if minutes > 1 else ''} left")
        return ", ".join(parts)


class Line:
    """The line of a progress on standard error: on a terminal in place of the one before, elsewhere now and then."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.printed_line, self.share, self.printed_at = "", 0.0, -float("inf")

    def say(self, now: float) -> None:
        if not self.progress.all:
            return
        share = self.progress.done / self.progress.all
        line = self.progress.line(now)
        if sys.stderr.isatty():
            line = line[: shutil.get_terminal_size().columns - 1]
            if line != self.printed_line:
                self.clear()
                self.printed_line = line
                print(line, end="", file=sys.stderr, flush=True)
        elif now - self.printed_at >= EVERY or share - self.share >= SHARE or share == 1 > self.share:
            self.printed_at, self.share = now, share
            print(line, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the line from a terminal."""
        if self.printed_line:
            print(f"\r{' ' * len(self.printed_line)}\r", end="", file=sys.stderr, flush=True)
        self.printed_line = ""

    def end(self) -> None:
        """Leave the line on a terminal, and go to the next one."""
        if self.printed_line:
            print(file=sys.stderr, flush=True)
        self.printed_line = ""
