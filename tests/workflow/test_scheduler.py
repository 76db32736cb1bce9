"""The scheduler is woken when a job ends, and not again and again for it afterwards."""

MANY = """
import threading

include: "Snakefile"

rule many:
    input: [f"many.{n}" for n in range(30)]

rule one_of_many:
    output: "many.{n}"
    shell: "touch {output}"

onsuccess:
    print("timers:", sum(isinstance(thread, threading.Timer) for thread in threading.enumerate()))
"""


def test_no_finished_job_wakes_the_scheduler_for_ever(project):
    (project.folder / "many.smk").write_text(MANY)
    status, printed = project.snakemake("--snakefile", "many.smk", "--forceall", "many")
    assert status == 0, printed
    assert "timers: 0\n" in printed


FAILING = """
from types import SimpleNamespace
from robustdr.keys.node import Need

include: "Snakefile"

OF = SimpleNamespace(benchmark="no.tsv", record="no.sha256", need=Need(100, 10))
FAILING = Found(lambda w: SimpleNamespace(log=f"{w.said}.log", **vars(OF)))

rule all_failing:
    input: "MemoryError.made", "TIME LIMIT.made", "ValueError.made"

rule failing:
    output: "{said}.made"
    log: "{said}.log"
    wildcard_constraints: said="[A-Z].*"
    resources: mem_mb=FAILING.memory, runtime=FAILING.minutes
    shell:
        "echo {resources.mem_mb} {resources.runtime} >> {wildcards.said:q}.asked;"
        " echo DUE TO {wildcards.said} > {log:q};"
        " test $(wc -l < {wildcards.said:q}.asked) = 3; touch {output:q}"
"""


def test_a_job_that_failed_asks_for_more_of_what_ran_out(project):
    (project.folder / "failing.smk").write_text(FAILING)
    status, printed = project.snakemake("--snakefile", "failing.smk", "--retries", "2", "all_failing")
    assert status == 0, printed
    asked = {path.stem: path.read_text().splitlines() for path in project.folder.glob("*.asked")}
    assert asked == {
        "MemoryError": ["100 10", "200 10", "400 10"],
        "TIME LIMIT": ["100 10", "100 20", "100 40"],
        "ValueError": ["100 10"] * 3,
    }


MEASURED = """
from types import SimpleNamespace
from robustdr.keys.node import Need

include: "Snakefile"

MADE = SimpleNamespace(log="log", benchmark="made.tsv", record="made.sha256", need=Need(9000, 500))
MEASURED = Found(lambda w: MADE)

rule measured:
    output: "made"
    log: MADE.log
    benchmark: MADE.benchmark
    resources: mem_mb=MEASURED.memory, runtime=MEASURED.minutes
    shell:
        "echo {resources.mem_mb} {resources.runtime} >> asked; echo DUE TO TIME LIMIT > {log};"
        " if test -f fails; then rm fails; exit 1; fi; touch {output}"
"""


def test_a_job_asks_for_twice_what_it_took_before(project):
    """It does not after it took its artifact back, which takes nothing, nor after too little time."""
    (project.folder / "measured.smk").write_text(MEASURED)

    def asked(taken: str = "") -> list[str]:
        if taken:
            (project.folder / "made.tsv").write_text(f"s\th:m:s\tmax_rss\n{taken}\n")
        (project.folder / "asked").unlink(missing_ok=True)
        status, printed = project.snakemake("--snakefile", "measured.smk", "--retries", "1", "--forceall", "measured")
        assert status == 0, printed
        return (project.folder / "asked").read_text().splitlines()

    assert asked() == ["9000 500"]
    assert [of.split()[1] for of in asked()] == ["10"]  # the least; memory of so short a job may not be measured
    assert asked("7.5\t0:00:07\t30.0") == ["1000 10"]
    assert asked("7200.5\t2:00:00\t3000.2") == ["6001 241"]
    assert asked("7200.5\t2:00:00\tNA") == ["9000 241"]
    (project.folder / "fails").touch()
    assert asked("7200.5\t2:00:00\t3000.2") == ["6001 241", "9000 1000"]
    (project.folder / "made.sha256").write_text("# kept: 0\n")
    assert asked("0.5\t0:00:00\t30.0") == ["9000 500"]
