"""The stage that ranks candidates anew: its pairs, its depth, and scores that texts of several query sets share."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr.rankers.ranker import Ranker, load
from robustdr.retrieval.rerank import rankings
from robustdr.retrieval.runs import read_run, write_run
from robustdr.retrieval.settings import RerankSettings

TEXTS = {
    "d1": "a river and a stone",
    "d2": "stone house of gold",
    "d3": "music",
    "d4": "the king of the river",
    "d5": "light",
}
ORIGINAL = {"q1": "river stone", "q2": "what is gold", "q3": "king"}
VARIED = {"q1": "stone river", "q2": "what is gold", "q3": "kign"}  # one is as it was
CANDIDATES = {"q1": ["d4", "d1", "d2"], "q2": ["d2", "d5"], "q3": ["d4", "d3"]}
VARIED_CANDIDATES = {"q1": ["d3", "d2", "d1"], "q2": ["d5", "d1"]}  # nothing was found for the third


def write_candidates(path, rankings):
    write_run(
        path, {qid: [(d, -float(n)) for n, d in enumerate(docids)] for qid, docids in rankings.items()}, {"tag": "t"}
    )
    return path


@pytest.fixture()
def place(tmp_path, tiny_model):
    """A corpus, two runs and a trained ranker's directory."""
    with open(tmp_path / "corpus.jsonl", "w") as file:
        for docid, text in TEXTS.items():
            file.write(json.dumps({"docid": docid, "title": "", "text": text}) + "\n")
    write_candidates(tmp_path / "original.trec", CANDIDATES)
    write_candidates(tmp_path / "varied.trec", VARIED_CANDIDATES)
    load("mono_bert", tiny_model, seed=4).save(tmp_path / "model")
    return tmp_path


@pytest.fixture()
def scored(monkeypatch):
    """Every pair that is scored, in order."""
    pairs, real = [], Ranker.predict

    def predict(self, given, *arguments, **named):
        given = list(given)
        pairs.extend(given)
        return real(self, given, *arguments, **named)

    monkeypatch.setattr(Ranker, "predict", predict)
    return pairs


def ranked(place, candidates, query_sets, depth=5, ranker="mono_bert"):
    settings = RerankSettings({"name": ranker}, 16, 24, depth, "float32", 1)
    files = {"model": [place / "model"], "candidates": [place / f"{name}.trec" for name in candidates]}
    return list(rankings(settings, place / "corpus.jsonl", files, query_sets))


def alone(place, query, docid):
    ranker = load("mono_bert", place / "model")
    with torch.inference_mode():
        return ranker.score(ranker.tokenise([(query, TEXTS[docid])], 16, 24)).item()


def check(place, found, queries, candidates):
    """A ranking holds its candidates alone, each with the score of its own query's text, best first."""
    assert {qid: {docid for docid, _ in of} for qid, of in found.items()} == {q: {*of} for q, of in candidates.items()}
    for qid, of in found.items():
        assert [score for _, score in of] == sorted((score for _, score in of), reverse=True)
        for docid, score in of:
            assert score == pytest.approx(alone(place, queries[qid], docid), abs=1e-6)


def test_each_query_set_ranks_its_own_candidates(place):
    original, varied = ranked(place, ["original", "varied"], [ORIGINAL, VARIED])
    check(place, original, ORIGINAL, CANDIDATES)
    check(place, varied, VARIED, VARIED_CANDIDATES)


def test_a_variation_ranks_the_candidates_of_the_original(place):
    original, varied = ranked(place, ["original", "original"], [ORIGINAL, VARIED])
    check(place, original, ORIGINAL, CANDIDATES)
    check(place, varied, VARIED, CANDIDATES)
    assert original["q2"] == varied["q2"] and original["q1"] != varied["q1"]


def test_what_lies_below_the_depth_is_left_out(place):
    (found,) = ranked(place, ["original"], [ORIGINAL], depth=2)
    check(place, found, ORIGINAL, {qid: docids[:2] for qid, docids in CANDIDATES.items()})


def test_a_text_of_several_query_sets_is_scored_once(place, scored):
    """And has one score, whatever it stood beside in the batch."""
    original, varied, again = ranked(place, ["original", "varied", "original"], [ORIGINAL, VARIED, ORIGINAL])
    assert len(scored) == len(set(scored)) == 7 + 4  # of the varied ones (what is gold, d5) is known
    assert scored[7:] == [
        (VARIED[qid], TEXTS[docid]) for qid, docid in (("q1", "d3"), ("q1", "d2"), ("q1", "d1"), ("q2", "d1"))
    ]
    assert dict(original["q2"])["d5"] == dict(varied["q2"])["d5"]
    assert again == original


