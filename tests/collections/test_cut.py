"""Parts of collections: what is kept, and what decides it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from robustdr.collections import write_corpus, write_split
from robustdr.collections.cut import cut_passages, cut_split
from robustdr.collections.records import Answers, Judgement, Passage, Query, Split

NAMES = st.lists(st.integers(0, 999).map(str), unique=True, max_size=40)


@given(NAMES, st.sets(st.integers(0, 999).map(str), max_size=10), st.integers(1, 20))
def test_judged_passages_are_kept_with_as_many_others_as_asked_for_in_their_order(names, judged, more):
    passages = [Passage(name, "", f"text {name}") for name in names]
    kept = list(cut_passages(iter(passages), judged, more))
    assert kept == [passage for passage in passages if passage in kept]
    assert {*names} & judged <= {passage.docid for passage in kept}
    assert sum(passage.docid not in judged for passage in kept) == min(more, len({*names} - judged))


@given(NAMES, st.integers(1, 20), st.randoms())
def test_what_is_drawn_depends_on_ids_alone(names, more, random):
    def drawn(names, more):
        return {passage.docid for passage in cut_passages((Passage(name, "", "") for name in names), (), more)}

    shuffled = random.sample(names, len(names))
    assert drawn(names, more) == drawn(shuffled, more) <= drawn(names, more + 1)


@given(NAMES, st.integers(1, 20))
def test_what_judges_a_query_goes_with_it(names, most):
    whole = Split(
        (Query(name, "text") for name in names),
        [Judgement(name, f"d{grade}", grade) for grade in (1, 0) for name in names],
        [Answers(name, ("yes",)) for name in names],
        3,
    )
    cut = cut_split(whole, most)
    kept = [query.qid for query in cut.queries]
    assert kept == [name for name in names if name in kept] and len(kept) == min(most, len(names))
    assert [judged.qid for judged in cut.judgements] == kept * 2
    assert [answers.qid for answers in cut.answers] == kept and cut.removed == 3


def test_a_cut_collection_has_the_passages_that_its_queries_judge(tmp_path):
    (tmp_path / "passages.tsv").write_text("".join(f"d{n}\ttext {n}\n" for n in range(100)))
    (tmp_path / "queries.tsv").write_text("".join(f"q{n}\tquery {n}\n" for n in range(50)))
    (tmp_path / "qrels.txt").write_text("".join(f"q{n} 0 d{99 - n} 1\n" for n in range(50)))
    files = {"queries": str(tmp_path / "queries.tsv"), "qrels": str(tmp_path / "qrels.txt")}
    source = {"kind": "local", "corpus": str(tmp_path / "passages.tsv"), "splits": {"test": files}}
    qrels, corpus = tmp_path / "made/qrels.txt", tmp_path / "made/corpus.jsonl"
    qrels.parent.mkdir()
    assert write_split(source, "test", [tmp_path / "made/queries.tsv", qrels], 4) == {"queries": 4, "qrels": 4}
    judged = {line.split()[2] for line in qrels.read_text().splitlines()}
    assert write_corpus(source, corpus, 10, [qrels]) == {"passages": 14}
    docids = [json.loads(line)["docid"] for line in corpus.read_text().splitlines()]
    assert judged < {*docids} and docids == sorted(docids, key=lambda docid: int(docid[1:]))
    assert write_corpus(source, corpus) == {"passages": 100}
