"""A paper's claims and the controls that they need (`config/papers/<paper>/claims.yaml`)."""

from collections import Counter
from collections.abc import Collection, Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from robustdr.claims.tests import AnyTest
from robustdr.core.checks import check_known
from robustdr.core.names import Identifier, Names, SomeNames, Text
from robustdr.core.yaml_files import Document, load

Level = Annotated[float, Field(gt=0, lt=1)]


class Tested(Document):
    """A sentence with a test of it."""

    role: str
    """Collection that it is tested on, as in the paper's evaluation."""
    measure: str
    """Measure that it is tested on, as in the paper's evaluation."""
    level: Level
    """Level of significance."""
    test: AnyTest
    """What it compares."""

    def tests(self) -> dict[str, AnyTest]:
        """Return its tests by their keys."""
        return {"test": self.test}

    def pairs(self) -> list[tuple[str, str]]:
        """Return (system, role) of everything that it compares."""
        return [(system, self.role) for test in self.tests().values() for _, system in test.systems()]

    @property
    def measures(self) -> list[str]:
        """Return every measure that it compares, its own first."""
        other_measures = (test.names_under("from_measure") for test in self.tests().values())
        return [self.measure, *(measure for _, measure in chain.from_iterable(other_measures))]


class Control(Tested):
    """An effect that any valid setting must show; if it does not, claims that need it cannot be tested."""

    requirement: Text
    """The effect that must be visible, as a sentence."""
    reason: Text | None = None
    """The reason for its threshold, which is fixed before the runs that it judges."""

    @property
    def title(self) -> str:
        """Return what must show, and why so much."""
        return f"{self.requirement} ({self.reason})" if self.reason else self.requirement


class Claim(Tested):
    """One sentence of a paper as a test."""

    claim: Text
    """The sentence, in the paper's own words, except the case of its first letter; `[…]` stands for words that are left
    out."""
    short: Text | None = None
    """The sentence in a few words of this project's, for pages that name many headlines; if not given, all of it."""
    part: Text | None = None
    """The part of the sentence that it tests, if several claims share one sentence. The sentence counts once."""
    source: Text
    """Its place in the paper; `hypothesis, …` if no paper claims it."""
    reported: SomeNames | None = None
    """Tables of reported.yaml that it rests on; systems are found there by their `reported` names."""
    mark: Text | None = None
    """Mark of significance that its cells must carry."""
    headline: bool = False
    """Whether the paper's abstract or conclusion rests on it."""
    needs: Names = Field(default_factory=list)
    """Names of `controls` that must pass before this claim can be tested."""
    subjects: Names = Field(default_factory=list)
    """Subjects of the claim that a scale may lack: names of `proxies` in a scale. A scale that has a proxy for one of
    them cannot test the claim."""
    control: AnyTest | None = None
    """Test of an ablation: what the method's own part adds, for instance RoDR over the same training without alignment.
    If `test` is supported and this is not, the verdict says that the gain has another cause."""

    @model_validator(mode="after")
    def _mark_needs_tables(self) -> Self:
        if self.mark and not self.reported:
            raise ValueError("`mark` is given without `reported`, the tables that print it")
        return self

    @property
    def title(self) -> str:
        """Return the sentence and which part of it is tested."""
        return f"{self.claim}: {self.part}" if self.part else self.claim

    @property
    def hypothesis(self) -> bool:
        """Whether no paper makes this claim."""
        return self.source.startswith("hypothesis")

    def tests(self) -> dict[str, AnyTest]:
        return super().tests() | ({"control": self.control} if self.control else {})

    def replaced(self, proxies: Mapping[str, str | None]) -> str:
        """Return what stands in for the things that it is about at a scale with these proxies; '' if nothing does."""
        return "; ".join(filter(None, map(proxies.get, self.subjects)))

    def without(self, lacking: Collection[str], controls: Mapping[str, Control]) -> tuple[Self, list[str]]:
        """Return the claim where its mean over several systems leaves out those in `lacking`; and which it leaves out.

        It then needs no control on a system in `lacking`. A claim of which no system would remain stays as it is.
        """
        system = getattr(self.test, "system", "")
        omitted = [] if isinstance(system, str) else [name for name in system if name in lacking]
        if len(omitted) in (0, len(system)):
            return self, []
        test = self.test.model_copy(update={"system": [name for name in system if name not in omitted]})
        needs = [
            name
            for name in self.needs
            if not {compared_system for compared_system, _ in controls[name].pairs()} & {*lacking}
        ]
        return self.model_copy(update={"test": test, "needs": needs}), omitted


class Claims(Document):
    """A file of claims."""

    controls: dict[Identifier, Control] = Field(default_factory=dict)
    """By name: what any valid setting must show."""
    claims: Annotated[list[Claim], Field(min_length=1)]
    """The sentences, in the order of the paper."""

    @model_validator(mode="after")
    def _parts_differ(self) -> Self:
        if again := [title for title, number in Counter(claim.title for claim in self.claims).items() if number > 1]:
            raise ValueError(f"{again[0]!r} is given twice; claims of one sentence need a `part` each")
        return self

    def tested(self) -> dict[str, Tested]:
        """Return controls and claims by their key in the file."""
        controls = {f"controls.{name}": control for name, control in self.controls.items()}
        return controls | {f"claims.{number}": claim for number, claim in enumerate(self.claims)}

    def tested_by(self, cells: Collection[tuple[str, str]]) -> list[Tested]:
        """Return the claims whose `test` compares nothing but `cells`, (system, role), and the controls they need."""
        claims = [
            claim for claim in self.claims if all((system, claim.role) in cells for _, system in claim.test.systems())
        ]
        needed = dict.fromkeys(name for claim in claims for name in claim.needs)
        return [*claims, *(self.controls[name] for name in needed)]


NO_CLAIMS = Claims.model_construct(claims=[])  # of a paper without the file


def load_claims(path: Path) -> Claims:
    """Read a claims.yaml.

    Raises:
        UserError: the first fault: file, line, key and what is allowed.
    """
    document = load(path, Claims)
    for number, claim in enumerate(document.claims):
        for name in claim.needs:
            check_known(f"{path}: claims.{number}.needs", name, document.controls)
    return document
