"""`robustdr verify`: artifacts against their records and the plan, and generated texts against what makes them."""

import argparse
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stdout
from pathlib import Path
from shutil import copy, copytree
from tempfile import TemporaryDirectory
from typing import Any

from robustdr.evidence import command as evidence
from robustdr.evidence.findings import PICTURE, README
from robustdr.experiments.config import load
from robustdr.experiments.models import Config
from robustdr.graph import deviations
from robustdr.graph.effects import read_effects
from robustdr.graph.graph import Graph
from robustdr.graph.project import FOLDER, project
from robustdr.graph.targets import of_paper
from robustdr.keys.integrity import key_of, record_of
from robustdr.keys.node import histories

DATA = Path("data")  # files of collections that no package has: the settings of runs have their digests


def outdated(paths: Sequence[Path], changes: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each artifact whose key is not the one of today's plan: `snakemake --touch` hides it.

    Artifacts that no table, figure or claim of today needs have no key in the plan, and are left out.

    Args:
        paths: artifacts, or folders of them. changes: as `project` takes them.

    Raises:
        UserError: a fault of the configuration.
    """
    places = {os.path.relpath(record) for path in paths for record in (record_of(path), *path.rglob("*.sha256"))}
    if not (records := sorted(place for place in places if place.startswith("results/"))):
        return
    settings, config, graphs = project(changes)
    records_of = defaultdict(list)
    for record in records:
        roots = [root for root in graphs if record.startswith(f"{root}/")]
        records_of[max(roots, key=len, default="")].append(record)
    for root in records_of.keys() & graphs.keys():
        planned = planned_keys(graphs[root], config, settings.papers)
        for record in records_of[root]:
            artifact, keys = record.removesuffix(".sha256"), planned.get(record)
            if keys and Path(record).is_file() and (key := key_of(Path(artifact))) not in keys:
                yield (
                    f"{artifact}: outdated: its key is {key or 'none'}, today's code and configuration give "
                    f"{min(keys)}; run snakemake again"
                )


def planned_keys(graph: Graph, config: Config, papers: Sequence[str]) -> dict[str, set[str]]:
    """Return by record the keys of all artifacts behind the papers, of claims for all of a paper and for a part of it.

    Args:
        papers: what config.yaml asks for: papers, or their tables and figures.
    """
    parts = [*((paper, (paper,)) for paper in config.papers), *config.group_by_paper(papers).items()]
    targets = [node for paper, names in parts for node in of_paper(graph, paper, names)]
    keys = defaultdict(set)
    for node in [*targets, *histories(targets)]:
        for artifact in node.artifacts:
            keys[artifact.record].add(artifact.key)
    return keys


def changed_pages(reference: Mapping[Path, str]) -> Iterator[str]:
    """Yield a sentence for each page of the reference, or of deviations, that is not what its command writes now.

    Args:
        reference: the pages of the reference as they are made now.
    """
    for page, text in reference.items():
        yield from _difference(page, text, "robustdr reference")
    yield from _difference(deviations.PAGE, deviations.page(load(FOLDER), read_effects()), "robustdr deviations")


def changed_findings() -> Iterator[str]:
    """Yield a sentence for README, its picture or the page of findings if it is not what the ledger gives now."""
    places = (evidence.FINDINGS, README, PICTURE)
    with TemporaryDirectory() as folder:
        copytree(evidence.EVIDENCE, folder / evidence.EVIDENCE)
        copy(README, folder)
        for place in filter(Path.is_dir, (FOLDER, DATA)):
            Path(folder, place).symlink_to(place.resolve())
        with chdir(folder), open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
            evidence.findings(argparse.Namespace(scale=None, beside="text"))
        texts = {place: Path(folder, place).read_text(encoding="utf-8") for place in places}
    for place, text in texts.items():
        yield from _difference(place, text, "robustdr evidence findings")


def _difference(place: Path, text: str, command: str) -> Iterator[str]:
    """Yield a sentence that names the first line of a file that differs from what a command writes."""
    lines, new_lines = place.read_text(encoding="utf-8").splitlines(), text.splitlines()
    if lines != new_lines:
        pairs = zip(lines, new_lines, strict=False)
        number = next((n for n, (old, new) in enumerate(pairs, 1) if old != new), min(len(lines), len(new_lines)) + 1)
        yield f"{place}:{number}: it is not what `{command}` writes; run this command"
