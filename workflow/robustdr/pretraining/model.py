"""An encoder whose vector of a text must help a weak decoder to recover it (ToRoDer, section 3)."""

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

import torch
from safetensors import safe_open
from torch.nn.functional import cross_entropy, gelu

from robustdr.core.errors import UserError
from robustdr.encoding.batching import pad
from robustdr.encoding.encoder import Encoder
from robustdr.pretraining import HEAD
from robustdr.pretraining.masks import MaskedPassage, Side

PREDICTIONS = f"{HEAD}.predictions."  # prefix of BERT's own pre-training head in its checkpoints
Targets = tuple[torch.Tensor, torch.Tensor]  # vectors at the positions to recover, [n, d], and their pieces, [n]


class Head(torch.nn.Module):
    """BERT's head of masked language modelling: for each vector, a score of every piece, by its word embedding.

    Its matrix starts as the identity; this is used for checkpoints of retrievers, which have no head.
    """

    def __init__(self, dimension: int, pieces: int, epsilon: float):
        super().__init__()
        self.dense = torch.nn.Linear(dimension, dimension)
        self.norm = torch.nn.LayerNorm(dimension, epsilon)
        self.bias = torch.nn.Parameter(torch.zeros(pieces))
        torch.nn.init.eye_(self.dense.weight)
        torch.nn.init.zeros_(self.dense.bias)

    def load(self, weights: Path, pieces: Sequence[int]) -> None:
        """Load BERT's own head from its safetensors, for the `pieces` that this head scores.

        Raises:
            UserError: the file has no head.
        """
        with safe_open(weights, "pt") as file:
            name_in_file = {}
            for name in [name for name in file.keys() if name.startswith(PREDICTIONS)]:  # noqa: SIM118
                part = name.removeprefix(PREDICTIONS).removeprefix("transform.").replace("LayerNorm", "norm")
                # In old files, layer norms have gamma and beta.
                name_in_file[part.replace("gamma", "weight").replace("beta", "bias")] = name
            if lacking := sorted(self.state_dict().keys() - name_in_file):
                raise UserError(f"{weights}: no head of masked language modelling; {PREDICTIONS} lacks {lacking[0]}")
            state = {name: file.get_tensor(name_in_file[name]) for name in self.state_dict()}
        self.load_state_dict({**state, "bias": state["bias"][list(pieces)]})

    def forward(self, vectors: torch.Tensor, embeddings: torch.Tensor) -> torch.Tensor:
        """Scores: [n, d], [pieces, d] -> [n, pieces]."""
        return self.norm(gelu(self.dense(vectors))) @ embeddings.T + self.bias


class Begun(torch.nn.Module):
    """Embeddings with `first`, [texts, d], at position 0: the decoder reads it instead of [CLS]."""

    def __init__(self, embeddings: torch.nn.Module):
        super().__init__()
        self.embeddings, self.first = embeddings, torch.empty(0)

    def forward(self, *arguments: object, **options: object) -> torch.Tensor:
        embedded = self.embeddings(*arguments, **options)  # [texts, tokens, d]
        return torch.cat([self.first.unsqueeze(1).to(embedded.dtype), embedded[:, 1:]], 1)


