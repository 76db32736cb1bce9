"""Encoders from the formulas of their papers, in NumPy alone and one text at a time; see README.md.

The weights are those of `wave`. What is read are the pairs of `make_rankers`, each as one text of two segments.
"""

import math
from types import SimpleNamespace

import numpy as np

from golden.make_rankers import BERT, TINY, TOKENS, Waves, told
from rankers.numpy_transformers import bert, bert_layers, layer_norm, sigmoid

TEXTS = [[*first, *second] for first, second in TOKENS]
WORDS = [["gold", "river"], ["stone"], ["the", "photosynthesis", "ø"]]
FILTERS = [32, 32, 64, 128]
D, SIZE = TINY["hidden_size"], sum(FILTERS)
CONFIG = SimpleNamespace(**TINY)
WAVES = Waves(
    {
        "characters.weight": (263, 16),
        **{f"convolutions.{n}.weight": (filters, 16, n + 1) for n, filters in enumerate(FILTERS)},
        **{f"convolutions.{n}.bias": (filters,) for n, filters in enumerate(FILTERS)},
        **{f"highways.{n}.weight": (2 * SIZE, SIZE) for n in range(2)},
        **{f"highways.{n}.bias": (2 * SIZE,) for n in range(2)},
        "projection.weight": (D, SIZE),
        "norm.weight": (D,),
    }
    | BERT.shapes
)


def hidden(tokens, types=None):
    return bert(WAVES, CONFIG, tokens, types or [0] * len(tokens), "")


def cls(tokens):
    return hidden(tokens)[0]


def mean(tokens):
    return hidden(tokens).mean(0)


def retriever(tokens):
    """A linear layer and a norm over [CLS], to length 1; what follows the first separator is of the second type."""
    after = tokens.index(3) + 1
    first = hidden(tokens, [0] * after + [1] * (len(tokens) - after))[:1]
    vector = first @ WAVES["2.linear.weight"].T + WAVES["2.linear.bias"]
    (vector,) = layer_norm(vector, WAVES["3.norm.weight"], WAVES["3.norm.bias"], 1e-5)
    return vector / math.sqrt(vector @ vector)


def spelt(word):
    """50 ids: a begin, the bytes from 1 on, an end, and fill; 257 and 258 are the first and the last word's."""
    ids = [259, *([word] if isinstance(word, int) else (byte + 1 for byte in word.encode())), 260]
    return ids + [261] * (50 - len(ids))


def of_characters(ids):
    """The vector of one word (El Boukkouri et al. 2020, §3.1): filters, highways, a projection."""
    name = "embeddings.word_embeddings."
    x, found = WAVES[f"{name}characters.weight"][ids], []
    for n in range(len(FILTERS)):
        weight, bias = WAVES[f"{name}convolutions.{n}.weight"], WAVES[f"{name}convolutions.{n}.bias"]
        windows = [np.tensordot(weight, x[at : at + n + 1].T, 2) + bias for at in range(50 - n)]
        found.append(np.maximum(np.max(windows, 0), 0))
    h = np.concatenate(found)
    for n in range(2):
        new, gate = np.split(WAVES[f"{name}highways.{n}.weight"] @ h + WAVES[f"{name}highways.{n}.bias"], 2)
        h = sigmoid(gate) * h + (1 - sigmoid(gate)) * np.maximum(new, 0)
    return WAVES[f"{name}projection.weight"] @ h + WAVES[f"{name}projection.bias"]


def character(words):
    types, places = (WAVES[f"embeddings.{kind}_embeddings.weight"] for kind in ("token_type", "position"))
    x = [of_characters(spelt(word)) + types[0] + places[at] for at, word in enumerate([257, *words, 258])]
    norm = WAVES["embeddings.LayerNorm.weight"], WAVES["embeddings.LayerNorm.bias"]
    return bert_layers(WAVES, CONFIG, layer_norm(x, *norm, TINY["layer_norm_eps"]), "").mean(0)


def golden():
    vectors = {each.__name__: [told(each(text)) for text in TEXTS] for each in (cls, mean, retriever)}
    return {
        "texts": TEXTS,
        "words": list(map(" ".join, WORDS)),
        "vectors": vectors | {"character": [told(character(words)) for words in WORDS]},
    }
