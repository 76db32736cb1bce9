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
FAILING = RuleFunctions(lambda w: SimpleNamespace(log=f"{w.said}.log", **vars(OF)))

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

MEASURED = RuleFunctions(
    lambda w: SimpleNamespace(
        log=f"{w.name}.log", benchmark=f"{w.name}.tsv", record=f"{w.name}.sha256", need=Need(9000, 500)
    )
)

rule measured:
    output: "{name}.made"
    log: "{name}.log"
    benchmark: "{name}.tsv"
    resources: mem_mb=MEASURED.memory, runtime=MEASURED.minutes
    shell:
        "echo {resources.mem_mb} {resources.runtime} >> {wildcards.name}.asked; echo DUE TO TIME LIMIT > {log};"
        " if test -f {wildcards.name}.fails; then rm {wildcards.name}.fails; exit 1; fi; touch {output}"
"""
TAKEN = {
    "short": "7.5\t0:00:07\t30.0",
    "long": "7200.5\t2:00:00\t3000.2",
    "unmeasured": "7200.5\t2:00:00\tNA",
    "failing": "7200.5\t2:00:00\t3000.2",
    "kept": "0.5\t0:00:00\t30.0",
}


def test_a_job_asks_for_twice_what_it_took_before(project):
    """It does not after it took its artifact back, which takes nothing, nor after too little time."""
    folder = project.folder
    (folder / "measured.smk").write_text(MEASURED)
    for name, taken in TAKEN.items():
        (folder / f"{name}.tsv").write_text(f"s\th:m:s\tmax_rss\n{taken}\n")
    (folder / "failing.fails").touch()
    (folder / "kept.sha256").write_text("# kept: 0\n")

    def run(*names: str) -> dict[str, list[str]]:
        """What each asked for at its tries."""
        made = [f"{name}.made" for name in names]
        status, printed = project.snakemake("--snakefile", "measured.smk", "--retries", "1", "--force", *made)
        assert status == 0, printed
        return {name: (folder / f"{name}.asked").read_text().splitlines() for name in names}

    assert run("first", *TAKEN) == {
        "first": ["9000 500"],
        "short": ["1000 10"],
        "long": ["6001 241"],
        "unmeasured": ["9000 241"],
        "failing": ["6001 241", "9000 1000"],
        "kept": ["9000 500"],
    }
    _, again = run("first")["first"]
    assert again.split()[1] == "10"  # the least; memory of so short a job may not be measured
