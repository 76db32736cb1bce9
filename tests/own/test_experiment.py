"""The configuration that `robustdr evaluate` writes: from a model and files to a job graph, and what is refused."""

import pytest
import yaml
from tests.encoding import shapes
from tests.planned import of_papers

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.own import REALISTIC, experiment, models
from robustdr.own.experiment import HOUSE, NAME, Data, Split
from robustdr.systems.trained import lengths

BY_CATEGORY = {"misspelling": ["typo", "misspell"], "ordering": ["swap_words"]}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "corpus.tsv").write_text("d1\ta river\n")
    for split in ("train", "test"):
        (folder / f"{split}.tsv").write_text("".join(f"{split}{n}\twhat is a river\n" for n in range(40)))
        (folder / f"{split}.qrels").write_text("".join(f"{split}{n} 0 d1 1\n" for n in range(40)))
    splits = {split: Split(folder / f"{split}.tsv", folder / f"{split}.qrels") for split in ("train", "test")}
    return Data(folder / "corpus.tsv", splits, "test")


@pytest.fixture(scope="module")
def job_graph(tmp_path_factory, tiny_model, data):
    folder = tmp_path_factory.mktemp("report") / "config"
    fix = ["rodr", "capot", "self-teaching", "augmentation"]
    experiment.write(folder, [models.find(str(tiny_model))], data, BY_CATEGORY, ["RR@10"], fix)
    return graph(load(HOUSE / "config", folder), NAME)


def test_everything_is_measured_on_the_split_that_is_evaluated(job_graph):
    systems = ["own_bm25", "own", "own_hybrid", "own_control", "own_rodr", "own_capot", "own_self_teaching"]
    assert set(job_graph.demand.evaluated()) == {*systems, "own_augmentation"}
    kinds = ["original", "typo", "misspell", "swap_words"]
    for system in systems:
        assert job_graph.demand.evaluations(system) == {(NAME, "test"): (kinds, ["RR@10"])}


def test_remedies_start_from_the_model_and_learn_from_the_training_split(job_graph):
    for system in ("own_rodr", "own_self_teaching", "own_augmentation", "own_control"):
        assert job_graph.lineage.train_split(system) == (NAME, "train") and job_graph.lineage.miner_of(system) == NAME
        assert job_graph.initial(system, 1).path == "results/own/checkpoints/base"
    assert [job_graph.lineage.reindexes(system, NAME) for system in ("own_rodr", "own_capot")] == [True, False]


def test_the_model_is_taken_as_it_is(job_graph):
    assert job_graph.lineage.scale.checkpoints["base"].form == "whole"
    assert lengths(job_graph.lineage, NAME) == dict.fromkeys(("query_length", "passage_length"), 64)


def test_several_models_have_systems_of_their_own_over_one_set_of_variations(data, tiny_model, tmp_path):
    compared = [models.find(str(tiny_model)), models.find(str(tiny_model), base="base_2")]
    experiment.write(tmp_path, compared, data, BY_CATEGORY, ["RR@10", "R@100"])
    job_graph = graph(load(HOUSE / "config", tmp_path), NAME)
    assert set(job_graph.demand.evaluated()) == {"own_bm25", "own", "own_hybrid", "own_2", "own_2_hybrid"}
    assert job_graph.model("own_2", 0).path == "results/own/checkpoints/base_2"
    kinds = ["original", "typo", "misspell", "swap_words"]
    assert job_graph.demand.evaluations("own_2") == {(NAME, "test"): (kinds, ["RR@10", "R@100"])}
    assert job_graph.lineage.recipe("own_hybrid").label == f"hybrid of BM25 and {tiny_model.name}"


def test_a_reranker_ranks_the_passages_of_the_first_model_again(data, tiny_model, cross, tmp_path):
    experiment.write(
        tmp_path, [models.find(str(tiny_model))], data, BY_CATEGORY, ["RR@10"], reranker=models.reranker(str(cross[0]))
    )
    job_graph = graph(load(HOUSE / "config", tmp_path), NAME)
    recipe = job_graph.lineage.recipe("own_reranked")
    assert recipe.label == f"{tiny_model.name}, reranked by {cross[0].name}"
    assert (recipe.candidates.system, recipe.candidates.depth, recipe.candidates.queries) == (NAME, 100, "own")
    assert (recipe.query_length, recipe.passage_length) == (16, 44)  # of 64, with 4 special tokens
    assert job_graph.model("own_reranked", 0).path == "results/own/checkpoints/reranker"
    run = job_graph.run("own_reranked", 0, (NAME, "test"), "typo")
    assert job_graph.run(NAME, 0, (NAME, "test"), "typo") in run.inputs["candidates"].nodes


