"""The keys of reported.yaml: they allow what the papers' files hold, and the audit knows each of them."""

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from robustdr.audit.relations import KINDS
from robustdr.audit.reported import PAPERS
from robustdr.audit.resolve import OPTIONS, ROLES, TAKES
from robustdr.audit.transcript import Relation, Transcript


@pytest.mark.parametrize("path", sorted(PAPERS.glob("*/reported.yaml")), ids=lambda path: path.parent.name)
def test_the_schema_for_editors_allows_the_papers_numbers(path):
    Draft202012Validator(TypeAdapter(Transcript).json_schema()).validate(yaml.safe_load(path.read_text("utf-8")))


def test_a_relation_has_a_key_for_every_kind_and_for_what_each_takes():
    taken_keys = {key for keys in TAKES.values() for key in keys}
    assert set(Relation.model_fields) == {"cells", "note", "proposed", *KINDS, *taken_keys}
    assert taken_keys <= {*ROLES, *OPTIONS, "relevant"} and TAKES.keys() <= KINDS.keys()
