"""Settings that tables and figures in experiment.yaml share."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, Field

from robustdr.core.checks import check_known
from robustdr.core.errors import UserError
from robustdr.core.plugins import Plugins
from robustdr.core.settings import settings


def _unique(names: tuple[object, ...]) -> tuple[object, ...]:
    if len(set(names)) < len(names):
        raise ValueError(f"{list(names)!r} has non-unique elements")
    return names


Unique = AfterValidator(_unique)
SOME = Field(min_length=1, json_schema_extra={"uniqueItems": True})
Names = Annotated[tuple[str, ...], SOME, Unique]
Name = Annotated[tuple[str, ...], Field(min_length=1, max_length=1)]  # for layouts that take exactly one
Labels = Annotated[dict[str, str], Field(min_length=1)]
OneEach = tuple[str, ...]  # systems, one for each collection
Columns = Annotated[tuple[str | OneEach, ...], SOME, Unique]
Level = Annotated[float, Field(gt=0, lt=1)]
Reads = Literal["counts", "cards", "similarities", "queries", "costs", "seeds"]


@settings
class Significance:
    """Paired two-tailed t-tests of a table's cells, and their marks."""

    against: Literal["original"] | dict[str, str] = Field(
        description="by system, the other system of its test; `original`: the same system on the original queries"
    )
    level: Level = Field(description="level of the tests")
    mark: str = Field(description="mark of better cells; of worse cells if it is ↓ or `gain` is given")
    gain: str | None = Field(default=None, description="with `original`: mark of better cells")
    correction: Literal["bonferroni"] | None = Field(
        default=None,
        description="correction over all variations of the collection, or over the systems compared in a column",
    )
    pooled: bool = Field(
        default=False, description="a mean over variations is tested on the pairs of all of them together"
    )

    def __post_init__(self) -> None:
        if self.against != "original":
            if self.gain is not None:
                raise UserError(f"gain: {self.gain!r}; allowed only in tests against `original`")
        elif self.gain is None or self.correction is None:
            missing = "gain" if self.gain is None else "correction"
            raise UserError(f"{missing}: required in tests against `original`")

    @property
    def pairs(self) -> dict[str, str]:
        """The other system, by system; empty for tests against `original`."""
        return {} if isinstance(self.against, str) else self.against


@settings
class Spec:
    """A table or a figure.

    Its methods look up keys by name, because not every layout or figure has all of them.
    """

    title: str = Field(description="title above it")

    def key_values(self, key: str) -> list[Any]:
        """The values of a key or its plural; empty if this layout or figure lacks the key."""
        value = getattr(self, key, None) or getattr(self, f"{key}s", None) or ()
        return [value] if isinstance(value, str) else list(value)

    @property
    def roles(self) -> list[str]:
        """The roles of its collections."""
        return self.key_values("collection")

    @property
    def test(self) -> Significance | None:
        """The tests of its cells, if any."""
        return getattr(self, "significance", None)

    def needed(self) -> list[str | OneEach]:
        """The systems of the cells or points, and those that they are compared with."""
        rivals = self.test.pairs.values() if self.test else ()
        bases = (getattr(self, key, None) for key in ("drop_from", "base"))
        return [*self.key_values("system"), *rivals, *filter(None, bases)]

    def pairs(self) -> Iterator[tuple[str, str]]:
        """(system, role) of every cell or point: a system with every role, one in a list only with its own role."""
        for system in self.needed():
            role_systems = (system,) * len(self.roles) if isinstance(system, str) else system
            yield from zip(role_systems, self.roles, strict=True)

    def __post_init__(self) -> None:
        """Raise a `UserError`, which begins with the key, if two keys contradict each other."""
        systems = self.key_values("system")
        for key, lists in (("systems", systems), ("drop_from", [getattr(self, "drop_from", None)])):
            for entry in lists:
                if isinstance(entry, tuple) and len(entry) != len(self.roles):
                    count = f"{len(entry)} for {len(self.roles)} collections"
                    raise UserError(f"{key}: {', '.join(entry)}: {count}; name one system for each collection")
        for system, rival in (self.test.pairs if self.test else {}).items():
            check_known("significance.against", system, list(map(str, systems)))
            check_known(f"significance.against.{system}", rival, list(map(str, systems)))
        for base in self.key_values("base"):
            check_known("base", base, systems)


@settings
class TableSpec(Spec):
    """A table.

    Attributes:
        reads: its inputs besides measures: `counts` of the varied query sets, or their `similarities` to the originals,
            `cards` of the collections, the `queries`, the `costs` of training, the numbers of the `seeds`.
        about_data: whether its cells describe queries or passages, not rankings.
        explains_uncertainty: whether a footnote says what ± is.
        any_measure: whether a measure may exist for only some of the collections.
    """

    reads: ClassVar[tuple[Reads, ...]] = ()
    about_data: ClassVar[bool] = False
    explains_uncertainty: ClassVar[bool] = True
    any_measure: ClassVar[bool] = False

    rows: str = Field(description="name of the layout")
    collections: Names = Field(description="roles of the paper's evaluation")
    notes: Names | None = Field(default=None, description="footnotes")

    @property
    def unit_of_cells(self) -> str:
        """`percent`: times 100; `number`: not scaled; or `count`."""
        return "count" if self.about_data else getattr(self, "unit", "percent")


@settings
class Measured(TableSpec):
    """A table that may show only some measures."""

    measures: Names | None = Field(default=None, description="measures to show; without it, all of each collection")


@settings
class Quoted(TableSpec):
    """A table whose printed numbers may be in other tables."""

    reported: Names | None = Field(default=None, description="tables that hold the printed numbers, if not this one")


@settings
class Tested(TableSpec):
    """A table whose cells may be tested."""

    significance: Significance | None = Field(default=None, description="tests of the cells")


@settings
class Dropping(TableSpec):
    """A table whose drops may be relative to other systems."""

    drop_from: OneEach | None = Field(
        default=None,
        min_length=1,
        description="one system for each collection: drops are relative to its original queries; default: each own",
    )


@settings
class FigureSpec(Spec):
    """A figure."""

    kind: str = Field(description="name of the figure")


@settings
class OnOneCollection(FigureSpec):
    """A figure of systems on one collection."""

    collection: str = Field(description="role of the paper's evaluation")
    systems: Labels = Field(description="label by system")


Some = TypeVar("Some", bound=Spec)


def chosen(plugins: Plugins[Some], key: str, entry: Any, place: str = "entry", parent_keys: Sequence[str] = ()) -> Some:
    """The settings of a table or figure in experiment.yaml; returns `entry` if it already is settings.

    Args:
        key: key that names the plug-in. entry: its keys and values. place, parent_keys: file and keys,
            for error messages.

    Raises:
        UserError: the plug-in is unknown, or it does not take a key or value.
    """
    if isinstance(entry, plugins.base):
        return entry
    if key not in entry:
        raise UserError(f"{': '.join(filter(None, (place, '.'.join(parent_keys))))}: {key!r} is missing")
    check_known(f"{place}: {'.'.join([*parent_keys, key])}", str(entry[key]), plugins.names())
    return plugins.settings(entry[key], entry, place, parent_keys)
