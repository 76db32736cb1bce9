"""Rules that reword an English question like a translation to another language and back.

The stand-in for machine translation at mini scale. Back-translation keeps the meaning and changes the wording: a
question phrase becomes another common phrase, a word the most common word for its most common sense, and articles are
added or dropped. The rules do only these three things.
"""

import re
from functools import cache

from robustdr.collections.wordnet import database
from robustdr.core.words import folded
from robustdr.variations import lexicon
from robustdr.variations.base import WORD, Draw, splice
from robustdr.variations.morphology import inflections

_BE = "is|are|was|were"
_DO = "do|does|did|can|could|will|would|should"
_ASPECTS = "symptoms|signs|causes|types|benefits|effects|side effects|examples|uses|advantages|characteristics|parts"

# A question and its rewordings: {0}, {1} are its groups; {ing} is the first group with its verb as a gerund.
_PHRASES = tuple(
    (re.compile(pattern, re.IGNORECASE), tuple(wordings.split(" | ")))
    for pattern, wordings in (
        (
            r"what does it mean to (.+)",
            "what does {ing} mean | what is meant by {ing} | what does it mean when you {0}",
        ),
        (r"what does it mean (?:when|if) (.+)", "what is meant when {0} | what does it signify if {0}"),
        (r"what (?:do|does) (.+) mean", "what is meant by {0} | what is the meaning of {0} | what does {0} signify"),
        (
            r"what(?:'s| is| are) (?:the |a )?(?:meaning|definition) (?:of|for) (.+)",
            "what does {0} mean | what is meant by {0} | how is {0} defined",
        ),
        (r"(?:the )?meaning of (.+)", "importance of {0} | significance of {0} | what {0} means"),
        (r"(?:the )?definition (?:of|for) (.+)", "{0} is defined as | how {0} is defined | determination of {0}"),
        (r"(?:define|definition)[: ]+(.+)", "definition of {0} | determine {0} | define the term {0}"),
        (r"(.+) (?:definition|defined?)", "definition of {0} | how {0} is defined | determination of {0}"),
        (r"(.+) meaning", "meaning of {0} | importance of {0} | significance of {0}"),
        (
            r"what(?:'s| is| are) (?:the )?differences? between (.+)",
            "how do {0} differ | what distinguishes {0} | which difference is there between {0}",
        ),
        (r"differences? between (.+)", "distinction between {0} | how {0} differ"),
        (
            rf"what(?:'s| is| are) (?:the |some )?({_ASPECTS}) (?:of|for) (.+)",
            "which {0} does {1} have | which are the {0} of {1} | what {0} are there for {1}",
        ),
        (rf"({_ASPECTS}) (?:of|for) (.+)", "{1} {0} | the {0} of {1} | {0} with {1}"),
        (rf"(.+) ({_ASPECTS}|treatment|population|address|weather|price|cost)", "{1} of {0} | {1} for {0}"),
        (r"(.+) (?:phone|telephone|contact) number", "telephone number of {0} | phone number for {0}"),
        (r"what causes? (.+)", "what are the causes of {0} | what is the cause of {0} | what leads to {0}"),
        (r"what(?:'s| is| are) (.+) used for", "what do you use {0} for | what purpose does {0} serve"),
        (
            rf"what (county|city|state|country) (?:{_BE}) (.+?)(?: located)?(?: in)?",
            "in which {0} is {1} | which {0} does {1} belong to | in what {0} is {1} located",
        ),
        (r"what (year|day|month) (.+)", "in which {0} {1} | which {0} {1}"),
        (r"what (?:kind|type|sort)s? of (.+)", "which kind of {0} | which type of {0} | what sort of {0}"),
        (r"what(?:'s| is) (?:the )?(?:current )?time in (.+)", "how late is it in {0} | what time is it in {0}"),
        (rf"what time ((?:{_DO}|{_BE}) .+)", "at what time {0} | at which time {0}"),
        (r"what(?:'s| is| are) (the .+)", "which is {0} | what exactly is {0} | how is {0}"),
        (r"what(?:'s| is| are) (.+)", "what exactly is {0} | what is meant by {0} | what does one understand by {0}"),
        (rf"what ({_BE}|{_DO}) (.+)", "what exactly {0} {1} | which {0} {1}"),
        (r"what (?!to\b)(.+)", "which {0}"),
        (r"how much (?:does|do) (.+) cost", "what does {0} cost | how expensive is {0} | what is the price of {0}"),
        (r"how much (?:is|are) (.+)", "what does {0} cost | how expensive is {0}"),
        (r"how much (.+)", "what amount of {0} | how many {0}"),
        (r"how many (.+)", "what number of {0} | how much {0}"),
        (r"how (?:do|can) (?:i|you|we) (.+)", "how can one {0} | how to {0} | how does one {0}"),
        (r"how to (.+)", "how do you {0} | how can you {0} | how does one {0}"),
        (r"how long (?:does|will) it take (.+)", "how much time does it take {0} | how long does it last {0}"),
        (r"how long to (.+)", "how long do you have to {0} | how long does it take to {0}"),
        (rf"how long ({_DO}) (.+)", "how much time {0} {1} | for how long {0} {1}"),
        (rf"how long ({_BE}) (.+)", "what length {0} {1} | how long exactly {0} {1}"),
        (rf"how old ({_BE}) (.+)", "what age {0} {1} | how many years old {0} {1}"),
        (rf"how ({_BE}|{_DO}) (.+)", "in what way {0} {1} | in which way {0} {1} | how exactly {0} {1}"),
        (rf"where ({_BE}) (.+) located", "where {0} {1} situated | where do you find {1} | where {0} {1}"),
        (rf"where ({_BE}) (.+) born", "in which place {0} {1} born | what is the birthplace of {1}"),
        (r"where (is|are) (.+)", "where {0} {1} located | where do you find {1} | where {0} {1} situated"),
        (rf"where ({_BE}|{_DO}) (.+)", "in which place {0} {1} | at what place {0} {1}"),
        (rf"who ({_BE}) (.+)", "which person {0} {1} | who exactly {0} {1}"),
        (r"who (.+)", "which person {0} | who was it that {0}"),
        (rf"why ({_BE}|{_DO}) (.+)", "for what reason {0} {1} | for which reason {0} {1} | how come {0} {1}"),
        (rf"when ({_BE}|{_DO}) (.+)", "at what time {0} {1} | on which date {0} {1}"),
        (r"(?:average|typical) (.+)", "mean {0} | {0} on average | usual {0}"),
        (r"(?:the )?(?:cost|price) (?:of|for) (.+)", "what {0} costs | expenses for {0} | {0} price"),
        (r"weather in (.+)", "the weather conditions in {0} | what the weather is like in {0}"),
    )
)
_ARTICLES = (
    (re.compile(r"\b(in|on|of|for|with|to|from) (?=(?!this\b|his\b|its\b|us\b)[a-z]{3,}s\b)"), r"\1 the "),
    (re.compile(r"\b(?:the|an|a) (?=\w)"), ""),
)


