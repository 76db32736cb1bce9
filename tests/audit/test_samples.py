"""Means and deviations that no sample of the size has that a caption or a sentence names."""

import random
from statistics import mean, stdev

import pytest

from robustdr.audit.audited import audit
from robustdr.audit.sizes import sizes

COUNTED = "a | 62.0\nb | 58.0\nc | 44.0\nd | 76.0\ne | 38.0\nf | WRONG\n"  # of 50


def findings(reported):
    return [(finding.kind, finding.severity, finding.flaws[0].cell.printed) for finding in audit(reported).findings]


def accuracy(paper, printed, **more):
    columns = [{"measure": "EM"}]
    cells = COUNTED.replace("WRONG", printed)
    return paper(t={"columns": columns, "row": "system", "unit": "percent", "cells": cells, **more})


@pytest.mark.parametrize(("printed", "size", "wrong"), [("82.0", 50, 0), ("81.3", 50, 1), ("81.3", 900, 0)])
def test_percentages_of_the_number_that_the_caption_names(paper, printed, size, wrong):
    expected = [("not_of_whole", "suspicious", "81.3")] * wrong
    assert findings(accuracy(paper, printed, caption=f"Accuracy (n = {size})")) == expected


def test_deviations_of_whole_numbers(paper):
    # Ten whole numbers with the sum 30: their squares add up to an even number, so that the deviation is the root of
    # (even - 90) / 9: 1.05, 1.15, 1.25, but not 1.20.
    rng = random.Random(0)
    samples = [[rng.randint(1, 7) for _ in range(10)] for _ in range(14)]
    rows = "".join(f"s{n} | {mean(sample):.2f}±{stdev(sample):.2f}\n" for n, sample in enumerate(samples))
    table = {"columns": [{"measure": "Fluency", "and": "deviation"}], "row": "system", "caption": "n = 10"}
    for printed, wrong in (("1.15", 0), ("1.20", 1)):
        reported = paper(t={**table, "cells": f"{rows}x | 3.00±{printed}\n"})
        assert findings(reported) == [("no_such_deviation", "suspicious", "1.20")] * wrong
    assert findings(paper(t={**table, "cells": f"{rows}x | 3.04±1.15\n"})) == [("not_of_whole", "suspicious", "3.04")]


def test_sizes_as_texts_say_them():
    text = "200 test queries; the 6,980 dev queries; 43 annotated topics (n=12); N = 7"
    assert [size.number for size in sizes(text)] == [200, 6980, 43, 12, 7]
    assert (
        sizes("10 of the queries, 5 times more queries, 1 topic, RR@10 queries, n = 0.5, 3.2 queries, 2 million") == []
    )
