"""Many formulas at once: arrays give what each relation gives at its cell, whatever the numbers are."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustdr.audit.arithmetic import computed, promising
from robustdr.audit.formulas import NAMES, Formula, Formulas
from robustdr.audit.relations import Check, Options
from robustdr.audit.reported import build
from robustdr.audit.transcript import Transcript

TWO = (("of", (1,)), ("main", (2,)))
PARTS = {kind: (("main", (1, 2, 3)),) for kind in NAMES}
PARTS |= {"points_from": TWO, "drop_from": TWO, "counts_match": (("main", (1,)), ("out_of", (2,)))}
NUMBER = st.one_of(st.just("-"), st.integers(-300, 999).map(lambda n: f"{n / 10:.1f}"), st.integers(0, 50).map(str))
ROWS = st.lists(st.lists(NUMBER, min_size=4, max_size=4), min_size=2, max_size=5)


def along_rows(rows):
    cells = "\n".join(" | ".join([f"s{place}", *row]) for place, row in enumerate(rows))
    columns = [{"quantity": name} for name in "abcd"]
    tables = {"t": {"caption": "t", "row": "system", "columns": columns, "cells": cells}}
    paper = Transcript.model_validate({"paper": "p", "title": "p", "tables": tables})
    return Formulas(build(Path("p.yaml"), paper, defaultdict(int)).tables["t"], False)


@settings(max_examples=40, deadline=None)
@given(rows=ROWS, kind=st.sampled_from([*NAMES]), base=st.sampled_from([-1, 0]))
def test_arrays_give_what_a_relation_gives(rows, kind, base):
    table = along_rows(rows)
    formula = Formula(kind, 0, PARTS[kind], base if PARTS[kind] is TWO else -1)
    outcome = computed(table, [formula], np.arange(len(rows))[:, None])
    for line, cells in enumerate(table.lines):
        operands = {
            role: [table.lines[formula.line_of(role, line)][field] for field in fields]
            for role, fields in formula.parts
        }
        expected = []
        if line != formula.base and cells[0] and all(all(parts) for parts in operands.values()):
            expected = Check(kind, cells[0], operands, Options(), 0).expected()
        ends = [end[line, 0] for end in outcome.ends]
        if expected and np.isfinite(expected[0]).all():
            assert ends == pytest.approx(list(expected[0]))
            assert outcome.factor[line, 0] != 1 or expected[0].meets(cells[0].interval)
        else:
            assert not outcome.defined[line, 0]


def test_a_formula_promises_if_most_lines_agree():
    rows = [["4.5", "35.7", "31.2", "1"], ["7.3", "30.1", "22.8", "1"], ["9.9", "41.2", "44.6", "1"]]
    fitting, wrong = Formula("points_from", 0, TWO), Formula("points_from", 0, (("of", (2,)), ("main", (1,))))
    assert promising(along_rows(rows), [wrong, fitting]) == [fitting]
    assert promising(along_rows(rows[1:]), [fitting]) == []  # one line alone
