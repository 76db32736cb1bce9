"""Parcels: all that a job made as one file, for machines that share no files.

Snakemake's storage plugins carry the files that rules declare. A job may make more: the files of a model, the runs of
several query sets. So where files are not shared, each rule also declares a parcel: a tar archive of the artifacts of
its job, with their records. A job gets the parcels of what it reads, and works in its own `results` folder as ever.

`python -m robustdr.graph.parcels FOLDER @SETTINGS unpack|pack` runs before and after a stage. FOLDER is where Snakemake
keeps its copies of stored results, SETTINGS the file of what the stage is told.
"""

import json
import os
import shutil
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path

from robustdr.core.files import atomic, write_json
from robustdr.core.locks import exclusive_lock
from robustdr.keys.integrity import is_whole, listed
from robustdr.keys.node import Node
from robustdr.keys.notes import RUNS

RESULTS = Path("results")
SUFFIX = ".tar"


def parcel_of(node: Node) -> str:
    """Return the path of the parcel with an artifact: it is named after the first record of the job."""
    return f"{node.artifacts[0].declared}{SUFFIX}"


def write_plan(settings: str, node: Node, inputs: Iterable[str]) -> None:
    """Write what is to be unpacked before a job, and what is to be packed after it, beside its file of settings.

    Args:
        settings: that file. node: the first artifact of the job. inputs: all files that its rule declares as inputs.
    """
    write_json(_plan(settings), {"inputs": list(inputs), "records": [artifact.record for artifact in node.artifacts]})


def _plan(settings: str) -> Path:
    return Path(f"{settings}.parcels")


def unpack(parcel_file: Path) -> None:
    """Bring the artifacts of a parcel to their places, unless they are there."""
    with exclusive_lock(RUNS / "parcels.lock"), tarfile.open(parcel_file) as parcel:
        records = [member for member in parcel.getmembers() if member.name.endswith(".sha256")]
        for member in records:
            record, packed = Path(member.name), parcel.extractfile(member)
            if not (packed and is_whole(record) and record.read_bytes() == packed.read()):
                break
        else:
            return
        for member in records:  # a folder has no other files than those of its record
            shutil.rmtree(member.name.removesuffix(".sha256"), ignore_errors=True)
        parcel.extractall(filter="data")


def pack(records: Iterable[Path], parcel_file: Path) -> list[Path]:
    """Write the parcel of artifacts, given by their records, and of those made with them; return its files."""
    all_records = list(dict.fromkeys(records))
    files = list[Path]()
    for record in all_records:
        for file in listed(record):
            (all_records if file.suffix == ".sha256" else files).append(file)
    files += dict.fromkeys(reversed(all_records))  # last: an artifact is whole once its record is there
    with atomic(parcel_file) as partial, tarfile.open(partial, "w") as parcel:
        for file in files:
            parcel.add(file)
    return files


def place(source: Path, target: Path) -> None:
    """Put a file at another place as well."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy(source, target)


def main(folder: str, settings: str, action: str) -> None:
    """Unpack what a job reads, or pack what it made."""
    if not (plan_file := _plan(settings.removeprefix("@"))).is_file():
        return  # a stage that is told everything on its command line
    plan, stored = json.loads(plan_file.read_text(encoding="utf-8")), Path(folder)
    if action == "unpack":
        for path in map(Path, plan["inputs"]):
            if path.suffix == SUFFIX:
                unpack(stored / path.relative_to(RESULTS))
            elif path.suffix != ".sha256":
                place(stored / path.relative_to(RESULTS), path)
    else:
        parcel_file = Path(f"{plan['records'][0]}{SUFFIX}")
        for path in pack(map(Path, plan["records"]), stored / parcel_file.relative_to(RESULTS)):
            place(path, stored / path.relative_to(RESULTS))


if __name__ == "__main__":
    main(*sys.argv[1:])