def test_a_spell_checker_stands_before_bm25_and_the_first_model_whose_vectors_are_kept(data, tiny_model, tmp_path):
    compared = [models.find(str(tiny_model)), models.find(str(tiny_model), base="base_2")]
    experiment.write(tmp_path, compared, data, BY_CATEGORY, ["RR@10"], spell_checker=True)
    job_graph = graph(load(HOUSE / "config", tmp_path), NAME)
    checked = {"own_bm25_spell_checked": "own_bm25", "own_spell_checked": "own"}
    assert set(job_graph.demand.evaluated()) == {"own", "own_2", "own_hybrid", "own_2_hybrid", "own_bm25", *checked}
    for system, ranker in checked.items():
        recipe = job_graph.lineage.recipe(system)
        assert (recipe.kind, recipe.ranker, recipe.edits) == ("rewrite", ranker, 2)
    vector_paths = [
        job_graph.run(system, 0, (NAME, "test"), "typo").inputs["embeddings"].paths
        for system in (NAME, "own_spell_checked")
    ]
    assert vector_paths[0] and vector_paths[0] == vector_paths[1]
    with pytest.raises(UserError, match="--spell-checker: engine ran elsewhere"):
        ran = models.ranked(tmp_path, "engine")
        experiment.write(tmp_path, [ran], data, BY_CATEGORY, ["RR@10"], spell_checker=True)


def test_vectors_that_are_ranked_again_are_kept(data, tiny_model, tmp_path):
    for folder, keep in ((tmp_path / "kept", True), (tmp_path / "not", False)):
        model = models.find(str(tiny_model))
        experiment.write(folder, [model], data, BY_CATEGORY, ["RR@10"], keep_vectors=keep)
        job_graph = graph(load(HOUSE / "config", folder), NAME)
        ranking = job_graph.ranking_with(NAME, 0, (NAME, "test"), "typo")
        assert bool(ranking.inputs["embeddings"].paths) == keep
        kept = [ranking.path.replace(".arrow", ".queries.npy")] if keep else []
        assert [path for path in ranking.words if path.endswith(".npy") and "/runs/" in path] == kept


def test_misspellings_of_people_have_the_kinds_that_people_typed(data, tiny_model, tmp_path):
    experiment.write(tmp_path, [models.find(str(tiny_model))], data, {"misspelling": ["human_misspelling"]}, ["RR@10"])
    job_graph = graph(load(HOUSE / "config", tmp_path), NAME)
    words = job_graph.query_set((NAME, "test"), "human_misspelling").words
    assert '"variant": "people"' in words[words.index("--settings") + 1]


def test_what_a_server_has_is_asked_and_searched_without_a_checkpoint(data, tmp_path):
    model = models.served("http://localhost:1/v1/", "m", {"similarity": "dot", "key": "NAME"})
    experiment.write(tmp_path, [model], data, BY_CATEGORY, ["RR@10"])
    job_graph = graph(load(HOUSE / "config", tmp_path), NAME)
    settings = job_graph.run(NAME, 0, (NAME, "test"), "original").settings
    assert (settings.url, settings.model, settings.similarity) == ("http://localhost:1/v1", "m", "dot")
    assert not job_graph.lineage.scale.checkpoints and of_papers(job_graph, [NAME])
    with pytest.raises(UserError, match="--fix: m: its weights are not on this machine, so it cannot be trained"):
        experiment.write(tmp_path, [model], data, BY_CATEGORY, ["RR@10"], ["rodr"])


def test_kinds_are_mixed_and_each_ranks_in_its_way(data, tiny_model, tiny_transformer, tmp_path):
    """As `evaluate --models` writes them: two folders of other types, runs, and a server."""
    (tmp_path / "runs/own").mkdir(parents=True)
    for kind in ("original", "typo", "misspell", "swap_words"):
        (tmp_path / f"runs/own/test.{kind}.trec").write_text("test1 Q0 d1 1 1.0 engine\n")
    folders = [shapes.write(name, tiny_transformer, tmp_path / name) for name in ("SPLADE doc", "PyLate 1")]
    compared = [models.find(str(path), base=f"base_{n}") for n, path in enumerate([tiny_model, *folders])]
    compared += [models.ranked(tmp_path / "runs", "engine"), models.served("http://localhost:1", "m", {})]
    experiment.write(tmp_path / "config", compared, data, BY_CATEGORY, ["RR@10"])
    job_graph = graph(load(HOUSE / "config", tmp_path / "config"), NAME)
    assert [job_graph.lineage.kind(f"own_{n}").name for n in (2, 3, 4, 5)] == [
        "sparse", "late_interaction", "existing", "served",
    ]  # fmt: skip
    late = job_graph.run("own_3", 0, (NAME, "test"), "original")
    assert late.inputs["model"].paths == ["results/own/checkpoints/base_2"]
    assert (late.settings.query_length, late.settings.passage_length) == (12, 40)
    assert not job_graph.lineage.is_trained("own_2") and job_graph.lineage.seeds("own_2") == [0]
    assert job_graph.lineage.takes_checkpoint("own_2") and of_papers(job_graph, [NAME])
    with pytest.raises(UserError, match="--fix: SPLADE doc: sparse; allowed: a dual encoder"):
        experiment.write(tmp_path / "fix", compared[1:], data, BY_CATEGORY, ["RR@10"], ["rodr"])


