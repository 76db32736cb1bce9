"""A job that asked for GPUs and cannot use them."""

import faiss
import pytest
import torch

from robustdr.core.errors import UserError
from robustdr.stages.__main__ import main
from robustdr.stages.gpus import check_gpus

OLD_DRIVER = "The NVIDIA driver on your system is too old (found version 12020). Please update your GPU driver."


@pytest.fixture
def machine(monkeypatch):
    """`machine(2)`: torch, built for CUDA 13, can use so many GPUs; `machine(0, "why")`: it says why there is none."""

    def be(gpus, why="", of_faiss=0):
        def init():
            if why:
                raise RuntimeError(why)

        monkeypatch.setattr(torch.version, "cuda", "13.0")
        monkeypatch.setattr(torch.cuda, "init", init)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
        monkeypatch.setattr(faiss, "get_num_gpus", lambda: of_faiss)

    return be


def test_a_job_with_the_gpus_that_it_asked_for_goes_on(machine):
    machine(2, of_faiss=2)
    for stage, requested in (("train", 2), ("embed", 1), ("compress", 1)):
        check_gpus(stage, requested)


def test_a_driver_that_is_too_old_is_named_with_the_one_that_is_needed(machine):
    machine(1, OLD_DRIVER)
    with pytest.raises(UserError, match=r"1 GPU, .* can use 0 \(.* version 12020\)\); .* driver 580 or newer"):
        check_gpus("embed", 1)


def test_some_of_the_gpus_are_too_few(machine):
    machine(1)
    with pytest.raises(UserError, match=r"asked for 8 GPUs, and torch .* can use 1;"):
        check_gpus("train", 8)


def test_an_index_needs_them_of_faiss(machine):
    machine(1)
    check_gpus("rank", 1)
    with pytest.raises(UserError, match=r"FAISS .* can use 0; faiss-gpu has it"):
        check_gpus("compress", 1)


def test_the_stage_does_not_begin(machine, tmp_path, capsys):
    machine(0, OLD_DRIVER)
    (tmp_path / "vectors.npy").touch()
    options = [
        "--vectors",
        str(tmp_path / "vectors.npy"),
        "--factory",
        "Flat",
        "--output",
        str(tmp_path / "made.faiss"),
    ]
    assert main(["compress", "--gpus", "1", *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "the job asked for 1 GPU" in line and not (tmp_path / "made.faiss").exists()
