"""The sources of the papers' values: every value of a training has one, and nothing differs from it untold."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.changes import changed
from tests.quotations import quotes, text_of

from robustdr.core.errors import UserError
from robustdr.experiments.sources import Source, load_sources
from robustdr.graph.deviations import faults, page
from robustdr.graph.effects import EFFECTS, read_effects
from robustdr.graph.footnotes import deviations

ROOT = Path(__file__).parents[2]
PAPERS = ["all", "capot", "intent", "qvg", "rodr", "toroder"]
PASSAGE = ("scales", "full", "budgets", "passage")


def without(config, about):
    """RoDR's sources but the one about something."""
    kept = [source for source in config.sources["rodr"] if source.subject != about]
    assert len(kept) == len(config.sources["rodr"]) - 1
    return replace(config, sources=config.sources | {"rodr": kept})


def with_one(config, **source):
    return replace(
        config, sources=config.sources | {"rodr": [*config.sources["rodr"], Source(subject="more", **source)]}
    )


def test_every_paper_accounts_for_its_trainings(config, every_paper):
    assert sorted(paper for paper, of in config.sources.items() if of) == PAPERS
    assert [fault for paper, of in every_paper.sources.items() if of for fault in faults(every_paper, paper)] == []


@pytest.mark.parametrize(
    "paper, about, told",
    [
        ("qvg", "training queries of ANTIQUE", "data.queries` antique/train → antique/train/split200-train"),
        ("qvg", "length of training", "on ANTIQUE it is 2,226 pairs"),
        ("qvg", "positives of ANTIQUE", "The passages with the highest grade"),
        ("rodr", "files of varied training queries", "They are not used"),
        ("rodr", "misspellings of training queries", "13 % of these bring a capital"),
        ("rodr", "translators of BACKTRANS", "opus-mt-en-de"),
        ("rodr", "synonyms and tenses", "this project's own"),
        ("rodr", "checkpoints and runs of Tables 2, 3 and 5", "They are not bound to the scale"),
        ("capot", "training queries on MS MARCO", "400,782"),
        ("capot", "training queries on TriviaQA", "60,413"),
        ("capot", "translators", "OpenNMT → opus-mt-en-de"),
        ("capot", "noised queries", "They are not used"),
        ("capot", "passages of other devices", "As in the recipe"),
        ("intent", "attacks of Tables 6 and 7 and of Figure 3", "qvg's ten generators"),
        ("toroder", "checkpoints of ToRoDer", "They are not bound to the scale"),
        (
            "toroder",
            "checkpoints of BERT, BERT+ST, CharacterBERT and CharacterBERT+ST",
            "Those of ADORE, STAR and CharacterBERT",
        ),
    ],
)
def test_data_generators_and_checkpoints_that_differ_are_on_the_page(config, paper, about, told):
    """Of most, no value of a training tells: they are entries by hand."""
    title = config.papers[paper].title
    section = page(config, {}).partition(f"## {title}\n")[2].partition("\n## ")[0]
    row = next(line for line in section.splitlines() if line.startswith((f"| {about}<br>", f"| {about} |")))
    assert told in row


def test_the_page_is_the_one_of_these_sources(every_paper):
    assert (ROOT / "docs/explanation/deviations.md").read_text(encoding="utf-8") == page(
        every_paper, read_effects(ROOT / EFFECTS)
    )


