"""docs/findings.md, README.md's findings and evidence/replicates.json: from the ledger, or from a scale's verdicts."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from robustdr.core.errors import UserError
from robustdr.core.files import write_json
from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.evaluation.quotients import Ratio
from robustdr.evaluation.settled import lay_out, one_run_a_seed
from robustdr.evaluation.store import open_store
from robustdr.evidence.adding import describe_size
from robustdr.evidence.judging import Judge, deciding
from robustdr.graph import tables
from robustdr.graph.graph import Graph
from robustdr.graph.site import REPLICATES
from robustdr.reporting.artifacts import Claims
from robustdr.reporting.findings import Chain, OtherSetting, Part, write_findings
from robustdr.reporting.front import ledger_digest, write_front
from robustdr.reporting.settings import TableSettings

README, PICTURE = Path("README.md"), Path("docs/headlines.svg")
CHAINS = ("all", "decomposition")  # the comparison's paper and table of what gains are made of


def findings(graphs: Mapping[str, Graph], scale: str, second_scale: str, evidence: Path, output: Path) -> None:
    """Write the page.

    Args:
        graphs: by the folder of their results. scale: whose claims; its runs are those of the ledger `evidence`, or
            else those behind the claims in the scale's folder. second_scale: another, whose verdicts stand beside
            these if the ledger has runs of it.

    Raises:
        UserError: neither has verdicts at this scale.
    """
    judge = Judge.from_ledger(graphs, evidence)
    graph = judge.graphs[scale]
    papers = [paper for paper, declared in graph.lineage.config.claims.items() if declared.claims]
    if judge.has(scale):
        verdicts = _judge(judge, scale, papers)
        origin = f"From {_size(judge, scale)}, kept in the folder {evidence}."
        with TemporaryDirectory() as laid:
            rows = judge.rows[judge.rows["scale"] == scale]
            chains = _chains(graph, lay_out(one_run_a_seed(rows), Path(laid)), judge.priors)
        write_json(
            evidence / REPLICATES.name, {path.stem: deciding(document["claims"]) for path, document in verdicts.items()}
        )
    else:
        verdict_files = [path for paper in papers if (path := Path(graph.root, "claims", f"{paper}.json")).is_file()]
        if not verdict_files:
            raise UserError(f"{evidence}: no runs at scale {scale}, and {graph.root}/claims has no verdicts; run them")
        verdicts = _read_verdicts(verdict_files)
        origin = f"From the runs in the folder {graph.root}."
        keys = _settings(graph).keys
        chains = _chains(graph, {path: key for path, key in keys.items() if Path(path).is_file()}, judge.priors)
    second = None
    if second_scale != scale and judge.has(second_scale):
        documents = _judge(judge, second_scale, papers).values()
        by_title = {document["title"]: document for document in documents}
        second = OtherSetting(
            judge.graphs[second_scale].lineage.scale.setting, f"From {_size(judge, second_scale)}.", by_title
        )
    setting = graph.lineage.scale.setting
    write_findings(origin, verdicts, chains, ledger_digest(evidence), output, setting, second)
    write_front(origin, list(verdicts.values()), setting, second, evidence, README, PICTURE)


def _judge(judge: Judge, scale: str, papers: list[str]) -> dict[Path, Claims]:
    return _read_verdicts(judge.write(scale, papers, Path("results/ledger", scale, "claims")))


def _read_verdicts(paths: list[Path]) -> dict[Path, Claims]:
    return {path: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def _size(judge: Judge, scale: str) -> str:
    return describe_size(judge.rows[judge.rows["scale"] == scale], judge.graphs)


def _settings(graph: Graph) -> TableSettings:
    settings: TableSettings = tables.table_settings(graph, *CHAINS)
    return settings


def _chains(graph: Graph, keys: dict[str, str], priors: Path | None) -> list[Chain]:
    """Return what the gain of each method of the comparison is made of; none if something was not run."""
    paper, table = CHAINS
    if paper not in graph.lineage.config.papers:
        return []
    settings = _settings(graph)
    spec = graph.lineage.config.papers[paper].tables[table]
    (role,) = spec.collections
    table_places = {Path(path).parts[-4:-2] for path in settings.keys}
    table_keys = {path: key for path, key in keys.items() if Path(path).parts[-4:-2] in table_places}
    store = open_store(replace(settings, keys=table_keys), [*map(Path, table_keys)], priors)
    if any(store.why_not(system, role, MEAN) for system in settings.labels):
        return []
    measure = settings.measured[settings.evaluation[role]["measures"][0]]
    variations = len(store.averaged(role, MEAN))
    measured = f"{measure} on the mean of {variations} variations, on {settings.display_names.get(role, role)}"

    def step(before: str, after: str, first: str) -> Part:
        gain = store.estimate(after, role, MEAN, measure) - store.estimate(before, role, MEAN, measure)
        share = Ratio(gain, store.estimate(first, role, ORIGINAL, measure))
        return Part(share.value, *share.interval(0.95))

    chains = []
    for system in spec.systems:
        first, links = spec.chain(system)
        parts, before = dict[str, Part | None](), first
        for link, after in links:
            parts[link] = step(before, after, first) if after else None
            before = after or before
        parts["all together"] = step(first, system, first)
        chains.append(Chain(settings.labels[system], parts, measured))
    return chains
