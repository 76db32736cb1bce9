"""Released variations: the valid ones, and with the labels at hand the very query sets that rodr searched."""

from pathlib import Path

import pytest

from robustdr.core.errors import UserError
from robustdr.core.files import read_queries
from robustdr.variations import create

SHARED = Path(__file__).parents[3] / "shared" / "data"
HEAD = "dataset,q_id,method,transformation_type,original_query,variation,valid,follow_category\n"
T5 = "ramsrigouthamg/t5_paraphraser"


@pytest.fixture()
def labels(tmp_path):
    rows = [
        f"antique,1,{T5},paraphrase,one,the  one ,True,False",
        f"antique,2,{T5},paraphrase,two,the two,False,True",
        "antique,1,WordSwapWordNet,paraphrase,one,uno,True,True",
    ]
    (tmp_path / "labels.csv").write_text(HEAD + "\n".join([*rows, ""]))
    return tmp_path / "labels.csv"


def released(labels, variation):
    return create("released", {"labels": str(labels), "variation": variation})


def test_a_query_without_a_valid_variation_keeps_its_text(labels):
    queries = [("3", "Three?"), ("2", "Two?"), ("1", "One?")]
    varied = list(released(labels, "t5_qqp_paraphrase").vary(queries, 7))
    assert varied == [("3", "Three?"), ("2", "Two?"), ("1", "the one")]
    assert dict(released(labels, "wordnet_synonym_swap").vary(queries, 7))["1"] == "uno"


def test_missing_labels_and_unknown_generators_are_refused(labels):
    with pytest.raises(UserError, match=r"variation released: labels: .*none\.csv: no such file"):
        released(labels.with_name("none.csv"), "t5_qqp_paraphrase")
    with pytest.raises(UserError, match=r"variation: 't5_paraphrase' is unknown.*did you mean t5_qqp_paraphrase"):
        released(labels, "t5_paraphrase")


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
def test_they_are_the_query_sets_that_rodr_released(name, variation, differing):
    labels, sets = SHARED / "qvg/data/variations_antique_labeled.csv", SHARED / "rodr/antique/query"
    if not (labels.is_file() and sets.is_dir()):
        pytest.skip("needs qvg's labels and rodr's query sets in ../shared/data")
    queries = read_queries(sets / "antique.train.split200-valid.query.txt")
    expected = read_queries(sets / f"antique.train.split200-valid.{name}.query.tsv")
    varied = dict(released(labels, variation).vary(queries.items(), 0))
    assert [qid for qid in queries if varied[qid] != expected[qid]] == differing
    assert sum(varied[qid] != text for qid, text in queries.items()) == int(name.partition(".")[2]) - len(differing)
