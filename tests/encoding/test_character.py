"""CharacterBERT: what it reads, its character part against loops over the formula, and where its weights come from."""

import json
import re

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tests.encoding.shapes import FORMS
from tests.full import models
from tokenizers import Tokenizer

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.encoding.character import CharacterBertConfig, CharacterBertModel, CharacterEmbedding, character_tokenizer
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.convert import convert
from robustdr.encoding.directory import QUERY
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.settings import CheckpointSettings
from robustdr.training.assignment import changes
from robustdr.training.state import save

TEXTS = ["gold", "what is the meaning of musicc", "the king, of the river", "Zürich 42nd [SEP] photosynthesis", ""]


# what is read


def read(text, max_length=None):
    """The words of a text, each as (what begins it, its characters, what ends it)."""
    (rows,) = character_tokenizer()([text], max_length=max_length)["input_ids"]
    assert rows.shape[1] == 50
    found = []
    for row in rows.tolist():
        used = row[: row.index(261)] if 261 in row else row
        assert set(row[len(used) :]) <= {261} and used[0] == 259 and used[-1] == 260
        found.append(used[1:-1])
    return found


def written(word):
    return [byte + 1 for byte in word.encode()]


def test_words_are_those_of_the_basic_tokenizer_without_pieces():
    words = ["photosynthesis", "isn", "'", "t", "a", "-", "zurich", "中"]
    assert read("  Photosynthesis isn't\ta-Zürich中 ") == [[257], *map(written, words), [258]]
    assert read("") == [[257], [258]]
    assert read("ø") == [[257], [0xC3 + 1, 0xB8 + 1], [258]]


def test_a_separator_is_one_word():
    assert read("tree [SEP] a") == [[257], written("tree"), [258], written("a"), [258]]


def test_long_words_and_long_texts_are_cut():
    assert read("z" * 48) == read("z" * 60) == [[257], written("z" * 48), [258]]
    assert read("a b c d", max_length=4) == [[257], written("a"), written("b"), [258]]
    assert read("a b", max_length=4) == read("a b")


def test_every_changed_letter_and_moved_space_is_seen(tiny_character):
    tokenizer = Tokenizer.from_file(str(tiny_character / "tokenizer.json"))
    varied = {"letter": {"q": "ab cx"}, "space": {"q": "a bcd"}, "case": {"q": "Ab  CD"}}
    assert changes({"q": "ab cd"}, varied, tokenizer) == {"q": {"letter": "ab cx", "space": "a bcd"}}


# the character part


@pytest.fixture()
def part():
    torch.manual_seed(1)
    made = CharacterEmbedding(CharacterBertConfig(filters=[2, 3, 4], character_dimension=5, hidden_size=6)).double()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return made


def characters(*texts):
    """Ids of the characters of all words of the texts, [words, 50]."""
    return torch.from_numpy(np.concatenate(character_tokenizer()(texts)["input_ids"])).long()


def reference(weights, word):
    """One word's vector, by loops."""
    table = [weights["characters.weight"][i] for i in word]
    h = []
    for layer in range(3):
        filters, bias = weights[f"convolutions.{layer}.weight"], weights[f"convolutions.{layer}.bias"]
        width = filters.shape[2]
        assert width == layer + 1
        for f in range(len(filters)):
            best = -np.inf
            for j in range(50 - width + 1):
                best = max(best, bias[f] + sum(filters[f, :, i] @ table[j + i] for i in range(width)))
            h.append(max(0.0, best))
    for layer in range(2):
        matrix, bias = weights[f"highways.{layer}.weight"], weights[f"highways.{layer}.bias"]
        both, size = [row @ np.array(h) + b for row, b in zip(matrix, bias, strict=True)], len(h)
        gates = [1 / (1 + np.exp(-value)) for value in both[size:]]
        h = [g * old + (1 - g) * max(0.0, new) for g, old, new in zip(gates, h, both[:size], strict=True)]
    return [
        row @ np.array(h) + b for row, b in zip(weights["projection.weight"], weights["projection.bias"], strict=True)
    ]


