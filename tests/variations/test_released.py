"""Released query sets: pairing by query id, and the very sets behind the papers' tables."""

from pathlib import Path

import pytest

from robustdr.core.errors import UserError
from robustdr.core.files import read_queries, sha256
from robustdr.variations import create
from robustdr.variations.statistics import tally

SHARED = Path(__file__).parents[3] / "shared" / "data"
RODR = SHARED / "rodr/msmarco_passage/query/dev"
HEAD = "dataset,q_id,method,transformation_type,original_query,variation,valid,follow_category\n"
T5 = "ramsrigouthamg/t5_paraphraser"
QUERIES = {"1048585": "what is paula deen's brother", "2": " Androgen receptor define", "524332": "treating headaches"}


def released(file, **parameters):
    return create("released", {"file": str(file), "sha256": sha256(file), **parameters})


def varied(variation, queries):
    variation.ready(queries)
    return dict(variation.vary(queries.items(), 7))


@pytest.fixture()
def misspelt(tmp_path):
    """A set in RoDR's format, under its name: qid, tab, text, in an order of its own."""
    file = tmp_path / "queries.dev.small.MisSpell.tsv"
    file.write_text("2\t Androgen receptor defJne\n524332\ttreating headaches\n1048585\twhat is paula deen'd brother\n")
    return file


@pytest.fixture()
def labels(tmp_path):
    rows = [
        f"antique,1,{T5},paraphrase,one,the  one ,True,False",
        f"antique,2,{T5},paraphrase,two,the two,False,True",
        "antique,1,WordSwapWordNet,paraphrase,one,uno,True,True",
    ]
    (tmp_path / "variations_antique_labeled.csv").write_text(HEAD + "\n".join([*rows, ""]))
    return tmp_path / "variations_antique_labeled.csv"


def test_a_released_set_is_joined_by_query_id(misspelt):
    """Its texts are taken as they are, blanks included; the order is that of the queries."""
    made = varied(released(misspelt), QUERIES)
    assert list(made) == list(QUERIES)
    assert made == {
        "1048585": "what is paula deen'd brother",
        "2": " Androgen receptor defJne",
        "524332": "treating headaches",
    }


def test_the_typed_questions_of_liveqa_are_joined_with_the_corrected_ones(tmp_path):
    """The file has questions without slips too, which are none of the split's."""
    asked = "".join(
        f'<NLM-QUESTION qid="{qid}"><Original-Question><SUBJECT>{subject}</SUBJECT></Original-Question></NLM-QUESTION>'
        for qid, subject in (("TQ1", "What is gowt"), ("TQ2", "Is flu new"))
    )
    (tmp_path / "questions.xml").write_text(f"<LiveQA>{asked}</LiveQA>")
    variation = released(tmp_path / "questions.xml", form="liveqa")
    assert varied(variation, {"TQ1": "What is gout"}) == {"TQ1": "What is gowt"}
    with pytest.raises(UserError, match=r"query 'TQ9' is missing in the file \(1 such queries\)\. The ids"):
        varied(variation, {"TQ9": "What?"})
    with pytest.raises(UserError, match=r"released: form: 'xml' is unknown"):
        released(tmp_path / "questions.xml", form="xml").check()


def test_missing_and_unknown_queries_are_one_error(misspelt):
    """The file of another split: one id is missing in it, two of its ids are unknown."""
    with pytest.raises(UserError) as raised:
        released(misspelt, origin="cxa-unique/RoDR").ready({"2": "one", "7": "seven"})
    assert str(raised.value) == (
        "cxa-unique/RoDR: query '7' is missing in the file (1 such queries); query '524332' of the file is none of the "
        "split's (2 such queries). The ids of the file must be those of the split's 2 queries"
    )
    with pytest.raises(
        UserError, match=r"MisSpell\.tsv: query '7' is missing in the file \(1 such queries\)\. The ids"
    ):
        released(misspelt).ready({**QUERIES, "7": "seven"})


