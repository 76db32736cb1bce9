"""What the rankers over word vectors share: words, batches, directories, what is refused."""

import json
import random
import shutil
from dataclasses import asdict

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from rankers.word_vectors import PAIRS, VECTORS
from robustdr.core.errors import UserError
from robustdr.rankers import RANKERS
from robustdr.rankers.ranker import load, saved

NAMES = [name for name in RANKERS.names() if RANKERS.facts(name).initial == ("static",)]
SETTINGS = {"knrm": {"trained_kernels"}, "conv_knrm": {"filters", "trained_kernels"}, "drmm": {"bins", "hidden"}}
every_ranker = pytest.mark.parametrize("name", NAMES)


def other_settings(name):
    """Other settings than the defaults: a number is one more, and what is on is off."""
    defaults = asdict(RANKERS.settings(name, {}))
    return {key: not value if isinstance(value, bool) else value + 1 for key, value in defaults.items()}


def scores(ranker, pairs, **limits):
    return ranker.score(ranker.tokenise(pairs, 20, 30), **limits)


@pytest.fixture(scope="module")
def many():
    """Two hundred pairs of up to 8 and 40 words, some without words, most with near and exact matches."""
    draw = random.Random(3)
    words = [*VECTORS, "the", "zebra", "of"]
    texts = [" ".join(draw.choices(words, k=draw.randrange(size))) for size in [9, 41] * 200]
    return list(zip(texts[::2], texts[1::2], strict=True))


def test_a_word_has_its_own_vector_or_one_by_its_hash(word_vectors):
    ranker = load("knrm", word_vectors)
    ((query, passage),) = ranker.tokenise([("Gold-river", "GOLD? zebra0's été")], 20, 20)
    vectors = ranker.vectors[torch.tensor(query)].numpy()
    assert np.array_equal(vectors, [VECTORS["gold"], VECTORS["river"]])
    assert passage[0] == query[0] and len(passage) == 4  # gold, zebra0, s, t
    assert all(8 <= row < 11 for row in passage[1:]) and len(ranker.vectors) == 11
    assert {ranker.rows(f"zebra{number}")[0] for number in range(50)} == {8, 9, 10}


def test_the_hash_of_a_word_is_the_same_in_every_process(word_vectors):
    """Row 8, 9 or 10, by the word's digest, whatever Python's own seed of hashes is."""
    words = " ".join(f"zebra{number}" for number in range(20))
    expected = [9, 10, 8, 10, 8, 8, 9, 10, 9, 9, 9, 8, 9, 10, 8, 8, 9, 10, 9, 9]
    assert load("knrm", word_vectors).rows(words) == expected


def test_texts_are_cut_to_their_lengths(word_vectors):
    ((query, passage),) = load("knrm", word_vectors).tokenise([("gold river king", "king gold river king")], 2, 3)
    assert query == [2, 3] and passage == [4, 2, 3]


@every_ranker
def test_scores_are_finite_without_words(word_vectors, name):
    ranker = load(name, word_vectors, training=True)
    for pairs in ([("", "")], [("?", "gold")], [("gold", "")], [("", ""), ("gold king", "gold"), ("", "king")]):
        pair_scores = scores(ranker, pairs)
        assert pair_scores.isfinite().all() and pair_scores.shape == (len(pairs),)
        pair_scores.sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in ranker.parameters() if parameter.grad is not None)


@every_ranker
def test_a_score_does_not_depend_on_the_batch(word_vectors, many, name):
    ranker = load(name, word_vectors)
    if ranker.settings.counts:
        ranker.count(passage for _, passage in many)
    together = scores(ranker, many)
    single_scores = torch.cat([scores(ranker, [pair]) for pair in many])
    assert together.dtype == torch.float32 and together.std() > 0.01
    assert torch.equal(together, single_scores)
    assert torch.equal(scores(ranker, many, limit=4096), single_scores)
    order = list(range(len(many)))
    random.Random(4).shuffle(order)
    assert torch.equal(scores(ranker, [many[i] for i in order]), together[order])


@every_ranker
def test_half_precision_changes_nothing(word_vectors, name):
    exact, half = (scores(load(name, word_vectors, precision), PAIRS) for precision in ("float32", "bfloat16"))
    assert torch.equal(exact, half)


