"""`snakemake --executor robustdr`: jobs run one after the other in Snakemake's own process, and share what they load.

For small data, where starting Python and its libraries for each job costs more than its work. A job that needs the
network has a process of its own, because the others are refused it.
"""

import shlex
import subprocess
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from snakemake.benchmark import benchmarked, write_benchmark_records
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.real import RealExecutor
from snakemake_interface_executor_plugins.jobs import JobExecutorInterface
from snakemake_interface_executor_plugins.settings import CommonSettings

STAGES = ["-m", "robustdr.stages"]

common_settings = CommonSettings(non_local_exec=False, implies_no_shared_fs=False, job_deploy_sources=False)


class Executor(RealExecutor):
    """Runs the stage of a rule's shell command, and writes its log and its benchmark."""

    def __post_init__(self) -> None:
        from robustdr.core import network  # not before: see the logger

        network.refuse()

    def run_job(self, job: JobExecutorInterface) -> None:
        info = SubmittedJobInfo(job=job)
        self.report_job_submission(info)
        self.workflow.async_run(job.prepare())
        status = 0
        if not job.is_norun:  # a target without a command
            with benchmarked() as took:
                status = run(job.shellcmd, Path(job.log[0]))
            write_benchmark_records([took], str(job.benchmark), False)
        (self.report_job_error if status else self.report_job_success)(info)

    def handle_job_success(self, job: JobExecutorInterface) -> None:
        pass

    def cancel(self) -> None:
        pass

    def shutdown(self) -> None:
        pass

    def get_exec_mode(self) -> None:
        raise NotImplementedError

    def get_python_executable(self) -> str:
        return sys.executable

    @property
    def cores(self) -> int:
        return self.workflow.resource_settings.cores


def run(command: str, log: Path) -> int:
    """Run the stage of a shell command, `… -m robustdr.stages STAGE OPTIONS > LOG 2>&1`, and return its exit status."""
    from robustdr.stages.__main__ import main

    words = shlex.split(command)
    stage = words[words.index(STAGES[0]) + len(STAGES) : words.index(">")]
    with open(log, "w", encoding="utf-8") as file:
        if "--network" in stage:
            return subprocess.run([sys.executable, *STAGES, *stage], stdout=file, stderr=file, check=False).returncode
        with redirect_stdout(file), redirect_stderr(file):
            try:
                return main(stage)
            except Exception:
                traceback.print_exc()
                return 1
