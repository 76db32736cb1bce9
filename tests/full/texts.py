"""Invented passages and questions of one little world: each passage says one thing, each question asks for it."""

import random
from typing import NamedTuple

# fmt: off
ADJECTIVES = [
    "old", "new", "small", "large", "cold", "warm", "dark", "bright", "quiet", "wild", "deep", "tall",
    "narrow", "heavy", "gentle", "ancient",
]
NOUNS = [
    "river", "castle", "garden", "school", "market", "bridge", "forest", "museum", "harbor", "village",
    "engine", "library", "temple", "orchard",
]
PLACES = [
    "denmark", "peru", "kenya", "norway", "chile", "egypt", "japan", "canada", "india", "spain",
    "turkey", "ireland",
]
GOODS = [
    "salt", "wool", "copper", "honey", "glass", "paper", "silk", "cotton", "timber", "coffee", "silver",
    "marble",
]
MONTHS = [
    "january", "march", "april", "june", "july", "september", "october", "november",
]
# fmt: on
ASKED = ("what does the {place} sell in {month}", "which goods leave the {place} in {month}", "define {place} trade")


class Fact(NamedTuple):
    """A passage with a title, a question that it answers, and the answer."""

    title: str
    text: str
    question: str
    answer: str


def facts(number: int, seed: int) -> list[Fact]:
    """Return facts about different places, the same ones for a seed."""
    rng = random.Random(seed)
    places = [f"{adjective} {noun} of {place}" for adjective in ADJECTIVES for noun in NOUNS for place in PLACES]
    found = []
    for place in rng.sample(places, number):
        good, month = rng.choice(GOODS), rng.choice(MONTHS)
        text = (
            f"The {place} is known for its {good}. In {month} the people who live near the {place} carry {good} to "
            f"the boats, and the merchants pay for it with {rng.choice(GOODS)} and {rng.choice(GOODS)}."
        )
        found.append(Fact(place.title(), text, rng.choice(ASKED).format(place=place, month=month), good))
    return found