def test_the_queries_of_a_cut_collection_are_a_part_of_the_files(misspelt):
    some = {"2": QUERIES["2"]}
    with pytest.raises(UserError, match="is none of the split's"):
        varied(released(misspelt), some)
    assert varied(released(misspelt, part=True), some) == {"2": varied(released(misspelt), QUERIES)["2"]}
    with pytest.raises(UserError, match="query '7' is missing"):
        varied(released(misspelt, part=True), {"7": "seven"})


def test_a_query_without_a_valid_variation_keeps_its_text(labels):
    queries = {"3": "Three?", "2": "Two?", "1": "One?"}
    assert varied(released(labels, labels="t5_qqp_paraphrase"), queries) == {"3": "Three?", "2": "Two?", "1": "the one"}
    assert varied(released(labels, labels="wordnet_synonym_swap"), queries)["1"] == "uno"
    with pytest.raises(UserError, match=r"labeled\.csv: query '1' of the file is none of the split's"):
        released(labels, labels="t5_qqp_paraphrase").ready({"2": "Two?"})


def test_another_file_and_unknown_generators_are_refused(labels, misspelt):
    with pytest.raises(UserError, match=r"variation released: file: 'none\.csv': no such file"):
        create("released", {"file": "none.csv"})
    with pytest.raises(UserError, match=r"MisSpell\.tsv has the SHA-256 [0-9a-f]{64}, not 00"):
        create("released", {"file": str(misspelt), "sha256": "00"})
    with pytest.raises(UserError, match=r"labels: 't5_paraphrase' is unknown.*did you mean t5_qqp_paraphrase"):
        released(labels, labels="t5_paraphrase")


@pytest.mark.parametrize(
    ("name", "unchanged", "case_alone"),
    [
        ("MisSpell", 0, 57),
        ("ExtraPunc", 0, 0),
        ("BackTrans", 486, 848),
        ("SwapSyn_Glove", 665, 0),
        ("SwapSyn_WNet", 434, 644),
        ("TransTense", 4198, 0),  # the paper prints 4,199
        ("NoStopword", 858, 0),  # the paper prints 859
        ("SwapWords", 0, 0),
    ],
)
def test_rodrs_sets_have_the_counts_of_its_table_2(name, unchanged, case_alone):
    if not RODR.is_dir():
        pytest.skip("needs rodr's query sets in ../shared/data")
    queries = read_queries(RODR / "queries.dev.small.tsv")
    theirs = varied(released(RODR / f"queries.dev.small.{name}.tsv"), queries)
    found = tally((text, theirs[qid]) for qid, text in queries.items())
    assert found["queries"] == 6980 and found["changed"] == 6980 - unchanged
    assert (found["unchanged"], found["changed_in_case_alone"]) == (unchanged, case_alone)


@pytest.mark.parametrize(
    ("name", "variation", "differing"),
    [
        ("T5DescToTitle.136", "t5_description_to_title", []),
        ("BackTransl.93", "back_translation_m2m", []),
        ("T5QQP.105", "t5_qqp_paraphrase", []),
        ("WEmbedSynSwap.124", "embedding_synonym_swap", []),
        ("WNetSynSwap.72", "wordnet_synonym_swap", ["3470651"]),  # a blank label, that rodr took for valid
    ],
)
def test_rodrs_sets_of_antique_are_the_valid_variations_of_qvgs_labels(name, variation, differing):
    labels, sets = SHARED / "qvg/data/variations_antique_labeled.csv", SHARED / "rodr/antique/query"
    if not (labels.is_file() and sets.is_dir()):
        pytest.skip("needs qvg's labels and rodr's query sets in ../shared/data")
    queries = read_queries(sets / "antique.train.split200-valid.query.txt")
    theirs = varied(released(sets / f"antique.train.split200-valid.{name}.query.tsv"), queries)
    judged = varied(released(labels, labels=variation), queries)
    assert [qid for qid in queries if judged[qid] != theirs[qid]] == differing
    assert sum(theirs[qid] != text for qid, text in queries.items()) == int(name.partition(".")[2])
