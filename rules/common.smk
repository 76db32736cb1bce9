# Everything that the rules compute: the configuration, and file names from wildcards.
import json
import os
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))

from robustdr.config import load, validate
from robustdr import reports
from robustdr.audit import labels
from robustdr.collections import local_files
from robustdr.errors import UserError
from robustdr.plan import plans
from robustdr.provenance import codehash

try:
    CONFIG = load(Path("config"))
    validate(config, Path("config/schemas/config.schema.json"), Path("config/config.yaml"))
    PLANS = plans(CONFIG)
except UserError as error:
    raise WorkflowError(str(error)) from None

# The package is found where the workflow lies, whatever environment a job runs in.
shell.prefix(f"set -euo pipefail; export PYTHONPATH={shlex.quote(str(Path(workflow.basedir) / 'workflow'))}; ")

MODEL_FILES = [
    "model.safetensors",
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
    "README.md",
]


wildcard_constraints:
    root="|".join(PLANS),
    collection=r"[a-z0-9-]+",
    split=r"[a-z0-9-]+",
    variation=r"[a-z0-9_]+",
    checkpoint=r"[a-z0-9_]+",
    system=r"[a-z0-9_.]+",
    seed=r"\d+",
    shard=r"\d+",
    paper="|".join(CONFIG.papers),
    table=r"table\d+",
    figure=r"figure\d+",


def plan(w):
    return PLANS[w.root]


def as_json(value):
    return json.dumps(value)


def retried(megabytes):
    """Memory that doubles with every attempt."""
    return lambda w, attempt: megabytes * 2 ** (attempt - 1)


# files


def card(root, collection):
    return f"{root}/collections/{collection}/card.json"


def corpus(root, collection):
    return f"{root}/collections/{collection}/corpus.jsonl"


def query_set(root, collection, split, variation):
    if variation == "original":
        return f"{root}/collections/{collection}/{split}/queries.tsv"
    return f"{root}/variations/{collection}/{split}/{variation}.tsv"


def model_folder(root, system, seed):
    p = PLANS[root]
    if not p.is_trained(system):
        return f"{root}/checkpoints/{p.checkpoint_of(system)}"
    return f"{root}/models/{p.train_split(system)[0]}/{system}/seed{seed}"


def model(root, system, seed):
    return f"{model_folder(root, system, seed)}/model.safetensors"


def embeddings(root, collection, system, seed):
    shards = range(PLANS[root].bound["embeddings"]["shards"])
    return [f"{root}/embeddings/{collection}/{system}/seed{seed}/{shard}.npy" for shard in shards]


def run_file(root, collection, system, seed, split, variation):
    return f"{root}/runs/{collection}/{system}/seed{seed}/{split}.{variation}.trec.gz"


def tables(root):
    return [f"{root}/tables/{paper}_{table}.md" for paper, e in CONFIG.papers.items() for table in e["tables"]]


def figures(root):
    return [
        f"{root}/figures/{paper}_{figure}.svg" for paper, e in CONFIG.papers.items() for figure in e.get("figures", {})
    ]


def root_of(scale):
    roots = {p.scale: root for root, p in PLANS.items()}
    if scale not in roots:
        raise WorkflowError(f"config/config.yaml: scale: {scale!r} is unknown; allowed: {', '.join(sorted(roots))}")
    return roots[scale]


# inputs and arguments of single rules


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


def initial_model(w):
    parent = plan(w).initial_of(w.system)
    if parent:
        return model(w.root, parent, plan(w).seed_of(parent, w.seed))
    return f"{w.root}/checkpoints/{plan(w).checkpoint_of(w.system)}/model.safetensors"


def launcher(devices):
    return "python" if devices == 1 else f"torchrun --standalone --nproc-per-node {devices}"


def teacher_arguments(w, input):
    if not input.get("teacher"):
        return ""
    return f"--teacher {shlex.quote(str(input.teacher))} --teacher-embeddings {shlex.join(input.teacher_embeddings)}"


def teacher_files(w):
    recipe = plan(w).recipe(w.system)
    if "teacher" not in recipe:
        return {"teacher": [], "teacher_embeddings": []}
    teacher, seed = recipe["teacher"], plan(w).seed_of(recipe["teacher"], w.seed)
    return {
        "teacher": model(w.root, teacher, seed),
        "teacher_embeddings": embeddings(w.root, w.collection, teacher, seed),
    }


def evaluated(w, file):
    """One file for every query set that is evaluated on a collection, in the order of its settings."""
    query_sets = plan(w).evaluate_settings(w.collection)["measures"]
    return [file(*name.split(".")) for name in query_sets]


def varied_statistics(w):
    """The counts of the varied query sets of a table's collections."""
    spec = CONFIG.papers[w.paper]["tables"][w.table]
    evaluations = plan(w).evaluations()
    return [
        f"{w.root}/variations/{collection}/{split}/{kind}.json"
        for (collection, split), (kinds, _) in evaluations.items()
        if collection in [plan(w).collection_of(role) for role in spec["collections"]] and spec["rows"] == "query_sets"
        for kind in kinds
        if kind != "original"
    ]
