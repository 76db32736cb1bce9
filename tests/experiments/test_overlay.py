"""A folder over the configuration: what it adds and replaces, where its paths start, what a target then needs."""

import copy
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from tests.planned import measures

from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.graph import tables
from robustdr.graph.banner import banner
from robustdr.graph.graph import graph, graphs
from robustdr.graph.tables import table_settings

ROOT = Path(__file__).parents[2]
SPLIT = {"queries": "mine/queries.tsv", "qrels": "mine/qrels.txt"}
COLLECTIONS = {"mine": {"kind": "local", "corpus": "mine/corpus.tsv", "splits": {"dev": SPLIT, "train": SPLIT}}}
CHECKPOINT = {"description": "Mine", "source": {"path": "model"}, "pooling": "mean"}
MINI = yaml.safe_load((ROOT / "config/scales/mini.yaml").read_text(encoding="utf-8"))
SCALE = {
    **{key: MINI[key] for key in ("seeds", "variation_seed", "threads", "precision", "bm25", "measures")},
    **{key: MINI[key] for key in ("retrieval", "embeddings", "variations")},
    "negatives": {"depth": 50, "keep": 8},
    "description": "One role bound to a collection, one to a split of it",
    "collections": {"msmarco-passage": "mine", "mine": {"collection": "mine", "split": "dev"}},
    "checkpoints": {"base": CHECKPOINT},
    "budgets": {"passage": MINI["budgets"]["passage"]},
}
EXPERIMENT = {
    "title": "Mine",
    "reference": "none",
    "seeds": [1],
    "evaluation": {"mine": {"split": "test", "variations": ["typo"], "measures": ["RR@10"]}},
    "systems": {
        "my_words": {"label": "Words", "kind": "bm25"},
        "my_model": {"label": "Model", "initial": "base", "query_length": 20, "passage_length": 100},
    },
    "tables": {
        "table1": {"title": "T", "rows": "query_sets", "collections": ["mine"], "systems": ["my_words", "my_model"]}
    },
}
PARTS = {"collections.yaml": COLLECTIONS, "scales/mine.yaml": SCALE, "papers/mine/experiment.yaml": EXPERIMENT}


def write_parts(folder, parts):
    for name, tree in parts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = yaml.safe_dump(copy.deepcopy(tree), sort_keys=False)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def overlay(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("overlay"), PARTS)


@pytest.fixture(scope="module")
def config(overlay):
    return load(ROOT / "config", overlay)


@pytest.fixture(scope="module")
def job_graph(config):
    return graphs(config)["results/mine"]


def test_a_private_scale_plans_its_own_table(job_graph, overlay):
    settings = table_settings(job_graph, "mine", "table1")
    assert settings.command == f"snakemake --config overlay={overlay} -- results/mine/tables/mine_table1.md"
    assert list(settings.keys) == [
        "results/mine/measures/mine/my_words/seed0/dev.original.parquet",
        "results/mine/measures/mine/my_model/seed0/dev.original.parquet",
    ]


def test_a_role_is_bound_to_a_split_of_a_collection(job_graph):
    """The experiment says `test`, which the collection has not."""
    assert job_graph.demand.evaluations("my_words") == {("mine", "dev"): (["original", "typo"], ["RR@10"])}
    assert table_settings(job_graph, "mine", "table1").evaluation["mine"]["split"] == "dev"


def test_a_checkpoint_that_is_not_trained_states_its_lengths(job_graph):
    assert job_graph.run("my_model", 0, ("mine", "dev"), "original").settings.passage_length == 100
    assert job_graph.vectors("my_model", 0, "mine", 0).settings.passage_length == 100


def test_what_a_scale_lacks_is_an_error_of_the_target_that_needs_it(job_graph, overlay):
    """rodr's Table 2 has roles that are bound, but systems whose budgets are not; its Table 4 has another role."""
    for table, key in (("table2", "budgets.passage-second-stage"), ("table4", "collections.antique")):
        with pytest.raises(UserError) as caught:
            table_settings(job_graph, "rodr", table)
        needs = f"results/mine/tables/rodr_{table}.md needs it"
        assert str(caught.value) == f"{overlay}/scales/mine.yaml: {key}: missing; {needs}"
    evaluated = job_graph.demand.evaluated()
    assert "dr_oq" in evaluated and "rodr" not in evaluated  # what is bound is planned all the same


def test_the_project_s_own_keys_stay(config):
    """Neither a collection, a scale nor a paper of an overlay moves a key of another one."""
    without_overlay, laid_over = graph(load(ROOT / "config"), "mini"), graph(config, "mini")
    for system, collection in (("rodr", "wordnet-mini"), ("bm25", "wordnet-mini"), ("capot_nq", "wordnet-nature")):
        seed = without_overlay.lineage.seeds(system)[0]
        first, second = (measures(job_graph, system, seed, collection) for job_graph in (without_overlay, laid_over))
        assert first and [node.key for node in first] == [node.key for node in second]


def test_paths_start_at_the_overlay(config, overlay):
    assert config.collections["mine"]["corpus"] == str(overlay / "mine/corpus.tsv")
    assert config.collections["mine"]["splits"]["dev"] == {key: str(overlay / path) for key, path in SPLIT.items()}
    assert config.scales["mine"].checkpoints["base"].source == {"path": str(overlay / "model")}
    assert config.collections["wordnet-mini"] == load(ROOT / "config").collections["wordnet-mini"]


