"""Generators that add, drop or move whole words or punctuation: identity, punctuation, stopwords, order."""

import re
from dataclasses import dataclass
from itertools import chain

from robustdr.core.languages import UNSPACED
from robustdr.core.words import LETTERS
from robustdr.variations import lexicon
from robustdr.variations.base import WORD, Draw, Plain, Variation
from robustdr.variations.languages import QUESTION_MARKS, Spoken, has_stopwords, lower

# A word, a clitic as in the Penn Treebank (do n't, what 's), or one punctuation mark.
_TOKEN = re.compile(
    rf"\w+(?=n['\u2019]t\b)|n['\u2019]t\b|['\u2019](?:s|re|ve|ll|d|m)\b|{LETTERS}(?:[-.]{LETTERS})*|\S", re.IGNORECASE
)


@dataclass(frozen=True)
class Original(Variation):
    """The identity: queries are not changed."""

    name = "original"
    listed = 0
    category = "identity"
    papers = ("rodr", "qvg", "capot", "toroder", "intent")

    @classmethod
    def speaks(cls, language: str) -> bool:
        return True

    def rewrite(self, text: str, draw: Draw) -> str:
        return text


@dataclass(frozen=True)
class ExtraPunctuation(Variation):
    """rodr, section 2.1, EXTRAPUNC: one to three identical marks of , . ? ! at the end of the query."""

    name = "extra_punctuation"
    listed = 8
    category = "naturality"
    papers = ("rodr",)

    @classmethod
    def speaks(cls, language: str) -> bool:
        return True

    def rewrite(self, text: str, draw: Draw) -> str:
        return text.rstrip() + draw.choice(",.?!") * (1 + draw.integer_below(3))


@dataclass(frozen=True)
class NoStopwords(Spoken):
    """rodr, section 2.1, NOSTOPWORD: all stopwords are deleted.

    The query is split into words and clitics (what's: what, 's). Those in NLTK's English list are deleted, whatever
    their case; the rest is joined by blanks. A query that has only stopwords is not changed.
    """

    name = "no_stopwords"
    listed = 13
    category = "naturality"
    papers = ("rodr",)
    needs = lexicon.NLTK
    packages = (lexicon.STOPWORDS,)

    @classmethod
    def speaks(cls, language: str) -> bool:
        return has_stopwords(language)

    def rewrite(self, text: str, draw: Draw) -> str:
        whole = self.elided.sub("", text)
        tokens = _TOKEN.findall(whole)
        content_words = [token for token in tokens if not self.is_stopword(token)]
        has_word = any(map(str.isalnum, chain.from_iterable(content_words)))
        return " ".join(content_words) if has_word and (len(content_words) < len(tokens) or whole != text) else text


@dataclass(frozen=True)
class SwapWords(Variation):
    """rodr, section 2.1, SWAPWORDS: two random words that differ in more than case are swapped.

    >>> SwapWords().rewrite("what is, a cat?", Draw(bytes([3])))  # word 3 with word 0 of the others
    'cat is, a what?'
    """

    name = "swap_words"
    listed = 14
    category = "ordering"
    papers = ("rodr",)

    @classmethod
    def speaks(cls, language: str) -> bool:
        return language not in UNSPACED

    def rewrite(self, text: str, draw: Draw) -> str:
        words = list(WORD.finditer(text))
        if len({word[0].lower() for word in words}) < 2:
            return text
        first = draw.choice(words)
        second = draw.choice([word for word in words if word[0].lower() != first[0].lower()])
        earlier, later = sorted((first, second), key=lambda word: word.start())
        return (
            text[: earlier.start()] + later[0] + text[earlier.end() : later.start()] + earlier[0] + text[later.end() :]
        )


_OPENING, _CLOSING = "\"'([{“‘«¿¡„「『（", "\"')]}”’».,;:!?…؟،؛。、，？！」』）।۔"


@dataclass(frozen=True)
class CasePunctuation(Spoken):
    """Case and punctuation as in a search box: lower case, without marks around words.

    A query that is so already becomes a written question: a capital at its start, and a question mark at its end. In
    scripts without capitals, only the marks change.

    >>> CasePunctuation().rewrite('Who wrote "Emma", and why?', Draw(bytes([0])))
    'who wrote emma and why'
    >>> CasePunctuation().rewrite("who wrote emma", Draw(bytes([0])))
    'Who wrote emma?'
    """

    name = "case_punctuation"
    category = "naturality"
    papers = ()

    @classmethod
    def speaks(cls, language: str) -> bool:
        return True

    def rewrite(self, text: str, draw: Draw) -> str:
        words = [word.lstrip(_OPENING).rstrip(_CLOSING) for word in lower(text, self.language).split()]
        typed = " ".join(filter(None, words))
        if not any(map(str.isalnum, typed)):
            return text
        if typed != text:
            return typed
        start = "İ" if self.language == "tr" and text[0] == "i" else text[0].upper()
        return f"{start}{text[1:]}{QUESTION_MARKS.get(self.language, '?')}"


@dataclass(frozen=True)
class DroppedBlank(Variation):
    """A blank between two words of the query, chosen at random, is not typed.

    >>> DroppedBlank().rewrite("what is a cat?", Draw(bytes([2])))  # the last of three blanks
    'what is acat?'
    """

    name = "dropped_blank"
    category = "misspelling"
    papers = ()

    @classmethod
    def speaks(cls, language: str) -> bool:
        return language not in UNSPACED

    def rewrite(self, text: str, draw: Draw) -> str:
        blanks = list(re.finditer(r"(?<=\w)[^\S\n]+(?=\w)", text))
        if not blanks:
            return text
        blank = draw.choice(blanks)
        return text[: blank.start()] + text[blank.end() :]


class RemoveStopwords(Plain, NoStopwords):
    """qvg, section 3.2, RmvStopWords: all stopwords of NLTK's English list are removed. A changed query loses
    punctuation and capitals."""

    name = "remove_stopwords"
    listed = 19
    papers = ("qvg",)


class RandomOrderSwap(Plain, SwapWords):
    """qvg, section 3.2, RandOrderSwap: two random words of the query are swapped. A changed query loses punctuation
    and capitals."""

    name = "random_order_swap"
    listed = 21
    papers = ("qvg",)


class ReorderWords(SwapWords):
    """capot, section 3.1, RW: the word at a random index is swapped with another word of the query."""

    name = "reorder_words"
    listed = 33
    papers = ("capot",)
