"""The work of `robustdr evaluate`: write the configuration, run the workflow, and report."""

import argparse
import math
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import chdir, nullcontext
from itertools import product
from pathlib import Path
from typing import NamedTuple

from robustdr import variations
from robustdr.collections import data
from robustdr.collections.check import HEAD, IDENTICAL, UNKNOWN_PASSAGE, check
from robustdr.collections.command import SHOWN, lines
from robustdr.collections.forms import QUOTES
from robustdr.collections.language import given_or_found
from robustdr.collections.local import NOT_COMPOSED, THREE_COLUMNS, irds_id, read_queries
from robustdr.collections.problems import sentences
from robustdr.collections.reading import MARKED
from robustdr.core import processor
from robustdr.core.checks import prefixed_errors
from robustdr.core.errors import UserError
from robustdr.core.files import read_queries as read_texts
from robustdr.core.files import sha256, write_json, write_text
from robustdr.core.languages import ENGLISH, NAMES
from robustdr.core.locks import exclusive_lock
from robustdr.core.secrets import check_url, secret
from robustdr.core.yaml_files import read_yaml
from robustdr.encoding.directory import CONFIG, MODULES
from robustdr.evaluation.names import MEAN, parse
from robustdr.experiments.config import load
from robustdr.experiments.kinds import LENGTHS
from robustdr.graph.graph import Graph, graph
from robustdr.graph.site import page
from robustdr.keys.node import Node
from robustdr.own import (
    ROLES,
    SMALL,
    document,
    experiment,
    exported,
    jobs,
    models,
    results,
    several,
    signals,
)
from robustdr.own.experiment import HOUSE, LOGGED, NAME, PARAPHRASE, PROJECT, SYNONYM, TRAIN, Data, Split, is_model
from robustdr.own.pairs import write_pairs
from robustdr.retrieval import existing
from robustdr.systems.served import Served, Settings
from robustdr.variations.languages import spoken
from robustdr.variations.released import Logged

WORKFLOW = (HOUSE / "Snakefile").is_file()  # a wheel has none: all jobs run in this process
LOCK = Path(f"results/{NAME}/evaluate.lock")
SHOWN_RUNS = 3  # names of runs of which the same is true
MOST_UNKNOWN = 0.5  # share of unknown tokens from which a model is suspicious
# Warnings that concern the numbers.
NOTED = (HEAD, IDENTICAL, MARKED, NOT_COMPOSED, QUOTES, THREE_COLUMNS, UNKNOWN_PASSAGE)
# Options of models of servers, and of models of folders or the hub.
OF_SERVERS, OF_FOLDERS = ("dimension", "key"), ("pooling", "separator", *LENGTHS)


def run(arguments: argparse.Namespace) -> int:
    """Evaluate on the collection, or on each of several; return the exit status, see `evaluate`."""
    if len(arguments.data or ()) > 1:
        return several.run(arguments, checked, evaluate)
    return evaluate(checked(arguments))[1]


class Checked(NamedTuple):
    """What is measured on one collection, after a check of its files and of all options.

    Attributes:
        arguments: of the command, with one collection. by_category, parameters: of the variations.
        queries: texts by id. passages: how many. notes: what a reader should know, in sentences.
    """

    arguments: argparse.Namespace
    used: Data
    compared: list[models.Model]
    reranker: models.Model | None
    language: str
    by_category: dict[str, list[str]]
    parameters: dict[str, dict[str, object]]
    queries: dict[str, str]
    passages: int
    notes: list[str]


