"""Questions about a word, as people type them into a search box: lower case, no question mark.

They are templates. The word's meaning decides which ones fit; (seed, query id) alone decides which of these is used.
Nine in ten have another content word: a one-word question is lost, not reworded, when its word is replaced.
"""

import re
from collections.abc import Iterable, Sequence

from robustdr.collections.wordnet.database import Database, Synset, usage
from robustdr.core.seeds import digest

# {x} is the word, {a} the word with its indefinite article, {d} the field of knowledge in the gloss, {k} the category
# of the word, {h} a word of its gloss
_ANY = ("what does {x} mean", "what is the meaning of {x}", "what is the definition of {x}", "how do you define {x}")
_WORD = (*_ANY, "what does the word {x} mean", "meaning of the word {x}")
_TERM = (*_ANY, "what does the term {x} mean", "definition of the term {x}")
_THING = (
    "what is {a}",
    "what exactly is {a}",
    "can you explain what {a} is",
    "what is meant by {a}",
    "what is {a} in simple terms",
    "how would you describe {a}",
)
_OF_A_KIND = ("what kind of {k} is {a}", "what type of {k} is {a}", "what sort of {k} is {a}")
_NAMED = ("who was the {k} {x}", "who was {x} the {k}", "what is the {k} {x} known for")
_PLACED = ("where is the {k} {x}", "where is the {k} {x} located", "what is the {k} {x} known for")
_COMPARED = (
    "how is {x} different from {k}",
    "does {x} mean the same as {k}",
    "what is the meaning of {x} compared to {k}",
)
_ABOUT = ("what does {x} mean when it is about {h}", "meaning of {x} as in {h}", "what is {x} in connection with {h}")
_FIELD = ("what does {x} mean in {d}", "what is {x} in {d}", "meaning of {x} in {d}")
_KINDS = {
    "noun.act": ("what does {x} involve",),
    "noun.animal": ("what kind of animal is the {x}", "what does the {x} look like"),
    "noun.artifact": ("what is {a} used for", "what do people use {a} for"),
    "noun.body": ("where in the body is the {x}", "what is the function of the {x}"),
    "noun.feeling": ("what does {x} feel like", "what kind of feeling is {x}"),
    "noun.food": ("what is {x} made of", "what kind of food is {x}"),
    "noun.person": ("what does {a} do", "who is considered {a}"),
    "noun.plant": ("what kind of plant is the {x}", "what does the {x} look like"),
    "noun.process": ("what happens during {x}",),
    "noun.substance": ("what is {x} used for", "what kind of substance is {x}"),
}
_NAMES = {
    "noun.person": ("who was {x}", "who exactly was {x}", "what is {x} known for", "what do we know about {x}"),
    "noun.location": ("where is {x} located", "where in the world is {x}", "what is {x} known for"),
    "noun.object": ("where is {x} located", "where in the world is {x}"),
}
_LETTERS = {
    "v": ("what does it mean to {x}", "what do you do when you {x}", "what does it mean if you {x}"),
    "a": ("what does it mean to be {x}", "what does it mean when something is {x}", "what do people mean by {x}"),
    "r": ("what do people mean when they say {x}",),
}

_COUNTABLE = {"animal", "artifact", "body", "event", "group", "location", "object", "plant", "quantity", "shape"}
_MASS = {"attribute", "feeling", "food", "phenomenon", "process", "substance"}
_FUNCTION = "some|every|usual|especial|particular|relat|between|under|with|from|into|made|having|that|which|when|where"
_CONTENT = re.compile(rf"\b(?!(?:{_FUNCTION})\w*\b)[a-z]{{4,}}(?<!ly)(?<!ing)(?<!ed)\b")
_ONE = re.compile(r"(\([^)]*\) )?(an?|any|one|someone|something) ")
_AN = re.compile(r"hour|honest|hono|heir|(?!eu|ewe|one|u[^aeiou][aeiou])[aeiou]")
_USUAL = 5  # occurrences in the glosses from which a word counts as well known
_OFTEN = 36  # how often a template with a context is in the list of fitting ones


