"""The variance between training runs, measured once and pooled, for systems that were trained too few times."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field

from robustdr.core.errors import UserError
from robustdr.core.files import from_json
from robustdr.core.yaml_files import Document, checked
from robustdr.evaluation.names import AND, ORIGINAL


class Spread(Document):
    """A standard deviation between training runs, with its degrees of freedom.

    `common` is the share of the variance that systems trained with one seed have in common: they see the same data in
    the same order, and often start from the same model. It cancels where such systems are compared.
    """

    sd: Annotated[float, Field(ge=0)]
    df: Annotated[float, Field(gt=0)]
    common: Annotated[float, Field(ge=0, lt=1)] = 0.0


class Spreads(Document):
    """Of one measure: of a system's mean on the original queries, and of its drop; both as a share of that mean.

    `drop` is pooled over all variations. `drops` has those of single variations and of means over variations
    (`names.over`): runs differ more on misspellings, and less on a mean. `collections` has the same of single
    collections: runs differ less where few passages are ranked.
    """

    mean: Spread | None = None
    drop: Spread | None = None
    drops: dict[str, Spread] = Field(default_factory=dict)
    collections: dict[str, "Spreads"] = Field(default_factory=dict)

    def of(self, collection: str, query_set: str = ORIGINAL) -> Spread | None:
        """Return the deviation of a mean on the original queries, or of a drop: the collection's own if it has one.

        A mean over variations rather has its own on all collections than that of single variations. A deviation of 0 is
        taken only if there is no other.
        """
        own = self.collections.get(collection, Spreads())
        if query_set == ORIGINAL:
            known = [own.mean, self.mean]
        elif AND in query_set:
            known = [own.drops.get(query_set), self.drops.get(query_set), own.drop, self.drop]
        else:
            known = [own.drops.get(query_set), own.drop, self.drops.get(query_set), self.drop]
        found = [of for of in known if of]
        return next((of for of in found if of.sd), found[0] if found else None)


class Different(Document):
    """How often two runs of one system are called different, at a level of .05.

    `ignoring` the variance between runs, and `with` that of the other systems. The pairs of one system are not
    independent: two runs are compared on many query sets.
    """

    pairs: int
    systems: int
    ignoring: float
    aware: float | None = Field(None, alias="with")


@dataclass(frozen=True)
class Shift:
    """By how much one training moves a system: all of its means, or (`query_set`) one query set against the original.

    `runs`: of the system, over which its values are averaged. `spread`: of one run; None if it was never measured.
    """

    system: str
    measure: str
    query_set: str
    runs: int
    spread: Spread | None


@dataclass(frozen=True)
class Runs:
    """What is known of training runs: spreads by measure, and the systems that a run decides.

    `seeds` and `processors` say by measure how often two runs are called different that differ in nothing else.
    """

    spreads: Mapping[str, Spreads] = field(default_factory=dict)
    trained: frozenset[str] = frozenset()
    seeds: Mapping[str, Different] = field(default_factory=dict)
    processors: Mapping[str, Different] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path | None, trained: frozenset[str]) -> Self:
        """Read evidence/runs.json, which `between.summary` describes.

        Args:
            path: None if no variance between runs was measured.

        Raises:
            UserError: the file has another form.
        """
        if path is None:
            return cls(trained=trained)
        try:
            made = from_json(path.read_bytes())
        except ValueError:
            raise UserError(
                f"{path}: cut off or damaged; make it again: robustdr evidence add results/<scale>"
            ) from None
        if not isinstance(made, dict):
            raise UserError(f"{path}: no mapping of measures; make it again: robustdr evidence add results/<scale>")
        seeds, processors = (
            checked(dict[str, Different], made.pop(name, {}), path, [name]) for name in ("seeds", "processors")
        )
        return cls(checked(dict[str, Spreads], made, path), trained, seeds, processors)

    def shifts(
        self, system: str, measure: str, collection: str, query_set: str, runs: int, mean: float, original: float
    ) -> dict[Shift, float]:
        """Return by how much a mean moves if each shift of its system is 1.

        Args:
            query_set: a variation, or a mean over some (`names.over`). runs: that `mean` averages.
            original: mean of the system on the original queries.
        """
        if system not in self.trained:
            return {}
        known = self.spreads.get(measure, Spreads())
        found = {Shift(system, measure, "", runs, known.of(collection)): mean}
        if query_set != ORIGINAL:
            found[Shift(system, measure, query_set, runs, known.of(collection, query_set))] = original
        return found
