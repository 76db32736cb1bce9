# What the rules have in common: the configuration, errors, and file names from wildcards.
import atexit
import gc
import json
import logging
import os
import re
import shlex
import subprocess
import sys
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))

from snakemake.io import IOFile

from robustdr.core.errors import UserError, unknown
from robustdr.core.files import sha256
from robustdr.experiments.kinds import kind_of
from robustdr.graph import site, tables
from robustdr.graph.chain import stages_of
from robustdr.graph.environment import keys_of_servers, reset
from robustdr.graph.failures import FAILURES
from robustdr.graph.parcels import write_plan
from robustdr.graph.project import project
from robustdr.graph.rule_functions import RuleFunctions, forget_unused
from robustdr.graph.targets import check_target, requested_parts
from robustdr.keys import kept
from robustdr.keys.integrity import look_old, set_aside
from robustdr.keys.provenance import Code, made_of
from robustdr.variations import labels

# A plan is millions of objects that live to the end of the run. Python's collector of reference cycles would walk them again
# and again, a fifth of a dry run, for 3 MB of garbage. So it begins with the jobs, and leaves the plan out.
gc.disable()
atexit.register(gc.freeze)  # nor does it walk them when the process ends


def last(line):
    """Print a line when Snakemake, which logs on after an error, has nothing more to say."""
    atexit.register(print, line, file=sys.stderr)


class Repeats(logging.Handler):
    """Prints an error of the user's again, last: Snakemake logs where a function of a rule met it after what it says."""

    def emit(self, record):
        for line in re.findall(r"^ +UserError: (.+)$", record.getMessage(), re.MULTILINE):
            last(line)


logger.addHandler(Repeats())
logger.addHandler(FAILURES)


def stop(message):
    """End with one line that says what to mend."""
    last(message)
    raise WorkflowError(message)


# The project's configuration lies beside the Snakefile, wherever Snakemake runs; another folder may lie over it.
HOUSE = Path(os.path.relpath(workflow.basedir)) / "config"

try:
    SETTINGS, CONFIG, GRAPHS = project(config, HOUSE)
    OVERLAY = Path(SETTINGS.overlay) if SETTINGS.overlay else None
    PAPERS = tuple(SETTINGS.papers)
    ASKED = CONFIG.group_by_paper(PAPERS)
    for argument in sys.argv[1:]:  # Snakemake tells a Snakefile nothing of its targets
        check_target(argument, GRAPHS)
except UserError as error:
    stop(str(error))


# Where machines share no files, Snakemake's storage has the results, and this folder its copies of them.
STORED = ""
if workflow.storage_settings.default_storage_provider:
    STORED = str(workflow.modifier.path_modifier.apply_default_storage("results"))

# Jobs of a cluster plan themselves again: they look at no artifact but their own.
if workflow.is_main_process and not STORED:
    for line in set_aside(Path("results")):
        print(line, file=sys.stderr)


# There can be one such handler. Snakemake limits how many jobs start a second (100), and by that limit every job that ended
# wakes the scheduler again and again to the end of the run: after 500 jobs that takes a fifth of a core. No option turns it off.
onstart:
    gc.freeze()
    gc.enable()
    workflow.scheduler.job_rate_limiter = None
    if Path("results").exists() and not os.access("results", os.W_OK):
        stop("results: the folder is read-only; make it writable, or run in a copy of the project")
    if ABSENT:
        stop(f"{len(ABSENT)} file(s) or folder(s) are missing, listed above; no job was started")
    if SETTINGS.preflight and workflow.non_local_exec and not STORED:
        targets = [str((job.output or job.input)[0]) for job in workflow.dag.targetjobs]
        changes = [f"{key}={json.dumps(value)}" for key, value in config.items()]
        command = [sys.executable, "-m", "robustdr", "preflight", *targets, "--config", *changes]
        if subprocess.run(
            command, env={**os.environ, "PYTHONPATH": str(Path(workflow.basedir) / "workflow")}
        ).returncode:
            stop(
                "the preflight found what is listed above; no job was started (--config preflight=False does without)"
            )
    planned = [job for job in workflow.dag.needrun_jobs() if not workflow.dag.reason(job).forced]
    kept.keep(file for job in planned for file in job.output if file.endswith(".sha256"))
    forget_unused()


onsuccess:
    kept.forget()


onerror:
    kept.forget()
    logged = "".join(Path(path).read_text(encoding="utf-8") for path in log)
    # The second is all that is logged of a job under --quiet.
    log_paths = re.findall(r"^ +log: (.+) \(check log|> (\S+) 2>&1' returned non-zero", logged, re.MULTILINE)
    for failed in dict.fromkeys(path for pair in log_paths for path in pair if path):
        if os.path.exists(failed):
            last(f"{failed}: {''.join(Path(failed).read_text(encoding='utf-8').splitlines()[-1:])}")


# Jobs have the variables that they need, and no others. The package is found where the workflow lies, whatever environment a
# job runs in. No module of the working folder or of the user's site-packages takes the place of another. A SLURM job computes
# on the cores that it was given: Snakemake itself counts no more than the host has that submits.
PACKAGE = shlex.quote(str(Path(workflow.basedir) / "workflow"))
THREADS = "${{SLURM_CPUS_PER_TASK:-${{OMP_NUM_THREADS:-1}}}}"
ISOLATED = "PYTHONSAFEPATH=1 PYTHONNOUSERSITE=1"
RESET = reset(keys_of_servers(filter(None, (HOUSE, OVERLAY))))
# Where machines share no files, what a job reads is unpacked before its command, and what it made is packed after it.
PARCELS = f"command python -m robustdr.graph.parcels {shlex.quote(STORED)} ${{{{@: -1}}}}"
WITH_PARCELS = (
    f'with_parcels() {{{{ {PARCELS} unpack && command "$@" && {PARCELS} pack; }}}}; '
    'python() {{ with_parcels python "$@"; }}; torchrun() {{ with_parcels torchrun "$@"; }}; '
)
shell.prefix(
    f"set -euo pipefail; {RESET}export PYTHONPATH={PACKAGE} {ISOLATED} OMP_NUM_THREADS={THREADS} LC_ALL=C.UTF-8; "
    + (WITH_PARCELS if STORED else "")
)


# The systems that each rule ranks passages with, as regular expressions; a snapshot is named after its system.
RANKED_BY = SimpleNamespace(retrieve="(?!)", rerank="(?!)", retrieve_served="(?!)")
for name, recipe in CONFIG.systems.items():
    vars(RANKED_BY)[kind_of(recipe).rule] += rf"|{re.escape(name)}(\.at\d+)?"


wildcard_constraints:
    root="|".join(GRAPHS),
    collection=r"[a-z0-9-]+",
    split=r"[a-z0-9-]+",
    variation=r"[a-z0-9_.]+",
    checkpoint=r"[a-z0-9_]+",
    pretraining=r"[a-z0-9_]+",
    system=r"[a-z0-9_.]+",
    seed=r"\d+",
    shard=r"\d+",
    shards=r"\d+",
    length=r"\d+",
    index="|".join(re.escape(name) for graph in GRAPHS.values() for name in graph.indexes()),
    paper="|".join(CONFIG.papers),


def root_of(scale):
    roots = {graph.lineage.scale_name: root for root, graph in GRAPHS.items()}
    if scale not in roots:
        stop(str(unknown("config/config.yaml: scale", scale, roots)))
    return roots[scale]


ABSENT = {}  # files and folders of the user that planned jobs lack


def node_at(path, find):
    """The node of an artifact, `find(graph, wildcards)`, whose path has the rule's wildcards."""

    def node(w):
        try:
            return find(GRAPHS[w.root], w)
        except (KeyError, StopIteration) as error:
            raise UserError(f"{path.format(**w)}: nothing of the configuration has this name: {error}") from error

    return RuleFunctions(node, f"{path}.sha256", parcels=bool(STORED))


def inputs(functions, data=None):
    """The inputs of a job: the records of what it reads, by its options, which Snakemake hashes and compares; `waited`.

    The latter are `ancient` where the job's own artifact is there with the planned key. Elsewhere they are not: Snakemake
    would not look at the job if one that it waits for runs, and would leave out what an interrupted run left behind.

    Of an artifact that Snakemake did not make here, such as one that DVC brought, it knows the time alone. There its record
    decides: all inputs are `ancient` if it was made as planned of what is there; else it is made to look old.

    Where machines share no files, `parcels` come with them, and Snakemake decides by their records.

    Args:
        data: the nodes of what a page loads; its job reads the files that its options name.
    """

    def input_files(w):
        absent = functions.absent(w)
        for path, line in absent.items():
            if path not in ABSENT:
                last(line)
            ABSENT[path] = line
        read = functions.inputs(w, absent)
        if data:
            read = {**functions.find(w).options, "data": [node.declared for node in data(w)]}
        if STORED:
            results = {name: [path for path in paths if path.startswith("results/")] for name, paths in read.items()}
            parcels = functions.parcels_read(w, data(w) if data else ())
            write_plan(functions.settings(w), functions.find(w), [*chain(*results.values()), *parcels])
            return {**results, "parcels": ancient(parcels)}
        record = functions.declared.format(**w)
        if os.path.exists(record) and workflow.persistence.metadata(IOFile(record)) is None:
            if functions.is_consistent(w):
                return {name: ancient(paths) for name, paths in read.items()}
            if workflow.is_main_process and not workflow.touch:
                look_old(Path(record), has_inputs=any(read.values()))
        elif "waited" in read and functions.is_up_to_date(w):
            return {**read, "waited": ancient(read["waited"])}
        return read

    return input_files


def records_of_stage(root, name):
    """The records of what a stage of dvc.yaml makes."""
    stages = stages_of(GRAPHS[root], PAPERS)
    if name not in stages:
        raise unknown("config/config.yaml: stage", str(name), stages)
    return list(dict.fromkeys(node.declared for node in stages[name]))


def code(stage, *modules):
    """What a stage without a node is made of: its code, that of modules that it loads by name, and their packages."""
    return made_of(Code([stage, *modules]))
