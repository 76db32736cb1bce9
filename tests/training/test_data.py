"""Training files: which negatives, and Tevatron's format."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.core.errors import UserError
from robustdr.core.files import write_queries
from robustdr.retrieval.runs import write_run
from robustdr.training import data
from robustdr.training.data import choose_negatives, choose_passages, read_training_data, write_training_data
from robustdr.training.settings import TrainingDataSettings

DOCIDS = [f"d{number}" for number in range(12)]
QIDS = ["q1", "q2", "q3", "q4"]


# negatives


def test_negatives_by_hand():
    ranking = ["a", "b", "c", "d", "e"]
    # b is relevant, c was judged and is not; e lies below the depth.
    assert choose_negatives(ranking, {"b": 1, "c": 0}, depth=4, keep=9, seed=1, qid="q") == ["a", "c", "d"]


@given(
    st.permutations(DOCIDS), st.sets(st.sampled_from(DOCIDS)), st.integers(1, 15), st.integers(1, 6), st.integers(0, 9)
)
def test_negatives_are_drawn_from_the_top_without_what_is_relevant(ranking, relevant, depth, keep, seed):
    chosen = choose_negatives(ranking, dict.fromkeys(relevant, 2), depth, keep, seed, "q")
    allowed = [docid for docid in ranking[:depth] if docid not in relevant]
    assert len(chosen) == min(keep, len(allowed))
    assert chosen == [docid for docid in allowed if docid in set(chosen)]  # in rank order, each once


def test_every_candidate_can_be_drawn():
    drawn = {docid for seed in range(60) for docid in choose_negatives(DOCIDS, {}, 12, 3, seed, "q")}
    assert drawn == set(DOCIDS)


def test_passages_by_hand():
    rankings = {"q1": list("abcdf"), "q2": list("ab"), "q3": ["a"]}
    # q1: c is relevant, but not best-graded; q2 has no positive, q3 no negative; the run lacks q4.
    judgements = {"q1": {"b": 2, "e": 2, "c": 1}, "q2": {"a": 0}, "q3": {"a": 1}, "q4": {"a": 1}}

    def chosen(relevant):
        return choose_passages(judgements, rankings.items(), relevant, depth=4, keep=9, seed=1)

    assert chosen({}) == {"q1": (["b", "e"], ["a", "d"])}
    assert chosen({"q1": {"d": 1}}) == {"q1": (["b", "e"], ["a"])}


def test_every_query_and_every_seed_has_a_draw_of_its_own():
    judgements = {qid: {"relevant": 1} for qid in QIDS}
    candidates = [(qid, DOCIDS) for qid in QIDS]
    chosen = [choose_passages(judgements, candidates, {}, depth=12, keep=6, seed=seed) for seed in (1, 2)]
    drawn = {tuple(negatives) for of_seed in chosen for _, negatives in of_seed.values()}
    assert len(drawn) == 2 * len(QIDS)  # of 924 possible ones


# files


def read(training_file):
    return read_training_data(training_file, training_file.with_name("corpus.jsonl"))


@pytest.fixture()
def stage(tmp_path, tiny_transformer):
    """Write the stage's inputs and run it: `stage(variations={type: {qid: text}}, …)` gives the training file."""
    queries = {"q1": "what is music", "q2": "what is gold", "q3": "the “king”", "q4": "a tree"}
    write_queries(tmp_path / "queries.tsv", queries.items())
    # q1: two best-graded positives of three; q2: one; q3: judged, but nothing relevant; q4: no judgement.
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d2 2\nq1 0 d3 1\nq2 0 d4 1\nq3 0 d5 0\n")
    with open(tmp_path / "corpus.jsonl", "w", encoding="utf-8") as file:
        for docid in DOCIDS:
            title = "Straße" if docid == "d1" else ""
            file.write(
                json.dumps({"docid": docid, "title": title, "text": f"text of {docid}"}, ensure_ascii=False) + "\n"
            )
    ranking = [(docid, float(-position)) for position, docid in enumerate(DOCIDS)]
    write_run(tmp_path / "run.trec.gz", dict.fromkeys(queries, ranking), {"tag": "t"})

    def run(variations=None, assign="one", alone=False, keep=3, released=False, answers=False, seed=1):
        paths = []
        for kind, varied in (variations or {}).items():
            paths.append(tmp_path / f"{kind}.tsv")
            write_queries(paths[-1], varied.items())
        corpus, queries, qrels, ranking = (
            tmp_path / name for name in ("corpus.jsonl", "queries.tsv", "qrels.txt", "run.trec.gz")
        )
        tokenizer, output = tiny_transformer / "tokenizer.json", tmp_path / "data.jsonl"
        settings = TrainingDataSettings(assign) if alone else TrainingDataSettings(assign, depth=8, keep=keep)
        files = {"corpus": corpus, "qrels": qrels}
        files |= {} if released else {"run": ranking}
        files |= {"answers": tmp_path / "answers.jsonl"} if answers else {}
        write_training_data(settings, seed, queries, paths, tokenizer, output, None if alone else files)
        return output

    return run


