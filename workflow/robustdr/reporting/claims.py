"""A paper's claims with their verdicts, as Markdown and JSON."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from robustdr.audit.claims import VERDICTS, Verdict, judge
from robustdr.evaluation.store import open_store
from robustdr.files import write_json, write_text


def markdown(settings: dict[str, Any], verdicts: list[Verdict]) -> str:
    counts = ", ".join(f"{sum(v.verdict == kind for v in verdicts)} {kind}" for kind in VERDICTS)
    lines = [f"# {settings['title']}: claims", ""]
    if settings["miniature"]:
        lines += [f"> **Miniature.** {settings['miniature']}", ""]
    lines += [f"{len(verdicts)} claims: {counts}.", "", "| Verdict | Claim | Evidence |", "| --- | --- | --- |"]
    lines += [f"| **{v.verdict}** | {v.claim} ({v.source}) | {v.test}: {v.evidence} |" for v in verdicts]
    lines += [
        "",
        "- A claim holds if every difference that it names has the claimed sign and is significant after Holm's "
        "correction; it fails if one is significant in the other direction.",
        "- A claim of equality or of a stated size has a margin, named in claims.yaml: it holds where the figure lies "
        "significantly inside, and fails where it lies significantly outside.",
        f"- Made by `{settings['command']}`.",
        "",
    ]
    return "\n".join(lines)


def write_claims(settings: dict[str, Any], measures: list[Path], claims: Path, output: Path) -> None:
    """Judge every claim of a paper and write the verdicts as .md and .json.

    Args:
        settings: `title`, `miniature`, `command`, `evaluation` by role, `reasons`, `keys` (by measures file).
        measures: measures files. claims: claims.yaml. output: the .md file.
    """
    store = open_store(settings, measures)
    verdicts = []
    for claim in yaml.safe_load(claims.read_text(encoding="utf-8"))["claims"]:
        where = settings["evaluation"][claim["role"]]
        for place, name in ((claim, "measure"), (claim["test"], "from_measure")):
            if name in place:
                place[name] = settings["measured"][place[name]]
        verdicts.append(judge(claim, store, where["collection"], where["split"], claims))
    write_json(output.with_suffix(".json"), {"claims": [asdict(verdict) for verdict in verdicts]})
    write_text(output, markdown(settings, verdicts))
