"""Nodes of the job graph: keys, commands and histories, the answers worked out by hand."""

import hashlib
import json
import shlex
from dataclasses import dataclass, field

import pytest

from robustdr.core.settings import UNSEEN
from robustdr.keys import node as nodes
from robustdr.keys import provenance
from robustdr.keys.node import Input, Need, Node, histories, reads
from robustdr.keys.provenance import Code


@dataclass(frozen=True)
class Settings:
    depth: int
    checkpoint_every: int = field(default=9, metadata=UNSEEN)


@pytest.fixture(autouse=True)
def readable_keys(monkeypatch):
    """A key is what it is made of, as text: `code|settings|inputs`."""
    monkeypatch.setattr(nodes, "key", lambda code, settings, inputs: f"{'+'.join(code.names)}|{settings}|{inputs}")
    monkeypatch.setattr(nodes, "made_of", lambda code: f"{'+'.join(code.names)}'s code")


def node(name, **fields):
    fields.setdefault("code", Code([name]))
    return Node(name, "results", f"results/{name}", f"what {name} is", name, need=Need(1000, 10), **fields)


# keys


def test_a_key_is_of_code_settings_and_what_decides_beside_them():
    assert node("corpus").key == "corpus|[None, None]|{}"
    assert node("rank", settings=Settings(5), decides=[1, "a"]).key == "rank|[{'depth': 5}, [1, 'a']]|{}"
    assert (
        node("train", code=Code(["train", "robustdr.losses.rodr"])).key == "train+robustdr.losses.rodr|[None, None]|{}"
    )


def test_a_setting_that_no_byte_sees_decides_no_key():
    assert node("train", settings=Settings(5, 9)).key == node("train", settings=Settings(5, 10)).key
    assert node("train", settings=Settings(5)).key != node("train", settings=Settings(6)).key


def test_inputs_count_by_their_role_and_in_their_order():
    first, second = node("one", decides=1), node("two", decides=2)
    key = node("rank", inputs={"runs": reads(first, second)}).key
    assert key == "rank|[None, None]|{'runs': ['one|[None, 1]|{}', 'two|[None, 2]|{}']}"
    assert node("rank", inputs={"runs": reads(second, first)}).key != key
    assert node("rank", inputs={"candidates": reads(first, second)}).key != key


def test_named_inputs_count_by_their_names_and_in_any_order():
    """As where a query is assigned one of several variations by name."""
    first, second = node("one"), node("two")
    key = node("data", inputs={"variations": Input([first, second], names=["a", "b"])}).key
    assert key == "data|[None, None]|{'variations': {'a': 'one|[None, None]|{}', 'b': 'two|[None, None]|{}'}}"
    reordered = Input([second, first], names=["b", "a"])
    traded = Input([first, second], names=["b", "a"])
    assert reordered.key == Input([first, second], names=["a", "b"]).key != traded.key
    with pytest.raises(ValueError):
        _ = Input([first, second], names=["a"]).key


