"""A folder in which the project's rules make artifacts of drawn data, by the settings of full scale."""

import multiprocessing
import os
import shutil
import sys
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Any

import yaml

from benchmarks.common import configured
from rehearsal import made
from rehearsal.measured import Cost, measured
from robustdr.core.files import write_text
from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.keys.integrity import record

ROOT = Path(__file__).parents[2]
# What config/ beside this file calls its collections, and its systems.
COLLECTION, LOG = "rehearsal", "rehearsal-log"
BM25, DENSE, TRAINED = (f"rehearsal_{name}" for name in ("bm25", "dense", "trained"))


def apart(work: Callable[..., None], *arguments: Any) -> None:
    """Do something in a process of its own: what this one holds counts as memory of all that it starts."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.apply(work, arguments)


class Project:
    """The configuration, laid over the project's own, and what is drawn and made by it.

    Attributes:
        passages, queries, logged: how many there are.
    """

    def __init__(self, folder: Path, size: float):
        self.folder = folder
        counts = (made.PASSAGES, made.QUERIES, made.LOGGED)
        self.passages, self.queries, self.logged = (ceil(size * count) for count in counts)
        shutil.copytree(Path(__file__).parent / "config", folder / "config")
        scale = configured("scales/full.yaml") | yaml.safe_load((folder / "config/scale.yaml").read_text())
        del scale["negatives"]["from_judgements"]  # names collections of the papers
        write_text(folder / f"config/scales/{COLLECTION}.yaml", yaml.safe_dump(scale))
        told = {"scale": COLLECTION, "papers": [COLLECTION], "overlay": str(folder.resolve() / "config")}
        write_text(folder / "config/config.yaml", yaml.safe_dump(told))
        self.graph = graph(load(ROOT / "config", folder / "config"), COLLECTION)

    def draw(self) -> None:
        """Write what the collections are read from, and the encoder."""
        splits = {"train": self.queries, "mined": made.MINED, "searched": made.SEARCHED, "log": self.logged}
        apart(made.write_inputs, self.folder / "made", self.passages, splits)

    def make(self, *targets: str) -> Cost:
        """Let Snakemake make artifacts."""
        command = [sys.executable, "-m", "snakemake", "--snakefile", f"{ROOT}/Snakefile", "--cores", "all"]
        command += ["--workflow-profile", f"{ROOT}/profiles/default", "--", *targets]
        return measured(command, self.folder)

    def draw_vectors(self) -> list[str]:
        """Put vectors where those that the encoder makes would lie."""
        shards = [shard.path for shard in self.graph.embeddings(DENSE, 0, COLLECTION)]
        paths = [self.folder / shard for shard in shards]
        paths[0].parent.mkdir(parents=True)
        apart(made.write_vectors, paths, self.passages)
        for path in paths:
            record(path, path.with_suffix(".ids"))
        return shards

    def draw_rankings(self) -> str:
        """Put rankings of all training queries where those that BM25 makes would lie."""
        run = self.graph.run(BM25, 0, (COLLECTION, "train"), "original").path
        depth = self.graph.lineage.scale.negatives.depth
        apart(made.write_rankings, self.folder / run, self.queries, self.passages, depth)
        record(self.folder / run)
        return run

    def bytes_of(self, *names: str) -> int:
        """What files of the folder take of the disk; a folder is all that lies below it."""
        files = [path for name in names for path in ([self.folder / name, *(self.folder / name).rglob("*")])]
        return sum(path.stat().st_blocks * 512 for path in files if path.is_file())

    def remove(self, *names: str) -> None:
        for name in names:
            os.remove(self.folder / name)
