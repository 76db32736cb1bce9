"""Query variation generators: `create` makes one, `run` varies a file.

A generator is a class with a `name`; the generators of a family share a file. `listed` is its position in lists; a
generator without it comes last. A family is imported only when one of its generators is made, so importing this package
loads no lexical data.
"""

import re
from typing import NamedTuple

from robustdr.core.errors import UserError
from robustdr.core.plugins import Plugins
from robustdr.variations.base import Variation, build

GENERATORS = Plugins("variation", __name__, Variation)


class Drawn(NamedTuple):
    """The parts of a query set's name: generator, parameters that replace defaults, and number of the draw, from 1."""

    generator: str
    parameters: dict[str, object]
    draw: int


QUERY_SET = re.compile(r"(\w+?)(?:\.share(\d+))?(?:\.version(\d+))?(?:\.draw(\d+))?")


def drawn(query_set: str) -> Drawn:
    """Read `<generator>[.share<percent>][.version<n>][.draw<n>]`.

    E.g. `typo.share40`: a typo in 40 % of a query's words; `llm.version1`: the first version for training.

    Raises:
        UserError: the name has another form.
    """
    if not (match := QUERY_SET.fullmatch(query_set)):
        raise UserError(f"{query_set!r}; allowed: <variation>[.share<percent>][.version<n>][.draw<n>]")
    name, share, version, draw = match.groups()
    parameters = {"share": share and int(share) / 100, "version": version and int(version)}
    return Drawn(name, {key: value for key, value in parameters.items() if value is not None}, int(draw or 1))


def names() -> list[str]:
    """The names of all generators, in the order of their papers."""
    return GENERATORS.names()


def kind(name: str) -> type[Variation]:
    """The class of the generator `name`.

    Raises:
        UserError: the name is unknown (lists the nearest names first).
    """
    return GENERATORS.load(name)


def create(name: str, parameters: dict[str, object] | None = None) -> Variation:
    """Make the generator `name` with its default parameters, overridden by `parameters`.

    Raises:
        UserError: the name or a parameter is unknown, a value is not allowed, or a resource is not installed.
    """
    variation = build(kind(name), parameters or {})
    variation.check()
    return variation
