"""Root causes: what one explanation accounts for, what follows from it, and the order of seriousness."""

from dataclasses import replace

import pytest

from robustdr.audit.audited import audit
from robustdr.audit.causes import causes
from robustdr.audit.formats import markdown
from robustdr.audit.printed_claims import AsPrinted, Claimed, judge_folder
from robustdr.audit.reported import load_paper

RUNS = [{"seed": 1}, {"seed": 2}, {"seed": 3}, {"value": "median"}]
MEDIAN = {"for": {"value": "median"}, "median_of": {"seed": "*"}}
MEAN = {"for": {"query_set": "mean"}, "mean_of": {"query_set": ["v1", "v2"]}}


def causes_of(built):
    return causes(audit(built))


def ids(findings):
    return [finding.id for finding in findings]


def test_one_explanation_of_two_tables_is_one_cause(paper):
    # 74.4, 74.5, 75.5: median 74.5, mean 74.8; 60.0, 60.2, 61.0: median 60.2, mean 60.4
    table = {"columns": RUNS, "relations": [MEDIAN]}
    first, second = (
        {**table, "cells": "q | 74.4 | 74.5 | 75.5 | 74.8"},
        {**table, "cells": "q | 60.0 | 60.2 | 61.0 | 60.4"},
    )
    [cause] = causes_of(paper(first=first, second=second))
    assert cause.hypotheses == ["it is the mean of the same cells"]
    assert ids(cause.findings) == ["first/median_of/q · median", "second/median_of/q · median"]
    assert cause.worst.cell.table == "first"  # 0.15 from its median, the other 0.05


def averages(mean, restated):
    """A table whose mean row takes `original` in, and one that says `restated` of the same system's mean."""
    cells = f"original | 90.0\nv1 | 30.0\nv2 | 40.0\nmean | {mean}"
    whole = {"columns": [{"system": "a"}], "cells": cells, "relations": [MEAN]}
    again = {"for": {"query_set": "mean"}, "same_as": {"table": "whole"}}
    return {
        "whole": whole,
        "summary": {"columns": [{"system": "a"}], "cells": f"mean | {restated}", "relations": [again]},
    }


def test_a_finding_that_disappears_with_a_cause_is_its_consequence(paper):
    # with original: 53.3; without: 35.0, which the summary prints
    [cause] = causes_of(paper(**averages("53.3", "35.0")))
    assert cause.hypotheses == ["original is included"]
    assert ids(cause.consequences) == ["summary/same_as/mean · a"]


def test_a_finding_that_stays_wrong_is_a_cause_of_its_own(paper):
    root_causes = causes_of(paper(**averages("53.3", "44.4")))
    assert [(cause.hypotheses, cause.consequences) for cause in root_causes] == [
        (["original is included"], []),
        ([], []),
    ]


def test_many_causes_have_their_own_consequences_each(paper):
    # In each of 30 tables another row than those averaged is taken in; a summary prints the mean without it.
    tables = {}
    for number in range(30):
        case_tables = averages("53.3", "35.0")
        case_tables["whole"]["cells"] = case_tables["whole"]["cells"].replace("original", f"w{number}")
        case_tables["summary"]["relations"] = [{"for": {"query_set": "mean"}, "same_as": {"table": f"whole{number}"}}]
        tables |= {f"{name}{number}": table for name, table in case_tables.items()}
    root_causes = causes_of(paper(**tables))
    assert {tuple(cause.hypotheses): ids(cause.consequences) for cause in root_causes} == {
        (f"w{number} is included",): [f"summary{number}/same_as/mean · a"] for number in range(30)
    }


@pytest.mark.parametrize(("mean", "follows"), [("0.893", False), ("0.909", True)])
def test_a_number_that_no_data_give_follows_from_a_wrong_count_of_queries_only_if_the_right_one_gives_it(
    paper, mean, follows
):
    # 20 and 24 queries are 44, printed as 43; of 44, 39 are 0.886 and 40 are 0.909, of 43 39 are 0.907.
    relations = [
        {"for": {"query_set": "all", "quantity": "queries"}, "sum_is": {"query_set": ["a", "b"]}},
        {"for": {"query_set": "all", "measure": "Success@20"}, "mean_over": {"measure": None, "quantity": "queries"}},
    ]
    columns = [{"quantity": "queries", "unit": "count"}, {"measure": "Success@20", "unit": "fraction"}]
    cells = f"a | 20 | -\nb | 24 | -\nall | 43 | {mean}"
    root_causes = causes_of(paper(t={"columns": columns, "cells": cells, "relations": relations}))
    assert ids(root_causes[0].consequences) == ["t/mean_over/all · Success@20"] * follows
    assert len(root_causes) == 2 - follows


