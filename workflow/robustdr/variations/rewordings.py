"""Five rewordings of a question by rules, the stand-in for a large language model.

A model adds an opening ("could you tell me …") and changes words, order and register. So do the rules: each of the five
rewordings has another opening; the question becomes a phrase for what it asks; some words become the most common word
for their most common sense; and in some rewordings the end of the question ("… in the kitchen") moves to the front.
"""

import re

from robustdr.variations.base import Draw
from robustdr.variations.reformulation import reword, usual_words

COUNT = 5
# What is asked for follows: a clause, a phrase, or a colon and a question. No two openings begin alike.
OPENINGS = (
    "could you tell me",
    "can you explain",
    "i would like to know",
    "do you happen to know",
    "i am trying to find out",
    "please tell me",
    "does anyone know",
    "would you mind explaining",
    "help me understand",
    "i was asked to explain",
    "we want to find out",
    "where can i learn",
)
_BE = "(?P<be>is|are|was|were)"
_TOPIC = "(?:an? |the )?(?P<topic>.+)"
_HOW = r"(?P<done>(?:born|called|found|known|located|made|named|used)\b.*)"
_REST = r"(?P<rest>| (?:when|if|as|in)\b.*)"
# A question, and what it asks for. Only words of the group `topic` are replaced.
_ASKED = tuple(
    (re.compile(pattern, re.IGNORECASE), tuple(wordings.split(" | ")))
    for pattern, wordings in (
        (
            rf"(?:what(?:'s| is| are) )?(?:the )?(?:meaning|definition) of {_TOPIC}",
            "the meaning of {topic} | what {topic} means | what is meant by {topic} | how to define {topic}",
        ),
        (
            rf"what (?:does|do) (?:the (?:term|word) )?(?P<topic>.+?) mean{_REST}",
            "what {topic} means{rest} | the meaning of {topic}{rest} | what is meant by {topic}{rest}",
        ),
        (
            rf"how (?:do|would|can) (?:you|i|we|one) (?:define|describe) {_TOPIC}",
            "how {topic} is defined | how to describe {topic} | what {topic} means | the definition of {topic}",
        ),
        (
            rf"(?:what|which) (?P<kind>type|sort|kind)s? of (?P<topic>.+?) {_BE} (?P<one>.+)",
            "what {kind} of {topic} {one} {be} | which {kind} of {topic} {one} belongs to | "
            "the {kind} of {topic} that {one} {be}",
        ),
        (
            r"how (?:to|(?:do|does|can|should) (?:you|i|we|one)) (?P<topic>.+)",
            "how to {topic} | the way to {topic} | how one can {topic}",
        ),
        (
            rf"who {_BE} (?P<topic>.+)",
            "who {topic} {be} | which person {topic} {be} | the person that {topic} {be}",
        ),
        (r"who (?P<topic>.+)", "who {topic} | the person who {topic} | which person {topic}"),
        (
            rf"where {_BE} (?P<topic>.+) {_HOW}",
            "where {topic} {be} {done} | in which place {topic} {be} {done} | the place where {topic} {be} {done}",
        ),
        (rf"where {_BE} (?P<topic>.+)", "where {topic} {be} | in which place {topic} {be} | where to find {topic}"),
        (
            rf"what {_BE} (?P<topic>.+?) {_HOW}",
            "what {topic} {be} {done} | what exactly {topic} {be} {done} | what it is that {topic} {be} {done}",
        ),
        (
            rf"what {_BE} (?P<topic>.+?){_REST}",
            "what {topic} {be}{rest} | what to understand by {topic}{rest} | something about {topic}{rest}",
        ),
    )
)
_PHRASE = tuple(f"{opening} {{topic}}" for opening in ("something about", "more about", "what there is to know of"))
_QUESTION = re.compile(
    r"(?:wh\w+|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have)\b.*", re.IGNORECASE
)
_LAST = re.compile(r"(.+?) ((?:in connection with|according to|in the|during|when|if) .+)", re.IGNORECASE)


def rewordings(text: str, draw: Draw) -> list[str]:
    """Five different rewordings of `text`."""
    body = text.strip().rstrip("?.! ")
    end = text.strip()[len(body) :]
    match = _match_question(body, draw)
    varied = []
    for number, opening in enumerate(draw.sample(OPENINGS, COUNT)):
        if match:
            wordings, parts = match
            topic = usual_words(parts["topic"], draw, one_in=3)
            sentence = f"{opening} {wordings[number % len(wordings)].format(**parts | {'topic': topic})}"
        else:
            sentence = f"{opening}: {reword(body, draw)}"
        if (parts_of_sentence := _LAST.fullmatch(sentence)) and not draw.integer_below(2):
            sentence = f"{parts_of_sentence[2]}, {parts_of_sentence[1]}"
        varied.append(sentence + end)
    return varied


def _match_question(body: str, draw: Draw) -> tuple[list[str], dict[str, str]] | None:
    """(templates for what is asked, parts to fill in); None for a question that no pattern matches."""
    for pattern, wordings in _ASKED:
        if match := pattern.fullmatch(body):
            return draw.shuffled(wordings), match.groupdict()
    return None if _QUESTION.fullmatch(body) else (draw.shuffled(_PHRASE), {"topic": body})
