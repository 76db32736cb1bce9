"""What deviations change: the differences that tables of a scale measured, kept in evidence/effects.json."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from typing_extensions import TypedDict

from robustdr.core.errors import UserError
from robustdr.core.files import from_json, write_json
from robustdr.experiments.models import Config
from robustdr.reporting.artifacts import Table, opened

EFFECTS = Path("evidence/effects.json")
STUDY = "study_"  # begins the names of tables of systems made otherwise, each against the one made as here


class Effect(TypedDict):
    """The difference of two systems' means, ×100, with the ends of its 95 % interval over queries and seeds."""

    table: str
    scale: str
    against: str
    collection: str
    query_set: str
    measure: str
    difference: float
    low: float
    high: float
    seeds: int


Effects = dict[str, list[Effect]]  # by system that is made otherwise


def read_effects(path: Path = EFFECTS) -> Effects:
    """Return the effects that were kept; none without the file."""
    return from_json(path.read_bytes()) if path.is_file() else {}


def keep(config: Config, results: Path, path: Path = EFFECTS) -> list[str]:
    """Keep what the tables of a scale's folder measured of all deviations; those it lacks stay as they were.

    Returns:
        The systems whose effects it has.

    Raises:
        UserError: no table of the folder has any.
    """
    effects_of = {
        system: effects for system in studied(config) if (effects := list(_measured(config, results, system)))
    }
    if not effects_of:
        raise UserError(
            f"{results}: no table has the effect of a deviation; make {', '.join(_tables(config, results))}"
        )
    write_json(path, dict(sorted({**read_effects(path), **effects_of}.items())))
    return list(effects_of)


def studied(config: Config) -> list[str]:
    """Return the systems that show what a deviation changes."""
    return [source.alternative for sources in config.sources.values() for source in sources if source.alternative]


def _tables(config: Config, results: Path) -> dict[str, Path]:
    """Return the tables that compare these systems with others, by name."""
    return {
        f"{paper}_{name}": results / f"tables/{paper}_{name}.json"
        for paper, experiment in config.papers.items()
        for name, spec in experiment.tables.items()
        if name.startswith(STUDY) and spec.test and any(system in spec.test.pairs for system in studied(config))
    }


def _measured(config: Config, results: Path, system: str) -> Iterator[Effect]:
    for name, path in _tables(config, results).items():
        table, _ = opened(path, Table)
        for cell in table["cells"] if table else ():
            if cell.system == system and cell.against and cell.difference is not None:
                keys = ("difference", "difference_low", "difference_high")
                difference, low, high = (round(100 * (getattr(cell, key) or 0.0), 2) for key in keys)
                yield Effect(
                    table=name,
                    scale=results.name,
                    against=cell.against,
                    collection=cell.collection,
                    query_set=cell.query_set,
                    measure=cell.measured,
                    difference=difference,
                    low=low,
                    high=high,
                    seeds=cell.seeds,
                )


def sentence(system: str, effects: Sequence[Effect]) -> str:
    """Return what a system's effects are, in words: by query set each difference with its interval; '' without any."""
    if not effects:
        return ""
    first = effects[0]
    collections = list(dict.fromkeys(effect["collection"] for effect in effects))
    findings_on: dict[str, list[str]] = {}
    for effect in effects:
        query_set = effect["query_set"] + (f" of {effect['collection']}" if len(collections) > 1 else "")
        finding = f"{effect['measure']} {effect['difference']:+.1f} [{effect['low']:.1f}, {effect['high']:.1f}]"
        findings_on.setdefault(query_set, []).append(finding)
    runs = f"{first['seeds']} seed{'s' if first['seeds'] > 1 else ''}"
    words = "; ".join(f"{', '.join(findings)} on {query_set}" for query_set, findings in findings_on.items())
    return (
        f"{system} against {first['against']} on {' and '.join(collections)}, {runs}: {words} "
        f"(table {first['table']}, scale {first['scale']})"
    )
