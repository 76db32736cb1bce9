"""The keys of tables, walked: each setting, module, package and input is changed; a key moves if its bytes could.

`pytest -s tests/keys/test_keys.py` prints how many were changed and how many moved a key.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError
from tests.changes import at, changed, leaves
from tests.keys.caches import forget, forget_texts
from tests.planned import measures, of_papers, paths_behind

from robustdr import variations
from robustdr.core.processor import native
from robustdr.experiments.config import load
from robustdr.experiments.models import Checkpoint, ScaleVariation
from robustdr.graph import demand
from robustdr.graph.demand import Demand
from robustdr.graph.graph import Graph, graph
from robustdr.graph.lineage import Lineage
from robustdr.keys import provenance
from robustdr.keys.provenance import Code
from robustdr.stages.__main__ import all_stages

STAGES = all_stages()
ROOT = Path(__file__).parents[2]
# Names of settings that decide no byte of a cell: texts for people, where and how often a job saves or asks, how many
# processes prepare batches, and what says which cells there are rather than what is in them.
WITHOUT_EFFECT = {
    "description", "licence", "url", "miniature", "label", "reported", "paper",
    "checkpoint_every", "workers", "unavailable", "seeds",
}  # fmt: skip


@pytest.fixture(scope="module")
def config():
    """As it is, and in one of its tables a system that a reranker teaches."""
    config = load(ROOT / "config")
    loss = {"name": "distillation", "alpha": 0.2}
    config = changed(config, "systems", "taught", replace(config.systems["rodr"], teacher="mono_bert", loss=loss))
    config = changed(config, "papers", "rodr", "systems", "taught", {})  # who declares it
    systems = config.papers["qvg"].tables["table4"].systems
    return changed(config, "papers", "qvg", "tables", "table4", "systems", (*systems, "taught"))


def forget_graphs():
    """Forget all graphs: what they found out stays in memory as long as the process, and the walk makes hundreds."""
    for part in (*Graph.__mro__, Lineage, Demand):
        for method in vars(part).values():
            if hasattr(method, "cache_clear"):
                method.cache_clear()
    demand._pairs.cache_clear()


def table_keys(config):
    """What the tables of the miniature expect of every measures file, by its path."""
    forget_graphs()
    job_graph = graph(config, "mini")
    return {node.path: node.key for node in of_papers(job_graph, config.papers)}


OTHERS = {
    "pooling": "cls",
    "precision": "bfloat16" if native() == "float32" else "float32",
    "stemmer": "german",
    "stopwords": "en",
    "encoders": "separate",
    "factory": "IVF4,Flat",
}
# What a reranker's recipe and a checkpoint name, by the two last keys and the value.
NAMED = {
    ("candidates", "system"): {"bm25_terrier": "rm3"},
    ("candidates", "queries"): {"own": "original", "original": "own"},
    ("ranker", "name"): {"knrm": "conv_knrm", "conv_knrm": "knrm", "mono_bert": "epic", "epic": "mono_bert"},
    ("loss", "name"): {"pairwise": "lce", "lce": "pairwise"},
}


def another_value(path, value):
    """A value of the same type that is allowed there too; None where there is no such value."""
    name = next(part for part in reversed(path) if isinstance(part, str))
    if path[-2:] == ("embeddings", "precision"):  # of what is stored
        return "float16"
    if path[-2:] in NAMED:
        return NAMED[path[-2:]].get(value)
    if name == "form":
        return {"static": "seq2seq", "seq2seq": "static", "character": "encoder", "encoder": "character"}[value]
    if name in OTHERS:
        return OTHERS[name] if OTHERS[name] != value else None
    if isinstance(value, bool):
        return not value
    if name == "depth":  # negatives come from no deeper than runs go
        return value - 1
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):  # a share is at most 1
        return value / 2 or 0.5
    if name in ("sha256", "revision"):
        return value[::-1]
    return f"{value}0" if name in ("description", "miniature", "licence", "url", "label") else None


def systems_behind(job_graph, papers):
    """The systems that papers show and that can be made, with what they are made from."""
    lineage, systems, left = (
        job_graph.lineage,
        set(),
        [name for paper in papers for name, _ in job_graph.demand.cells(paper)],
    )
    while left:
        if (name := left.pop()) not in systems and not lineage.unavailable(name):
            systems.add(name)
            left += lineage.parents(name)
    return systems


# Keys that only some forms of a checkpoint or kinds of recipes have: elsewhere the configuration refuses another value.
OF_SOME = {"random_weights", "hashed", "filters", "pooling", "form", "encoders", "segments", "unit"}


@pytest.mark.slow
def test_every_setting_that_decides_bytes_moves_a_key_and_no_other_does(config):
    """Those of the scale, and of the recipes and collections behind it."""
    before, job_graph = table_keys(config), graph(config, "mini")
    lineage = job_graph.lineage
    systems = {name.partition(".")[0] for name in systems_behind(job_graph, config.papers)}
    recipes = {name: config.systems[name] for name in systems}
    used = {
        "budgets": {recipe.budget for recipe in recipes.values() if getattr(recipe, "budget", None)},
        "checkpoints": {lineage.checkpoint_of(name) for name in systems if lineage.starts_from(name)},
    }
    walked, moved_count, wrong, refused = 0, 0, [], set()
    places = [("scales", "mini", *path) for path, _ in leaves(config.scales["mini"])]
    places += [("systems", name, *path) for name in sorted(systems) for path, _ in leaves(recipes[name])]
    places += [("collections", name, *path) for name in ("wordnet-mini", "wordnet-verbs")
               for path, _ in leaves(config.collections[name])]  # fmt: skip
    for path in places:
        replaced = another_value(path, at(config, path))
        if replaced is None or path[:3] in {("scales", "mini", "collections"), ("scales", "mini", "measures")}:
            continue
        try:
            edited = changed(config, *path, replaced)
        except ValidationError:
            refused |= {next(part for part in reversed(path) if isinstance(part, str))}
            continue
        after = table_keys(edited)
        moves = {name: after.get(name) for name in before} != before
        names = {part for part in path if isinstance(part, str)}
        idle = len(path) > 3 and path[2] in used and path[3] not in used[path[2]]
        if path[2:3] == ("candidates",):  # of a teacher, which ranks nothing, or of a system that ranks originals alone
            ranked = {name for names, _ in job_graph.demand.evaluations(path[1]).values() for name in names}
            idle = not ranked or (path[3] == "queries" and ranked == {"original"})
        idle |= path[2] == "variations" and path[-1] == "devices"  # GPUs of a scale with a GPU
        expected = not names & WITHOUT_EFFECT and not idle
        walked, moved_count = walked + 1, moved_count + moves
        if moves != expected:
            wrong.append(".".join(map(str, path)))
    print(f"settings: {walked} changed, {moved_count} moved a key")
    assert (wrong, sorted(refused - OF_SOME)) == ([], [])


def swapped(config, first, second):
    """The configuration where two variations of the miniature trade what makes them."""
    entries = config.scales["mini"].variations
    made_by = {name: replace(entries.get(name, ScaleVariation()), generator=name) for name in (first, second)}
    return changed(config, "scales", "mini", "variations", {**entries, first: made_by[second], second: made_by[first]})


def turned(config, system):
    """The configuration with the variations of a recipe in another order."""
    return changed(config, "systems", system, "variations", config.systems[system].variations[::-1])


def ordered(config):
    """The trained systems with several variations, and whether the training file has them in their order."""
    job_graph = graph(config, "mini")
    trained = [
        name
        for name in config.systems
        if not job_graph.lineage.unavailable(name) and job_graph.lineage.is_trained(name)
    ]
    several = [
        name
        for name in trained
        if len(config.systems[name].variations) > 1 < len(job_graph.demand.training_variations(name))
    ]
    return {name: job_graph.training_data_settings(name).assign != "one" for name in several}


def test_the_order_of_variations_moves_the_keys_of_training_files_that_keep_it(config):
    assert {"st", "da_nq", "capot_nq", "aligned"} <= {name for name, counts in ordered(config).items() if counts}
    before, moves = graph(config, "mini"), {}
    for system in ordered(config):
        after = graph(turned(config, system), "mini")
        moves[system] = before.training_data(system, 1).key != after.training_data(system, 1).key
    assert moves == ordered(config)


def test_two_variations_that_trade_their_contents_move_the_measures(config):
    before, after = (
        [node.key for node in measures(graph(configuration, "mini"), "rodr", 1, "wordnet-mini")]
        for configuration in (config, swapped(config, "misspell", "swap_words"))
    )
    assert before != after


@pytest.mark.slow
def test_the_order_of_variations_and_who_is_which_moves_the_keys_of_tables(config):
    before, job_graph = table_keys(config), graph(config, "mini")
    evaluated = {Path(path).name.removesuffix(".tsv") for path in paths_behind(job_graph, config.papers, "vary")}
    with_parameters = {
        name.partition(".")[0] for name in evaluated if "." in name
    }  # their names say parameters that others lack
    without_parameters = sorted((evaluated & set(variations.names())) - with_parameters - job_graph.versions().keys())
    keys = {name: job_graph.query_set(("wordnet-mini", "dev"), name).key for name in without_parameters}
    pairs = [
        pair
        for pair in zip(without_parameters[::2], without_parameters[1::2], strict=False)
        if keys[pair[0]] != keys[pair[1]]
    ]
    assert len(pairs) > 10
    assert not [pair for pair in pairs if table_keys(swapped(config, *pair)) == before]
    systems = {name.partition(".")[0] for name in systems_behind(job_graph, config.papers)}
    turns = {name: counts for name, counts in ordered(config).items() if name in systems}
    assert {name: table_keys(turned(config, name)) != before for name in turns} == turns


@pytest.fixture()
def fresh():
    """Forget what was read of the package."""
    yield
    forget()


def stage_keys():
    """The key of every stage's code and packages."""
    return {name: provenance.key(Code([stage.function.__name__]), None, {}) for name, stage in STAGES.items()}


