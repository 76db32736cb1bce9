"""How fast queries are varied, and beside TextAttack where it is at hand.

    python tests/benchmarks variations [queries.tsv [python]]

Without a file, the queries are the embedded WordNet questions. `python` is the interpreter of an environment with
textattack==0.3.11: then rates stand side by side, and the distributions of the typos (kept queries, word, place in the
word, letters) on 2,000 queries are compared by chi-square. In the end, a million queries: time and peak memory.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from scipy.stats import chi2_contingency

from benchmarks.common import report, wordnet_source
from robustdr import variations
from robustdr.collections import wordnet
from robustdr.collections.wordnet import database
from robustdr.core.files import read_queries
from robustdr.variations import lexicon

COMPARED = ("rand_insert", "rand_delete", "rand_substitute", "swap_neighbour_chars", "swap_adjacent_key")
SAMPLE = 2_000
STREAM = """
import re, sys, time
from pathlib import Path
from robustdr import variations
start = time.perf_counter()
variations.run(Path(sys.argv[1]), Path(sys.argv[2]), None, sys.argv[3])
print(time.perf_counter() - start, re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
"""


def rate(name: str, queries: list[tuple[str, str]]) -> float:
    """Queries per second, lexical data and models already loaded."""
    variation = variations.create(name)
    list(variation.vary(queries, 1))
    start = time.perf_counter()
    list(variation.vary(queries, 2))
    return len(queries) / (time.perf_counter() - start)


def edit(one: str, two: str) -> dict[str, str] | None:
    """What was edited: the word's index in the query, the place in it (in fifths), the letters that came and went."""
    words = [pair for pair in enumerate(zip(one.split(), two.split(), strict=False)) if pair[1][0] != pair[1][1]]
    if not words:
        return None
    index, (old, new) = words[0]
    place = next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new))
    )
    came = new[place] if len(new) >= len(old) and place < len(new) else ""
    left = old[place] if place < len(old) else ""
    return {"word": str(min(index, 9)), "place": str(5 * place // (len(old) + 1)), "letter": came, "replaced": left}


def same(ours: list[str], theirs: list[str]) -> float:
    """The p-value of the chi-square test that two samples have one distribution; rare values are joined."""
    first, second = Counter(ours), Counter(theirs)
    common = [value for value in sorted(first | second) if first[value] + second[value] >= 10]
    rows = [[found[value] for value in common] for found in (first, second)]
    for row, found in zip(rows, (first, second), strict=True):
        row.append(found.total() - sum(row))
    columns = [column for column in zip(*rows, strict=True) if sum(column)]
    return float(chi2_contingency(list(zip(*columns, strict=True))).pvalue) if len(columns) > 1 else 1.0


def reference(python: str, queries: list[tuple[str, str]]) -> dict[str, dict]:
    """TextAttack's rates and texts."""
    with tempfile.TemporaryDirectory() as folder:
        source, stopwords, out = (Path(folder) / name for name in ("queries.tsv", "stopwords.json", "out.json"))
        source.write_text("".join(f"{qid}\t{text}\n" for qid, text in queries), encoding="utf-8")
        stopwords.write_text(json.dumps(sorted(lexicon.stopwords())))
        script = Path(__file__).with_name("reference_textattack.py")
        subprocess.run([python, str(script), str(source), str(database.folder()), str(stopwords), str(out)], check=True)
        return json.loads(out.read_text())


def compare(queries: list[tuple[str, str]], theirs: dict[str, dict]) -> None:
    print(f"\np-values of equal distributions, {len(queries):,} queries\n{'generator':24}   kept   word  place letter")
    for name in COMPARED:
        varied = [text for _, text in variations.create(name).vary(queries, 1)]
        samples = []
        for texts in (varied, theirs[name]["texts"]):
            found = [edit(text, other) for (_, text), other in zip(queries, texts, strict=True)]
            samples.append([each for each in found if each])
        if name == "swap_adjacent_key":  # TextAttack's table gives g the far key d for f, and a the far key x
            samples = [[each for each in found if each["replaced"].lower() not in ("a", "g")] for found in samples]
        kept = same(*[["changed"] * len(found) + ["kept"] * (len(queries) - len(found)) for found in samples])
        rest = [same(*[[each[key] for each in found] for found in samples]) for key in ("word", "place", "letter")]
        print(f"{name:24}" + "".join(f" {p:6.3f}" for p in (kept, *rest)))


def stream(name: str, count: int) -> float:
    """Peak memory in MB of a process that varies a file of so many queries."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "queries.tsv"
        with open(source, "w") as file:
            file.writelines(f"{qid}\twhat does number {qid} of the sample mean\n" for qid in range(count))
        command = [sys.executable, "-c", STREAM, str(source), str(Path(folder) / "out.tsv"), name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak = done.stdout.split()
    print(f"{name:24} {count:9,} queries in {float(seconds):.1f} s, peak {int(peak) / 1024:.0f} MB", flush=True)
    return int(peak) / 1024


def questions() -> dict[str, str]:
    return {query.qid: query.text for part in ("train", "dev") for query in wordnet.split(wordnet_source(), part)[0]}


def main(queries: str = "", python: str = "") -> None:
    texts = list((read_queries(queries) if queries else questions()).items())
    theirs = reference(python, texts[:SAMPLE]) if python else {}
    print(f"queries per second, one core\n{'generator':24} {'ours':>9} {'TextAttack':>10} {'ratio':>6}")
    ratios = []
    for name in variations.names():
        if name != "released":  # it answers from a file of queries
            ours = rate(name, texts)
            other = theirs.get(name, {}).get("rate")
            ratios += [ours / other] if other else []
            print(f"{name:24} {ours:9,.0f}" + (f" {other:10,.0f} {ratios[-1]:6.0f}" if other else ""), flush=True)
    if theirs:
        compare(texts[:SAMPLE], theirs)
        report("variations", "queries per second of ours / of TextAttack, median", statistics.median(ratios))
    print()
    for name in ("typo", "swap_synonym_wordnet"):
        few, many = (stream(name, count) for count in (10_000, 1_000_000))
        report("variations", f"peak memory of {name} for 1,000,000 queries / for 10,000", many / few)


if __name__ == "__main__":
    main(*sys.argv[1:])
