"""Where the papers' trainings and their data differ from these: checks of the sources, and the page of deviations."""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from robustdr.core.errors import unknown
from robustdr.core.files import write_text
from robustdr.core.markup import code, plain, prose, table_row
from robustdr.core.paths import named_path, output_path
from robustdr.core.settings import changed_fields
from robustdr.experiments.config import load
from robustdr.experiments.kinds import Split
from robustdr.experiments.models import Config
from robustdr.experiments.sources import Source
from robustdr.graph.effects import Effects, keep, read_effects, sentence
from robustdr.graph.lineage import Lineage
from robustdr.losses import LOSSES
from robustdr.training.settings import Schedule
from robustdr.variations import drawn

PAGE = Path("docs/explanation/deviations.md")
FULL = "full"  # the scale whose values are compared with the papers'
MEMORY = "gradient_cache"  # decides memory, and no gradient but for rounding
NAMED = 3  # systems of a deviation that the page names; of more, it gives the number
HEAD = """# Where these trainings differ from the papers'

A row is a difference between what is done here and what the paper or its code does. If both leave something open, the
row says "silent". Rows whose effect was measured come first. Differences are points (measure × 100) with 95 %
intervals. Names in `code` are those of the configuration; `a → b` is a value there and here. The papers with the
fewest deviations come first.

`robustdr deviations` makes this page from `config/papers/<paper>/sources.yaml`. `robustdr deviations --check` fails if
a value of a training at the scale `full` has no source there. The queries, negatives and generators of trainings and
evaluations need a source, too.

## Parts of the papers without numbers to reproduce

- CAPOT (§3.1) and qvg (§3.2) chose German as the language to translate to and back from, without numbers. `pivot` of a
  translating variation sets another language.
- qvg uses UQV100 only for its taxonomy.
"""


def trained(lineage: Lineage, paper: str) -> Iterator[str]:
    """Yield the systems that a paper declares and the scale trains, and its pre-trainings."""
    experiment = lineage.config.papers[paper]
    yield from (name for name in experiment.systems if lineage.is_trained(name))
    yield from (name for name in experiment.pretraining if name not in lineage.scale.checkpoints)


def evaluated(lineage: Lineage, paper: str) -> list[str]:
    """Return the roles that a paper evaluates and the scale has, each as `<paper>/<role>`."""
    return [f"{paper}/{role}" for role in lineage.config.papers[paper].evaluation if role in lineage.scale.collections]


def values(lineage: Lineage, name: str) -> dict[str, Any]:
    """Return the values and the data that decide a training, a pre-training or an evaluation at a scale, by key.

    Defaults of a budget are left out.
    """
    paper, slash, role = name.partition("/")
    if slash:
        return data(lineage, lineage.split_of(paper, role), lineage.config.papers[paper].evaluation[role].variations)
    if pretraining := lineage.config.pretraining.get(name):
        masking = {f"pretraining.{key}": value for key, value in pretraining.decisive_settings().items()}
        passages = {"data.passages": lineage.passages_of(lineage.collection_of(pretraining.collection))}
        return _budget(lineage.scale.pretraining[pretraining.budget], set()) | masking | passages
    recipe = lineage.recipe(name)
    loss = {key: value for key, value in recipe.loss.items() if key != "name"}
    settings: dict[str, Any] = asdict(LOSSES.settings(recipe.loss["name"], loss))  # type: ignore[call-overload]
    training_values = {f"loss.{key}": value for key, value in settings.items()}
    if recipe.augmentation:
        training_values["augmentation"] = recipe.augmentation
    budget = _budget(lineage.budget(name), set() if recipe.negatives else {"negatives", "passage_length"})
    training_values |= data(lineage, lineage.train_split(name), recipe.variations or ())
    if recipe.negatives:
        training_values["data.negatives"] = miner = lineage.miner_of(name) or "judged"
        if miner != "judged":
            training_values["data.negatives_depth"] = lineage.scale.negatives.depth
            training_values["data.negatives_kept"] = lineage.scale.negatives.keep
    return budget | training_values


