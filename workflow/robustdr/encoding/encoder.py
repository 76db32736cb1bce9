"""A dual encoder: the model of a sentence-transformers directory, which gets batches sorted by length."""

import copy
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from transformers import AutoModel, PreTrainedModel

import robustdr.encoding.character  # noqa: F401  registers CharacterBERT with the Auto classes of transformers
from robustdr.core.errors import UserError
from robustdr.core.files import from_json
from robustdr.core.seeds import digest
from robustdr.core.terminal import progress_bar
from robustdr.encoding import loading
from robustdr.encoding.batching import by_length, pad
from robustdr.encoding.directory import QUERY, SEPARATOR, SETTINGS, is_plain, is_router, part
from robustdr.encoding.hardware import Precision, at_once, autocast, device, dtype, sent

if TYPE_CHECKING:
    from robustdr.encoding import whole

# Tokens of one pass through the model, padding included: few enough to group texts of one length, enough to keep the
# hardware busy.
GROUP_TOKENS = {"cpu": 512, "cuda": 1 << 15}
# On a GPU, of one pass without gradients: starting the kernels of a smaller one may take longer than running them.
# Outputs of layers are not kept: the largest is 0.4 GB, for BERT-base in half precision.
ENCODED_TOKENS = 1 << 16
PIECE = 8192  # texts tokenised while a GPU encodes the previous ones


def drop_out(model: torch.nn.Module, probability: float) -> None:
    """Set the probability of all dropout layers of a model."""
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = probability


