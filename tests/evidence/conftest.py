"""A folder of results with measures that carry the keys and records of the project's own configuration."""

from pathlib import Path

import pytest

from robustdr.evaluation.measures import write_measures
from robustdr.evaluation.settings import EvaluateSettings
from robustdr.evidence.identity import runs
from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.keys.integrity import record
from robustdr.retrieval.runs import write_run

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def config():
    return load(ROOT / "config")


@pytest.fixture()
def mini(config, tmp_path, monkeypatch):
    """The graph of the miniature; its files lie in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    return graph(config, "mini")


@pytest.fixture()
def finish(mini):
    """`finish("rodr")` writes a system's measures, as the stage does; its ranks may be given, and another key."""

    def write(system, ranks=(1, 2, 4), key=""):
        run = next(run for run in runs(mini) if run.system == system)
        ranking = Path("run.trec.gz")
        ranking_of = {f"q{number}": [("d", -1.0)] if rank == 1 else [] for number, rank in enumerate(ranks)}
        write_run(ranking, {qid: passages for qid, passages in ranking_of.items() if passages}, {"tag": system})
        Path("qrels").write_text("".join(f"q{number} 0 d 1\n" for number in range(len(ranks))))
        for node in run.nodes:
            settings = EvaluateSettings({query_set: ["RR@10"] for query_set in node.settings.measures}, 1)
            sources = dict.fromkeys(settings.measures, (ranking, Path("qrels")))
            write_measures(settings, sources, Path(node.path))
            record(Path(node.path), key=key or node.key, hardware=["a processor"])
        return Path(min(node.path for node in run.nodes))

    return write
