"""What is wrong with a value is one line: keys, value, what is allowed."""

import json
from dataclasses import field
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, PositiveInt, TypeAdapter, ValidationError, with_config
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from robustdr.core.settings import STRICT
from robustdr.core.validation import explained, wrong


@with_config(STRICT)
class Cat(TypedDict):
    kind: Literal["cat"]
    lives: int


@with_config(STRICT)
class Dog(TypedDict):
    kind: Literal["dog"]
    tricks: list[str]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Garden:
    trees: PositiveInt


@dataclass(frozen=True, kw_only=True, config=STRICT)
class House:
    rooms: PositiveInt
    colour: Literal["red", "green"] = "red"
    pets: dict[Annotated[str, Field(pattern="^[a-z]+$")], Annotated[Cat | Dog, Field(discriminator="kind")]] = field(
        default_factory=dict
    )
    price: float | None = None
    doors: str | list[str] = "oak"
    garden: Literal["none"] | Garden = "none"

    def __post_init__(self) -> None:
        if self.rooms == 13:
            raise ValueError("13 rooms bring bad luck")
        if self.rooms == 14:
            raise wrong("rooms", "14 is 13 in disguise")


def told(tree: Any) -> str:
    adapter = TypeAdapter(dict[str, House])
    with pytest.raises(ValidationError) as caught:
        adapter.validate_json(json.dumps(tree))
    return explained(caught.value, adapter)


@pytest.mark.parametrize(
    ("house", "message"),
    [
        ({}, "'rooms' is missing"),
        (
            {"rooms": 3, "colr": "red"},
            "key: 'colr' is unknown (did you mean colour?); allowed: colour, doors, garden, pets, price, rooms",
        ),
        ({"colr": "red"}, "key: 'colr' is unknown"),  # not that `rooms` is missing
        ({"rooms": 0}, ".rooms: 0 should be greater than 0"),
        ({"rooms": "3"}, ".rooms: '3' should be a valid integer"),
        ({"rooms": True}, ".rooms: True should be a valid integer"),
        ({"rooms": 3, "colour": "gren"}, ".colour: 'gren' is unknown (did you mean green?); allowed: green, red"),
        ({"rooms": 3, "price": "1e5"}, ".price: '1e5' should be a valid number: YAML reads it as text; write a point"),
        ({"rooms": 3, "pets": {"tom": {"kind": "cow"}}}, ".pets.tom.kind: 'cow' is unknown; allowed: cat, dog"),
        ({"rooms": 3, "pets": {"tom": {}}}, ".pets.tom: 'kind' is missing; allowed: cat, dog"),
        ({"rooms": 3, "pets": {"tom": {"kind": "cat", "live": 9}}}, ".pets.tom: key: 'live' is unknown (did you mean"),
        ({"rooms": 3, "pets": {"rex": {"kind": "dog", "tricks": [1]}}}, ".pets.rex.tricks.0: 1 should be a valid str"),
        (
            {"rooms": 3, "pets": {"Rex": {"kind": "cat", "lives": 9}}},
            ".pets: key 'Rex' should match pattern '^[a-z]+$'",
        ),
        ({"rooms": 3, "pets": 3}, ".pets: 3 should be a mapping of keys to values"),
        ({"rooms": 3, "doors": 3}, ".doors: 3 should be a valid string"),
        ({"rooms": 3, "garden": "nune"}, ".garden: 'nune' is unknown (did you mean none?); allowed: none"),
        ({"rooms": 3, "garden": {"trees": 0}}, ".garden.trees: 0 should be greater than 0"),
        ({"rooms": 3, "garden": {}}, ".garden: 'trees' is missing"),
        ({"rooms": 13}, "13 rooms bring bad luck"),
        ({"rooms": 14}, ".rooms: 14 is 13 in disguise"),
        (3, "3 should be a mapping of keys to values"),
    ],
)
def test_what_is_wrong(house, message):
    start = "mine" if message.startswith(".") else "mine: "
    assert told({"mine": house}).startswith(f"{start}{message}")


def test_the_top_level_has_a_name_and_long_values_are_cut():
    assert told(["x" * 500]) == f"top level: {repr(['x' * 500])[:80]} … should be a mapping of keys to values"


def test_keys_above_come_first():
    adapter = TypeAdapter(House)
    with pytest.raises(ValidationError) as caught:
        adapter.validate_json("{}")
    assert explained(caught.value, adapter, ["houses", "mine"]) == "houses.mine: 'rooms' is missing"
