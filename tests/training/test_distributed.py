"""Several processes do what one process with the whole batch does."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from robustdr import losses
from robustdr.encoding.directory import DOCUMENT, QUERY, part
from robustdr.losses.batch import Batch
from robustdr.training import distributed
from training.models import corpus_of, log, weights

ROOT = Path(__file__).parents[2]
RODR = {"name": "rodr", "nll": 1.0, "query_alignment": 0.5, "passage_alignment": 0.2}


def gradients(rank: int, processes: int) -> dict[str, torch.Tensor]:
    """Gradients of a linear encoder on this process's share of 4 queries and 8 passages."""
    torch.manual_seed(0)
    encoder = torch.nn.Linear(6, 5, dtype=torch.float64)
    queries, passages = torch.randn(4, 6, dtype=torch.float64), torch.randn(8, 6, dtype=torch.float64)
    teacher_queries, teacher_passages = torch.randn(4, 5, dtype=torch.float64), torch.randn(8, 5, dtype=torch.float64)

    def mine(texts: torch.Tensor) -> torch.Tensor:
        return distributed.gather(encoder(texts.chunk(processes)[rank]))

    batch = Batch(
        mine(passages),
        torch.arange(4) * 2,
        variation=mine(queries),
        teacher_query=teacher_queries,
        teacher_passages=teacher_passages,
    )
    transposed = mine(queries).T.cumsum(1).square().sum()  # its gradient of the vectors is not contiguous
    (sum(losses.create(**RODR)(batch).values()) + transposed).backward()
    distributed.average_gradients(encoder.parameters())
    return {name: parameter.grad for name, parameter in encoder.named_parameters()}


def share(rank: int, folder: Path) -> None:
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": str(rank), "MASTER_ADDR": "127.0.0.1"}
    os.environ |= {"MASTER_PORT": (folder / "port").read_text(), "CUDA_VISIBLE_DEVICES": ""}
    assert distributed.start() == (rank, 2)
    torch.save(gradients(rank, 2), folder / f"{rank}.pt")
    distributed.stop()


def test_two_processes_compute_the_gradients_of_one(tmp_path, free_port):
    (tmp_path / "port").write_text(str(free_port))
    torch.multiprocessing.spawn(share, (tmp_path,), nprocs=2)
    expected = gradients(0, 1)
    for rank in range(2):
        found = torch.load(tmp_path / f"{rank}.pt", weights_only=True)
        assert found.keys() == expected.keys()
        assert all(torch.allclose(found[name], expected[name], atol=1e-12) for name in expected)


def test_one_process_is_left_alone():
    vectors = torch.ones(2, 3)
    assert distributed.start() == (0, 1)
    assert distributed.gather(vectors) is vectors
    assert not distributed.average(vectors.requires_grad_()).requires_grad


def arguments(settings, output: Path, data: Path, initial: Path, resume: Path) -> list[str]:
    options = {
        "code": "train",
        "packages": "torch",
        "trains": "robustdr.training.dense",
        "settings": json.dumps(asdict(settings)),
        "seed": 1,
        "key": "key",
        "data": data,
        "corpus": corpus_of(data),
        "initial": initial,
        "resume": resume,
        "output": output,
    }
    return ["train", *(text for name, value in options.items() for text in (f"--{name}", str(value)))]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), "CUDA_VISIBLE_DEVICES": ""}


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{}, {"gradient_cache": 32}, {"encoders": "separate", "gradient_cache": 32}])
def test_two_processes_train_the_model_of_one_with_the_doubled_batch(
    settings, training_file, still_model, tmp_path, changes
):
    def train(name: str, launcher: list[str], changed: dict) -> list[list[float]]:
        changed = replace(settings, **{"epochs": 1.0, **changed})
        stage = arguments(changed, tmp_path / name, training_file, still_model, tmp_path / f"resume-{name}")
        started = [sys.executable, *launcher, "-m", "robustdr.stages", *stage]
        subprocess.run(started, check=True, env=ENVIRONMENT, capture_output=True, timeout=120)
        return [[float(row[column]) for row in log(tmp_path / name)] for column in ("loss", "gradient_norm")]

    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    losses_of_one, norms_of_one = train("one", [], {"encoders": changes.get("encoders", "shared")})
    losses_of_two, norms_of_two = train("two", torchrun, {**changes, "batch_size": 2})
    assert len(losses_of_one) == 6
    assert losses_of_two == pytest.approx(losses_of_one, rel=1e-4)
    assert norms_of_two == pytest.approx(norms_of_one, rel=1e-3) and max(norms_of_one) > settings.max_gradient_norm
    assert json.loads((tmp_path / "two" / "cost.json").read_text())["processes"] == 2
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
