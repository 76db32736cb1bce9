"""What `robustdr evaluate` reports: numbers from the measures, queries and passages that the workflow made."""

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats
from tokenizers import Tokenizer

from robustdr.collections.reading import read_corpus
from robustdr.core.files import read_queries
from robustdr.evaluation.estimates import ONE, Estimate, Ratio, drop_ratio
from robustdr.evaluation.statistics import holm
from robustdr.evaluation.store import MEAN, Source, Store
from robustdr.experiments.needs import ORIGINAL
from robustdr.graph.plan import Plan
from robustdr.graph.reports import evaluation_settings
from robustdr.own.experiment import NAME
from robustdr.own.remedies import CONTROL, system_of

Tree = dict[str, Any]

CONFIDENCE = 0.95
POWER = 0.8
WORST = 50


def collect(plan: Plan, folder: Path) -> Tree:
    """All numbers of the report as JSON values.

    Args:
        plan: of the configuration of `experiment.write`. folder: where the workflow ran.

    Raises:
        UserError: measures that something else made.
    """
    where = evaluation_settings(plan, NAME)[NAME]
    recipes = plan.config.papers[NAME]["systems"]
    systems = {name: recipe for name, recipe in recipes.items() if "loss" not in recipe}
    made = plan.measures((system, NAME) for system in recipes)
    store = Store([Source(folder / path, key) for path, key in made.items()], {NAME: where})
    by_category = {mean: kinds for mean, kinds in where["means"].items() if mean != MEAN}
    (measure,) = where["measures"]
    counts = {kind: _statistics(plan, folder, where["split"], kind) for kind in where["means"][MEAN]}
    return {
        "model": systems[NAME]["label"],
        "source": _source(plan),
        "pages": f"{plan.root}/report",
        "measure": measure,
        "split": where["split"],
        "queries": len(store.queries(NAME, NAME)),
        **_truncated(plan, folder),
        "categories": by_category,
        "changed": {kind: found["changed"] / found["queries"] for kind, found in counts.items()},
        "systems": {
            name: {"label": recipe["label"], **_robustness(store, name, measure, by_category)}
            for name, recipe in systems.items()
        },
        "remedies": {
            name: {"label": recipes[name]["label"], **_remedy(plan, store, folder, name, measure)}
            for name in recipes
            if name not in systems
        },
        "worst": _worst(plan, store, folder, where["split"], measure),
    }


def _statistics(plan: Plan, folder: Path, split: str, kind: str) -> Tree:
    path = (folder / plan.query_set(NAME, split, kind)).with_suffix(".json")
    return json.loads(path.read_text(encoding="utf-8"))


def _robustness(store: Store, system: str, measure: str, by_category: dict[str, list[str]]) -> Tree:
    """The mean on the original queries, and what becomes of it on every mean and variation."""
    original = store.values(system, NAME, ORIGINAL, measure)
    names = [name for mean, kinds in by_category.items() for name in (mean, *kinds)]
    found = {
        name: compare(store.values(system, NAME, name, measure), original) for name in (MEAN, *names)
    }  # fmt: skip
    varied = [name for kinds in by_category.values() for name in kinds]
    for name, p in zip(varied, holm([found[name]["p"] for name in varied]), strict=True):
        found[name]["p_holm"] = p
    return {"original": float(original.mean()), "query_sets": found}


def _remedy(plan: Plan, store: Store, folder: Path, system: str, measure: str) -> Tree:
    """What a trained system gains on the variations and loses on the original queries, and what it costs."""

    def against(query_set: str, base: str = NAME) -> Tree:
        return compare(*(store.values(of, NAME, query_set, measure) for of in (system, base)))

    seeds = plan.seeds(system)
    costs = [json.loads((folder / path).read_text(encoding="utf-8")) for path in plan.cost_files(system, seeds)]
    return {
        "original": against(ORIGINAL),
        "variations": against(MEAN),
        "variations_over_control": against(MEAN, system_of(CONTROL)),
        "seconds": sum(cost["seconds"] for cost in costs),
        "reindexes": plan.reindexes(system, NAME),
        "folder": str(folder / plan.model_folder(system, seeds[0])),
    }


