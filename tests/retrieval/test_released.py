"""Runs as authors release them: their layouts, their columns, and what is refused."""

import gzip
import json
import tarfile
import zipfile
from io import BytesIO

import pytest

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.core.first_seen import note_of
from robustdr.retrieval.released import rankings
from robustdr.retrieval.settings import ReleasedRunSettings

QUERIES = [{"q1": "a river", "q2": "a stone"}, {"q1": "a rivre", "q2": "a stoen"}]
PATTERNS = {"original": "queries.dev.small.q*", "misspell": "*.MisSpell.*"}
NAMES = ["queries.dev.small.q32.p128.top1k.run.txt", "queries.dev.small.MisSpell.q32.p128.top1k.run.txt"]
TREC = ["q1 Q0 d2 1 9.5 dense\nq1 Q0 d1 2 9.5 dense\nq2 Q0 d3 1 7 dense\n", "q1 Q0 d3 1 3.5 dense\n"]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"docid": f"d{n}", "title": "", "text": "x"}) + "\n" for n in range(1, 5)))
    return path


def settings(**changes) -> ReleasedRunSettings:
    about = {"files": PATTERNS, "order": "rank", "sha256": "", "origin": "a drive", "depth": 1000}
    return ReleasedRunSettings(**{**about, **changes})


def read(path, corpus, **changes):
    return [
        {qid: [docid for docid, _ in ranking] for qid, ranking in run.items()}
        for run in rankings(settings(**changes), corpus, {"candidates": [path]}, QUERIES)
    ]


def archive(path, kind, texts, names=NAMES, folder="runs/"):
    """Write runs in one of the layouts; return where."""
    files = dict(zip(names, map(str.encode, texts), strict=True))
    if kind == "folder":
        for name, data in files.items():
            (path / folder).mkdir(parents=True, exist_ok=True)
            (path / folder / name).write_bytes(data)
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as zipped:
            for name, data in files.items():
                zipped.writestr(f"{folder}{name}", data)
                zipped.writestr(f"__MACOSX/{folder}._{name}", b"x")
    else:
        with tarfile.open(path, kind) as tar:
            for name, data in files.items():
                about = tarfile.TarInfo(f"./{folder}{name}")
                about.size = len(data)
                tar.addfile(about, BytesIO(data))
    return path


@pytest.mark.parametrize("kind", ["folder", "zip", "w", "w:gz", "w:xz"])
def test_every_layout_is_read(tmp_path, corpus, kind):
    """The name that Google Drive gives a file does not matter."""
    path = archive(tmp_path / "rodr-run", kind, TREC)
    assert read(path, corpus) == [{"q1": ["d2", "d1"], "q2": ["d3"]}, {"q1": ["d3"], "q2": []}]


@pytest.mark.parametrize(
    "text",
    [
        "q1 Q0 d2 1 9.5 dense\nq1 Q0 d1 2 9.5 dense\nq2 Q0 d3 1 7 dense\n",
        "q2\td3\t1\nq1\td1\t2\nq1\td2\t1\n",
        "q1\td2\t1\t9.5\nq1\td1\t2\t9.25\nq2\td3\t1\t7\n",
        "q1\td1\t9.25\nq1\td2\t9.5\nq2\td3\t7.125\n",
    ],
    ids=["TREC", "query, passage, rank", "with scores", "query, passage, score"],
)
def test_every_form_of_a_run_is_read(tmp_path, corpus, text):
    files = archive(tmp_path / "runs", "folder", [text, gzip.compress(text.encode()).decode("latin-1")][:1], NAMES[:1])
    (files / "runs" / f"{NAMES[1]}.gz").write_bytes(gzip.compress(text.encode()))
    expected = {"q1": ["d2", "d1"], "q2": ["d3"]}
    assert read(files, corpus) == [expected, expected]


def test_a_single_file_is_the_run_of_its_query_set(tmp_path, corpus):
    path = tmp_path / "rodr-run"
    path.write_text(TREC[0])
    run = next(rankings(settings(files={"original": "*"}), corpus, {"candidates": [path]}, QUERIES[:1]))
    assert [docid for docid, _ in run["q1"]] == ["d2", "d1"]


def test_ranks_decide_or_scores_do(tmp_path, corpus):
    texts = ["q1 Q0 d1 1 2.0 t\nq1 Q0 d4 2 9.0 t\nq1 Q0 d3 3 9.0 t\n", TREC[1]]
    path = archive(tmp_path / "runs", "folder", texts)
    assert read(path, corpus)[0]["q1"] == ["d1", "d4", "d3"]
    assert read(path, corpus, order="score")[0]["q1"] == ["d4", "d3", "d1"]
    assert read(path, corpus, depth=1)[0]["q1"] == ["d1"]


REFUSED = {
    "no file matches; it has runs/queries.dev.small.MisSpell": lambda path: archive(path, "zip", TREC[1:], NAMES[1:]),
    "2 files match: runs/queries.dev.small.q1, runs/queries.dev.small.q2": lambda path: archive(
        path, "folder", [TREC[0], TREC[0], TREC[1]], ["queries.dev.small.q1", "queries.dev.small.q2", NAMES[1]]
    ),
    ":2: not a TREC run (5 fields, not 6)": lambda path: archive(
        path, "w", ["q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1\n", TREC[1]]
    ),
    "query 'q1' has a passage twice": lambda path: archive(path, "w", ["q1\td1\t1\nq1\td1\t2\n", TREC[1]]),
    "the query 'q9' is not in its query set": lambda path: archive(path, "w", ["q9\td1\t1\n", TREC[1]]),
    "the passage 'd9' of query 'q1' is not in the collection": lambda path: archive(
        path, "w", ["q1\td9\t1\n", TREC[1]]
    ),
    "an empty run": lambda path: archive(path, "w", ["", TREC[1]]),
    "no such file or folder": lambda path: path,
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_no_run_is_refused_in_one_line(tmp_path, corpus, message):
    path = REFUSED[message](tmp_path / "given")
    with pytest.raises(UserError) as caught:
        read(path, corpus)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_damaged_archive_is_refused(tmp_path, corpus):
    path = archive(tmp_path / "given", "w:gz", TREC)
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(UserError, match="given"):
        read(path, corpus)


def test_the_digest_at_the_first_use_counts(tmp_path, corpus):
    path = archive(tmp_path / "given", "w", TREC)
    read(path, corpus)
    told = json.loads(note_of(path).read_text())
    assert (
        told["from"] == "a drive" and "when it was first used here" in told["about"] and list(told["sha256"]) == ["."]
    )
    read(path, corpus)
    archive(path, "w", [TREC[0], TREC[0]])
    with pytest.raises(UserError, match=r"was [0-9a-f]{64} when it was first used here .*delete .*first-seen.json"):
        read(path, corpus)
    note_of(path).unlink()
    read(path, corpus)


def test_a_pinned_digest_replaces_the_first(tmp_path, corpus):
    path = archive(tmp_path / "given", "w", TREC)
    read(path, corpus, sha256=sha256(path))
    assert not note_of(path).exists()
    with pytest.raises(UserError, match="the configuration pins 0000"):
        read(path, corpus, sha256="0" * 64)
