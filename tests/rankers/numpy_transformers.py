"""BERT and T5 in plain NumPy, one text at a time and head by head, so that there is no padding to get wrong."""

import math

import numpy as np


def arrays(module) -> dict[str, np.ndarray]:
    """The weights of a module by name, in double precision."""
    return {name: tensor.detach().double().numpy().copy() for name, tensor in module.state_dict().items()}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def softmax(x):
    weights = np.exp(x - x.max())
    return weights / weights.sum()


def layer_norm(x, gain, shift, epsilon):
    rows = [(row - row.mean()) / np.sqrt(((row - row.mean()) ** 2).mean() + epsilon) for row in x]
    return np.array(rows) * gain + shift


def attend(queries, keys, values, heads, scale, bias=None):
    """Each position's mixture of the values, head by head; `bias`: [heads, queries, keys]."""
    size = queries.shape[1] // heads
    mixed = np.zeros((len(queries), queries.shape[1]))
    for head in range(heads):
        columns = slice(head * size, (head + 1) * size)
        for i, query in enumerate(queries):
            logits = np.array([query[columns] @ key[columns] * scale for key in keys])
            weights = softmax(logits if bias is None else logits + bias[head, i])
            mixed[i, columns] = sum(weight * value[columns] for weight, value in zip(weights, values, strict=True))
    return mixed


def bert(w, config, ids, types, prefix="bert."):
    """The last layer's vectors of one text, [tokens, d]."""
    return bert_layers(w, config, bert_embeddings(w, config, ids, types, f"{prefix}embeddings."), prefix)


def bert_embeddings(w, config, ids, types, prefix):
    """What the first layer reads of one text, [tokens, d]."""
    tables = [w[f"{prefix}{kind}_embeddings.weight"] for kind in ("word", "token_type", "position")]
    x = np.array(
        [
            tables[0][t] + tables[1][k] + tables[2][position]
            for position, (t, k) in enumerate(zip(ids, types, strict=True))
        ]
    )
    return layer_norm(x, w[f"{prefix}LayerNorm.weight"], w[f"{prefix}LayerNorm.bias"], config.layer_norm_eps)


def bert_layers(w, config, x, prefix="bert."):
    """The last layer's vectors of what the first layer reads."""

    def linear(name, x):
        return x @ w[f"{prefix}{name}.weight"].T + w[f"{prefix}{name}.bias"]

    def norm(name, x):
        return layer_norm(x, w[f"{prefix}{name}.weight"], w[f"{prefix}{name}.bias"], config.layer_norm_eps)

    scale = 1 / math.sqrt(config.hidden_size / config.num_attention_heads)
    for number in range(config.num_hidden_layers):
        layer = f"encoder.layer.{number}"
        query, key, value = (linear(f"{layer}.attention.self.{kind}", x) for kind in ("query", "key", "value"))
        mixed = attend(query, key, value, config.num_attention_heads, scale)
        x = norm(f"{layer}.attention.output.LayerNorm", x + linear(f"{layer}.attention.output.dense", mixed))
        inner = gelu(linear(f"{layer}.intermediate.dense", x))
        x = norm(f"{layer}.output.LayerNorm", x + linear(f"{layer}.output.dense", inner))
    return x


def bucket(distance, both_ways, buckets, farthest):
    """T5's bucket of key position − query position: exact when near, logarithmic when far (Raffel et al. 2020)."""
    first = 0
    if both_ways:
        buckets //= 2
        first = buckets if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    bucket_number = exact + int(math.log(distance / exact) / math.log(farthest / exact) * (buckets - exact))
    return first + min(bucket_number, buckets - 1)


def t5_stack(w, config, stack, ids, encoded=None):
    """The vectors of one text from the encoder, or of what is written so far from the decoder, [tokens, d]."""

    def norm(name, x):
        rows = [row / np.sqrt((row**2).mean() + config.layer_norm_epsilon) for row in x]
        return np.array(rows) * w[f"{stack}.{name}.weight"]

    def attention(name, x, read, bias):
        query, key, value = x @ w[f"{name}.q.weight"].T, read @ w[f"{name}.k.weight"].T, read @ w[f"{name}.v.weight"].T
        return attend(query, key, value, config.num_heads, 1, bias) @ w[f"{name}.o.weight"].T

    x = np.array([w["shared.weight"][token] for token in ids])
    table = w[f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    settings = (encoded is None, config.relative_attention_num_buckets, config.relative_attention_max_distance)
    bias = np.array([[table[bucket(j - i, *settings)] for j in range(len(ids))] for i in range(len(ids))]).transpose(
        2, 0, 1
    )
    if encoded is not None:
        bias += [[[0 if j <= i else -np.inf for j in range(len(ids))] for i in range(len(ids))]]
    for number in range(config.num_layers if encoded is None else config.num_decoder_layers):
        block = f"block.{number}.layer"
        normed = norm(f"{block}.0.layer_norm", x)
        x = x + attention(f"{stack}.{block}.0.SelfAttention", normed, normed, bias)
        if encoded is not None:
            normed = norm(f"{block}.1.layer_norm", x)
            x = x + attention(f"{stack}.{block}.1.EncDecAttention", normed, encoded, None)
        last = f"{block}.{1 if encoded is None else 2}"
        inner = norm(f"{last}.layer_norm", x) @ w[f"{stack}.{last}.DenseReluDense.wi.weight"].T
        inner = gelu(inner) if config.dense_act_fn == "gelu" else np.maximum(inner, 0)
        x = x + inner @ w[f"{stack}.{last}.DenseReluDense.wo.weight"].T
    return norm("final_layer_norm", x)
