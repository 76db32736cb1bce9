"""Released query sets: the variations that authors made, as files."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import read_queries, sha256
from robustdr.variations.base import Variation, one_of
from robustdr.variations.labels import GENERATORS, read_variations


@dataclass(frozen=True)
class Released(Variation):
    """The query as a released file has it; the file's ids are those of the queries.

    `file`, with its `sha256`, has a line of qid<TAB>text for every query. With `labels` it is one of qvg's files of
    labelled variations (rodr, section 4.1, and qvg, section 5): of the generator `labels`, those that people judged
    valid are taken, with single blanks as in rodr's released query sets, and a query without one keeps its text.
    `origin` says where the file is from. The seed has no effect.
    """

    name = "released"
    listed = 15
    category = "paraphrasing"
    papers = ("rodr", "qvg", "toroder")
    needs = "a released file of queries"

    file: str = field(default="", metadata={"effect": False})  # its contents decide texts, not its path
    sha256: str = ""
    labels: str = ""
    origin: str = ""

    def check(self) -> None:
        if self.labels:
            one_of(self, "labels", GENERATORS.values())
        where = f"variation {self.name}: file"
        if not Path(self.file).is_file():
            raise UserError(f"{where}: {self.file!r}: no such file")
        if (found := sha256(self.file)) != self.sha256:
            raise UserError(f"{where}: {self.file} has the SHA-256 {found}, not {self.sha256}")

    @property
    def resource(self) -> str:
        valid = f", {self.labels}, judged valid" if self.labels else ""
        return f"released query set: {self.origin or self.file}{valid}"

    def fetch(self, queries: Mapping[str, str]) -> None:
        """Pair the file with the queries by their ids.

        Raises:
            UserError: the file lacks a query, which is allowed with `labels` alone, or has an unknown one.
        """
        texts = self._texts()
        missing = [] if self.labels else [qid for qid in queries if qid not in texts]
        unknown = [qid for qid in texts if qid not in queries]
        if missing or unknown:
            found = ((missing, "is missing in the file"), (unknown, "of the file is none of the split's"))
            said = (f"query {ids[0]!r} {what} ({len(ids):,} such queries)" for ids, what in found if ids)
            raise UserError(
                f"{self.origin or self.file}: {'; '.join(said)}. The ids of the file must be those of the split's "
                f"{len(queries):,} queries"
            )

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        texts = self._texts()
        yield from ((qid, texts.get(qid, text)) for qid, text in queries)

    def _texts(self) -> dict[str, str]:
        """The released texts by query id."""
        if not self.labels:
            return read_queries(self.file)
        found = read_variations(Path(self.file), sheet=False)
        return {v.query: " ".join(v.text.split()) for v in found if v.generator == self.labels and v.valid}