def test_the_file_names_passages_and_where_they_are(stage):
    """query_id and query; positive_passages and negative_passages, each an object of docids and rows of the corpus."""
    first, second = (json.loads(line) for line in stage().read_text(encoding="utf-8").splitlines())
    assert list(first) == ["query_id", "query", "query_variation", "positive_passages", "negative_passages"]
    assert (first["query_id"], second["query_id"]) == ("q1", "q2")
    assert first["query"] == first["query_variation"] == "what is music"
    assert first["positive_passages"] == {"d1": 1, "d2": 2} and second["positive_passages"] == {"d4": 4}
    assert first["negative_passages"].items() <= {"d0": 0, "d4": 4, "d5": 5, "d6": 6, "d7": 7}.items()
    assert len(first["negative_passages"]) == 3


@pytest.mark.parametrize("assign", ["one", "all", "together"])
def test_the_file_does_not_depend_on_how_many_queries_are_varied_at_once(stage, monkeypatch, assign):
    variations = {kind: {qid: f"{kind} {qid}" for qid in QIDS} for kind in ("music", "gold")}
    whole = stage(variations, assign).read_bytes()
    assert (b"gold q2" in whole and b"gold q1" in whole) or assign == "one"
    monkeypatch.setattr("robustdr.training.data.BLOCK", 1)
    assert stage(variations, assign).read_bytes() == whole


@pytest.mark.parametrize("qids", [QIDS[::-1], QIDS[:1], QIDS[1:]])
def test_variations_of_other_queries_are_refused(stage, qids):
    with pytest.raises(UserError, match=r"tree\.tsv: its queries are not those of the split"):
        stage({"tree": dict.fromkeys(qids, "a tree")}, "all")


def test_the_file_is_read_back_as_written(stage, tmp_path):
    path = stage(variations={"tree": dict.fromkeys(QIDS, "a tree")})
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line, example in zip(lines, read_training_data(path, tmp_path / "corpus.jsonl"), strict=True):
        assert (example.qid, example.query, example.variations) == (line["query_id"], line["query"], ("a tree",))
        assert [p.docid for p in example.passages] == [*line["positive_passages"], *line["negative_passages"]]
        for passage in example.passages:
            assert passage.read_passage() == (
                passage.docid,
                "Straße" if passage.docid == "d1" else "",
                f"text of {passage.docid}",
            )


