"""What a process computes on."""

import os
import re
import threading

import pytest
import torch

from robustdr.core import processor
from robustdr.core.errors import UserError
from robustdr.encoding import hardware

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    "vendor, flags, fastest",
    [
        ("GenuineIntel", "avx512f avx512_bf16 amx_bf16", "bfloat16"),
        ("GenuineIntel", "avx512f avx512_bf16", "float32"),
        ("AuthenticAMD", "avx512f avx512_bf16", "bfloat16"),
        ("AuthenticAMD", "avx2", "float32"),
    ],
)
def test_what_a_processor_is_fastest_in(vendor, flags, fastest, monkeypatch):
    about = f"vendor_id : {vendor}\nflags : fpu {flags}\n"
    monkeypatch.setattr(processor, "_cpu_description", lambda: about)
    assert processor.native() == fastest


@pytest.mark.parametrize(
    "about, variables, kind",
    [
        ("vendor_id\t: GenuineIntel\nflags\t\t: avx512f avx512_bf16 amx_bf16\n", {}, "GenuineIntel, BF16, AMX"),
        ("vendor_id\t: AuthenticAMD\nflags\t\t: avx512f avx512_bf16\n", {}, "AuthenticAMD, BF16"),
        (
            "vendor_id\t: GenuineIntel\nflags\t\t: avx2\n",
            {"ONEDNN_MAX_CPU_ISA": "AVX2"},
            "GenuineIntel, ONEDNN_MAX_CPU_ISA=AVX2",
        ),
        ("", {}, "riscv"),
        ("", {"DNNL_MAX_CPU_ISA": "SSE41"}, "riscv, DNNL_MAX_CPU_ISA=SSE41"),
        ("", {"MKL_ENABLE_INSTRUCTIONS": "SSE4_2"}, "riscv, MKL_ENABLE_INSTRUCTIONS=SSE4_2"),
        ("", {"OMP_DYNAMIC": "true", "GLIBC_TUNABLES": "x=y"}, "riscv, GLIBC_TUNABLES=x=y, OMP_DYNAMIC=true"),
    ],
)
def test_the_kind_of_processor_tells_what_kernels_depend_on(about, variables, kind, monkeypatch):
    monkeypatch.setattr(processor, "_cpu_description", lambda: about)
    monkeypatch.setattr(processor.platform, "machine", lambda: "riscv")
    for name in processor.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert processor.kind() == kind
    assert re.fullmatch(rf"CPU, [A-Z0-9]+, {kind}", hardware.kind(CPU))


def test_a_precision_that_a_processor_does_not_have():
    with pytest.raises(UserError, match="precision: 'float16' is for GPUs; allowed on a processor: float32, bfloat16"):
        hardware.dtype("float16", CPU)


@pytest.mark.parametrize("precision, expected", [("float32", torch.float32), ("bfloat16", torch.bfloat16)])
def test_products_are_computed_in_the_precision(precision, expected):
    with hardware.autocast(precision, CPU):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == expected


def test_the_number_of_threads():
    before = torch.get_num_threads()
    hardware.start(1)
    assert torch.get_num_threads() == 1
    hardware.start(before)


@pytest.fixture
def one_thread():
    before = torch.get_num_threads()
    hardware.start(1)
    yield
    hardware.start(before)


def test_each_core_of_a_job_takes_a_part_with_its_own_threads(one_thread):
    """Two parts wait for each other, so one core alone would never end; the order stays."""
    meeting, threads = threading.Barrier(2), []

    def part(number: int) -> int:
        meeting.wait(timeout=60)
        threads.append(torch.get_num_threads())
        return 10 * number

    with processor.job_cores(2):
        assert hardware.at_once(part, [1, 2, 3, 4]) == [10, 20, 30, 40]
    assert threads == [1, 1, 1, 1]


def test_a_job_with_as_many_threads_as_cores_takes_one_part_after_the_other(one_thread):
    hardware.start(2)
    names = []
    with processor.job_cores(2):
        hardware.at_once(lambda part: names.append(threading.current_thread().name), range(3))
    assert names == [threading.main_thread().name] * 3


@pytest.mark.parametrize("before", [None, "3"])
def test_the_cores_of_a_job_are_set_and_set_back(before, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if before:
        monkeypatch.setenv("OMP_NUM_THREADS", before)
    with pytest.raises(ZeroDivisionError), processor.job_cores(5):
        assert processor.cores() == 5
        raise ZeroDivisionError
    assert processor.cores() == int(before or 1) and os.environ.get("OMP_NUM_THREADS") == before


def test_attention_of_cudnn_is_off():
    assert not torch.backends.cuda.cudnn_sdp_enabled()