def gerund(phrase: str) -> str:
    """The phrase with its first word as a gerund: abdicate the throne -> abdicating the throne."""
    verb, blank, rest = phrase.partition(" ")
    return (inflections(verb, "VERB").get("VBG") or (verb,))[0] + blank + rest


@cache
def usual_word(word: str) -> str | None:
    """The most frequent other word for the most frequent sense of the lower-case `word`, in the same form, or None.

    Frequencies are counts in WordNet's sense-tagged text; both words must occur there in this sense.
    """
    wordnet = database.load("nvar")
    senses = [(count, *pair, id) for pair in lexicon.lemmas(word) for id, count in wordnet.senses[pair]]
    count, lemma, letter, id = max(senses, key=lambda sense: sense[0], default=(0, "", "", ""))
    if not count:
        return None
    alternatives = [
        alternative
        for alternative in wordnet.synsets[id].lemmas
        if alternative.isalpha() and alternative.lower() != lemma
    ]
    best = max(alternatives, key=lambda alternative: _count(alternative, letter, id), default="")
    if not best or not _count(best, letter, id):
        return None
    if word == lemma or letter not in "nv":
        return best
    speech = "NOUN" if letter == "n" else "VERB"
    tag = next((tag for tag, forms in inflections(lemma, speech).items() if word in forms), "")
    return next(iter(inflections(best, speech).get(tag, ())), None)


def _count(lemma: str, letter: str, id: str) -> int:
    return dict(database.load("nvar").senses[lemma.lower(), letter])[id]


def reword(text: str, draw: Draw, words: bool = True) -> str:
    """The reworded query; `text` if no rule applies. Without `words`, single words are not replaced."""
    body = text.strip().rstrip("?.! ")
    wording, parts = _phrase(body, draw)
    if words:
        parts = [usual_words(part, draw, one_in=3) for part in parts]
    for number, part in enumerate(parts):
        pattern, replacement = draw.choice(_ARTICLES)
        parts[number] = pattern.sub(replacement, part, count=1)
    varied = wording.format(*parts, ing=gerund(parts[0]))
    if varied == body and words:
        varied = usual_words(body, draw, one_in=1)
    return varied + text.strip()[len(body) :] if varied != body else text


def _phrase(text: str, draw: Draw) -> tuple[str, list[str]]:
    """(template, parts to fill in) for this question; if no pattern matches, the text is the only part."""
    for pattern, wordings in _PHRASES:
        if match := pattern.fullmatch(text):
            return draw.choice(wordings), list(match.groups())
    return "{0}", [text]


def usual_words(text: str, draw: Draw, one_in: int) -> str:
    """The text with about one in `one_in` of the words that have a usual word replaced by it; stopwords stay."""
    stopwords = lexicon.stopwords()
    for word in reversed(list(WORD.finditer(text))):
        usual = None if folded(word[0]) in stopwords else usual_word(word[0].lower())
        if usual and not draw.integer_below(one_in):
            text = splice(text, *word.span(), usual)
    return text
