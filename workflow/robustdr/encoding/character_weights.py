"""Weights of CharacterBERT: the released ones, or a stand-in made from a BERT and fitted to its word embeddings."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from transformers import AutoModel, BertConfig

from robustdr.core.errors import UserError
from robustdr.encoding import hardware, loading
from robustdr.encoding.allowed import check_transformer
from robustdr.encoding.character import (
    FILL,
    FILTERS,
    SPECIAL,
    CharacterBertConfig,
    CharacterBertModel,
    CharacterEmbedding,
    character_tokenizer,
)
from robustdr.encoding.directory import CONFIG, WEIGHTS, read_json
from robustdr.encoding.wordvectors import read_glove

# The authors' names and this project's; the pre-training heads are left out.
NAMES = {
    r"^(character_bert|bert)\.": "",
    r"\._char_embedding_weights$": ".characters.weight",
    r"\.char_conv_(\d)\.": r".convolutions.\1.",
    r"\._highways\._layers\.(\d)\.": r".highways.\1.",
    r"\._projection\.": ".projection.",
}
LEFT_OUT = ("cls.", "embeddings.position_ids")
HELD_OUT = 1000  # words next in frequency after the fitted ones; the card gives their fit
RIDGE = 3e-3  # times the mean squared feature
RELEASED = "Weights as their authors released them."
FITTED = """The layers are those of a BERT without characters. The character part is fitted: its filters find the
most frequent character sequences of {words:,} words, the most frequent ones of GloVe, and its projection comes closest
to the BERT's vectors of the words (the mean of their word pieces). Mean cosine with these vectors: {fitted:.2f}; of the
{frequent:,} most frequent words {top:.2f}; of the {held_out:,} next ones, which were not fitted, {unseen:.2f}."""


def read_released(name: str, directory: Path) -> tuple[CharacterBertModel, str]:
    """Return the released CharacterBERT in a directory with model.safetensors, and the text of its card.

    Args:
        name: the checkpoint's, for error messages.

    Raises:
        UserError: the directory holds no complete CharacterBERT.
    """
    check_transformer(directory)
    weights = load_file(directory / WEIGHTS)
    for pattern, replacement in NAMES.items():
        weights = {re.sub(pattern, replacement, old): tensor for old, tensor in weights.items()}
    weights = {name_here: tensor.float() for name_here, tensor in weights.items() if not name_here.startswith(LEFT_OUT)}
    config = BertConfig.from_dict(read_json(directory / CONFIG)).to_dict()
    model = CharacterBertModel(CharacterBertConfig(**{**config, "filters": FILTERS}))
    expected = model.state_dict()
    wrong = expected.keys() ^ weights.keys() or {n for n in expected if expected[n].shape != weights[n].shape}
    if wrong:
        raise UserError(
            f"checkpoint {name}: {directory} holds no whole CharacterBERT of the published sizes: "
            f"{', '.join(sorted(wrong)[:5])} (from a BERT: say how many words are `fitted`)"
        )
    model.load_state_dict(weights)
    return model, RELEASED


def fit_to_bert(directory: Path, count: int, filters: Sequence[int]) -> tuple[CharacterBertModel, str]:
    """Return a CharacterBERT with the layers of the BERT in a directory, and the text of its card.

    A filter of width w is set to the w characters of a frequent sequence: it gives 1.5 there, and about 0.5 where one
    of them differs. The highway layers keep their random values. The projection is the ridge regression from the
    features of the words to the BERT's vectors of them, scaled to their length. Words are weighted by 1/√rank; [CLS],
    [SEP] and [MASK] rank first.

    Args:
        count: words to fit. filters: number of filters of width 1, 2, ….
    """
    hardware.start(1)  # the last digits of sums, and so the bytes, depend on it
    torch.manual_seed(0)  # a pooler that the BERT lacks is drawn too, though unused
    bert = loading.transformer(AutoModel, directory, dtype=torch.float32)
    config = CharacterBertConfig(**{**bert.config.to_dict(), "filters": filters})
    words, ids = _frequent(count + HELD_OUT)
    targets = _word_vectors(bert, directory, words)
    fitted_count = len(words) - HELD_OUT
    weights = torch.arange(1, fitted_count + 1, dtype=torch.float64).rsqrt()
    characters = CharacterEmbedding(config)
    with torch.no_grad():
        _find_sequences(characters, ids[:fitted_count], weights)
        _project(characters, ids[:fitted_count], targets[:fitted_count], weights)
        cosine = torch.cosine_similarity(torch.cat([characters(part) for part in ids.split(1000)]), targets)
    model = CharacterBertModel(config)
    model.load_state_dict(bert.state_dict(), strict=False)
    model.set_input_embeddings(characters)
    measured = {"fitted": cosine[:fitted_count], "top": cosine[: fitted_count // 8], "unseen": cosine[fitted_count:]}
    counts = {"words": count, "frequent": fitted_count // 8, "held_out": HELD_OUT}
    return model, FITTED.format(**counts, **{field: part.mean().item() for field, part in measured.items()})


def _frequent(count: int) -> tuple[list[str], torch.Tensor]:
    """Return the special words and the `count` most frequent ones that stay whole; characters, [words, 50]."""
    tokenizer = character_tokenizer()

    def whole():
        for word in (*list(SPECIAL)[1:], *read_glove()[0]):
            (rows,) = tokenizer([word])["input_ids"]
            if len(rows) == 3:  # [CLS], the word, [SEP]
                yield word, torch.from_numpy(rows[1]).long()

    words, ids = zip(*islice(whole(), count + len(SPECIAL) - 1), strict=True)
    return list(words), torch.stack(ids)


def _word_vectors(bert: Any, directory: Path, words: list[str]) -> torch.Tensor:
    """Return the mean of the embeddings of each word's pieces, [words, dimension]."""
    tokenizer = loading.tokenizer(directory)
    embeddings = bert.get_input_embeddings().weight.detach()
    pieces = tokenizer(words, add_special_tokens=False)["input_ids"]
    return torch.stack([embeddings[torch.tensor(piece_ids)].mean(0) for piece_ids in pieces])


