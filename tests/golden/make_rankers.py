"""Rankers from the formulas of their papers and of OpenNIR, in NumPy alone and one pair at a time; see README.md.

The weights of a transformer are those of `wave`, so that no file has to hold them.
"""

import math
import re
from types import SimpleNamespace

import numpy as np

from rankers.numpy_transformers import bert, gelu, layer_norm, sigmoid, softmax, t5_stack

# Two words of cosine .998, where the kernel of exact matches has e^−2, and one of .96; the rest is far away.
NEAR = {"gold": 0.0, "golden": math.acos(0.998), "yellow": math.acos(0.96), "stone": 1.4, "river": 2.5}
VECTORS = {word: [round(math.cos(angle), 6), round(math.sin(angle), 6), 0.0] for word, angle in NEAR.items()}
VECTORS["sky"] = [-0.3, 0.2, 0.9]
TEXTS = [("gold river", "golden yellow sky"), ("gold", "gold golden gold stone"), ("sky stone", "river"), ("gold", "")]
MU = [-0.9, -0.7, -0.5, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]
SIGMA = [0.1] * 10 + [0.001]

TINY = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
    "layer_norm_eps": 1e-12,
    "vocab_size": 90,
}
TOKENS = [([2, 5, 9, 3], [30, 31, 7, 3]), ([2, 11, 3], [40, 3]), ([2, 23, 23, 20, 3], [10, 20, 3])]
T5 = {
    "d_model": 32,
    "num_heads": 2,
    "num_layers": 2,
    "num_decoder_layers": 1,
    "relative_attention_num_buckets": 32,
    "relative_attention_max_distance": 128,
    "layer_norm_epsilon": 1e-6,
    "vocab_size": 90,
}


def wave(name, shape):
    """The weights of a name: a sine of the position and the name's length; gains of norms are near 1."""
    values = 0.4 * np.sin(1.3 * np.arange(math.prod(shape)) + len(name)).reshape(shape)
    return 1 + values if re.search(r"norm\d?\.weight$", name.lower()) else values


def vectors(text):
    return [np.array(VECTORS[word], np.float32).astype(float) for word in text.split()]


def cosine(one, other):
    return one @ other / math.sqrt((one @ one) * (other @ other))


def pooled(query, passage):
    """Σ_i log(Σ_j exp(−(cos − μ)² / 2σ²) + 1e-6), by kernel (Xiong et al. 2017, Eq. 3 to 5; OpenNIR's 1e-6)."""
    return np.array(
        [
            sum(
                math.log(sum(math.exp(-((cosine(q, p) - mu) ** 2) / (2 * s**2)) for p in passage) + 1e-6) for q in query
            )
            for mu, s in zip(MU, SIGMA, strict=True)
        ]
    )


def knrm(query, passage):
    return wave("linear.weight", (1, 11))[0] @ pooled(vectors(query), vectors(passage)) + wave("linear.bias", (1,))[0]


def ngrams(words, n):
    """W · [v_t; …; v_t+n−1] + b of every word t, with zeros after the last one (Dai et al. 2018, Eq. 2)."""
    weight, bias = wave(f"convolutions.{n - 1}.weight", (2, 3, n)), wave(f"convolutions.{n - 1}.bias", (2,))
    longer = [*words, *[np.zeros(3)] * (n - 1)]
    return [sum(weight[:, :, k] @ longer[t + k] for k in range(n)) + bias for t in range(len(words))]


def conv_knrm(query, passage):
    texts = [[ngrams(vectors(text), n) for n in (1, 2, 3)] for text in (query, passage)]
    features = [pooled(q, p) for p in texts[1] for q in texts[0]]  # the passage's lengths, then the query's
    return wave("linear.weight", (1, 99))[0] @ np.concatenate(features) + wave("linear.bias", (1,))[0]


def drmm(query, passage):
    """Σ_i g_i · MLP(ln(h_i + 1e-5)); equal gates, as nothing is counted (Guo et al. 2016, §4)."""
    first, shift = wave("mlp.0.weight", (5, 11)), wave("mlp.0.bias", (5,))
    second, last = wave("mlp.2.weight", (1, 5)), wave("mlp.2.bias", (1,))
    total = 0.0
    for q in vectors(query):
        histogram = np.zeros(11)
        for p in vectors(passage):
            histogram[int((cosine(q, p) + 1.00001) / 2 * 10)] += 1
        total += (second @ np.maximum(first @ np.log(histogram + 1e-5) + shift, 0) + last)[0] / len(vectors(query))
    return total


class Waves(dict):
    """The weights of a transformer by name, made when they are asked for."""

    def __init__(self, shapes):
        super().__init__()
        self.shapes = shapes

    def __missing__(self, name):
        return wave(name, next(shape for end, shape in self.shapes.items() if name.endswith(end)))


