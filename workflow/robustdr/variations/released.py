"""Released query variations: texts that people judged valid, and queries as people typed them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import read_queries, sha256
from robustdr.variations.base import Variation, one_of
from robustdr.variations.labels import GENERATORS, read_variations


@dataclass(frozen=True)
class Released(Variation):
    """rodr, section 4.1, on ANTIQUE: the query's variation that qvg released and people judged valid.

    A query without one keeps its text. White space becomes single blanks, as in rodr's released query sets. `labels` is
    one of qvg's labelled files, `variation` the generator that made the texts. The seed has no effect.
    """

    name = "released"
    listed = 15
    category = "paraphrasing"
    papers = ("rodr",)
    needs = "qvg's released labels"

    labels: str = field(default="", metadata={"effect": False})  # its contents decide texts, not its path: see `files`
    variation: str = ""

    @property
    def files(self) -> list[Path]:
        return [Path(self.labels)] if self.labels else []  # Path("") would be the current folder

    def check(self) -> None:
        one_of(self, "variation", GENERATORS.values())
        if not Path(self.labels).is_file():
            raise UserError(f"variation {self.name}: labels: {self.labels}: no such file")

    @property
    def resource(self) -> str:
        return f"{self.needs}: {self.variation}, judged valid"

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        found = read_variations(Path(self.labels), sheet=False)
        valid = {v.query: " ".join(v.text.split()) for v in found if v.generator == self.variation and v.valid}
        yield from ((qid, valid.get(qid, text)) for qid, text in queries)


@dataclass(frozen=True)
class Typed(Variation):
    """toroder, section 5: the query as a person typed it, from a file of `qid<TAB>text`, e.g. DL-Typo's.

    A query that is not in the file keeps its text. `queries`: the file, `digest`: its SHA-256. The seed has no effect.
    """

    name = "typed"
    listed = 36
    category = "misspelling"
    papers = ("toroder",)
    needs = "queries that people typed"

    queries: str = field(default="", metadata={"effect": False})  # `digest` decides texts, not the path
    digest: str = ""

    def check(self) -> None:
        path = Path(self.queries)
        if not path.is_file():
            raise UserError(f"variation {self.name}: queries: {path}: no such file")
        if (found := sha256(path)) != self.digest:
            raise UserError(f"variation {self.name}: queries: {path} has the SHA-256 {found}, not {self.digest}")

    @property
    def resource(self) -> str:
        return f"{self.needs}: {self.queries}"

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        typed = read_queries(self.queries)
        yield from ((qid, typed.get(qid, text)) for qid, text in queries)