def test_a_passage_that_the_corpus_lacks(stage, tmp_path):
    lines = (tmp_path / "corpus.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "corpus.jsonl").write_text("".join(lines[:4]))
    with pytest.raises(UserError, match=r"corpus\.jsonl: no passage 'd4' \([0-9] of [0-9] are missing\)"):
        stage()
    assert not (tmp_path / "data.jsonl").exists()


def test_the_same_file_whatever_the_order_of_the_variation_files(stage):
    variations = {kind: dict.fromkeys(QIDS, f"a {kind}") for kind in ("tree", "stone", "river")}
    once = stage(variations=variations).read_bytes()
    assert stage(variations=dict(reversed(variations.items()))).read_bytes() == once


def test_the_seed_decides_negatives_and_variations(stage):
    assert len({stage(seed=seed).read_bytes() for seed in range(5)}) > 1
    variations = {kind: dict.fromkeys(QIDS, f"a {kind}") for kind in ("tree", "stone", "river")}
    assert len({stage(variations, alone=True, seed=seed).read_bytes() for seed in range(5)}) > 1


@pytest.mark.parametrize("assign", ["all", "together"])
def test_without_variations_there_are_none_to_assign(stage, assign):
    assert stage(assign=assign).read_bytes() == stage().read_bytes()


def test_queries_alone_keep_every_query_and_have_no_passages(stage):
    text = stage(alone=True).read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert "the “king”" in text
    assert [line["query_id"] for line in lines] == ["q1", "q2", "q3", "q4"]
    assert all(set(line) == {"query_id", "query", "query_variation"} for line in lines)


def test_shares_are_those_of_the_queries_that_are_trained_on(stage):
    """q3 and q4 have no positive: each of the two types has one of q1 and q2."""
    variations = {kind: dict.fromkeys(QIDS, f"a {kind}") for kind in ("stone", "river")}
    examples = read(stage(variations=variations))
    assert sorted(example.variations for example in examples) == [("a river",), ("a stone",)]


def test_draws_of_a_generator_are_types_of_their_own(stage):
    draws = {"typo": dict.fromkeys(QIDS, "a tere"), "typo.draw2": dict.fromkeys(QIDS, "a teee")}
    examples = read(stage(variations=draws, assign="all"))
    assert [example.variations for example in examples] == [("a tere", "a teee")] * 2


def test_all_variations_that_change_the_tokens_are_kept_once(stage):
    variations = {kind: dict.fromkeys(QIDS, text) for kind, text in (("one", "a tree"), ("two", "the road"))}
    variations["three"] = dict.fromkeys(QIDS, "A Tree")  # the same tokens as q4's own
    variations["four"] = dict.fromkeys(QIDS, "the road")
    examples = read_training_data(stage(variations=variations, assign="all", alone=True))
    assert [example.variations for example in examples] == [("a tree", "the road", "A Tree")] * 3 + [("the road",)]


def test_variations_that_are_trained_on_together_are_as_many_for_every_query(stage):
    """Those that change nothing, and the same one twice, too."""
    variations = {kind: dict.fromkeys(QIDS, text) for kind, text in (("one", "what is gold"), ("two", "the road"))}
    variations["three"] = dict.fromkeys(QIDS, "the road")
    examples = read(stage(variations=variations, assign="together"))
    assert [example.qid for example in examples] == ["q1", "q2"]
    assert [example.variations for example in examples] == [("what is gold", "the road", "the road")] * 2


def negatives(path):
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {line["query_id"]: list(line["negative_passages"]) for line in lines}


def test_a_passage_with_an_answer_is_no_negative(stage, tmp_path):
    """Eight ranks are read, d0 to d7; q1's answer is in d5 alone, q2's in all but d0 and d6."""
    everywhere = [f"text of d{number}" for number in (1, 2, 3, 4, 5, 7, 8, 9)]
    answers = {"q1": ["OF D5"], "q2": ["never", *everywhere], "q3": ["text"], "q4": ["text"]}
    (tmp_path / "answers.jsonl").write_text(
        "".join(json.dumps({"qid": qid, "answers": texts}) + "\n" for qid, texts in answers.items())
    )
    found = negatives(stage(answers=True, keep=8))
    assert found == {"q1": ["d0", "d4", "d6", "d7"], "q2": ["d0", "d6"]}


def test_released_negatives_are_the_judged_passages_graded_0(stage, tmp_path):
    """DPR's random negatives, graded -1, are not among them; the order is the release's, its ranking."""
    (tmp_path / "qrels.txt").write_text(
        "q1 0 d1 2\nq1 0 d9 0\nq1 0 d3 -1\nq1 0 d0 0\nq1 0 d2 1\nq2 0 d4 1\nq2 0 d5 -1\n"
    )
    (tmp_path / "answers.jsonl").write_text('{"qid": "q1", "answers": ["of d9"]}\n')  # of no ranking
    for answers in (False, True):
        assert negatives(stage(released=True, answers=answers)) == {"q1": ["d9", "d0"]}
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d3 -1\n")
    with pytest.raises(UserError, match=r"qrels\.txt: no query has both a positive in .*qrels\.txt and a negative"):
        stage(released=True)


@pytest.mark.parametrize(
    "qrels, released", [("q3 0 d5 0\n", False), ("q9 0 d1 1\nq9 0 d2 0\n", True)], ids=["no positive", "others judged"]
)
def test_no_query_is_left(stage, tmp_path, qrels, released):
    (tmp_path / "qrels.txt").write_text(qrels)
    source = "qrels" if released else "run"
    with pytest.raises(UserError, match=rf"{source}\.t.*: no query has both a positive in .*qrels\.txt and a negative"):
        stage(released=released)
    assert not (tmp_path / "data.jsonl").exists()


def named(passages):
    """A line of a training file."""
    return json.dumps({"query_id": "q", "query": "a", "positive_passages": passages, "negative_passages": passages})


@pytest.mark.parametrize(
    "line, message",
    [
        ("{", r"data\.jsonl:2: not a training example \(JSONDecodeError"),
        ('{"query_id": "q"}', r"data\.jsonl:2: not a training example \(KeyError\('query'\)\); fields: query_id, "),
        ("[]", r"data\.jsonl:2: not a training example \(AttributeError"),
        (
            '{"query_id": "q", "query": "a", "positive_passages": {"d0": 0}}',
            r"data\.jsonl:2: query 'q' needs at least one positive and one negative passage",
        ),
        ('{"query_id": "q", "query": "a"}', r"data\.jsonl:2: query 'q': either all examples have passages, or none"),
        (
            named({"d1": 0}),
            r"data\.jsonl:2: passage 'd1' is not at row 0 of .*corpus\.jsonl, which has 2 rows; make the",
        ),
        (named({"d2": 2}), r"data\.jsonl:2: passage 'd2' is not at row 2 of "),
        (named({"d1": 10**30}), r"data\.jsonl:2: passage 'd1' is not at row 1000000000"),
        (named({"d1": -1}), r"data\.jsonl:2: passage 'd1' is not at row -1 of "),
        (named({"d1": "1"}), r"data\.jsonl:2: not a training example \(TypeError\(\"row '1' of passage 'd1'"),
        (named([{"docid": "d1", "text": "x"}]), r"data\.jsonl:2: not a training example \(AttributeError"),
    ],
)
def test_damaged_training_file(tmp_path, line, message):
    lines = (json.dumps({"docid": docid, "title": "", "text": "x"}) for docid in ("d0", "d1"))
    (tmp_path / "corpus.jsonl").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "data.jsonl").write_text(f"{named({'d0': 0})}\n{line}\n")
    with pytest.raises(UserError, match=message):
        read(tmp_path / "data.jsonl")


