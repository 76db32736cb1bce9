"""Sentences against tables, on a table worked by hand: what agrees, what to look at, and what is left alone."""

import pytest

from robustdr.audit.audited import audit
from robustdr_review.prose import AGREES, LOOK, UNTIED, Prose

CELLS = """\
original | 80.0        | 60.0
typo     | 60.0/-25.0% | 54.0/-10.0%
synonym  | 70.4/-12.0% | 57.6/-4.0%
"""


@pytest.fixture
def prose(paper):
    columns = [{"system": name, "measure": "RR@10", "and": "drop"} for name in ("alpha", "beta")]
    counts = {"columns": [{"quantity": "pairs", "unit": "count"}], "row": "category", "cells": "noisy | 30\nclean | 90"}
    caption = "Results and improvements, p < 0.05"
    return Prose(
        paper(table1={"columns": columns, "unit": "percent", "cells": CELLS, "caption": caption}, table2=counts)
    )


@pytest.mark.parametrize(
    ("sentence", "verdict", "given"),
    [
        ("On typo queries, alpha drops by 25.0% in RR@10.", AGREES, "-25.0%"),
        ("On typo queries, alpha drops by 52.0% in RR@10.", UNTIED, ""),  # too far to be a slip
        ("On typo queries, alpha drops by 27.0% in RR@10.", LOOK, "-25.0%"),
        ("The RR@10 of beta on synonym queries is 57.6.", AGREES, "57.6"),
        ("The RR@10 of beta on synonym queries is 56.7.", LOOK, "57.6"),
        ("The RR@10 of beta is 56.7.", UNTIED, ""),  # which queries?
        ("The RR@10 of gamma on synonym queries is 56.7.", UNTIED, ""),
        # 60 over 54 is 11.1 % more, 10 % less and 6 points
        ("On typo queries, alpha is 11.1% better than beta in RR@10.", AGREES, "6 points or 11.1%"),
        ("On typo queries, alpha is 6.0 points better than beta in RR@10.", AGREES, "6 points or 11.1%"),
        ("On typo queries, alpha is 13.1% better than beta in RR@10.", LOOK, "6 points or 11.1%"),
        ("On typo queries, alpha is 6.0 points better than beta and gamma in RR@10, respectively.", UNTIED, ""),
        ("On typo queries, our system with alpha is 13.1% better than beta in RR@10.", UNTIED, ""),
        ("Of all pairs, 25% are noisy.", AGREES, "30 of 120"),
        ("Of all pairs, 33% are noisy.", LOOK, "30 of 120"),
        ("In RR@10, alpha is the best on 3 of 3 sets.", AGREES, "3 of 3"),
        ("In RR@10, beta is the best on 1 of 3 sets.", LOOK, "0 of 3"),
        ("In RR@10 of Table 1, alpha is the best on typo queries.", AGREES, "1 of 1"),
        ("In RR@10 of Table 1, beta is the best on typo queries.", LOOK, "0 of 1; but 60.0 (alpha)"),
        ("In RR@10 of Table 1, alpha has the highest value on all of typo, synonym and original.", AGREES, "3 of 3"),
        ("In RR@10 of Table 1, alpha outperforms all baselines on typo and synonym queries.", AGREES, "2 of 2"),
        ("In RR@10 of Table 1, alpha outperforms all baselines across typo and synonym queries.", AGREES, "2 of 2"),
        (
            "In RR@10 of Table 1, beta outperforms all baselines on each query set.",
            UNTIED,
            None,
        ),  # alpha may be no baseline
        ("In RR@10 of Table 1, beta has the highest value but one on typo queries.", UNTIED, None),
        ("Table 1 has marks at p < 0.05.", AGREES, "p < 0.05"),
        ("Table 1 has marks at p < 0.01.", LOOK, "p < 0.05"),
        ("We train alpha with a rate of 0.25 [25, 3] (Doe, 2020).", UNTIED, ""),
    ],
)
def test_a_number_is_tied_where_its_sentence_says_what_it_is(prose, sentence, verdict, given):
    if given is None:
        assert prose.check([(7, f"See Table 1 and Table 2. {sentence}")]).ties == []
        return
    [tie] = prose.check([(7, f"See Table 1 and Table 2. {sentence}")]).ties
    assert (tie.line, tie.verdict, tie.given) == (7, verdict, given)


