"""Why jobs failed: a job that is submitted again asks for more memory only if memory ran out, and likewise for time.

Snakemake tells a resource the number of the attempt, not the reason. The reason stands in the error that it logs for a
job: SLURM's state of it, and the names of its logs. They matter where SLURM counts memory without cgroups: there
the state says only that the job was cancelled or failed.
"""

import logging
import re
from collections import Counter
from pathlib import Path

OUT_OF_MEMORY = re.compile(r"OUT_OF_MEMORY|oom.kill|Out Of Memory|Exceeded job memory limit|(?<!OutOf)MemoryError")
OUT_OF_TIME = re.compile(r"status is: '(TIMEOUT|DEADLINE)'|DUE TO TIME LIMIT")
END = 4096  # bytes of a log that are read


class Failures(logging.Handler):
    """How often memory and time ran out, by the log of the job."""

    def __init__(self) -> None:
        super().__init__()
        self.memory: Counter[str] = Counter()
        self.time: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "event", "") != "job_error" or not (logs := getattr(record, "log", [])):
            return
        ends = [Path(log).read_bytes()[-END:].decode("utf-8", "replace") for log in logs if Path(log).is_file()]
        messages = "\n".join([str(getattr(record, "rule_msg", "")), *ends])
        self.memory[logs[0]] += bool(OUT_OF_MEMORY.search(messages))
        self.time[logs[0]] += bool(OUT_OF_TIME.search(messages))


FAILURES = Failures()
