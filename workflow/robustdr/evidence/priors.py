"""evidence/priors.json: how much training runs differ at each scale, fitted on the comparisons that claims make."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd

from robustdr.claims.claim import Claim, load_claims
from robustdr.claims.measured import Measured, ratio
from robustdr.core.errors import Absent
from robustdr.core.files import write_json
from robustdr.evaluation import priors
from robustdr.evaluation.priors import Contrast, Written
from robustdr.evaluation.quotients import Ratio
from robustdr.evaluation.settled import lay_out, one_run_a_seed
from robustdr.evaluation.store import open_store
from robustdr.graph import tables
from robustdr.graph.graph import Graph

PRIORS = "priors.json"  # fitted on the ledger's runs with the settings of the configuration


class Compared(NamedTuple):
    """A comparison of a claim or control: the name of its test, its collection, and what is compared."""

    test: str
    collection: str
    ratio: Ratio


def compared(graph: Graph, rows: pd.DataFrame) -> Iterator[Compared]:
    """Yield every comparison of every claim and control that rows of one scale have."""
    with TemporaryDirectory() as laid:
        keys = lay_out(one_run_a_seed(rows), Path(laid))
        for paper in (paper for paper, of in graph.lineage.config.claims.items() if of.claims):
            node = tables.claims(graph, paper, (paper,))
            settings = node.settings
            asked = {Path(path).parts[-3:-1] for path in settings.keys}  # collection, system
            own = [path for path in keys if Path(path).parts[-3:-1] in asked]
            store = open_store(replace(settings, keys={path: keys[path] for path in own}), list(map(Path, own)))
            declared = load_claims(next(iter(node.inputs["claims"].files)))
            for tested in declared.tested().values():
                one = tested.without(settings.lacking, declared.controls)[0] if isinstance(tested, Claim) else tested
                numbers = Measured(store, one.role, one.measure, settings.measured)
                for test in one.tests().values():
                    try:
                        effects = list(test.effects(numbers))
                    except Absent:
                        continue
                    collection = store.evaluation[one.role]["collection"]
                    yield from (Compared(test.name, collection, ratio(effect)) for effect in effects)


def contrasts(graph: Graph, rows: pd.DataFrame) -> list[Contrast]:
    """Return the comparisons of trained systems that rows of one scale have with several runs, each once.

    Those whose base is itself a loss or a gain are left out: their base varies between runs more than a mean does.
    """
    every = compared(graph, rows)
    found = (one.ratio.contrast(one.collection) for one in every if one.ratio.unit is None)
    return list(dict.fromkeys(filter(None, found)))


def write(graphs: Mapping[str, Graph], rows: pd.DataFrame, output: Path) -> None:
    """Fit the priors of every scale that a ledger has runs of, and write them, readable and in a fixed order.

    Args:
        graphs: by scale. rows: of the ledger, all with the settings of the configuration.
    """
    fitted = {
        scale: families
        for scale in sorted(rows["scale"].unique())
        if (families := priors.fit(contrasts(graphs[scale], rows[rows["scale"] == scale])))
    }
    write_json(output, _rounded(Written(version=1, scales=fitted).model_dump()))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(of) for name, of in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value
