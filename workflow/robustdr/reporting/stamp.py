"""The stamp on a report's pages: scale, commit, its day, and hardware."""

import subprocess
from pathlib import Path

from robustdr.keys.integrity import hardware


def stamp(scale: str, root: Path) -> str:
    """The scale, the commit with its day, and the hardware behind the measures in `root`."""
    try:
        command = ["git", "log", "-1", "--format=commit %h of %cs"]
        commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown commit"
    computed = sorted(hardware(root.glob("measures/*/*/seed*/*.parquet")))
    return " · ".join([f"scale {scale}", commit, *computed])
