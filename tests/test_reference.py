"""The reference pages: made from the models, plug-ins and options, and not old."""

import argparse
import re
import shlex
from pathlib import Path

import pytest

from robustdr.cli import parser
from robustdr.core.errors import UserError
from robustdr.reference import TABLES, filled, table_of, write

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
PAGES = [path for path in sorted(FOLDER.glob("*.md")) if "<!-- end -->" in path.read_text(encoding="utf-8")]


def every(what, options=None):
    """What is written for a mark."""
    return filled(f"<!-- {what} -->\n<!-- end -->\n", "here", options or argparse.ArgumentParser())


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_page_is_what_robustdr_reference_writes_and_every_key_has_a_meaning(page):
    text = page.read_text(encoding="utf-8")
    assert filled(text, page.name, parser()) == text, "run `robustdr reference`"
    assert not re.findall(r"^.*\| +\|$", text, re.MULTILINE)


def test_every_model_has_its_table():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    missing = [name for name in TABLES if f"<!-- keys of {name} -->" not in text and name not in ("Config", "Place")]
    assert not missing


def test_a_row_has_type_limits_default_and_meaning():
    rows = table_of(TABLES["PretrainingBudget"])
    assert "| `warmup` | number ≥ 0 ≤ 1 | Share of the steps in which the learning rate rises. |" in rows  # inherited
    assert "| `vocabulary` | `corpus`, `all`; default `all` | Tokens that" in rows
    assert "| `stemmer` | text or null | A Snowball stemmer" in table_of(TABLES["BM25IndexSettings"])
    assert "qid&lt;TAB>text" in table_of(TABLES["Release"])  # Markdown takes <TAB> for a tag


def test_plug_ins_have_a_section_each_without_the_keys_of_all():
    text = every("every kind")
    assert "### `rm3`\n\nBM25 with feedback" in text and "| `variant` | `terrier`, `anserini` |" in text
    assert "`label`" not in text and "`label`" in every("keys of Recipe")
    assert "### `self_teaching`" in every("every loss") and "It has no keys of its own." in every("every loss")
    assert "### `hurts_most`, `hurts_least`" in every("every test")
    assert "| `lemmatise` | syntactic (capot) |" in every("every variation")


def test_a_command_has_its_arguments():
    made = argparse.ArgumentParser(prog="p")
    commands = made.add_subparsers()
    group = commands.add_parser("a").add_subparsers()
    command = group.add_parser("b", description="Does b.")
    command.add_argument("file", help="a file")
    command.add_argument("-o", "--output", required=True, help="a|b")
    command.add_argument("--how", choices=["x", "y"], help="how")
    command.add_argument("--data", metavar="FILE|ID")
    group.add_parser("c", description="Does c.")
    assert every("every command", made) == (
        "<!-- every command -->\n\n### `p a b`\n\nDoes b.\n\n| argument | meaning |\n| --- | --- |\n"
        "| `file`; required | a file |\n| `-o OUTPUT`, `--output OUTPUT`; required | a\\|b |\n"
        "| `--how`: `x`, `y` | how |\n| `--data FILE or ID` |  |\n\n"
        "### `p a c`\n\nDoes c.\n\nIt takes no arguments.\n\n<!-- end -->\n"
    )


def test_text_beside_the_marks_stays(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- keys of Index -->\nold\n<!-- end -->\nb\n<!-- keys of Index -->\n<!-- end -->\nc\n")
    assert write(tmp_path, parser()) == [page]
    made = page.read_text()
    assert made.count("`nprobe`") == 2 and "old" not in made and re.findall("^[abc]$", made, re.M) == ["a", "b", "c"]
    write(tmp_path, parser())
    assert page.read_text() == made


@pytest.mark.parametrize("mark", ["keys of Nothing", "every Index"])
def test_a_mark_of_nothing_is_an_error(mark):
    with pytest.raises(UserError, match=f"here: {mark}: unknown; allowed: "):
        every(mark)


def test_a_folder_without_marks_is_an_error(tmp_path):
    with pytest.raises(UserError, match="no page has a line like"):
        write(tmp_path, parser())


ROOT = FOLDER.parents[1]
PROSE = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def called(text):
    """Every call of `robustdr` in a page, as words: in blocks, and in code within the text."""
    blocks = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).replace("\\\n", " ")
    lines = re.findall(r"^robustdr .*", blocks, re.MULTILINE) + re.findall(r"`(robustdr [^`]*)`", text)
    return [shlex.split(line, comments=True) for line in lines if "…" not in line]


def unknown(words):
    """The options of a call that its command does not have; the command itself if there is none of its name."""
    at = parser()
    for number, word in enumerate(words[1:], 1):
        groups = [action for action in at._actions if isinstance(action, argparse._SubParsersAction)]
        if not groups:
            return [each for each in words[number:] if each.startswith("-") and each not in at._option_string_actions]
        if word not in groups[0].choices:
            return [word] if word not in at._option_string_actions else []
        at = groups[0].choices[word]
    return []


def test_a_call_with_an_option_that_no_command_has_is_found():
    assert unknown(called("```sh\nrobustdr audit my.yaml \\\n  --run DIR  # c\n```")[0]) == ["--run"]
    assert unknown(called("see `robustdr evidence lst`.")[0]) == ["lst"] and not unknown(
        ["robustdr", "audit", "-o", "x"]
    )


@pytest.mark.parametrize("page", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_in_a_page_is_one(page):
    text = page.read_text(encoding="utf-8")
    assert not [words for words in called(text) if unknown(words)]
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert not named - targets
