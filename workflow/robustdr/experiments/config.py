"""The configuration: read, checked against its schemas, and checked against itself before any work starts."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robustdr import variations
from robustdr.collections import judged_candidates
from robustdr.core.checks import at, known
from robustdr.core.documents import conform, located, validate
from robustdr.core.documents import read as read_yaml
from robustdr.core.errors import UserError, unknown
from robustdr.evaluation.names import parse
from robustdr.experiments.needs import claimed_systems, compared, reported_pairs
from robustdr.experiments.overlay import found, layers, placed_collection, placed_scale
from robustdr.pretraining.recipe import check as check_pretraining
from robustdr.systems import DEFAULT, KINDS, kind_of

Tree = dict[str, Any]


@dataclass(frozen=True)
class Config:
    """The whole configuration.

    Attributes:
        collections: sources by name. scales: scales by name. papers: experiments by paper.
        systems: recipes by system; a system belongs to the one paper that declares it.
        claims: the claims of each paper, none where it has no claims.yaml.
        pretraining: recipes of pre-training by name, declared as systems are.
        scale_files: where each scale is written. folders: of the papers.
    """

    collections: dict[str, Tree]
    scales: dict[str, Tree]
    papers: dict[str, Tree]
    systems: dict[str, Tree]
    claims: dict[str, list[Tree]]
    pretraining: dict[str, Tree]
    scale_files: dict[str, Path]
    folders: dict[str, Path]

    def bound(self, key: str) -> Tree:
        """What some scale has under `collections`, `checkpoints`, `budgets` or `pretraining`, by name."""
        return {name: value for scale in self.scales.values() for name, value in scale.get(key, {}).items()}

    def scales_of(self, recipe: Tree) -> dict[str, Tree]:
        """The scales that have a recipe's budget; in another one a target that needs the system is an error."""
        needed = recipe.get("budget")
        return {name: scale for name, scale in self.scales.items() if not needed or needed in scale["budgets"]}

    def split_of(self, scale: str, role: str, split: str) -> str:
        """The split that a scale has for a role: the one that it is bound to, or that of the experiment."""
        return self.scales[scale].get("splits", {}).get(role, split)

    def judged_by(self, collection: str, split: str) -> list[str]:
        """What judges a split: `qrels`, `answers`, or both, of which the first judges runs and the second negatives.

        Nothing judges the queries of a log.
        """
        if self.collections[collection].get("log"):
            return []
        part = self.collections[collection]["splits"][split]
        if part.get("kind") == "questions":
            return ["answers"]
        return ["qrels", "answers"] if part.get("answers") else ["qrels"]

    def judged_candidates(self, collection: str, split: str) -> bool:
        """Whether each query of a split ranks the passages that its qrels judge, and no others."""
        return judged_candidates(self.collections[collection], split)

    def check_searchable(self, scale: str, role: str, where: str) -> None:
        """Raise a `UserError` if a scale has a query log where passages are searched."""
        collection = self.scales[scale]["collections"].get(role)
        if collection and self.collections[collection].get("log"):
            raise UserError(f"{where}: {collection!r} of scale {scale} is a query log: it has no passages to search")

    def check_trainable(self, scale: str, role: str, where: str) -> None:
        """Raise a `UserError` if a scale's training questions have no judged passages."""
        collection = self.scales[scale]["collections"].get(role)
        if (
            collection
            and "train" in self.collections[collection]["splits"]
            and "qrels" not in self.judged_by(collection, "train")
        ):
            raise UserError(f"{where}: 'train' of {collection} (scale {scale}) has answers alone; positives need qrels")


def _check_recipe(name: str, recipe: Tree, path: Path) -> None:
    """A recipe has the keys of its kind."""
    chosen = recipe.get("kind", DEFAULT)
    known(f"{path}: systems.{name}.kind", chosen, KINDS)
    keys = {"label": {"type": "string"}, "reported": {"type": "string"}, "kind": {}, **KINDS[chosen].keys}
    schema = {"properties": keys, "additionalProperties": False, "required": ["label"], **KINDS[chosen].rules}
    conform(recipe, schema, path, ["systems", name])


def _over(base: Tree, changes: Tree) -> Tree:
    """`base` with the changes in it, mapping by mapping."""
    inner = {
        key: value for key, value in changes.items() if isinstance(value, dict) and isinstance(base.get(key), dict)
    }
    return {**base, **changes, **{key: _over(base[key], value) for key, value in inner.items()}}


