"""The configuration of `robustdr evaluate`: a collection, a scale and an experiment, added to the project's."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import Stemmer
import yaml

from robustdr import variations
from robustdr.collections.local import corpus_of, irds_id, read_queries
from robustdr.collections.problems import refuse
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import write_text
from robustdr.core.languages import ENGLISH, NAMES
from robustdr.core.yaml_files import read_yaml
from robustdr.encoding.description import STATIC
from robustdr.experiments.kinds import LENGTHS
from robustdr.own import REALISTIC, remedies
from robustdr.own.models import Model
from robustdr.systems.rewrite import Rewrite
from robustdr.variations.base import build
from robustdr.variations.languages import spoken
from robustdr.variations.misspelling import HumanMisspelling
from robustdr.variations.paraphrase import T5QqpParaphrase
from robustdr.variations.released import Logged
from robustdr.variations.synonyms import SwapSynonymOmw

HOUSE = Path(__file__).resolve().parents[3]  # folder of the Snakefile
# A wheel has its copy of config/ in the package.
PROJECT = (HOUSE if (HOUSE / "Snakefile").is_file() else Path(__file__).resolve().parents[1]) / "config"
TEMPLATES = PROJECT / "own"
NAME = "own"  # of the collection, its role, the scale, the paper and the system
OF_HYBRIDS = "_hybrid"  # end of the names of hybrids
BM25, HYBRID, RERANKED = f"{NAME}_bm25", f"{NAME}{OF_HYBRIDS}", f"{NAME}_reranked"
TRAIN = "train"  # the split for training
STAND_IN = "stand-in"
HUMAN = HumanMisspelling.name  # it stands in for the queries of papers alone; `misspell` draws from the same list
LOGGED = Logged.name
PARAPHRASE, SYNONYM = T5QqpParaphrase.name, SwapSynonymOmw.name
NEEDS = {PARAPHRASE: "a model; --paraphraser", SYNONYM: "a wordnet; --wordnet"}  # and the options that name them
PAPERS = "papers"  # stands for the variations of the papers
SPELL_CHECKED = "_spell_checked"  # end of the names of systems behind a spell checker


class Split(NamedTuple):
    """The user's files of one split, or `irds:<id>` for both."""

    queries: Path
    qrels: Path


class Data(NamedTuple):
    """The user's collection: `splits` by name; `evaluated` names one, and `train` may be another.

    Attributes:
        drop_empty, ignore_unjudged: what is left out of files, see `collections.local`.
        allow_missing, ignore_identical_ids: see `collections.settings`.
    """

    corpus: Path
    splits: dict[str, Split]
    evaluated: str
    drop_empty: bool = False
    ignore_unjudged: bool = False
    allow_missing: bool = False
    ignore_identical_ids: bool | None = None

    def entry(self) -> dict[str, object]:
        """Its entry in collections.yaml; paths are absolute.

        Raises:
            UserError: queries are of ir_datasets, and judgements of a file or of another id, or the reverse.
        """
        entry: dict[str, Any] = {**corpus_of(self.corpus if irds_id(self.corpus) else self.corpus.resolve())}
        if entry["kind"] == "local":
            entry |= {name: True for name in ("drop_empty", "ignore_unjudged") if getattr(self, name)}
        entry |= {name: True for name in ("allow_missing", "ignore_identical_ids") if getattr(self, name)}
        for name, split in self.splits.items():
            if id := irds_id(split.queries):
                if split.qrels != split.queries:
                    raise UserError(f"--qrels: {split.qrels}; allowed: {split.queries}, which has its own judgements")
                entry["splits"][name] = {"kind": "irds", "id": id}
            else:
                files = {key: str(path.resolve()) for key, path in split._asdict().items()}
                entry["splits"][name] = {"kind": "local", **files}
        return entry


def available_variations(language: str = ENGLISH) -> dict[str, list[str]]:
    """By category, the variations for a language that need only rules and installed packages.

    Stand-ins, and what needs models or files of the user, are not among them.
    """
    names_by_category: dict[str, list[str]] = {}
    for name in variations.names():
        variation = build(variations.kind(name), {})
        if not variation.speaks(language):
            continue
        try:
            variation.check()
        except UserError:
            continue
        if variation.category != "identity" and STAND_IN not in variation.resource:
            names_by_category.setdefault(variation.category, []).append(name)
    return names_by_category


