"""The keys of tables, walked: each setting, module, package and input is changed; a key moves if its bytes could.

`pytest -s tests/test_keys.py` prints how many were changed and how many moved a key.
"""

import copy
from pathlib import Path

import pytest

from robustdr import variations
from robustdr.core.processor import native
from robustdr.experiments.config import load
from robustdr.graph.plan import Plan
from robustdr.keys import provenance
from robustdr.keys.provenance import Code
from robustdr.stages import STAGES

ROOT = Path(__file__).parents[2]
# Names of settings that decide no byte of a cell: texts for people, where and how often a job saves or asks, and what
# says which cells there are rather than what is in them.
WITHOUT_EFFECT = {
    "description", "licence", "url", "miniature", "label", "reported", "paper",
    "checkpoint_every", "unavailable", "seeds",
}  # fmt: skip


@pytest.fixture(scope="module")
def config():
    """As it is, and in one of its tables a system that a reranker teaches."""
    made = load(ROOT / "config")
    taught = {**made.systems["rodr"], "teacher": "mono_bert", "loss": {"name": "distillation", "alpha": 0.2}}
    made.systems["taught"] = taught
    made.papers["qvg"]["tables"]["table4"]["systems"].append("taught")
    return made


def table_keys(config):
    """What the tables of the miniature expect of every measures file, by its path."""
    plan = Plan(config, "mini")
    return plan.measures(pair for paper in config.papers for pair in plan.pairs(paper))


def leaves(tree, path=()):
    """Every single value of a tree, with the keys that lead to it."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield from leaves(value, (*path, name))
    elif isinstance(tree, list):
        for number, value in enumerate(tree):
            yield from leaves(value, (*path, number))
    else:
        yield path, tree


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


def other(path, value):
    """A value of the same type that is allowed there too; None where there is no such value."""
    name = next(part for part in reversed(path) if isinstance(part, str))
    if path[-2:] == ("embeddings", "precision"):  # of what is stored
        return "float16"
    if path[-2:] in NAMED:
        return NAMED[path[-2:]].get(value)
    if name == "form":
        return {"static": "seq2seq", "seq2seq": "static", "character": "encoder"}[value]
    if name in OTHERS:
        return OTHERS[name] if OTHERS[name] != value else None
    if isinstance(value, bool):
        return not value
    if name == "depth":  # negatives come from no deeper than runs go
        return value - 1
    if isinstance(value, int | float):
        return value + 1
    return (
        f"{value}0" if name in ("sha256", "description", "miniature", "licence", "url", "label", "revision") else None
    )


def changed(config, path, value):
    """The configuration with another value at the end of the path; what lies beside the path is shared."""
    made = copy.copy(config)
    place = vars(made)
    for name in path[:-1]:
        place[name] = copy.copy(place[name])
        place = place[name]
    place[path[-1]] = value
    return made


@pytest.mark.slow
def test_every_setting_that_decides_bytes_moves_a_key_and_no_other_does(config):
    """Those of the scale, and of the recipes and collections behind it."""
    before = table_keys(config)
    plan = Plan(config, "mini")
    systems = {name.partition(".")[0] for name in plan.behind(config.papers)}
    used = {
        "budgets": {config.systems[name]["budget"] for name in systems if "budget" in config.systems[name]},
        "checkpoints": {plan.checkpoint_of(name) for name in systems if "initial" in config.systems[name]},
    }
    walked, moved, wrong = 0, 0, []
    places = [("scales", "mini", *path) for path, _ in leaves(config.scales["mini"])]
    places += [("systems", name, *path) for name in sorted(systems) for path, _ in leaves(config.systems[name])]
    places += [("collections", name, *path) for name in ("wordnet-mini", "wordnet-verbs")
               for path, _ in leaves(config.collections[name])]  # fmt: skip
    for path in places:
        value = vars(config)
        for name in path:
            value = value[name]
        replaced = other(path, value)
        if replaced is None or path[:3] in {("scales", "mini", "collections"), ("scales", "mini", "measures")}:
            continue
        after = table_keys(changed(config, path, replaced))
        moves = {name: after.get(name) for name in before} != before
        names = {part for part in path if isinstance(part, str)}
        idle = len(path) > 3 and path[2] in used and path[3] not in used[path[2]]
        if path[2:3] == ("candidates",):  # of a teacher, which ranks nothing, or of a system that ranks originals alone
            ranked = {kind for kinds, _ in plan.evaluations(path[1]).values() for kind in kinds}
            idle = not ranked or (path[3] == "queries" and ranked == {"original"})
        expected = not names & WITHOUT_EFFECT and not idle
        walked, moved = walked + 1, moved + moves
        if moves != expected:
            wrong.append(".".join(map(str, path)))
    print(f"settings: {walked} changed, {moved} moved a key")
    assert not wrong


def swapped(config, one, other):
    """The configuration where two variations of the miniature trade what makes them."""
    entries = config.scales["mini"]["variations"]
    of_one, of_other = ({"generator": name, **entries.get(name, {})} for name in (one, other))
    return changed(config, ("scales", "mini", "variations"), {**entries, one: of_other, other: of_one})


def turned(config, system):
    """The configuration with the variations of a recipe in another order."""
    return changed(config, ("systems", system, "variations"), config.systems[system]["variations"][::-1])


def ordered(config):
    """The trained systems with several variations, and whether the training file has them in their order."""
    plan = Plan(config, "mini")
    trained = [name for name in config.systems if not plan.why_not(name) and plan.is_trained(name)]
    several = [name for name in trained if len(plan.training_variations(name)) > 1]
    return {name: plan.training_data_settings(name).assign != "one" for name in several}


def test_the_order_of_variations_moves_the_keys_of_training_files_that_keep_it(config):
    assert {"st", "da_nq", "capot_nq", "aligned"} <= {name for name, counts in ordered(config).items() if counts}
    plan, found = Plan(config, "mini"), {}
    for system in ordered(config):
        before, after = (made.training_data_key(system, 1) for made in (plan, Plan(turned(config, system), "mini")))
        found[system] = before != after
    assert found == ordered(config)


def test_two_variations_that_trade_their_contents_move_the_measures(config):
    before, after = (
        Plan(made, "mini").measures_key("rodr", 1, "wordnet-mini")
        for made in (config, swapped(config, "misspell", "swap_words"))
    )
    assert before != after


@pytest.mark.slow
def test_the_order_of_variations_and_who_is_which_moves_the_keys_of_tables(config):
    before, plan = table_keys(config), Plan(config, "mini")
    shown = {kind for kinds in plan.varied(config.papers).values() for kind in kinds}
    told = {kind.partition(".")[0] for kind in shown if "." in kind}  # their names say parameters that others lack
    alone = sorted((shown & set(variations.names())) - told - plan.versioned().keys())
    made = {name: plan.variation_key("wordnet-mini", "dev", name) for name in alone}
    pairs = [pair for pair in zip(alone[::2], alone[1::2], strict=False) if made[pair[0]] != made[pair[1]]]
    assert len(pairs) > 10
    assert not [pair for pair in pairs if table_keys(swapped(config, *pair)) == before]
    behind = {name.partition(".")[0] for name in plan.behind(config.papers)}
    turns = {name: counts for name, counts in ordered(config).items() if name in behind}
    assert {name: table_keys(turned(config, name)) != before for name in turns} == turns


@pytest.fixture()
def fresh():
    """Forget what was read of the package."""
    yield
    provenance._reached.cache_clear()


def stage_keys():
    """The key of every stage's code and packages."""
    return {name: provenance.key(Code([stage.function.__name__]), None, {}) for name, stage in STAGES.items()}