def _find_sequences(characters: CharacterEmbedding, ids: torch.Tensor, weights: torch.Tensor) -> None:
    """Set filters to the most frequent sequences of their width; the remaining filters keep their random values."""
    table = torch.nn.functional.normalize(characters.characters.weight)
    characters.characters.weight.copy_(table)
    convolutions: Any = characters.convolutions
    for width, convolution in enumerate(convolutions, 1):
        counted: Counter[tuple[int, ...]] = Counter()
        for word, weight in zip(ids.tolist(), weights.tolist(), strict=True):
            for start in range(max(1, word.index(FILL) - width + 1)):
                counted[tuple(word[start : start + width])] += weight
        sequences = torch.tensor([sequence for sequence, _ in counted.most_common(convolution.out_channels)])
        convolution.weight[: len(sequences)] = table[sequences].transpose(1, 2)
        convolution.bias[: len(sequences)] = 1.5 - width


def _project(characters: CharacterEmbedding, ids: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor) -> None:
    """Set the projection by ridge regression, in double precision."""
    features = torch.cat([characters.features(part) for part in ids.split(1000)]).double()
    features = torch.cat([features, torch.ones(len(features), 1)], 1)  # the bias is the weight of one more feature
    weighted = features.T * weights
    gram = weighted @ features
    gram.diagonal().add_(RIDGE * gram.diagonal().mean())
    solution = torch.linalg.solve(gram, weighted @ targets.double())
    # Ridge regression shortens vectors; words should keep their weight relative to positions and types.
    *rows, bias = solution * targets.norm() / (features @ solution).norm()
    characters.projection.weight.copy_(torch.stack(rows, 1))
    characters.projection.bias.copy_(bias)
