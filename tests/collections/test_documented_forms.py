"""The page of forms: each file of its tables is read as the page says."""

import gzip
import re
from pathlib import Path

import pytest

from robustdr.collections.local import read_passages, read_qrels, read_queries
from robustdr.retrieval.runs import read_run

PAGE = Path(__file__).parents[2] / "docs/reference/forms.md"


def passages(path, content):
    return [tuple(passage) for _, passage in read_passages(path, print)] == [
        ("d1", "Stone" if "Stone" in content else "", "a hard mineral")
    ]


READERS = {
    "Queries": lambda path, _: (
        [tuple(query)[:2] for _, query in read_queries(path, print)] == [("q1", "what is a stone")]
    ),
    "Passages": passages,
    "Judgements": lambda path, _: read_qrels(path) == {"q1": {"d1": 1}},
    "Runs": lambda path, _: (
        {qid: [docid for docid, _ in pairs] for qid, pairs in read_run(path).items()} == {"q1": ["d1", "d2"]}
    ),
}
ROW = re.compile(r"^\| (.+) \| `(\S+)` \| `(.+)` \|$", re.MULTILINE)
FORMS = [
    (title, *row)
    for title, text in re.findall(
        r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    for row in ROW.findall(text)
]


@pytest.mark.parametrize(("part", "form", "name", "content"), FORMS, ids=[f"{row[0]}: {row[1]}" for row in FORMS])
def test_a_form_is_read_plain_and_packed(tmp_path, part, form, name, content):
    data = content.encode("latin-1", "backslashreplace").decode("unicode_escape").encode()
    (tmp_path / name).write_bytes(data)
    assert READERS[part](tmp_path / name, content)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    assert READERS[part](tmp_path / f"{name}.gz", content)


def test_all_forms_of_the_page_are_here():
    assert len(FORMS) >= 30 and {part for part, *_ in FORMS} == READERS.keys()