def _scales(files: dict[str, Path], overlay: Path | None) -> dict[str, Tree]:
    """Every scale by name, those first that others may extend; one that `extends` another says only what differs."""
    written = {name: read_yaml(path) for name, path in files.items()}
    for name, path in files.items():
        if overlay and path.is_relative_to(overlay):
            written[name] = placed_scale(written[name], overlay)
    whole = {name: scale for name, scale in written.items() if "extends" not in scale}
    for name, scale in written.items():
        if name not in whole:
            known(f"{files[name]}: extends", scale["extends"], whole)
            whole[name] = _over(whole[scale["extends"]], {k: v for k, v in scale.items() if k != "extends"})
    return whole


def load(folder: Path = Path("config"), overlay: Path | None = None) -> Config:
    """Read and check everything below `folder`.

    Args:
        overlay: a folder laid over it: its collections, scales and papers are added, or replace as a whole the one of
            the same name. Relative paths of its collections and checkpoints start there.

    Raises:
        UserError: the first thing that is wrong: file, key, value, what is allowed, and the line.
    """
    try:
        return _load(folder, overlay)
    except UserError as error:
        raise located(error) from None


def _load(folder: Path, overlay: Path | None) -> Config:
    folders = layers(folder, overlay)

    def read(path: Path, schema: str) -> Tree:
        tree = read_yaml(path)
        validate(tree, folder / "schemas" / f"{schema}.schema.json", path)
        return tree

    experiments, scale_files = found(folders, "papers/*/experiment.yaml"), found(folders, "scales/*.yaml")
    papers = {paper: read(path, "experiment") for paper, path in experiments.items()}
    systems = _declared(papers, "systems", experiments)
    for name, system in systems.items():
        own = {key: value for key, value in system.items() if key != "paper"}
        _check_recipe(name, own, experiments[system["paper"]])
    claim_files = {paper: path.with_name("claims.yaml") for paper, path in experiments.items()}
    claims = {paper: read(path, "claims")["claims"] if path.is_file() else [] for paper, path in claim_files.items()}
    scales = _scales(scale_files, overlay)
    for name, scale in scales.items():
        validate(scale, folder / "schemas" / "scale.schema.json", scale_files[name])
        _bind_splits(scale)
    collections = read(folder / "collections.yaml", "collections")
    if overlay and (own_collections := overlay / "collections.yaml").is_file():
        own = read(own_collections, "collections")
        collections |= {name: placed_collection(source, overlay) for name, source in own.items()}
    config = Config(
        collections,
        scales,
        papers,
        systems,
        claims,
        _declared(papers, "pretraining", experiments),
        scale_files,
        {paper: path.parent for paper, path in experiments.items()},
    )
    for name, scale in config.scales.items():
        _check_scale(config, scale, scale_files[name])
    for name, recipe in config.pretraining.items():
        check_pretraining(config, name, f"{experiments[recipe['paper']]}: pretraining.{name}")
    for paper, experiment in papers.items():
        for name in experiment["systems"]:
            _check_lineage(config, name, experiments[paper])
    for paper, experiment in papers.items():
        _check_experiment(config, experiment, experiments[paper])
        _check_claims(config, experiment, claims[paper], claim_files[paper])
    return config


def _bind_splits(scale: Tree) -> None:
    """Take the splits that roles are bound to out of `collections`, where names are left."""
    bound = {role: to for role, to in scale["collections"].items() if isinstance(to, dict)}
    scale["collections"] = scale["collections"] | {role: to["collection"] for role, to in bound.items()}
    scale["splits"] = {role: to["split"] for role, to in bound.items()}


def _declared(papers: dict[str, Tree], what: str, files: dict[str, Path]) -> dict[str, Tree]:
    """The recipes of all papers by name, each with its paper."""
    found: dict[str, Tree] = {}
    for paper, experiment in papers.items():
        for name, recipe in experiment.get(what, {}).items():
            if name in found:
                raise UserError(f"{files[paper]}: {what}.{name}: declared by another paper too")
            found[name] = {**recipe, "paper": paper}
    return found


