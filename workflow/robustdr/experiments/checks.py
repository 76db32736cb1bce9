"""Checks inside the configuration: every name in a file is known. They run before any work starts."""

from dataclasses import replace
from pathlib import Path

from robustdr import variations
from robustdr.audit.reported import load
from robustdr.claims.claim import Claims
from robustdr.claims.tests import SmallerDrop
from robustdr.core.checks import check_known, prefixed_errors
from robustdr.core.errors import UserError
from robustdr.encoding.directory import ENCODER
from robustdr.evaluation.names import WORST, parse
from robustdr.experiments.kinds import kind_of
from robustdr.experiments.models import (
    ORIGINAL,
    Config,
    Evaluation,
    Experiment,
    PretrainingRecipe,
    Scale,
    ScaleVariation,
)
from robustdr.pretraining.settings import OF_THE_DECODER
from robustdr.reporting.spec import Spec, TableSpec

DEFAULTS = PretrainingRecipe(label="", initial="", collection="", budget="")


def check(config: Config) -> None:
    """Check the configuration's files against each other.

    Raises:
        UserError: file, key, value and what is allowed.
    """
    files = {paper: folder / "experiment.yaml" for paper, folder in config.folders.items()}
    for name, scale in config.scales.items():
        _check_scale(config, scale, config.scale_files[name])
    for name in config.pretraining:
        _check_pretraining(config, name, f"{files[config.paper_of(name)]}: pretraining.{name}")
    for paper, experiment in config.papers.items():
        for name in experiment.systems:
            _check_lineage(config, name, files[paper])
    for paper, experiment in config.papers.items():
        _check_experiment(config, experiment, files[paper])
        _check_claims(config, experiment, config.claims[paper], files[paper].with_name("claims.yaml"))
        _check_printed(experiment, config.claims[paper], config.folders[paper])


def _check_scale(config: Config, scale: Scale, path: Path) -> None:
    for role, place in scale.collections.items():
        check_known(f"{path}: collections.{role}", place.collection, config.collections)
        if place.split:
            check_known(
                f"{path}: collections.{role}.split", place.split, config.collections[place.collection]["splits"]
            )
    for paper in scale.seeds_of:
        check_known(f"{path}: seeds_of", paper, config.papers)
    if scale.variance_from:
        check_known(f"{path}: variance_from", scale.variance_from, config.scales)
    for collection in scale.embeddings.shards_of:
        check_known(f"{path}: embeddings.shards_of", collection, config.collections)
    for role in scale.negatives.from_judgements:
        check_known(f"{path}: negatives.from_judgements", role, scale.collections)
    for name, score in scale.published.items():
        check_known(f"{path}: published", name, scale.checkpoints)
        if score:
            check_known(f"{path}: published.{name}.role", score.role, scale.collections)
    for name, released in scale.released.items():
        check_known(f"{path}: released", name, config.systems)
        if released.checkpoint:
            check_known(f"{path}: released.{name}.checkpoint", released.checkpoint, scale.checkpoints)
        for split_name in released.runs:
            collection, _, split = split_name.partition("/")
            check_known(f"{path}: released.{name}.runs", collection, config.collections)
            check_known(f"{path}: released.{name}.runs", split, config.collections[collection]["splits"])
    for measure in (*scale.measures, *scale.measures.values()):
        with prefixed_errors(f"{path}: measures"):
            parse(measure)
    for name, variation in scale.variations.items():
        with prefixed_errors(f"{path}: variations.{name}"):
            generator = variations.kind(variation.generator or name)
            variations.build(generator, variation.parameters)
            for mixed in variation.of:
                variations.kind(scale.variations.get(mixed, ScaleVariation()).generator or mixed)
            if variation.released and generator.versions > 1:
                raise UserError(f"released: {name} makes several versions at once; none of them can be a released one")
    released_splits = {f"variations.{name}.released": list(entry.released) for name, entry in scale.variations.items()}
    for key, splits in {**released_splits, "corrected": list(scale.corrected)}.items():
        for collection, _, split in (name.partition("/") for name in splits):
            check_known(f"{path}: {key}", collection, config.collections)
            check_known(f"{path}: {key}", split, config.collections[collection]["splits"])


