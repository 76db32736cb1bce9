"""A SLURM of one or two nodes with two counted GPUs, on loopback; it changes nothing outside a folder of its own."""

import contextlib
import ctypes
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
PACKAGES = ("munge", "slurm-client", "slurmctld", "slurmd")

# Jobs that use more memory than they asked for are killed; finished jobs stay known for an hour.
SLURM_CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/ctld
SlurmdSpoolDir={folder}/d.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog={folder}/task_prolog
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
EnforcePartLimits=ALL
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MinJobAge=3600
KillWait=2
GresTypes=gpu
PartitionName=short Nodes=ALL Default=YES MaxTime=30 State=UP
PartitionName=cpu Nodes=ALL MaxTime=100000 State=UP
PartitionName=gpu Nodes=ALL MaxTime=100000 State=UP
"""
NODE = """\
NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} \\
    CPUs={cores} RealMemory={memory} Gres=gpu:{gpus} State=UNKNOWN
"""
GPUS = 2  # of all nodes together
# What a job's steps see of their GPUs, a line each.
TASK_PROLOG = """\
#!/bin/sh
echo "$SLURM_JOB_ID ${{SLURM_STEP_ID:-batch}} ${{CUDA_VISIBLE_DEVICES:-none}}" >> {folder}/steps
"""


# Snakemake hides SLURM's variables from the srun inside a job, and with them where slurm.conf is.
SRUN = """\
#!/bin/sh
SLURM_CONF={folder}/slurm.conf exec {srun} "$@"
"""


class Unavailable(Exception):
    """SLURM cannot run here; the message says why."""


def wait_for(condition: Callable[[], object], what: str, seconds: float = 300) -> None:
    """Wait until the condition holds.

    Raises:
        TimeoutError: it does not within this time.
    """
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.1)


def install() -> None:
    """Install SLURM where it is missing and can be installed.

    Raises:
        Unavailable: it cannot.
    """
    if os.geteuid() != 0:
        raise Unavailable("SLURM's daemons need root")
    if all(shutil.which(daemon) for daemon in DAEMONS):
        return
    if not shutil.which("apt-get"):
        raise Unavailable("SLURM is not installed, and there is no apt-get to install it")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
        try:
            done = subprocess.run(
                ["apt-get", "-qq", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10", *command],
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
            )
        except subprocess.TimeoutExpired:
            raise Unavailable(f"apt-get {command[0]} takes more than two minutes") from None
        if done.returncode:
            raise Unavailable(f"apt-get {command[0]} failed: {done.stderr.strip()[-300:]}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end_with_parent() -> None:
    """Ask Linux to end this process when its parent ends, however that ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # 1: PR_SET_PDEATHSIG


class Cluster:
    """A running SLURM; its commands find it by `environment`. This machine is all of its nodes."""

    def __init__(self, folder: Path, nodes: int = 1):
        self.folder = folder
        self.nodes = [f"node{number}" for number in range(nodes)]
        self.environment = {
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": f"{folder}/bin{os.pathsep}{os.environ['PATH']}",
        }
        self.daemons: list[subprocess.Popen] = []

    def start(self) -> None:
        """Start the daemons and wait for the nodes.

        Raises:
            Unavailable: they do not come up; the message ends with what their logs say.
        """
        host = socket.gethostname().partition(".")[0]
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        for name in ("bin", "ctld", *(f"d.{node}" for node in self.nodes)):
            (self.folder / name).mkdir()
        settings = {
            "folder": self.folder,
            "host": host,
            "ctld_port": free_port(),
            "cores": os.cpu_count(),
            "gpus": GPUS // len(self.nodes),
            "memory": int(0.9 * memory),
        }
        nodes = [NODE.format(name=node, port=free_port(), **settings) for node in self.nodes]
        (self.folder / "slurm.conf").write_text("".join([SLURM_CONF.format(**settings), *nodes]))
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=autodetect\n")
        for number in range(GPUS):  # SLURM tells a job its GPUs by the numbers of their device files
            try:
                os.mknod(self.folder / f"gpu{number}", stat.S_IFCHR | 0o600, os.stat("/dev/null").st_rdev)
            except PermissionError:
                raise Unavailable("device files cannot be made here, and SLURM counts GPUs by them") from None
        gpus = [f"NodeName={self.nodes[n % len(self.nodes)]} Name=gpu File={self.folder}/gpu{n}\n" for n in range(GPUS)]
        (self.folder / "gres.conf").write_text("".join(gpus))
        for script, text in {"task_prolog": TASK_PROLOG, "bin/srun": SRUN}.items():
            path = self.folder / script
            path.write_text(text.format(**settings, srun=shutil.which("srun")))
            path.chmod(0o755)
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(1024))
        munge_socket = self.folder / "munge.socket"
        files = [f"--{kind}-file={self.folder}/munge.{kind}" for kind in ("key", "seed", "pid", "log")]
        self.spawn("munged", "--foreground", "--force", f"--socket={munge_socket}", *files)
        try:
            wait_for(munge_socket.exists, "munge's socket", 20)
            self.spawn("slurmctld", "-D", "-i")
            for node in self.nodes:
                self.spawn("slurmd", "-D", "-N", node)
            wait_for(
                lambda: self.run("sinfo", "--noheader", "--format=%T", "--partition=gpu") == "idle", "the nodes", 30
            )
        except TimeoutError as error:
            logs = "".join(path.read_text(errors="replace")[-500:] for path in sorted(self.folder.glob("*.out")))
            raise Unavailable(f"SLURM does not start: {error}: {logs}") from None

    def spawn(self, daemon: str, *arguments: str) -> None:
        path = shutil.which(daemon)
        with open(self.folder / f"{daemon}.{len(self.daemons)}.out", "w") as log:
            self.daemons.append(
                subprocess.Popen(
                    [path, *arguments],
                    env={**os.environ, **self.environment},
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    preexec_fn=end_with_parent,
                )
            )

    def run(self, *command: str) -> str:
        """The standard output of one of SLURM's commands."""
        done = subprocess.run(command, env={**os.environ, **self.environment}, capture_output=True, text=True)
        return done.stdout.strip()

    def jobs(self) -> dict[str, list[dict[str, str]]]:
        """What SLURM knows of every job, finished ones included: by rule, in the order of submission."""
        by_rule: dict[str, list[dict[str, str]]] = {}
        for line in self.run("scontrol", "--oneliner", "show", "jobs").splitlines():
            job = dict(part.partition("=")[::2] for part in line.split() if "=" in part)
            rule = job["Comment"].partition("_wildcards_")[0].removeprefix("rule_")
            by_rule.setdefault(rule, []).append(job)
        return {rule: sorted(jobs, key=lambda job: int(job["JobId"])) for rule, jobs in by_rule.items()}

    def steps(self, job: str) -> list[tuple[str, str]]:
        """(step, its GPUs) of every step of a job."""
        lines = (line.split() for line in (self.folder / "steps").read_text().splitlines())
        return [(step, gpus) for of_job, step, gpus in lines if of_job == job]

    def cancel_all(self) -> None:
        """Cancel every job, and wait until none is left."""
        queued = self.run("squeue", "--noheader", "--format=%i").split()
        if queued:
            self.run("scancel", *queued)
            wait_for(lambda: not self.run("squeue", "--noheader"), "an empty queue", 60)

    def stop(self) -> None:
        """Cancel what runs and end the daemons."""
        if len(self.daemons) == len(DAEMONS) - 1 + len(self.nodes):
            with contextlib.suppress(TimeoutError):
                self.cancel_all()
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
