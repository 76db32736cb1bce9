"""What encoder and decoder see of a passage: misspelled and masked words, and what they must recover."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from robustdr.core.seeds import Draw
from robustdr.pretraining.settings import PretrainingSettings
from robustdr.pretraining.vocabulary import Vocabulary
from robustdr.variations.typos import Typo

TYPO = Typo()


@dataclass(frozen=True)
class Side:
    """A text as one side reads it: token ids with special tokens, and the piece to recover by position."""

    tokens: list[int]
    targets: dict[int, int]


@dataclass(frozen=True)
class Shown:
    """A passage as both sides read it; `decoder` is empty without a bottleneck.

    Attributes:
        words, misspelled: how many there are. pieces: of the passage.
    """

    encoder: Side
    decoder: Side
    words: int
    misspelled: int
    pieces: int


class Masks:
    """Typos and masks of passages (ToRoDer, section 3).

    Words are those of BERT's tokenizer, chosen whole. All choices of a passage follow one random order of its words, in
    which unknown ones have no place:

    1. Misspelled are a share of the words, see `PretrainingSettings.typos`, by the generator `typo`.
    2. The encoder must recover correct words, each as it comes while it fits `mask` of the passage's pieces. Of these
       words 80 % are masked, 10 % replaced by random pieces, and 10 % stay.
    3. The decoder must recover every word of 1 and 2, and as many others as bring its share to `decoder_mask`. All of
       them are masked there, so nothing that it must recover can be read.

    A misspelled word may have more or fewer pieces than the right one. The decoder reads and recovers the right one's,
    so the two sides are aligned word by word and not by position. Where the encoder must `recover` it too, its first
    pieces stand for the right one's first, as far as both go.

    Args:
        random: pieces that a word may be replaced by.
    """

    def __init__(self, settings: PretrainingSettings, vocabulary: Vocabulary, random: Sequence[int]):
        self.settings, self.vocabulary, self.random = settings, vocabulary, random

    def show(self, passage: Sequence[int], draw: Draw) -> Shown:
        """A passage of word pieces as both sides read it: a function of the passage and of `draw`."""
        words = self.vocabulary.words(passage)
        order = draw.shuffled([at for at, word in enumerate(words) if word[0] not in self.vocabulary.special])
        wrong = self.misspelled(words, order, draw)
        masked = self.fitting(words, [at for at in order if at not in wrong], self.settings.mask * len(passage))
        hidden, nothing = self.hidden(words, order, {*wrong, *masked}, len(passage)), Side([], {})
        return Shown(
            self.encoder(words, wrong, masked, draw),
            self.decoder(words, hidden) if self.settings.bottleneck else nothing,
            len(words),
            len(wrong),
            len(passage),
        )

    def misspelled(self, words: list[list[int]], order: list[int], draw: Draw) -> dict[int, list[int]]:
        """The pieces of the words that are misspelled, by their place."""
        ratio = self.settings.typo
        nominal = self.settings.typos == "nominal"
        wanted = len(words) if nominal else floor(ratio * len(words) + 0.5)
        wrong: dict[int, list[int]] = {}
        for at in order if ratio else ():
            if len(wrong) == wanted:
                break
            if nominal and draw.below(1 << 32) >= ratio * (1 << 32):
                continue
            text = self.vocabulary.text(words[at])
            if (changed := TYPO.rewrite(text, draw)) != text:
                wrong[at] = self.vocabulary.split(changed)
        return wrong

    def fitting(self, words: list[list[int]], order: list[int], most: float) -> set[int]:
        """The words that fit, one after the other, in `most` pieces (rounded half up)."""
        left, found = floor(most + 0.5), set()
        for at in order:
            if len(words[at]) <= left:
                found.add(at)
                left -= len(words[at])
        return found

    def hidden(self, words: list[list[int]], order: list[int], first: set[int], pieces: int) -> set[int]:
        """The words of `first`, and more in their order while they are less than `decoder_mask` of the pieces."""
        found, count = set(first), sum(len(words[at]) for at in first)
        for at in order:
            if count >= self.settings.decoder_mask * pieces:
                break
            if at not in first:
                found.add(at)
                count += len(words[at])
        return found

    def encoder(self, words: list[list[int]], wrong: dict[int, list[int]], masked: set[int], draw: Draw) -> Side:
        seen: list[int] = []
        targets: dict[int, int] = {}
        for at, word in enumerate(words):
            start = len(seen) + 1  # after [CLS]
            if at in masked:
                targets |= {start + i: piece for i, piece in enumerate(word)}
                seen += self.replaced(word, draw)
            elif at in wrong:
                if self.settings.recover:
                    targets |= {start + i: piece for i, (_, piece) in enumerate(zip(wrong[at], word, strict=False))}
                seen += wrong[at]
            else:
                seen += word
        longest = self.settings.length - 2
        kept = {at: piece for at, piece in targets.items() if at <= longest}
        return Side(self.vocabulary.framed(seen[:longest]), kept)

    def replaced(self, word: list[int], draw: Draw) -> list[int]:
        """What stands for a word that the encoder must recover (Devlin et al. 2019)."""
        chance = draw.below(10)
        if chance == 9:
            return word
        return [draw.choice(self.random) if chance == 8 else self.vocabulary.mask for _ in word]

    def decoder(self, words: list[list[int]], hidden: set[int]) -> Side:
        seen: list[int] = []
        targets: dict[int, int] = {}
        for at, word in enumerate(words):
            if at in hidden:
                targets |= {len(seen) + 1 + i: piece for i, piece in enumerate(word)}
            seen += [self.vocabulary.mask] * len(word) if at in hidden else word
        return Side(self.vocabulary.framed(seen), targets)
