"""A table over judged candidates, from nothing, by Snakemake: four kinds of systems on a few hundred glosses."""

import json

import pytest
from tests.workflow.small import edit, only_claim, tiny

from robustdr.core.files import read_qrels
from robustdr.retrieval.runs import read_run

pytestmark = pytest.mark.slow
TABLE = "results/mini/tables/rodr_table2.md"
BERT = {"label": "BERT", "kind": "rerank", "candidates": "judged", "ranker": {"name": "mono_bert"}, "initial": "base"}
RM3 = {"label": "RM3", "kind": "rm3", "variant": "terrier", "terms": 10, "documents": 3, "original_weight": 0.6}
SYSTEMS = {"rm3": RM3, "dense": {"label": "Dense", "initial": "base", "budget": "passage"}}
SYSTEMS |= {"bert": BERT | {"budget": "mono_bert"}}
MEASURES = ["AP", "RR", "nDCG@10", "P@10"]


def test_every_system_of_a_table_ranks_each_question_s_own_candidates(tmp_path):
    project = tiny(tmp_path)

    def collections(tree):
        tree["wordnet-candidates"]["passages"] = 300
        tree["wordnet-candidates"]["splits"] = {"test": {"queries": 25, "distractors": 8, "candidates": "judged"}}

    def experiment(tree):
        tree["evaluation"] = {"wikiqa": {"split": "test", "variations": ["swap_words"], "measures": MEASURES}}
        tree["systems"] = {**tree["systems"], **SYSTEMS}
        table = {"collections": ["wikiqa"], "systems": ["bm25", *SYSTEMS], "measures": MEASURES}
        tree["tables"]["table2"] |= table

    test = {"name": "improves", "system": "dense", "over": ["bm25"], "query_sets": ["original"]}
    claims = only_claim(role="wikiqa", measure="AP", test=test)

    edit(tmp_path / "config/collections.yaml", collections)
    edit(tmp_path / "config/papers/rodr/experiment.yaml", experiment)
    edit(tmp_path / "config/papers/rodr/claims.yaml", claims)
    status, output = project.snakemake("--", TABLE)
    assert status == 0, output
    qrels = read_qrels(tmp_path / "results/mini/collections/wordnet-candidates/test/qrels.txt")
    assert len(qrels) == 25 and {grade for of in qrels.values() for grade in of.values()} == {0, 1}
    for system in ("bm25", *SYSTEMS):
        for kind in ("original", "swap_words"):
            run = read_run(tmp_path / f"results/mini/runs/wordnet-candidates/{system}/seed0/test.{kind}.arrow")
            assert {q: {docid for docid, _ in of} for q, of in run.items()} == {q: {*of} for q, of in qrels.items()}
    cells = json.loads((tmp_path / TABLE).with_suffix(".json").read_text())["cells"]
    assert {(cell["system"], cell["measure"]) for cell in cells} == {
        (s, m) for s in ("bm25", *SYSTEMS) for m in MEASURES
    }
    assert all(cell["reproduced"] is not None for cell in cells)
    assert project.plan("--", TABLE) == ({}, set())
