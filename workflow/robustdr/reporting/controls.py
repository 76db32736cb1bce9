"""The controls of a results folder: what any valid setting must show, and whether it does."""

from pathlib import Path

from robustdr.claims.controls import PASSES
from robustdr.claims.verdicts import NOT_RUN
from robustdr.core.errors import UserError
from robustdr.core.markup import code, plain, prose, table_row
from robustdr.reporting.artifacts import Claims, opened


def list_controls(folder: Path) -> tuple[str, int]:
    """Return the controls of a folder such as results/mini, in Markdown, and how many do not pass.

    Raises:
        UserError: the folder has no judged claims, or a file of them is damaged or of another version.
    """
    paths = sorted((folder / "claims").glob("*.json"))
    if not paths:
        raise UserError(f"{folder / 'claims'}: no judged claims; make them by: snakemake {folder}/claims/<paper>.md")
    lines = [table_row(["Paper", "Control", "State", "What must show", "Here"]), table_row(["---"] * 5)]
    states = []
    for path in paths:
        artifact, why = opened(path, Claims)
        if artifact is None:
            raise UserError(f"{path}: {why}; delete it, then: snakemake {path.with_suffix('.md')}")
        for control in artifact["controls"]:
            states.append(control["state"])
            fields = [code(control["name"]), control["state"], plain(control["what"]), prose(control["evidence"])]
            lines.append(table_row([path.stem, *fields]))
    if not states:
        return f"{folder}: the claims there have no controls.\n", 0
    counted = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    return "\n".join([*lines, "", f"{len(states)} controls: {counted}.", ""]), sum(
        state not in (PASSES, NOT_RUN) for state in states
    )
