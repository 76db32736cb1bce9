"""The stages of the chain, from what is downloaded to the report: each has the jobs that DVC asks for together.

What is ranked for a training has stages of its own: so the stages form a line, although a model ranks the passages
that the next one learns from.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from robustdr.graph import site
from robustdr.graph.graph import Graph
from robustdr.keys.node import Node, histories

# By stage, in the order of the chain, the rules of its jobs; those before a training are in `BY_TRAININGS`.
RULES = {
    "download": [
        "download_passages",
        "write_passages",
        "download_queries",
        "download_checkpoint",
        "download_release",
        "check",
        "fetch",
    ],
    "variations": ["vary_shard", "vary"],
    "pretrained": ["tokenise", "pretrain"],
    "indexes": ["build_index"],
    "negatives": [],
    "base_models": [],
    "mining": [],
    "fine_tuned_models": [],
    "embeddings": ["embed", "compress"],
    "runs": ["mine", "retrieve", "rerank", "retrieve_served", "recall"],
    "measures": ["evaluate", "published", "similarity"],
    "tables": ["table", "figure", "claims"],
    "report": ["queries", "texts", "report", "headline"],
}
STAGE_OF_RULE = {rule: stage for stage, rules in RULES.items() for rule in rules}
# Stages of rankings for a training, by the number of trainings behind them, and of the trainings themselves.
BY_TRAININGS = ("negatives", "mining", "fine_tuned_models")
MODELS = ("base_models", "fine_tuned_models")


def stages_of(graph: Graph, papers: tuple[str, ...]) -> dict[str, list[Node]]:
    """Return the artifacts behind the report of papers by the stage that makes them, stages and artifacts in order.

    A base model learns from no other model that is trained here; the other models are fine-tuned. `negatives` ranks
    for trainings without a trained model: by BM25, and by released models, which it checks. `mining` ranks by base
    models. What a fine-tuned model ranks for a further training belongs to the fine-tuned models.
    """
    nodes = histories([site.page(graph, papers), *site.data(graph, papers), site.headline(graph, papers)])
    trainings: dict[str, int] = {}  # by path: the longest line of trainings behind an artifact, its own included
    for node in nodes:
        counts = [trainings[source.path] for source in sources(node)]
        trainings[node.path] = max(counts, default=0) + (node.rule == "train")
    trained = [node for node in nodes if node.rule == "train"]
    checks = [node for node in nodes if node.rule == "published"]  # of released checkpoints: what reads these waits
    early = {node.path for node in histories([*trained, *checks])}
    stage_of_training = {node.path: MODELS[trainings[node.path] > 1] for node in trained}
    for node in trained:
        learns_from = [source for source in sources(node) if source.rule in ("training_data", "score")]
        stage_of_training |= {source.path: stage_of_training[node.path] for source in learns_from}
    stage_of_job: dict[str, str] = {}
    for node in nodes:
        stage = STAGE_OF_RULE.get(node.rule, "")
        if node.path in early and stage not in list(RULES)[:4]:
            stage = stage_of_training.get(node.path) or BY_TRAININGS[min(trainings[node.path], 2)]
        # One job may rank query sets for a training and others: the first of the stages has it.
        stage_of_job[node.declared] = min(stage, stage_of_job.get(node.declared, stage), key=list(RULES).index)
    stages: dict[str, list[Node]] = {stage: [] for stage in RULES}
    for node in nodes:
        stages[stage_of_job[node.declared]].append(node)
    return {stage: stage_nodes for stage, stage_nodes in stages.items() if stage_nodes}


def sources(node: Node) -> list[Node]:
    """Return the artifacts that a job reads or waits for, whole."""
    return [source.whole or source for source in (*node.after, *node.input_nodes)]


def outputs(stages: Mapping[str, Sequence[Node]]) -> dict[str, list[str]]:
    """Return the fewest files and folders that hold what each stage makes, and nothing of another stage."""
    stages_below: dict[str, set[str]] = defaultdict(set)
    files: dict[str, str] = {}
    for stage, nodes in stages.items():
        for file in {file for node in nodes for file in _files(node)}:
            files[file] = stage
            for folder in PurePosixPath(file).parents:
                stages_below[str(folder)].add(stage)
    places: dict[str, dict[str, None]] = {stage: {} for stage in stages}
    for file, stage in sorted(files.items()):
        root = next(iter(stages[stage])).root
        folders = [str(folder) for folder in reversed(PurePosixPath(file).relative_to(root).parents)][1:]
        whole = (f"{root}/{folder}" for folder in folders if stages_below[f"{root}/{folder}"] == {stage})
        places[stage][next(whole, file)] = None
    return {
        stage: [path for path in paths if paths.keys().isdisjoint(map(str, PurePosixPath(path).parents))]
        for stage, paths in places.items()
    }


def _files(node: Node) -> Iterable[str]:
    """Yield the files and folders that the job of an artifact makes, with their records."""
    for paths in (node.outputs or {"output": [node.path]}).values():
        yield from paths
    for artifact in node.artifacts:
        yield from (artifact.path, artifact.record)
    yield node.declared


def read(stages: Mapping[str, Sequence[Node]], outputs: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return what each stage reads of what others made: files and folders of `outputs`, and files of the user."""
    stage_of_output = {path: stage for stage, paths in outputs.items() for path in paths}
    read_by_stage = {}
    for stage, nodes in stages.items():
        paths = {PurePosixPath(source.path) for node in nodes for source in sources(node)}
        holding = {str(place) for path in paths for place in (path, *path.parents)} & stage_of_output.keys()
        users = {str(path) for node in nodes for entry in node.inputs.values() for path in entry.files if path.exists()}
        others = sorted(place for place in holding if stage_of_output[place] != stage)
        read_by_stage[stage] = others + sorted(users)
    return read_by_stage
