"""A dual encoder: a sentence-transformers model, fed batches sorted by length."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from robustdr.encoding.batching import by_length, pad
from robustdr.errors import UserError

Role = Literal["query", "document"]

GROUP_TOKENS = {"cpu": 512, "cuda": 1 << 18}  # tokens of one pass through the model, padding included


def device() -> torch.device:
    """The first CUDA device of this process where there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def half_precision(on: torch.device) -> torch.dtype | None:
    """The half precision that the hardware computes in: bfloat16, else float16 (CUDA only), else None."""
    if on.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    return torch.bfloat16 if torch.cpu._is_avx512_bf16_supported() else None


def autocast(on: torch.device) -> AbstractContextManager:
    """Compute in half precision where the hardware has it."""
    dtype = half_precision(on)
    return torch.autocast(on.type, dtype=dtype or torch.bfloat16, enabled=dtype is not None)


class Encoder:
    """A sentence-transformers directory as a dual encoder.

    Args:
        path: the model directory (safetensors; code from the directory is never run).
        on: device; default: the first GPU, else the CPU.

    Raises:
        UserError: `path` holds no sentence-transformers model.
    """

    def __init__(self, path: str | Path, on: torch.device | None = None):
        if not (Path(path) / "modules.json").is_file():
            raise UserError(f"{path}: no sentence-transformers model there (modules.json is missing)")
        self.device = on or device()
        # On the CPU the plain attention trains faster: the fused kernel's backward pass costs a third of a step.
        attention = "eager" if self.device.type == "cpu" else "sdpa"
        self.model = SentenceTransformer(
            str(path),
            device=str(self.device),
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"attn_implementation": attention, "use_safetensors": True},
        )
        self.tokenizer = self.model.tokenizer

    def tokenise(self, texts: Sequence[str], max_length: int) -> list[list[int]]:
        """Token ids of each text with special tokens, at most `max_length` of them."""
        return self.tokenizer(
            list(texts), truncation=True, max_length=max_length, return_attention_mask=False, return_token_type_ids=False
        )["input_ids"]

    def embed(self, tokens: Sequence[Sequence[int]], role: Role) -> torch.Tensor:
        """Vectors of one batch of token ids, [texts, dimension], with gradients where they are enabled.

        The batch goes through the model in groups of similar length: what padding would cost is saved.
        """
        groups = by_length([len(ids) for ids in tokens], GROUP_TOKENS[self.device.type])
        vectors = []
        for group in groups:
            padded = pad([tokens[i] for i in group], self.tokenizer.pad_token_id)
            features = {name: ids.to(self.device) for name, ids in padded.items()}
            vectors.append(self.model(features, task=role)["sentence_embedding"])
        order = torch.tensor([position for group in groups for position in group], device=self.device)
        return torch.cat(vectors)[order.argsort()]

    def encode(
        self, texts: Iterable[str], role: Role, max_length: int, batch_tokens: int = 16384, progress: str | None = None
    ) -> np.ndarray:
        """Vectors of all texts.

        Args:
            texts: what to encode.
            role: which of the two encoders.
            max_length: tokens kept of each text.
            batch_tokens: tokens in one batch, padding included.
            progress: label of the progress bar (shown on a terminal only); None for no bar.

        Returns:
            [texts, dimension], float32.
        """
        from tqdm import tqdm

        tokens = self.tokenise(list(texts), max_length)
        self.model.eval()
        vectors = np.empty((len(tokens), self.model.get_embedding_dimension() or 0), dtype=np.float32)
        bar = tqdm(total=len(tokens), desc=progress, unit="text", disable=None if progress else True)
        with torch.inference_mode(), autocast(self.device), bar:
            for batch in by_length([len(ids) for ids in tokens], batch_tokens):
                vectors[batch] = self.embed([tokens[i] for i in batch], role).float().cpu().numpy()
                bar.update(len(batch))
        return vectors
