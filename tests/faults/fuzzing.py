"""Commands on broken files: `python -m tests.faults.fuzzing FOLDER SEED TARGET=COUNT …` prints what went wrong.

FOLDER/TARGET has valid files, see `valid.WRITE`. Each try breaks one of them; the command must end with status
0, 1 or 2, and 2 comes with one line on standard error.
"""

import contextlib
import faulthandler
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "ARROW_DEFAULT_MEMORY_POOL": "system"}

from tests.faults.breaking import broken

from robustdr.cli import main
from robustdr.core.errors import exit_status

SECONDS, MEMORY = 10, 1 << 30  # that a try may take; seconds of the processor: other work does not count
ASLEEP = 120  # seconds on the clock, for one that waits without work
LONGEST = 3000  # characters of an error
CONFIG = Path(__file__).parents[2] / "config"


class Hang(BaseException):
    """Nothing in the package catches it."""


class Target(NamedTuple):
    """A command with one kind of input.

    Attributes:
        files: the globs of the files to break, in the target's folder. call: runs the command there; its exit status.
    """

    files: tuple[str, ...]
    call: Callable[[Path, Path], int]


def audit(folder: Path, broken: Path) -> int:
    return main(["audit", str(folder / "reported.yaml"), "--format", "json"])


def recomputed(folder: Path, broken: Path) -> int:
    at = [str(folder / name) for name in ("reported.yaml", "runs", "qrels.txt")]
    return main(["audit", at[0], "--runs", at[1], "--qrels", at[2]])


def config(folder: Path, broken: Path) -> int:
    from robustdr.experiments.config import load

    return exit_status(lambda: load(folder / "base", folder / "own") and None)


def vary(folder: Path, broken: Path) -> int:
    queries = broken if broken.parent == folder else folder / "queries.tsv"
    return main(["vary", str(queries), "-o", str(folder / "out.tsv"), "--variation", "swap_words"])


def check(folder: Path, broken: Path) -> int:
    named = {name: folder / f"{name}{suffix}" for name, suffix in
             (("corpus", ".jsonl"), ("queries", ".tsv"), ("qrels", ".txt"))}  # fmt: skip
    for name in named:
        if broken.name.startswith(name):
            named[name] = broken
    return main(["check", *(text for name, path in named.items() for text in (f"--{name}", str(path)))])


def run(folder: Path, broken: Path) -> int:
    from robustdr.retrieval.runs import read_docids, read_run

    def read() -> None:
        found = read_run(broken, 5)
        for qid in found:
            found[qid]
        list(read_docids(broken, 5))

    return exit_status(read)


def evaluated(folder: Path, broken: Path) -> int:
    """The readers of qrels and answers, and measures of a run with them."""
    from robustdr.evaluation.measures import write_measures
    from robustdr.evaluation.settings import EvaluateSettings

    settings = EvaluateSettings({"dev.original": ["RR@10", "nDCG@10"]}, relevance_level=1)
    judging = broken if broken.suffix in (".txt", ".jsonl") and "corpus" not in broken.name else folder / "qrels.txt"
    ranked = broken if broken.suffix in (".trec", ".gz", ".arrow") else folder / "run.trec"
    runs = {"dev.original": (ranked, judging)}
    return exit_status(lambda: write_measures(settings, runs, folder / "out.parquet", folder / "corpus.jsonl"))


def rerank(folder: Path, broken: Path) -> int:
    ranked = broken if broken.suffix in (".trec", ".gz", ".arrow") else folder / "run.trec"
    files = {"run": ranked, "queries": folder / "queries.tsv", "corpus": folder / "corpus.jsonl",
             "output": folder / "out.trec", "model": folder / "model"}  # fmt: skip
    return main(["rerank", *(text for name, path in files.items() for text in (f"--{name}", str(path)))])


def encoder(folder: Path, broken: Path) -> int:
    from robustdr.encoding.encoder import Encoder

    return exit_status(lambda: Encoder(folder / "model").tokenise(["gold"], 8) and None)


def compare(folder: Path, broken: Path) -> int:
    from robustdr.reporting import side_by_side

    side_by_side._measured.cache_clear()
    return main(["compare", str(folder / "a"), str(folder / "b"), "-o", str(folder / "pages")])


def verify(folder: Path, broken: Path) -> int:
    return main(["verify", str(folder / "results")])


def inputs(folder: Path, broken: Path) -> int:
    """What a stage checks of its inputs."""
    from robustdr.keys.integrity import check_chain, hardware, key_of, verify

    def look() -> None:
        at = [folder / "results/made.txt"]
        hardware(at), key_of(at[0]), check_chain(at), verify(at)

    return exit_status(look)


def export(folder: Path, broken: Path) -> int:
    at = [str(folder / name) for name in ("data.jsonl", "corpus.jsonl", "out.jsonl")]
    return main(["export", "tevatron", at[0], "--corpus", at[1], "-o", at[2]])


