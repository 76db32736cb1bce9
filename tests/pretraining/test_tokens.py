"""The pieces of a corpus on disk are those of its texts, in its order."""

import json

import numpy as np
import pytest

from robustdr.collections.reading import read_records
from robustdr.core.errors import UserError
from robustdr.core.seeds import digest
from robustdr.pretraining import tokens as module
from robustdr.pretraining.feed import Passages
from robustdr.pretraining.tokens import read_tokens, write_tokens
from robustdr.pretraining.vocabulary import Vocabulary


@pytest.mark.parametrize("chunk", [1, 7, 1 << 14])
def test_each_passage_has_the_pieces_of_its_text(corpus, tiny_model, settings, tmp_path, monkeypatch, chunk):
    """Whatever the number of passages tokenised together; a length of 12 cuts most of them."""
    monkeypatch.setattr(module, "CHUNK", chunk)
    write_tokens(corpus, tiny_model, 12, tmp_path / "tokens")
    vocabulary = Vocabulary(tiny_model)
    passages = Passages.open(tmp_path / "tokens", vocabulary, settings)
    records = [passage for _, passage in read_records(corpus)]
    expected = [vocabulary.tokenizer(passage.text, add_special_tokens=False)["input_ids"][:10] for passage in records]
    assert [passages[position] for position in range(len(passages))] == expected
    assert passages.names.tolist() == [digest(passage.docid) for passage in records]
    assert isinstance(passages.pieces, np.memmap)


def test_titles_are_left_out_and_so_are_passages_without_text(tiny_model, settings, tmp_path):
    path = tmp_path / "corpus.jsonl"
    rows = [{"docid": "a", "title": "tree", "text": ""}, {"docid": "b", "title": "tree", "text": "river gold"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_tokens(path, tiny_model, 48, tmp_path / "tokens")
    passages = Passages.open(tmp_path / "tokens", Vocabulary(tiny_model), settings)
    assert [passages.vocabulary.text([piece]) for piece in passages[0]] == ["river", "gold"] and len(passages) == 1
    path.write_text(json.dumps(rows[0]) + "\n")
    with pytest.raises(UserError, match=r"corpus.jsonl: no passage has a text, and pre-training needs texts"):
        write_tokens(path, tiny_model, 48, tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(("number", "size"), [(1 << 16, 2), ((1 << 16) + 1, 4)])
def test_a_piece_takes_no_more_bytes_than_the_vocabulary_needs(corpus, tiny_model, tmp_path, monkeypatch, number, size):
    class Larger(Vocabulary):
        def __init__(self, checkpoint):
            super().__init__(checkpoint)
            self.pieces += [""] * (number - len(self.pieces))

    monkeypatch.setattr(module, "Vocabulary", Larger)
    write_tokens(corpus, tiny_model, 48, tmp_path / "tokens")
    assert read_tokens(tmp_path / "tokens")[0].itemsize == size


def test_damaged_tokens_are_one_error(tokens, tmp_path):
    pieces = (tokens(48) / "pieces.npy").read_bytes()
    (tmp_path / "pieces.npy").write_bytes(pieces[:-1])
    with pytest.raises(UserError, match=r"damaged tokens .*; delete the folder and run again"):
        read_tokens(tmp_path)