def test_a_best_one_or_a_wrong_number_needs_a_table_that_the_text_names(prose):
    best, wrong = "In RR@10, alpha is the best on typo queries.", "The RR@10 of beta on synonym queries is 56.7."
    for opening, verdicts in (
        ("See Table 1.", [AGREES, LOOK]),
        ("All is as said.", [UNTIED]),
        ("See Table 3.", [UNTIED]),  # which was not read
        ("See Fig. 1.", [UNTIED]),
    ):
        ties = prose.check([(1, f"{opening} {best} {wrong}")]).ties
        assert [tie.verdict for tie in ties] == verdicts


@pytest.mark.parametrize(
    "sentence",
    [
        "The RR@10 of beta on synonym-free queries is 57.6.",
        "The RR@10 of beta-mini on synonym queries is 57.6.",
        "The RR@10 of beta on synonym queries is nearly 57.6.",
        "The RR@10 of beta on synonym queries is 57.6 in typo queries.",
        "On synonym queries, beta is better by 57.6 in RR@10.",
        "The RR@10 of beta on synonym queries is 57.6% higher.",
        "The RR@10 of beta on synonym queries surpasses 57.6.",
    ],
)
def test_a_number_that_fits_is_of_something_else(prose, sentence):
    assert {tie.verdict for tie in prose.check([(1, f"See Table 1. {sentence}")]).ties} == {UNTIED}


def test_words_of_the_paper_name_its_labels(paper):
    declared = paper(
        table1={"columns": [{"system": "alpha", "measure": "RR@10"}], "cells": "typo | 60.0\nclean | 80.0"}
    )
    declared.words.update({"alpha": ["our method"], "typo": ["misspelled queries"], "RR@10": ["MRR@10"]})
    text = "On misspelled\nqueries. The MRR@10 of our method on misspelled queries is 61.0."
    [tie] = Prose(declared).check([(3, text)]).ties
    assert (tie.line, tie.verdict, tie.cells, tie.given) == (4, LOOK, "table1 [typo · alpha · RR@10]", "60.0")
    [tie] = Prose(declared).check([(3, text.replace("misspelled queries is", "all queries is"))]).ties
    assert tie.verdict == UNTIED


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (["We sample 50 test queries."], 1),
        (["We sample 50 test queries.", "We train on 900 questions."], 0),  # two sizes: which is it?
        (["We sample 50 queries of FiQA.", "We train on 900 questions."], 1),
        (["Table 1 has 50 topics.", "We sample 43 topics."], 1),
        (["Table 1 has 50 topics of FiQA.", "For FiQA, 43 topics are judged in Table 1."], 0),
        (["We sample 50 topics of NQ."], 0),  # the other table
    ],
)
def test_percentages_of_the_number_that_the_text_names(paper, text, wrong):
    table = {"columns": [{"measure": "EM"}], "row": "system", "unit": "percent", "where": {"collection": "FiQA"}}
    other = {**table, "where": {"collection": "NQ"}, "cells": "a | 71.3\nb | 67.7\nc | 80.9\n"}
    counted = "a | 62.0\nb | 58.0\nc | 44.0\nd | 76.0\ne | 38.0\nf | 81.3\n"  # of 50
    reported = paper(table1={**table, "cells": counted}, table2=other)
    findings = audit(reported, None, Prose(reported).check([*enumerate(text, 7)]).sizes).findings
    assert [(one.kind, one.flaws[0].cell.printed) for one in findings] == [("not_of_whole", "81.3")] * wrong
    assert all("(proposed by '50 " in one.flaws[0].words for one in findings)


@pytest.mark.parametrize(
    "sentence",
    [
        "The RR@10 of beta is 57.6.",  # on which queries?
        "The nDCG@10 of beta on synonym queries is 57.6.",  # another measure than that of the table
        "On average, beta has an RR@10 of 57.6 on synonym queries.",  # an average of what?
        "Doe et al. report an RR@10 of 57.6 for beta on synonym queries.",  # of another paper
        "A rate of 57.6 is used for beta.",
    ],
)
def test_a_number_that_fits_is_not_tied_where_the_sentence_leaves_something_open(prose, sentence):
    assert [tie.verdict for tie in prose.check([(7, f"See Table 1 and Table 2. {sentence}")]).ties] == [UNTIED]