D, INNER, V = TINY["hidden_size"], TINY["intermediate_size"], TINY["vocab_size"]
BERT = Waves(
    {
        "word_embeddings.weight": (V, D),
        "position_embeddings.weight": (TINY["max_position_embeddings"], D),
        "token_type_embeddings.weight": (2, D),
        "intermediate.dense.weight": (INNER, D),
        "intermediate.dense.bias": (INNER,),
        "attention.output.dense.weight": (D, D),
        "pooler.dense.weight": (D, D),
        "transform.dense.weight": (D, D),
        "output.dense.weight": (D, INNER),
        "LayerNorm.weight": (D,),
        "norm1.weight": (D,),
        "norm2.weight": (D,),
        "predictions.bias": (V,),
        "classifier.weight": (1, D),
        "classifier.bias": (1,),
        "salience.weight": (1, D),
        "quality.weight": (1, D),
        "salience.bias": (1,),
        "quality.bias": (1,),
        "in_proj_weight": (3 * D, D),
        "in_proj_bias": (3 * D,),
        "linear1.weight": (4 * D, D),
        "linear1.bias": (4 * D,),
        "linear2.weight": (D, 4 * D),
        "weight": (D, D),
        "bias": (D,),
    }
)
CONFIG = SimpleNamespace(**TINY)


def joint(first, second):
    """The last layer's vectors of a pair; the tiny tokenizer has no token types."""
    return bert(BERT, CONFIG, [*first, *second], [0] * len(first + second))


def mono_bert(first, second):
    pooled = np.tanh(BERT["bert.pooler.dense.weight"] @ joint(first, second)[0] + BERT["bert.pooler.dense.bias"])
    return BERT["classifier.weight"][0] @ pooled + BERT["classifier.bias"][0]


def intent_bert(first, second):
    """The vector of a pair's query: one more encoder layer, its norms after each part (Vaswani et al. 2017)."""
    x, name = joint(first, second), "query_layer."
    parts = np.split(BERT[f"{name}self_attn.in_proj_weight"], 3)
    shifts = np.split(BERT[f"{name}self_attn.in_proj_bias"], 3)
    query, key, value = (x @ part.T + shift for part, shift in zip(parts, shifts, strict=True))
    size, mixed = D // 2, np.zeros_like(x)
    for own in (slice(0, size), slice(size, D)):
        for i in range(len(x)):
            mixed[i, own] = softmax(key[:, own] @ query[i, own] / math.sqrt(size)) @ value[:, own]
    mixed = mixed @ BERT[f"{name}self_attn.out_proj.weight"].T + BERT[f"{name}self_attn.out_proj.bias"]
    x = layer_norm(x + mixed, BERT[f"{name}norm1.weight"], BERT[f"{name}norm1.bias"], 1e-12)
    inner = gelu(x @ BERT[f"{name}linear1.weight"].T + BERT[f"{name}linear1.bias"])
    inner = inner @ BERT[f"{name}linear2.weight"].T + BERT[f"{name}linear2.bias"]
    return layer_norm(x + inner, BERT[f"{name}norm2.weight"], BERT[f"{name}norm2.bias"], 1e-12)[0]


def soften(x):
    return np.log(1 + np.log(1 + np.exp(x)))


def layer(name, x):
    return BERT[f"{name}.weight"][0] @ x + BERT[f"{name}.bias"][0]


def epic(query, passage):
    """φ(q) · φ(p) over the whole vocabulary (MacAvaney et al. 2020, §3; OpenNIR), with a head without a norm."""
    query = [*query]
    passage = [query[0], *passage]  # a passage begins with [CLS] too
    hidden, of_query, of_passage = bert(BERT, CONFIG, query, [0] * len(query)), np.zeros(V), np.zeros(V)
    for at in range(1, len(query) - 1):
        of_query[query[at]] += soften(layer("query_salience", hidden[at]))
    hidden = bert(BERT, CONFIG, passage, [1] * len(passage))
    transform = BERT["cls.predictions.transform.weight"], BERT["cls.predictions.transform.bias"]
    for at in range(1, len(passage) - 1):
        terms = BERT["bert.embeddings.word_embeddings.weight"] @ (transform[0] @ hidden[at] + transform[1])
        salience = soften(layer("passage_salience", hidden[at]))
        of_passage = np.maximum(of_passage, soften(terms + BERT["cls.predictions.bias"]) * salience)
    return of_query @ of_passage * sigmoid(layer("quality", hidden[0]))


def mono_t5(first, second):
    """log softmax(z_true, z_false)_true at the first step, which reads [CLS]; `true` is token 21, `false` 22."""
    size, config = T5["d_model"], SimpleNamespace(**T5, dense_act_fn="gelu")
    ends = {"relative_attention_bias.weight": (T5["relative_attention_num_buckets"], T5["num_heads"])}
    ends |= {"shared.weight": (V, size), "wi.weight": (INNER, size), "wo.weight": (size, INNER)}
    w = Waves({**ends, "norm.weight": (size,), "weight": (size, size)})
    encoded = t5_stack(w, config, "encoder", [*first, *second])
    hidden = t5_stack(w, config, "decoder", [2], encoded)[0] / math.sqrt(size)
    true, false = (math.exp(w["shared.weight"][token] @ hidden) for token in (21, 22))
    return math.log(true / (true + false))


def told(value):
    return [float(f"{each:.12g}") for each in np.atleast_1d(value)]


def golden():
    words = {each.__name__: [told(each(*pair)) for pair in TEXTS] for each in (knrm, conv_knrm, drmm)}
    read = {each.__name__: [told(each(*pair)) for pair in TOKENS] for each in (mono_bert, intent_bert, epic, mono_t5)}
    return {"vectors": VECTORS, "texts": TEXTS, "words": words, "tokens": TOKENS, "transformers": read}
