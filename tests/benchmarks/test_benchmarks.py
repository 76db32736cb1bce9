"""Benchmarks load with the package as it is, and one that fails stops neither the others nor the table."""

from importlib import import_module
from pathlib import Path

import pytest
import torch

from benchmarks import __main__ as runner
from benchmarks import bench_gpu

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_finds_what_it_measures(name):
    assert callable(import_module(f"benchmarks.{name}").main)


def test_the_table_has_every_ratio_and_the_status_every_failure(monkeypatch, capsys):
    printed = {
        "one": (0, "ours: 2 s\nratio: one: their seconds / ours: 2.50\n"),
        "two": (1, "Traceback\n"),
        "three": (0, ""),
    }
    monkeypatch.setattr(runner, "run", lambda name, *arguments: printed[name])
    assert runner.main(list(printed)) == 1
    shown = capsys.readouterr().out
    assert shown.endswith("| --- | --- | ---: |\n| one | their seconds / ours | 2.50 |\n\nfailed: two\n")
    assert "== three: done after 0 s" in shown


def test_a_benchmark_runs_in_a_process_of_its_own_and_its_status_comes_back(capfd):
    status, printed = runner.run("nothing")
    assert status == 1 and printed == ""
    assert "benchmarks.bench_nothing" in capfd.readouterr().err


@pytest.mark.slow
def test_the_benchmark_of_a_gpu_runs_tiny_on_a_processor(tiny_model, capsys):
    assert bench_gpu.main("tiny", tiny_model) == 0
    compared = [f"{name}: {what}" for name, what, _ in runner.RATIO.findall(capsys.readouterr().out)]
    assert compared == [
        "gpu: FLOPs per second of training, batches of 2 / of a matrix product",
        "gpu: speed of training, batches of 2 / of sentence-transformers",
        "gpu: FLOPs per second of pre-training / of a matrix product",
        "gpu: FLOPs per second of encoding / of a matrix product",
        "gpu: tokens per second of encoding / of sentence-transformers",
        "gpu: FLOPs per second of ranking / of a matrix product",
        "gpu: speed of exact search / of FAISS",
    ]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_the_benchmark_of_a_gpu_measures_nothing_without_one(capsys):
    assert bench_gpu.main("full", None) == 0
    assert capsys.readouterr().out == "no GPU here: nothing is measured\n"