def data(lineage: Lineage, split: Split, variations: Iterable[str]) -> dict[str, Any]:
    """Return which queries a split has at a scale, and what makes each of their variations, by key."""
    split_entry = lineage.config.collections[split[0]]["splits"][split[1]]
    generators = {f"generator.{drawn(name).generator}": _generator_name(lineage, split, name) for name in variations}
    return {"data.queries": split_entry.get("id", "/".join(split)), **generators}


def _generator_name(lineage: Lineage, split: Split, variation: str) -> str:
    """Return how a scale makes a variation of a split: `released`, the name of its model or word list, or `rules`."""
    entry = lineage.scale.variations.get(drawn(variation).generator)
    if lineage.release(split, variation):
        return "released"
    resources = [str(entry.parameters[key]) for key in ("model", "file") if entry and key in entry.parameters]
    return Path(resources[0]).name if resources else "rules"


def _budget(budget: Schedule, unread: set[str]) -> dict[str, Any]:
    deciding = {setting.name for setting in fields(budget) if setting.metadata.get("effect", True)}  # type: ignore[arg-type]
    return {
        f"budget.{key}": getattr(budget, key) for key in sorted(changed_fields(budget) & deciding - {*unread, MEMORY})
    }


def differing(lineage: Lineage, source: Source, names: list[str]) -> dict[str, list[Any]]:
    """Return the values here, by key of a source where those of some of its systems are others."""
    values_by_key = {key: [values(lineage, name).get(key) for name in names] for key in source.values}
    return {
        key: system_values
        for key, system_values in values_by_key.items()
        if any(value != source.values[key] for value in system_values)
    }


def concerned(lineage: Lineage, paper: str, source: Source) -> list[str]:
    """Return the trained systems, the pre-trainings and the evaluations that a source concerns.

    It concerns evaluations that it names, as `<paper>/<role>`.
    """
    budgets = {
        name: (lineage.config.pretraining.get(name) or lineage.recipe(name)).budget for name in trained(lineage, paper)
    }
    if source.budgets:
        return [name for name, budget in budgets.items() if budget in source.budgets]
    candidates = [*budgets, *evaluated(lineage, paper)] if source.systems else budgets
    return [name for name in candidates if name in (source.systems or budgets)]


def faults(config: Config, paper: str) -> Iterator[str]:
    """Yield what is wrong with the sources of a paper: unknown names, values without a source, untold deviations."""
    lineage, path = Lineage(config, FULL), config.folders[paper] / "sources.yaml"
    declared = [*config.papers[paper].systems, *config.papers[paper].pretraining, *evaluated(lineage, paper)]
    accounted: dict[tuple[str, str], str] = {}
    for number, source in enumerate(config.sources[paper]):
        place = f"{path}: sources.{number} ({source.subject})"
        if gone := [name for name in source.systems or () if name not in declared]:
            yield str(unknown(f"{place}: systems", gone[0], declared))
            continue
        names = concerned(lineage, paper, source)
        tests = [spec.test.pairs for spec in config.papers[paper].tables.values() if spec.test]
        if source.alternative and not any(source.alternative in pairs for pairs in tests):
            yield f"{place}: alternative: no table of this paper tests {source.alternative!r} against another system"
        if source.keys and not names:
            yield f"{place}: {'budgets' if source.budgets else 'systems'}: nothing of this paper is trained with them"
        for name in names:
            decided = values(lineage, name)
            for key in source.keys:
                if key not in decided:
                    yield f"{place}: {key}: the training of {name} has no such value; allowed: {', '.join(decided)}"
                elif first_source := accounted.get((name, key)):
                    yield f"{place}: {key}: {name} has another source: {first_source}"
                accounted[name, key] = source.subject
        differs = differing(lineage, source, names)
        for key, system_values in differs.items() if not source.deviation else ():
            yield f"{place}: {key}: {source.values[key]} there and {system_values[0]} here; say why in `deviation`"
        if source.deviation and source.values and not (differs or source.unspecified):
            yield f"{place}: deviation: nothing differs: every value is the one of the source; remove `deviation`"
    for name in (*trained(lineage, paper), *evaluated(lineage, paper)):
        if open_keys := [key for key in values(lineage, name) if (name, key) not in accounted]:
            keys = ", ".join(open_keys)
            yield f"{path}: {name}: {keys}: no source; say where the value stands, or that it is `unspecified`"


