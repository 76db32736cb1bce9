"""Somebody's run, ranked anew: by each kind of model, as sentence-transformers scores pairs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import CrossEncoder, MultiVectorEncoder, SentenceTransformer
from tests.encoding import shapes

from robustdr.cli import main
from robustdr.retrieval.runs import read_run

CORPUS = {"d1": ("", "a river flows to the sea"), "d2": ("stone", "a stone house"), "d3": ("", "music of the sea")}
QUERIES = {"q1": "river", "q2": "what is a stone"}
RUN = {"q1": ["d3", "d1", "d2"], "q2": ["d1", "d2"]}


@pytest.fixture()
def call(tmp_path):
    """`call(model, **changed)`: the exit status of the command; files that are named replace the whole ones."""
    with open(tmp_path / "corpus.jsonl", "w") as file:
        for docid, (title, text) in CORPUS.items():
            file.write(json.dumps({"docid": docid, "title": title, "text": text}) + "\n")
    (tmp_path / "queries.tsv").write_text("".join(f"{qid}\t{text}\n" for qid, text in QUERIES.items()))
    lines = [f"{qid} Q0 {d} {n} {9 - n} theirs" for qid, docids in RUN.items() for n, d in enumerate(docids, 1)]
    (tmp_path / "in.trec").write_text("\n".join(lines) + "\n")

    def call(model, *options, **changed):
        files = {"run": "in.trec", "queries": "queries.tsv", "corpus": "corpus.jsonl", "output": "out.trec"} | changed
        file_options = [text for name, file in files.items() for text in (f"--{name}", str(tmp_path / file))]
        return main(["rerank", "--model", str(model), *file_options, *options])

    return call


def text(docid):
    return " ".join(filter(None, CORPUS[docid]))


@pytest.mark.parametrize("which", [0, 1], ids=["sentence-transformers", "bare"])
def test_a_cross_encoder_scores_as_its_library_does(call, cross, tmp_path, which):
    assert call(cross[which]) == 0
    library = CrossEncoder(str(cross[which]))
    for qid, ranking in read_run(tmp_path / "out.trec").items():
        expected = {docid: float(library.predict([(QUERIES[qid], text(docid))])[0]) for docid in RUN[qid]}
        assert dict(ranking) == pytest.approx(expected, abs=1e-5)


def test_a_dual_encoder_scores_by_its_own_similarity(call, tiny_model, tmp_path):
    folder = shutil.copytree(tiny_model, tmp_path / "model")
    config = json.loads((folder / "config_sentence_transformers.json").read_text())
    config |= {"similarity_fn_name": "cosine", "prompts": {"query": "query: ", "document": "text: "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(config))
    assert call(folder) == 0
    plain = SentenceTransformer(str(tiny_model))
    for qid, ranking in read_run(tmp_path / "out.trec").items():
        query = plain.encode(f"query: {QUERIES[qid]}", normalize_embeddings=True)
        passages = plain.encode([f"text: {text(docid)}" for docid in RUN[qid]], normalize_embeddings=True)
        assert dict(ranking) == pytest.approx(dict(zip(RUN[qid], (passages @ query).tolist(), strict=True)), abs=1e-5)


def test_late_interaction_scores_as_its_library_does(call, tiny_transformer, tmp_path):
    assert call(shapes.write("ColBERT", tiny_transformer, tmp_path / "model")) == 0
    library = MultiVectorEncoder(str(tmp_path / "model"), device="cpu")
    for qid, ranking in read_run(tmp_path / "out.trec").items():
        passages = library.encode_document([text(docid) for docid in RUN[qid]])
        (expected,) = library.similarity(library.encode_query([QUERIES[qid]]), passages).tolist()
        assert dict(ranking) == pytest.approx(dict(zip(RUN[qid], expected, strict=True)), abs=1e-5)


def test_what_lies_below_the_depth_is_left_out(call, cross, tmp_path):
    assert call(cross[0], "--depth", "2", output="out.trec.gz") == 0
    rankings = read_run(tmp_path / "out.trec.gz")
    assert {qid: {docid for docid, _ in ranking} for qid, ranking in rankings.items()} == {
        "q1": {"d3", "d1"},
        "q2": {"d1", "d2"},
    }


def test_bad_input_is_one_line(call, cross, tiny_model, tmp_path, capsys):
    def complaint(model=cross[0], **changed):
        capsys.readouterr()
        assert call(model, **changed) == 2 and not (tmp_path / "out.trec").exists()
        (line,) = (line for line in capsys.readouterr().err.splitlines() if line.startswith("robustdr: "))
        return line

    (tmp_path / "empty.trec").write_text("")
    assert "empty.trec: no passages to rank" in complaint(run="empty.trec")
    (tmp_path / "few.tsv").write_text("q1\triver\n")
    assert "query 'q2' is not in the query file (1 in all)" in complaint(queries="few.tsv")
    (tmp_path / "few.jsonl").write_text('{"docid": "d1", "title": "", "text": "a river"}\n')
    assert "no passage 'd2'" in complaint(corpus="few.jsonl")
    assert "no model directory" in complaint(tmp_path)
    config = json.loads((tiny_model / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "architectures": ["BertForMaskedLM"]}))
    assert "'BertForMaskedLM' is unknown; allowed: CrossEncoder, MultiVectorEncoder, SentenceTransformer" in complaint(
        tmp_path
    )
    broken = shutil.copytree(cross[1], tmp_path / "broken")
    weights = load_file(broken / "model.safetensors")
    weights["classifier.bias"] = torch.full_like(weights["classifier.bias"], np.nan)
    save_file(weights, broken / "model.safetensors", metadata={"format": "pt"})
    assert "the score of query 'q1' and passage 'd3' is not finite" in complaint(broken)


def test_a_run_goes_through_a_pipe(call, cross, tmp_path):
    assert call(cross[0]) == 0
    paths = {name: str(tmp_path / file) for name, file in (("queries", "queries.tsv"), ("corpus", "corpus.jsonl"))}
    file_options = [text for name, path in paths.items() for text in (f"--{name}", path)]
    command = [
        sys.executable,
        "-m",
        "robustdr",
        "rerank",
        "--model",
        str(cross[0]),
        "--run",
        "-",
        "-o",
        "-",
        *file_options,
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "workflow")}
    run_text = (tmp_path / "in.trec").read_text()
    done = subprocess.run(command, input=run_text, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.replace("stdin", "in.trec") == (tmp_path / "out.trec").read_text()


def test_a_run_with_a_passage_twice_is_refused_and_missing_queries_are_told(call, cross, tmp_path, capsys):
    (tmp_path / "half.trec").write_text("q1 Q0 d3 1 9 x\nq1 Q0 d1 2 8 x\n")
    assert call(cross[0], run="half.trec") == 0
    assert "half.trec lacks 1 of 2 queries" in capsys.readouterr().err
    (tmp_path / "twice.trec").write_text("q1 Q0 d3 1 9 x\nq1 Q0 d3 2 8 x\n")
    assert call(cross[0], run="twice.trec", output="twice.out") == 2 and not (tmp_path / "twice.out").exists()
    assert "query 'q1' has a passage twice: 'd3'" in capsys.readouterr().err
