"""Targets of full scale, made from the files of the releases, without a network."""

import json

import pytest
from tests.full.world import tree

from robustdr.core.files import read_queries
from robustdr.encoding import loading

PAPERS = ("rodr", "capot", "qvg", "toroder", "intent", "all")
# One job of each kind that reads what was released: checkpoints, labels, a translator that people fetch by hand.
CHEAP = [
    "results/checkpoints/base.sha256",
    "results/checkpoints/tas_b.sha256",
    "results/checkpoints/t5_msmarco.sha256",
    "results/checkpoints/adore_star.sha256",
    "results/checkpoints/simlm.sha256",
    "results/checkpoints/word_vectors.sha256",
    "results/tables/qvg_table2.md",
    "results/tables/qvg_table3.md",
    "results/variations/dl-typo/test/back_translation.tsv",
]


@pytest.fixture(scope="module")
def cheap(full):
    """The project once the cheap targets are made."""
    status, output = full.make(*CHEAP)
    assert status == 0, output
    return full.folder


def test_what_was_released_is_read(cheap):
    assert not [target for target in CHEAP if not (cheap / target).is_file()]


def test_the_tokenizer_of_a_released_t5_knows_words(cheap):
    """monoT5 is released with spiece.model alone, and asks for the pieces true and false."""
    tokenizer = loading.tokenizer(cheap / "results/checkpoints/t5_msmarco")
    assert tokenizer.unk_token_id not in tokenizer.convert_tokens_to_ids(["▁true", "▁false"])
    text = "what does the old river of peru sell in march"
    assert tokenizer.decode(tokenizer(text).input_ids, skip_special_tokens=True) == text


def test_queries_are_translated_and_keep_their_names(cheap):
    given = read_queries(cheap / "data/dl-typo/query.tsv")
    translated = read_queries(cheap / "results/variations/dl-typo/test/back_translation.tsv")
    assert translated.keys() == given.keys() and translated != given
    told = json.loads((cheap / "results/variations/dl-typo/test/back_translation.json").read_text())
    assert told["resource"] == "marian and data/models/opus-mt-en-de and data/models/opus-mt-de-en"


@pytest.mark.slow
@pytest.mark.parametrize("papers", ["rodr", ",".join(PAPERS)], ids=["rodr", "all"])
def test_every_target_of_the_papers_is_made(full, papers):
    """Tables, figures, claims and the pages around them."""
    status, output = full.make("all", papers=papers)
    assert status == 0, output
    wanted = {
        f"{paper}_{table}"
        for paper in papers.split(",")
        for table in tree(full.folder / f"config/papers/{paper}/experiment.yaml")["tables"]
    }
    assert wanted <= {path.stem for path in (full.folder / "results/tables").glob("*.md")}
