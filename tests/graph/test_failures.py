"""Why jobs failed, from what Snakemake logs of them."""

import logging

import pytest

from robustdr.graph.failures import Failures

SAID = "SLURM-job '17' failed, SLURM status is: '{}'. Reason: Unknown."


@pytest.mark.parametrize(
    "said, of_slurm, memory, time",
    [
        (SAID.format("OUT_OF_MEMORY"), "", 1, 0),
        (SAID.format("TIMEOUT"), "", 0, 1),
        (SAID.format("CANCELLED"), "slurmstepd: error: *** JOB 17 CANCELLED AT 2026-11-25 DUE TO TIME LIMIT ***", 0, 1),
        (SAID.format("CANCELLED"), "slurmstepd: error: *** JOB 17 CANCELLED AT 2026-11-25 ***", 0, 0),
        (SAID.format("CANCELLED"), "slurmstepd: error: Exceeded job memory limit", 1, 0),
        (SAID.format("FAILED"), "slurmstepd: error: Detected 1 oom_kill event in StepId=17.0", 1, 0),
        (SAID.format("FAILED"), "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 9. TiB", 1, 0),
        (SAID.format("FAILED"), "MemoryError", 1, 0),
        (SAID.format("FAILED"), "torch.OutOfMemoryError: CUDA out of memory", 0, 0),  # of the GPU
        (SAID.format("NODE_FAIL"), "", 0, 0),
    ],
)
def test_memory_and_time_are_counted_where_they_ran_out(said, of_slurm, memory, time, tmp_path):
    log, slurm = str(tmp_path / "log"), tmp_path / "slurm"
    slurm.write_text(of_slurm)
    failures, logger = Failures(), logging.Logger("snakemake")
    logger.addHandler(failures)
    logger.error("Error in rule", extra={"event": "job_error", "rule_msg": said, "log": [log, str(slurm)]})
    logger.error(said)  # not of a job
    assert (failures.memory[log], failures.time[log]) == (memory, time)


def test_each_failure_counts_for_its_own_job_and_only_the_end_of_a_log_is_read(tmp_path):
    failures, logs = Failures(), [tmp_path / "one", tmp_path / "other"]
    logs[0].write_text("MemoryError")
    logs[1].write_text("MemoryError" + "later\n" * 1000)
    for log in (*logs, logs[0]):
        record = logging.makeLogRecord({"event": "job_error", "rule_msg": None, "log": [str(log)]})
        failures.handle(record)
    assert [failures.memory[str(log)] for log in logs] == [2, 0]
