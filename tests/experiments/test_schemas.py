"""The JSON schemas of the configuration."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from robustdr.core.errors import UserError
from robustdr.experiments.schemas import write

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    folder = tmp_path_factory.mktemp("config")
    paths = {path.name: path for path in write(folder)}
    return {name.partition(".")[0]: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items()}


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("config", "config.yaml"),
        ("collections", "collections.yaml"),
        ("scale", "scales/*.yaml"),
        *((name, f"papers/*/{name}.yaml") for name in ("experiment", "claims", "sources", "reported", "released")),
    ],
)
def test_the_project_s_files_fit_the_schemas_and_a_misspelt_key_does_not(schemas, name, files):
    check = Draft202012Validator(schemas[name])
    for file in sorted((ROOT / "config").glob(files)):
        tree = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert not [error.message for error in check.iter_errors(tree)], file
        assert list(check.iter_errors({**tree, "misspelt": 3})), file


def test_a_recipe_has_the_keys_of_its_kind(schemas):
    check = Draft202012Validator(schemas["experiment"])
    tree = yaml.safe_load((ROOT / "config/papers/rodr/experiment.yaml").read_text(encoding="utf-8"))
    for recipe in ({**tree["systems"]["bm25"], "teacher": "rodr"}, {"label": "L", "kind": "bm26"}, {"kind": "bm25"}):
        assert list(check.iter_errors({**tree, "systems": {"bm25": recipe}})), recipe


def test_a_folder_that_is_no_configuration(tmp_path):
    with pytest.raises(UserError, match="nothing: no such folder"):
        write(tmp_path / "nothing")