def page(config: Config, effects: Effects) -> str:
    """Return the page of all deviations as Markdown, of each paper those first whose effect was measured."""
    lineage = Lineage(config, FULL)
    left_out = {paper: experiment.left_out for paper, experiment in config.papers.items()}
    parts = [
        HEAD,
        *(f"- {paper}, {name}: {prose(why)}\n" for paper, reasons in left_out.items() for name, why in reasons.items()),
    ]
    deviating = {paper: [source for source in sources if source.deviation] for paper, sources in config.sources.items()}
    for paper, deviations in sorted(deviating.items(), key=lambda pair: len(pair[1])):
        if not config.sources[paper]:
            continue
        parts.append(f"\n## {plain(config.papers[paper].title)}\n\n{len(deviations)} deviations.\n\n")
        rows: list[tuple[str, ...]] = [("about", "in the paper and its code", "here"), ("---",) * 3]
        rows += [
            _row(lineage, paper, source, effects)
            for source in sorted(deviations, key=lambda source: not measured(source, effects))
        ]
        parts.append("\n".join(map(table_row, rows)) + "\n")
    return "".join(parts)


def measured(source: Source, effects: Effects) -> list[str]:
    """Return what was measured of a deviation, in words."""
    statements = [source.effect or "", sentence(source.alternative or "", effects.get(source.alternative or "", ()))]
    return [f"Measured: {words}" for words in statements if words]


def _row(lineage: Lineage, paper: str, source: Source, effects: Effects) -> tuple[str, ...]:
    differs = differing(lineage, source, concerned(lineage, paper, source))
    value_changes = [
        f"{code(key)} {source.values[key]} → {', '.join(map(str, dict.fromkeys(system_values)))}"
        for key, system_values in differs.items()
    ]
    deviation_lines = [prose(source.deviation or ""), *value_changes, *map(prose, measured(source, effects))]
    says = [f"Paper: “{prose(source.quotation)}” ({source.place})"] if source.quotation else []
    says += [f"Code: {prose(source.released_code)}"] if source.released_code else []
    names = source.systems or source.budgets or []
    count_of_rest = [f"and {len(names) - NAMED} more"] if len(names) > NAMED else []
    subject_lines = [prose(source.subject), ", ".join([*map(code, names[:NAMED]), *count_of_rest])]
    return "<br>".join(filter(None, subject_lines)), "<br>".join(says) or "silent", "<br>".join(deviation_lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    text = (
        "write no page, but list values without a source and deviations without a text; exit status 1 if there are any"
    )
    parser.add_argument("--check", action="store_true", help=text)
    text = "folder of a scale, such as results/mini: keep what its tables measured of deviations, for the page"
    parser.add_argument("--results", type=named_path, help=text)
    parser.add_argument("-o", "--output", type=output_path, default=PAGE, help="default: %(default)s")


def run(arguments: argparse.Namespace) -> int:
    """Write the page, or check the sources.

    Raises:
        UserError: the first fault of the configuration.
    """
    config = load()
    if arguments.check:
        problems = [fault for paper, sources in config.sources.items() if sources for fault in faults(config, paper)]
        print("\n".join(problems) or "every value of a training has a source, and every deviation is told")
        return int(bool(problems))
    if arguments.results:
        print("\n".join(keep(config, arguments.results)))
    write_text(arguments.output, page(config, read_effects()))
    return 0