def choose_variations(
    names: Sequence[str], language: str = ENGLISH, ready: Collection[str] = ()
) -> dict[str, list[str]]:
    """By category, the variations of `available_variations` in `names`, or `HUMAN`.

    If `names` is empty, those of `REALISTIC`.
    `PAPERS` among the names stands for those of the papers. `ready` are those of `NEEDS` whose option is there, and are
    taken beside any names.

    Raises:
        UserError: a name is not among them, or one of `ready` does not apply to the language.
    """
    available = available_variations(language)
    if HUMAN in names:
        available[HumanMisspelling.category].insert(0, HUMAN)
    for name in ready:
        spoken(name, language)
        available.setdefault(variations.kind(name).category, []).append(name)
    allowed = [name for category_names in available.values() for name in category_names]
    for name in names:
        if name in variations.names():
            spoken(name, language)
        if name in NEEDS and name not in ready:
            raise UserError(f"--variations: {name}: needs {NEEDS[name]} names one")
        if name not in (*allowed, PAPERS):
            raise unknown("--variations", name, [*allowed, PAPERS])
    taken = {*names, *ready} if names else {*REALISTIC}
    if PAPERS in names:
        taken |= {name for name in allowed if variations.kind(name).papers}
    chosen_names = {
        category: [name for name in category_names if name in taken] for category, category_names in available.items()
    }
    return {category: category_names for category, category_names in chosen_names.items() if category_names}


def not_varied(by_category: Mapping[str, Sequence[str]], language: str) -> str | None:
    """What of `REALISTIC` is no variation of a language, as a sentence; None if all is."""
    names = {name for category_names in by_category.values() for name in category_names}
    missing = [name for name in REALISTIC if name not in names and not variations.kind(name).speaks(language)]
    missing = [name for name in missing if name not in NEEDS]
    if not missing:
        return None
    return f"{NAMES[language]} queries are not varied by {', '.join(missing)}: these rules do not know the language"


def draws_of(variation: str, draws: int) -> list[str]:
    """The query sets of a variation's draws."""
    return [variation, *(f"{variation}.draw{number}" for number in range(2, draws + 1))]


def is_model(system: str) -> bool:
    """Whether a system is one of the user's, and no BM25, hybrid, reranker or spell checker beside it."""
    return system not in (BM25, RERANKED) and not system.endswith((OF_HYBRIDS, SPELL_CHECKED))


def system_of(number: int) -> str:
    """The system of a model by its place, from 0."""
    return f"{NAME}_{number + 1}" if number else NAME


def write(
    folder: Path,
    models: Sequence[Model],
    data: Data,
    by_category: dict[str, list[str]],
    measures: Sequence[str],
    fix: Sequence[str] = (),
    language: str = ENGLISH,
    draws: int = 1,
    reranker: Model | None = None,
    spell_checker: bool = False,
    keep_vectors: bool = False,
    parameters: Mapping[str, Mapping[str, object]] | None = None,
) -> None:
    """Write collections.yaml, scales/own.yaml, papers/own/experiment.yaml and config.yaml to `folder`.

    Args:
        models: the first is the system `own`; of each there is a hybrid with BM25. by_category: the variations.
        measures: the first decides. fix: remedies to train from the first model.
        language: of the queries; BM25 stems it where Snowball does. draws: of each variation.
        reranker: of all passages that the first model finds. spell_checker: before BM25 and before the first model.
        keep_vectors: of passages and of queries, which others than the models read, too.
        parameters: of variations that need some.

    Raises:
        UserError: see `_add_spell_checker` and `_add_remedies`.
    """
    scale, experiment = (read_yaml(TEMPLATES / f"{name}.yaml") for name in ("scale", "experiment"))
    local_models = [model for model in (*models, reranker) if model and model.checkpoint]
    checkpoints = {model.recipe["initial"]: model.checkpoint for model in local_models}
    scale |= {"collections": {NAME: NAME}, "checkpoints": checkpoints, "budgets": {}}
    scale["embeddings"]["keep"] = spell_checker or keep_vectors  # a model encodes the passages once
    if keep_vectors:
        scale["embeddings"]["queries"] = True
    _add_models(experiment, models, spell_checker)
    if reranker:
        _add_reranker(experiment, models[0], reranker, scale["retrieval"]["depth"])
    if spell_checker:
        _add_spell_checker(experiment, models[0])
    if fix:
        scale["budgets"] = _add_remedies(experiment, models[0], data, fix)
    variation_names = [name for category_names in by_category.values() for name in category_names]
    if HUMAN in variation_names:
        scale["variations"] = {HUMAN: {"parameters": {"variant": "people"}}}
    for name in variation_names:
        if values := {**(parameters or {}).get(name, {}), **spoken(name, language)}:
            scale["variations"][name] = {"parameters": values}
    if language != ENGLISH:
        stemmer = NAMES[language].lower()
        scale["bm25"]["stemmer"] = stemmer if stemmer in Stemmer.algorithms() else None
    means = {
        f"{category}_mean": [draw for name in category_names for draw in draws_of(name, draws)]
        for category, category_names in by_category.items()
    }
    names = [draw for name in variation_names for draw in draws_of(name, draws)]
    experiment["evaluation"] = {
        NAME: {"split": data.evaluated, "variations": names, "means": means, "measures": [*measures]}
    }
    files = {
        "collections.yaml": {NAME: data.entry()},
        f"scales/{NAME}.yaml": scale,
        f"papers/{NAME}/experiment.yaml": experiment,
        "config.yaml": {"scale": NAME, "papers": [NAME], "overlay": str(folder.resolve())},
    }
    for name, tree in files.items():
        write_text(folder / name, yaml.safe_dump(tree, sort_keys=False, allow_unicode=True))


