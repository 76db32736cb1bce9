"""`robustdr evaluate`: what is wrong with its options is one line before any work."""

import subprocess
import sys
import threading

import pytest
from tests.encoding.embedding_server import Server

import robustdr
from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr.own.evaluation import check_requests


@pytest.fixture()
def options(tmp_path, tiny_model):
    for name, line in {"corpus.tsv": "d1\ta cat\n", "queries.tsv": "q1\tcats\n", "qrels.txt": "q1 0 d1 1\n"}.items():
        (tmp_path / name).write_text(line)
    files = {
        "corpus": "corpus.tsv",
        "queries": "queries.tsv",
        "qrels": "qrels.txt",
    }
    file_options = {f"--{name}": str(tmp_path / file) for name, file in files.items()}
    return file_options | {"--model": str(tiny_model), "-o": str(tmp_path / "out")}


SERVED = {"--server": "http://localhost:1/v1"}
MISTAKES = {
    "no model at all": ({"--model": None}, "--model: missing; name at least one"),
    "a file that is missing": ({"--qrels": "no.txt"}, "--qrels: no.txt: no such file or directory"),
    "the split that trains": ({"--split": "train"}, "--split: 'train'; allowed: lower-case letters"),
    "a split that makes no file name": ({"--split": "Test 1"}, "--split: 'Test 1'; allowed: lower-case letters"),
    "remedies without data": ({"--fix": "rodr"}, "--fix: needs --train-queries and --train-qrels"),
    "an unknown variation": ({"--variations": "typos"}, "--variations: 'typos' is unknown (did you mean typo"),
    "no model": ({"--model": "."}, "--model: "),
    "neither a directory nor a name on the hub": ({"--model": "mine"}, "--model: mine: no such directory; allowed: "),
    "an option of servers": ({"--dimension": "8"}, "dimension: not options of a model of a folder or the hub"),
    "an option of folders": (SERVED | {"--pooling": "cls"}, "pooling: not options of a model of --server"),
    "options of runs": ({"--runs": ".", "--query-prompt": "q: "}, "prompts: not options of a model of --runs"),
    "a server without a protocol": ({"--server": "localhost"}, "--server: 'localhost'; it must begin with http://"),
    "a key in place of its variable": (SERVED | {"--key": "sk-1"}, "key: the name of the environment variable that "),
    "no draw": ({"--draws": "0"}, "--draws: 0; allowed: 1 or more"),
    "no core": ({"--cores": "0"}, "--cores: 0; allowed: 1 or more"),
    "no number of percent": ({"--fail-if-drop": "nan"}, "--fail-if-drop: nan: no drop is more than it; allowed: "),
    "too few tokens": ({"--query-length": "2"}, "--query-length: 2; allowed: 3 to 64, the tokens that "),
    "too many tokens": ({"--passage-length": "65"}, "--passage-length: 65; allowed: 3 to 64, the tokens that "),
    "a system that is called BM25": (
        {"--runs": ".", "--model": "BM25"},
        "--model: BM25: the name of several systems; allowed: each model once, and under another name than BM25 and ",
    ),
    "no dimension": ({"--truncate-dim": "0"}, "--truncate-dim: 0; allowed: 1 or more"),
    "vectors of a server": (
        SERVED | {"--precision": "int8"},
        "--precision: {model}: served; allowed: a model of a folder or of the hub with one vector for each text",
    ),
    "a key that is not set": (SERVED | {"--key": "NOT_SET"}, "key: the environment variable NOT_SET is not set"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_and_leaves_nothing(options, tmp_path, capsys, mistake):
    changes, message = MISTAKES[mistake]
    arguments = [word for pair in (options | changes).items() if None not in pair for word in pair]
    assert main(["evaluate", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"robustdr: {message.format(model=options['--model'])}")
    assert not (tmp_path / "out").exists()


def test_what_is_wrong_with_the_files_is_listed_before_any_work(options, tmp_path, capsys):
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d1 1\nq1 0 d2 1\n")
    assert main(["evaluate", *(word for pair in options.items() for word in pair)]) == 2
    encodes, *listed, last = capsys.readouterr().err.splitlines()
    assert encodes.endswith("reads 64 tokens of a query and 64 tokens of a passage; float32 weights")
    assert [line.partition(": ")[0] for line in listed] == [f"{tmp_path}/qrels.txt:2", f"{tmp_path}/qrels.txt:3"]
    assert last.startswith("robustdr: 2 errors in the files above")
    assert not (tmp_path / "out").exists()


def test_of_several_models_each_says_its_own_prompts(options, tiny_model, capsys):
    arguments = [word for pair in options.items() for word in pair]
    assert main(["evaluate", *arguments, "--models", str(tiny_model), str(tiny_model), "--query-prompt", "q: "]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "robustdr: prompts: allowed with one model only; with several, each directory says its own"


def test_a_model_is_named_once(options, tiny_model, tmp_path, capsys):
    arguments = [word for pair in options.items() for word in pair]
    assert main(["evaluate", *arguments, "--models", str(tiny_model), str(tiny_model)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"robustdr: --model: {tiny_model}: the name of several systems; allowed: each model once")
    assert not (tmp_path / "out").exists()


def test_requests_to_a_server_are_counted_before_the_first():
    """By hand, 64 texts in each: 130 passages need 3, and 65 queries 2 in each of 3 query sets; for two models."""
    line = check_requests(models=2, passages=130, queries=65, query_sets=3, allowed=18)
    assert line == "the server is asked in up to 18 requests for 650 texts, 64 in each; what it answered before is kept"
    with pytest.raises(UserError, match="--max-requests: 17: the server may be asked more often: up to 18 requests"):
        check_requests(models=2, passages=130, queries=65, query_sets=3, allowed=17)


def test_a_server_is_not_asked_more_often_than_allowed(tmp_path):
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, text in {"c.tsv": "d1\ta river\n", "q.tsv": "q1\twhat is a river\n", "r.txt": "q1 0 d1 1\n"}.items():
        (tmp_path / name).write_text(text)
    files = {"corpus": tmp_path / "c.tsv", "queries": tmp_path / "q.tsv", "qrels": tmp_path / "r.txt"}
    with pytest.raises(UserError, match=r"--max-requests: 1: .*up to \d+ requests"):
        robustdr.evaluate("m", tmp_path / "out", **files, server=[server.url], max_requests=1, language="en")
    assert not server.given
    server.shutdown()
    server.server_close()


def test_bad_input_is_told_before_pytorch_starts():
    code = "import sys, robustdr.own.evaluation; print({'torch', 'transformers'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