def checked(arguments: argparse.Namespace) -> Checked:
    """Check the options and the files of one collection.

    Raises:
        UserError: a file is missing or has errors, or an option's value is not allowed.
    """
    a = argparse.Namespace(**{**vars(arguments), "data": arguments.data[0] if arguments.data else None})
    for measure in a.measures:
        parse(measure)
    used = _data(a)
    compared = _models(a)
    models.check_compressed(compared, a.truncate_dim, a.precision)
    reranker = models.reranker(a.reranker) if a.reranker else None
    queries = {query.qid: query.text for _, query in read_queries(used.splits[a.split].queries, lambda problem: None)}
    language, language_note = given_or_found(a.language, list(queries.values()))
    by_category, parameters = _variations(a, language)
    for option in ("draws", "cores"):
        if (number := getattr(a, option)) < 1:
            raise UserError(f"--{option}: {number}; allowed: 1 or more")
    if a.fail_if_drop is not None and math.isnan(a.fail_if_drop):
        raise UserError("--fail-if-drop: nan: no drop is more than it; allowed: a number of percent")
    if a.fix and language != ENGLISH:
        raise UserError(f"--fix: the remedies train on variations of English queries, not of {NAMES[language]} ones")
    for model in compared:
        for note in (model.encodes.sentence(), *model.encodes.ignored()) if model.encodes else ():
            print(f"{model.label}: {note}", file=sys.stderr)
    problems, passages, _ = check(
        used.corpus,
        used.splits,
        used.drop_empty,
        used.ignore_unjudged,
        used.allow_missing,
        used.ignore_identical_ids,
    )
    if wrong := [problem for problem in problems if problem.severity == "error"]:
        print(*lines(wrong, SHOWN), sep="\n", file=sys.stderr)
        leave = "--drop-empty, --ignore-unjudged and --allow-missing allow some"
        raise UserError(f"{len(wrong)} errors in the files above; `robustdr check` lists all; {leave}")
    print(language_note, file=sys.stderr)
    notes = sentences(problem for problem in problems if problem.severity == "dropped" or problem.kind in NOTED)
    for model in compared:
        if model.folder and (unknown := models.unknown_share(model.folder, list(queries.values()))) > MOST_UNKNOWN:
            notes.append(
                f"{model.label}: does not know {unknown:.0%} of the tokens of the queries; does it fit their language?"
            )
    only_logged = by_category.keys() == {Logged.category}
    if not only_logged and not a.variations and (sentence := experiment.not_varied(by_category, language)):
        notes.append(sentence)
    if server_models := [model for model in compared if model.recipe.get("kind") == Served().name]:
        query_sets = 1 + a.draws * sum(map(len, by_category.values()))
        line = check_requests(len(server_models), passages, len(queries), query_sets, a.max_requests)
        print(line, file=sys.stderr)
    ignored = any(problem.kind == IDENTICAL and problem.severity == "dropped" for problem in problems)
    used = used._replace(ignore_identical_ids=ignored)
    return Checked(a, used, compared, reranker, language, by_category, parameters, queries, passages, notes)


def evaluate(what: Checked) -> tuple[results.Report, int]:
    """Write the configuration, run the workflow, and write the report of one collection.

    Returns:
        The report, and the exit status: 1 if variations cost a model more than `--fail-if-drop` allows.

    Raises:
        UserError: a file of rewritten queries is malformed, or a job of the workflow fails.
    """
    a, used, compared, reranker, language, by_category, parameters, queries, passages, notes = what
    folder = a.output / "config"
    if a.variations_file:
        pairs = a.output / "logged.tsv"
        notes += write_pairs(a.variations_file, queries, pairs)
        parameters[LOGGED] = {"file": str(pairs.resolve()), "sha256": sha256(pairs)}
    small = (passages <= SMALL and not a.fix) or not WORKFLOW
    waits = f"{a.output}: another call of evaluate works in this folder; this one waits for it"
    with exclusive_lock(a.output / LOCK, waits), processor.job_cores(a.cores) if small else nullcontext():
        experiment.write(
            folder,
            compared,
            used,
            by_category,
            a.measures,
            a.fix,
            language,
            a.draws,
            reranker,
            a.spell_checker,
            bool(a.truncate_dim or a.precision),
            parameters,
        )
        job_graph = graph(load(PROJECT, folder.resolve()), NAME)
        cores = None if small else a.cores
        if a.truncate_dim:
            _check_dimensions(job_graph, compared, a.truncate_dim, a.output, cores)
        if elsewhere := [experiment.system_of(n) for n, model in enumerate(compared) if "runs" in model.recipe]:
            notes += _check_runs(job_graph, elsewhere, a.split, a.output, cores)
        for note in notes:
            print(note, file=sys.stderr)
        with chdir(a.output):
            targets = [*job_graph.all_measures(NAME, job_graph.demand.pairs(NAME)), page(job_graph, (NAME,))]
        _make(job_graph, targets, a.output, cores)
        report = results.collect(job_graph, a.output, notes, a.truncate_dim, a.precision)
        _write_report(report, next(iter(several.names_of([a.data]))) if a.data else NAME, a.output)
    return report, _too_much(report, a.fail_if_drop)