def test_every_module_moves_the_keys_of_the_stages_that_import_it(tmp_path, monkeypatch, fresh):
    """Which stages import it is found out by importing, in test_run.py; here that nothing else moves."""
    copied = tmp_path / "robustdr"
    for path in provenance.PACKAGE.rglob("*.py"):
        made = copied / path.relative_to(provenance.PACKAGE)
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    parts = {name: set(provenance.modules(stage.function.__name__)) for name, stage in STAGES.items()}
    monkeypatch.setattr(provenance, "PACKAGE", copied)
    provenance._reached.cache_clear()
    before, moved = stage_keys(), 0
    for path in sorted(copied.rglob("*.py")):
        module = ".".join(path.relative_to(tmp_path).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n_CHANGED = 1\n", encoding="utf-8")
        provenance._reached.cache_clear()
        after = stage_keys()
        path.write_text(text, encoding="utf-8")
        found = {name for name in before if after[name] != before[name]}
        assert found == {name for name in parts if module in parts[name]}, module
        moved += bool(found)
    print(f"modules: {len(list(copied.rglob('*.py')))} changed, {moved} moved a key")


def test_every_pin_moves_the_keys_of_the_stages_that_need_it(monkeypatch, fresh):
    before, real = stage_keys(), provenance.lock()
    needed = {name: set(provenance.packages(Code([stage.function.__name__]))) for name, stage in STAGES.items()}
    moved = 0
    for pin, (version, via) in real.items():
        monkeypatch.setattr(
            provenance, "lock", lambda pin=pin, version=version, via=via: {**real, pin: (f"{version}.1", via)}
        )
        after = stage_keys()
        found = {name for name in before if after[name] != before[name]}
        assert found == {name for name in needed if pin in needed[name]}, pin
        moved += bool(found)
    print(f"pins: {len(real)} changed, {moved} moved a key")
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
    made = copy.deepcopy(config)
    split = {"queries": str(tmp_path / "queries.tsv"), "qrels": str(tmp_path / "qrels.txt")}
    made.collections["wordnet-verbs"] = {
        "kind": "local",
        "corpus": str(tmp_path / "corpus.tsv"),
        "splits": dict.fromkeys(made.collections["wordnet-verbs"]["splits"], split),
    }
    scale = made.scales["mini"]
    scale["checkpoints"]["base"] = {
        "description": "",
        "source": {"path": str(tmp_path / "checkpoint")},
        "pooling": "cls",
    }
    model = {"engine": "t5", "model": str(tmp_path / "model")}
    scale["variations"]["t5_qqp_paraphrase"] = {"parameters": model}
    return made


@pytest.mark.parametrize(
    "name", ["corpus.tsv", "queries.tsv", "qrels.txt", "checkpoint/model.safetensors", "checkpoint/tokenizer.json",
             "model/model.safetensors", "model/tokenizer.json"]
)  # fmt: skip
def test_every_input_of_the_user_s_moves_the_keys_of_what_reads_it(local, tmp_path, name):
    before = table_keys(local)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b"\n")
    after = table_keys(local)
    found = {path.split("/")[3] for path in before if after[path] != before[path]}
    assert "wordnet-verbs" in found
    # The checkpoint is behind what other collections are searched with, the paraphrases are of TREC-DL's queries too.
    assert (found == {"wordnet-verbs"}) == (not name.startswith(("checkpoint", "model")))


def test_touching_an_input_moves_no_key(local, tmp_path):
    before = table_keys(local)
    for path in tmp_path.rglob("*"):
        path.touch()
    assert table_keys(local) == before
