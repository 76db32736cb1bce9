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