def _variations(a: argparse.Namespace, language: str) -> tuple[dict[str, list[str]], dict[str, dict[str, object]]]:
    """Return the variations to use by category, and the parameters of those that need a file or a model of the user.

    Raises:
        UserError: a variation is unknown or does not apply to the language, or its file or model is damaged.
    """
    parameters: dict[str, dict[str, object]] = {}
    if a.paraphraser:
        parameters[PARAPHRASE] = {"engine": "t5", "model": str(a.paraphraser.resolve())}
    if a.wordnet:
        parameters[SYNONYM] = {"file": str(a.wordnet.resolve()), "sha256": sha256(a.wordnet)}
    only_logged = a.variations_file and not a.variations and not parameters
    by_category = {} if only_logged else experiment.choose_variations(a.variations, language, parameters)
    for name, values in parameters.items():
        variations.create(name, {**values, **spoken(name, language)})
    if a.variations_file:
        by_category[Logged.category] = [LOGGED]
    return by_category, parameters


def _write_report(report: results.Report, collection: str, folder: Path) -> None:
    """Write the report in all its forms, and print the answer and where they are."""
    write_json(folder / "report.json", report)
    write_text(folder / "report.md", document.markdown(report))
    write_text(folder / "report.csv", document.table(report))
    write_text(folder / "index.html", document.html(report))
    write_text(folder / "report.tex", exported.latex({collection: report}))
    exported.write_mteb({collection: report}, folder / "mteb")
    print(document.headline(report))
    print(*(folder / name for name in ("report.md", "report.csv", "index.html")), sep="\n")


def check_requests(models: int, passages: int, queries: int, query_sets: int, allowed: int | None) -> str:
    """Count the requests to a server before the first, and return a sentence about them.

    Args:
        models: of the server. query_sets: each with all queries. allowed: `--max-requests`; None: any number.

    Raises:
        UserError: there may be more than allowed.
    """
    texts, batch = passages + queries * query_sets, Settings.batch
    requests = models * (math.ceil(passages / batch) + query_sets * math.ceil(queries / batch))
    counted = f"up to {requests:,} requests for {models * texts:,} texts, {batch} in each"
    if allowed is not None and requests > allowed:
        raise UserError(f"--max-requests: {allowed}: the server may be asked more often: {counted}")
    return f"the server is asked in {counted}; what it answered before is kept"


def _too_much(report: results.Report, allowed: float | None) -> int:
    """Say which models lose more than `allowed` percent by variations; return the exit status."""
    drops = {
        system["label"]: -100 * (system["query_sets"][MEAN]["drop"] or 0)
        for name, system in report["systems"].items()
        if is_model(name)
    }
    lines = [
        f"{label}: variations cost {drop:.1f} %, more than --fail-if-drop {allowed:g}"
        for label, drop in drops.items()
        if allowed is not None and drop > allowed
    ]
    print(*lines, sep="\n", file=sys.stderr, end="\n" if lines else "")
    return 1 if lines else 0


