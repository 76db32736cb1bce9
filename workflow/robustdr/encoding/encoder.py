"""A dual encoder: the model of a sentence-transformers directory, fed batches sorted by length."""

import json
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from tqdm import tqdm
from transformers import AutoModel, AutoTokenizer

import robustdr.encoding.character  # noqa: F401  by it, the Auto classes of transformers know a CharacterBERT
from robustdr.encoding.batching import by_length, pad
from robustdr.encoding.directory import QUERY, part
from robustdr.encoding.hardware import Precision, autocast, device, dtype
from robustdr.errors import UserError
from robustdr.seeds import digest

# Tokens of one pass through the model, padding included: few enough that texts of one length go together, enough to
# keep the hardware busy.
GROUP_TOKENS = {"cpu": 512, "cuda": 1 << 13}


def drop_out(model: torch.nn.Module, probability: float) -> None:
    """Set the probability of every dropout layer of a model."""
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = probability


class Encoder:
    """One encoder of a model directory as this project writes it: a transformer and a pooling (`cls` or `mean`).

    The directory's config.json says whether it reads word pieces or, as a CharacterBERT, words. A token is then a word,
    50 ids of its characters.

    It is read without importing sentence-transformers, which would cost a second and a half a process.

    Args:
        path: the model directory (safetensors; code from the directory is never run).
        on: device; default: the first GPU, else the CPU.
        precision: that it computes in.
        training: keep the weights in single precision whatever the precision, as an optimiser needs them.
        route: `query` or `document`: which encoder of a directory that has one for each.

    Attributes:
        model: the transformer. dimension: of its vectors. tokenizer: its tokenizer.

    Raises:
        UserError: `path` holds no such model, or the hardware does not compute in the precision.
    """

    def __init__(
        self,
        path: str | Path,
        precision: Precision = "float32",
        training: bool = False,
        route: str = QUERY,
        on: torch.device | None = None,
    ):
        self.device = on or device()
        weights = dtype("float32" if training else precision, self.device)
        self._computing = partial(autocast, precision if training else "float32", self.device)
        # On the CPU the plain attention trains faster: the fused kernel's backward pass costs a third of a step.
        attention = "eager" if self.device.type == "cpu" else "sdpa"
        try:
            transformer, pooler = part(Path(path), route)
            pooling = json.loads((pooler / "config.json").read_text(encoding="utf-8"))
            self.model = AutoModel.from_pretrained(
                transformer,
                attn_implementation=attention,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                dtype=weights,
            ).to(self.device)
            self.tokenizer = AutoTokenizer.from_pretrained(transformer, local_files_only=True, trust_remote_code=False)
        except (OSError, ValueError, SafetensorError) as error:
            raise UserError(f"{path}: no model there, or a damaged one ({error}); delete it and run again") from error
        self.pooling = pooling["pooling_mode"]
        self.dimension = self.model.config.hidden_size

    def tokenise(self, texts: Sequence[str], max_length: int) -> list[list[int]]:
        """Token ids of each text with special tokens, at most `max_length` tokens."""
        return self.tokenizer(
            list(texts),
            truncation=True,
            max_length=max_length,
            return_attention_mask=False,
            return_token_type_ids=False,
        )["input_ids"]

    def groups(self, tokens: Sequence[Sequence[int]], limit: int | None = None) -> list[list[int]]:
        """Positions of texts of similar length, at most `limit` tokens with padding: each group is one pass."""
        return by_length([len(ids) for ids in tokens], limit or GROUP_TOKENS[self.device.type])

    def forward(self, tokens: Sequence[Sequence[int]], seed: int = 0) -> torch.Tensor:
        """Vectors of texts that go through the model together, [texts, dimension]; `seed` is that of dropout."""
        if self.model.training:
            torch.manual_seed(seed)
        padded = pad(tokens, self.tokenizer.pad_token_id)
        features = {name: ids.to(self.device) for name, ids in padded.items()}
        with self._computing():
            hidden = self.model(**features).last_hidden_state.float()  # [texts, tokens, dimension]
        return self.pool(hidden, features["attention_mask"])

    def pool(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The vectors of texts, [texts, dimension], from those of their tokens, [texts, tokens, dimension]."""
        if self.pooling == "cls":
            return hidden[:, 0]
        mask = mask.unsqueeze(-1)
        return (hidden * mask).sum(1) / mask.sum(1)

    def embed(self, tokens: Sequence[Sequence[int]], seed: int = 0, limit: int | None = None) -> torch.Tensor:
        """Vectors of one batch of token ids, [texts, dimension], with gradients where they are enabled.

        The batch goes through the model in `groups`: what padding would cost is saved.
        """
        groups = self.groups(tokens, limit)
        with self._computing():  # around them all: weights are brought to half precision once, not for every group
            vectors = [self.forward([tokens[i] for i in group], digest(seed, n)) for n, group in enumerate(groups)]
        order = torch.tensor([position for group in groups for position in group], device=self.device)
        return torch.cat(vectors)[order.argsort()]

    def encode(
        self, texts: Iterable[str], max_length: int, batch_tokens: int = 16384, progress: str | None = None
    ) -> np.ndarray:
        """Vectors of all texts.

        Args:
            texts: what to encode.
            max_length: tokens kept of each text.
            batch_tokens: tokens in one batch, padding included.
            progress: label of the progress bar (shown on a terminal only); None for no bar.

        Returns:
            [texts, dimension], float32.
        """
        tokens = self.tokenise(list(texts), max_length)
        self.model.eval()
        vectors = np.empty((len(tokens), self.dimension), dtype=np.float32)
        bar = tqdm(total=len(tokens), desc=progress, unit="text", disable=None if progress else True)
        with torch.inference_mode(), bar:
            for batch in by_length([len(ids) for ids in tokens], batch_tokens):
                vectors[batch] = self.embed([tokens[i] for i in batch]).cpu().numpy()
                bar.update(len(batch))
        return vectors
