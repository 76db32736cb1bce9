"""Sequence-to-sequence models: pinned, safetensors only; outputs do not depend on the batch."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from robustdr.core import hub
from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.encoding import loading

PINNED = re.compile(r"(?P<id>[\w.-]+/[\w.-]+)@(?P<revision>[0-9a-f]{40}):(?P<sha256>[0-9a-f]{64})")
_WEIGHTS = "model.safetensors"
EXACT = "float64"


def check(model: str, message_place: str) -> None:
    """Raise a `UserError` unless `model` is a folder with safetensors weights or a hub model `id@revision:sha256`."""
    if not PINNED.fullmatch(model) and not (Path(model) / _WEIGHTS).is_file():
        raise UserError(
            f"{message_place}: {model!r} is neither a folder with {_WEIGHTS} nor a pinned hub model: "
            "owner/name@<40 hex digits of the revision>:<sha256 of its model.safetensors>"
        )


def half() -> tuple[str, ...]:
    """The half precisions to try on a GPU, the more exact one first; none on a CPU."""
    import torch

    return ("float16", "bfloat16") if torch.cuda.is_available() else ()


@cache
def load(model: str, precision: str = EXACT) -> "Seq2Seq":
    """Load a model; `precision` is the name of a torch type. Calls with the same arguments share one model.

    Raises:
        UserError: see `find`.
    """
    return Seq2Seq(find(model), precision)


def find(model: str) -> Path:
    """Return a model's folder; a model of the hub is fetched if it is not there, and checked.

    Raises:
        UserError: the weights cannot be downloaded, or are not the pinned ones.
    """
    pinned = PINNED.fullmatch(model)
    if not pinned:
        return Path(model)
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(pinned["id"], revision=pinned["revision"], allow_patterns=[*hub.MODEL_FILES]))
    except Exception as error:  # network, permission and hub errors have no common class
        raise UserError(f"{model}: cannot be downloaded ({error})") from None
    hub.check_cached(folder, model)
    weights = folder / _WEIGHTS
    if not weights.is_file() or sha256(weights) != pinned["sha256"]:
        raise UserError(f"{model}: {_WEIGHTS} of that revision is missing or has another sha256; nothing was loaded")
    return folder


class Seq2Seq:
    """A sequence-to-sequence model with its tokenizer.

    Beam search is deterministic, but padding and batch shape change the last bits of logits. In float64 the change is
    at most 1e-13 and decides no token, so a query's output depends only on the query. In half precision it is 1e-3.
    """

    def __init__(self, folder: Path, precision: str):
        import google.protobuf  # noqa: F401  (transformers loads both by name, for the tokenizers of T5, Marian, M2M100)
        import sentencepiece  # noqa: F401
        import torch
        from transformers import AutoModelForSeq2SeqLM

        from robustdr.encoding import hardware

        self._torch = torch
        self._device = hardware.device()
        try:
            self._tokenizer = loading.tokenizer(folder)
            model = loading.transformer(AutoModelForSeq2SeqLM, folder, dtype=precision)
        except UserError:
            raise
        except (OSError, ValueError) as error:
            raise UserError(f"{folder}: no whole sequence-to-sequence model with its tokenizer ({error})") from error
        self._model = model.to(self._device).eval()

    def generate(
        self, texts: Sequence[str], source: str = "", target: str = "", *, beams: int, longest: int
    ) -> list[str]:
        """The model's best output for every text, of at most `longest` tokens.

        `source` and `target` are the languages of a multilingual model.
        """
        forced = {}
        if source and target:
            self._tokenizer.src_lang = source
            forced = {"forced_bos_token_id": self._tokenizer.get_lang_id(target)}
        inputs = self._tokenizer(list(texts), return_tensors="pt", padding=True, truncation=True, max_length=256)
        with self._torch.inference_mode():
            tokens = self._model.generate(
                **inputs.to(self._device), num_beams=beams, do_sample=False, max_new_tokens=longest, **forced
            )
        return self._tokenizer.batch_decode(tokens, skip_special_tokens=True)
