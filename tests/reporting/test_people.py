"""Tables of what people do to queries, from the numbers of public sources and from a user's files."""

import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from robustdr import variations
from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr.core.yaml_files import read_yaml
from robustdr.reporting.people import PEOPLE, STACKFAQ, paired, reworders, rewordings_of_people, slips_of_people
from robustdr.variations.diversity import MEASURES
from robustdr.variations.misspelling import PEOPLE as FREQUENT
from robustdr.variations.slips import FEATURES, generators
from variations import people

DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture
def write_queries(tmp_path):
    def write(name, **texts):
        path = tmp_path / f"{name}.tsv"
        path.write_text("".join(f"{qid}\t{text}\n" for qid, text in texts.items()), encoding="utf-8")
        return path

    return write


def table(text):
    return {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ")[1:] for line in text.splitlines()}


def test_own_misspelled_queries_stand_beside_every_generator(write_queries, capsys):
    correct = write_queries("right", a="how do I clean my computer", b="symptoms of kidney disease", c="what is art")
    wrong = write_queries("wrong", b="symptons of kidny disease", a="how do I claen my computer")
    assert main(["variations", "slips", str(correct), str(wrong)]) == 0
    shares, distances = map(table, capsys.readouterr().out.split("\n\n"))
    assert shares["people"][0] == "0 · 33 · 33 · 33 · 0 · 0" and shares["people"][-1] == "50 · 50 · 0"
    assert shares["swap_neighbour_chars"][0] == "0 · 0 · 0 · 100 · 0 · 0"
    assert {*generators()} < {*shares} & {*distances} and distances["swap_neighbour_chars"][0].startswith("0.67 (")


def test_own_rewordings_stand_beside_people_generators_and_the_paper(write_queries, capsys, tiny_model):
    questions = write_queries("asked", a="what is the river", b="what is the bird")
    files = [write_queries("one", a="a river of stone"), write_queries("two", a="river", b="the bird is what")]
    assert main(["variations", "rewordings", *map(str, (questions, *files)), "--model", str(tiny_model)]) == 0
    rows = table(capsys.readouterr().out)
    assert rows["these queries"][1] == "0.60 ±0.79"  # the mean of 1/7 and 1/4, and 1
    assert rows["intent, llm, WikiQA"][:4] == ["0.89–0.97", "0.18", "34.56", "58.48"]
    assert {STACKFAQ, *reworders()} < {*rows} and "±" in rows["llm"][0] and "original" not in rows
    assert main(["variations", "rewordings", *map(str, (questions, *files))]) == 0
    assert table(capsys.readouterr().out)["these queries"][0] == "–"


def test_queries_that_do_not_fit_are_an_error(write_queries, capsys):
    correct, misspelled = write_queries("right", a="a red river"), write_queries("other", b="a red rivr")
    with pytest.raises(UserError, match=r"other.tsv: query 'b' is none of .*right.tsv \(1 such queries\)"):
        paired(correct, [misspelled])
    assert main(["variations", "slips", str(correct), str(correct)]) == 2
    assert "no query has a misspelled word" in capsys.readouterr().err


def test_the_tables_of_the_documentation():
    """Each source of queries has every generator of a paper; the sources stand beside each other."""
    compared = {name for name in generators() if variations.kind(name.partition(",")[0]).papers}
    parts = slips_of_people().split("**")
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        if name != "StackFAQ":
            for table_text in (part for part in text.split("\n\n") if "|" in part):
                assert compared | {"StackFAQ", "codespell's list"} < {*table(table_text)}
                assert name not in table(table_text)
    rows = table(rewordings_of_people())
    assert {STACKFAQ, *reworders(), "intent, word, ANTIQUE"} < {*rows}


def test_the_numbers_of_people_are_whole():
    stored = read_yaml(PEOPLE)
    for source in stored["slips"].values():
        for features in source.get("generators", {}).values():
            assert {key: len(values) for key, values in features.items()} == {k: len(v) for k, v in FEATURES.items()}
    assert all(tuple(numbers) == MEASURES for numbers in stored["rewordings"].values())


def test_the_variant_people_has_the_counts_of_people():
    sources = read_yaml(PEOPLE)["slips"]
    typed = [slip for name in ("LiveQA", "StackFAQ") for query in sources[name]["slips"] for slip in query]
    counted = Counter((kind, place) for kind, _, place, *_ in typed if kind != "space")
    assert counted == FREQUENT and len(typed) == 156


LIVEQA = """<?xml version="1.0" encoding="UTF-8"?>
<LiveQA2017-Medical-Test-Set-Full>
  <NLM-QUESTION qid="TQ2">
    <Original-Question qfile="1.txt"><SUBJECT>A pill</SUBJECT><MESSAGE>Do tabkets a
      go?</MESSAGE></Original-Question>
    <NLM-Summary>Other text.</NLM-Summary>
  </NLM-QUESTION>
  <NLM-QUESTION qid="TQ3"><Original-Question qfile="2.txt"><MESSAGE>Why?</MESSAGE></Original-Question></NLM-QUESTION>
</LiveQA2017-Medical-Test-Set-Full>
"""


def test_liveqa_is_read_and_corrected(tmp_path, monkeypatch):
    (tmp_path / "liveqa.xml").write_text(LIVEQA, encoding="utf-8")
    corrections = "source\ttext\tfirst\tafter\tcorrected\nliveqa\tTQ2\t3\t4\ttablets\nliveqa\tTQ2\t4\t6\tago\n"
    (tmp_path / "corrections.tsv").write_text(corrections + "stackfaq\tTQ2\t0\t1\tno\n", encoding="utf-8")
    monkeypatch.setattr(people, "CORRECTIONS", tmp_path / "corrections.tsv")
    pairs = people.corrected("liveqa", dict(people.liveqa(tmp_path / "liveqa.xml")))
    assert [corrected for corrected, _ in pairs] == ["a pill do tablets ago", "why"]
    assert [slip.kind for corrected, wrong in pairs for slip in people.slips(corrected, wrong)] == ["several"]


def test_stackfaq_is_read_without_what_is_no_rewording(tmp_path):
    entry = {"rephr": ["Crossing out.", "*", None, "How to strike?"], "question": "Strikethrough", "answer": ["So."]}
    with gzip.open(tmp_path / "faq.json.gz", "wt", encoding="utf-8") as file:
        json.dump({"root": {"qapair": [entry]}}, file)
    rewordings = list(people.stackfaq(tmp_path / "faq.json.gz"))
    assert rewordings == [("0.0", "Strikethrough", "Crossing out."), ("0.3", "Strikethrough", "How to strike?")]


def test_dl_typo_is_read(tmp_path):
    (tmp_path / "query.tsv").write_text("1\tred river\n2\told tree\n", encoding="utf-8")
    (tmp_path / "query.typo.tsv").write_text("2\told tere\n1\tred rivre\n", encoding="utf-8")
    assert people.dl_typo(tmp_path) == [("red river", "red rivre"), ("old tree", "old tere")]


@pytest.mark.slow
def test_the_numbers_are_those_of_the_sources():
    """A generator that changes, or a correction, must be followed by `python -m variations.people`."""
    if not (DATA / "dl-typo" / "query.typo.tsv").is_file():
        pytest.skip(f"the public sources are not here ({DATA})")
    stored, computed = read_yaml(PEOPLE), people.numbers(DATA)
    for name, source in computed["slips"].items():
        assert source["slips"] == stored["slips"][name]["slips"] and source["about"] == stored["slips"][name]["about"]
        for key, features in source.get("generators", {}).items():
            for feature, values in features.items():
                np.testing.assert_equal(values, stored["slips"][name]["generators"][key][feature])
    for name, source in computed["rewordings"].items():
        assert source == pytest.approx(
            {key: pytest.approx(v, abs=1e-3) for key, v in stored["rewordings"][name].items()}
        )