def test_averages_above_a_cause_are_computed_anew_by_the_formula_that_their_column_follows(paper):
    # Means with original over runs: 40.0, 42.0, 47.0 in place of 15.0, 18.0, 25.5. "median" is the mean everywhere, so
    # that of the mean row would be 19.5, which the summary prints.
    rows = ["original | 90.0 | 90.0 | 90.0 | 90.0", "v1 | 10.0 | 16.0 | 21.0 | 15.7", "v2 | 20.0 | 20.0 | 30.0 | 23.3"]
    cells = "\n".join([*rows, "mean | 40.0 | 42.0 | 47.0 | 43.0"])
    relations = [{"for": {"query_set": "mean", "seed": "*"}, "mean_of": MEAN["mean_of"]}, MEDIAN]
    runs = {"columns": RUNS, "cells": cells, "relations": relations}
    again = {"for": {"query_set": "mean"}, "same_as": {"table": "runs", "value": "median"}}
    summary = {"columns": [{}], "cells": "mean | 19.5", "relations": [again]}
    root_causes = causes_of(paper(runs=runs, summary=summary))
    assert {cause.hypotheses[0]: ids(cause.consequences) for cause in root_causes} == {
        "original is included": ["summary/same_as/mean"],
        "it is the mean of the same cells": [],
    }


def test_summaries_of_the_same_numbers_share_a_cause_whatever_explains_each(paper):
    columns = [{"seed": 1}, {"seed": 2}, {"seed": 3}, {"value": "median"}, {"value": "deviation"}]
    relations = [MEDIAN, {"for": {"value": "deviation"}, "std_of": {"seed": "*"}}]
    table = {"columns": columns, "cells": "q | 2.00 | 4.00 | 6.00 | 7.77 | 9.99", "relations": relations}
    [cause] = causes_of(paper(t=table))
    assert ids(cause.findings) == ["t/median_of/q · median", "t/std_of/q · deviation"]


def test_what_rests_on_a_copied_block_follows_from_it(paper):
    numbers = ["11.31", "22.42", "33.53", "44.64", "55.75", "66.86"]
    cells = "\n".join(f"v{place} | {number}" for place, number in enumerate(numbers, 1))
    at_20 = {"columns": [{"measure": "Success@20"}], "cells": cells}
    at_100 = {"columns": [{"measure": "Success@100"}], "cells": cells}
    again = {"for": {"query_set": "v2"}, "same_as": {"table": "second"}}
    summary = {"columns": [{"measure": "Success@100"}], "cells": "v2 | 77.19", "relations": [again]}
    [cause] = causes_of(paper(first=at_20, second=at_100, summary=summary))
    assert (cause.severity, len(cause.flaws)) == ("suspicious", 6)
    assert ids(cause.consequences) == ["summary/same_as/v2 · Success@100"]


def test_a_claim_on_a_cell_makes_its_cause_more_serious(paper):
    cells = "v1 | 30.0\nv2 | 40.0\nmean | 39.0"
    table = {"columns": [{"system": "a"}], "cells": cells, "relations": [MEAN]}
    lone = {**table, "cells": "v1 | 30.0\nv2 | 40.0\nmean | 99.0"}  # outside of its parts: impossible
    done = audit(paper(t=table, u=lone))
    assert [cause.severity for cause in causes(done)] == ["impossible", "inconsistent"]
    claim = Claimed({"claim": "a is good"}, AsPrinted("holds", [], findings=["inconsistent: t/mean_of/mean · a"]))
    first, _ = causes(replace(done, claims=[claim]))
    assert (first.severity, first.claims) == ("inconsistent", [claim])


@pytest.mark.parametrize(("name", "number"), [("capot", 22), ("qvg", 3), ("rodr", 1), ("intent", 0), ("toroder", 0)])
def test_every_finding_of_the_papers_is_under_one_cause(name, number):
    done = audit(load_paper(name))
    root_causes = causes(done)
    covered = [id(finding) for cause in root_causes for finding in (*cause.findings, *cause.consequences)]
    assert sorted(covered) == sorted(map(id, done.findings))
    assert len(root_causes) == number


def test_what_went_wrong_in_capot():
    done = audit(load_paper("capot"))
    root_causes = {cause.hypotheses[0]: cause for cause in causes(done) if cause.hypotheses}
    medians, averages = root_causes["it is the mean of the same cells"], root_causes["original is included"]
    assert {finding.table for finding in medians.findings} == {f"table{number}" for number in range(8, 18)}
    assert len(medians.flaws) == 106
    assert {"table18", "table20", "table21", "table22", "table23", "table24"} == {
        f.table for f in averages.consequences
    }
    last_run = root_causes["seed 5 stands in place of median"]
    drops = [finding for finding in last_run.consequences if finding.kind == "drop_from"]
    assert [(finding.table, len(finding.flaws)) for finding in drops] == [("table19", 52), ("table22", 52)]
    block = root_causes["copied from table24, or table24 from table25"]
    assert {finding.table for finding in block.consequences} == {"table2", "table3", "table25"}


def test_the_causes_of_all_papers_come_first_and_fit_on_two_pages():
    audits = [audit(load_paper(name)) for name in ("capot", "intent", "qvg", "rodr", "toroder")]
    audits = [replace(done, claims=judge_folder(done.reported, done.findings)) for done in audits]
    text = markdown(audits)
    first, _, rest = text.partition("# Audit of capot")
    pages = first[first.index("# What went wrong in capot") :]
    assert len(pages) < 10_000 and pages.count("\n") < 100
    assert "What went wrong" not in rest
    assert "cause 22)" in rest
