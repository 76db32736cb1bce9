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

FAILING = Found(lambda w: SimpleNamespace(log=f"{w.said}.log", need=Need(100, 10)))

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
