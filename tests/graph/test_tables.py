"""What tables, figures and claims are told: the measures that they show, and what they say of the data."""

import pytest

from robustdr.graph.graph import graph
from robustdr.graph.tables import claims, figure, table, table_settings


def test_what_a_table_needs(config, mini, full):
    settings = table_settings(mini, "rodr", "table2")
    read = {path.split("/")[-3] for path in settings.keys}
    assert read == {"dr_oq", "dr_qv", "dr_oq_qv", "rodr"}
    assert table(mini, "rodr", "table2").inputs["measures"].paths == list(settings.keys)
    assert settings.labels["rodr"] == "RoDR w/ DR_OQ"
    assert settings.miniature and settings.command == "snakemake results/mini/tables/rodr_table2.md"
    at_full = table_settings(full, "rodr", "table2")
    assert {path.split("/")[-2] for path in at_full.keys} == {"seed1", "seed2", "seed3"}
    assert not at_full.miniature


NOTES = {
    "mini": "natural-questions: the paper counts passages that contain an answer to one of the collection's test "
    "questions; here the judged passages of wordnet-nature's test questions count.",
    "full": "natural-questions: a passage is relevant if its text contains an answer, matched by DPR's rules.",
}


@pytest.mark.parametrize("scale", NOTES)
def test_a_table_says_what_judges_its_queries_and_which_negatives_were_released(config, request, scale):
    made = request.getfixturevalue(scale)
    for name, spec in config.papers["capot"].tables.items():
        notes = table_settings(made, "capot", name).notes
        assert (NOTES[scale] in notes) == ("natural-questions" in spec.collections)
        released = "Hard negatives of natural-questions are those that were released with its training questions."
        assert (released in notes) == (scale == "full" and "natural-questions" in spec.collections)
    assert not [note for note in table_settings(made, "rodr", "table2").notes if "answer" in note]


def test_claims_say_what_stands_in_for_what_they_are_about(mini, full):
    """Query variations of a large language model are rules in the miniature; at full scale nothing stands in."""
    sentences = [claim.claim for claim in mini.lineage.config.claims["intent"].claims]
    ours, others = (
        [f"claims.{number}" for number, words in enumerate(sentences) if words.startswith(start)]
        for start in ("Although slightly inferior", "PLM-based IR models demonstrate")
    )
    untestable = claims(mini, "intent", ("intent",)).settings.untestable
    assert {untestable[key] for key in ours} == {
        "rules over WordNet stand in for the rewordings of a large language model"
    }
    assert others and not untestable.keys() & {*others}
    assert claims(full, "intent", ("intent",)).settings.untestable == {}
    display_names = claims(mini, "intent", ("intent",)).settings.display_names
    assert display_names["wikiqa"] == "wikiqa (here: wordnet-candidates)"
    assert "wikiqa" not in claims(full, "intent", ("intent",)).settings.display_names


def test_a_released_checkpoint_has_a_published_score(config, full):
    """All that rank as they are have one, on a measure and a collection that they are evaluated on."""
    released = {}
    for system in config.systems:
        if not full.lineage.is_random(system):
            released.setdefault(full.lineage.starts_from(system), []).append(system)
    untrained = {
        "base",
        "pretraining_base",
        "reranker_base",
        "word_vectors",
        "conv_knrm_msmarco",
        "epic_msmarco",
    }  # of controls
    ranking = (released.keys() & full.lineage.scale.checkpoints.keys()) - untrained
    assert ranking == full.lineage.scale.published.keys()
    for name, score in full.lineage.scale.published.items():
        assert score
        evaluated = {
            measure
            for paper, of in config.papers.items()
            if any((system, score.role) in full.demand.pairs(paper) for system in released[name])
            for measure in of.evaluation[score.role].measures
        }
        assert score.measure in evaluated, name


def test_a_table_says_what_a_released_checkpoint_should_reach(config, mini, full):
    said = "ANCE as released should reach RR@10 33.01 on msmarco-passage (the model card of sentence-transformers/"
    notes = table_settings(full, "rodr", "table5").notes
    assert [note for note in notes if "as released should" in note and note.startswith(said)]
    assert len([note for note in notes if "as released should" in note]) == 3
    for made in (mini, graph(config, "first")):  # stand-ins, and parts of collections
        assert not [note for note in table_settings(made, "rodr", "table5").notes if "as released should" in note]


def test_a_table_says_where_rankers_rank_fewer_passages_than_the_paper_s(mini, full):
    for made, expected in ((mini, {10: 100}), (full, {})):
        said = {f"Rankers rerank the {n} best passages of their first stage; in the paper, the {m} best."
                for n, m in expected.items()}  # fmt: skip
        assert said == {
            note for note in table_settings(made, "intent", "table5").notes if note.startswith("Rankers rerank")
        }
        assert not [note for note in table_settings(made, "rodr", "table2").notes if note.startswith("Rankers rerank")]


def test_figures_and_claims_ask_for_what_they_show(config, mini):
    drawn = figure(mini, "rodr", "figure2").settings.keys
    first = mini.demand.snapshots()["rodr"][0]
    systems = {path.split("/")[-3] for path in drawn}
    assert f"rodr.at{first}" in systems
    assert len(systems) == 1 + 2 * len(config.papers["rodr"].figures["figure2"].points)
    judged = claims(mini, "rodr", ("rodr",)).settings.keys
    for name in config.papers["rodr"].tables:
        assert table_settings(mini, "rodr", name).keys.items() <= judged.items()


def test_claims_that_need_other_cells_than_those_asked_for_are_left_out(config, mini):
    node = claims(mini, "rodr", ("rodr_table2", "rodr_figure2"))
    read = {path.split("/")[-3] for path in node.inputs["measures"].paths}
    learned = {f"{system}{at}" for system in ("rodr", "rodr_without_alignment") for at in ("", ".at50")}
    assert read == {"dr_oq", "dr_qv", "dr_oq_qv", *learned, "dr_oq_mined", "dr_oq_continued"}
    reasons = node.settings.reasons
    assert (
        reasons["dr_oq_document"] == reasons["wordnet-long"] == "left out, as only rodr_table2, rodr_figure2 are made"
    )
    assert not {*read, "wordnet-mini"} & reasons.keys()
    assert node.settings.miniature != claims(mini, "rodr", ("rodr",)).settings.miniature


def test_a_table_says_how_a_scale_makes_a_variation(config, mini, full):
    note = f"misspell: {config.scales['mini'].variations['misspell'].note}"
    assert "one neighbouring key" in note
    assert note in table_settings(mini, "rodr", "table2").stand_ins
    assert note in table_settings(mini, "rodr", "table4").stand_ins  # of training alone
    assert note not in table_settings(mini, "qvg", "table4").stand_ins
    assert not [found for found in table_settings(full, "rodr", "table2").stand_ins if found.startswith("misspell")]
