"""A collection of one's own that answers judge, from its files to a table."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from robustdr.core.files import read_answers
from robustdr.evaluation.measures import read_measures
from workflow.small import edit, keep_papers, make_papers, only_claim, some

pytestmark = pytest.mark.slow
TABLE, MEASURES = "results/mini/tables/capot_table18.md", "results/mini/measures/mine/bm25/seed0/test.original.parquet"
PASSAGES = {
    "d1": ("Röntgen", "the first prize in physics went to Wilhelm Conrad Röntgen"),
    "d2": ("Prizes", "the prize in physics is given every year, the physics prize"),
    "d3": ("Stars", "born in november under the sign of Scorpio"),
    "d4": ("Horses", "horses graze on meadows"),
}
# BM25 ranks d2 before d1 for the first question; the answer to the last is in a title alone
QUESTIONS = {
    "question": ["the physics prize", "which sign in november", "horses on meadows"],
    "answer": [["Curie", "Wilhelm Conrad RÖNTGEN"], ["Scorpio"], ["Horses grazing", "Stars"]],
}


def shrink(folder):
    """Let capot's Table 18 show BM25 on this collection with one variation."""
    (folder / "data").mkdir()
    lines = ("\t".join((docid, *texts)) + "\n" for docid, texts in PASSAGES.items())
    (folder / "data/passages.tsv").write_text("".join(lines), encoding="utf-8")
    pq.write_table(pa.table(QUESTIONS), folder / "data/questions.parquet")
    test = {"kind": "questions", "path": "data/questions.parquet", "question": "question", "answers": "answer"}

    def collections(tree):
        tree["mine"] = {"kind": "local", "corpus": "data/passages.tsv", "splits": {"test": test}}

    def scale(tree):
        tree["collections"]["natural-questions"] = "mine"
        tree["measures"] = {"Success@20": "Success@1", "Success@100": "Success@2", "Success@200": "Success@3"}

    def capot(tree):
        where = tree["evaluation"]["natural-questions"] | {"variations": ["stem"], "means": {}}
        tree |= {"evaluation": {"natural-questions": where}, "systems": {}, "figures": {}}
        tree["tables"] = some(tree["tables"], ["table18"])
        tree["tables"]["table18"] |= {
            "systems": ["bm25"],
            "measures": ["Success@20", "Success@100"],
            "drop_from": ["bm25"],
        }

    loses = {"name": "loses", "system": "bm25", "query_sets": ["variations_mean"]}
    claims = only_claim(role="natural-questions", measure="Success@20", test=loses)

    keep_papers(folder, "rodr", "capot", "all")
    make_papers(folder, "capot")
    edit(folder / "config/collections.yaml", collections)
    edit(folder / "config/scales/mini.yaml", scale)
    edit(folder / "config/papers/capot/experiment.yaml", capot)
    edit(folder / "config/papers/capot/claims.yaml", claims)


def test_answers_go_from_a_file_to_a_table(project):
    shrink(project.folder)
    status, output = project.snakemake(TABLE)
    assert status == 0, output
    split = project.folder / "results/mini/collections/mine/test"
    files = {path.name for path in split.iterdir() if path.suffix != ".sha256"}
    assert files == {"answers.jsonl", "card.json", "queries.tsv"}
    assert list(read_answers(split / "answers.jsonl").values()) == QUESTIONS["answer"]
    frame = read_measures(project.folder / MEASURES)
    frame = frame[frame["query_set"] == "test.original"]
    found = {measure: dict(zip(of["qid"], of["value"], strict=True)) for measure, of in frame.groupby("measure")}
    assert found == {
        "Success@1": {"0": 0.0, "1": 1.0, "2": 0.0},
        "Success@2": {"0": 1.0, "1": 1.0, "2": 0.0},
        "Success@3": {"0": 1.0, "1": 1.0, "2": 0.0},
    }
    shown = json.loads((project.folder / TABLE).with_suffix(".json").read_text(encoding="utf-8"))
    assert (
        "natural-questions: a passage is relevant if its text contains an answer, matched by DPR's rules."
        in (shown["footnotes"])
    )
    original = [cell["reproduced"] for cell in shown["cells"] if cell["query_set"] == "original"]
    assert original == pytest.approx([1 / 3, 2 / 3])