def test_the_character_part_equals_the_formula(part):
    ids = characters("gold", "a gold king", "x" * 48)
    weights = {name: parameter.detach().numpy() for name, parameter in part.named_parameters()}
    expected = np.array([reference(weights, word) for word in ids.tolist()])
    assert np.abs(part(ids).detach().numpy() - expected).max() < 1e-6
    together = part(ids[:8].view(2, 4, 50)).detach().numpy()  # two texts of four words
    assert np.abs(together - expected[:8].reshape(2, 4, 6)).max() < 1e-6


def test_its_gradients_equal_central_differences(part):
    ids, target = characters("gold gold", "king"), torch.linspace(-1, 1, 42, dtype=torch.double).view(7, 6)

    def loss():
        return (part(ids) * target).sum()

    loss().backward()
    for name, parameter in part.named_parameters():
        flat, gradient = parameter.data.view(-1), parameter.grad.view(-1)
        for place in {int(gradient.abs().argmax()), len(flat) // 2, len(flat) - 1}:
            kept, values = flat[place].item(), []
            for step in (1e-6, -1e-6):
                flat[place] = kept + step
                values.append(loss().item())
            flat[place] = kept
            assert (values[0] - values[1]) / 2e-6 == pytest.approx(gradient[place].item(), abs=1e-6), name


def test_the_published_sizes():
    with torch.device("meta"):
        model = CharacterBertModel(CharacterBertConfig())
    assert sum(parameter.numel() for parameter in model.parameters()) == 104_603_760
    assert model.get_input_embeddings().characters.weight.shape == (263, 16)
    shapes = [tuple(layer.weight.shape) for layer in model.get_input_embeddings().convolutions]
    assert shapes == [(n, 16, width) for width, n in enumerate((32, 32, 64, 128, 256, 512, 1024), 1)]


# the encoder


def test_vectors_do_not_depend_on_the_batch(tiny_character):
    encoder = Encoder(tiny_character)
    encoder.model.double()
    together = encoder.encode(TEXTS, 32)
    alone = np.concatenate([encoder.encode([text], 32) for text in TEXTS])
    assert together.shape == (5, 32) and np.abs(together - alone).max() < 1e-6
    assert np.abs(together[0] - together[1]).max() > 0.1


def test_a_saved_model_gives_the_same_vectors_bit_for_bit(tiny_character, tmp_path):
    encoder = Encoder(tiny_character, training=True)
    with torch.no_grad():
        for parameter in encoder.model.parameters():
            parameter.mul_(1.1)
    save({QUERY: encoder}, tiny_character, tmp_path / "model", "card", separate=False)
    assert np.array_equal(Encoder(tmp_path / "model").encode(TEXTS, 32), encoder.encode(TEXTS, 32))


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"])
def test_a_damaged_directory(tiny_character, tmp_path, name):
    for path in tiny_character.rglob("*"):
        if path.is_file():
            copy = tmp_path / path.relative_to(tiny_character)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(path.read_bytes()[: 50 if path.name == name else None])
    with pytest.raises(UserError, match="no model there, or a damaged one"):
        Encoder(tmp_path)


# where the weights come from


def test_a_stand_in_has_the_layers_of_the_bert_and_its_word_vectors(tiny_character, tiny_transformer):
    bert, made = (load_file(folder / "model.safetensors") for folder in (tiny_transformer, tiny_character))
    shared = bert.keys() - {"embeddings.word_embeddings.weight"}
    assert shared < made.keys() and all(torch.equal(bert[name], made[name]) for name in shared)
    vocabulary = json.loads((tiny_transformer / "tokenizer.json").read_text())["model"]["vocab"]
    known = [
        "[CLS]",
        "[SEP]",
        "the",
        "of",
        "is",
        "a",
        ",",
    ]  # whole tokens of the BERT, among GloVe's first hundred words
    part = Encoder(tiny_character).model.get_input_embeddings()
    ids = torch.cat([characters(word)[1:2] for word in known])
    targets = bert["embeddings.word_embeddings.weight"][[vocabulary[word] for word in known]]
    assert torch.cosine_similarity(part(ids), targets).min() > 0.9


def test_the_card_tells_how_well_it_fits(tiny_character):
    card = (tiny_character / "README.md").read_text()
    told = re.search(r"of 100 words, .* vectors: (\d\.\d\d); .* not fitted, (\d\.\d\d)\.", card.replace("\n", " "))
    assert float(told[1]) > 0.9 > float(told[2])


def test_the_files_of_a_stand_in_and_the_same_bytes_again(tiny_character, tiny_transformer, tmp_path):
    torch.set_num_threads(2)
    fitted = {"form": "character", "fitted": 100, "filters": [32, 32, 64, 128]}
    source = {"path": str(tiny_transformer)}
    write_checkpoint(
        CheckpointSettings(name="tiny", description="Stand-in", source=source, pooling="mean", **fitted),
        tmp_path / "again",
    )
    found = {path.relative_to(tiny_character).as_posix() for path in tiny_character.rglob("*") if path.is_file()}
    assert found == set(FORMS["character"])
    assert all(sha256(tiny_character / name) == sha256(tmp_path / "again" / name) for name in found)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"pooling": None}, "missing; the form 'character' needs it"),
        ({"layers": [0, 2]}, r"checkpoint tiny: layers \[0, 2\]; .* has 0\.\.1"),
        (
            {"fitted": None},
            r"transformer holds no whole CharacterBERT of the published sizes: .*say how many .*`fitted`",
        ),
    ],
)
def test_what_cannot_be_made_is_refused(tiny_transformer, tmp_path, changes, message):
    settings = {"pooling": "mean", "form": "character", "fitted": 100, **changes}
    with pytest.raises(ValueError, match=message):
        source = {"path": str(tiny_transformer)}
        write_checkpoint(CheckpointSettings(name="tiny", description="", source=source, **settings), tmp_path / "made")
    assert not list(tmp_path.iterdir())


