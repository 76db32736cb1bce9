"""A paper's claims (`config/papers/<paper>/claims.yaml`)."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from robustdr.claims.tests import AnyTest
from robustdr.core.names import SomeNames, Text
from robustdr.core.yaml_files import Document, load

Level = Annotated[float, Field(gt=0, lt=1)]


class Claim(Document):
    """One sentence of a paper as a test."""

    claim: Text
    """The sentence."""
    source: Text
    """Its place in the paper; `hypothesis, …` if no paper claims it."""
    role: str
    """Collection that it is tested on, as in the paper's evaluation."""
    measure: str
    """Measure that it is tested on, as in the paper's evaluation."""
    level: Level
    """Level of significance."""
    reported: SomeNames | None = None
    """Tables of reported.yaml that it rests on; systems are found there by their `reported` names."""
    mark: Text | None = None
    """Mark of significance that its cells must carry."""
    test: AnyTest
    """What it compares."""

    @model_validator(mode="after")
    def _mark_needs_tables(self) -> Self:
        if self.mark and not self.reported:
            raise ValueError("`mark` is given without `reported`, the tables that print it")
        return self

    def pairs(self) -> list[tuple[str, str]]:
        """Return (system, role) of everything that it compares."""
        return [(system, self.role) for _, system in self.test.systems()]

    @property
    def measures(self) -> list[str]:
        """Return every measure that it compares, its own first."""
        return [self.measure, *(measure for _, measure in self.test.named("from_measure"))]


class Claims(Document):
    """A file of claims."""

    claims: Annotated[list[Claim], Field(min_length=1)]
    """The sentences, in the order of the paper."""


def load_claims(path: Path) -> list[Claim]:
    """Read a claims.yaml.

    Raises:
        UserError: the first fault: file, line, key and what is allowed.
    """
    return load(path, Claims).claims