def test_rules_alone_are_at_hand():
    """Neither the identity nor what a model makes, nor what a stand-in makes in place of one."""
    available = {name for names in experiment.available_variations().values() for name in names}
    assert {"typo", "misspell", "swap_words", "lemmatise"} <= available
    assert not available & {"original", "back_translation", "llm", "paraphrase_t5_paws", "released", "logged"}


def test_some_of_them(monkeypatch):
    assert experiment.choose_variations(["swap_words", "typo"]) == {"misspelling": ["typo"], "ordering": ["swap_words"]}
    of_papers = {name for names in experiment.choose_variations(["papers"]).values() for name in names}
    assert of_papers == {
        name for names in experiment.available_variations().values() for name in names if variations.kind(name).papers
    }
    assert experiment.choose_variations(["papers", "dropped_blank"])["misspelling"].count("dropped_blank") == 1
    assert experiment.choose_variations(["human_misspelling", "typo"]) == {"misspelling": ["human_misspelling", "typo"]}
    with pytest.raises(UserError, match=r"--variations: 'typos' is unknown \(did you mean typo"):
        experiment.choose_variations(["typos"])


@pytest.mark.parametrize(
    "language, missing",
    [
        ("en", {"t5_qqp_paraphrase", "swap_synonym_omw"}),
        ("de", {"t5_qqp_paraphrase", "phonetic_slip", "swap_synonym_wordnet", "swap_synonym_omw"}),
        ("ja", {*REALISTIC} - {"case_punctuation"}),
    ],
)
def test_realistic_variations_are_those_that_serve_the_language(language, missing):
    chosen = {name for names in experiment.choose_variations([], language).values() for name in names}
    assert chosen == {*REALISTIC} - missing
    assert {*REALISTIC} <= {*variations.names()}


def test_what_a_language_lacks_is_said():
    assert experiment.not_varied(experiment.choose_variations([]), "en") is None
    assert experiment.not_varied(experiment.choose_variations([], "th"), "th") == (
        "Thai queries are not varied by phonetic_slip, dropped_blank, no_stopwords, swap_words, swap_synonym_wordnet: "
        "these rules do not know the language"
    )


def test_a_wordnet_of_the_language_adds_synonyms(tmp_path, data):
    parameters = {"swap_synonym_omw": {"file": "wordnet", "sha256": "0"}}
    by_category = experiment.choose_variations([], "it", parameters)
    assert by_category["paraphrasing"] == ["swap_synonym_omw"]
    with pytest.raises(UserError, match="swap_synonym_omw: needs a wordnet; --wordnet names one"):
        experiment.choose_variations(["swap_synonym_omw"], "it")
    with pytest.raises(UserError, match="swap_synonym_omw: not for English queries"):
        experiment.choose_variations([], "en", parameters)
    experiment.write(
        tmp_path, [models.ranked(tmp_path, "a")], data, by_category, ["nDCG@10"], language="it", parameters=parameters
    )
    scale = yaml.safe_load((tmp_path / "scales/own.yaml").read_text())
    assert scale["variations"]["swap_synonym_omw"]["parameters"] == {"file": "wordnet", "sha256": "0", "language": "it"}
    assert scale["variations"]["swap_adjacent_key"]["parameters"] == {"language": "it"}
    assert scale["bm25"]["stemmer"] == "italian"


def test_paraphrases_need_a_model():
    chosen = experiment.choose_variations([], ready=["t5_qqp_paraphrase"])
    assert chosen["paraphrasing"] == ["swap_synonym_wordnet", "t5_qqp_paraphrase"]
    beside = experiment.choose_variations(["typo"], ready=["t5_qqp_paraphrase"])
    assert beside == {"misspelling": ["typo"], "paraphrasing": ["t5_qqp_paraphrase"]}
    with pytest.raises(UserError, match="t5_qqp_paraphrase: needs a model; --paraphraser names one"):
        experiment.choose_variations(["t5_qqp_paraphrase"])


def test_the_files_are_laid_over_the_project_s_with_its_schemas(job_graph, data):
    folder = job_graph.lineage.config.folders[NAME].parents[1]
    config = yaml.safe_load((folder / "config.yaml").read_text())
    assert config == {"scale": NAME, "papers": [NAME], "overlay": str(folder)}
    assert job_graph.lineage.config.collections[NAME]["corpus"] == str(data.corpus)
