"""What a process computes on."""

import re
from pathlib import Path

import pytest
import torch

from robustdr.encoding import hardware
from robustdr.errors import UserError
from robustdr.processor import native

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
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: about)
    native.cache_clear()
    assert native() == fastest
    native.cache_clear()


def test_the_kind_of_processor():
    assert re.fullmatch(r"CPU, [A-Z0-9]+( with BF16)?", hardware.kind(CPU))


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
