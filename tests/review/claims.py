"""How often `agrees` and `look` are right: `python tests/review/claims.py MIRRORS [--verbose]`.

`claims.tsv` has labels of numbers and claims in 203 sentences of ten public papers, given beside the tables and
before the program read them: repository, commit, path, line, what is said, `true` or `false`. All that is not listed in
these papers is said by no table. MIRRORS is a folder of clones, see `corpus.py`. Prints the share of the verdicts that
are right, and of the labels that get one.
"""

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path

from corpus import checked_out

from robustdr_review.paragraphs import paragraphs
from robustdr_review.prose import AGREES, LOOK, Prose
from robustdr_review.transcribe import transcribe

LABELS = Path(__file__).with_suffix(".tsv")
RIGHT = {"true": AGREES, "false": LOOK}


def measure(mirrors, verbose):
    papers = defaultdict(dict)
    for row in LABELS.read_text(encoding="utf-8").splitlines():
        *paper, line, said, label = row.split("\t")
        papers[tuple(paper)] |= {(int(line), said): label} if line else {}
    right, wrong = defaultdict(int), defaultdict(int)
    for (repository, commit, path), labels in papers.items():
        with tempfile.TemporaryDirectory() as scratch:
            file = checked_out(mirrors, repository, commit, path, scratch)
            ties = Prose(transcribe(file).reported).check(paragraphs(file)[0]).ties if file else []
        for tie in ties:
            if tie.verdict in RIGHT.values():
                is_right = RIGHT.get(labels.get((tie.line, tie.number), "")) == tie.verdict
                (right if is_right else wrong)[tie.verdict] += 1
                if verbose and not is_right:
                    print(f"{Path(path).parent.name}:{tie.line}: {tie.number} {tie.verdict}: {tie.cells} {tie.given}")
    labelled = sum(map(len, papers.values()))
    for verdict in RIGHT.values():
        print(f"{verdict}: {right[verdict]} of {right[verdict] + wrong[verdict]} right")
    print(f"{sum(right.values())} of {labelled} labelled numbers and claims have the right verdict")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--verbose", action="store_true", help="print each wrong verdict")
    given = parser.parse_args()
    measure(given.mirrors, given.verbose)
