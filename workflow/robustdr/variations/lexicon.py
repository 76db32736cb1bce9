"""Lexical data from registry packages: function words, misspellings, WordNet's lemmas and synonyms.

Every package is pinned; its files are read only if their SHA-256 is the pinned one. docs/reference/variations.md has
the licences.
"""

from functools import cache

from robustdr.collections.wordnet import database
from robustdr.core.packaged import packaged
from robustdr.core.plugins import module_named
from robustdr.core.words import composed

STOPWORDS = "bm25s==0.3.16"
STOPWORDS_OF_SPACY = "spacy==3.8.18"
NLTK, SPACY = f"NLTK's list of stopwords ({STOPWORDS})", f"spaCy's list of stopwords ({STOPWORDS_OF_SPACY})"
MISSPELLINGS = "codespell==2.4.3"
WORDNET = database.PACKAGE
DICTIONARY = "symspellpy==6.10.1"

_MISSPELLINGS_SHA256 = "a457564a466120c728361e9c759b6a6ef05c2acc05c7e12d1ba0eb251036f42d"
_DICTIONARY_SHA256 = "68e9dc81c7e73bd7310b57e516ecaea0d8b6387ff71344a57c04174650a407a7"
# (suffix, replacement) by part of speech, from WordNet's own lemmatiser (morphy(7WN)).
_ENDINGS = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}


@cache
def stopwords(listed: str = "EN_PLUS") -> frozenset[str]:
    """The function words of one of NLTK's lists, lower case, from bm25s; EN_PLUS has 179 English ones."""
    from bm25s import stopwords

    return frozenset(getattr(stopwords, f"STOPWORDS_{listed}"))


@cache
def stopwords_of_spacy(language: str) -> frozenset[str]:
    """The function words of spaCy's list for a language, an ISO 639-1 code, lower case."""
    return frozenset(composed(word).lower() for word in module_named(f"spacy.lang.{language}.stop_words").STOP_WORDS)


@cache
def misspellings(ambiguous: bool = False) -> dict[str, tuple[str, ...]]:
    """People's misspellings of words, from codespell's dictionary: {word: misspellings}, lower case, sorted.

    Returns only misspellings with several possible corrections if `ambiguous`, else only those with one. Entries with a
    comment, or with corrections of several words, are left out.
    """
    misspellings_of: dict[str, list[str]] = {}
    path = packaged(MISSPELLINGS, "codespell_lib", "data/dictionary.txt", _MISSPELLINGS_SHA256)
    for line in path.read_text(encoding="utf-8").splitlines():
        wrong, _, corrections = line.partition("->")
        listed = corrections.removesuffix(",").split(", ")
        if all(map(str.isalpha, listed)) and wrong.replace("'", "").isalpha() and (len(listed) > 1) == ambiguous:
            for correction in listed:
                misspellings_of.setdefault(correction.lower(), []).append(wrong.lower())
    return {correction: tuple(sorted(set(wrong))) for correction, wrong in misspellings_of.items()}


@cache
def dictionary() -> frozenset[str]:
    """82,765 English words, lower case, from SymSpell's dictionary."""
    path = packaged(DICTIONARY, "symspellpy", "frequency_dictionary_en_82_765.txt", _DICTIONARY_SHA256)
    return frozenset(line.partition(" ")[0] for line in path.read_text(encoding="utf-8-sig").splitlines())


@cache
def lemmas(word: str) -> tuple[tuple[str, str], ...]:
    """The (lemma, part of speech) pairs in WordNet of which the lower-case `word` may be a form."""
    wordnet = database.load("nvar")
    candidates = dict.fromkeys((word, letter) for letter in "nvar")
    candidates |= dict.fromkeys((base, letter) for base in wordnet.bases.get(word, ()) for letter in "nvar")
    for letter, endings in _ENDINGS.items():
        for suffix, replacement in endings:
            if word.endswith(suffix) and len(word) > len(suffix) + 1:
                candidates[word.removesuffix(suffix) + replacement, letter] = None
    return tuple(pair for pair in candidates if pair in wordnet.senses)


@cache
def synonyms(word: str) -> tuple[str, ...]:
    """The lemmas that share a synset with the lower-case `word` or its lemmas, most frequent sense first.

    The word and its lemmas are left out, whatever their case.
    """
    wordnet = database.load("nvar")
    pairs = lemmas(word)
    excluded = {word, *(lemma for lemma, _ in pairs)}
    senses = sorted((-count, number, id) for pair in pairs for number, (id, count) in enumerate(wordnet.senses[pair]))
    related = (lemma for _, _, id in senses for lemma in wordnet.synsets[id].lemmas)
    return tuple(dict.fromkeys(lemma for lemma in related if lemma.lower() not in excluded))


@cache
def lemma(word: str) -> str:
    """The lemma of the lower-case `word`; the word itself if it is a lemma or unknown.

    Of several lemmas, it is the one tagged most often in WordNet's corpus.
    """
    wordnet = database.load("nvar")
    pairs = lemmas(word)
    if not pairs or any(lemma == word for lemma, _ in pairs):
        return word
    return max(pairs, key=lambda pair: sum(count for _, count in wordnet.senses[pair]))[0]
