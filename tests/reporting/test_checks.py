"""What a table or figure may name: a mistake is one line with file, key, value and what is allowed."""

import re
import shutil
from pathlib import Path

import pytest
import yaml

from robustdr.core.errors import UserError
from robustdr.experiments.config import load

ROOT = Path(__file__).parents[2]
LAYOUT = {"title": "T", "collections": ["msmarco-passage", "antique"]}
COLLECTIONS = {
    **LAYOUT,
    "rows": "collections",
    "systems": [["dr_oq", "dr_oq"], ["rodr", "rodr"]],
    "measures": ["R@1000"],
    "query_sets": ["variations_mean"],
}
METHODS = {**LAYOUT, "collections": ["antique"], "rows": "methods", "systems": ["dr_oq", "rodr"]}
METHODS |= {"base": "dr_oq", "level": 0.05}
DEPTHS = {"title": "F", "kind": "loss_by_depth", "collection": "antique", "query_set": "variations_mean"}
DEPTHS |= {"systems": {"rodr": "RoDR"}, "drop_from": "dr_oq", "measures": ["R@1000"], "reported": ["table4"]}


@pytest.fixture()
def complaint(tmp_path):
    """`complaint(part, name, value)`: what loading says with rodr's experiment changed there; empty if nothing."""
    folder = shutil.copytree(ROOT / "config", tmp_path / "config")
    path = folder / "papers" / "rodr" / "experiment.yaml"

    def change(*place) -> str:
        *keys, last, value = place
        tree = branch = yaml.safe_load(path.read_text(encoding="utf-8"))
        for key in keys:
            branch = branch[key]
        branch[last] = value
        path.write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")
        try:
            load(folder)
        except UserError as error:
            return re.sub(r"^\S+\.yaml:\d+: ", "", str(error))
        return ""

    return change


@pytest.mark.parametrize("table", [COLLECTIONS, {**COLLECTIONS, "drop_from": ["dr_oq", "dr_oq"]}, METHODS])
def test_a_good_table_is_taken(complaint, table):
    assert complaint("tables", "table9", table) == ""


def test_a_good_figure_is_taken(complaint):
    assert complaint("figures", "figure9", DEPTHS) == ""


@pytest.mark.parametrize(
    "table, start",
    [
        ({**COLLECTIONS, "drop_from": ["dr_oq"]}, "drop_from: dr_oq: 1 for 2 collections; name one system for each"),
        ({**COLLECTIONS, "systems": [["dr_oq"]]}, "systems: dr_oq: 1 for 2 collections; name one system for each"),
        ({**COLLECTIONS, "systems": [["dr_oq", "rodor"]]}, "systems: 'rodor' is unknown (did you mean rodr"),
        ({**COLLECTIONS, "query_sets": ["typo_mean"]}, "query_set: 'typo_mean' is unknown"),
        (
            {**COLLECTIONS, "measures": ["RR@10"]},
            "measure: 'RR@10' is unknown (did you mean R@1000?); allowed: R@1000, nDCG@10",
        ),
        ({**METHODS, "base": "bm25"}, "base: 'bm25' is unknown; allowed: dr_oq, rodr"),
    ],
)
def test_a_wrong_table_is_named(complaint, table, start):
    assert complaint("tables", "table9", table).startswith(f"tables.table9.{start}")


def test_a_key_of_another_layout_is_refused(complaint):
    assert complaint("tables", "table2", "level", 0.05).startswith("tables.table2")


def test_a_mean_is_one_of_the_roles_variations(complaint):
    message = complaint("evaluation", "antique", "means", {"typos_mean": ["misspell"]})
    assert message.startswith("evaluation.antique.means.typos_mean: 'misspell' is unknown")


def test_the_mean_of_all_variations_needs_no_declaration(complaint):
    message = complaint("evaluation", "antique", "means", {"variations_mean": ["back_translation_m2m"]})
    assert message == "evaluation.antique.means: 'variations_mean' is that of all variations already"