def test_the_order_of_the_query_sets_changes_no_score(place):
    forth = ranked(place, ["original", "varied"], [ORIGINAL, VARIED])
    back = ranked(place, ["varied", "original"], [VARIED, ORIGINAL])[::-1]
    for one, other in zip(forth, back, strict=True):
        for qid in one:
            assert dict(one[qid]) == pytest.approx(dict(other[qid]), abs=1e-6)


def test_a_run_of_other_queries_or_passages_is_named(place):
    with pytest.raises(UserError, match=r"original\.trec: query 'q3' is not in the query file \(1 in all\)"):
        ranked(place, ["original"], [{"q1": "river", "q2": "gold"}])
    write_candidates(place / "other.trec", {"q1": ["d1", "d99"]})
    with pytest.raises(UserError, match=r"corpus\.jsonl.*'d99'"):
        ranked(place, ["other"], [ORIGINAL])
    (place / "empty.trec").write_text("")
    with pytest.raises(UserError, match=r"empty\.trec: no passages to rank"):
        ranked(place, ["empty"], [ORIGINAL])


def test_a_score_that_is_no_number_is_named(place):
    weights = load_file(place / "model" / "model.safetensors")
    weights["classifier.bias"] = torch.full_like(weights["classifier.bias"], np.nan)
    save_file(weights, place / "model" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"model: the score of query 'q1' and passage 'd4' is not finite"):
        ranked(place, ["original"], [ORIGINAL])


def test_a_directory_of_another_ranker_is_refused(place):
    with pytest.raises(UserError, match=r"model: saved by the ranker 'mono_bert'; 'epic' starts from"):
        ranked(place, ["original"], [ORIGINAL], ranker="epic")


@pytest.fixture()
def call(place):
    """`call()`: the exit status of `robustdr rerank` with the directory, its lengths added as a training does."""
    made = json.loads((place / "model" / "ranker.json").read_text())
    (place / "model" / "ranker.json").write_text(
        json.dumps({**made, "lengths": {"query_length": 2, "passage_length": 3}})
    )
    (place / "queries.tsv").write_text("".join(f"{qid}\t{text}\n" for qid, text in ORIGINAL.items()))

    def run(model=place / "model"):
        files = {"run": "original.trec", "queries": "queries.tsv", "corpus": "corpus.jsonl", "output": "out.trec"}
        return main(
            ["rerank", "--model", str(model), *(w for n, f in files.items() for w in (f"--{n}", str(place / f)))]
        )

    return run


def test_the_command_ranks_with_a_trained_directory_and_its_lengths(call, place):
    assert call() == 0
    ranker = load("mono_bert", place / "model")
    for qid, ranking in read_run(place / "out.trec").items():
        assert {docid for docid, _ in ranking} == {*CANDIDATES[qid]}
        for docid, score in ranking:
            with torch.inference_mode():
                expected = ranker.score(ranker.tokenise([(ORIGINAL[qid], TEXTS[docid])], 2, 3)).item()
            assert score == pytest.approx(expected, abs=1e-5)


def test_the_command_counts_words_where_a_ranker_asks_for_them(call, place, word_vectors):
    drmm = place / "drmm"
    drmm.mkdir()
    load("drmm", word_vectors).save(drmm)
    made = json.loads((drmm / "ranker.json").read_text())
    (drmm / "ranker.json").write_text(json.dumps({**made, "lengths": {"query_length": 8, "passage_length": 8}}))
    assert call(drmm) == 0
    ranker = load("drmm", drmm)
    ranker.count(TEXTS.values())
    for qid, ranking in read_run(place / "out.trec").items():
        for docid, score in ranking:
            with torch.inference_mode():
                expected = ranker.score(ranker.tokenise([(ORIGINAL[qid], TEXTS[docid])], 8, 8)).item()
            assert score == pytest.approx(expected, abs=1e-5)


DAMAGE = {
    "no lengths": ('{"ranker": "mono_bert", "settings": {}}', "ranker.json: no `lengths`"),
    "half a file": ('{"ranker": "mono', "ranker.json: not what a ranker saves"),
    "no ranker": ('{"settings": {}}', "ranker.json: not what a ranker saves"),
    "a list": ("[]", "ranker.json: not what a ranker saves"),
    "an unknown ranker": (
        '{"ranker": "bert", "settings": {}, "lengths": {"query_length": 2, "passage_length": 3}}',
        "'bert' is unknown",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_ranker_json_is_one_line(call, place, capsys, damage):
    text, message = DAMAGE[damage]
    model = shutil.copytree(place / "model", place / "damaged")
    (model / "ranker.json").write_text(text)
    assert call(model) == 2 and not (place / "out.trec").exists()
    (line,) = (line for line in capsys.readouterr().err.splitlines() if line.startswith("robustdr: "))
    assert message in line
