"""The command line: every stage can be called, and what goes wrong is one line and exit status 2."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from robustdr.cli import main
from robustdr.evaluation.measures import read_measures
from robustdr.experiments.config import load
from robustdr.graph import site
from robustdr.graph.graph import graph
from robustdr.keys.integrity import key_of
from robustdr.keys.node import histories
from robustdr.retrieval.runs import write_run
from robustdr.stages import __main__ as stages
from robustdr.stages import options

ROOT = Path(__file__).parents[1]
STAGES = stages.all_stages()


def arguments(stage, **values):
    options = []
    for name, value in values.items():
        options.append(f"--{name.replace('_', '-')}")
        options += (
            [str(v) for v in value] if isinstance(value, list) else [value if isinstance(value, str) else str(value)]
        )
    return ["stage", stage, *options]


@pytest.fixture()
def small_disk(tmp_path):
    """A disk of 256 KiB."""
    path = tmp_path / "disk"
    path.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(path)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no right to mount a small disk here")
    yield path
    subprocess.run(["umount", str(path)], check=True)


def complaint(capsys, argv):
    """The one line that a failing command prints."""
    capsys.readouterr()
    assert (stages.main(argv[1:]) if argv[0] == "stage" else main(argv)) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("robustdr: ")]
    assert len(lines) == 1
    return lines[0].removeprefix("robustdr: ")


def flags(stage):
    """The options of a stage as they are written, and whether each must be given."""
    own = {name.rstrip("_").replace("_", "-"): not name.endswith("_") for name in STAGES[stage].options}
    return (
        dict.fromkeys(("made-of", "key", "work", "reads", "files", "code", "network", "packages", "gpus"), False) | own
    )


@pytest.mark.parametrize("stage", list(STAGES))
def test_every_stage_has_help(stage, capsys):
    with pytest.raises(SystemExit) as done:
        stages.main([stage, "--help"])
    assert done.value.code == 0
    text = capsys.readouterr().out
    assert all(f"--{flag}" in text for flag in flags(stage))


def named(words):
    return {word.removeprefix("--") for word in words if word.startswith("--")}


def nodes():
    """Every artifact of the miniature, and some that it has not: a shard of queries, compressed indexes, parts."""
    config = load(ROOT / "config")
    mini, compact, first = (graph(config, scale) for scale in ("mini", "compact", "first"))
    shown = [site.page(mini, tuple(config.papers))]
    shown += [
        first.query_set(("orcas", "train"), "typo"),
        first.corpus("antique"),
        first.fetched(("wikiqa", "test"), "llm"),
    ]
    at = ("msmarco-passage", "dev")
    shown += [compact.query_set(at, "misspell"), compact.recall("dr_oq", 1, at)]
    return histories(shown)


def test_the_rules_call_every_stage_with_its_options():
    """What a rule's command names exists, and what a stage cannot do without is named."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "rules").glob("*.smk")))
    called = re.findall(r"^rule (\w+):.*?-m robustdr.stages (.*?)> \{log", text, re.DOTALL | re.MULTILINE)
    by_rule = {}
    for node in nodes():
        by_rule.setdefault(node.rule, []).append(node.words)
    for rule, command in called:
        stage, *own = command.replace('"', " ").split()
        needed = {flag for flag, is_needed in flags(stage).items() if is_needed}
        for told in by_rule.get(rule, [] if "@" in command else [[stage]]):  # no server ranks here
            assert told[0] == stage and needed <= named(own) | named(told) <= flags(stage).keys(), (rule, told)
    assert {command.split()[0] for _, command in called} == STAGES.keys()


def test_no_two_stages_have_one_name():
    with pytest.raises(ValueError, match="two stages are called vary-shard"):
        options.stage("another")(STAGES["vary-shard"].function)


