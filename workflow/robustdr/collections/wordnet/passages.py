"""Texts of synsets: headed by their words, as in a dictionary, or without them; alone or with their relatives."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from operator import contains

from robustdr.collections.wordnet.database import Database, Synset

_WORD = re.compile(r"[a-z0-9]+")
_EXAMPLE = re.compile(r'"([^"]*)"?[^;"]*')  # with its author
_DETACHMENTS = (  # WordNet's own rules (morphy(7WN)): ending of a form, ending of its base
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"),
    ("est", "e"),
)  # fmt: skip
_RELATIONS = {  # pointer symbols and their words in an entry
    "Instance of": "@i",
    "Broader": "@",
    "Narrower": "~",
    "Instances": "~i",
    "Part of": "#p",
    "Parts": "%p",
    "Member of": "#m",
    "Members": "%m",
    "Substance of": "#s",
    "Substances": "%s",
    "Similar": "&",
    "Entails": "*",
    "Causes": ">",
}
_RELATIVES = 8  # of one relation in an entry; about as many as fit into 512 tokens


class Writer:
    """Writes the text of a synset.

    A gloss has no inflected form of the synset's lemmas, even inside a hyphenated word. Lemmas of one or two letters
    (`be`, `as`, `A`) may occur, because they are function words in most texts.
    """

    def __init__(self, database: Database):
        self._database = database

    @cache
    def _bases(self, word: str) -> frozenset[str]:
        regular = (word.removesuffix(ending) + base for ending, base in _DETACHMENTS if word.endswith(ending))
        return frozenset([word, *regular, *self._database.bases.get(word, ())])

    def _occurrences(self, lemmas: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
        words = list(_WORD.finditer(text.lower()))
        forms = [self._bases(word.group()) for word in words]
        for lemma in lemmas:
            first, *further_words = _WORD.findall(lemma.lower())
            for start, form in enumerate(forms if len(lemma) > 2 else ()):
                following = forms[start + 1 : start + 1 + len(further_words)]
                if (
                    first in form
                    and len(following) == len(further_words)
                    and all(map(contains, following, further_words))
                ):
                    yield words[start].start(), words[start + len(further_words)].end()

    def names(self, lemmas: Sequence[str], text: str) -> bool:
        """Whether a form of one of `lemmas` occurs in `text`."""
        return any(True for _ in self._occurrences(lemmas, text))

    def definition(self, gloss: str, lemmas: Sequence[str]) -> str:
        """Return the clauses of a gloss, without its examples, in which no lemma occurs (may be empty)."""
        clauses = (clause.strip() for clause in _EXAMPLE.sub("", gloss).split(";"))
        return "; ".join(clause for clause in clauses if clause and not self.names(lemmas, clause))

    def explains(self, id: str) -> bool:
        """Whether the definition still has four words or more without the synset's own words."""
        synset = self._database.synsets[id]
        return len(self.definition(synset.gloss, synset.lemmas).split()) > 3

    def _masked(self, gloss: str, lemmas: Sequence[str]) -> str:
        text = _EXAMPLE.sub("", gloss).strip(" ;")
        cut = len(text)
        for start, end in sorted(self._occurrences(lemmas, text), reverse=True):
            if end <= cut:
                text, cut = f"{text[:start]}…{text[end:]}", start
        return text

    def headed(self, synset: Synset) -> str:
        """Return the lemmas, a colon, and definition and examples as they are, one sentence each."""
        examples = (match.group(1).strip() for match in _EXAMPLE.finditer(synset.gloss))
        definition = _EXAMPLE.sub("", synset.gloss).strip(" ;")
        sentences = [_sentence(text) for text in (definition, *examples) if text]
        return f"{', '.join(synset.lemmas)}: {' '.join(sentences)}"

    def gloss(self, synset: Synset) -> str:
        """Return definition and examples as sentences; `…` replaces a word in every clause of the definition."""
        definition = self.definition(synset.gloss, synset.lemmas) or self._masked(synset.gloss, synset.lemmas)
        examples = (match.group(1).strip() for match in _EXAMPLE.finditer(synset.gloss))
        usable = [example for example in examples if example and not self.names(synset.lemmas, example)]
        return " ".join(_sentence(text) for text in [definition, *usable])

    def entry(self, synset: Synset) -> str:
        """Return the headed text, and names and definitions of the relatives, one sentence for each relation."""
        sentences = [self.headed(synset)]
        for label, symbol in _RELATIONS.items():
            relatives = [self._database.synsets[id] for id in synset.related(symbol)[:_RELATIVES]]
            if symbol == "@":  # two ancestors above the parents: a leaf has few relatives
                parents = relatives
                for _ in range(2):  # higher ancestors fit every entry
                    parents = [self._database.synsets[id] for parent in parents[:1] for id in parent.related("@")]
                    relatives += parents[:1]
            described = []
            for relative in relatives:
                name = next((lemma for lemma in relative.lemmas if not self.names(synset.lemmas, lemma)), "")
                definition = self.definition(relative.gloss, synset.lemmas).partition(";")[0]
                described.append(", ".join(filter(None, [name, definition])))
            if (text := "; ".join(filter(None, described))) and not self.names(synset.lemmas, label):
                sentences.append(_sentence(f"{label}: {text}"))
        return " ".join(sentences)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".!?" else ".")
