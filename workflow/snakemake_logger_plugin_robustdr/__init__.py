"""`snakemake --logger robustdr`: one line of progress, and errors in full; all else is in Snakemake's log file.

Snakemake finds its plugins by the names of packages. The line itself is `robustdr.core.progress`.
"""

import logging
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

EVERY, SHARE = 60, 0.1  # where no terminal rewrites it, the line comes each minute, or with each tenth of the jobs


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    benchmarks: Path | None = field(
        default=None,
        metadata={"help": "folder with the benchmarks of an earlier run: what its jobs took", "type": Path},
    )


class LogHandler(LogHandlerBase):
    """Writes to standard error. After an error the progress ends, so that the error stays the last to be read."""

    writes_to_stream, writes_to_file, needs_rulegraph = True, False, False
    has_filter = True  # `--quiet` is about the log
    has_formatter = False

    def __post_init__(self) -> None:
        # Not before: Snakemake imports every plugin, and the Snakefile of a copy of the project must find its package.
        from robustdr.core.progress import Progress, recorded

        benchmarks = self.settings.benchmarks if self.settings else None
        self.progress = Progress(recorded(benchmarks) if benchmarks else {})
        self.failed, self.shown, self.share = False, "", 0.0
        self.said = -float("inf")

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
            self._clear()
            self.failed |= record.levelno >= logging.ERROR
            print(self.format(record), file=sys.stderr, flush=True)
        if not self.failed and self.progress.all:
            self._say(now)

    def _say(self, now: float) -> None:
        """The line: on a terminal in place of the one before, elsewhere now and then."""
        share = self.progress.done / self.progress.all
        line = self.progress.line(now)
        if sys.stderr.isatty():
            line = line[: shutil.get_terminal_size().columns - 1]
            if line != self.shown:
                self._clear()
                self.shown = line
                print(line, end="", file=sys.stderr, flush=True)
        elif now - self.said >= EVERY or share - self.share >= SHARE or share == 1 > self.share:
            self.said, self.share = now, share
            print(line, file=sys.stderr, flush=True)

    def _clear(self) -> None:
        if self.shown:
            print(f"\r{' ' * len(self.shown)}\r", end="", file=sys.stderr, flush=True)
        self.shown = ""

    def close(self) -> None:
        if self.shown:
            print(file=sys.stderr, flush=True)
        self.shown = ""
        super().close()
