"""Schemas and tables of keys: made from the models, and not stale."""

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from robustdr.core.errors import UserError
from robustdr.experiments.reference import TABLES, table_of, tabulated, write

ROOT = Path(__file__).parents[2]
README = (ROOT / "config" / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    folder = tmp_path_factory.mktemp("config")
    (folder / "README.md").write_text("nothing\n")
    made = {path.name: path for path in write(folder) if path.suffix == ".json"}
    return {name.partition(".")[0]: json.loads(path.read_text(encoding="utf-8")) for name, path in made.items()}


def test_the_tables_of_keys_are_those_of_the_models():
    assert tabulated(README, "config/README.md") == README, "run `robustdr schemas`"


@pytest.mark.parametrize("name", sorted(set(re.findall(r"<!-- keys of (\w+) -->", README))))
def test_every_key_has_a_description(name):
    rows = table_of(TABLES[name]).splitlines()[2:]
    assert rows and all(row.rsplit(" | ", 1)[1].removesuffix(" |").strip() for row in rows)


def test_a_table_s_row_has_type_limits_default_and_meaning():
    rows = table_of(TABLES["PretrainingBudget"])
    assert "| `warmup` | number ≥ 0 ≤ 1 | Share of the steps in which the learning rate rises. |" in rows  # inherited
    assert "| `vocabulary` | `corpus`, `all`; default `all` | Tokens that" in rows
    assert "| `stemmer` | text or null | A Snowball stemmer" in table_of(TABLES["BM25IndexSettings"])


def test_a_mark_of_no_model_is_an_error():
    with pytest.raises(UserError, match="here: keys of Nothing: unknown; allowed: BM25"):
        tabulated("<!-- keys of Nothing -->\n<!-- end -->\n", "here")


def test_text_beside_the_marks_stays():
    text = "a\n<!-- keys of Index -->\nold\n<!-- end -->\nb\n<!-- keys of Index -->\n<!-- end -->\nc\n"
    made = tabulated(text, "here")
    assert made.count("`nprobe`") == 2 and "old" not in made and re.findall("^[abc]$", made, re.M) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("config", ["config.yaml"]),
        ("collections", ["collections.yaml"]),
        ("scale", ["scales/evidence.yaml", "scales/full.yaml", "scales/mini.yaml", "scales/pretraining.yaml"]),
        ("experiment", [f"papers/{paper}/experiment.yaml" for paper in ("rodr", "capot", "qvg", "toroder", "all")]),
        ("claims", ["papers/rodr/claims.yaml", "papers/all/claims.yaml"]),
        ("reported", ["papers/rodr/reported.yaml", "papers/intent/reported.yaml"]),
    ],
)
def test_the_project_s_files_fit_the_schemas_and_a_misspelt_key_does_not(schemas, name, files):
    check = Draft202012Validator(schemas[name])
    for file in files:
        tree = yaml.safe_load((ROOT / "config" / file).read_text(encoding="utf-8"))
        assert not [error.message for error in check.iter_errors(tree)], file
        assert list(check.iter_errors({**tree, "misspelt": 3})), file


def test_a_recipe_has_the_keys_of_its_kind(schemas):
    check = Draft202012Validator(schemas["experiment"])
    tree = yaml.safe_load((ROOT / "config/papers/rodr/experiment.yaml").read_text(encoding="utf-8"))
    for recipe in ({**tree["systems"]["bm25"], "teacher": "rodr"}, {"label": "L", "kind": "bm26"}, {"kind": "bm25"}):
        assert list(check.iter_errors({**tree, "systems": {"bm25": recipe}})), recipe


def test_a_folder_that_is_no_configuration(tmp_path):
    with pytest.raises(UserError, match=r"README\.md: no such file"):
        write(tmp_path)