def _data(a: argparse.Namespace) -> Data:
    """The collection to evaluate on, with the training split of `--fix`.

    Raises:
        UserError: a file is missing, or an option's value is not allowed.
    """
    collection_files = data.parse_locations(a)
    for option in (*data.PARTS, "train_queries", "train_qrels", "runs", "variations_file", "wordnet"):
        path = getattr(a, option)
        if path is not None and not path.exists() and not irds_id(path):
            raise UserError(f"--{option.replace('_', '-')}: {path}: no such file or directory")
    if a.split == TRAIN or not re.fullmatch("[a-z0-9-]+", a.split):
        raise UserError(f"--split: {a.split!r}; allowed: lower-case letters, digits and hyphens, but not {TRAIN!r}")
    splits = {a.split: Split(collection_files.queries, collection_files.qrels)}
    if a.fix:
        if not (a.train_queries and a.train_qrels):
            raise UserError("--fix: needs --train-queries and --train-qrels, of other queries than the evaluated ones")
        splits[TRAIN] = Split(a.train_queries, a.train_qrels)
    allowed = ("drop_empty", "ignore_unjudged", "allow_missing")
    options = {name: collection_files.published or getattr(a, name) for name in allowed}
    return Data(collection_files.corpus, splits, a.split, **options, ignore_identical_ids=a.ignore_identical_ids)


def _models(a: argparse.Namespace) -> list[models.Model]:
    """The models to evaluate, each with a label of its own.

    Raises:
        UserError: no model, a model is named twice or as a system beside it, options that their kind does not have, a
            URL that is malformed or holds a secret, a key that is not set; see also `models.find`.
    """
    url, *server_models = a.server or [None]
    served, local_models = (
        (server_models, a.models) if server_models else (a.models if url else [], [] if url else a.models)
    )
    names = [*local_models, *served]
    if not names:
        raise UserError("--model: missing; name at least one")
    prompts = {role: text for role in ROLES if (text := getattr(a, f"{role}_prompt")) is not None}
    options = {"prompts": prompts or None, "similarity": a.similarity}
    options |= {name: getattr(a, name) for name in (*OF_SERVERS, *OF_FOLDERS)}
    overrides = {name: value for name, value in options.items() if value is not None}
    disallowed: tuple[str, ...] = tuple(options) if a.runs else OF_FOLDERS if url else OF_SERVERS
    if wrong := [name for name in overrides if name in disallowed]:
        kind = "--runs" if a.runs else "--server" if url else "a folder or the hub"
        raise UserError(f"{', '.join(wrong)}: not options of a model of {kind}")
    if len(local_models) > 1 and not url and (single_options := [name for name in overrides if name not in LENGTHS]):
        raise UserError(
            f"{', '.join(single_options)}: allowed with one model only; with several, each directory says its own"
        )
    if len(local_models) > 1 and a.runs:
        raise UserError("--runs: allowed with one system only; name the folders of several after --models")
    if url:
        with prefixed_errors("--server"):
            check_url(url)
        if not url.startswith(("http://", "https://")):
            raise UserError(f"--server: {url!r}; it must begin with http:// or https://")
        secret(a.key or "")
    chosen_models = []
    for number, name in enumerate(local_models):
        # A folder of runs has one for the collection, and no model.
        has_model = any((Path(name) / file).is_file() for file in (CONFIG, MODULES))
        if a.runs or ((Path(name) / NAME).is_dir() and not has_model):
            chosen_models.append(models.ranked(a.runs or Path(name), name if a.runs else Path(name).name))
        else:
            chosen_models.append(
                models.find(name, {} if url else overrides, f"base_{number + 1}" if number else "base")
            )
    chosen_models += [models.served(url, name, overrides) for name in served]
    labels = [model.label for model in chosen_models]
    named_models = [
        model._replace(label=name) if labels.count(model.label) > 1 else model
        for name, model in zip(names, chosen_models, strict=True)
    ]
    template = read_yaml(experiment.TEMPLATES / "experiment.yaml")
    beside = [recipe["label"] for recipe in template["systems"].values() if recipe]
    count_of = Counter([*(model.label for model in named_models), *beside])
    if repeated := [model.label for model in named_models if count_of[model.label] > 1]:
        allowed = "allowed: each model once, and under another name than BM25 and the hybrid, which are measured, too"
        raise UserError(f"--model: {repeated[0]}: the name of several systems; {allowed}")
    return named_models


