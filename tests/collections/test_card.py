"""The card: exact counts of a collection worked by hand, and every way its files may not fit together."""

import json
from pathlib import Path

import pytest
import yaml

from robustdr import variations
from robustdr.collections.card import write_card
from robustdr.collections.settings import Collections
from robustdr.core.errors import UserError
from robustdr.core.files import read_queries, sha256
from robustdr.core.yaml_files import checked

ROOT = Path(__file__).parents[2]
COLLECTIONS = yaml.safe_load((ROOT / "config/collections.yaml").read_text(encoding="utf-8"))

CORPUS = [("d1", "", "one two three"), ("d2", "a title", "four"), ("d3", "", "five six")]  # 3, 3 and 2 words
FILES = {
    "corpus.jsonl": "".join(json.dumps({"docid": d, "title": h, "text": t}) + "\n" for d, h, t in CORPUS),
    "dev/queries.tsv": "q1\twhat is one\nq2\twhat is four here\n",  # 3 and 4 words
    "dev/qrels.txt": "q1 0 d1 3\nq1 0 d2 0\nq2 0 d2 3\n",
    "test/queries.tsv": "q3\tfive\n",
    "test/qrels.txt": "q3 0 d3 1\n",
}
SOURCE = {"kind": "local", "licence": "CC0", "url": "https://example.org"}


def card(folder, source=SOURCE, **changes):
    """Write the card of a small collection; `changes` are bytes or texts by file, slashes and dots as underscores."""
    for name, text in FILES.items():
        path = folder / "mine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = changes.get(name.replace("/", "_").replace(".", "_"), text)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    folder = folder / "mine"
    splits = {split: (folder / split / "queries.tsv", folder / split / "qrels.txt") for split in ("dev", "test")}
    write_card(source, folder / "corpus.jsonl", splits, folder / "card.json")
    return json.loads((folder / "card.json").read_text(encoding="utf-8"))


def test_the_card_counts_what_is_there(tmp_path):
    made = card(tmp_path)
    digests = {name: sha256(tmp_path / "mine" / name) for name in FILES}
    assert made == {
        "name": "mine",
        "description": None,
        "licence": "CC0",
        "url": "https://example.org",
        "kind": "local",
        "passages": {"count": 3, "empty": 0, "mean_words": 2.67},
        "splits": {
            "dev": {"queries": 2, "mean_words": 3.5, "judgements": 3, "grades": {"0": 1, "3": 2}},
            "test": {"queries": 1, "mean_words": 1.0, "judgements": 1, "grades": {"1": 1}},
        },
        "sha256": digests,
    }


def test_the_card_of_a_training_split_counts_what_it_nearly_has_of_the_others(tmp_path):
    """Of questions, and of the relevant passages: d2 of dev is one of train, d3 of test is d1 but for its case."""
    corpus = FILES["corpus.jsonl"].replace("five six", "One two three!")
    train = {"queries.tsv": "t1\tWhat is one?\nt2\tis one, what\n", "qrels.txt": "t1 0 d1 1\nt2 0 d2 2\nt2 0 d3 0\n"}
    card(tmp_path, corpus_jsonl=corpus)  # writes the files
    folder = tmp_path / "mine"
    for name, text in train.items():
        (folder / "train").mkdir(exist_ok=True)
        (folder / "train" / name).write_text(text, encoding="utf-8")
    files = {
        split: [folder / split / "queries.tsv", folder / split / "qrels.txt"] for split in ("train", "dev", "test")
    }
    (folder / "answered").mkdir()
    (folder / "answered/queries.tsv").write_text("a1\tone is what\na2\twho\n", encoding="utf-8")
    files["answered"] = [folder / "answered/queries.tsv", folder / "answered/answers.jsonl"]
    trained_on = {"train": files.pop("train")}
    write_card(SOURCE, folder / "corpus.jsonl", trained_on, folder / "train/card.json", files)
    made = json.loads((folder / "train/card.json").read_text(encoding="utf-8"))
    assert made["near_duplicates"] == {
        "dev": {"queries": 1, "passages": 2},
        "test": {"queries": 0, "passages": 1},
        "answered": {"queries": 1},
    }
    without = {key: value for key, value in made.items() if key != "near_duplicates"}
    write_card(SOURCE, folder / "corpus.jsonl", trained_on, folder / "train/card.json")
    assert json.loads((folder / "train/card.json").read_text(encoding="utf-8")) == without


