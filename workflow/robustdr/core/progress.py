"""How far a run of the workflow is: jobs done, models trained, minutes left."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
TRAINS = re.compile(r"(pre)?train(_\d.*)?")  # the rules whose jobs train a model


def recorded(benchmarks: Path) -> dict[str, list[float]]:
    """The seconds of earlier jobs by the name of their benchmarks' folder, from Snakemake's files."""
    found: dict[str, list[float]] = {}
    for path in benchmarks.rglob("*.tsv"):
        name = path.relative_to(benchmarks).with_suffix("").parts[0]
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            if NUMBER.fullmatch(seconds := line.partition("\t")[0]):  # a run that was killed may leave half a file
                found.setdefault(name, []).append(float(seconds))
    return found


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


class Progress:
    """What a run has done and has left; times are seconds of any one clock.

    The time left is the work left at the speed so far, in seconds of jobs for each second that passed: this holds for
    any number of cores. A job is expected to take the mean of its rule's in this run; else that of an earlier run; else
    that of all jobs of this run.
    """

    def __init__(self, earlier: dict[str, list[float]]) -> None:
        self.earlier = earlier
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
        """Seconds of a job; None before any is known."""
        names = [name for name in self.earlier if rule == name or rule.startswith(f"{name}_")]
        before = self.earlier[max(names, key=len)] if names else []  # training_data is none of train
        every = [seconds for of_rule in self.took.values() for seconds in of_rule]
        return _mean(self.took.get(rule, [])) or _mean(before) or _mean(every)

    def _ahead(self, now: float) -> Iterator[float | None]:
        """Seconds of work in each job that is not done."""
        for rule, count in self.planned.items():
            begun = [since for of, since in self.running.values() if of == rule]
            seconds = self.expected(rule)
            waiting = count - len(self.took.get(rule, [])) - len(begun)
            yield from [seconds] * waiting
            yield from (None if seconds is None else max(seconds - (now - since), 0.0) for since in begun)

    def left(self, now: float) -> float | None:
        """Seconds until the last job is done; None as long as nothing tells."""
        ahead = [seconds for seconds in self._ahead(now) if seconds is not None]
        if self.began is None or now <= self.began or (not ahead and self.done < self.all):
            return None
        worked = sum(map(sum, self.took.values())) + sum(now - since for _, since in self.running.values())
        return sum(ahead) * (now - self.began) / worked if worked else None

    def line(self, now: float) -> str:
        """`12 of 149 jobs, 3 of 19 models trained, about 7 minutes left`."""
        parts = [f"{self.done} of {self.all} jobs"]
        if models := sum(count for rule, count in self.planned.items() if TRAINS.fullmatch(rule)):
            trained = sum(len(took) for rule, took in self.took.items() if TRAINS.fullmatch(rule))
            parts.append(f"{trained} of {models} models trained")
        if self.done < self.all and (left := self.left(now)) is not None:
            minutes = max(1, round(left / 60))
            parts.append(f"about {minutes} minute{'s' if minutes > 1 else ''} left")
        return ", ".join(parts)
