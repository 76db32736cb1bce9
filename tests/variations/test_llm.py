"""The LLM generator against a real HTTP server on the loopback: cache, retries, malformed answers, errors, kills."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from tests.variations.chat_server import KINDS, Server, versions

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.core.files import read_queries, write_queries
from robustdr.stages.__main__ import main
from robustdr.variations import llm
from robustdr.variations.llm import Answers

QUERIES = {str(qid): f"what is number {qid}" for qid in range(12)}
LISTS = {text: llm.parse(versions(text)) for text in QUERIES.values()}


@pytest.fixture
def server():
    made = Server()
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def create(server, tmp_path):
    def make(**parameters):
        common = {"engine": "server", "base_url": server.url, "cache": str(tmp_path / "kept" / "llm.jsonl")}
        return variations.create("llm", common | {"attempts": 3} | parameters)

    return make


def vary(variation, queries=QUERIES, seed=1):
    variation.fetch(queries)
    variation.ready(queries)
    return dict(variation.vary(queries.items(), seed))


def test_one_answer_serves_the_version_that_attacks_and_the_four_that_train(create, server):
    query_sets = [vary(create(version=version)) for version in range(5)]
    split = create().split(QUERIES, 1)
    for qid, text in QUERIES.items():
        five, attacking = list(LISTS[text]), split[qid] - 1
        assert query_sets[0][qid] == five.pop(attacking)
        assert [found[qid] for found in query_sets[1:]] == five
    assert server.good == Counter(QUERIES.values())
    assert len(set(split.values())) > 2
    assert create().split(QUERIES, 2) != split


def test_a_stage_writes_all_versions_and_which_attacks(tmp_path, tiny_model):
    source, query_sets = tmp_path / "queries.tsv", [tmp_path / f"{version}.tsv" for version in range(5)]
    write_queries(source, QUERIES.items())
    argv = ["vary", "--queries", str(source), "--tokenizer", str(tiny_model / "tokenizer.json")]
    argv += ["--settings", json.dumps({"generator": "llm:Llm", "parameters": {}, "seed": 1}), "--key", "0123abcd"]
    argv += ["--code", "vary", "robustdr.variations.llm", "--packages"]
    argv += ["--output", *map(str, query_sets), "--split", str(tmp_path / "split.json")]
    argv += ["--statistics", *(str(path.with_suffix(".json")) for path in query_sets)]
    assert main(argv) == 0
    made = variations.create("llm")
    assert json.loads((tmp_path / "split.json").read_text()) == {"attacks": made.split(QUERIES, 1)}
    for version, path in enumerate(query_sets):
        assert read_queries(path) == vary(variations.create("llm", {"version": version}))
        assert json.loads(path.with_suffix(".json").read_text())["resource"].startswith("stand-in: ")


def test_a_complete_cache_is_read_and_nobody_is_asked(create, server):
    first, asked = vary(create()), len(server.requests)
    assert vary(create(complete=True)) == first
    with pytest.raises(
        UserError, match=r"complete: .*llm\.jsonl has no answer for 1 of \d+ queries, e\.g\. 'one more'"
    ):
        create(complete=True).ready({**QUERIES, "another": "one more"})
    assert len(server.requests) == asked


def test_the_version_that_attacks_is_drawn_uniformly(create):
    queries = {str(qid): "what is it" for qid in range(2000)}
    made = create()
    made.fetch(queries)
    counts = Counter(made.split(queries, 1).values())
    assert all(abs(counts[number] - 400) < 80 for number in range(1, 6))  # 4.5 deviations of 17.9


def test_requests_as_the_paper_has_them(create, server, monkeypatch):
    monkeypatch.setenv("SECRET", "s3cret")
    server.key, server.delay = "s3cret", 0.05
    vary(create(key="SECRET", model="some-model", temperature=0.5, concurrency=4))
    path, authorization, body = server.requests[0]
    assert (path, authorization) == ("/v1/chat/completions", "Bearer s3cret")
    assert (body["model"], body["temperature"]) == ("some-model", 0.5)
    assert body["messages"][0]["content"].startswith(
        "Paraphrase the following query and provide 5 different versions that convey the same meaning."
    )
    assert server.most_at_once == 4


def test_a_second_run_asks_nothing(create, server, capsys):
    first = vary(create())
    assert len(server.requests) == len(QUERIES) and "12 of 12 queries to ask" in capsys.readouterr().err
    assert vary(create(concurrency=1, attempts=5, base_url="http://127.0.0.1:9/v1")) == first
    assert dict(create().vary(reversed(QUERIES.items()), 1)) == first
    assert vary(create(), QUERIES, 9) != first
    assert len(server.requests) == len(QUERIES) and capsys.readouterr().err == ""
    one = {"0": QUERIES["0"]}
    vary(create(model="other"), one)
    vary(create(temperature=0.0), one)
    assert len(server.requests) == len(QUERIES) + 2


def test_equal_queries_are_asked_once(create, server):
    vary(create(), {"1": "who", "2": "who", "3": "who"})
    assert len(server.requests) == 1


def test_the_estimate(create, capsys):
    """3 queries of 40 characters: (3 · 167 + 120) / 4 tokens in, 5 · (3 · 4 + 1.5 · 120) / 4 out."""
    create(price_in=500.0, price_out=1500.0).fetch({str(number): f"{number}" * 40 for number in range(3)})
    prompt = len(llm.PROMPT)
    read, cost = (3 * prompt + 120) // 4, ((3 * prompt + 120) // 4 * 500 + 240 * 1500) / 1e6
    assert capsys.readouterr().err == (
        f"llm: 3 of 3 queries to ask of gpt-3.5-turbo: about {read} tokens in and 240 out, {cost:.2f} at prices of 500 "
        "and 1500 per million\n"
    )
    assert f"{cost:.2f}" == "0.44"


@pytest.mark.parametrize("kind", KINDS)
def test_what_fails_in_passing_is_asked_again(create, server, kind):
    server.script, server.late = [kind, kind], 0.5
    made = create(concurrency=1, timeout=0.2)
    assert vary(made, {"0": QUERIES["0"]})["0"] in LISTS[QUERIES["0"]]
    assert server.failures == {kind: 2} and len(server.requests) == 3 and made.problems == []


def test_a_query_without_versions_keeps_its_text_and_is_asked_in_the_next_run(create, server):
    server.script = ["I cannot do that."] * 3
    made = create(concurrency=1, unanswered=0.1)
    assert vary(made)["0"] == QUERIES["0"]
    assert made.problems == ["0: 1 versions in 'I cannot do that.'"]
    assert "0" not in made.split(QUERIES, 1) and len(server.requests) == 3 + 11
    assert vary(create())["0"] != QUERIES["0"] and len(server.requests) == 3 + 12


GERMAN = "\n".join(
    f"{number}. {text}"
    for number, text in enumerate(
        (
            "Was ist Photosynthese?",
            "Wie funktioniert die Photosynthese?",
            "Was versteht man unter Photosynthese?",
            "Wie lässt sich Photosynthese erklären?",
            "Worum handelt es sich bei der Photosynthese?",
        ),
        1,
    )
)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("1. a cat\n2. the dog\n3. a horse\n4. the cow", r"4 versions in '1\. a cat"),
        (GERMAN, r"another language than English: '1\. Was ist"),
        ("1. a cat\n2. a cat\n3. a horse\n4. the cow\n5. it", "two equal versions in"),
        (" ", "an empty answer"),
    ],
)
def test_a_model_that_does_not_write_five_versions_is_one_error_and_the_others_are_kept(
    create, server, tmp_path, answer, message
):
    server.script = [None] * 4 + [answer] * 30
    with pytest.raises(UserError, match=rf"(?s)variation llm: gpt-3\.5-turbo does not write 5 versions .*{message}"):
        create(concurrency=1).fetch(QUERIES)
    assert 4 + 3 <= len(server.requests) <= 4 + 3 * 3  # those on their way are awaited
    assert sum(bool(found.versions) for found in Answers(tmp_path / "kept" / "llm.jsonl").values()) == 4
    server.script, before = [], len(server.requests)
    assert len(vary(create())) == 12 and len(server.requests) == before + 8


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (401, r"refuses the key \(HTTP 401\)"),
        (403, r"refuses the key \(HTTP 403\)"),
        (404, r"refuses model 'gpt-3\.5-turbo': HTTP 404, .*no"),
        (500, r"does not answer \(HTTP 500, .*, 1 attempts\)"),
    ],
)
def test_a_server_that_refuses_is_one_error_and_the_next_run_goes_on(create, server, status, message):
    server.script = [None, None, None, *[status] * 9]
    with pytest.raises(UserError, match=rf"{message}; 3 of 12 queries have answers, kept in .*llm\.jsonl"):
        create(concurrency=1, attempts=1).fetch(QUERIES)
    server.script, before = [], len(server.requests)
    assert len(vary(create())) == 12 and len(server.requests) == before + 9


def test_a_key_is_never_printed(create, server, monkeypatch, capfd):
    """Not by a server that refuses it, nor by one that repeats it, nor where it stands in place of its variable."""
    monkeypatch.setenv("SECRET", "sk-s3cret")
    errors = []
    for server.key, server.script in (("another", []), ("", ["repeat"] * 99)):
        with pytest.raises(UserError, match="refuses") as error:
            create(key="SECRET").fetch(QUERIES)
        errors.append(str(error.value))
    assert "HTTP 400, Error code: 400 - Bearer …" in errors[1]
    for wrong in ("sk-s3cret", "UNSET"):
        with pytest.raises(UserError, match="variable") as error:
            create(key=wrong).fetch(QUERIES)
        errors.append(str(error.value))
    assert "s3cret" not in "".join([*errors, *capfd.readouterr()])


def test_a_server_that_is_not_there_is_one_error(create):
    with pytest.raises(UserError, match=r"http://127\.0\.0\.1:9/v1 does not answer \(.*refused.*, 2 attempts\); 0 of"):
        create(base_url="http://127.0.0.1:9/v1", attempts=2).fetch(QUERIES)


def test_what_was_not_asked_cannot_be_varied(create):
    with pytest.raises(UserError, match="'what is number 0' was not asked"):
        list(create().vary(QUERIES.items(), 1))


def test_a_line_that_was_cut_off_costs_one_question_once(create, server, tmp_path):
    path = tmp_path / "kept" / "llm.jsonl"
    vary(create())
    path.write_bytes(path.read_bytes()[:-9])
    for asked in (13, 13):
        assert len(vary(create())) == 12 and len(server.requests) == asked


ASK = """
import json, sys
from pathlib import Path
from robustdr.core.files import read_queries
from robustdr.variations import create
create("llm", json.loads(sys.argv[2])).fetch(read_queries(sys.argv[1]))
"""


@pytest.mark.parametrize(
    ("count", "kills", "concurrency"), [(300, 1, 8), pytest.param(10_000, 2, 32, marks=pytest.mark.slow)]
)
def test_a_fifth_of_all_requests_fails_and_the_process_is_killed(
    server, create, tmp_path, environment, count, kills, concurrency
):
    """Nothing is lost, and nothing is asked twice but what was on its way when a process was killed."""
    server.failing, server.late, server.delay = 0.2, 2.5, 0.01
    queries = {str(qid): f"what is number {qid}" for qid in range(count)}
    source = tmp_path / "queries.tsv"
    source.write_text("".join(f"{qid}\t{text}\n" for qid, text in queries.items()))
    made = create(concurrency=concurrency, attempts=8, timeout=2.0)
    command = [sys.executable, "-c", ASK, str(source), json.dumps(made.parameters)]
    for killed in range(1, kills + 1):
        process = subprocess.Popen(command, env=environment)
        while server.good.total() < killed * count // (kills + 1):
            assert process.poll() is None
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(command, check=True, env=environment)
    varied = vary(create(), queries)
    assert all(varied[qid] in llm.parse(versions(text)) for qid, text in queries.items())
    assert server.good.keys() == set(queries.values())
    assert server.good.total() - count <= kills * concurrency
    assert len(server.failures) == len(KINDS) and server.most_at_once <= concurrency


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('Sure!\n1. a\n2) an\n3: the\n4. "it"\n5. is\n\nHope this helps', ("a", "an", "the", "it", "is")),
        ("- a\n- an\n- the\n- it\n- is", ("a", "an", "the", "it", "is")),
        (
            "Version 1: a cat\nVersion 2: an\nVersion 3: the\nVersion 4: it\nVersion 5: is",
            ("a cat", "an", "the", "it", "is"),
        ),
        ("a\nan\n\nthe\nit\nis", ("a", "an", "the", "it", "is")),
    ],
)
def test_parsing(answer, expected):
    assert llm.parse(answer) == expected


def test_the_stand_in_asks_nobody_and_says_what_it_is(create, server):
    query_sets = [vary(create(engine="rules", version=version)) for version in range(5)]
    assert all(len({QUERIES[qid], *(found[qid] for found in query_sets)}) == 6 for qid in QUERIES)
    assert create(engine="rules").resource.startswith("stand-in: rules") and not server.requests
