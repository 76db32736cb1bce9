"""The inputs of encoder and decoder: passages with misspelled and masked words, and the pieces to recover."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor

from robustdr.core.seeds import Draw
from robustdr.pretraining.settings import PretrainingSettings
from robustdr.pretraining.vocabulary import Vocabulary
from robustdr.variations.base import WORD
from robustdr.variations.typos import Typo

TYPO = Typo()


@lru_cache(1 << 16)
def is_mistakable(text: str) -> bool:
    """Whether `TYPO` may change a word; the others take nothing of a `Draw`."""
    return any(map(TYPO.eligible, WORD.finditer(text)))


@dataclass(frozen=True)
class Side:
    """The input of one side: token ids with special tokens, and the pieces to recover, by position."""

    tokens: list[int]
    targets: dict[int, int]


@dataclass(frozen=True)
class MaskedPassage:
    """The inputs of both sides for one passage; `decoder` is empty without a bottleneck.

    Attributes:
        words, misspelled, pieces: their numbers in the passage.
    """

    encoder: Side
    decoder: Side
    words: int
    misspelled: int
    pieces: int


class Masks:
    """Typos and masks of passages (ToRoDer, section 3).

    Words are those of BERT's tokenizer, chosen whole. All choices follow one random order of the passage's words;
    unknown words are left out.

    1. A share of the words is misspelled by the generator `typo`, see `PretrainingSettings.typos`.
    2. The encoder must recover correct words: in the random order, each word that still fits into `mask` of the
       passage's pieces. Of these words 80 % are masked, 10 % replaced by random pieces, and 10 % stay.
    3. The decoder must recover every word of 1 and 2, and more words until its share is `decoder_mask`. The decoder's
       input masks all of them.

    A misspelled word may have more or fewer pieces than the correct word. The decoder reads and recovers the correct
    word, so the two sides are aligned by words and not by positions. With `recover`, the encoder must recover
    misspelled words too: each of their pieces predicts the correct word's piece at the same place, if there is one.

    Args:
        random: pieces that can replace a word.
    """

    def __init__(self, settings: PretrainingSettings, vocabulary: Vocabulary, random: Sequence[int]):
        self.settings, self.vocabulary, self.random = settings, vocabulary, random

    def show(self, passage: Sequence[int], draw: Draw) -> MaskedPassage:
        """The inputs of both sides for a passage of word pieces; they depend only on the passage and `draw`."""
        words = self.vocabulary.words(passage)
        order = draw.shuffled(
            [position for position, word in enumerate(words) if word[0] not in self.vocabulary.special]
        )
        wrong = self.misspelled(words, order, draw)
        masked = self.fitting(
            words, [position for position in order if position not in wrong], self.settings.mask * len(passage)
        )
        hidden, nothing = self.hidden(words, order, {*wrong, *masked}, len(passage)), Side([], {})
        return MaskedPassage(
            self.encoder(words, wrong, masked, draw),
            self.decoder(words, hidden) if self.settings.bottleneck else nothing,
            len(words),
            len(wrong),
            len(passage),
        )

    def misspelled(self, words: list[list[int]], order: list[int], draw: Draw) -> dict[int, list[int]]:
        """The pieces of each misspelled word, by the word's position."""
        ratio = self.settings.typo
        nominal, chance = self.settings.typos == "nominal", ratio * (1 << 32)
        target = len(words) if nominal else floor(ratio * len(words) + 0.5)
        wrong: dict[int, list[int]] = {}
        for position in order if ratio else ():
            if len(wrong) == target:
                break
            if nominal and draw.integer_below(1 << 32) >= chance:
                continue
            text = self.vocabulary.text(words[position])
            if is_mistakable(text) and (changed := TYPO.rewrite(text, draw)) != text:
                wrong[position] = self.vocabulary.split(changed)
        return wrong

    def fitting(self, words: list[list[int]], order: list[int], limit: float) -> set[int]:
        """Positions of words that fit, taken in this order, into `limit` pieces (rounded half up)."""
        room, positions = floor(limit + 0.5), set()
        for position in order:
            if len(words[position]) <= room:
                positions.add(position)
                room -= len(words[position])
        return positions

    def hidden(self, words: list[list[int]], order: list[int], first: set[int], pieces: int) -> set[int]:
        """The words of `first`, and further words in this order until they have `decoder_mask` of the pieces."""
        positions, count = set(first), sum(len(words[position]) for position in first)
        for position in order:
            if count >= self.settings.decoder_mask * pieces:
                break
            if position not in first:
                positions.add(position)
                count += len(words[position])
        return positions

    def encoder(self, words: list[list[int]], wrong: dict[int, list[int]], masked: set[int], draw: Draw) -> Side:
        tokens: list[int] = []
        targets: dict[int, int] = {}
        for position, word in enumerate(words):
            start = len(tokens) + 1  # after [CLS]
            if position in masked:
                targets.update(enumerate(word, start))
                tokens += self.replaced(word, draw)
            elif position in wrong:
                if self.settings.recover:
                    targets.update(enumerate(word[: len(wrong[position])], start))
                tokens += wrong[position]
            else:
                tokens += word
        longest = self.settings.length - 2
        targets_within = {position: piece for position, piece in targets.items() if position <= longest}
        return Side(self.vocabulary.framed(tokens[:longest]), targets_within)

    def replaced(self, word: list[int], draw: Draw) -> list[int]:
        """The pieces that the encoder reads in place of a word to recover (Devlin et al. 2019)."""
        chance = draw.integer_below(10)
        if chance == 9:
            return word
        return [draw.choice(self.random) if chance == 8 else self.vocabulary.mask for _ in word]

    def decoder(self, words: list[list[int]], hidden: set[int]) -> Side:
        tokens: list[int] = []
        targets: dict[int, int] = {}
        for position, word in enumerate(words):
            if position in hidden:
                targets.update(enumerate(word, len(tokens) + 1))
                tokens += [self.vocabulary.mask] * len(word)
            else:
                tokens += word
        return Side(self.vocabulary.framed(tokens), targets)