def _check_pretraining(config: Config, name: str, message_place: str) -> None:
    """Check that the collection has passages, and the checkpoint is an encoder with the layers to copy."""
    if name in config.systems:
        raise UserError(f"{message_place}: a system has that name too; a recipe's `initial` must name one of them")
    recipe = config.pretraining[name]
    for key in OF_THE_DECODER:
        if not recipe.bottleneck and (value := getattr(recipe, key)) != getattr(DEFAULTS, key):
            raise UserError(
                f"{message_place}.{key}: {value!r}; there is no decoder with `bottleneck: false`; remove it"
            )
    for key, part in (("budget", "pretraining"), ("collection", "collections"), ("initial", "checkpoints")):
        config.check_bound(f"{message_place}.{key}", getattr(recipe, key), part)
    for scale_name, scale in config.scales.items():
        scale_note = f"(scale {scale_name})"
        place = scale.collections.get(recipe.collection)
        if place and config.collections[place.collection].get("log"):
            collection_note = f"{place.collection!r} {scale_note}"
            raise UserError(
                f"{message_place}.collection: {collection_note} is a query log, without passages to learn from"
            )
        checkpoint = scale.checkpoints.get(recipe.initial)
        if checkpoint is None or recipe.budget not in scale.pretraining:
            continue
        if checkpoint.form != ENCODER:
            has = f"{recipe.initial!r} has the form {checkpoint.form!r}"
            raise UserError(f"{message_place}.initial {scale_note}: {has}; allowed: {ENCODER}")
        if recipe.bottleneck and checkpoint.layers and recipe.decoder_layers > (layer_count := len(checkpoint.layers)):
            raise UserError(
                f"{message_place}.decoder_layers: {recipe.decoder_layers}; the decoder copies the encoder's last "
                f"layers, and {recipe.initial!r} {scale_note} has {layer_count}"
            )


def _check_experiment(config: Config, experiment: Experiment, path: Path) -> None:
    if made_names := [name for name in experiment.left_out if name in replace(experiment, left_out={}).printed()]:
        raise UserError(f"{path}: left_out.{made_names[0]}: it is made, under `tables` or `figures`; remove it here")
    for name in experiment.systems:
        kind_of(config.systems[name]).check(config, name, f"{path}: systems.{name}")
    for role, evaluation in experiment.evaluation.items():
        message_place = f"{path}: evaluation.{role}"
        for measure in evaluation.measures:
            with prefixed_errors(f"{message_place}.measures"):
                parse(measure)
        config.check_bound(f"{path}: evaluation", role, "collections")
        for name, scale in config.scales.items():
            if role in scale.collections:
                _check_evaluation(config, name, role, evaluation, message_place)
        for mean, averaged in evaluation.means.items():
            if mean == "variations_mean":
                raise UserError(f"{message_place}.means: 'variations_mean' is that of all variations already")
            for variation in averaged:
                check_known(f"{message_place}.means.{mean}", variation, evaluation.variations)
    for part in ("tables", "figures"):
        for name, spec in getattr(experiment, part).items():
            _check_report(config, experiment, spec, f"{path}: {part}.{name}")


def _check_evaluation(config: Config, scale_name: str, role: str, evaluation: Evaluation, message_place: str) -> None:
    """Check that a scale's collection for a role can be evaluated as the paper does it."""
    scale = config.scales[scale_name]
    collection, split = scale.collections[role].collection, config.split_of(scale_name, role, evaluation.split)
    config.check_searchable(scale_name, role, message_place)
    check_known(f"{message_place}.split of {collection}", split, config.collections[collection]["splits"])
    for measure in evaluation.measures:  # answers judge only retrieved passages
        success = parse(scale.measures.get(measure, measure)).NAME == "Success"
        if not success and config.judged_by(collection, split)[0] == "answers":
            judged = f"{split} of {collection} (scale {scale_name})"
            raise UserError(f"{message_place}.measures: {measure!r}: answers judge {judged}; allowed: Success@k")
    for variation in evaluation.variations:
        _check_query_set(scale, variation, f"{message_place}.variations")


def _check_query_set(scale: Scale, query_set: str, message_place: str) -> None:
    """Check that a generator of the scale makes the query set, and has the parameters in its name."""
    with prefixed_errors(message_place):
        name, parameters, _ = variations.drawn(query_set)
    entry = scale.variations.get(name)
    generator = entry.generator or name if entry else name
    check_known(message_place, generator, variations.names())
    if parameters:
        with prefixed_errors(message_place):
            variations.build(variations.kind(generator), parameters)


