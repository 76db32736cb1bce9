"""Each write, sync and rename of a pipeline fails once: nothing half-written is left, and the next run ends as ever."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.faults.pipeline import KILLS, RESULTS, stages, write_source
from tests.workflow.conftest import ROOT

pytestmark = pytest.mark.slow
PYTHONPATH = os.pathsep.join(map(str, (ROOT / "workflow", ROOT / "tests", ROOT)))
ENVIRONMENT = {**os.environ, "PYTHONPATH": PYTHONPATH, "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def shim(tmp_path_factory) -> Path:
    """`failing.c`, compiled."""
    compiler = shutil.which("cc") or pytest.skip("no C compiler here")
    made = tmp_path_factory.mktemp("shim") / "failing.so"
    source = Path(__file__).with_name("failing.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", made, source, "-ldl"], check=True)
    return made


@pytest.mark.parametrize("how", ["errors", "kills"])
def test_each_call_fails_once(shim, tmp_path, how):
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.pipeline", tmp_path, how],
        env={**ENVIRONMENT, "LD_PRELOAD": str(shim)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    counted = json.loads(done.stdout.splitlines()[-1])
    assert counted["calls"] > 100
    assert counted["failed"] > 0.9 * counted["calls"] if how == "errors" else counted["killed"] == KILLS


def test_kills_at_random_times(tmp_path):
    """Each stage is a process of its own, as rules start it."""
    write_source(tmp_path)
    draw, seconds, killed = random.Random(1), {}, 0

    def started(argv: list[str]) -> subprocess.Popen:
        command = [sys.executable, "-m", "robustdr.stages", *argv]
        return subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.DEVNULL)

    def results() -> dict[str, bytes]:
        paths = (path for path in (tmp_path / RESULTS).rglob("*") if path.is_file())
        return {str(path.relative_to(tmp_path)): path.read_bytes() for path in paths}

    for argv in [*stages(), *stages()]:  # BM25 compiles when it first ranks
        begun = time.monotonic()
        assert started(argv).wait() == 0
        seconds[argv[0]] = time.monotonic() - begun
    clean = results()
    while killed < KILLS:
        shutil.rmtree(tmp_path / RESULTS)
        for argv in stages():
            process = started(argv)
            try:  # most of the time goes by before a stage writes
                process.wait(timeout=seconds[argv[0]] * draw.uniform(0.6, 1.1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
            left = {name: data for name, data in results().items() if "/." not in name}
            assert not [name for name in left if left[name] != clean[name]]
            assert started(argv).wait() == 0
        assert results() == clean
