"""An encoder behind a server as a system: it ranks as the same model at hand, and its key says what was asked."""

import json
import threading
from pathlib import Path

import pytest
from tests.encoding.embedding_server import Server
from tests.recipes import recipe, with_systems

from robustdr.core.errors import UserError
from robustdr.encoding.encoder import Encoder
from robustdr.experiments.config import load
from robustdr.experiments.kinds import kind_named
from robustdr.graph.graph import graph
from robustdr.retrieval import search, served
from robustdr.retrieval.settings import Index, SearchSettings, ServedSettings

ROOT = Path(__file__).parents[2]
AT = ("wordnet-mini", "dev")
RECIPE = {"label": "Engine", "kind": "served", "url": "http://localhost:1/v1", "model": "m"}
QUERIES = [{"q1": "gold river", "q2": "the king"}, {"q1": "glod river", "q2": "the king"}]
TEXTS = ("gold of the river", "king and house", "music", "light water", "stone road")


@pytest.fixture()
def corpus(tmp_path):
    lines = [json.dumps({"docid": f"d{number}", "title": "", "text": text}) for number, text in enumerate(TEXTS)]
    (tmp_path / "corpus.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path / "corpus.jsonl"


@pytest.fixture()
def server(tiny_model):
    encoder, lock = Encoder(tiny_model), threading.Lock()

    def embed(texts):
        with lock:
            return encoder.encode(texts, 64)

    embedding_server = Server(embed)
    threading.Thread(target=embedding_server.serve_forever, daemon=True).start()
    yield embedding_server
    embedding_server.shutdown()
    embedding_server.server_close()


@pytest.mark.parametrize("judged", [False, True])
def test_rankings_are_those_of_the_same_model_at_hand(server, tiny_model, corpus, tmp_path, judged):
    depth = {"depth": 3}
    settings = ServedSettings(
        server.url, "m", {"query": "", "passage": ""}, "dot", None, key="", cache=str(tmp_path / "cache"), batch=2,
        concurrency=2, attempts=2, timeout=30.0, **depth,
    )  # fmt: skip
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d0 1\n")
    files = {"judged": [tmp_path / "qrels.txt"]} if judged else {}
    rankings = list(served.rankings(settings, corpus, files, QUERIES))
    search_settings = SearchSettings(64, 64, index=Index("Flat", 1), shards=0, precision="float32", threads=1, **depth)
    expected = search.rankings(search_settings, corpus, {**files, "model": [tiny_model], "embeddings": []}, QUERIES)
    for ranking, expected_ranking in zip(rankings, expected, strict=True):
        assert ranking.keys() == expected_ranking.keys() == {"q1", "q2"}
        for qid in ranking:
            assert [docid for docid, _ in ranking[qid]] == [docid for docid, _ in expected_ranking[qid]]
            assert [score for _, score in ranking[qid]] == pytest.approx(
                [score for _, score in expected_ranking[qid]], abs=1e-5
            )
    docids = {"d0", "d1", "d2"} if judged else {f"d{number}" for number in range(5)}
    assert {text for text in server.given if text in TEXTS} == {TEXTS[int(docid[1:])] for docid in docids}


def graph_with_server(**changes):
    config = with_systems(load(ROOT / "config"), "rodr", {"engine": {**RECIPE, **changes}})
    kind_named("served").check(config, "engine", "here")
    return graph(config, "mini")


def key(**changes):
    return graph_with_server(**changes).run("engine", 0, AT, "original").key


def test_what_is_asked_is_in_the_key_and_how_is_not():
    key_changes = [{"url": "http://localhost:2/v1"}, {"model": "other"}, {"prompts": {"query": "query: "}}]
    key_changes += [{"prompts": {"passage": "query: "}}, {"similarity": "dot"}, {"dimension": 64}]
    assert len({key(), *(key(**change) for change in key_changes)}) == 1 + len(key_changes)
    still = [{"key": "NAME"}, {"cache": "elsewhere"}, {"batch": 8}, {"concurrency": 1}, {"attempts": 9}, {"timeout": 9}]
    assert {key(**change) for change in still} == {key()}


def test_it_is_neither_trained_nor_random():
    lineage = graph_with_server().lineage
    assert lineage.seeds("engine") == [0] and not lineage.is_trained("engine") and not lineage.unavailable("engine")


def test_a_table_says_that_the_weights_are_not_known():
    prompts = {"query": "query: ", "passage": ""}
    note = kind_named("served").note(recipe(**RECIPE, prompts=prompts))
    assert note.startswith("Engine: vectors that the model m at http://localhost:1/v1 gave, with the prompts {'query':")


def test_a_key_in_place_of_its_variable_is_not_shown():
    with pytest.raises(UserError, match="here: key: the name of the environment variable") as raised:
        graph_with_server(key="sk-123-abc")
    assert "sk-123" not in str(raised.value)


def test_a_recipe_cannot_say_that_it_is_trained(tmp_path):
    (tmp_path / "papers/mine").mkdir(parents=True)
    served = "{label: m, kind: served, url: 'http://h/v1', model: m, loss: {name: contrastive}}"
    text = f"title: t\nreference: r\nseeds: [1]\nevaluation: {{}}\ntables: {{}}\nsystems:\n  mine: {served}\n"
    (tmp_path / "papers/mine/experiment.yaml").write_text(text)
    with pytest.raises(UserError, match=r"systems\.mine.*'loss'"):
        load(ROOT / "config", tmp_path)
