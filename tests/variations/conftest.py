"""Fixtures: scripted chance, tiny sequence-to-sequence models saved as real ones are, and the released query sets."""

import json
import os
from pathlib import Path

import pytest

import robustdr
from robustdr.variations.base import Draw

SENTENCES = [
    "what is photosynthesis",
    "what does it mean to abdicate",
    "meaning of thermal energy",
    "where was gandhi born and how long does chicken cook in the oven",
    "was ist die bedeutung von energie",
]
RELEASED = Path(__file__).parents[3] / "shared" / "data" / "rodr" / "msmarco_passage" / "query" / "dev"


class Script(Draw):
    """A Draw whose choices are written down: each must be possible, and all must be used."""

    def __init__(self, *choices: int):
        self.choices = list(choices)

    def integer_below(self, n: int) -> int:
        chosen = self.choices.pop(0)
        assert 0 <= chosen < n, f"choice {chosen} of {n}"
        return chosen


@pytest.fixture
def script():
    """`script(1, 0, …)`: a Draw that makes these choices; all of them must be used."""
    made: list[Script] = []

    def make(*choices: int) -> Script:
        made.append(Script(*choices))
        return made[-1]

    yield make
    assert [draw.choices for draw in made] == [[] for _ in made], "choices left over"


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """The environment of a new Python process that can import the package, installed or not."""
    return os.environ | {"PYTHONPATH": str(Path(robustdr.__file__).parents[1])}


@pytest.fixture(scope="session")
def released():
    """Read one of rodr's released query sets of MS MARCO's dev queries; skip where they are not."""

    def read(kind: str = "") -> dict[str, str]:
        path = RELEASED / f"queries.dev.small{kind and '.'}{kind}.tsv"
        if not path.is_file():
            pytest.skip(f"the released queries are not here ({path.name})")
        return dict(line.split("\t", 1) for line in path.read_text(encoding="utf-8").splitlines())

    return read


def _train_sentencepiece(folder: Path, name: str) -> Path:
    import sentencepiece

    text = folder / "sentences.txt"
    text.write_text("\n".join(SENTENCES * 20), encoding="utf-8")
    options = {"vocab_size": 60, "character_coverage": 1.0, "minloglevel": 2, "pad_id": -1, "hard_vocab_limit": False}
    sentencepiece.SentencePieceTrainer.train(input=str(text), model_prefix=str(folder / name), **options)
    return folder / f"{name}.model"


def _pieces(model: Path) -> list[str]:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
    return [processor.id_to_piece(id) for id in range(processor.get_piece_size())]


@pytest.fixture(scope="session")
def tiny_m2m100(tmp_path_factory) -> Path:
    """A randomly initialised M2M100 of two layers, saved with its tokenizer."""
    import torch
    from transformers import M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer

    raw, folder = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("m2m100")
    model = _train_sentencepiece(raw, "sentencepiece")
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *[piece for piece in _pieces(model) if not piece.startswith("<")]]
    (raw / "vocab.json").write_text(json.dumps({piece: id for id, piece in enumerate(pieces)}), encoding="utf-8")
    tokenizer = M2M100Tokenizer(str(raw / "vocab.json"), str(model), src_lang="en", tgt_lang="de")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    size = {"d_model": 16, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "encoder_layers": 1, "decoder_layers": 1}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "init_std": 0.5}
    config = M2M100Config(vocab_size=tokenizer.get_lang_id("zu") + 9, max_position_embeddings=300, **size, **heads)
    M2M100ForConditionalGeneration(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_marian(tmp_path_factory) -> Path:
    """A randomly initialised Marian model of one layer, saved with its tokenizer."""
    import torch
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    raw, folder = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("marian")
    model = _train_sentencepiece(raw, "source")
    pieces = ["</s>", "<unk>", *[piece for piece in _pieces(model) if not piece.startswith("<")], "<pad>"]
    (raw / "vocab.json").write_text(json.dumps({piece: id for id, piece in enumerate(pieces)}), encoding="utf-8")
    tokenizer = MarianTokenizer(str(model), str(model), str(raw / "vocab.json"), source_lang="en", target_lang="de")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(2)
    size = {"d_model": 16, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "encoder_layers": 1, "decoder_layers": 1}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "init_std": 0.5}
    pad = pieces.index("<pad>")
    ids = {"pad_token_id": pad, "decoder_start_token_id": pad, "eos_token_id": 0, "forced_eos_token_id": 0}
    config = MarianConfig(vocab_size=len(pieces), max_position_embeddings=300, **size, **heads, **ids)
    MarianMTModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_t5(tmp_path_factory) -> Path:
    """A randomly initialised T5 of one layer, saved with its tokenizer."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

    raw, folder = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("t5")
    pieces = [piece for piece in _pieces(_train_sentencepiece(raw, "pieces")) if not piece.startswith("<")]
    vocab = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((piece, -float(at)) for at, piece in enumerate(pieces))]
    tokenizer = T5Tokenizer(vocab=vocab, extra_ids=0)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(3)
    config = T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, decoder_start_token_id=0,
        initializer_factor=20.0,
    )  # fmt: skip
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder
