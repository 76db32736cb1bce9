# What the rules have in common: the configuration, errors, and file names from wildcards.
import atexit
import json
import logging
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))

from robustdr.experiments.config import load, validate
from robustdr.experiments import overlay
from robustdr.graph import reports
from robustdr.variations import labels
from robustdr.collections import local_files, part, part_files
from robustdr.encoding.directory import DOCUMENT, FORMS, SHARED_FILES
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import sha256
from robustdr.graph.places import JUDGEMENTS, record_listing
from robustdr.graph.plan import plans
from robustdr.pretraining import TRAINS
from robustdr.keys.provenance import Code, key as key_of
from robustdr.reporting.settings import PAGES, PARTS
from robustdr.retrieval.settings import INDEX_FILES
from robustdr.core.settings import as_json as typed
from robustdr.graph.structure import ORIGINAL
from robustdr.graph.targets import check_target


def last(line):
    """Print a line when Snakemake, which logs on after an error, has nothing more to say."""
    atexit.register(print, line, file=sys.stderr)


class Repeats(logging.Handler):
    """Prints an error of the user's again, last: Snakemake logs where a function of a rule met it after what it says."""

    def emit(self, record):
        for line in re.findall(r"^ +UserError: (.+)$", record.getMessage(), re.MULTILINE):
            last(line)


logger.addHandler(Repeats())


def stop(message):
    """End with one line that says what to mend."""
    last(message)
    raise WorkflowError(message)


# The project's configuration lies beside the Snakefile, wherever Snakemake runs; another folder may lie over it.
HOUSE = Path(os.path.relpath(workflow.basedir)) / "config"

try:
    validate(config, HOUSE / "schemas/config.schema.json", HOUSE / "config.yaml")
    OVERLAY = Path(config["overlay"]) if "overlay" in config else None
    CONFIG = load(HOUSE, OVERLAY)
    PLANS = plans(CONFIG, config.get("qvg_labels"))
    PAPERS = config["papers"]
    if others := [paper for paper in PAPERS if paper not in CONFIG.papers]:
        raise unknown("config/config.yaml: papers", others[0], CONFIG.papers)
    for argument in sys.argv[1:]:
        check_target(argument, PLANS)
except UserError as error:
    stop(str(error))


# There can be one such handler. Snakemake limits how many jobs start a second (100), and by that limit every job that ended
# wakes the scheduler again and again to the end of the run: after 500 jobs that takes a fifth of a core.
onstart:
    workflow.scheduler.job_rate_limiter = None
    if Path("results").exists() and not os.access("results", os.W_OK):
        stop("results: the folder is read-only; make it writable, or run in a copy of the project")


onerror:
    logged = "".join(Path(path).read_text(encoding="utf-8") for path in log)
    # The second is all that is logged of a job under --quiet.
    found = re.findall(r"^ +log: (.+) \(check log|> (\S+) 2>&1' returned non-zero", logged, re.MULTILINE)
    for failed in dict.fromkeys(path for either in found for path in either if path):
        if os.path.exists(failed):
            last(f"{failed}: {''.join(Path(failed).read_text(encoding='utf-8').splitlines()[-1:])}")


# The package is found where the workflow lies, whatever environment a job runs in. A SLURM job computes on the cores that
# it was given: Snakemake itself counts no more than the host has that submits.
PACKAGE = shlex.quote(str(Path(workflow.basedir) / "workflow"))
THREADS = "${{SLURM_CPUS_PER_TASK:-${{OMP_NUM_THREADS:-1}}}}"
shell.prefix(f"set -euo pipefail; export PYTHONPATH={PACKAGE} OMP_NUM_THREADS={THREADS}; ")


VARIATION = r"[a-z0-9_.]+"


wildcard_constraints:
    root="|".join(PLANS),
    collection=r"[a-z0-9-]+",
    split=r"[a-z0-9-]+",
    variation=VARIATION,
    checkpoint=r"[a-z0-9_]+",
    pretraining=r"[a-z0-9_]+",
    system=r"[a-z0-9_.]+",
    seed=r"\d+",
    shard=r"\d+",
    index="|".join(re.escape(name) for p in PLANS.values() for name in p.indexes()),
    shards=r"\d+",
    paper="|".join(CONFIG.papers),
    table=r"table\d+|methods|decomposition|study_[a-z_]+",
    figure=r"figure\d+(_left|_right)?|methods",


def plan(w):
    return PLANS[w.root]


def as_json(value):
    return json.dumps(value) if isinstance(value, (dict, list)) else typed(value)


def code(stage):
    """The code and packages of a stage that writes no key itself."""
    return key_of(Code([stage]), None, {})


def loads(code):
    """The options that tell a stage what it loads by name."""
    packages = f" --packages {' '.join(code.packages)}" if code.packages else ""
    return f"--code {' '.join(code.names)}{packages}"


def contents(*files):
    """The digests of files that people edit, named or found by the wildcards: a change counts whatever its time says.

    Snakemake compares the contents of an input only where it looks newer, and records no parameter made from `input`.
    """

    def of(w):
        return [sha256(Path(path)) for path in filter(None, (file(w) if callable(file) else file for file in files))]

    return of


def retried(amount, full=None):
    """Memory (MB) or time (minutes) that doubles with every attempt; `full`: where full scale starts from another amount."""

    def asked(w, attempt):
        start = full if full and "miniature" not in plan(w).bound else amount
        return start * 2 ** (attempt - 1)

    return asked


def commit(w):
    """The project's commit that a document is made at."""
    asked = ["git", "describe", "--always", "--dirty=, changed since", "--exclude=*"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip() or "unknown"


def cores(w):
    """Cores of a job that trains or encodes. Snakemake cuts `threads` down to the cores of the host that submits a job."""
    return plan(w).bound["threads"]


# Variations whose generator makes several versions of a query at once, and how many.
VERSIONED = {name: count for p in PLANS.values() for name, count in p.versioned().items()}
(VERSIONS,) = set(VERSIONED.values())


# files


def versions(query_set, suffix, count):
    """The files of a query set's versions: of the one that attacks, and of those that train."""
    return [f"{query_set}{version}{suffix}" for version in ("", *(f".version{n}" for n in range(1, count)))]


def split_of_versions(count, suffix=""):
    """The file that says which of several versions of a query attacks."""
    return [f"{{root}}/variations/{{collection}}/{{split}}/{{variation}}.split.json{suffix}"] if count > 1 else []


def tables(root):
    return [f"{root}/tables/{paper}_{table}.md" for paper in PAPERS for table in CONFIG.papers[paper]["tables"]]


def figures(root):
    return [
        f"{root}/figures/{paper}_{figure}.svg" for paper in PAPERS for figure in CONFIG.papers[paper].get("figures", {})
    ]


def explored(w, collection):
    """The queries behind the cells of every system on a collection."""
    systems = reports.explored(plan(w), PAPERS)[collection]
    return [f"{w.root}/report/data/{collection}/systems/{system}.js" for system in systems]


def root_of(scale):
    roots = {p.scale: root for root, p in PLANS.items()}
    if scale not in roots:
        stop(str(unknown("config/config.yaml: scale", scale, roots)))
    return roots[scale]


def artifacts(card=(), **named):
    """Inputs that jobs make, by name, and their records. Snakemake hashes and compares the records; no artifact is read.

    A collection's card is waited for alone: what it says of other splits decides nothing elsewhere.
    """
    paths = [path for of in named.values() for path in ([of] if isinstance(of, str) else of)]
    found = {name: ancient(of) for name, of in named.items()}
    return {**found, "card": ancient(card), "records": list(dict.fromkeys(map(record_listing, paths)))}
