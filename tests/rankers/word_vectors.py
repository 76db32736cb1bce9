"""A tiny checkpoint of word vectors, rankers made from it, and what the rankers over word vectors are compared with."""

import math

import numpy as np
import torch

from robustdr.core.files import sha256
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.settings import CheckpointSettings
from robustdr.rankers.ranker import load

WORDS = ["music", "gold", "river", "king", "water", "stone", "tree"]
VECTORS = dict(zip(WORDS, np.random.default_rng(5).normal(size=(len(WORDS), 4)).astype(np.float32), strict=True))
# Exact matches, repeats, one word, words in capitals, and no words at all on either side.
PAIRS = [
    ("the king of music", "Music, music; gold!"),
    ("gold", "river"),
    ("river water tree", "A tree"),
    ("water", ""),
    ("?!", "gold gold stone"),
    ("", ""),
    ("stone stone", "water stone king tree river gold music"),
]


def write_words(folder, hashed=3):
    """The checkpoint: seven words, most frequent first, of which `the`, `of` and `a` are none."""
    file = folder / "vectors.vec"
    file.write_text("7 4\n" + "".join(f"{word} {' '.join(map(str, vector))}\n" for word, vector in VECTORS.items()))
    source = {"path": str(file), "sha256": sha256(file)}
    settings = CheckpointSettings(name="words", description="Toy vectors", source=source, form="static", hashed=hashed)
    write_checkpoint(settings, folder / "words")
    return folder / "words"


def randomised(name, folder, **settings):
    """A ranker in training whose parameters are all moved a little from where they start."""
    ranker = load(name, folder, training=True, **settings)
    generator = torch.Generator().manual_seed(6)
    for parameter in ranker.parameters():
        noise = torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)
        parameter.data += 0.05 * noise * parameter.data.abs()
    return ranker


def vectors_of(ranker, pair):
    """The vectors of the words of a query and of its passage, word by word."""
    ((query, passage),) = ranker.tokenise([pair], 20, 20)
    table = ranker.vectors.numpy().astype(np.float64)
    return [table[row] for row in query], [table[row] for row in passage]


def weights(ranker):
    """Copies of the parameters, by name."""
    return {name: parameter.detach().numpy().copy() for name, parameter in ranker.named_parameters()}


def cosine(first, second):
    return sum(first * second) / np.sqrt(sum(first * first) * sum(second * second))


def pooled(queries, passages, mu, sigma):
    """Σ_i log(Σ_j exp(−(cos − μ)² / 2σ²) + 1e-6) for each kernel."""
    similarity = [[cosine(query, passage) for passage in passages] for query in queries]
    features = []
    for m, s in zip(mu, sigma, strict=True):
        total = 0.0
        for row in similarity:
            total += math.log(sum(math.exp(-((value - m) ** 2) / (2 * s**2)) for value in row) + 1e-6)
        features.append(total)
    return np.array(features)


def differences(score, values, name):
    """Central differences of fourth order of `score`, a function of named arrays, by every number of one array.

    Those of second order are too coarse beside a kernel of σ = 0.001.
    """
    array, step = values[name], 1e-5 * np.minimum(1, 10 * np.abs(values[name]))
    gradient = np.zeros_like(array)
    for index in np.ndindex(array.shape):
        value, h = array[index], step[index]
        for distance, factor in ((1, 2 / 3), (2, -1 / 12)):
            array[index] = value + distance * h
            upper = score(values)
            array[index] = value - distance * h
            gradient[index] += factor * (upper - score(values)) / h
        array[index] = value
    return gradient


def check_gradients(ranker, reference):
    """Compare the gradients of all pairs' scores, each weighed, with differences of `reference(pair, weights)`."""
    factors = np.linspace(-1, 2, len(PAIRS))
    scores = ranker(ranker.tokenise(PAIRS, 20, 20))
    (scores * torch.from_numpy(factors)).sum().backward()

    def total(values):
        return sum(factor * reference(pair, values) for factor, pair in zip(factors, PAIRS, strict=True))

    values = weights(ranker)
    for name, parameter in ranker.named_parameters():
        expected = differences(total, values, name)
        assert np.abs(parameter.grad.numpy() - expected).max() <= 1e-6 * max(1, np.abs(expected).max()), name
