"""Generators that replace one word by a synonym: from WordNet, or a neighbour of its word vector."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.words import folded
from robustdr.encoding import wordvectors
from robustdr.variations import lexicon, vectors
from robustdr.variations.base import WORD, Draw, Plain, Variation, in_range, one_of, splice


def swap_one(text: str, draw: Draw, candidates: Callable[[str], Sequence[str]], function_words: bool = False) -> str:
    """The text with one random word replaced by one of its `candidates` (from lower-case word to replacements).

    Words are tried in random order until one has a candidate. Stopwords are tried only if `function_words`.
    """
    stopwords = lexicon.stopwords()
    words = [word for word in WORD.finditer(text) if function_words or folded(word[0]) not in stopwords]
    for word in draw.shuffled(words):
        if replacements := candidates(word[0].lower()):
            return splice(text, *word.span(), draw.choice(replacements))
    return text


@dataclass(frozen=True)
class SwapSynonymWordnet(Variation):
    """rodr, section 2.1, SWAPSYN-WNET: one random word becomes one of its synonyms in WordNet 3.0.

    Synonyms are the lemmas of all synsets of the word's lemmas, of any part of speech, except these lemmas. They are
    not inflected, as in rodr's Table 1 (drinking: imbibe). Stopwords are not replaced; with `variant` released they
    are, as in rodr's released sets (does: cause, who: WHO).
    """

    name = "swap_synonym_wordnet"
    listed = 11
    category = "paraphrasing"
    papers = ("rodr",)
    needs = f"WordNet 3.0 ({lexicon.WORDNET}), NLTK's list of stopwords ({lexicon.STOPWORDS})"
    packages = (lexicon.WORDNET, lexicon.STOPWORDS)

    variant: str = "paper"

    def __post_init__(self) -> None:
        one_of(self, "variant", ("paper", "released"))

    def rewrite(self, text: str, draw: Draw) -> str:
        return swap_one(text, draw, lexicon.synonyms, self.variant == "released")


class WordnetSynonymSwap(Plain, SwapSynonymWordnet):
    """qvg, section 3.2, WNetSynSwap: one random non-stopword becomes the first synonym that WordNet lists for it. A
    changed query loses punctuation and capitals.

    First in WordNet's order of senses, most frequent first. `variant` released: a random synonym, as in the released
    code.
    """

    name = "wordnet_synonym_swap"
    listed = 25
    papers = ("qvg",)

    def rewrite_plain(self, text: str, draw: Draw) -> str:
        first = slice(None) if self.variant == "released" else slice(1)
        return swap_one(text, draw, lambda word: lexicon.synonyms(word)[first])


@dataclass(frozen=True)
class Synonym(Variation):
    """capot, section 3.1, Synonym: one random word becomes a random exact synonym, of one word, from WordNet."""

    name = "synonym"
    listed = 27
    category = "semantic"
    papers = ("capot",)
    needs = SwapSynonymWordnet.needs
    packages = SwapSynonymWordnet.packages

    def rewrite(self, text: str, draw: Draw) -> str:
        return swap_one(text, draw, lambda word: [synonym for synonym in lexicon.synonyms(word) if " " not in synonym])


@dataclass(frozen=True)
class SwapSynonymEmbedding(Variation):
    """rodr, section 2.1, SWAPSYN-GLOVE: one random word becomes one of its nearest neighbours in GloVe.

    A neighbour shares a part of speech (in WordNet) but no lemma with the word, has a cosine of at least `cosine`, and
    is one of the `neighbours` nearest among the `vocabulary` most frequent words. Stopwords are not replaced. `file` is
    empty for the packaged GloVe vectors, or a text file of vectors (word, blank, numbers; most frequent word first),
    with the given `sha256` if there is one.
    """

    name = "swap_synonym_embedding"
    listed = 10
    category = "paraphrasing"
    papers = ("rodr",)
    needs = f"word vectors, and WordNet 3.0 ({lexicon.WORDNET}) for parts of speech"
    packages = (wordvectors.GLOVE, lexicon.WORDNET, lexicon.STOPWORDS)

    neighbours: int = 10
    cosine: float = 0.75
    vocabulary: int = 40_000
    file: str = ""
    sha256: str = ""

    def __post_init__(self) -> None:
        in_range(self, "neighbours", 1, 40)
        in_range(self, "cosine", -1.0, 1.0)
        in_range(self, "vocabulary", 1_000, 400_000)

    @property
    def files(self) -> Sequence[Path]:
        return [Path(self.file)] if self.file and not self.sha256 else []

    def check(self) -> None:
        super().check()
        if self.file and not Path(self.file).is_file():
            raise UserError(f"variation {self.name}: file: {self.file}: no such file")

    @property
    def resource(self) -> str:
        if self.file:
            return f"word vectors in {Path(self.file).name}" + (f" (sha256 {self.sha256})" if self.sha256 else "")
        return f"{self.stand_in}GloVe 6B vectors of 50 dimensions ({wordvectors.GLOVE})"

    stand_in = ""

    def rewrite(self, text: str, draw: Draw) -> str:
        word_vectors = vectors.load(self.vocabulary, self.file, self.sha256)
        return swap_one(text, draw, lambda word: word_vectors.neighbours(word, self.neighbours, self.cosine))


@dataclass(frozen=True)
class EmbeddingSynonymSwap(Plain, SwapSynonymEmbedding):
    """qvg, section 3.2, WEmbedSynSwap: one random non-stopword becomes a random one of its nearest neighbours. These
    are at most 15, with cosine >= 0.8 in counter-fitted vectors (`file`); without `file`, in the packaged GloVe
    vectors. A changed query loses punctuation and capitals."""

    name = "embedding_synonym_swap"
    listed = 24
    papers = ("qvg",)
    stand_in = "stand-in for counter-fitted vectors: "

    neighbours: int = 15
    cosine: float = 0.8
