"""Relations that nobody declared: found where most cells obey them, never where a table agrees with itself."""

import random
from dataclasses import replace

import pytest

from audit.synthetic import CONVENTIONS, random_paper
from robustdr.audit.arithmetic import obeyed, relations, undeclared
from robustdr.audit.audited import audit
from robustdr.audit.reported import load_paper
from robustdr_review.proposals import propose


def bare(reported):
    """The paper without its declarations."""
    tables = {id: replace(table, relations=[]) for id, table in reported.tables.items()}
    return replace(reported, tables=tables)


def suspicious(reported):
    return [finding for finding in audit(reported).findings if finding.checks]


SYSTEMS = [{"system": name} for name in "abcde"]
ROWS = """\
original | 90.0 | 80.0 | 70.0 | 60.0 | 50.0
v1 | 30.0 | 20.0 | 10.0 | 40.0 | 5.0
v2 | 40.0 | 30.0 | 20.0 | 44.0 | 7.0
"""


def test_the_cell_that_breaks_an_average_is_suspicious(paper):
    [finding] = suspicious(paper(t={"columns": SYSTEMS, "cells": ROWS + "average | 35.0 | 25.0 | 51.0 | 42.0 | 6.0"}))
    assert (finding.severity, finding.id) == ("suspicious", "t/mean_of/average · c")
    assert finding.flaws[0].consistent == "14.95 to 15.10"
    assert finding.flaws[0].words.endswith("(found, not declared: 4 of 5 cells fit, by chance 1 in 6,000)")
    assert not suspicious(paper(t={"columns": SYSTEMS, "cells": ROWS + "average | 35.0 | 25.0 | 15.0 | 42.0 | 6.0"}))


def test_two_of_five_cells_do_not_make_a_relation(paper):
    table = {"columns": SYSTEMS, "cells": ROWS + "average | 35.0 | 25.0 | 51.0 | 43.0 | 9.0"}
    assert not suspicious(paper(t=table))


def test_a_drop_from_another_row_than_the_first_is_found(paper):
    # against v1 = 40: 50, 75 and 25 % less, and 10 % in place of 37.5 %
    cells = "original | 80.0\nv1 | 40.0\nv2 | 20.0/-50.0%\nv3 | 10.0/-75.0%\nv4 | 30.0/-25.0%\nv5 | 25.0/-10.0%"
    table = {"columns": [{"measure": "RR@10", "and": "drop"}], "unit": "percent", "cells": cells}
    [finding] = suspicious(paper(t=table))
    assert finding.id == "t/drop_from/v5 · RR@10 · drop"
    assert "3 of 4 cells fit" in finding.flaws[0].words


def test_declared_tables_are_not_searched(paper):
    relation = {"for": {"query_set": "v1"}, "at_most": {"query_set": "original"}}
    table = {"columns": SYSTEMS, "cells": ROWS + "average | 35.0 | 25.0 | 51.0 | 42.0 | 6.0", "relations": [relation]}
    assert not undeclared(obeyed(paper(t=table)))


def test_no_false_alarm_on_200_tables_that_agree_with_themselves():
    searched = 0
    for seed in range(50):
        made = random_paper(random.Random(seed))
        printed = bare(made.reported(made.print(list(CONVENTIONS.values())[seed % 3])))
        searched += len(printed.tables)
        assert all(check.holds for check in undeclared(obeyed(printed))), seed
    assert searched == 200


@pytest.mark.parametrize("name", ["capot", "intent", "qvg", "rodr", "toroder"])
def test_no_false_alarm_on_the_consistent_tables_of_the_papers(name):
    reported = load_paper(name)
    wrong = {flaw.cell.table for finding in audit(reported).findings for flaw in finding.flaws}
    alarms = {check.target.table for check in undeclared(obeyed(bare(reported))) if not check.holds}
    assert not alarms - wrong


def test_the_relations_of_rodrs_tables_are_found():
    reported = load_paper("rodr")
    tables = [reported.tables[id] for id in ("table2", "table3")]
    found = [proposal for table in tables for proposal in propose(reported, table, relations(table))]
    kinds = sorted(
        next(kind for kind in one.relation.model_fields_set if kind.endswith(("_of", "_from", "_is"))) for one in found
    )
    assert kinds == ["drop_from", "drop_from", "mean_of", "mean_of", "sum_is", "sum_is"]