def _check_scale(config: Config, scale: Tree, path: Path) -> None:
    for role, collection in scale["collections"].items():
        if collection not in config.collections:
            raise unknown(f"{path}: collections.{role}", collection, config.collections)
        if role in scale["splits"]:
            known(f"{path}: collections.{role}.split", scale["splits"][role], config.collections[collection]["splits"])
    for role in scale["negatives"].get("judged", []):
        known(f"{path}: negatives.judged", role, scale["collections"])
    for measure in (*scale["measures"], *scale["measures"].values()):
        with at(f"{path}: measures"):
            parse(measure)
    for name, variation in scale["variations"].items():
        with at(f"{path}: variations.{name}"):
            variations.build(variations.kind(variation.get("generator", name)), variation.get("parameters", {}))


def _check_measures(config: Config, scale: str, role: str, evaluation: Tree, where: str) -> None:
    """Answers say of retrieved passages alone whether they are relevant."""
    collection, taken = config.scales[scale]["collections"][role], config.scales[scale]["measures"]
    for measure in evaluation["measures"]:
        success = parse(taken.get(measure, measure)).name == "Success"
        split = config.split_of(scale, role, evaluation["split"])
        if not success and config.judged_by(collection, split)[0] == "answers":
            split = f"{split} of {collection} (scale {scale})"
            raise UserError(f"{where}: {measure!r}: answers judge {split}; allowed: Success@k")


def _known_system(config: Config, where: str, name: str) -> None:
    """A system, or a snapshot of a system that is trained."""
    system, dot, percent = name.partition(".at")
    known(where, system, config.systems)
    if dot and ("loss" not in config.systems[system] or percent not in map(str, range(1, 100))):
        raise UserError(f"{where}: {name}: a snapshot is <system>.at<percent> of a system with a loss, percent 1 to 99")


def _check_experiment(config: Config, experiment: Tree, path: Path) -> None:
    for name in experiment["systems"]:
        kind_of(config.systems[name]).check(config, name, f"{path}: systems.{name}")
    for role, evaluation in experiment["evaluation"].items():
        for measure in evaluation["measures"]:
            with at(f"{path}: evaluation.{role}.measures"):
                parse(measure)
        known(f"{path}: evaluation", role, config.bound("collections"))
        for scale_name, scale in config.scales.items():
            if role not in scale["collections"]:
                continue
            config.check_searchable(scale_name, role, f"{path}: evaluation.{role}")
            collection = scale["collections"][role]
            known(
                f"{path}: evaluation.{role}.split of {collection}",
                config.split_of(scale_name, role, evaluation["split"]),
                config.collections[collection]["splits"],
            )
            _check_measures(config, scale_name, role, evaluation, f"{path}: evaluation.{role}.measures")
            for variation in evaluation["variations"]:
                _check_query_set(scale, variation, f"{path}: evaluation.{role}.variations")
    _check_means(experiment, path)
    for part in ("tables", "figures"):
        for name, spec in experiment.get(part, {}).items():
            _check_report(config, experiment, spec, f"{path}: {part}.{name}")


def _check_query_set(scale: Tree, query_set: str, where: str) -> None:
    """A generator of the scale makes the query set, and has the parameters that its name says."""
    with at(where):
        name, parameters, _ = variations.drawn(query_set)
    generator = scale["variations"].get(name, {}).get("generator", name)
    known(where, generator, variations.names())
    if parameters:
        with at(where):
            variations.build(variations.kind(generator), parameters)


def _check_means(experiment: Tree, path: Path) -> None:
    """Means average variations of their role, under names that no variation has."""
    for role, evaluation in experiment["evaluation"].items():
        for mean, kinds in evaluation.get("means", {}).items():
            if mean == "variations_mean":
                raise UserError(f"{path}: evaluation.{role}.means: 'variations_mean' is that of all variations already")
            for kind in kinds:
                known(f"{path}: evaluation.{role}.means.{mean}", kind, evaluation["variations"])


def _query_sets(evaluation: Tree) -> list[str]:
    """What a table, figure or claim may name: the original queries, the means and the variations."""
    return ["original", "variations_mean", *evaluation.get("means", {}), *evaluation["variations"]]


