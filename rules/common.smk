# Everything that the rules compute: the configuration, and file names from wildcards.
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

from robustdr.config import load, validate
from robustdr import overlay, reports
from robustdr.audit import labels
from robustdr.collections import local_files, part, part_files
from robustdr.encoding.directory import DOCUMENT, FORMS, SHARED_FILES
from robustdr.errors import UserError, unknown
from robustdr.files import sha256
from robustdr.places import JUDGEMENTS, record_of
from robustdr.plan import plans
from robustdr.pretraining import TRAINS
from robustdr.provenance import key as key_of
from robustdr.reporting.settings import PAGES, PARTS
from robustdr.retrieval.settings import INDEX_FILES
from robustdr.settings import as_json as typed
from robustdr.structure import ORIGINAL
from robustdr.targets import check_target


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


onstart:
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
    return key_of([stage], None, [])


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
    return {**found, "card": ancient(card), "records": list(dict.fromkeys(map(record_of, paths)))}


# inputs and arguments of single rules


def varied_from(w):
    """What a variation reads; the card, because a collection is checked before it is used."""
    return artifacts(
        card=plan(w).card(w.collection),
        queries=plan(w).query_set(w.collection, w.split, "original"),
        shards=variation_shards(w),
        tokenizer=f"{w.root}/checkpoints/base/tokenizer.json" if "base" in plan(w).bound["checkpoints"] else [],
    )


def tokenizer_argument(w, input):
    """The tokenizer that counts changes; a scale of systems without one has none."""
    return f"--tokenizer {shlex.quote(input.tokenizer)}" if input.tokenizer else ""


def variation_shards(w):
    """The shards that a variation is gathered from; none where one job varies all queries."""
    return plan(w).variation_shards(w.collection, w.split, w.variation)


def variation_devices(w):
    return plan(w).variation(w.collection, w.split, w.variation).get("devices", 0)


def label_files(w):
    """The released labels behind one of qvg's tables."""
    if "qvg_labels" not in config:
        raise WorkflowError(
            f"config/config.yaml: qvg_labels: not set; {w.validated} of qvg is counted from the authors' released labels:"
            " set the key to their folder, or add --config qvg_labels=FOLDER"
        )
    try:
        return labels.files(Path(config["qvg_labels"]), w.validated)
    except UserError as error:
        raise WorkflowError(f"config/config.yaml: qvg_labels: {error}") from None


def judged_places():
    """Splits, as <collection>/<split>, by what judges them."""
    places = {}
    for collection, source in CONFIG.collections.items():
        for split in source["splits"]:
            places.setdefault(tuple(CONFIG.judged_by(collection, split)), []).append(f"{collection}/{split}")
    return places


def collection_at(w):
    return w.place.split("/")[0]


def split_at(w):
    return w.place.split("/")[1]


def own_files(collection, split, made):
    """The files that a corpus or split is read from; they may be gone when something is made of them already."""
    files = part_files(CONFIG.collections[collection], split)
    if not (all(path.is_file() for path in files) or os.path.exists(made)):
        missing = [str(path) for path in local_files(CONFIG.collections[collection]) if not path.is_file()]
        stop(f"collections.yaml: {collection}: no such file: {', '.join(missing)}; paths start where the command runs")
    return ancient(files)  # the key holds their digests


def initial_folder(w):
    return plan(w).initial_folder(w.system, w.seed)


def initial_model(w):
    parent = plan(w).initial_of(w.system)
    if parent:
        return plan(w).model(parent, w.seed)
    if plan(w).pretraining_of(w.system):
        return f"{initial_folder(w)}/model.safetensors"
    return plan(w).checkpoint_mark(plan(w).checkpoint_of(w.system))


def mined(w):
    """What positives and hard negatives are chosen from; nothing for recipes on queries alone."""
    if plan(w).trains_on_queries_alone(w.system):
        return {}
    _, qrels, *answers = plan(w).split_files(w.collection, "train")
    found = {"corpus": plan(w).corpus(w.collection), "qrels": qrels}
    if miner := plan(w).miner_of(w.system):
        found["run"] = plan(w).run(miner, plan(w).seed_of(miner, w.seed), w.collection, "train", "original")
        found |= {"answers": path for path in answers}
    return found


def mined_arguments(w, input):
    return " ".join(f"--{name} {shlex.quote(input[name])}" for name in mined(w))


def launcher(devices):
    return "python" if devices == 1 else f"torchrun --standalone --nproc-per-node {devices}"


def learns_from(w):
    """What training reads beside its file and the initial model, by the kind of the system."""
    return plan(w).kind(w.system).learns_from(plan(w), w.system, int(w.seed))


def pretraining(w):
    """The recipe of a pre-training."""
    return CONFIG.pretraining[w.pretraining]


def pretraining_devices(w):
    return plan(w).pretraining_settings(w.pretraining).devices