def _check_runs(graph: Graph, systems: Sequence[str], split: str, output: Path, cores: int | None) -> list[str]:
    """Write the queries for systems that ran elsewhere, and check that each query set has a run of each.

    Returns:
        What a reader should know of the runs, in sentences: one for all runs of a system of which the same is true.

    Raises:
        UserError: a run is missing; names the file of its queries. See also `existing.notes`.
    """
    collection_split = (NAME, split)
    names, _ = graph.demand.evaluations(NAME)[collection_split]
    queries = {name: graph.query_set(collection_split, name) for name in names}
    _make(graph, list(queries.values()), output, cores)
    files_by_note: dict[tuple[str, str], list[str]] = {}
    for system, (name, node) in product(systems, queries.items()):
        try:
            run = graph.run(system, 0, collection_split, name)
        except UserError as error:
            raise UserError(f"{error}; its queries are in {output / node.path}") from None
        (path,) = run.inputs["candidates"].files
        for note in existing.notes(path, read_texts(output / node.path)):
            files_by_note.setdefault((system, note), []).append(path.name)
    sentences_of_runs = []
    for (system, note), files in files_by_note.items():
        listed = ", ".join(files[:SHOWN_RUNS])
        listed += f" and {len(files) - SHOWN_RUNS} more" if len(files) > SHOWN_RUNS else ""
        listed = f"each of its {len(files)} runs" if len(files) == len(queries) > 1 else listed
        sentences_of_runs.append(f"{graph.lineage.recipe(system).label} {note} (in {listed})")
    return sentences_of_runs


def _check_dimensions(
    graph: Graph, compared: Sequence[models.Model], dimensions: Sequence[int], output: Path, cores: int | None
) -> None:
    """Read the models, and check that the vectors of each have as many dimensions.

    Raises:
        UserError: they have fewer.
    """
    checkpoints = {model.label: graph.checkpoint(str(model.recipe["initial"])) for model in compared}
    _make(graph, [*checkpoints.values()], output, cores)
    for label, checkpoint in checkpoints.items():
        models.check_dimensions(label, output / checkpoint.path, dimensions)


def _make(graph: Graph, targets: Sequence[Node], output: Path, cores: int | None) -> None:
    """Make the targets in the folder `output` by Snakemake, with the project's rules.

    Args:
        cores: None for small data, whose jobs run in this process.

    Raises:
        UserError: a job fails; Snakemake has said why.
    """
    if cores is None:
        jobs.make(graph, targets, output)
        return
    _release(output)
    place_options = ["--snakefile", f"{HOUSE}/Snakefile", "--directory", f"{output}"]
    place_options += ["--configfile", f"{output}/config/config.yaml", "--workflow-profile", f"{HOUSE}/profiles/default"]
    log_options = ["--logger", "robustdr", "--logger-robustdr-estimates", "false"]
    place_options += ["--cores", f"{cores}"]
    records = [node.declared for node in targets]
    command = [sys.executable, "-m", "snakemake", *place_options, *log_options, "--", *records]
    environment = {"OMP_NUM_THREADS": "1", **os.environ}  # as the rules have it
    if signals.run_quietly(command, environment):
        raise UserError(f"{output}: the workflow stopped; the line above says why")


def _release(output: Path) -> None:
    """Remove the lock of a Snakemake that was killed in a folder; while one works there, or a job of it, wait."""
    waited: list[int] = []
    while at_work := signals.working_in(output):
        if at_work != waited:
            print(f"{output}: waits for the processes that still work there: {at_work}", file=sys.stderr)
        waited = at_work
        time.sleep(0.5)
    locks = [*(output / ".snakemake" / "locks").glob("*")]
    for lock in locks:
        lock.unlink()
    if locks:
        print(f"{output}: goes on where a call that was killed stopped", file=sys.stderr)