def _check_report(config: Config, experiment: Tree, spec: Tree, where: str) -> None:
    """A table or figure names known systems, and roles, measures and query sets of its paper's evaluation."""

    def named(field: str) -> list[str]:
        value = spec.get(field, [])
        return [value] if isinstance(value, str) else list(value)

    roles = named("collections") + named("collection")
    for role in roles:
        known(f"{where}.collections", role, experiment["evaluation"])
    taken = {role: experiment["evaluation"][role]["measures"] for role in roles}
    if spec.get("rows") == "systems":  # a role may have some of its measures
        taken = {role: [measure for measures in taken.values() for measure in measures] for role in roles}
    for role in roles:
        evaluation = experiment["evaluation"][role]
        for field, allowed in (("measure", taken[role]), ("query_set", _query_sets(evaluation))):
            for value in named(field) + named(f"{field}s"):
                known(f"{where}.{field}", value, allowed)
    lists = [("systems", systems) for systems in spec.get("systems", []) if isinstance(systems, list)]
    lists += [("drop_from", spec["drop_from"])] if isinstance(spec.get("drop_from"), list) else []
    for field, systems in lists:
        if len(systems) != len(roles):
            count = f"{len(systems)} for {len(roles)} collections"
            raise UserError(f"{where}.{field}: {', '.join(systems)}: {count}; name one system for each collection")
    for encoder in spec.get("encoders", []):
        known(f"{where}.encoders", encoder, config.bound("checkpoints"))
    if "across" in spec:
        for name, label in spec[spec["across"]].items():
            if not re.fullmatch(r"\d+(\.\d+)?", label):
                raise UserError(f"{where}.{spec['across']}.{name}: {label!r}; a place on the axis is a number")
    for system, _ in reported_pairs(spec):
        _known_system(config, f"{where}.systems", system)
    for system, other in compared(spec).items():
        known(f"{where}.significance.against", system, spec["systems"])
        known(f"{where}.significance.against.{system}", other, spec["systems"])
    for average, systems in spec.get("averages", {}).items():
        for averaged in systems:
            known(f"{where}.averages.{average}", str(averaged), list(map(str, spec["systems"])))
    if "base" in spec:
        known(f"{where}.base", spec["base"], spec["systems"])
    if "chains" in spec:
        for system in sorted({*spec["chains"], *spec["systems"]}):
            known(f"{where}.chains", system, spec["chains"].keys() & spec["systems"])
            chain = spec["chains"][system]
            if len(chain) != len(spec["links"]):
                links = ", ".join(spec["links"])
                raise UserError(f"{where}.chains.{system}: {len(chain)} systems for the links {links}; one before each")


def _check_claims(config: Config, experiment: Tree, claims: list[Tree], path: Path) -> None:
    for number, claim in enumerate(claims):
        where, test = f"{path}: claims.{number}", claim["test"]
        known(f"{where}.role", claim["role"], experiment["evaluation"])
        evaluation = experiment["evaluation"][claim["role"]]
        for measure in filter(None, (claim["measure"], test.get("from_measure"))):
            known(f"{where}.measure", measure, evaluation["measures"])
        for argument, system in claimed_systems(claim):
            _known_system(config, f"{where}.test.{argument}", system)
        for argument in ("query_sets", "against"):
            for query_set in test.get(argument, []):
                known(f"{where}.test.{argument}", query_set, _query_sets(evaluation))


def _check_lineage(config: Config, name: str, path: Path) -> None:
    """Follow every system that `name` is made from: each is known, and none is made from itself.

    This comes before a kind asks others anything, which may ask others in turn.
    """
    # A checkpoint may bear the name of the system that evaluates it.
    checkpoints = config.bound("checkpoints")
    for key, parent in kind_of(config.systems[name]).named(config.systems[name]).items():
        allowed = {*config.systems, *(checkpoints.keys() | config.pretraining.keys() if key == "initial" else ())}
        known(f"{path}: systems.{name}.{key}", parent, allowed)

    def follow(system: str, trail: list[str]) -> None:
        if system in trail and system != name:
            return  # a cycle of others: it is named where they are declared
        if system in trail:
            raise UserError(f"{path}: systems.{name}: the lineage is a cycle: {' → '.join([*trail, system])}")
        recipe = config.systems[system]
        for parent in kind_of(recipe).named(recipe).values():
            if parent in config.systems and parent not in checkpoints:
                follow(parent, [*trail, system])

    follow(name, [])