@pytest.mark.parametrize(
    ("sentence", "verdict", "given"),
    [
        ("alpha has the highest RR@10 on all collections.", LOOK, "2 of 3; but 50.1 (beta)"),
        ("beta has the highest RR@10 on NQ.", AGREES, "1 of 1"),
        ("alpha has the highest RR@10 on NQ.", LOOK, "0 of 1; but 50.1 (beta)"),
        ("alpha outperforms beta on 2 of 3 collections.", AGREES, "2 of 3"),
        ("beta is better than alpha on 2 of 3 collections.", LOOK, "1 of 3"),
        ("beta is outperformed by alpha on 2 of 3 collections.", UNTIED, ""),
        ("alpha outperforms beta on nearly 3 of 3 collections.", UNTIED, ""),
        ("alpha is the best on 2 of 3 collections.", AGREES, "2 of 3"),
        ("alpha is the best on 3 of 3 collections.", LOOK, "2 of 3"),
        ("alpha is second best on 3 of 3 collections.", UNTIED, ""),
        ("alpha was trained on 3 of 3 collections.", UNTIED, ""),
    ],
)
def test_a_caption_names_the_measure_of_a_table(paper, sentence, verdict, given):
    columns = [{"collection": name} for name in ("FiQA", "NQ", "Quora")]
    cells = "alpha | 44.1 | 49.7 | 80.2\nbeta | 42.0 | 50.1 | 79.9\n"
    reported = paper(table1={"columns": columns, "row": "system", "cells": cells, "caption": "RR@10 of all systems."})
    [tie] = Prose(reported).check([(1, sentence)]).ties
    assert (tie.verdict, tie.given) == (verdict, given)


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        (["We studied 103 participants."], [AGREES]),
        (["We studied 104 participants."], [LOOK]),
        (["We studied 104 participants.", "Later, 99 patients came."], []),  # which of them?
        (["We studied 160 participants."], []),  # the groups are some of them
        (["We studied 104 sentences."], []),
    ],
)
def test_groups_add_up_to_the_people_of_the_text(paper, text, verdicts):
    columns = [{"quantity": "n", "unit": "count"}, {"quantity": "Mean age"}]
    table = {"columns": columns, "row": "category", "cells": "a | 56 | 43.7\nb | 47 | 26.6\n"}

    def judged():
        ties = Prose(paper(table1=table)).check([*enumerate(text)]).ties
        return [tie.verdict for tie in ties if tie.verdict != UNTIED]

    assert judged() == verdicts
    table["cells"] += "Total | 103 | 36.0\n"
    assert judged() == []


def test_a_second_number_beside_one_that_agrees_is_of_something_else(prose):
    ties = prose.check([(1, "The RR@10 of beta on synonym queries is 57.6±0.4, against 56.7 for others.")]).ties
    assert [(tie.number, tie.verdict) for tie in ties] == [("57.6", AGREES), ("56.7", UNTIED)]


def test_two_tables_with_the_same_labels_and_other_numbers(paper):
    table = {"columns": [{"system": "alpha", "measure": "RR@10"}], "row": "query_set", "unit": "percent"}
    reported = paper(
        table1={**table, "cells": "typo | 60.4\nclean | 80.1"}, table2={**table, "cells": "typo | 61.7\nclean | 82.2"}
    )
    sentence = "The RR@10 of alpha on typo queries is 61.7{}."
    assert [tie.verdict for tie in Prose(reported).check([(1, sentence.format(""))]).ties] == [UNTIED]
    assert [tie.verdict for tie in Prose(reported).check([(1, sentence.format(" in Table 2"))]).ties] == [AGREES]


SETTINGS = """\
mixer     | 41.2 | 1200 | 0.05
mixer XL  | 44.7 | 1900 | 0.10
shuffle   | 39.6 | 2400 | 0.05
ours 15%  | 47.3 | 1500 | 0.10
blend     | 38.4 | 3000 | 0.05
blend XL  | 38.9 | 3100 | 0.10
"""


@pytest.fixture
def settings(paper):
    columns = [
        {"measure": "BLEU", "unit": "percent"},
        {"quantity": "steps", "unit": "count"},
        {"quantity": "salt", "unit": "number"},
    ]
    return Prose(paper(table1={"columns": columns, "row": "system", "cells": SETTINGS}))