def test_every_module_moves_the_keys_of_the_stages_that_import_it(tmp_path, monkeypatch, fresh):
    """Which stages import it is found out by importing, in test_run.py; here that nothing else moves."""
    copied = tmp_path / "robustdr"
    for path in provenance.PACKAGE.rglob("*.py"):
        copy = copied / path.relative_to(provenance.PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    parts = {name: set(provenance.modules(stage.function.__name__)) for name, stage in STAGES.items()}
    monkeypatch.setattr(provenance, "PACKAGE", copied)
    forget()
    before, moved_count = stage_keys(), 0
    for path in sorted(copied.rglob("*.py")):
        module = ".".join(path.relative_to(tmp_path).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n_CHANGED = 1\n", encoding="utf-8")
        forget_texts()
        after = stage_keys()
        path.write_text(text, encoding="utf-8")
        moved_stages = {name for name in before if after[name] != before[name]}
        assert moved_stages == {name for name in parts if module in parts[name]}, module
        moved_count += bool(moved_stages)
    print(f"modules: {len(list(copied.rglob('*.py')))} changed, {moved_count} moved a key")


def test_every_pin_moves_the_keys_of_the_stages_that_need_it(monkeypatch, fresh):
    before, real = stage_keys(), provenance.lock()
    needed = {name: set(provenance.packages(Code([stage.function.__name__]))) for name, stage in STAGES.items()}
    moved_count = 0
    for pin, (version, via) in real.items():
        monkeypatch.setattr(
            provenance, "lock", lambda pin=pin, version=version, via=via: {**real, pin: (f"{version}.1", via)}
        )
        provenance._made_of.cache_clear()
        after = stage_keys()
        moved_stages = {name for name in before if after[name] != before[name]}
        assert moved_stages == {name for name in needed if pin in needed[name]}, pin
        moved_count += bool(moved_stages)
    print(f"pins: {len(real)} changed, {moved_count} moved a key")
    assert {"numpy", "pystemmer", "pyyaml"} <= set(provenance.packages(Code(["robustdr.retrieval.bm25"]))) and {
        "tokenizers",
        "numpy",
        "torch",
    } <= needed["train"]


# What was proven to pass unnoticed: (stage, package) pairs that a review found.
HOLES = [
    ("robustdr.variations.morphology", "spacy"),
    ("robustdr.variations.seq2seq", "sentencepiece"),
    ("robustdr.collections.irds", "ir-datasets"),
    ("robustdr.retrieval.bm25", "pystemmer"),
    ("train", "tokenizers"),
    ("evaluate", "numpy"),
]


@pytest.mark.parametrize("code, package", HOLES)
def test_packages_that_once_passed_unnoticed(code, package):
    assert package in provenance.packages(Code([code]))


@pytest.fixture()
def local(config, tmp_path):
    """A configuration with files of the user's behind a role, a checkpoint and a generator's model."""
    (tmp_path / "corpus.tsv").write_text("d1\tgold\n")
    (tmp_path / "queries.tsv").write_text("q1\twhat is gold\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    for folder in ("checkpoint", "model"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "model.safetensors").write_bytes(b"weights")
        (tmp_path / folder / "tokenizer.json").write_text("{}")
    split = {"queries": str(tmp_path / "queries.tsv"), "qrels": str(tmp_path / "qrels.txt")}
    splits = dict.fromkeys(config.collections["wordnet-verbs"]["splits"], split)
    collection = {"kind": "local", "corpus": str(tmp_path / "corpus.tsv"), "splits": splits}
    configuration = changed(config, "collections", "wordnet-verbs", collection)
    checkpoint = Checkpoint(description="", source={"path": str(tmp_path / "checkpoint")}, pooling="cls")
    configuration = changed(configuration, "scales", "mini", "checkpoints", "base", checkpoint)
    model = ScaleVariation(parameters={"engine": "t5", "model": str(tmp_path / "model")})
    return changed(configuration, "scales", "mini", "variations", "t5_qqp_paraphrase", model)


@pytest.mark.parametrize(
    "name", ["corpus.tsv", "queries.tsv", "qrels.txt", "checkpoint/model.safetensors", "checkpoint/tokenizer.json",
             "model/model.safetensors", "model/tokenizer.json"]
)  # fmt: skip
def test_every_input_of_the_user_s_moves_the_keys_of_what_reads_it(local, tmp_path, name):
    before = table_keys(local)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b"\n")
    after = table_keys(local)
    moved_collections = {path.split("/")[3] for path in before if after[path] != before[path]}
    assert "wordnet-verbs" in moved_collections
    # The checkpoint is behind what other collections are searched with, the paraphrases are of TREC-DL's queries too.
    assert (moved_collections == {"wordnet-verbs"}) == (not name.startswith(("checkpoint", "model")))


def test_touching_an_input_moves_no_key(local, tmp_path):
    before = table_keys(local)
    for path in tmp_path.rglob("*"):
        path.touch()
    assert table_keys(local) == before
