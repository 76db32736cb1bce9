"""The configuration: read, checked against its schemas, and checked against itself before any work starts."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from robustdr import losses, variations
from robustdr.errors import UserError, unknown
from robustdr.evaluation.names import parse

Tree = dict[str, Any]


@dataclass(frozen=True)
class Config:
    """The whole configuration.

    Attributes:
        collections: sources by name. scales: scales by name. papers: experiments by paper.
        systems: recipes by system; a system belongs to the one paper that declares it.
    """

    collections: dict[str, Tree]
    scales: dict[str, Tree]
    papers: dict[str, Tree]
    systems: dict[str, Tree]


def _read(path: Path) -> Tree:
    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason}); save the file as UTF-8") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(tree, dict):
        raise UserError(f"{path}: empty or no mapping; see config/README.md")
    return tree


def _explain(path: Path, error: ValidationError) -> UserError:
    where = ".".join(map(str, error.absolute_path)) or "top level"
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        extra = next(key for key in error.instance if key not in allowed)
        return unknown(f"{path}: {where}: key", str(extra), allowed)
    return UserError(f"{path}: {where}: {error.message}")


def validate(tree: Any, schema: Path, source: Path) -> None:
    """Check `tree`, read from `source`, against a JSON schema.

    Raises:
        UserError: names file, key, value and what is allowed.
    """
    error = best_match(Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).iter_errors(tree))
    if error is not None:
        raise _explain(source, error)


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Put file and key before a message that names neither."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{where}: {error}") from None


def load(folder: Path = Path("config")) -> Config:
    """Read and check everything below `folder`.

    Raises:
        UserError: the first thing that is wrong: file, key, value, what is allowed.
    """

    def read(path: Path, schema: str) -> Tree:
        tree = _read(path)
        validate(tree, folder / "schemas" / f"{schema}.schema.json", path)
        return tree

    papers = {path.parent.name: read(path, "experiment") for path in sorted(folder.glob("papers/*/experiment.yaml"))}
    systems: dict[str, Tree] = {}
    for paper, experiment in papers.items():
        for name, system in experiment["systems"].items():
            if name in systems:
                raise UserError(
                    f"{folder}/papers/{paper}/experiment.yaml: systems.{name}: declared by another paper too"
                )
            systems[name] = {**system, "paper": paper}
    config = Config(
        read(folder / "collections.yaml", "collections"),
        {path.stem: read(path, "scale") for path in sorted(folder.glob("scales/*.yaml"))},
        papers,
        systems,
    )
    for name, scale in config.scales.items():
        _check_scale(config, scale, folder / "scales" / f"{name}.yaml")
    for paper, experiment in papers.items():
        _check_experiment(config, paper, experiment, folder / "papers" / paper / "experiment.yaml")
        path = folder / "papers" / paper / "claims.yaml"
        _check_claims(config, experiment, read(path, "claims"), path)
    return config


def _check_scale(config: Config, scale: Tree, path: Path) -> None:
    for role, collection in scale["collections"].items():
        if collection not in config.collections:
            raise unknown(f"{path}: collections.{role}", collection, config.collections)
    for measure in (*scale["measures"], *scale["measures"].values()):
        with _at(f"{path}: measures"):
            parse(measure)
    for name, variation in scale["variations"].items():
        with _at(f"{path}: variations.{name}"):
            variations.build(variations.kind(variation.get("generator", name)), variation.get("parameters", {}))


def _known(where: str, value: str, allowed: Iterable[str]) -> None:
    if value not in allowed:
        raise unknown(where, value, allowed)


def _check_experiment(config: Config, paper: str, experiment: Tree, path: Path) -> None:
    def known(where: str, value: str, allowed: Iterable[str]) -> None:
        _known(f"{path}: {where}", value, allowed)

    for name in experiment["systems"]:
        system = config.systems[name]
        for field in ("negatives", "teacher"):
            if field in system:
                known(f"systems.{name}.{field}", system[field], config.systems)
        for variation in system.get("variations", []):
            known(f"systems.{name}.variations", variation, variations.names())
        if "loss" in system:
            with _at(f"{path}: systems.{name}.loss"):
                losses.check(**system["loss"])
        _check_lineage(config, name, path)
        for scale_name, scale in config.scales.items():
            if "bm25" not in system:
                known(f"systems.{name}.budget (scale {scale_name})", system["budget"], scale["budgets"])
                known(f"systems.{name}.collection (scale {scale_name})", system["collection"], scale["collections"])
                initial = {**scale["checkpoints"], **config.systems}
                known(f"systems.{name}.initial (scale {scale_name})", system["initial"], initial)
    for role, evaluation in experiment["evaluation"].items():
        for measure in evaluation["measures"]:
            with _at(f"{path}: evaluation.{role}.measures"):
                parse(measure)
        for scale_name, scale in config.scales.items():
            known(f"evaluation (scale {scale_name})", role, scale["collections"])
            collection = scale["collections"][role]
            known(
                f"evaluation.{role}.split of {collection}",
                evaluation["split"],
                config.collections[collection]["splits"],
            )
            for variation in evaluation["variations"]:
                settings = scale["variations"].get(variation, {})
                known(f"evaluation.{role}.variations", settings.get("generator", variation), variations.names())
    for name, table in experiment["tables"].items():
        for system in table["systems"]:
            known(f"tables.{name}.systems", system, config.systems)
        for role in table["collections"]:
            known(f"tables.{name}.collections", role, experiment["evaluation"])
        for system, other in table.get("significance", {}).get("against", {}).items():
            known(f"tables.{name}.significance.against", system, table["systems"])
            known(f"tables.{name}.significance.against.{system}", other, table["systems"])
    for name, figure in experiment.get("figures", {}).items():
        for system in (figure["start"], *figure["systems"]):
            known(f"figures.{name}.systems", system, config.systems)
        known(f"figures.{name}.collection", figure["collection"], experiment["evaluation"])
        known(f"figures.{name}.measure", figure["measure"], experiment["evaluation"][figure["collection"]]["measures"])


def _check_claims(config: Config, experiment: Tree, claims: Tree, path: Path) -> None:
    for number, claim in enumerate(claims["claims"]):
        where, test = f"{path}: claims.{number}", claim["test"]
        _known(f"{where}.role", claim["role"], experiment["evaluation"])
        evaluation = experiment["evaluation"][claim["role"]]
        _known(f"{where}.measure", claim["measure"], evaluation["measures"])
        for argument in ("system", "over", "than"):
            named = test.get(argument, [])
            for system in [named] if isinstance(named, str) else named:
                _known(f"{where}.test.{argument}", system, config.systems)
        for query_set in test["query_sets"]:
            _known(f"{where}.test.query_sets", query_set, ["original", "variations_mean", *evaluation["variations"]])


def _check_lineage(config: Config, name: str, path: Path) -> None:
    """Follow every system that `name` is made from; a system that is made from itself is an error."""

    def follow(system: str, trail: list[str]) -> None:
        if system in trail:
            raise UserError(f"{path}: systems.{name}: the lineage is a cycle: {' → '.join([*trail, system])}")
        recipe = config.systems[system]
        for parent in {recipe.get(field) for field in ("initial", "negatives", "teacher")}:
            # A checkpoint may bear the name of the system that evaluates it: it starts there, with nothing behind it.
            if parent in config.systems and parent != system:
                follow(parent, [*trail, system])
            elif parent == system and "loss" in recipe:
                raise UserError(f"{path}: systems.{name}: the lineage is a cycle: {system} → {system}")

    follow(name, [])