@pytest.mark.parametrize(
    ("sentence", "verdicts"),
    [
        ("The BLEU of mixer is 41.2.", [AGREES]),
        ("The BLEU of mixer is 42.1.", [LOOK]),
        # the subject
        ("With 41.2 BLEU points, it is the first of its kind.", [UNTIED]),
        ("Unlike mixer XL, our best system achieves a BLEU of 44.7.", [UNTIED]),
        ("Unlike shuffle, mixer XL achieves a BLEU of 44.7.", [AGREES]),
        ("For BLEU, mixer XL is good, but scores only 44.7.", [AGREES]),
        # the sign
        ("For BLEU, mixer shows a gain of +41.2.", [UNTIED]),
        ("The BLEU of mixer is -41.2.", [UNTIED]),
        # a range, a unit, a setting, a part of a name
        ("The BLEU of mixer is 41.2-44.7.", [UNTIED, UNTIED]),
        ("The BLEU of mixer is between 41.2 and 44.7.", [UNTIED, UNTIED]),
        ("The BLEU of mixer is 41.2 ms.", [UNTIED]),
        ("The BLEU of mixer is 41.2 for a threshold.", [UNTIED]),
        ("The steps of mixer are few (20% for each).", [UNTIED]),
        ("The steps of shuffle are few (19% for each).", [UNTIED]),
        ("Of all steps, 19% are those of shuffle.", [LOOK]),
        ("Of all steps, 15% are those of shuffle.", [UNTIED]),
        # a setting of rows, and a number that is no whole one
        ("The salt of mixer is 0.05.", [UNTIED]),
        ("The steps of mixer are 1250.5 in all.", [UNTIED]),
    ],
)
def test_a_number_that_is_something_else_is_tied_to_no_cell(settings, sentence, verdicts):
    assert [tie.verdict for tie in settings.check([(1, sentence)]).ties] == verdicts


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("The word error of lanterns is 7.25.", AGREES),
        ("The word errors of the lantern are 7.25.", AGREES),
        ("The word error of 灯笼图 is 6.5.", AGREES),
        ("The word error of 灯笼 is 6.5.", UNTIED),  # a part of a name
        ("Word errors of lanterns are best read at 7.25.", AGREES),
    ],
)
def test_names_of_other_scripts_and_plurals(paper, sentence, verdict):
    table = {"columns": [{"quantity": "Word error"}], "row": "system", "cells": "Lanterns | 7.25\n灯笼图 | 6.5\n"}
    assert [tie.verdict for tie in Prose(paper(table1=table)).check([(1, sentence)]).ties] == [verdict]


@pytest.mark.parametrize(
    "sentence",
    [
        "In RR@10, alpha has the largest drop on typo queries.",
        "In RR@10, alpha is best read against typo queries.",
        "In RR@10, beta shows its highest value on typo queries.",
        "In RR@10 of Table 1, alpha and gamma have the highest value on typo queries.",
        "In RR@10 of Table 1 as in Table 2, alpha has the highest value on typo queries.",
        "Typo queries are read by beta, for our best system has its own.",
    ],
)
def test_the_largest_change_and_what_is_best_read_are_no_superlatives_of_a_cell(prose, sentence):
    assert prose.check([(1, sentence)]).ties == []


def test_a_superlative_needs_a_measure(paper):
    table = {"columns": [{"category": "hill"}], "row": "system", "cells": "oak | 31.5\nelm | 28.4\n"}
    for caption, measure, verdicts in (
        ("", "in accuracy", []),
        ("Accuracy.", "of all", []),
        ("Accuracy.", "in accuracy", [AGREES]),
        ("Accuracy.", "in accuracy and recall", []),
        ("Accuracy.", "in accuracy and all other metrics", []),
        ("Accuracy.", "in vigour, along with more accuracy", []),
    ):
        prose = Prose(paper(table1={**table, "caption": caption}))
        ties = prose.check([(1, f"On the hill, oak is the best {measure}.")]).ties
        assert [tie.verdict for tie in ties] == verdicts


def test_a_wrong_number_needs_the_name_of_what_it_is(paper):
    table = {"columns": [{"category": "Depth of trees"}], "row": "system", "cells": "oak | 31.5\nelm | 28.4\n"}
    ties = [
        Prose(paper(table1=table)).check([(1, f"The {head} of oak is {number}.")]).ties[0].verdict
        for head, number in (("depth of trees", "31.5"), ("depth of trees", "35.1"), ("number", "35.1"))
    ]
    assert ties == [AGREES, LOOK, UNTIED]