def test_named_passages_need_a_corpus(tmp_path):
    (tmp_path / "data.jsonl").write_text(f"{named({'d0': 0})}\n")
    with pytest.raises(UserError, match=r"data\.jsonl: it names passages, but no corpus is given"):
        read_training_data(tmp_path / "data.jsonl")


def test_memory_does_not_grow_with_passages_and_queries(tmp_path, monkeypatch):
    """Thirty more bytes for each of 600 more queries would be seen; a passage's name alone takes more."""
    monkeypatch.setattr(data, "BLOCK", 50)
    docids = [f"d{number}" for number in range(40)]
    lines = (json.dumps({"docid": docid, "title": "", "text": "x"}) for docid in docids)
    (tmp_path / "corpus.jsonl").write_text("".join(f"{line}\n" for line in lines))
    line = f"{named({docid: row for row, docid in enumerate(docids)})}\n"

    def most(queries):
        (tmp_path / "data.jsonl").write_text(line * queries)
        tracemalloc.start()
        examples = read(tmp_path / "data.jsonl")
        _, found = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(examples) == queries
        return found

    most(100)
    assert most(700) - most(100) < 30 * 600


def test_empty_training_file(tmp_path):
    (tmp_path / "data.jsonl").write_text("")
    with pytest.raises(UserError, match=r"data\.jsonl: no training examples"):
        read_training_data(tmp_path / "data.jsonl")
