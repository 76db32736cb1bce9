"""Tokenizers use the cores that a job has, and no more."""

import os
import subprocess
import sys

import pytest
from tests.workflow.conftest import ROOT

PROGRAM = """
import os, sys, threading
from robustdr.stages.__main__ import share_cores_with_tokenizers
share_cores_with_tokenizers()
from tokenizers import Tokenizer, models, pre_tokenizers
tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1}, unk_token="b"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
before = len(os.listdir("/proc/self/task"))
ids = [encoded.ids for encoded in tokenizer.encode_batch(["a b", "b a"] * 500)]
print(len(os.listdir("/proc/self/task")) - before, hash(str(ids)) == hash(str([[0, 1], [1, 0]] * 500)))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="this system does not list the threads of a process")
@pytest.mark.parametrize(
    "cores, processes, threads", [("1", None, 0), ("4", None, 4), ("8", "4", 2), ("2", "8", 0), (None, None, 0)]
)
def test_tokenizers_start_a_thread_for_each_core_of_the_process(cores, processes, threads):
    """Whatever their number, the ids are the same."""
    names = ("TOKENIZERS_PARALLELISM", "RAYON_NUM_THREADS", "OMP_NUM_THREADS", "LOCAL_WORLD_SIZE")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"PYTHONPATH": str(ROOT / "workflow")}
    environment |= {"OMP_NUM_THREADS": cores} if cores else {}
    environment |= {"LOCAL_WORLD_SIZE": processes} if processes else {}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    assert done.stdout.split() == [str(threads), "True"]