def train_kinds():
    """Systems by where and what their training writes: scales, the model's files, after which percentages snapshots."""
    taken, kinds = {}, {}
    for scaled in PLANS.values():
        for system, percents in scaled.snapshots().items():
            taken[system] = sorted({*taken.get(system, []), *percents})
    for system in CONFIG.systems:
        roots = {}
        for root, p in PLANS.items():
            if p.is_trained(system) and not p.unbound(system):
                roots.setdefault(tuple(p.kind(system).model_files(p, system)), []).append(root)
        for files, where in roots.items():
            kinds.setdefault((tuple(where), files, tuple(taken.get(system, []))), []).append(system)
    return kinds


def checkpoint_forms():
    """Names of the checkpoints that each scale has in each form, by (scale, form)."""
    found = {}
    for p in PLANS.values():
        for name in p.bound["checkpoints"]:
            found.setdefault((p.scale, p.form_of(name)), []).append(name)
    return found


def teacher(w):
    return plan(w).recipe(w.system)["teacher"]


def evaluated(w, file):
    """One file for every query set that is evaluated on a collection, in the order of its settings."""
    query_sets = plan(w).evaluate_settings(w.system, w.collection).measures
    return [file(*name.split(".", 1)) for name in query_sets]


def searched_for_answers(w):
    """The corpus, where answers judge a split that is evaluated."""
    by_answers = evaluated(w, lambda split, kind: CONFIG.judged_by(w.collection, split)[0] == "answers")
    return plan(w).corpus(w.collection) if any(by_answers) else []


def rankings():
    """(plan, collection, split, variations, systems) of every ranking."""
    return [
        (p, *at, kinds, systems)
        for p in PLANS.values()
        for at, systems_by_kinds in p.searches().items()
        for kinds, systems in systems_by_kinds.items()
    ]


def needed(p, w, split=""):
    """What ranking the queries of a split asks of the machine, by the kind of the system."""
    need = p.kind(w.system).need(p, w.system, split)
    return need._replace(cores=need.cores or p.bound["threads"])


def ranking(p, w, at, kinds):
    """What ranking the variations of a split reads."""
    return p.ranking(w.system, int(w.seed), at, kinds)


def options(read):
    """What a stage reads, as its options."""
    return shlex.join(
        [word for name, paths in read.paths.items() if paths for word in (f"--{name}".replace("_", "-"), *paths)]
    )


def there(path):
    """A file as an input; nothing where it is not there."""
    return str(path) if path.is_file() else []


def audited_file(part):
    """A file beside the reported.yaml of a paper, if it has one."""
    return lambda w: there(REPORTED[w.audited].with_name(f"{part}.yaml"))


def paper_file(name):
    """A file of a paper's folder, if it is there: a comparison that no paper prints has no reported.yaml."""
    return lambda w: there(CONFIG.folders[w.paper] / name)


def all_claims(root):
    return [f"{root}/claims/{paper}.json" for paper in PAPERS if CONFIG.claims[paper]]


def reported_argument(w, input):
    return f"--reported {shlex.quote(input.reported)}" if input.reported else ""


def varied_sets(w):
    """(collection, split, variation) of the varied query sets behind a table."""
    shown = reports.evaluation_settings(plan(w), w.paper)
    return [
        (where["collection"], where["split"], kind)
        for role, where in ((role, shown[role]) for role in CONFIG.papers[w.paper]["tables"][w.table]["collections"])
        if not plan(w).absent(role)
        for kind in where["means"]["variations_mean"]
    ]


def compared_sets(w):
    """The variations of a split that tables of similarity show."""
    shown = dict.fromkeys(
        kind
        for paper, experiment in CONFIG.papers.items()
        for spec in experiment["tables"].values()
        if spec["rows"] == "similarity"
        for role, where in reports.evaluation_settings(plan(w), paper).items()
        if role in spec["collections"] and (where["collection"], where["split"]) == (w.collection, w.split)
        for kind in where["means"]["variations_mean"]
    )
    return list(shown)


def varied_statistics(w):
    """What a table reads about query sets: their counts, of one of statistics its collections', or their similarities."""
    spec = CONFIG.papers[w.paper]["tables"][w.table]
    if spec["rows"] not in ("statistics", "similarity", "query_sets", "diversity"):
        return []
    sets = varied_sets(w)
    if spec["rows"] == "statistics":
        found = [f"{w.root}/collections/{collection}/card.json" for collection, *_ in sets]
    elif spec["rows"] == "similarity":
        at_hand = [e for e in spec["encoders"] if "unavailable" not in plan(w).bound["checkpoints"][e]]
        found = [f"{w.root}/similarity/{at}/{split}/{e}.json" for at, split, _ in sets for e in at_hand]
    else:
        found = [f"{w.root}/variations/{collection}/{split}/{kind}.json" for collection, split, kind in sets]
    return list(dict.fromkeys(found))


def compared_queries(w):
    """The queries of a table that reads them, or tells those apart that a variation changes: as they were and became."""
    spec = CONFIG.papers[w.paper]["tables"][w.table]
    if "queries" not in spec and spec["rows"] not in ("statistics", "diversity"):
        return []
    sets = [at for *place, kind in varied_sets(w) for at in ((*place, "original"), (*place, kind))]
    return list(dict.fromkeys(plan(w).query_set(*at) for at in sets))