@pytest.fixture()
def released(tmp_path):
    """A CharacterBERT in a folder as its authors release theirs; and the same one here."""
    folder = tmp_path / "general_character_bert"
    folder.mkdir()
    torch.manual_seed(0)
    return folder, models.character_bert(folder)


def test_released_weights_are_converted_and_read(released, tmp_path):
    folder, model = released
    convert(folder, tmp_path / "converted")
    source = {"path": str(tmp_path / "converted"), "sha256": sha256(tmp_path / "converted" / "model.safetensors")}
    write_checkpoint(
        CheckpointSettings(name="general", description="", source=source, pooling="cls", form="character"),
        tmp_path / "made",
    )
    words = character_tokenizer()(["the king of musicc"])["input_ids"][0]
    with torch.no_grad():
        expected = model(input_ids=torch.from_numpy(words).long()[None]).last_hidden_state[0, 0].numpy()
    assert np.abs(Encoder(tmp_path / "made").encode(["the king of musicc"], 32)[0] - expected).max() < 1e-5
    assert "as their authors released them" in (tmp_path / "made" / "README.md").read_text()


def test_pickles_that_hold_more_than_tensors_are_not_read(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(UserError, match=r"folder: has neither pytorch_model\.bin"):
        convert(folder, tmp_path / "made")
    (folder / "config.json").write_text("{}")
    for content, message in (
        ({"weights": re.compile("a")}, "it holds more than tensors or is damaged"),
        ({"epoch": 3}, "tensors by name are expected"),
    ):
        torch.save(content, folder / "pytorch_model.bin")
        with pytest.raises(UserError, match=f"pytorch_model.bin: .*{message}") as caught:
            convert(folder, tmp_path / "made")
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "made").exists()