def test_a_log_has_queries_alone(tmp_path):
    card(tmp_path)  # writes the files
    folder = tmp_path / "mine"
    write_card(SOURCE, None, {"test": (folder / "test/queries.tsv", folder / "test/qrels.txt")}, folder / "card.json")
    made = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert made["passages"] is None and made["splits"]["test"]["queries"] == 1
    assert made["sha256"].keys() == {"test/queries.tsv", "test/qrels.txt"}


CANDIDATES = SOURCE | {"splits": {"dev": {"candidates": "judged"}, "test": {}}}


def test_a_list_of_candidates_has_a_relevant_passage(tmp_path):
    """One of the collection's relevance level; elsewhere a query may have judged passages alone that are not."""
    card(tmp_path, CANDIDATES)
    qrels = "q1 0 d1 3\nq2 0 d2 0\nq2 0 d3 0\n"
    with pytest.raises(
        UserError, match=r"dev/qrels\.txt:2: none of the 2 candidates of query 'q2' is relevant \(grade 1"
    ):
        card(tmp_path, CANDIDATES, dev_qrels_txt=qrels)
    with pytest.raises(
        UserError, match=r"qrels\.txt:1: none of the 1 candidates of query 'q1' is relevant \(grade 4 or"
    ):
        card(tmp_path, CANDIDATES | {"relevance_level": 4}, dev_qrels_txt="q1 0 d1 3\nq2 0 d2 4\n")
    card(tmp_path, SOURCE, dev_qrels_txt=qrels)


def test_a_candidate_is_a_passage(tmp_path):
    with pytest.raises(UserError, match=r"dev/qrels\.txt:2: judges passage 'd9', which is not in \S+corpus\.jsonl"):
        card(tmp_path, CANDIDATES, dev_qrels_txt="q1 0 d1 3\nq1 0 d9 0\nq2 0 d2 3\n")


EMPTY = '{"docid": "d4", "title": "", "text": " "}\n'


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corpus_jsonl": FILES["corpus.jsonl"] * 2}, r"corpus\.jsonl:4: docid 'd1' is also on line 1"),
        ({"corpus_jsonl": FILES["corpus.jsonl"] + EMPTY}, r"corpus\.jsonl:4: passage 'd4' is empty"),
        (
            {"corpus_jsonl": EMPTY.replace("d4", "d 4").replace('" "', '"x"')},
            r"corpus\.jsonl:1: docid 'd 4' is empty or",
        ),
        ({"corpus_jsonl": b'{"docid": "d1", "title": "", "text": "\xff"}\n'}, r"corpus\.jsonl:1: not UTF-8"),
        ({"corpus_jsonl": '{"docid": "d1", "text": "x"}\n'}, r"corpus\.jsonl:1: .* is no record"),
        ({"corpus_jsonl": ""}, r"corpus\.jsonl: no passages"),
        ({"dev_queries_tsv": "q1\tx\nq1\ty\n"}, r"dev/queries\.tsv:2: query id 'q1' occurs twice"),
        ({"dev_queries_tsv": "q1\tx\nq2\t\n"}, r"dev/queries\.tsv:2: empty text"),
        ({"dev_queries_tsv": FILES["dev/queries.tsv"] + "q9\tx\n"}, r"dev/queries\.tsv:3: query 'q9' has no judgement"),
        ({"test_queries_tsv": b"q3\t\xff\n"}, r"test/queries\.tsv:1: not UTF-8"),
        (
            {"dev_qrels_txt": FILES["dev/qrels.txt"] + "q9 0 d1 1\n"},
            r"dev/qrels\.txt:4: judgement for query 'q9', which is not",
        ),
        ({"test_qrels_txt": "q3 0 d3 1\nq3 0 d9 1\n"}, r"test/qrels\.txt:2: judges passage 'd9', which is not in"),
        ({"test_qrels_txt": "q3 0 d3 1\nq3 0 d3 1\n"}, r"test/qrels\.txt:2: .* twice"),
    ],
)
def test_files_that_do_not_fit_are_one_error_and_no_card(tmp_path, changes, message):
    with pytest.raises(UserError, match=message):
        card(tmp_path, **changes)
    assert not (tmp_path / "mine/card.json").exists()