class Pretrained(torch.nn.Module):
    """An encoder with its head and, with a bottleneck, a decoder.

    The loss is CE(encoder) + CE(decoder), each the mean over the pieces that this side must recover (ToRoDer, section
    3). At position 0, the decoder's embeddings are the encoder's vector of the text, pooled as the checkpoint pools:
    the last layer's [CLS], or its mean.

    Args:
        ordinary: the pieces that the head scores, ascending.
    """

    def __init__(self, encoder: Encoder, ordinary: Sequence[int]):
        super().__init__()
        self.read_by, self.encoder = encoder, encoder.model
        config = encoder.model.config
        self.head = Head(config.hidden_size, len(ordinary), config.layer_norm_eps).to(encoder.device)
        self.ordinary = torch.tensor(ordinary, device=encoder.device)
        self.words = encoder.model.get_input_embeddings()
        self.decoder: torch.nn.Module | None = None

    def add_decoder(self, layers: int, shared: bool) -> None:
        """Add a decoder: copies of the encoder's last layers; embeddings and head are `shared` or copied too.

        Raises:
            UserError: the encoder has fewer layers.
        """
        blocks = self.encoder.encoder.layer
        if layers > len(blocks):
            raise UserError(f"decoder_layers: {layers}; allowed: at most {len(blocks)}, the encoder's layers")
        decoder = deepcopy(self.encoder)
        decoder.encoder.layer = decoder.encoder.layer[len(blocks) - layers :]
        decoder.config.num_hidden_layers = layers
        self.decoder_words = self.words if shared else decoder.get_input_embeddings()
        self.decoder_head = self.head if shared else deepcopy(self.head)
        self.begun = decoder.embeddings = Begun(self.encoder.embeddings if shared else decoder.embeddings)
        self.decoder = decoder

    def vectors_to_recover(self, masked: Sequence[MaskedPassage]) -> tuple[Targets, Targets | None]:
        """Vectors and pieces at the positions to recover, of encoder and decoder (None without a decoder).

        Passages of similar length go through the model together, which saves padding.
        """
        encoded: list[Targets] = []
        decoded: list[Targets] = []
        for group in self.read_by.groups([passage.encoder.tokens for passage in masked]):
            features, hidden = self.through(self.encoder, [masked[row].encoder for row in group])
            encoded.append(self.target_vectors(hidden, [masked[row].encoder for row in group]))
            if self.decoder is not None:
                self.begun.first = self.read_by.pool(hidden, features["attention_mask"])
                sides = [masked[row].decoder for row in group]
                decoded.append(self.target_vectors(self.through(self.decoder, sides)[1], sides))
        return _joined(encoded), _joined(decoded) if decoded else None

    def through(self, model: torch.nn.Module, sides: list[Side]) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """The padded texts, and the last layer's vectors of their tokens, [texts, tokens, d]."""
        padded = pad([side.tokens for side in sides], self.read_by.tokenizer.pad_token_id)
        features = {name: ids.to(self.read_by.device) for name, ids in padded.items()}
        return features, model(**features).last_hidden_state

    def target_vectors(self, hidden: torch.Tensor, sides: list[Side]) -> Targets:
        """The vectors at the positions of the targets, and each target's index in `ordinary`."""
        places = [(row, position, piece) for row, side in enumerate(sides) for position, piece in side.targets.items()]
        rows, positions, pieces = torch.tensor(places, device=hidden.device).reshape(-1, 3).long().T
        return hidden[rows, positions], torch.searchsorted(self.ordinary, pieces.contiguous())

    def forward(self, masked: Sequence[MaskedPassage]) -> dict[str, torch.Tensor]:
        """The terms of the loss, by name."""
        encoded, decoded = self.vectors_to_recover(masked)
        terms = {"encoder": self.loss(self.head, self.words, encoded)}
        if decoded is not None:
            terms["decoder"] = self.loss(self.decoder_head, self.decoder_words, decoded)
        return terms

    def loss(self, head: Head, words: torch.nn.Embedding, recovered: Targets) -> torch.Tensor:
        """The mean cross-entropy of the pieces to recover; 0 if there are none."""
        vectors, pieces = recovered
        scores = head(vectors, words.weight[self.ordinary])  # [n, ordinary pieces]
        single = scores.to(torch.promote_types(scores.dtype, torch.float32))
        return cross_entropy(single, pieces, reduction="sum") / max(1, len(pieces))


def _joined(parts: list[Targets]) -> Targets:
    vectors, pieces = zip(*parts, strict=True)
    return torch.cat(vectors), torch.cat(pieces)