def test_files_of_the_user_count_by_their_bytes(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text("abc")
    abc = hashlib.sha256(b"abc").hexdigest()
    assert Input(files=[path]).key == [[], [{".": abc}]]
    assert Input([node("one")], [path]).key == [["one|[None, None]|{}"], [{".": abc}]]
    assert Input(files=[path]).paths == [str(path)]
    before = node("split", inputs={"files": Input(files=[path])}).key
    path.write_text("abd")
    assert node("split", inputs={"files": Input(files=[path])}).key != before


def test_what_is_read_but_decides_nothing_is_in_no_key():
    """Nor is what is empty: an option that is not given is no other option."""
    source = node("one")
    key_alone = node("vary").key
    assert node("vary", inputs={"tokenizer": reads(source, decides=False)}).key == key_alone
    assert node("vary", inputs={"shards": reads(), "files": Input(names=[])}).key == key_alone
    assert node("vary", after=[source]).key == key_alone
    assert node("vary", options={"threads": 2}).key == key_alone
    assert node("vary", inputs={"tokenizer": reads(source)}).key != key_alone


def test_the_key_is_the_one_that_artifacts_carry(monkeypatch):
    monkeypatch.setattr(nodes, "key", provenance.key)
    code, corpus = Code(["evaluate"]), node("corpus", settings=Settings(5), decides="a")
    key = provenance.key(Code(["corpus"]), [{"depth": 5}, "a"], {})
    assert corpus.key == key and len(key) == 16
    measured = node("evaluate", code=code, inputs={"runs": reads(corpus)})
    assert measured.key == provenance.key(code, [None, None], {"runs": [key]})


# files of an artifact


def test_a_file_of_an_artifact_has_its_key():
    folder = node("base", decides=1)
    file = folder.file("results/base/tokenizer.json")
    assert file.key == folder.key and file.path == "results/base/tokenizer.json"
    assert file.file("results/base/1_Pooling/config.json").whole is folder
    assert node("data", inputs={"tokenizer": reads(file)}).key == node("data", inputs={"tokenizer": reads(folder)}).key


def test_a_file_in_a_folder_is_in_its_record_and_one_beside_has_its_own():
    folder, queries = node("base"), node("queries.tsv")
    assert folder.record == folder.file("results/base/tokenizer.json").record == "results/base.sha256"
    assert queries.record == "results/queries.tsv.sha256"
    assert queries.file("results/qrels.txt").record == "results/qrels.txt.sha256"
    assert folder.file("results/base.at10/model.safetensors").record == "results/base.at10/model.safetensors.sha256"


# jobs


def told_of(job):
    """The command of a node without what its stage attests, and without its outputs."""
    attested = ("--made-of", "--work", "--key", "--reads", "--output")
    options = [option for option in job.options_told if option[0] not in attested]
    return shlex.join([job.stage_name, *(word for option in options for word in option)])


def test_a_job_logs_and_is_timed_under_the_name_of_its_rule():
    job = node("training_data")
    assert job.log == "results/logs/training_data/training_data.log"
    assert job.benchmark == "results/benchmarks/training_data/training_data.tsv"


def test_a_rule_declares_the_record_of_the_first_artifact_of_its_job():
    first, second = node("one"), node("two", first="results/one")
    assert first.declared == second.declared == second.file("results/two/weights").declared == "results/one.sha256"
    assert second.record == second.file("results/two/weights").record == "results/two.sha256"
    assert first.file("results/beside").declared == "results/one.sha256"


def test_a_command_has_settings_then_inputs_then_options():
    first, second = node("one"), node("two")
    job = node("rank", settings=Settings(5), inputs={"runs": reads(first, second)}, options={"first_seed": 1})
    settings = """'{"depth": 5, "checkpoint_every": 9}'"""
    assert told_of(job) == f"rank --settings {settings} --runs results/one results/two --first-seed 1"


def test_a_command_ends_with_its_outputs_even_if_there_are_none():
    assert node("one").words[-2:] == ["--output", "results/one"]
    job = node("rank", outputs={"runs": ["results/a", "results/b"], "trec": []})
    assert job.words[-4:] == ["--runs", "results/a", "results/b", "--trec"]


def test_a_command_has_what_its_stage_attests():
    """The code, its own key or those of all artifacts that the job makes, and the keys of what it reads, by option."""
    first, second = node("one"), node("two")
    inputs = {"runs": reads(first, second), "card": reads(first), "hidden": Input([second], is_option=False)}
    words = node("rank", inputs=inputs).words
    assert words[:4] == ["rank", "--made-of", "rank's code", "--work"]
    assert words[5] == "--key" and words[6].startswith("rank|")
    planned = {"runs": [first.key, second.key], "card": [first.key]}
    assert words[7] == "--reads" and json.loads(words[8]) == planned
    several = node("rank", makes=lambda: [first, second]).words
    assert several[several.index("--key") + 1 : -2] == [first.key, second.key]


def test_lists_that_are_empty_are_left_out_of_a_command():
    job = node("train", inputs={"teacher": reads()}, options={"percents": [], "snapshots": ["a", "b"], "seed": 0})
    assert told_of(job) == "train --snapshots a b --seed 0"


def test_a_command_names_the_code_and_packages_that_its_stage_loads_by_name(tmp_path):
    assert told_of(node("training_data")) == "training-data"
    job = node("rank", code=Code(["rank", "robustdr.retrieval.bm25"]))
    assert told_of(job) == "rank --code rank robustdr.retrieval.bm25"
    assert told_of(node("checkpoint", code=Code(["checkpoint"], ["torch"]))) == "checkpoint --packages torch"
    assert told_of(node("pretrain", stage="train", code=Code(["train"]))) == "train"


def test_a_command_has_the_digests_of_files_of_the_user(tmp_path):
    (tmp_path / "run").write_text("abc")
    inputs = {"folder": Input(files=[tmp_path], is_option=False), "runs": Input(files=[tmp_path / "run"])}
    rank, option, files, *rest = shlex.split(told_of(node("rank", inputs=inputs)))
    sha = hashlib.sha256(b"abc").hexdigest()
    assert json.loads(files) == {str(tmp_path): {"run": sha}, str(tmp_path / "run"): {".": sha}}
    assert [rank, option, *rest] == ["rank", "--files", "--runs", f"{tmp_path}/run"]


# what is behind a node


def names(history):
    return [artifact.path.removeprefix("results/") for artifact in history]


def test_a_history_has_every_node_once_each_after_what_it_is_made_from():
    """What a job waits for, and does not read, comes first."""
    corpus = node("corpus")
    card = node("card", inputs={"corpus": reads(corpus)})
    data = node("data", inputs={"corpus": reads(corpus)}, after=[card])
    base = node("base")
    model = node("model", inputs={"data": reads(data), "initial": reads(base)})
    run = node("run", inputs={"model": reads(model), "corpus": reads(corpus)}, after=[card])
    assert names(histories([run])) == ["corpus", "card", "data", "base", "model", "run"]
    assert names(histories([corpus])) == ["corpus"]
    assert names(histories([data, run])) == ["corpus", "card", "data", "base", "model", "run"]
    assert names(histories([base, data])) == ["base", "corpus", "card", "data"]


def test_a_history_has_artifacts_and_no_files_of_them():
    split = node("queries.tsv")
    run = node("run", inputs={"queries": reads(split), "judged": reads(split.file("results/qrels.txt"))})
    assert histories([run]) == [split, run]
    assert histories([split.file("results/qrels.txt")]) == [split]


def test_what_is_read_twice_is_read_once(tmp_path):
    first, second = node("one"), node("two")
    job = node("rank", inputs={"first": reads(first, second), "second": reads(first), "files": Input(files=[tmp_path])})
    assert job.input_nodes == [first, second]
    assert node("rank", inputs={"first": reads(second), "second": reads(first, decides=False)}).input_nodes == [
        second,
        first,
    ]