def test_a_stage_loads_no_command_of_people_s():
    """The rules start hundreds of stages: what none of them needs would cost minutes."""
    code = (
        "import sys; from robustdr.stages.__main__ import parser; parser('rank');"
        "print([m for m in sys.modules if m.endswith('.command')])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_two_results_are_compared_from_the_command_line(tmp_path, capsys):
    (tmp_path / "a/tables").mkdir(parents=True)
    assert "b: no results" in complaint(
        capsys, ["compare", f"{tmp_path}/a", f"{tmp_path}/b", "-o", f"{tmp_path}/pages"]
    )
    assert main(["compare", f"{tmp_path}/a", f"{tmp_path}/a", "-o", f"{tmp_path}/pages"]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/pages/index.html\n"


@pytest.mark.parametrize("text", ["[1]", "NaN", "{bad", '"words"'])
def test_parameters_are_a_json_object(tmp_path, capsys, text):
    with pytest.raises(SystemExit, match="2"):
        main(["vary", "queries.tsv", "-o", str(tmp_path / "o"), "--variation", "stem", "--parameters", text])
    assert f"argument --parameters: {text!r}; allowed: a JSON object" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--tokenizer", "--model"])
def test_what_only_statistics_have_needs_their_file(tmp_path, capsys, option):
    assert main(["vary", "queries.tsv", "-o", str(tmp_path / "o"), "--variation", "stem", option, "m"]) == 2
    assert capsys.readouterr().err == (
        f"robustdr: {option}: what it counts is in the statistics; name their file by --statistics\n"
    )


def test_an_unknown_stage_and_a_missing_option_are_usage_errors(capsys):
    for run, argv in ((main, ["train"]), (stages.main, ["evaluate", "--key", "k"])):
        with pytest.raises(SystemExit) as done:
            run(argv)
        assert done.value.code == 2
    assert "stage: 'trian' is unknown (did you mean train, rank?)" in complaint(capsys, ["stage", "trian"])
    assert "allowed: audit, " in complaint(capsys, ["stage"])
    with pytest.raises(SystemExit):
        stages.main(["headline", "--measures", "{", "--output", "x"])
    assert "invalid loads value" in capsys.readouterr().err


def test_bad_input_is_one_line_without_a_traceback(tmp_path, capsys):
    (tmp_path / "queries.tsv").write_text("q1\tone\nq1\ttwo\n")
    argv = ["vary", str(tmp_path / "queries.tsv"), "-o", str(tmp_path / "out.tsv"), "--variation", "swap_words"]
    assert "'q1'" in complaint(capsys, argv)
    assert not (tmp_path / "out.tsv").exists()


def test_a_folder_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "queries.tsv").write_text("q1\tone two\n")
    output = tmp_path / "file" / "out.tsv"
    argv = ["vary", str(tmp_path / "queries.tsv"), "-o", str(output), "--variation", "swap_words"]
    message = complaint(capsys, argv)
    assert str(tmp_path / "file") in message and message.endswith("nothing was left half-written")


def evaluation(tmp_path, output):
    """A call of the evaluation stage on two runs, the second of which finds nothing."""
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    for name, docid in (("good", "d1"), ("bad", "d2")):
        write_run(tmp_path / f"{name}.gz", {"q1": [(docid, 1.0)]}, {"tag": "t"})
    measures = {"dev.original": ["RR@10"], "dev.misspell": ["RR@10"]}
    return arguments(
        "evaluate",
        settings=json.dumps({"measures": measures, "relevance_level": 1}),
        key="k",
        runs=[tmp_path / "good.gz", tmp_path / "bad.gz"],
        judgements=[tmp_path / "qrels"] * 2,
        output=output,
    )


def test_runs_belong_to_query_sets_in_the_order_of_the_settings(tmp_path):
    assert stages.main(evaluation(tmp_path, tmp_path / "m.parquet")[1:]) == 0
    frame = read_measures(tmp_path / "m.parquet")
    assert key_of(tmp_path / "m.parquet") == "k"
    assert dict(zip(frame["query_set"], frame["value"], strict=True)) == {"dev.original": 1.0, "dev.misspell": 0.0}


# a full disk


def full(disk, free=0):
    """Fill the disk up to `free` bytes; gives the files on it."""
    (disk / "filler").write_bytes(b"\0" * (shutil.disk_usage(disk).free - free))
    return sorted(path.name for path in disk.rglob("*"))


def test_a_full_disk_while_queries_are_written(small_disk, tmp_path, capsys, tiny_model):
    (tmp_path / "q.tsv").write_text("".join(f"q{i}\twhat is the meaning of number {i}\n" for i in range(3000)))
    settings = json.dumps({"generator": "surface:SwapWords", "parameters": {}, "seed": 1})
    outputs = {"output": small_disk / "swap_words.tsv", "statistics": small_disk / "swap_words.json"}
    before = full(small_disk, free=8192)
    code = {"code": "vary", "packages": []}
    argv = arguments(
        "vary",
        **code,
        settings=settings,
        tokenizer=tiny_model / "tokenizer.json",
        queries=tmp_path / "q.tsv",
        **outputs,
    )
    assert "No space left on device" in complaint(capsys, argv)
    assert sorted(path.name for path in small_disk.rglob("*")) == before


def test_a_full_disk_while_measures_are_written(small_disk, tmp_path, capsys):
    before = full(small_disk)
    assert "No space left on device" in complaint(capsys, evaluation(tmp_path, small_disk / "m.parquet"))
    assert sorted(path.name for path in small_disk.rglob("*")) == before


def test_a_full_disk_while_a_model_is_written(small_disk, capsys, tiny_transformer):
    before = full(small_disk, free=65536)
    source = {"path": str(tiny_transformer)}
    settings = json.dumps({"name": "tiny", "description": "", "source": source, "pooling": "mean"})
    argv = arguments(
        "checkpoint", code="checkpoint", packages=[], settings=settings, key="k", output=small_disk / "model"
    )
    assert "No space left on device" in complaint(capsys, argv)
    assert sorted(path.name for path in small_disk.rglob("*")) == before


def test_a_full_disk_while_vectors_are_written(small_disk, tmp_path, capsys, tiny_model):
    """Without a reservation, writing to memory-mapped vectors would end the process with a bus error."""
    with open(tmp_path / "corpus.jsonl", "w") as file:
        for number in range(3000):
            file.write(json.dumps({"docid": f"d{number}", "title": "", "text": "gold"}) + "\n")
    (tmp_path / "card.json").write_text('{"passages": {"count": 3000}}')
    before = full(small_disk, free=65536)
    argv = arguments(
        "embed",
        settings='{"passage_length": 8, "stored": "float32", "precision": "float32", "threads": 1}',
        model=tiny_model,
        corpus=tmp_path / "corpus.jsonl",
        card=tmp_path / "card.json",
        shard="0",
        shards="1",
        output=small_disk / "0.npy",
    )
    assert "No space left on device" in complaint(capsys, argv)
    assert sorted(path.name for path in small_disk.rglob("*")) == before


def test_a_full_disk_while_an_index_is_built(small_disk, tmp_path, capsys):
    np.save(tmp_path / "0.npy", np.ones((3000, 64), np.float16))
    (tmp_path / "0.ids").write_text("".join(f"d{number}\n" for number in range(3000)))
    before = full(small_disk, free=65536)
    argv = arguments("compress", factory="SQ8", vectors=tmp_path / "0.npy", output=small_disk / "0.faiss")
    assert "No space left on device" in complaint(capsys, argv)
    assert sorted(path.name for path in small_disk.rglob("*")) == before


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_command_ends_as_it_should_where_nobody_hears_it(tmp_path, closed):
    (tmp_path / "reported.yaml").write_bytes((ROOT / "config/papers/rodr/reported.yaml").read_bytes())
    command = f"{sys.executable} -m robustdr audit reported.yaml {closed}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