def compare(varied: np.ndarray, original: np.ndarray) -> Tree:
    """What becomes of a measure on a query set, from [seeds, queries] of it and of the original queries.

    `difference` and `drop`, its share of the original, have 95 % intervals, None where unbounded; `p` is two-sided and
    of either. `detectable`: see the function.
    """
    difference, drop = Ratio(Estimate(varied) - Estimate(original), ONE), drop_ratio(varied, original)
    return {
        "mean": float(varied.mean()),
        "difference": difference.value,
        "difference_interval": _finite(difference.interval(CONFIDENCE)),
        "drop": drop.value if np.isfinite(drop.value) else None,
        "drop_interval": _finite(drop.interval(CONFIDENCE)),
        "p": difference.p,
        "detectable": detectable((varied - original).mean(axis=0)),
    }


def _finite(interval: tuple[float, float]) -> list[float] | None:
    return [float(bound) for bound in interval] if np.isfinite(interval).all() else None


def detectable(differences: np.ndarray) -> float | None:
    """The smallest mean difference that as many queries, spread as these [queries], would show.

    A two-sided paired t-test at 5 % finds it in four of five samples: (t(0.975) + t(0.8)) · deviation / √queries, of
    queries − 1 degrees of freedom (Cohen, 1988, §2.3). None of a single query.
    """
    queries = len(differences)
    if queries < 2:
        return None
    quantiles = scipy.stats.t.ppf([(1 + CONFIDENCE) / 2, POWER], queries - 1)
    return float(quantiles.sum() * differences.std(ddof=1) / sqrt(queries))


def _source(plan: Plan) -> str:
    """Where the model comes from, in words."""
    if note := plan.kind(NAME).note(plan.recipe(NAME)):
        return note
    source = plan.bound["checkpoints"]["base"]["source"]
    return (
        f"The model is {source['hub']} of the hub at {source['revision']}."
        if "hub" in source
        else f"The model is {source['path']}."
    )


def _truncated(plan: Plan, folder: Path) -> Tree:
    """How many passages there are, and the share of which the model reads no more than a part, if that is known."""
    texts = [text for _, text in read_corpus(folder / plan.corpus(NAME))]
    if "base" not in plan.bound["checkpoints"]:
        return {"passages": len(texts), "passage_length": None, "truncated": None}
    tokenizer = Tokenizer.from_file(str(folder / plan.root / "checkpoints" / "base" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    longest = plan.lengths(NAME)["passage_length"]
    longer = sum(len(encoded.ids) > longest for encoded in tokenizer.encode_batch_fast(texts))
    return {"passages": len(texts), "passage_length": longest, "truncated": longer / len(texts)}


def _worst(plan: Plan, store: Store, folder: Path, split: str, measure: str) -> list[Tree]:
    """The rewordings that cost the model most, worst first, each with the query as it was and as it became."""
    qids = store.queries(NAME, NAME)
    before = store.values(NAME, NAME, ORIGINAL, measure).mean(axis=0)
    texts = read_queries(folder / plan.query_set(NAME, split, ORIGINAL))
    found = []
    for kind in store.query_sets(NAME, NAME):
        after = store.values(NAME, NAME, kind, measure).mean(axis=0)
        varied = read_queries(folder / plan.query_set(NAME, split, kind))
        found += [
            {"qid": qid, "variation": kind, "query": texts[qid], "varied": varied[qid], "before": was, "after": became}
            for qid, was, became in zip(qids, before.tolist(), after.tolist(), strict=True)
            if became < was
        ]
    return sorted(found, key=lambda each: (each["after"] - each["before"], each["qid"], each["variation"]))[:WORST]