def transcribe(folder: Path, broken: Path) -> int:
    return main(["transcribe", str(broken), "-o", str(folder / "out.yaml")])


def bm25(folder: Path, broken: Path) -> int:
    from robustdr.retrieval.bm25 import rankings
    from robustdr.retrieval.settings import BM25Settings

    settings = BM25Settings(0.9, 0.4, None, "english", 10)
    queries = [{"q1": "what is a stone", "q2": "river"}]
    return exit_status(
        lambda: list(rankings(settings, folder / "corpus.jsonl", {"index": [folder / "index"]}, queries)) and None
    )


TARGETS = {
    "audit": Target(("reported.yaml", "claims.yaml"), audit),
    "recomputed": Target(("reported.yaml", "qrels.txt", "runs/*"), recomputed),
    "config": Target(("own/**/*.yaml",), config),
    "vary": Target(("queries.*",), vary),
    "check": Target(("corpus.*", "queries.tsv*", "qrels.*"), check),
    "run": Target(("run.*",), run),
    "evaluated": Target(("run.*", "qrels.txt", "answers.jsonl"), evaluated),
    "rerank": Target(("run.*", "queries.tsv", "corpus.jsonl", "model/**/*"), rerank),
    "encoder": Target(("model/**/*",), encoder),
    "compare": Target(("b/**/*",), compare),
    "verify": Target(("results/*.sha256",), verify),
    "inputs": Target(("results/*.sha256",), inputs),
    "export": Target(("data.jsonl", "corpus.jsonl", "corpus.rows.arrow"), export),
    "transcribe": Target(("paper.*",), transcribe),
    "bm25": Target(("index/*",), bm25),
}


def virtual() -> int:
    """Bytes of address space in use."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def attempt(target: Target, folder: Path, path: Path, memory: int = MEMORY) -> str:
    """What is wrong with how the command ends; '' if nothing is."""
    out, err = io.StringIO(), io.StringIO()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (virtual() + memory, hard))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.alarm(ASLEEP)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = target.call(folder, path)
    except Hang:
        return "hang: " + " < ".join(f"{f.name}:{f.lineno}" for f in traceback.extract_tb(sys.exc_info()[2])[:-4:-1])
    except BaseException as error:
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if "/robustdr/" in frame.filename]
        at = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else "?"
        return f"{type(error).__name__} at {at}: {str(error)[:200]!r}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    if status not in (0, 1, 2):
        return f"status {status!r}"
    # Libraries print progress and notes on weights before it.
    _, begun, said = err.getvalue().partition("robustdr: ")
    if "Traceback" in err.getvalue() or bool(begun) != (status == 2):
        return f"status {status}, standard error {err.getvalue()[:500]!r}"
    if status == 2 and (len(said) > LONGEST or not said[:-1].isprintable()):
        return f"an error of {len(said)} characters, or with unusual ones: {said[:500]!r}"
    return ""


def tries(name: str, folder: Path, count: int, seed: int) -> int:
    """Break files and run the command; print a line for each fault, then the counts of the tries by status."""
    target = TARGETS[name]
    valid = folder.with_name(f"{folder.name}-valid")
    if not valid.exists():
        shutil.copytree(folder, valid)
    files = sorted({path for glob in target.files for path in folder.glob(glob) if path.is_file()})
    wholes = {path: path.read_bytes() for path in files}
    there = {path for path in folder.rglob("*")}
    for path in files:
        if fault := attempt(target, folder, path, 100 * MEMORY):  # imports take more
            print(json.dumps({"fault": f"a valid file: {fault}", "file": str(path)}))
            return 1
    faults = 0
    for number in range(seed, seed + count):
        folder.with_name("last").write_text(f"{name} {number}")
        draw = random.Random(f"{name} {number}")
        path = draw.choice(files)
        path.write_bytes(data := broken(draw, path))
        if fault := attempt(target, folder, path):
            faults += 1
            print(json.dumps({"fault": fault, "file": path.name, "seed": number, "size": len(data)}), flush=True)
        for left in sorted({*folder.rglob("*")} - there, reverse=True):
            if left.is_dir():
                shutil.rmtree(left)
            elif left.name.endswith(".damaged") or left.name.startswith("."):
                left.unlink()
        for at, whole in wholes.items():
            if not at.is_file() or at == path or at.stat().st_size != len(whole):
                at.write_bytes(whole)
        if name == "inputs":
            for made in valid.glob("results/*"):
                shutil.copy(made, folder / "results")
    return faults


def stop(*_: object) -> None:
    raise Hang


if __name__ == "__main__":
    faulthandler.enable()
    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGPROF, stop)
    root, first, *asked = sys.argv[1:]
    found = 0
    for target, several in (one.split("=") for one in asked):
        found += tries(target, Path(root, target), int(several), int(first))
    raise SystemExit(min(1, found))