def _check_lineage(config: Config, name: str, path: Path) -> None:
    """Follow all systems that `name` is made from: each must be known, and none may be made from itself.

    This comes before kinds ask about other systems, because those may ask about others in turn.
    """
    # A checkpoint may have the name of the system that evaluates it.
    checkpoints = config.bound("checkpoints")
    for key, parent in kind_of(config.systems[name]).systems_named_by(config.systems[name]).items():
        allowed = {*config.systems, *(checkpoints.keys() | config.pretraining.keys() if key == "initial" else ())}
        check_known(f"{path}: systems.{name}.{key}", parent, allowed)

    def follow(system: str, trail: list[str]) -> None:
        if system in trail and system != name:
            return  # a cycle of other systems; reported where they are declared
        if system in trail:
            raise UserError(f"{path}: systems.{name}: the lineage is a cycle: {' → '.join([*trail, system])}")
        recipe = config.systems[system]
        for parent in kind_of(recipe).systems_named_by(recipe).values():
            if parent in config.systems and parent not in checkpoints:
                follow(parent, [*trail, system])

    follow(name, [])


def _known_system(config: Config, message_place: str, name: str) -> None:
    """Check that a name is a system, or a snapshot of a trained system."""
    system, dot, percent = name.partition(".at")
    check_known(message_place, system, config.systems)
    if dot and (not getattr(config.systems[system], "loss", None) or percent not in map(str, range(1, 100))):
        raise UserError(
            f"{message_place}: {name}: a snapshot is <system>.at<percent> of a system with a loss, percent 1 to 99"
        )


def _query_sets(evaluation: Evaluation) -> list[str]:
    """Return the query sets that a table, figure or claim may name: original queries, means and variations."""
    return [ORIGINAL, "variations_mean", *evaluation.means, *evaluation.variations]


def _check_report(config: Config, experiment: Experiment, spec: Spec, message_place: str) -> None:
    """Check that a table or figure names known systems, and roles, measures and query sets of its paper's evaluation.

    Raises:
        UserError: key, value and what is allowed.
    """
    for role in spec.roles:
        check_known(f"{message_place}.collections", role, experiment.evaluation)
    role_measures = {role: experiment.evaluation[role].measures for role in spec.roles}
    if isinstance(spec, TableSpec) and spec.any_measure:
        all_measures = [measure for measures in role_measures.values() for measure in measures]
        role_measures = {role: all_measures for role in spec.roles}
    for role in spec.roles:
        for field, allowed in (
            ("measure", role_measures[role]),
            ("query_set", _query_sets(experiment.evaluation[role])),
        ):
            for value in spec.key_values(field):
                check_known(f"{message_place}.{field}", value, allowed)
    for encoder in spec.key_values("encoder"):
        config.check_bound(f"{message_place}.encoders", encoder, "checkpoints")
    for system, _ in spec.pairs():
        _known_system(config, f"{message_place}.systems", system)


def _check_claims(config: Config, experiment: Experiment, claims: Claims, path: Path) -> None:
    """Check that claims and controls name known systems, and roles, measures and query sets of the evaluation.

    Raises:
        UserError: file, key, value and what is allowed.
    """
    for number, claim in enumerate(claims.claims):
        for subject in claim.subjects:
            config.check_bound(f"{path}: claims.{number}.subjects", subject, "proxies")
    for key, tested in claims.tested().items():
        message_place = f"{path}: {key}"
        check_known(f"{message_place}.role", tested.role, experiment.evaluation)
        evaluation = experiment.evaluation[tested.role]
        for measure in tested.measures:
            check_known(f"{message_place}.measure", measure, evaluation.measures)
        for name, test in tested.tests().items():
            for argument, system in test.systems():
                _known_system(config, f"{message_place}.{name}.{argument}", system)
            for argument, query_set in test.names_under("query_sets", "against"):
                worst = [WORST] if isinstance(test, SmallerDrop) else []
                check_known(f"{message_place}.{name}.{argument}", query_set, [*_query_sets(evaluation), *worst])


def _check_printed(experiment: Experiment, claims: Claims, folder: Path) -> None:
    """Check a paper's reported.yaml, if there is one, and that its tables, figures and claims name tables in it.

    Raises:
        UserError: file, line, key, value and what is allowed.
    """
    path = folder / "reported.yaml"
    if not path.is_file():
        return
    tables = load(path).tables
    for part in ("tables", "figures"):
        for name, spec in getattr(experiment, part).items():
            for table in spec.key_values("reported"):
                check_known(f"{folder / 'experiment.yaml'}: {part}.{name}.reported", table, tables)
    for number, claim in enumerate(claims.claims):
        for table in claim.reported or ():
            check_known(f"{folder / 'claims.yaml'}: claims.{number}.reported", table, tables)
