"""What a process computes on."""

import re

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


def test_attention_of_cudnn_is_off():
    assert not torch.backends.cuda.cudnn_sdp_enabled()
