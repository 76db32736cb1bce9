"""Footnotes of a table that the configuration decides: stand-ins, and data that differ from the paper's."""

from collections.abc import Iterable, Mapping, Sequence

from robustdr.experiments.kinds import Split
from robustdr.experiments.models import Checkpoint
from robustdr.graph.deviations import concerned, measured
from robustdr.graph.effects import read_effects
from robustdr.graph.graph import Graph
from robustdr.reporting.spec import TableSpec
from robustdr.variations import drawn


def stand_ins(
    graph: Graph, varied: Iterable[tuple[Split, str]], systems: Sequence[str], encoders: Mapping[str, Checkpoint]
) -> list[str]:
    """Return a note for each generator or model of the paper that has a stand-in, or settings of its own, here."""
    lineage = graph.lineage
    resources = {variation: graph.generator(split, variation).resource for split, variation in varied}
    for name in dict.fromkeys(name for system in systems for name in lineage.lineage(system)):
        for variation in graph.demand.training_variations(name):
            generator = graph.generator(lineage.train_split(name), variation)
            resources[drawn(variation).generator] = generator.resource
    roots = {lineage.checkpoint_of(system) for system in systems if lineage.starts_from(system)} | encoders.keys()
    notes = [f"{name}: {resource}" for name, resource in sorted(resources.items()) if "stand-in" in resource]
    entries = ((name, lineage.scale.variations.get(name)) for name in sorted(resources))
    notes += [f"{name}: {entry.note}" for name, entry in entries if entry and entry.note]
    notes += [f"{name}: {lineage.scale.checkpoints[name].description}" for name in sorted(roots)]
    initial = {lineage.recipe(system).initial for system in systems if lineage.starts_from(system)}
    replaced = sorted((name, system) for name, system in lineage.scale.stand_ins.items() if name in initial)
    return notes + [f"{name}: stand-in: {lineage.recipe(system).label}" for name, system in replaced]


def published(graph: Graph, systems: Iterable[str]) -> list[str]:
    """Return a note for each released checkpoint that is shown as it is, with the score that it should reach."""
    lineage = graph.lineage
    initial_checkpoints = {system: lineage.starts_from(system) for system in systems if not lineage.is_random(system)}
    scores = {system: lineage.published(name) for system, name in initial_checkpoints.items() if name}
    return [score.sentence_for(lineage.recipe(system).label) for system, score in scores.items() if score]


def on_data(graph: Graph, paper: str, spec: TableSpec) -> list[str]:
    """Return notes on judgements, the source of variations, candidates of rankers, and released hard negatives."""
    lineage, notes = graph.lineage, []
    for role in spec.collections:
        entry, (collection, split) = lineage.config.papers[paper].evaluation[role], lineage.split_of(paper, role)
        if lineage.config.judged_by(collection, split)[0] == "answers":
            notes.append(f"{role}: a passage is relevant if its text contains an answer, matched by DPR's rules.")
        elif entry.judged_by == "answers":
            notes.append(
                f"{role}: the paper counts passages that contain an answer to one of the collection's {split} "
                f"questions; here the judged passages of {collection}'s {split} questions count."
            )
        if entry.validated and all(lineage.release((collection, split), name) for name in entry.variations):
            notes.append(
                f"{role}: the released variations that people judged valid, as in the paper; a query without a valid "
                "one keeps its original text."
            )
        elif entry.validated:
            notes.append(
                f"{role}: the paper takes released variations that people judged valid; here all variations count."
            )
        corrections = lineage.scale.corrected.get(f"{collection}/{split}", {})
        if corrections and any(
            lineage.kind(system).corrects for system, cell_role in spec.pairs() if cell_role == role
        ):
            places = ", ".join(dict.fromkeys(release.github or release.origin for release in corrections.values()))
            notes.append(f"{role}: the queries as the paper's spell checker corrected them, as released ({places}).")
    depths = {
        (candidates.depth, lineage.kind(system).depth(lineage.config, lineage.scale_name, system))
        for system, _ in spec.pairs()
        if not isinstance(candidates := getattr(lineage.recipe(system), "candidates", ""), str)
    }
    notes += [
        f"Rankers rerank the {depth} best passages of their first stage; in the paper, the {paper_depth} best."
        for paper_depth, depth in sorted(depths)
        if depth != paper_depth
    ]
    trained = {name for system, _ in spec.pairs() for name in lineage.lineage(system)}
    recipes = [lineage.recipe(name) for name in sorted(trained) if not lineage.miner_of(name)]
    roles = dict.fromkeys(recipe.collection for recipe in recipes if recipe.negatives)
    return notes + [
        f"Hard negatives of {role} are those that were released with its training questions." for role in roles
    ]


def deviations(graph: Graph, systems: Iterable[str]) -> list[str]:
    """Return a note for each paper from which trainings behind systems differ at full scale, and for each effect."""
    lineage, effects = graph.lineage, read_effects()
    trainings = {name for system in systems for name in lineage.lineage(system)}
    trainings |= {pretraining for name in trainings if (pretraining := lineage.pretraining_of(name))}
    notes = []
    for paper in dict.fromkeys(map(lineage.config.paper_of, sorted(trainings))):
        deviating = [source for source in lineage.config.sources[paper] if source.deviation]
        deviating = [source for source in deviating if trainings & {*concerned(lineage, paper, source)}]
        if deviating:
            subjects = "; ".join(source.subject for source in deviating)
            notes.append(
                f"At full scale too, training differs from {paper} in: {subjects} (docs/explanation/deviations.md)."
            )
        notes += [
            f"{source.subject[0].upper()}{source.subject[1:]}. {words}."
            for source in deviating
            for words in measured(source, effects)
        ]
    return notes
