"""How much a ledger holds: trained models, seeds, machines and measured runs, which are not the same."""

from collections.abc import Mapping

import pandas as pd

from robustdr.graph.graph import Graph


def describe_size(rows: pd.DataFrame, graphs: Mapping[str, Graph]) -> str:
    """Return the size of a ledger in words.

    A model is a system that is trained with one seed on one kind of machine; its states at parts of its training are
    no models of their own. A run is the measures of a system with one seed on one collection.

    Args:
        rows: of the ledger. graphs: by scale.
    """
    runs = rows.drop_duplicates(["scale", "key", "hardware"])
    runs = runs.assign(system=runs["system"].str.partition(".")[0])
    lineages = {scale: graph.lineage for scale, graph in graphs.items()}
    trained = [
        scale in lineages and system in lineages[scale].config.systems and lineages[scale].is_trained(system)
        for scale, system in zip(runs["scale"], runs["system"], strict=True)
    ]
    models = runs[trained].drop_duplicates(["scale", "system", "seed", "hardware"])
    seeds, machines = models["seed"].nunique(), runs["hardware"].nunique()
    return (
        f"{len(models):,} trained models ({seeds} seed{'s' * (seeds != 1)}, {machines} kind{'s' * (machines != 1)} of "
        f"machine), {len(runs):,} measured runs"
    )
