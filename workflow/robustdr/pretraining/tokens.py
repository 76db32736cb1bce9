"""The word pieces of a corpus, made once: arrays on disk that all processes of all pre-trainings map into memory."""

from array import array
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from robustdr.collections.reading import read_records
from robustdr.core.errors import UserError
from robustdr.core.files import atomic
from robustdr.core.seeds import digest
from robustdr.pretraining.vocabulary import Vocabulary

CHUNK = 1 << 14  # passages tokenised together, on all cores of the job
PIECES, ENDS, NAMES = "pieces.npy", "ends.npy", "names.npy"


def write_tokens(corpus: Path, checkpoint: Path, length: int, output: Path) -> None:
    """Write the pieces of all passages with a text, without titles, as in the released code.

    Memory holds 16 bytes for each passage.

    Args:
        corpus: corpus.jsonl. checkpoint: the model directory whose tokenizer is used.
        length: tokens kept of a passage, two special ones included; these are not written.
        output: the folder. `pieces.npy`: of all passages, one after the other, uint16 if the vocabulary allows it, else
            uint32. `ends.npy`: where each passage ends in it, int64. `names.npy`: digest of each docid, uint64.

    Raises:
        UserError: no passage has a text; see also `Vocabulary`.
    """
    vocabulary = Vocabulary(checkpoint)
    kind = np.dtype(np.uint16 if len(vocabulary.pieces) <= 1 << 16 else np.uint32)
    records, total, ends, names = read_records(corpus), 0, array("q"), array("Q")
    with atomic(output) as temporary:
        temporary.mkdir()
        with open(temporary / PIECES, "wb") as file:
            _write_header(file, kind, 0)
            while chunk := list(islice(records, CHUNK)):
                texts = vocabulary.tokenise([passage.text for _, passage in chunk], length - 2)
                for (_, passage), text in zip(chunk, texts, strict=True):
                    if text:
                        total += len(text)
                        ends.append(total)
                        names.append(digest(passage.docid))
                np.concatenate([np.array(text, kind) for text in texts]).tofile(file)
            file.seek(0)
            _write_header(file, kind, total)
        if not ends:
            raise UserError(f"{corpus}: no passage has a text, and pre-training needs texts")
        np.save(temporary / ENDS, np.array(ends, np.int64))
        np.save(temporary / NAMES, np.array(names, np.uint64))
    print(f"{len(ends)} passages, {total / len(ends):.1f} pieces each")


def _write_header(file: BinaryIO, kind: np.dtype[Any], length: int) -> None:
    """Write the header of a row of numbers; NumPy leaves room for any length, so that it can be written again."""
    description = np.lib.format.dtype_to_descr(kind)
    np.lib.format.write_array_header_1_0(file, {"descr": description, "fortran_order": False, "shape": (length,)})


def read_tokens(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (pieces, ends, names), see `write_tokens`, mapped into memory.

    Raises:
        UserError: a file is missing or damaged.
    """
    try:
        pieces, ends, names = (np.load(folder / name, mmap_mode="r") for name in (PIECES, ENDS, NAMES))
    except (OSError, ValueError) as error:
        raise UserError(f"{folder}: damaged tokens ({error}); delete the folder and run again") from error
    return pieces, ends, names
