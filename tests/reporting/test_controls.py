"""`robustdr controls`: the table of a results folder and the exit status."""

import json

import pytest

from robustdr.cli import main


def write_claims(folder, **states):
    """A folder with the claims of two papers; the controls of the first have these states."""
    effects: list[dict] = []
    controls = [
        {"name": name, "what": f"{name} must show", "state": state, "reason": "", "evidence": "+1%", "effects": effects}
        for name, state in states.items()
    ]
    (folder / "claims").mkdir()
    for paper, paper_controls in (("rodr", controls), ("qvg", [])):
        artifact = {"title": paper, "scale": "mini", "miniature": "", "chance": "", "aa": []}
        artifact |= {"command": "", "names": {}, "evaluation": {}, "controls": paper_controls, "claims": []}
        (folder / "claims" / f"{paper}.json").write_text(json.dumps(artifact), encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize(
    ("states", "status", "last"),
    [
        ({"costs": "passes", "wins": "fails"}, 1, "2 controls: 1 passes, 1 fails."),
        ({"costs": "passes", "wins": "undecided"}, 1, "2 controls: 1 passes, 1 undecided."),
        ({"costs": "passes", "wins": "not run"}, 0, "2 controls: 1 passes, 1 not run."),
        ({}, 0, "the claims there have no controls."),
    ],
)
def test_the_exit_status_is_1_where_a_control_does_not_pass(tmp_path, capsys, states, status, last):
    assert main(["controls", write_claims(tmp_path, **states)]) == status
    printed = capsys.readouterr().out
    assert printed.strip().endswith(last)
    assert all(f"| rodr | `{name}` | {state} | {name} must show | +1% |" in printed for name, state in states.items())


def test_a_folder_without_claims_and_a_damaged_file_are_one_line(tmp_path, capsys):
    assert main(["controls", str(tmp_path)]) == 2
    assert "no judged claims" in capsys.readouterr().err
    folder = write_claims(tmp_path)
    (tmp_path / "claims" / "rodr.json").write_text("{}", encoding="utf-8")
    assert main(["controls", folder]) == 2
    assert "rodr.json: other version" in capsys.readouterr().err
