"""A look at a machine: what does not work there is one line."""

import pytest

from robustdr.core.errors import UserError
from robustdr.keys.node import Need
from robustdr.preflight import machine, machines


def test_a_machine_without_gpus_serves_jobs_that_ask_for_none():
    import torch

    assert machine.inspect(0, "bfloat16")["torch"] == torch.__version__


def test_another_torch_than_the_locked_one_is_named(monkeypatch):
    monkeypatch.setattr(machine, "pins", lambda: {"torch": "1.0.0"})
    with pytest.raises(UserError, match=r"torch 2\S+ is installed, requirements.lock pins 1\.0\.0$"):
        machine.inspect(0, "float32")


def test_a_gpu_that_is_not_there_is_named():
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(UserError, match=r"torch \S+ cannot use a GPU \("):
        machine.inspect(1, "bfloat16")
    (faiss,) = machine._faiss(2)
    assert "sees 0 of 2 GPUs" in faiss


@pytest.mark.slow
def test_processes_add_up_and_one_that_cannot_is_told(monkeypatch):
    assert machine.together(2, "gloo") == ""
    assert "no-such-backend does not add up between 2 processes: " in machine.together(2, "no-such-backend")


CPU, GPU = {"max_runtime": 600, "max_threads": 8}, {"max_runtime": 600, "max_gpu": 4, "max_mem_mb": 64_000}
LARGE = {"max_gpu": 8}


def test_there_is_one_kind_for_jobs_that_come_to_the_same_partitions():
    """The largest of each number in it: 4 GPUs fit into two partitions, 8 and long jobs into one."""
    needs = [Need(4000, 60), Need(8000, 30, cores=2), Need(24_000, 360, 4, 8), Need(3000, 400, 4), Need(1, 700, 4)]
    needs += [Need(96_000, 60, 4, 1), Need(1, 1, 8)]
    needs_by_kind = machines.kinds(needs, {"cpu": CPU, "gpu": GPU, "large": LARGE})
    assert needs_by_kind == [Need(8000, 60, 0, 2), Need(24_000, 400, 4, 8), Need(96_000, 700, 4, 1), Need(1, 1, 8)]


def test_without_partitions_there_is_one_kind_for_each_number_of_gpus():
    needs = [Need(4000, 60), Need(8000, 30), Need(1, 5, 1), Need(2, 4, 1)]
    assert machines.kinds(needs, {}) == [Need(8000, 60), Need(2, 5, 1)]
