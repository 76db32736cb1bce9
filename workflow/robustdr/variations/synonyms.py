"""Generators that replace one word by a synonym: from WordNet, or a neighbour of its word vector."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import digest_as, read_lines
from robustdr.core.languages import ENGLISH, UNSPACED
from robustdr.core.words import composed, folded
from robustdr.encoding import wordvectors
from robustdr.variations import lexicon, vectors
from robustdr.variations.base import WORD, Draw, Plain, Variation, in_range, one_of, splice
from robustdr.variations.languages import Spoken


def is_english_stopword(word: str) -> bool:
    """Whether a word is in NLTK's English list of stopwords, whatever its case."""
    return folded(word) in lexicon.stopwords()


def swap_one(
    text: str,
    draw: Draw,
    candidates: Callable[[str], Sequence[str]],
    function_words: bool = False,
    is_stopword: Callable[[str], bool] = is_english_stopword,
) -> str:
    """The text with one random word replaced by one of its `candidates` (from lower-case word to replacements).

    Words are tried in random order until one has a candidate. Stopwords are tried only if `function_words`.
    """
    words = [word for word in WORD.finditer(text) if function_words or not is_stopword(word[0])]
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
    needs = f"WordNet 3.0 ({lexicon.WORDNET}), {lexicon.NLTK}"
    packages = (lexicon.WORDNET, lexicon.STOPWORDS)

    variant: str = "paper"

    def __post_init__(self) -> None:
        one_of(self, "variant", ("paper", "released"))

    def rewrite(self, text: str, draw: Draw) -> str:
        return swap_one(text, draw, lexicon.synonyms, self.variant == "released")


@dataclass(frozen=True)
class SwapSynonymOmw(Spoken):
    """One random word becomes a synonym in a wordnet of its language, as Open Multilingual Wordnet publishes it.

    `file` is its table: lines of synset, `<language>:lemma`, and a lemma, with tabs between. `sha256` may be its
    digest. Synonyms are the other lemmas of all synsets of the word. Only words in their base form are replaced:
    wordnets list no others. Stop words stay.

    >>> from tempfile import mkdtemp
    >>> table = Path(mkdtemp(), "fra.tab")
    >>> _ = table.write_text("s1\\tfra:lemma\\tvoiture\\ns1\\tfra:lemma\\tauto\\n")
    >>> SwapSynonymOmw(language="fr", file=str(table)).rewrite("la voiture", Draw(bytes(1)))
    'la auto'
    """

    name = "swap_synonym_omw"
    category = "paraphrasing"
    papers = ()
    needs = "a wordnet of the language, from Open Multilingual Wordnet"
    packages = (lexicon.STOPWORDS,)

    file: str = ""
    sha256: str = ""

    @classmethod
    def speaks(cls, language: str) -> bool:
        return language != ENGLISH and language not in UNSPACED

    @property
    def files(self) -> Sequence[Path]:
        return [Path(self.file)] if self.file and not self.sha256 else []

    @property
    def resource(self) -> str:
        return " · ".join(omw(self.file, self.sha256)[0]) if self.file else self.needs

    def check(self) -> None:
        if not self.file:
            raise UserError(f"variation {self.name}: file: no wordnet; `evaluate --wordnet` names one")
        omw(self.file, self.sha256)

    def rewrite(self, text: str, draw: Draw) -> str:
        synonyms = omw(self.file, self.sha256)[1]
        return swap_one(text, draw, lambda word: synonyms.get(word, ()), is_stopword=self.is_stopword)


@cache
def omw(file: str, sha256: str) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """(name, language, address and licence of a wordnet, synonyms by lower-case lemma) from a table of OMW.

    Raises:
        UserError: there is no such file, it has another digest, or it has no lemmas.
    """
    path = Path(file)
    if not path.is_file():
        raise UserError(f"{file}: no such file")
    if sha256 and (actual := digest_as(path, sha256)) != sha256:
        raise UserError(f"{file} has the SHA-256 {actual}; the configuration pins {sha256}")
    synsets: dict[str, dict[str, None]] = {}
    head: tuple[str, ...] = (path.name,)
    for _, line in read_lines(path):
        first, *fields = line.split("\t")
        if first.startswith("#"):
            head = (first.removeprefix("#").strip(), *fields)
        elif len(fields) == 2 and fields[0].rpartition(":")[2] == "lemma":
            synsets.setdefault(first, {})[composed(fields[1].replace("_", " ").strip())] = None
    if not synsets:
        raise UserError(f"{file}: no lemmas; allowed: a table of Open Multilingual Wordnet, such as wn-data-fra.tab")
    synonyms: dict[str, dict[str, None]] = {}
    for lemmas in synsets.values():
        for lemma in lemmas:
            related = {other: None for other in lemmas if other.lower() != lemma.lower()}
            if related:
                synonyms.setdefault(lemma.lower(), {}).update(related)
    return head, {lemma: tuple(related) for lemma, related in synonyms.items()}


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