def test_empty_passages_of_a_released_collection_are_counted(tmp_path):
    made = card(tmp_path, {"kind": "irds"}, corpus_jsonl=FILES["corpus.jsonl"] + EMPTY)
    assert made["passages"] == {"count": 4, "empty": 1, "mean_words": 2.0}


def check(name, change):
    entry = {**COLLECTIONS[name], **change}
    checked(Collections, COLLECTIONS | {name: entry}, Path("collections.yaml"))


def test_every_collection_is_taken_and_four_lines_of_ones_own():
    checked(Collections, COLLECTIONS, Path("collections.yaml"))
    header = (ROOT / "config/collections.yaml").read_text(encoding="utf-8").split("\n#\n")[2]
    mine = yaml.safe_load("\n".join(line[4:] for line in header.splitlines()))
    assert len(header.splitlines()) == 4 and mine.keys() == {"my-collection"}
    checked(Collections, mine, Path("collections.yaml"))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("wordnet-mini", {"passage": 5}, "wordnet-mini: key: 'passage' is unknown.*did you mean passages"),
        ("wordnet-mini", {"kind": "wordnt"}, "wordnet-mini.kind: 'wordnt' is unknown .did you mean wordnet"),
        ("wordnet-mini", {"parts_of_speech": ["nouns"]}, "parts_of_speech.0: 'nouns' is unknown .did you mean noun"),
        ("wordnet-mini", {"passages": 0}, "wordnet-mini.passages: 0 should be greater than 0"),
        (
            "wordnet-mini",
            {"splits": {"dev": {"query": 5}}},
            "splits.dev: key: 'query' is unknown.*did you mean queries",
        ),
        ("antique", {"splits": {"test": {}}}, "antique.splits.test: 'id' is missing"),
        ("antique", {"splits": {}}, "antique.splits: empty"),
        ("antique", {"relevance_level": 0}, "antique.relevance_level: 0 should be greater than 0"),
        ("dl-typo", {"splits": {"test": {"kind": "locl"}}}, "splits.test.kind: 'locl' is unknown .did you mean local"),
        (
            "dl-typo",
            {"splits": {"test": {"kind": "local", "queries": "q"}}},
            "splits.test.qrels: missing",
        ),
        ("dl-typo", {"sha256": {"q.tsv": "abc"}}, "sha256.q.tsv: 'abc' should match"),
        ("My_data", {"kind": "local"}, "key 'My_data' should match"),
    ],
)
def test_an_entry_that_is_wrong_is_refused(name, change, message):
    with pytest.raises(UserError, match=message):
        check(name, change) if name in COLLECTIONS else checked(Collections, {name: change}, Path("collections.yaml"))


def test_the_papers_collections_are_known_to_ir_datasets():
    """Ids, and the parts that are read from them; nothing is fetched."""
    import ir_datasets

    for source in COLLECTIONS.values():
        if source["kind"] == "irds":
            assert ir_datasets.load(source["corpus"]).has_docs()
            for split in source["splits"].values():
                if "id" in split:
                    dataset = ir_datasets.load(split["id"])
                    assert dataset.has_queries() and dataset.has_qrels()


def test_the_released_typo_queries_are_the_pinned_ones(tmp_path, monkeypatch):
    released = ROOT.parent / "shared/data/dl-typo"
    if not released.is_dir():
        pytest.skip("needs the released DL-Typo files in ../shared/data")
    from robustdr.collections import write_split

    (tmp_path / "data").mkdir()
    (tmp_path / "data/dl-typo").symlink_to(released)
    monkeypatch.chdir(tmp_path)
    files = [tmp_path / "queries.tsv", tmp_path / "qrels.txt"]
    assert write_split(COLLECTIONS["dl-typo"], "test", files) == {"queries": 60, "qrels": 3811}
    scale = yaml.safe_load((ROOT / "config/scales/full.yaml").read_text(encoding="utf-8"))
    entry = scale["variations"]["human_misspelling"]
    file = {"file": "data/dl-typo/query.typo.tsv", "sha256": entry["released"]["dl-typo/test"]["sha256"]}
    typed, corrected = variations.create("released", file), read_queries(files[0])
    typed.ready(corrected)
    assert sum(text != corrected[qid] for qid, text in typed.vary(corrected.items(), 1)) == 60
