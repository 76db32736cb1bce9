"""Model folders on this machine: their weights, and whether their tokenizers read and write words."""

import re
from pathlib import Path

from robustdr.core.files import sha256
from robustdr.encoding.source import WEIGHTS

SENTENCE = "how do people look for passages about the history of science"


def unusable(folder: Path, sha: str = "", tokenizer: bool = True) -> str:
    """Return what is wrong with a model's folder; '' if nothing is.

    Args:
        sha: SHA-256 of its weights; '' if it is not known. tokenizer: whether one belongs to it.
    """
    if not folder.is_dir():
        return f"{folder}: no such folder"
    if not (folder / WEIGHTS).is_file():
        pickled = any(folder.glob("pytorch_model*.bin"))
        return f"{folder}: no {WEIGHTS}" + ("; there is a pickle, which is not read" if pickled else "")
    if sha and (actual := sha256(folder / WEIGHTS)) != sha:
        return f"{folder / WEIGHTS}: its SHA-256 is {actual}, the configuration pins {sha}"
    return _tokenizer(folder) if tokenizer else ""


def _tokenizer(folder: Path) -> str:
    """Return why the folder's tokenizer does not give a sentence back; '' if it does."""
    from robustdr.encoding import loading

    try:
        tokenizer = loading.tokenizer(folder)
        back = tokenizer.decode(tokenizer(SENTENCE)["input_ids"], skip_special_tokens=True)
    except (OSError, ValueError) as error:  # UserError is a ValueError
        return f"{folder}: its tokenizer cannot be read ({' '.join(str(error).split())[:200]})"
    if re.findall(r"\w+", back.lower()) != SENTENCE.split():
        return f"{folder}: its tokenizer reads {SENTENCE!r} and gives back {back[:100]!r}: a file of it is missing"
    return ""
