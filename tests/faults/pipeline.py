"""A pipeline of stages on a collection of 20 passages; run by `test_writes.py` with `failing.c` preloaded.

`python -m tests.faults.pipeline FOLDER errors` lets each write, sync and rename below FOLDER/results fail once;
`kills` kills the pipeline in the middle of some of them. It prints how many there were.
"""

import contextlib
import ctypes
import errno
import io
import json
import os
import random
import shutil
import sys
from pathlib import Path

from robustdr.stages.__main__ import main

PASSAGES, QUERIES, KILLS = 20, 8, 20
RESULTS = Path("results")
LENGTHS = {"k1": 0.9, "b": 0.4, "stopwords": None, "stemmer": "english"}
WORDS = ["river", "stone", "house", "music", "energy", "light", "water", "king", "road", "plant", "bird", "gold"]


def write_source(folder: Path) -> None:
    """The user's files: passages, queries, judgements."""
    draw = random.Random(1)
    texts = [" ".join(draw.choices(WORDS, k=8)) for _ in range(PASSAGES + QUERIES)]
    files = {
        "corpus.tsv": (f"d{n}\t{text}\n" for n, text in enumerate(texts[:PASSAGES])),
        "queries.tsv": (f"q{n}\t{text}\n" for n, text in enumerate(texts[PASSAGES:])),
        "qrels.txt": (f"q{n} 0 d{n} 1\n" for n in range(QUERIES)),
    }
    for name, lines in files.items():
        (folder / name).write_text("".join(lines), encoding="utf-8")


def stages() -> list[list[str]]:
    """The arguments of each stage, in their order, with the modules that it loads by name."""
    split = {"queries": "queries.tsv", "qrels": "qrels.txt"}
    source = json.dumps({"kind": "local", "corpus": "corpus.tsv", "splits": {"dev": split}})
    generator = json.dumps({"generator": "surface:SwapWords", "parameters": {}, "seed": 1})
    measures = json.dumps({"measures": {"dev.original": ["RR@10"], "dev.swap_words": ["RR@10"]}, "relevance_level": 1})
    corpus, queries, qrels, varied, index, *runs, measured = (
        str(RESULTS / name)
        for name in ("corpus.jsonl", "dev/queries.tsv", "dev/qrels.txt", "dev/swap_words.tsv", "index",
                     "runs/original.arrow", "runs/swap_words.arrow", "measures.parquet")
    )  # fmt: skip
    trec = [run.replace(".arrow", ".trec.gz") for run in runs]
    files = ["--corpus", corpus, "--index", index, "--queries", queries, varied]
    how = ["--ranks", "robustdr.retrieval.bm25", "--settings", json.dumps({**LENGTHS, "depth": 10})]
    return [
        ["corpus", "--source", source, "--output", corpus, "--key", "c",
         "--code", "corpus", "robustdr.collections.local"],
        ["split", "--source", source, "--split", "dev", "--output", queries, qrels, "--key", "s", "s",
         "--code", "split", "robustdr.collections.local"],
        ["vary", "--settings", generator, "--queries", queries, "--output", varied,
         "--statistics", varied.replace(".tsv", ".json"), "--key", "v",
         "--code", "vary", "robustdr.variations.surface"],
        ["index", "--settings", json.dumps(LENGTHS), "--corpus", corpus, "--output", index, "--key", "i"],
        ["rank", *how, "--tag", "t", "--collection", "c", *files, "--runs", *runs, "--trec", *trec, "--key", "r", "r",
         "--code", "rank", "robustdr.retrieval.bm25"],
        ["evaluate", "--settings", measures, "--runs", *runs, "--judgements", qrels, qrels, "--output", measured,
         "--key", "m"],
    ]  # fmt: skip


def files() -> dict[str, bytes]:
    """The bytes of all results, and of what is left of interrupted writers."""
    return {str(path.relative_to(RESULTS)): path.read_bytes() for path in RESULTS.rglob("*") if path.is_file()}


def run(start: int = 0) -> tuple[int, str]:
    """Run the stages from one on; (how many ended well, the error of the one that did not)."""
    for number, argv in enumerate(stages()[start:], start):
        err = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
            status = main(argv)
        if status:
            assert status == 2, status
            return number, err.getvalue()
    return len(stages()), ""


def check_left(clean: dict[str, bytes], begun: int, killed: bool) -> None:
    """What is there under its final name is whole; nothing is recorded that is not there."""
    found = {name: data for name, data in files().items() if not (killed and "/." in f"/{name}")}
    assert found.keys() <= clean.keys(), found.keys() - clean.keys()
    assert not [name for name in found if found[name] != clean[name]]
    for name in found:
        if name.endswith(".sha256"):
            assert (RESULTS / name.removesuffix(".sha256")).exists(), name
    assert run(begun)[0] == len(stages())
    assert files() == clean


def errors(shim: ctypes.CDLL, clean: dict[str, bytes], count: int) -> None:
    survived = 0
    for number in range(count):
        shutil.rmtree(RESULTS)
        shim.arm(os.fsencode(RESULTS.resolve()), number, (errno.ENOSPC, errno.EIO)[number % 2])
        ended, said = run()
        shim.arm(b"", -1, 0)
        if ended == len(stages()):
            survived += 1
            assert files() == clean, number
            continue
        lines = [line for line in said.splitlines() if line.startswith("robustdr: ")]
        assert len(lines) == 1 and "Traceback" not in said, (number, said)
        check_left(clean, ended, killed=False)
    print(json.dumps({"calls": count, "failed": count - survived, "survived": survived}))


def kills(shim: ctypes.CDLL, clean: dict[str, bytes], count: int) -> None:
    moments = random.Random(1).sample(range(count), KILLS)
    for number in moments:
        shutil.rmtree(RESULTS)
        if not (child := os.fork()):
            shim.arm(os.fsencode(RESULTS.resolve()), number, 0)
            run()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        assert os.WIFSIGNALED(status), number
        done = sum((RESULTS / name).exists() for name in
                   ("corpus.jsonl.sha256", "dev/qrels.txt.sha256", "dev/swap_words.json.sha256", "index.sha256",
                    "runs/swap_words.arrow.sha256", "measures.parquet.sha256"))  # fmt: skip
        check_left(clean, done, killed=True)
    print(json.dumps({"calls": count, "killed": len(moments)}))


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    write_source(Path())
    preloaded = ctypes.CDLL(os.environ["LD_PRELOAD"])
    preloaded.counted.restype = ctypes.c_long
    preloaded.arm.argtypes = ctypes.c_char_p, ctypes.c_long, ctypes.c_int
    assert run() == (len(stages()), "")  # imports, and compiles for BM25
    whole = files()
    shutil.rmtree(RESULTS)
    preloaded.arm(os.fsencode(RESULTS.resolve()), -1, 0)
    assert run()[0] == len(stages())
    calls = preloaded.counted()
    preloaded.arm(b"", -1, 0)
    assert files() == whole
    {"errors": errors, "kills": kills}[sys.argv[2]](preloaded, whole, calls)
