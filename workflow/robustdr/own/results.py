"""The numbers of `robustdr evaluate`'s report, from the workflow's measures, queries and passages."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from tokenizers import Tokenizer

from robustdr.collections.reading import read_corpus
from robustdr.core.files import read_queries
from robustdr.encoding.any_type import describe
from robustdr.encoding.description import UNLIMITED
from robustdr.encoding.directory import AGREEMENT, ROUTE_OF
from robustdr.evaluation.store import MEAN, Source, Store
from robustdr.experiments.models import ORIGINAL
from robustdr.graph.graph import Graph
from robustdr.graph.tables import evaluation_settings
from robustdr.own import Coarse
from robustdr.own.compared import Compared, compare, correct, interval_of
from robustdr.own.experiment import NAME, draws_of, is_model
from robustdr.own.ranking import ByCategory, Pair, Ranked, pairs, ranking
from robustdr.own.remedies import CONTROL, system_of
from robustdr.systems.rerank import Rerank
from robustdr.systems.trained import lengths
from robustdr.training.settings import Cost
from robustdr.variations import drawn

if TYPE_CHECKING:  # an error of a user's file is told before PyTorch starts
    from robustdr.own.compression import Compressed
    from robustdr.own.costs import Costs

WORST = 50


class System(TypedDict):
    """A system: its means on the original queries and on the variations, and its changes on other query sets."""

    label: str
    original: float
    original_interval: list[float] | None
    variations_interval: list[float] | None
    query_sets: dict[str, Compared]


class Remedy(TypedDict):
    """A trained system: its gains and losses, and its cost."""

    label: str
    original: Compared
    variations: Compared
    variations_over_control: Compared
    seconds: float
    reindexes: bool
    folder: str


class Reworded(TypedDict):
    """A query and its variation, with the measure of both."""

    qid: str
    variation: str
    query: str
    varied: str
    before: float
    after: float


class Report(TypedDict):
    """All numbers of the report, in the form of its JSON."""

    model: str
    notes: list[str]
    sources: list[str]
    encoding: list[str]
    pages: str
    measure: str
    split: str
    queries: int
    passages: int
    passage_length: int | None
    truncated: float | None
    categories: dict[str, list[str]]
    draws: int
    changed: dict[str, float]
    systems: dict[str, System]
    remedies: dict[str, Remedy]
    ranking: list[Ranked]
    pairs: list[Pair]
    costs: "dict[str, Costs]"
    compressed: "list[Compressed]"
    worst: list[Reworded]


def collect(
    graph: Graph,
    folder: Path,
    notes: Sequence[str] = (),
    dimensions: Sequence[int] = (),
    precisions: Sequence[Coarse] = (),
) -> Report:
    """All numbers of the report.

    Args:
        graph: of the configuration from `experiment.write`. folder: where the workflow ran.
        notes: what a reader should know of the files.
        dimensions, precisions: of smaller vectors, in which each model ranks again; see `compression.rows`.

    Raises:
        UserError: measures are stale: their key is not the node's.
    """
    from robustdr.own import compression  # slow to import
    from robustdr.own.costs import costs

    evaluation = evaluation_settings(graph, NAME)[NAME]
    recipes = {name: graph.lineage.recipe(name) for name in graph.lineage.config.papers[NAME].systems}
    systems = {name: recipe for name, recipe in recipes.items() if not graph.lineage.is_trained(name)}
    measure_nodes = graph.all_measures(NAME, {(system, NAME): True for system in recipes})
    store = Store([Source(folder / node.path, node.key) for node in measure_nodes], {NAME: evaluation})
    draws = max(drawn(kind).draw for kind in evaluation["means"][MEAN])
    by_category = {
        mean: [kind for kind in kinds if drawn(kind).draw == 1]
        for mean, kinds in evaluation["means"].items()
        if mean != MEAN
    }
    variation_names = [kind for kinds in by_category.values() for kind in kinds]
    measure, labels = evaluation["measures"][0], {name: recipe.label for name, recipe in systems.items()}
    passages, longest, longer = _lengths(graph, folder)
    queries = len(store.queries(NAME, NAME))
    alike = ByCategory(store, list(by_category))
    ranked = ranking(alike, labels, evaluation["measures"])
    directories = {name: _model(graph, folder, recipe) for name, recipe in systems.items()}
    changed = {}
    for kind in variation_names:
        paths = [folder / graph.counts((NAME, evaluation["split"]), draw).path for draw in draws_of(kind, draws)]
        counts = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        changed[kind] = float(np.mean([count["changed"] / count["queries"] for count in counts]))
    return {
        "model": systems[NAME].label,
        "notes": [*notes],
        "sources": _source(graph, systems),
        "encoding": _encoding(graph, folder, systems),
        "pages": f"{graph.root}/report",
        "measure": measure,
        "split": evaluation["split"],
        "queries": queries,
        "passages": passages,
        "passage_length": longest,
        "truncated": longer,
        "categories": by_category,
        "draws": draws,
        "changed": changed,
        "systems": {
            name: _robustness(alike, name, recipe.label, measure, by_category, draws)
            for name, recipe in systems.items()
        },
        "remedies": {name: _remedy(graph, alike, folder, name, measure) for name in recipes if name not in systems},
        "ranking": ranked,
        "pairs": pairs(alike, ranked, measure),
        "costs": costs(
            graph,
            folder,
            evaluation["split"],
            directories,
            passages,
        ),
        "compressed": [
            row
            for name, directory in directories.items()
            if (dimensions or precisions) and is_model(name) and directory
            for row in compression.rows(graph, folder, name, directory, dimensions, precisions)
        ],
        "worst": _worst(graph, store, folder, evaluation["split"], measure),
    }


def _robustness(
    store: ByCategory, system: str, label: str, measure: str, by_category: dict[str, list[str]], draws: int
) -> System:
    """The mean on the original queries, and its change on every mean and variation."""
    original = store.values(system, NAME, ORIGINAL, measure)
    varied = [name for kinds in by_category.values() for name in kinds]
    query_sets = {mean: [mean] for mean in (MEAN, *by_category)} | {name: draws_of(name, draws) for name in varied}
    changes = {
        name: compare(np.mean([store.values(system, NAME, draw, measure) for draw in set_draws], axis=0), original)
        for name, set_draws in query_sets.items()
    }
    correct([changes[name] for name in varied])
    return {
        "label": label,
        "original": float(original.mean()),
        "original_interval": interval_of(original),
        "variations_interval": interval_of(store.values(system, NAME, MEAN, measure)),
        "query_sets": changes,
    }


def _remedy(graph: Graph, store: ByCategory, folder: Path, system: str, measure: str) -> Remedy:
    """A trained system's changes on variations and original queries against the user's model, and its cost."""

    def against(query_set: str, base: str = NAME) -> Compared:
        return compare(*(store.values(name, NAME, query_set, measure) for name in (system, base)))

    models = [graph.model(system, seed) for seed in graph.lineage.seeds(system)]
    training_costs: list[Cost] = [
        json.loads((folder / graph.cost(model).path).read_text(encoding="utf-8")) for model in models
    ]
    return {
        "label": graph.lineage.recipe(system).label,
        "original": against(ORIGINAL),
        "variations": against(MEAN),
        "variations_over_control": against(MEAN, system_of(CONTROL)),
        "seconds": sum(cost["seconds"] for cost in training_costs),
        "reindexes": graph.lineage.reindexes(system, NAME),
        "folder": str(folder / models[0].path),
    }


def _source(graph: Graph, systems: Mapping[str, Any]) -> list[str]:
    """The source of each model, in a sentence."""
    sentences = []
    for name, recipe in systems.items():
        if note := graph.lineage.kind(name).note(recipe):
            sentences.append(note)
        elif checkpoint := graph.lineage.scale.checkpoints.get(getattr(recipe, "initial", "")):
            source = checkpoint.source or {}
            place = f"{source['hub']} of the hub at {source['revision']}" if "hub" in source else source["path"]
            sentences.append(f"{checkpoint.description} is {place}.")
    return sentences


def _model(graph: Graph, folder: Path, recipe: Any) -> Path | None:
    """The directory of an untrained dual encoder; None for other systems."""
    initial = getattr(recipe, "initial", "")
    return folder / graph.checkpoint(initial).path if initial in graph.lineage.scale.checkpoints else None


def _encoding(graph: Graph, folder: Path, systems: Mapping[str, Any]) -> list[str]:
    """How each model whose directory is here encodes texts, in sentences, and in which number type if not float32."""
    sentences = []
    for name, recipe in systems.items():
        if not (model := _model(graph, folder, recipe)):
            continue
        token_lengths = lengths(graph.lineage, name)
        if isinstance(graph.lineage.kind(name), Rerank):
            pair_text = (
                f"{token_lengths['query_length']} tokens of a query and {token_lengths['passage_length']} of a passage"
            )
            sentences.append(
                f"{recipe.label}: reads up to {pair_text} together, of the {recipe.candidates.depth} best passages"
            )
            continue
        description = describe(model)
        description = replace(
            description, lengths={route: token_lengths[f"{role}_length"] for role, route in ROUTE_OF.items()}
        )
        agreed = json.loads((model / AGREEMENT).read_text(encoding="utf-8"))
        check = (
            f"the vectors of {agreed['texts']} texts are those of sentence-transformers within {agreed['difference']}"
        )
        sentences += [
            f"{recipe.label}: {sentence}" for sentence in (description.sentence(), *description.ignored(), check)
        ]
    if sentences and (precision := graph.computing["precision"]) != "float32":
        sentences.append(
            f"The results are computed in {precision}, which is faster on this processor; the vectors compared with "
            "the library are in float32"
        )
    return sentences


def _lengths(graph: Graph, folder: Path) -> tuple[int, int | None, float | None]:
    """(number of passages, tokens that the model reads of one, share of longer ones); the last two None if unknown."""
    texts = [text for _, text in read_corpus(folder / graph.corpus(NAME).path)]
    if "base" not in graph.lineage.scale.checkpoints:
        return len(texts), None, None
    tokenizer = Tokenizer.from_file(str(folder / graph.root / "checkpoints" / "base" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if (longest := lengths(graph.lineage, NAME)["passage_length"]) >= UNLIMITED:
        return len(texts), None, None
    longer = sum(len(encoded.ids) > longest for encoded in tokenizer.encode_batch_fast(texts))
    return len(texts), longest, longer / len(texts)


def _worst(graph: Graph, store: Store, folder: Path, split: str, measure: str) -> list[Reworded]:
    """The variations of single queries with the largest losses, worst first."""
    qids = store.queries(NAME, NAME)
    before = store.values(NAME, NAME, ORIGINAL, measure).mean(axis=0)
    texts = read_queries(folder / graph.query_set((NAME, split), ORIGINAL).path)
    rewordings: list[Reworded] = []
    for kind in store.query_sets(NAME, NAME):
        after = store.values(NAME, NAME, kind, measure).mean(axis=0)
        varied = read_queries(folder / graph.query_set((NAME, split), kind).path)
        rewordings += [
            {"qid": qid, "variation": kind, "query": texts[qid], "varied": varied[qid], "before": was, "after": became}
            for qid, was, became in zip(qids, before.tolist(), after.tolist(), strict=True)
            if became < was
        ]
    return sorted(
        rewordings,
        key=lambda rewording: (rewording["after"] - rewording["before"], rewording["qid"], rewording["variation"]),
    )[:WORST]
