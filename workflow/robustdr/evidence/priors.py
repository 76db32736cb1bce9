"""evidence/priors.json: how much training runs differ at each scale, fitted on the comparisons that claims make."""

from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd

from robustdr.claims.claim import Claim, load_claims
from robustdr.claims.measured import Measured, ratio
from robustdr.core.errors import Absent
from robustdr.core.files import write_json
from robustdr.evaluation import ledger, priors
from robustdr.evaluation.priors import Contrast, Written, read_priors
from robustdr.evaluation.quotients import Ratio
from robustdr.evaluation.settled import lay_out, one_run_a_seed
from robustdr.evaluation.store import open_store
from robustdr.evidence.identity import current, unreadable
from robustdr.evidence.judging import claims_inputs
from robustdr.graph.graph import Graph
from robustdr.graph.tables import PRIORS


class Compared(NamedTuple):
    """A comparison of a claim or control: the name of its test, its collection, and what is compared."""

    test: str
    collection: str
    ratio: Ratio


def comparisons_of_claims(graph: Graph, rows: pd.DataFrame) -> Iterator[Compared]:
    """Yield every comparison of every claim and control that rows of one scale have."""
    with TemporaryDirectory() as laid:
        keys = lay_out(one_run_a_seed(rows), Path(laid))
        for paper in (paper for paper, claims_file in graph.lineage.config.claims.items() if claims_file.claims):
            settings, claims, _ = claims_inputs(graph, paper, keys)
            store = open_store(settings, [*map(Path, settings.keys)])
            declared = load_claims(claims)
            for tested in declared.tested().values():
                testable = (
                    tested.without(settings.lacking, declared.controls)[0] if isinstance(tested, Claim) else tested
                )
                numbers = Measured(store, testable.role, testable.measure, settings.measured)
                for test in testable.tests().values():
                    try:
                        effects = list(test.effects(numbers))
                    except Absent:
                        continue
                    collection = store.evaluation[testable.role]["collection"]
                    yield from (Compared(test.name, collection, ratio(effect)) for effect in effects)


def contrasts(graph: Graph, rows: pd.DataFrame) -> list[Contrast]:
    """Return the comparisons of trained systems that rows of one scale have with several runs, each once.

    Those whose base is itself a loss or a gain are left out: their base varies between runs more than a mean does.
    """
    comparisons = comparisons_of_claims(graph, rows)
    usable = (
        comparison.ratio.contrast(comparison.collection) for comparison in comparisons if comparison.ratio.unit is None
    )
    return list(dict.fromkeys(filter(None, usable)))


def write(graphs: Collection[Graph], evidence: Path) -> Path:
    """Fit the priors of every scale on its runs with the settings of the configuration; return the file, readable.

    A scale keeps its priors where the files of a collection are not here: some of its runs could not be taken.
    """
    ledger_rows, output = ledger.read_ledger(evidence), evidence / PRIORS.name
    rows, before = current(graphs, ledger_rows), read_priors(output) if output.is_file() else {}
    families_of = {}
    for graph in graphs:
        scale = graph.lineage.scale_name
        if unreadable(graph, ledger_rows):
            families_of[scale] = before.get(scale, {})
        else:
            families_of[scale] = priors.fit(contrasts(graph, rows[rows["scale"] == scale]))
    scales = {scale: families for scale, families in sorted(families_of.items()) if families}
    write_json(output, _rounded(Written(version=1, scales=scales).model_dump()))
    return output


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value