class Asker:
    """Asks for the meaning of a word; the template depends on (seed, qid) and on `again`."""

    def __init__(self, database: Database, seed: int):
        self._database = database
        self._usage = usage(database.letters)
        self._seed = seed

    def ask(self, qid: str, lemma: str, ids: Iterable[str], again: bool = False) -> str:
        """Return the question for a lower-case lemma and its synsets, the primary one first; `again`: another one."""
        senses = [self._database.synsets[id] for id in ids]
        fitting = self._templates(lemma, senses)
        template = fitting[digest(self._seed, qid, "question") % len(fitting)]
        if again:
            fitting = [candidate for candidate in fitting if candidate != template]
            template = fitting[digest(self._seed, qid, "question", "again") % len(fitting)]
        primary = senses[0]
        fillings = {"d": _field(primary), "k": self._kind(primary), "h": self._hint(primary)}
        return template.format(x=lemma, a=self._with_article(lemma, primary), **fillings)

    def _templates(self, lemma: str, senses: list[Synset]) -> Sequence[str]:
        """Return the templates that fit, the best ones repeated; one for a category needs all senses to be in it."""
        primary, plain = senses[0], _TERM if " " in lemma else _WORD
        one_category = len({sense.lexfile for sense in senses}) == 1
        kind = self._kind(primary) if one_category else None
        context_templates = _ABOUT * _OFTEN if self._hint(primary) else ()
        if primary.id[0] != "n":
            return plain + _LETTERS[primary.id[0]] * 2 + (_COMPARED * _OFTEN if kind else context_templates)
        if primary.related("@i"):
            if not one_category or primary.lexfile not in _NAMES:
                return plain + context_templates
            name_templates = _NAMED if primary.lexfile == "noun.person" else _PLACED
            return _NAMES[primary.lexfile] + (name_templates * _OFTEN if kind else context_templates)
        if len(senses) == 1 and _field(primary):
            return _FIELD
        kind_templates = _KINDS.get(primary.lexfile, ()) if one_category else ()
        return plain + _THING + kind_templates + (_OF_A_KIND * _OFTEN if kind else context_templates)

    def _kind(self, synset: Synset) -> str | None:
        """Return a usual word for a hypernym of the synset that is not one of its own words."""
        for id in [id for symbol in ("@", "@i", "&") for id in synset.related(symbol)]:
            parent = self._database.synsets[id]
            kind = parent.lemmas[0]
            fresh = not set(kind.split()) & {word for lemma in synset.lemmas for word in lemma.lower().split()}
            if kind.islower() and fresh and parent.lexfile != "noun.Tops" and self._usage[kind] >= _USUAL:
                return kind
        return None

    def _hint(self, synset: Synset) -> str | None:
        """Return the longest usual word of the definition that does not begin like one of the synset's own."""
        definition = re.sub(r"\([^)]*\)", " ", synset.gloss).partition(";")[0].lower()
        word_beginnings = {word[:4] for lemma in synset.lemmas for word in re.findall(r"[a-z]+", lemma.lower())}
        words = [
            word
            for word in _CONTENT.findall(definition)
            if word[:4] not in word_beginnings and self._usage[word] >= _USUAL
        ]
        return max(words, key=len, default=None)

    def _with_article(self, lemma: str, primary: Synset) -> str:
        kind, head = primary.lexfile.partition(".")[2], lemma.split()[-1]
        counted = self._usage[f"{_article(head)} {head}"] > 1 and kind not in _MASS
        is_countable = kind == "person" or (_ONE.match(primary.gloss) and (kind in _COUNTABLE or counted))
        return f"{_article(lemma)} {lemma}" if is_countable else lemma


def _article(word: str) -> str:
    return "an" if _AN.match(word) else "a"


def _field(synset: Synset) -> str | None:
    label = re.match(r"\(([\w ]+)\)", synset.gloss)
    return label[1].lower() if label and synset.related(";c") else None
