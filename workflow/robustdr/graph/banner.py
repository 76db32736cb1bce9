"""What stands in for what in a miniature: its banner, names of collections, and proxies of what claims are about."""

from collections.abc import Iterable

from robustdr.graph.lineage import Lineage


def banner(lineage: Lineage, pairs: Iterable[tuple[str, str]]) -> str:
    """Return the scale's text about stand-ins and their amounts if a cell's collection is one, or all are cut; else ''.

    Args:
        pairs: system and role of the cells.
    """
    if cut := lineage.scale.cut:
        part = f"at most {cut.queries:,} queries of a split, the passages that they judge and {cut.passages:,} others"
        return f"{lineage.scale.description} Every collection is cut: {part}. No number here compares with the paper's."
    cells = [pair for pair in pairs if lineage.has_cell(*pair)]
    roles = {role: lineage.collection_of(role) for _, role in cells}
    collections = dict.fromkeys(roles.values())
    small = {name: source for name in collections if (source := lineage.config.collections[name]).get("miniature")}
    if not small:
        return ""
    amounts = []
    for name, source in small.items():
        if "passages" not in source:  # its description has the amounts; a source says them only if they are chosen
            continue
        splits = ", ".join(f"{split} {split_entry['queries']:,}" for split, split_entry in source["splits"].items())
        stood_for = ", ".join(role for role, collection in roles.items() if collection == name)
        amounts.append(f"{name}, for {stood_for}, has {source['passages']:,} passages and questions ({splits})")
    systems = dict.fromkeys(system for system, _ in cells if not lineage.unavailable(system))
    if trained := sorted(filter(None, (updates(lineage, system) for system in systems))):
        amounts.append(
            f"about {' to '.join(dict.fromkeys(f'{count:,}' for count in (trained[0], trained[-1])))} updates"
        )
        amounts.append(f"seeds: {max(len(lineage.seeds(system)) for system in systems)}")
    return f"{lineage.scale.miniature} Amounts: {'; '.join(amounts)}." if amounts else lineage.scale.miniature


def places(lineage: Lineage, paper: str) -> dict[str, str]:
    """Return what a paper's collections are called where a miniature's stand in for them, by role."""
    roles = [role for role in lineage.config.papers[paper].evaluation if role in lineage.scale.collections]
    stand_ins = {role: lineage.collection_of(role) for role in roles}
    return {
        role: f"{role} (here: {name})"
        for role, name in stand_ins.items()
        if lineage.config.collections[name].get("miniature")
    }


def untestable(lineage: Lineage, paper: str) -> dict[str, str]:
    """Return what stands in at the scale for what a paper's claims are about, by the key of a claim in its file."""
    claims = lineage.config.claims[paper].claims
    replaced = {f"claims.{number}": claim.replaced(lineage.scale.proxies) for number, claim in enumerate(claims)}
    return {key: words for key, words in replaced.items() if words}


def updates(lineage: Lineage, system: str) -> int:
    """Return the updates of a system's training, with those of the systems that it continues; 0 if it has none.

    Those of a snapshot end with it. Questions that give no training example, a few, are counted; trainings on other
    collections than miniatures are not.
    """
    before = updates(lineage, parent) if (parent := lineage.initial_of(system)) else 0
    if not lineage.is_trained(system):
        return before
    (collection, split), budget = lineage.train_split(system), lineage.budget(system)
    source = lineage.config.collections[collection]
    if not source.get("miniature") or "passages" not in source:
        return before
    training_updates = max(
        1, round(budget.epochs * (source["splits"][split]["queries"] // (budget.batch_size * budget.devices)))
    )
    return before + round(training_updates * int(system.partition(".at")[2] or 100) / 100)