class Encoder:
    """One encoder of a directory of sentence-transformers.

    A transformer with only a pooling (`cls` or `mean`) is read without importing sentence-transformers, which would
    take a second and a half in each process. Its config.json says whether it reads word pieces or, as a CharacterBERT,
    words. A token is then a word, 50 ids of its characters. Every other directory is read by `whole.Whole`.

    The similarity of two texts is the dot product of their vectors; if the directory's is the cosine, the vectors have
    length 1.

    Args:
        path: the model directory (see `loading` for what is refused).
        on: device; default: the first GPU, else the CPU.
        precision: of the computation.
        training: keep the weights in single precision in any case, because an optimiser needs them.
        route: `query` or `document`: which encoder of a directory with two, and which prompt.

    Attributes:
        model: the transformer, or all modules. dimension: of the vectors. tokenizer: the transformer's.
        whole: the reader of a directory with more than a transformer with a pooling; None for others.

    Raises:
        UserError: `path` holds no such model, a part of it is not supported, or the hardware does not compute in the
            precision.
    """

    def __init__(
        self,
        path: str | Path,
        precision: Precision = "float32",
        training: bool = False,
        route: str = QUERY,
        on: torch.device | None = None,
    ):
        self.path, self.precision, self.route = Path(path), precision, route
        self.device = on or device()
        weights = dtype("float32" if training else precision, self.device)
        self._computing = partial(autocast, precision if training else "float32", self.device)
        # On the CPU plain attention trains faster: the fused kernel's backward pass takes a third of a step.
        attention = "eager" if self.device.type == "cpu" else "sdpa"
        self.model: Any = None
        self.tokenizer: Any = None
        self.whole: whole.Whole | None = None
        try:
            with loading.reading():
                if plain := is_plain(self.path):
                    folder, pooler = part(self.path, route)
                    self.pooling = from_json((pooler / "config.json").read_bytes())["pooling_mode"]
                    model = loading.transformer(AutoModel, folder, attn_implementation=attention, dtype=weights)
                    self.model, self.tokenizer = model.to(self.device), loading.tokenizer(folder)
                    self.dimension = self.model.config.hidden_size
        except UserError:
            raise
        except (OSError, ValueError) as error:
            raise UserError(f"{path}: no model there, or a damaged one ({error}); delete it and run again") from error
        if not plain:
            from robustdr.encoding.whole import Whole

            self.whole = Whole(self.path, route, weights, attention, self.device)
            self.model, self.tokenizer = self.whole.model, self.whole.tokenizer
            self.dimension = self.whole.dimension

    @property
    def separator(self) -> str:
        """The string between the title and the text of a passage: as the directory says.

        If it says nothing: for a plain transformer the tokenizer's separator, as in the papers' toolkit; for others a
        space, as in BEIR's evaluations of them (Thakur et al. 2021).
        """
        stated: str | None = from_json((self.path / SETTINGS).read_bytes()).get(SEPARATOR)
        return stated or (" " if self.whole else f" {self.tokenizer.sep_token} ")

    @property
    def transformer(self) -> PreTrainedModel:
        """The transformer itself."""
        transformer: PreTrainedModel = self.whole.model[0].model if self.whole else self.model
        return transformer

    def for_route(self, route: str) -> "Encoder":
        """Return the encoder of a route of the same directory; it shares the weights if the routes share them."""
        if route == self.route:
            return self
        if is_router(self.path):
            return Encoder(self.path, self.precision, route=route, on=self.device)
        route_encoder = copy.copy(self)
        route_encoder.route, route_encoder.whole = route, self.whole and self.whole.for_route(route)
        return route_encoder

    def tokenise(self, texts: Sequence[str], max_length: int) -> list[list[int]]:
        """Return token ids of each text with prompt and special tokens, at most `max_length` and the model's limit."""
        if self.whole:
            return self.whole.tokenise(texts, max_length)
        return self.tokenizer(
            list(texts),
            truncation=True,
            max_length=max_length,
            return_attention_mask=False,
            return_token_type_ids=False,
        )["input_ids"]

    def groups(self, tokens: Sequence[Sequence[int]], limit: int | None = None) -> list[list[int]]:
        """Return positions of texts in groups for one pass: similar lengths, at most `limit` tokens with padding."""
        return by_length([len(ids) for ids in tokens], limit or GROUP_TOKENS[self.device.type])

    def forward(self, tokens: Sequence[Sequence[int]], seed: int = 0) -> torch.Tensor:
        """Return vectors of texts that go through the model together, [texts, dimension]; `seed` is that of dropout."""
        if self.model.training:
            torch.manual_seed(seed)
        padded = pad(tokens, getattr(self.tokenizer, "pad_token_id", 0))
        features = {name: sent(ids, self.device) for name, ids in padded.items()}
        if self.whole:
            with self._computing():
                return self.whole.forward(features)
        with self._computing():
            hidden = self.model(**features).last_hidden_state.float()  # [texts, tokens, dimension]
        return self.pool(hidden, features["attention_mask"])

    def pool(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the vectors of texts, [texts, dimension], from those of their tokens, [texts, tokens, dimension]."""
        if self.pooling == "cls":
            return hidden[:, 0]
        mask = mask.unsqueeze(-1)
        return (hidden * mask).sum(1) / mask.sum(1)

    def embed(self, tokens: Sequence[Sequence[int]], seed: int = 0, limit: int | None = None) -> torch.Tensor:
        """Return vectors of one batch of token ids, [texts, dimension], with gradients if these are enabled.

        The batch goes through the model in `groups` of similar length, to keep padding small.
        """
        groups = self.groups(tokens, limit)
        with self._computing():  # once around all groups, so that weights are converted to half precision only once
            vectors = [self.forward([tokens[i] for i in group], digest(seed, n)) for n, group in enumerate(groups)]
        order = torch.tensor([position for group in groups for position in group], device=self.device)
        return torch.cat(vectors)[order.argsort()]

    def encode(
        self, texts: Iterable[str], max_length: int, batch_tokens: int = 16384, progress: str | None = None
    ) -> np.ndarray:
        """Return vectors of all texts.

        Args:
            texts: what to encode.
            max_length: tokens kept of each text.
            batch_tokens: tokens in one batch, padding included; a GPU has its own number.
            progress: label of the bar on a terminal; None for no bar.

        Returns:
            [texts, dimension], float32.
        """
        texts = list(texts)
        # A GPU encodes a piece while the next one is tokenised; its vectors are fetched at the end. On a CPU the two
        # would slow each other down, and all texts are sorted together.
        on_gpu = self.device.type == "cuda"
        step = PIECE if on_gpu else max(1, len(texts))
        starts = range(0, len(texts), step)
        self.model.eval()

        @torch.inference_mode()
        def encode(start: int, tokens: list[list[int]], batch: list[int]) -> None:
            token_ids = [tokens[i] for i in batch]
            rows = sent(torch.tensor(batch) + start, self.device)
            vectors[rows] = self.forward(token_ids) if on_gpu else self.embed(token_ids)
            bar.update(len(batch))

        with progress_bar(progress, len(texts)) as bar, ThreadPoolExecutor(1) as ahead:
            vectors = torch.empty((len(texts), self.dimension), device=self.device)
            pieces = ahead.map(lambda start: self.tokenise(texts[start : start + step], max_length), starts)
            for start, tokens in zip(starts, pieces, strict=True):
                lengths = [len(ids) for ids in tokens]
                if on_gpu:
                    for batch in by_length(lengths, ENCODED_TOKENS, step):
                        encode(start, tokens, batch)
                else:
                    at_once(partial(encode, start, tokens), by_length(lengths, batch_tokens))
        return vectors.cpu().numpy()