LEARNS = "learning rate, batch and epochs"
CASES = {
    "a value that nothing tells": (
        lambda config: changed(config, *PASSAGE, "temperature", 0.5),
        "sources.yaml: dr_oq: budget.temperature: no source",
    ),
    "another value": (
        lambda config: changed(config, *PASSAGE, "epochs", 5.0),
        f"({LEARNS}): budget.epochs: 4.0 there and 5.0 here; say why in `deviation`",
    ),
    "a source less": (
        lambda config: without(config, LEARNS),
        "dr_oq: budget.batch_size, budget.devices, budget.epochs, budget.learning_rate: no source",
    ),
    "queries without a source": (lambda config: without(config, "training queries"), "dr_oq: data.queries: no source"),
    "negatives without a source": (
        lambda config: without(config, "negatives of RoDR"),
        "rodr: data.negatives_depth, data.negatives_kept: no source",
    ),
    "a generator without a source": (
        lambda config: without(config, "files of varied training queries"),
        "rodr: generator.misspell, generator.extra_punctuation, ",
    ),
    "another split": (
        lambda config: changed(
            config, "collections", "msmarco-document", "splits", "train", "id", "msmarco-document/dev"
        ),
        "(training queries for documents): data.queries: msmarco-document/train there and msmarco-document/dev here",
    ),
    "another translator": (
        lambda config: changed(
            config, "scales", "full", "variations", "paraphrase_t5_paws", "parameters", "model", "a/t5"
        ),
        "(paraphrases): generator.paraphrase_t5_paws: T5_Paraphrase_Paws there and t5 here",
    ),
    "another test split": (
        lambda config: changed(config, "collections", "antique", "splits", "test", "id", "antique/test"),
        "(test queries of ANTIQUE): data.queries: antique/train/split200-valid there and antique/test here",
    ),
    "test queries that are drawn here": (
        lambda config: changed(config, "scales", "full", "variations", "swap_words", "released", {}),
        "(test queries): generator.swap_words: released there and rules here; say why in `deviation`",
    ),
    "test queries without a source": (
        lambda config: without(config, "test queries of ANTIQUE"),
        "rodr/antique: data.queries, generator.",
    ),
    "a system that is gone": (
        lambda config: with_one(config, systems=["dr_none"], deviation="no"),
        "systems: 'dr_none' is unknown",
    ),
    "a budget that is gone": (
        lambda config: with_one(config, budgets=["none"], unspecified=["budget.epochs"], deviation="no"),
        "budgets: nothing of this paper is trained with them",
    ),
    "two sources of a value": (
        lambda config: with_one(config, systems=["dr_oq"], released_code="4", values={"budget.epochs": 4.0}),
        f"(more): budget.epochs: dr_oq has another source: {LEARNS}",
    ),
    "a key of no training": (
        lambda config: with_one(config, released_code="4", values={"budget.epoch": 4.0}),
        "(more): budget.epoch: the training of dr_oq has no such value; allowed: budget.batch_size",
    ),
    "a study without a test": (
        lambda config: with_one(config, systems=["dr_oq"], deviation="no", alternative="dr_qv_document"),
        "(more): alternative: no table of this paper tests 'dr_qv_document' against another system",
    ),
    "a deviation that is none": (
        lambda config: with_one(
            config, systems=["dr_oq"], released_code="4", values={"budget.epochs": 4.0}, deviation="no"
        ),
        "(more): deviation: nothing differs",
    ),
}


@pytest.mark.parametrize("change, message", CASES.values(), ids=CASES)
def test_what_is_wrong_with_sources_is_told(config, change, message):
    found = [fault for paper in ("rodr", "capot") for fault in faults(change(config), paper)]
    assert any(message in fault for fault in found), found


def test_a_table_names_the_deviations_of_its_systems(mini):
    end = "(docs/explanation/deviations.md)."
    bi_encoders = (
        f"At full scale too, training differs from capot in: positives; passages of other devices; number type {end}"
    )
    assert deviations(mini, ["regular_nq"]) == [bi_encoders]
    aligned, *_ = deviations(mini, ["capot_nq"])
    assert "margins; the ranking loss" in aligned and "positives" in aligned and "PT" not in aligned
    assert "typo ratios from 0.5 on" in deviations(mini, ["toroder_pretraining"])[0]  # of its pre-training
    assert deviations(mini, ["bm25"]) == deviations(mini, []) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_the_papers_say_it(config, paper):
    text = text_of(paper)
    assert [
        source.quotation for source in config.sources[paper] if source.quotation and not quotes(source.quotation, text)
    ] == []


@pytest.mark.parametrize(
    "source, message",
    [
        ("subject: x\n    quotation: y", "are given together, or neither is"),
        ("subject: x\n    values: {a: 1}", "without `quotation` and `released_code`"),
        ("subject: x\n    released_code: y\n    unspecified: [a]", "`deviation` is missing"),
        ("subject: x\n    released_code: y\n    effect: z", "`effect` is of a deviation"),
        ("subject: x\n    released_code: y\n    alternative: z", "`alternative` is of a deviation"),
        ("subject: x\n    deviation: y\n    systems: [a]\n    budgets: [b]", "`systems` and `budgets` are given"),
        ("subject: x\n    hear: y", "'hear' is unknown"),
        *(
            (f"subject: x\n    {old_key}: y", f"'{old_key}' is now called '{new_key}'; rename it")
            for old_key, new_key in (
                ("about", "subject"),
                ("says", "quotation"),
                ("at", "place"),
                ("released", "released_code"),
                ("open", "unspecified"),
                ("here", "deviation"),
                ("studied", "alternative"),
            )
        ),
    ],
)
def test_a_file_of_sources_is_checked_when_it_is_read(tmp_path, source, message):
    (tmp_path / "sources.yaml").write_text(f"sources:\n  - {source}\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"sources\.yaml:\d+: ") as caught:
        load_sources(tmp_path / "sources.yaml")
    assert message in str(caught.value)
