"""Several processes do what one process with the whole batch does."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import asdict, fields, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from robustdr import losses
from robustdr.core.errors import UserError
from robustdr.encoding.directory import DOCUMENT, QUERY, part
from robustdr.encoding.hardware import device
from robustdr.graph.rule_functions import RuleFunctions
from robustdr.keys.node import Need
from robustdr.losses.batch import Batch
from robustdr.pretraining.settings import PretrainingSettings
from robustdr.pretraining.tokens import write_tokens
from robustdr.training import distributed
from robustdr.training.settings import LoopSettings
from training.models import corpus_of, log, weights

ROOT = Path(__file__).parents[2]
RODR = {"name": "rodr", "nll": 1.0, "query_alignment": 0.5, "passage_alignment": 0.2}


def gradients(rank: int, processes: int, overlapping: bool = False) -> dict[str, torch.Tensor]:
    """Gradients of a linear encoder on this process's share of 4 queries and 8 passages, in two passes.

    A second layer has no gradient, as the pooler of a BERT.
    """
    torch.manual_seed(0)
    encoder, pooler = torch.nn.Linear(6, 5, dtype=torch.float64), torch.nn.Linear(5, 5, dtype=torch.float64)
    queries, passages = torch.randn(4, 6, dtype=torch.float64), torch.randn(8, 6, dtype=torch.float64)
    teacher_queries, teacher_passages = torch.randn(4, 5, dtype=torch.float64), torch.randn(8, 5, dtype=torch.float64)

    def mine(texts: torch.Tensor) -> torch.Tensor:
        return distributed.gather(encoder(texts.chunk(processes)[rank]))

    def terms(part: float) -> dict[str, torch.Tensor]:
        batch = Batch(
            mine(passages),
            torch.arange(4) * 2,
            variation=mine(queries),
            teacher_query=teacher_queries,
            teacher_passages=teacher_passages,
        )
        # Its gradient of the vectors is not contiguous.
        transposed = mine(queries).T.cumsum(1).square().sum()
        return {name: part * term for name, term in losses.create(**RODR)(batch).items()} | {"more": part * transposed}

    replica = distributed.replica(terms, [encoder, pooler] if overlapping else [])
    assert (replica is not None) == overlapping
    with replica.no_sync() if replica else nullcontext():
        sum((replica or terms)(0.25).values()).backward()
    sum((replica or terms)(0.75).values()).backward()
    if not replica:
        distributed.average_gradients([*encoder.parameters(), *pooler.parameters()])
    assert all(parameter.grad is None for parameter in pooler.parameters())
    return {name: parameter.grad for name, parameter in encoder.named_parameters()}


def share(rank: int, folder: Path, processes: int) -> None:
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(processes), "LOCAL_RANK": str(rank)}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": (folder / "port").read_text(), "CUDA_VISIBLE_DEVICES": ""}
    assert distributed.start() == (rank, processes)
    for overlapping in (True, False):
        torch.save(gradients(rank, processes, overlapping), folder / f"{overlapping}{rank}.pt")
    distributed.stop()


@pytest.mark.parametrize("processes", [2, 4])
def test_several_processes_compute_the_gradients_of_one(tmp_path, free_port, processes):
    """Averaged while the backward pass runs, and after it."""
    (tmp_path / "port").write_text(str(free_port))
    torch.multiprocessing.spawn(share, (tmp_path, processes), nprocs=processes)
    expected = gradients(0, 1)
    for path in tmp_path.glob("*.pt"):
        found = torch.load(path, weights_only=True)
        assert found.keys() == expected.keys()
        assert all(torch.allclose(found[name], expected[name], atol=1e-12) for name in expected), path.name
    assert len(list(tmp_path.glob("*.pt"))) == 2 * processes


@pytest.mark.parametrize("torchrun", [False, True])
def test_one_process_is_left_alone(free_port, monkeypatch, torchrun):
    """Also where torchrun starts it."""
    told = {"RANK": 0, "WORLD_SIZE": 1, "LOCAL_RANK": 0, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port}
    for name, value in told.items() if torchrun else ():
        monkeypatch.setenv(name, str(value))
    vectors = torch.ones(2, 3, device=device(), requires_grad=True)
    assert distributed.start() == (0, 1)
    try:
        assert (distributed.rank(), distributed.processes(), torch.distributed.is_initialized()) == (0, 1, torchrun)
        assert torch.equal(distributed.gather(vectors), vectors)
        assert torch.equal(distributed.average(vectors), vectors) and not distributed.average(vectors).requires_grad
    finally:
        distributed.stop()
    assert not torch.distributed.is_initialized()


def arguments(
    settings, output: Path, data: Path, initial: Path, resume: Path, trains: str = "robustdr.training.dense"
) -> list[str]:
    """The command line of a training, whose code is all that it loads by name."""
    modules = [trains, *([f"robustdr.losses.{settings.loss['name']}"] if hasattr(settings, "loss") else [])]
    modules += [f"robustdr.rankers.{settings.ranker['name']}"] if hasattr(settings, "ranker") else []
    options = {
        "packages": "torch",
        "trains": trains,
        "settings": json.dumps(asdict(settings)),
        "seed": 1,
        "key": "key",
        "data": data,
        "corpus": corpus_of(data),
        "initial": initial,
        "resume": resume,
        "output": output,
        "cost": output.with_suffix(".json"),
    }
    words = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    return ["train", "--code", "train", *modules, *words]


TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), "CUDA_VISIBLE_DEVICES": ""}


def launch(launcher: list[str], stage: list[str]) -> None:
    command = [sys.executable, *launcher, "-m", "robustdr.stages", *stage]
    run = {"env": ENVIRONMENT, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "timeout": 240}
    done = subprocess.run(command, **run)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{}, {"gradient_cache": 32}, {"encoders": "separate", "gradient_cache": 32}])
def test_two_processes_train_the_model_of_one_with_the_doubled_batch(
    settings, training_file, still_model, tmp_path, changes
):
    def train(name: str, launcher: list[str], changed: dict) -> list[list[float]]:
        changed = replace(settings, **{"epochs": 1.0, **changed})
        stage = arguments(changed, tmp_path / name, training_file, still_model, tmp_path / f"resume-{name}")
        launch(launcher, stage)
        return [[float(row[column]) for row in log(tmp_path / name)] for column in ("loss", "gradient_norm")]

    losses_of_one, norms_of_one = train("one", [], {"encoders": changes.get("encoders", "shared")})
    losses_of_two, norms_of_two = train("two", [*TORCHRUN, "2"], {**changes, "batch_size": 2, "devices": 2})
    assert len(losses_of_one) == 6
    assert losses_of_two == pytest.approx(losses_of_one, rel=1e-4)
    assert norms_of_two == pytest.approx(norms_of_one, rel=1e-3) and max(norms_of_one) > settings.max_gradient_norm
    assert json.loads((tmp_path / "two.json").read_text())["processes"] == 2
    start = weights(still_model)
    for route in (QUERY, DOCUMENT):
        one, two = (weights(part(tmp_path / name, route)[0]) for name in ("one", "two"))
        # Attention does not depend on the bias of its keys, nor the loss on a vector that is added to all passages:
        # these gradients are noise, and Adam scales it up.
        idle = ["key.bias"]
        if route == DOCUMENT and "encoders" in changes:
            idle.append("layer.1.output.LayerNorm.bias")
        for name in one:
            if not name.endswith(tuple(idle)):
                assert (one[name] - two[name]).abs().max() <= 0.01 * (one[name] - start[name]).abs().max(), name


SHARED = {field.name for field in fields(LoopSettings)}
TRAININGS = {
    "dense": ("robustdr.training.dense", {}),
    "dense, cached": ("robustdr.training.dense", {"gradient_cache": 64}),
    "ranker": ("robustdr.training.rerank", {}),
    "pretraining": ("robustdr.pretraining.student", {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("training", TRAININGS)
def test_any_number_of_processes_trains_the_same_model(
    settings, ranker_settings, training_file, tiny_model, cross, intents_file, tmp_path, training
):
    """The batch is that of four devices, and has dropout: one process computes four shares, two compute two each."""
    trains, changes = TRAININGS[training]
    told, data, initial = settings, training_file, tiny_model
    if training == "ranker":
        told, data, initial = ranker_settings("mono_bert", loss={"name": "lce"}), intents_file, cross
    if training == "pretraining":
        told = PretrainingSettings(
            **{name: getattr(settings, name) for name in vars(settings) if name in SHARED}, length=24, frozen_steps=2
        )
        data = corpus_of(training_file)
        write_tokens(data, initial, told.length, tmp_path / "tokens")
    told = replace(told, batch_size=1, devices=4, epochs=1.0, dropout=0.3, **changes)
    models, columns = [], []
    for processes in (1, 2, 4):
        output = tmp_path / str(processes)
        stage = arguments(told, output, data, initial, tmp_path / f"resume-{processes}", trains)
        if training == "pretraining":
            stage[stage.index("--corpus") : stage.index("--corpus") + 2] = ["--tokens", str(tmp_path / "tokens")]
        launch([*TORCHRUN, str(processes)] if processes > 1 else [], stage)
        models.append(weights(output))
        columns.append([float(row["loss"]) for row in log(output)])
    assert len(columns[0]) > 4
    assert columns[1:] == [pytest.approx(columns[0], rel=1e-5)] * 2
    for name, weight in models[0].items():
        for other in models[1:]:
            # Attention does not depend on a key's bias, nor the loss on that of all scores: their gradients are noise.
            if not name.endswith(("key.bias", "classifier.bias")):
                assert torch.allclose(weight, other[name], atol=2e-5), name


SRUN = """#!/bin/sh
# Start the command once for each task, as srun does on as many nodes.
while [ "${1#--}" != "$1" ]; do
  case "$1" in --ntasks=*) tasks=${1#*=} ;; esac
  shift
done
for task in $(seq "$tasks"); do "$@" & started="$started $!"; done
for process in $started; do wait "$process" || exit 1; done
"""


@pytest.mark.slow
def test_two_nodes_train_the_model_of_one(settings, training_file, tiny_model, tmp_path):
    """The command that the rule runs, with an srun whose nodes are this machine, on two devices each."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/srun").write_text(SRUN, encoding="utf-8")
    (tmp_path / "bin/srun").chmod(0o755)
    path = os.pathsep.join([str(tmp_path / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    told, weights_of = replace(settings, batch_size=1, devices=4, epochs=0.5), {}
    for name, need in {"one": Need(1, 1), "nodes": Need(1, 1, gpus=4, nodes=2)}.items():
        launcher = RuleFunctions(lambda _, need=need: SimpleNamespace(need=need)).launcher(None)
        stage = arguments(told, tmp_path / name, training_file, tiny_model, tmp_path / f"resume-{name}")
        command = f"{launcher} -m robustdr.stages {shlex.join(stage)}"
        environment = ENVIRONMENT | {"PATH": path, "SLURM_JOB_ID": "7"}
        done = subprocess.run(
            ["sh", "-c", command], env=environment, capture_output=True, text=True, timeout=480, check=False
        )
        assert done.returncode == 0, done.stderr
        weights_of[name] = weights(tmp_path / name)
    assert json.loads((tmp_path / "nodes.json").read_text())["processes"] == 4
    for name, weight in weights_of["one"].items():
        if not name.endswith("key.bias"):
            assert torch.allclose(weight, weights_of["nodes"][name], atol=2e-5), name


def test_processes_that_cannot_share_a_batch_are_one_error(monkeypatch):
    monkeypatch.setattr(distributed, "processes", lambda: 3)
    with pytest.raises(UserError, match="3 processes cannot share the batch of 4 devices"):
        distributed.shares(4)


@pytest.mark.slow
def test_a_killed_training_goes_on_where_it_was(settings, training_file, tiny_model, tmp_path):
    settings = replace(settings, epochs=20.0, checkpoint_every=10)

    def stage(name: str) -> list[str]:
        options = arguments(settings, tmp_path / name, training_file, tiny_model, tmp_path / f"resume-{name}")
        return [sys.executable, "-m", "robustdr.stages", *options]

    subprocess.run(stage("whole"), check=True, env=ENVIRONMENT, capture_output=True, timeout=120)
    with subprocess.Popen(
        stage("killed"), env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while not (tmp_path / "resume-killed" / "state.json").is_file():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / "killed").exists()
    again = subprocess.run(stage("killed"), check=True, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert 0 < int(again.stdout.partition(": ")[2].partition(" steps")[0]) <= 110  # of 120
    for name in ("model.safetensors", "training.csv"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
