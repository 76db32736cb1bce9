"""YAML files: what is read, what is refused, and the line of a key."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from robustdr.core.errors import UserError
from robustdr.core.yaml_files import located, read_numbered, read_yaml

TEXT = """\
systems:
  one: &one
    label: One
    loss: {name: rodr}
  two:
    <<: *one
    label: Two
  three: {<<: [*one], budget: x}
  four: *one
tables:
  - title: first
  - title: second
"""


@pytest.fixture()
def file(tmp_path):
    path = tmp_path / "some.yaml"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("systems", 1),
        ("systems.two.label", 7),
        ("systems.two.loss.name", 5),  # taken over there
        ("systems.three.label", 8),
        ("systems.three.budget", 8),
        ("systems.four.loss.name", 9),
        ("tables.1.title", 12),
        ("systems.two.nothing.deeper", 5),  # as far as the keys go
        ("nothing", None),
        ("tables.9", 10),
        ("systems.two: key: 'label'", 7),
        ("systems.two: key: 'lable'", 5),
    ],
)
def test_a_message_has_the_line_of_its_key_after_the_file(file, keys, line):
    line_note = f":{line}" if line else ""
    assert str(located(UserError(f"{file}: {keys}: wrong"))) == f"{file}{line_note}: {keys}: wrong"


def test_messages_without_a_file_or_with_one_that_is_gone_stay(tmp_path):
    for message in ("no file here", f"{tmp_path / 'gone.yaml'}: systems.two: wrong", "measures.yaml"):
        assert str(located(UserError(message))) == message


def test_a_key_of_its_own_overrides_one_that_is_merged(file):
    assert read_yaml(file)["systems"]["two"] == {"label": "Two", "loss": {"name": "rodr"}}


def test_keys_and_items_have_their_lines(file):
    lines = read_numbered(file)[1]
    assert (lines["systems", "one", "loss", "name"], lines["tables", 1], lines["tables", 1, "title"]) == (4, 12, 12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", ":3: top level: 'a' is given twice, first on line 1; the keys of a mapping are unique"),
        ("a:\n  - {b: 1, b: 2}\n", ":2: a.0: 'b' is given twice, first on line 2;"),
        ("a: &a {b: 1}\nc:\n  <<: *a\n  d: 1\n  d: 2\n", ":5: c: 'd' is given twice, first on line 4;"),
        ("a: &a {b: *a}\n", ":1: the anchor of 'b' is used inside itself; repeat the values"),
        ("? [a, b]\n: 1\n", ":1: a key is a mapping or a list; write a text"),
        ("a: {b: [}\n", r":1: not YAML: .*\(column 9\); quote the value or correct the indentation"),
        ("a: !thing 3\n", ":1: not YAML: could not determine a constructor for the tag '!thing'"),
        ("a: \x07\n", ": not YAML: "),
        ("", ": empty or no mapping; see docs/reference"),
        ("- a\n", ": empty or no mapping; see docs/reference"),
    ],
)
def test_what_is_refused(tmp_path, text, message):
    path = tmp_path / "some.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=f"^{path}{message}") as caught:
        read_yaml(path)
    assert "\n" not in str(caught.value)


NINE = range(9)
BOMBS = {
    "lists": ["[x, x]", *(f"[{', '.join([f'*a{n}'] * 9)}]" for n in range(11))],
    "mappings": ["{k: x}", *(f"{{{', '.join(f'k{m}: *a{n}' for m in NINE)}}}" for n in range(11))],
    "merge keys": ["{k: x}", *(f"{{<<: [{', '.join([f'*a{n}'] * 9)}], z{n}: 1}}" for n in range(11))],
    "two merge keys": ["{k: x}", *(f"{{<<: [*a{n}, *a{n}]}}" for n in range(25))],
    "a chain": ["{k: x}", *(f"{{<<: *a{n}, z{n}: 1}}" for n in range(3000))],
    "a depth of lists": ["[" * 100_000 + "]" * 100_000],
    "a depth of mappings": ["{a: " * 5000 + "1" + "}" * 5000],
    "a depth on one line": ["\n  " + "- " * 5000 + "x"],
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_answered_in_seconds_and_little_memory(tmp_path, bomb):
    (tmp_path / "bomb.yaml").write_text("".join(f"a{n}: &a{n} {text}\n" for n, text in enumerate(BOMBS[bomb])))
    code = (
        "import resource, sys\nfrom pathlib import Path\nresource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9))\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (10, 10))\n"
        "from robustdr.core import yaml_files\nfrom robustdr.core.errors import UserError\n"
        "try:\n    yaml_files.read_yaml(Path(sys.argv[1]))\nexcept UserError as error:\n    print(error)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "workflow")}
    command = [sys.executable, "-c", code, str(tmp_path / "bomb.yaml")]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert re.fullmatch(
        r".*/bomb\.yaml:\d+: (more than 100,000 entries, anchors included; use fewer anchors|"
        r"more than 50 mappings and lists inside each other; use fewer)\n",
        done.stdout,
    )


def test_fifty_levels_and_many_entries_are_read(tmp_path):
    path = tmp_path / "some.yaml"
    path.write_text("{a: " * 50 + "1" + "}" * 50)
    assert len(read_numbered(path)[1]) == 50
    path.write_text("a: &a {" + ", ".join(f"k{n}: x" for n in range(90)) + "}\nb: [" + ", ".join(["*a"] * 900) + "]")
    assert len(read_yaml(path)["b"]) == 900


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path):
    (tmp_path / "some.yaml").write_text("a: 1\n", encoding="utf-8-sig")
    assert read_yaml(tmp_path / "some.yaml") == {"a": 1}


def test_a_key_at_the_top_has_its_line(tmp_path):
    path = tmp_path / "some.yaml"
    path.write_text("first: 1\nother: 2\n", encoding="utf-8")
    error = located(UserError(f"{path}: top level: key: 'other' is unknown"))
    assert str(error) == f"{path}:2: top level: key: 'other' is unknown"


def test_what_is_read_belongs_to_who_reads_it(file, tmp_path):
    """A text is parsed once, wherever it is; an error names the file that was asked for."""
    tree, before = read_yaml(file), read_yaml(file)
    tree["systems"]["two"]["label"] = "changed"
    assert read_yaml(file) == before != tree
    for name in ("one.yaml", "other.yaml"):
        (tmp_path / name).write_text("a: 1\na: 2\n")
        with pytest.raises(UserError, match=rf"^{tmp_path / name}:2: top level: 'a' is given twice"):
            read_yaml(tmp_path / name)


@pytest.mark.parametrize(
    "value, why", [("2024-13-45", "month must be in 1..12"), ("9" * 5000, "a number of more than")]
)
def test_a_value_that_python_cannot_hold(tmp_path, value, why):
    path = tmp_path / "one.yaml"
    path.write_text(f"a: 1\nb: [{value}]\n", encoding="utf-8")
    with pytest.raises(UserError, match=rf"^{path}:2: not YAML: {why}.* \(column 5\); quote the value"):
        read_yaml(path)
