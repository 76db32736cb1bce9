"""`snakemake --logger robustdr`: one line of progress, and errors in full; all else is in Snakemake's log file.

Snakemake finds its plugins by the names of packages. The line itself is `robustdr.core.progress`.
"""

import logging
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    benchmarks: Path | None = field(
        default=None,
        metadata={"help": "folder with the benchmarks of an earlier run: what its jobs took", "type": Path},
    )
    estimates: str = field(
        default="true",
        metadata={"help": "whether the time left is told, true or false; else the time so far", "type": str},
    )


class LogHandler(LogHandlerBase):
    """Writes to standard error. After an error the progress ends, so that the error stays the last to be read."""

    writes_to_stream, writes_to_file, needs_rulegraph = True, False, False
    has_filter = True  # `--quiet` is about the log
    has_formatter = False

    def __post_init__(self) -> None:
        # Not before: Snakemake imports every plugin, and the Snakefile of a copy of the project must find its package.
        from robustdr.core.progress import Line, Progress, recorded

        benchmarks = self.settings.benchmarks if self.settings else None
        estimates = not self.settings or self.settings.estimates != "false"
        self.progress = Progress(recorded(benchmarks) if benchmarks else {}, estimates)
        self.line, self.failed = Line(self.progress), False

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._take(record)
        except Exception:  # as handlers of the standard library do: what is told never ends the run
            self.handleError(record)

    def _take(self, record: logging.LogRecord) -> None:
        event, now = getattr(record, "event", None), time.monotonic()
        if event == LogEvent.RUN_INFO:
            self.progress.plan({rule: count for rule, count in record.stats.items() if rule != "total"})
        elif event == LogEvent.JOB_INFO:
            self.progress.start(record.jobid, record.rule_name, now)
        elif event == LogEvent.JOB_FINISHED:
            self.progress.finish(record.job_id, now)
        elif record.levelno >= logging.WARNING or (self.failed and event is None):
            self.line.clear()
            self.failed |= record.levelno >= logging.ERROR
            print(self.format(record), file=sys.stderr, flush=True)
        if not self.failed:
            self.line.say(now)

    def close(self) -> None:
        self.line.end()
        super().close()
