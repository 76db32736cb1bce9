"""Where the values of a paper's trainings stand, and what differs here (`config/papers/<paper>/sources.yaml`)."""

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from robustdr.core.names import Names, SomeNames, Text
from robustdr.core.yaml_files import Document, load


class Source(Document):
    """One sentence or table of a paper, or a part of its released code, and what follows from it."""

    subject: Text
    """Subject of the entry, in a few words."""
    systems: SomeNames | None = None
    """Systems, pre-trainings and evaluations (`<paper>/<role>`) of the paper that it concerns; all systems and
    pre-trainings if neither these nor `budgets` are given."""
    budgets: SomeNames | None = None
    """Budgets: it concerns what is trained with them."""
    quotation: Text | None = None
    """The paper's words."""
    place: Text | None = None
    """Their place in the paper."""
    released_code: Text | None = None
    """What the authors' code, data or toolkit do."""
    values: dict[str, Any] = Field(default_factory=dict)
    """By key of a training, such as `budget.epochs`, `loss.alpha`, `data.queries` or `generator.typo`: the value that
    these give."""
    unspecified: Names = Field(default_factory=list)
    """Keys of a training that have no value in the paper and none in the released code."""
    deviation: Text | None = None
    """The deviation: what is done here, if it differs from paper and code, or if both give no value."""
    effect: Text | None = None
    """The measured effect of the deviation."""
    alternative: Text | None = None
    """System that is made in the paper's way. A table tests it against the system that is made as `deviation` says.
    `robustdr deviations --results` keeps the difference."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.systems and self.budgets:
            raise ValueError("`systems` and `budgets` are given; name one of them")
        if bool(self.quotation) != bool(self.place):
            raise ValueError("`quotation` and `place`, where it stands in the paper, are given together, or neither is")
        if not self.quotation and not self.released_code and (self.values or not self.deviation):
            raise ValueError(
                "without `quotation` and `released_code`, `values` are not allowed and `deviation` is needed"
            )
        if self.unspecified and not self.deviation:
            raise ValueError("`deviation` is missing: it says what is done if paper and released code give no value")
        for key in ("effect", "alternative"):
            if getattr(self, key) and not self.deviation:
                raise ValueError(f"`{key}` is of a deviation, and `deviation` is missing")
        return self

    @property
    def keys(self) -> list[str]:
        """Return the keys of the training that it accounts for."""
        return [*self.values, *self.unspecified]


class Sources(Document):
    """A file of sources."""

    sources: Annotated[list[Source], Field(min_length=1)]
    """The entries, in the order of the paper."""


def load_sources(path: Path) -> list[Source]:
    """Read a sources.yaml; none without the file.

    Raises:
        UserError: the first fault: file, line, key and what is allowed.
    """
    return load(path, Sources).sources if path.is_file() else []