@pytest.mark.parametrize(
    "sentence",
    [
        "In BLEU, mixer and mixer XL have 41.2 and 44.7.",
        "BLEU rises from 41.2 for mixer to 44.7 for mixer XL.",
        "Mixer XL reaches a BLEU of 44.7±0.3, and mixer 41.2±0.2.",
        "All are near in BLEU (39.6 for shuffle, 41.2 for mixer).",
        "The BLEU scores of shuffle, blend and mixer XL are 39.6, 38.4 and 44.7, respectively.",
        "Shuffle (BLEU = 39.6) is ahead of blend (38.4).",
    ],
)
def test_a_number_that_is_printed_for_its_system_agrees(settings, sentence):
    assert {tie.verdict for tie in settings.check([(1, sentence)]).ties} == {AGREES}


def test_a_label_of_digits_is_no_part_of_a_number(paper):
    cells = "1 | 15.6 | 57.8\n2 | 20.4 | 61.0\n"
    columns = [{"system": name, "measure": "Accuracy"} for name in ("OFF-large", "ON-large")]
    prose = Prose(paper(table1={"columns": columns, "row": "split", "unit": "percent", "cells": cells}))
    for sentence, verdict in (
        ("On split 1, the accuracy of OFF-large is 15.9%.", LOOK),
        ("With p = 0.1, the accuracy of OFF-large is 15.9%.", UNTIED),
        ("With 1.00 and 1, the accuracy of OFF-large is 15.9%.", LOOK),
    ):
        assert prose.check([(1, sentence)]).ties[-1].verdict == verdict, sentence


def test_a_number_is_of_the_labels_in_its_part_of_the_sentence(paper):
    columns = [{"measure": name, "unit": "percent"} for name in ("Dice", "IoU")]
    prose = Prose(
        paper(table1={"columns": columns, "row": "system", "cells": "rowan | 80.1 | 86.4\ncedar | 70.3 | 86.4\n"})
    )
    for sentence, verdicts in (
        ("Rowan has a Dice of 80.1 and an IoU of 86.4.", [AGREES, AGREES]),
        ("Rowan has a Dice of 86.4 and an IoU of 80.1.", [UNTIED, UNTIED]),  # exchanged
        ("Rowan has a Dice and an IoU of 80.1 and 86.4.", [AGREES, AGREES]),
        ("Rowan has a Dice and an IoU of 80.1 and 86.4, respectively.", [AGREES, AGREES]),
        ("Cedar falls behind rowan, with an IoU of 86.4.", [UNTIED]),  # of both
    ):
        assert [tie.verdict for tie in prose.check([(1, sentence)]).ties] == verdicts, sentence


CONDITIONS = [
    ("Accuracy ranges from 12.4% (A-large, δ = 0) to 36.1%.", UNTIED),  # of a set
    ("Under δ = 0, the accuracy of A-large is for noise in {10.1%, 12.4%}.", UNTIED),
    ("The accuracy of A-large under δ = 0 is 12.4%.", AGREES),
    ("The accuracy of A-large under δ > 0 is 12.4%.", UNTIED),  # another condition
    ("Under δ = 0, A-large has an accuracy over 12%.", UNTIED),
    ("Under δ = 0 and over 5% noise, A-large has the accuracy of chance.", UNTIED),
    ("Under δ = 0, with ρ = 12.4%, the accuracy of A-large falls.", UNTIED),
]


@pytest.mark.parametrize(("sentence", "verdict"), CONDITIONS)
def test_ranges_conditions_bounds_and_values_of_other_names(paper, sentence, verdict):
    columns = [{"measure": "Accuracy", "category": text} for text in ("δ = 0", "δ = 5")]
    table = {
        "columns": columns,
        "row": "system",
        "unit": "percent",
        "cells": "A-large | 12.4 | 10.1\nB-large | 36.1 | 20.2\n",
    }
    ties = Prose(paper(table1=table)).check([(1, sentence)]).ties
    assert {tie.verdict for tie in ties if tie.number.strip("over %") in ("12.4", "12", "5")} == {verdict}