def _add_models(experiment: dict[str, Any], models: Sequence[Model], spell_checker: bool) -> None:
    """Add each model and its hybrid with BM25. If others are beside it, a hybrid says of which model it is."""
    several = len(models) > 1
    experiment["title"] = "Which retriever is best, and how robust?" if several else f"How robust is {models[0].label}?"
    hybrid = experiment["systems"][HYBRID]
    for number, model in enumerate(models):
        system = system_of(number)
        experiment["systems"][system] = {"label": model.label, **model.recipe}
        if several or spell_checker:
            named_hybrid = {**hybrid, "label": f"hybrid of BM25 and {model.label}", "systems": [BM25, system]}
            experiment["systems"][HYBRID if not number else f"{system}{OF_HYBRIDS}"] = named_hybrid
        if number:
            experiment["tables"]["table1"]["systems"] += [system, f"{system}{OF_HYBRIDS}"]


def _add_reranker(experiment: dict[str, Any], first: Model, reranker: Model, depth: int) -> None:
    """Add the reranker of the first model's `depth` best passages."""
    candidates = {"system": NAME, "depth": depth, "queries": "own"}
    label = f"{first.label}, reranked by {reranker.label}"
    experiment["systems"][RERANKED] = {"label": label, **reranker.recipe, "candidates": candidates}
    experiment["tables"]["table1"]["systems"].append(RERANKED)


def _add_spell_checker(experiment: dict[str, Any], first: Model) -> None:
    """Add BM25 and the first model behind a spell checker.

    Raises:
        UserError: the model ran elsewhere.
    """
    if "runs" in first.recipe:
        raise UserError(f"--spell-checker: {first.label} ran elsewhere; allowed: a model that ranks here")
    for ranker in (BM25, NAME):
        label = f"spell checker and {experiment['systems'][ranker]['label']}"
        checker = {"kind": Rewrite().name, "rewriter": "symspell", "edits": 2, "ranker": ranker}
        experiment["systems"][ranker + SPELL_CHECKED] = {"label": label, **checker}
        experiment["tables"]["table1"]["systems"].append(ranker + SPELL_CHECKED)


def _add_remedies(
    experiment: dict[str, Any], first: Model, data: Data, fix: Sequence[str]
) -> dict[str, Mapping[str, object]]:
    """Add what is trained from the first model, and a table of it; return the budgets.

    Raises:
        UserError: the model is no dual encoder with a transformer, or its weights are not on this machine; see also
            `remedies.recipes` and `remedies.budgets`.
    """
    if not first.folder:
        raise UserError(f"--fix: {first.label}: its weights are not on this machine, so it cannot be trained")
    if "kind" in first.recipe:
        raise UserError(f"--fix: {first.label}: {first.recipe['kind']}; allowed: a dual encoder")
    if first.encodes and STATIC[0] in " ".join(first.encodes.modules.values()):
        raise UserError(f"--fix: {first.label}: vectors of words; allowed: a dual encoder with a transformer")
    experiment["systems"] |= (trained := remedies.recipes(TEMPLATES, fix))
    experiment["tables"]["table2"] = {
        **experiment["tables"]["table1"],
        "title": "The model and what is trained from it",
        "systems": [NAME, *trained],
    }
    queries = sum(1 for _ in read_queries(data.splits[TRAIN].queries, refuse))
    return remedies.budgets(first.folder, queries, {name: first.recipe[name] for name in LENGTHS})