def test_every_kind_of_path_is_placed(tmp_path):
    digest = "0" * 64
    questions = {"kind": "questions", "path": "q.parquet", "question": "q", "answers": "a"}
    lines = {"questions": {"path": "q.txt"}, "passages": {"path": "/elsewhere/p.txt"}}
    parts = {
        "beirs": {"kind": "beir", "folder": "/elsewhere", "splits": {"test": {}}, "sha256": {"/elsewhere/x": digest}},
        "locals": {"kind": "local", "corpus": "c.tsv", "sha256": {"c.tsv": digest}, "splits": {"test": questions}},
        "lines": {"kind": "aligned", "splits": {"test": lines}},
        "faqs": {"kind": "faq", "pairs": {"path": "f.jsonl"}, "splits": {"test": {"topics": [0, 1]}}},
    }
    collections = load(ROOT / "config", write_parts(tmp_path, {"collections.yaml": parts})).collections
    assert collections["beirs"] == parts["beirs"]  # what is absolute stays
    assert collections["locals"] == {
        "kind": "local",
        "corpus": f"{tmp_path}/c.tsv",
        "sha256": {f"{tmp_path}/c.tsv": digest},
        "splits": {"test": {**questions, "path": f"{tmp_path}/q.parquet"}},
    }
    assert collections["lines"]["splits"]["test"] == {**lines, "questions": {"path": f"{tmp_path}/q.txt"}}
    assert collections["faqs"]["pairs"] == {"path": f"{tmp_path}/f.jsonl"}


def test_an_entry_replaces_another_of_its_name_as_a_whole(tmp_path):
    parts = {"collections.yaml": {"wordnet-typos": COLLECTIONS["mine"] | {"splits": {"test": SPLIT}}}}
    entry = load(ROOT / "config", write_parts(tmp_path, parts)).collections["wordnet-typos"]
    assert entry.keys() == {"kind", "corpus", "splits"}  # nothing of the project's own entry is left in it


MISTAKES = {
    "scales/mine.yaml": (("collections", "mine", "split"), "tset", "collections.mine.split: 'tset' is unknown"),
    "papers/mine/experiment.yaml": (("systems", "my_model", "budget"), "passage", "systems.my_model.passage_length: "),
    "collections.yaml": (("mine", "corpsu"), "c.tsv", "mine: key: 'corpsu' is unknown"),
}


@pytest.mark.parametrize("file", MISTAKES)
def test_a_mistake_is_named_in_the_overlay_s_own_file(tmp_path, file):
    (*path, last), value, message = MISTAKES[file]
    parts = copy.deepcopy(PARTS)
    place = parts[file]
    for key in path:
        place = place[key]
    place[last] = value
    with pytest.raises(UserError) as caught:
        load(ROOT / "config", write_parts(tmp_path, parts))
    name, line, rest = str(caught.value).split(":", 2)
    assert name == f"{tmp_path}/{file}" and line.isdigit() and rest.strip().startswith(message), str(caught.value)


@pytest.mark.parametrize(
    "system", [{"label": "M", "initial": "base"}, {"label": "M", "initial": "base", "query_length": 9}]
)
def test_a_system_without_lengths_or_a_budget(tmp_path, system):
    parts = copy.deepcopy(PARTS)
    parts["papers/mine/experiment.yaml"]["systems"]["my_model"] = system
    with pytest.raises(UserError, match=r"systems\.my_model\.(budget|passage_length): missing"):
        load(ROOT / "config", write_parts(tmp_path, parts))


def test_a_folder_with_nothing_to_lay_over(tmp_path):
    with pytest.raises(
        UserError, match=f"overlay: {tmp_path}: nothing to lay over .*config; allowed: collections.yaml"
    ):
        load(ROOT / "config", tmp_path)


def test_a_paper_needs_no_claims(config, job_graph):
    assert config.claims["mine"].claims == [] and tables.claims(job_graph, "mine", ("mine",)).settings.keys


def test_another_split_moves_no_key_of_the_others(config):
    """Nor does it move that of the corpus, or of anything that is trained on the collection."""
    splits = {**config.collections["mine"]["splits"], "test": {"queries": "/q.tsv", "qrels": "/r.txt"}}
    collections = {**config.collections, "mine": {**config.collections["mine"], "splits": splits}}
    first_graph, second_graph = graph(config, "mine"), graph(replace(config, collections=collections), "mine")
    assert first_graph.corpus("mine").key == second_graph.corpus("mine").key
    assert first_graph.split(("mine", "dev")).key == second_graph.split(("mine", "dev")).key
    assert first_graph.model("dr_oq", 1).key == second_graph.model("dr_oq", 1).key
    first, second = (measures(job_graph, "my_model", 0, "mine") for job_graph in (first_graph, second_graph))
    assert [node.key for node in first] == [node.key for node in second]
    assert second_graph.split(("mine", "test")).key != second_graph.split(("mine", "dev")).key


def test_a_banner_is_that_of_the_collections_that_are_shown(tmp_path):
    roles = SCALE["collections"] | {"msmarco-passage": "wordnet-mini"}
    scale = {**SCALE, "miniature": "Toys.", "collections": roles}
    job_graph = graph(load(ROOT / "config", write_parts(tmp_path, PARTS | {"scales/mine.yaml": scale})), "mine")
    mine, stands_in = [("my_model", "mine")], [("bm25", "msmarco-passage")]
    assert banner(job_graph.lineage, mine) == "" and banner(job_graph.lineage, mine + stands_in).startswith(
        "Toys. Amounts: "
    )
    assert table_settings(job_graph, "mine", "table1").miniature == ""
