"""The tokenizer of pre-training: from words to word pieces and back."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from tokenizers.models import WordPiece

from robustdr.core.errors import UserError
from robustdr.encoding import loading

CONTINUES = "##"  # prefix of a piece that continues a word


class Vocabulary:
    """The word pieces of a checkpoint.

    Attributes:
        tokenizer: the checkpoint's. pieces: the text of each id.
        special: ids of special tokens, also of the unknown word.

    Raises:
        UserError: the tokenizer has no mask token.
    """

    def __init__(self, checkpoint: Path):
        self.tokenizer = loading.tokenizer(checkpoint)
        if self.tokenizer.mask_token_id is None:
            raise UserError(
                f"{checkpoint}: its tokenizer has no mask token, and pre-training masks words; "
                "name a checkpoint whose tokenizer has one as `initial`"
            )
        self.mask, self.special = self.tokenizer.mask_token_id, frozenset(self.tokenizer.all_special_ids)
        self.first, self.last = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        self.pieces = [str(self.tokenizer.convert_ids_to_tokens(token)) for token in range(len(self.tokenizer))]
        self.continues = [piece.startswith(CONTINUES) for piece in self.pieces]
        model = self.tokenizer.backend_tokenizer.model
        self.word_pieces = model if isinstance(model, WordPiece) else None
        self.split = lru_cache(1 << 16)(self._split)

    def ordinary(self) -> list[int]:
        """The ids of all pieces that are not special."""
        return [token for token in range(len(self.pieces)) if token not in self.special]

    def tokenise(self, texts: Sequence[str], length: int) -> list[list[int]]:
        """The first `length` pieces of each text, without special tokens."""
        encoded = self.tokenizer(list(texts), add_special_tokens=False, truncation=True, max_length=length)
        return encoded["input_ids"]

    def words(self, pieces: Sequence[int]) -> list[list[int]]:
        """The pieces of each word: letters or digits in a row, or one punctuation mark."""
        words: list[list[int]] = []
        for piece in pieces:
            if self.continues[piece] and words:
                words[-1].append(piece)
            else:
                words.append([piece])
        return words

    def text(self, word: Sequence[int]) -> str:
        """The text of a word, in lower case if the tokenizer lowers it."""
        return "".join(self.pieces[piece].removeprefix(CONTINUES) for piece in word)

    def _split(self, text: str) -> list[int]:
        """The pieces of a word. A plain one needs the model alone, an eighth of the backend tokenizer's time."""
        if self.word_pieces and text.isascii() and text.isalnum() and text == text.lower():
            return [token.id for token in self.word_pieces.tokenize(text)]
        return self.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids

    def framed(self, pieces: Sequence[int]) -> list[int]:
        """A text with its special tokens around it."""
        return [self.first, *pieces, self.last]