@every_ranker
@pytest.mark.parametrize("other", [False, True])
def test_what_is_saved_scores_the_same(word_vectors, tmp_path, name, other):
    settings = other_settings(name) if other else {}
    ranker = load(name, word_vectors, seed=3, **settings)
    ranker.count(passage for _, passage in PAIRS)
    ranker.save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(RANKERS.facts(name).files)
    again = load(name, tmp_path, **settings)
    assert torch.equal(scores(again, PAIRS), scores(ranker, PAIRS))
    assert not torch.equal(scores(load(name, word_vectors, seed=4, **settings), PAIRS), scores(ranker, PAIRS))
    assert saved(tmp_path) == {"ranker": name, "settings": asdict(RANKERS.settings(name, settings))}
    assert torch.equal(scores(load(name, tmp_path), PAIRS), scores(ranker, PAIRS))  # with the settings saved
    (twice := tmp_path / "twice").mkdir()
    again.save(twice)
    assert all((twice / file).read_bytes() == (tmp_path / file).read_bytes() for file in RANKERS.facts(name).files)


@every_ranker
def test_the_seed_decides_the_weights(word_vectors, name):
    first, again, changed = (scores(load(name, word_vectors, seed=seed), PAIRS) for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, changed)


@every_ranker
def test_word_vectors_stay_as_they_are_in_training(word_vectors, name):
    ranker = load(name, word_vectors, training=True)
    assert all(parameter.requires_grad for parameter in ranker.parameters())
    assert "vectors" not in dict(ranker.named_parameters())
    assert torch.equal(ranker.vectors, load_file(word_vectors / "model.safetensors")["embedding.weight"])


@pytest.mark.parametrize("name", SETTINGS)
def test_what_a_configuration_reads_without_importing(name):
    assert RANKERS.facts(name).initial == ("static",)
    assert bool(RANKERS.facts(name).counts) == (name == "drmm")
    assert set(asdict(RANKERS.settings(name, {}))) == SETTINGS[name]


@every_ranker
def test_an_encoder_is_refused(tiny_model, name):
    with pytest.raises(UserError, match=rf"{tiny_model}: .*expected: a checkpoint of the form static, word vectors"):
        load(name, tiny_model)


@every_ranker
def test_another_ranker_s_directory_is_refused(word_vectors, tmp_path, name):
    other_name = NAMES[NAMES.index(name) - 1]
    load(other_name, word_vectors).save(tmp_path)
    with pytest.raises(
        UserError, match=rf"{tmp_path}: saved by the ranker '{other_name}'; '{name}' starts from .*static"
    ):
        load(name, tmp_path)


def test_weights_of_another_shape_are_refused(word_vectors, tmp_path):
    load("conv_knrm", word_vectors, filters=6).save(tmp_path)
    with pytest.raises(
        UserError, match=r"model\.safetensors: not the weights of .*'filters': 7.*; saved with: .*'filters': 6"
    ):
        load("conv_knrm", tmp_path, filters=7)


@pytest.mark.parametrize("file", ["tokenizer.json", "model.safetensors"])
def test_a_missing_or_damaged_file_is_refused(word_vectors, tmp_path, file):
    folder = shutil.copytree(word_vectors, tmp_path / "words")
    (folder / file).write_text("{")
    with pytest.raises(UserError, match=rf"{folder}: not of the form"):
        load("knrm", folder)
    (folder / file).unlink()
    with pytest.raises(UserError, match=rf"{folder}: not of the form"):
        load("knrm", folder)


def test_a_static_embedding_with_other_words_is_refused(word_vectors, tmp_path):
    folder = shutil.copytree(word_vectors, tmp_path / "words")
    tree = json.loads((folder / "tokenizer.json").read_text())
    tree["model"]["vocab"] = {"[UNK]": 0, "gold": 1}
    (folder / "tokenizer.json").write_text(json.dumps(tree))
    with pytest.raises(UserError, match=r"not of the form that this ranker starts from \('\[UNK0\]'\)"):
        load("knrm", folder)


def test_vectors_of_another_number_than_words_are_refused(word_vectors, tmp_path):
    folder = shutil.copytree(word_vectors, tmp_path / "words")
    save_file({"embedding.weight": torch.zeros(5, 4)}, folder / "model.safetensors")
    with pytest.raises(UserError, match=r"5 vectors for 11 words"):
        load("knrm", folder)
