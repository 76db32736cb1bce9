"""Released query sets: the variations that authors made, as files."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from robustdr.collections.liveqa import read_questions
from robustdr.core.errors import UserError
from robustdr.core.files import digest_as, digest_kind, read_lines, read_queries
from robustdr.variations.base import Variation, one_of
from robustdr.variations.labels import GENERATORS, read_variations

FORMS = ("queries", "liveqa")


def paired(
    file: Path,
    queries: Mapping[str, str],
    file_name: str = "",
    *,
    labels: str = "",
    form: str = "queries",
    part: bool = False,
    lacks: bool = False,
) -> dict[str, str]:
    """The texts of a released file by query id, in the order of the queries.

    Args:
        file_name: the file's name in messages. labels, form, part, lacks: see `Released`.

    Raises:
        UserError: the file lacks a query, which is allowed with `labels` or `lacks` alone, or has an unknown one, which
            is allowed with `part` and in LiveQA's file alone.
    """
    if labels:
        labelled = read_variations(file, sheet=False)
        texts = {v.query: " ".join(v.text.split()) for v in labelled if v.generator == labels and v.valid}
    elif form == "liveqa":
        questions = read_questions(file)
        texts = {qid: questions[qid] for qid in queries if qid in questions}
    else:
        texts = read_queries(file)
    missing = [] if labels or lacks else [qid for qid in queries if qid not in texts]
    unknown = [] if part else [qid for qid in texts if qid not in queries]
    if missing or unknown:
        cases = ((missing, "is missing in the file"), (unknown, "of the file is none of the split's"))
        problems = (f"query {ids[0]!r} {problem} ({len(ids):,} such queries)" for ids, problem in cases if ids)
        raise UserError(
            f"{file_name or file}: {'; '.join(problems)}. The ids of the file must be those of the split's "
            f"{len(queries):,} queries"
        )
    return {qid: texts.get(qid, text) for qid, text in queries.items()}


@dataclass(frozen=True)
class Logged(Variation):
    """The query as a user wrote it again, from a log: one of its rewritten texts, at random.

    `file`, with its `sha256`, has lines of qid<TAB>text; a query may have several. One without any keeps its text.
    Lines of other queries have no effect.
    `robustdr evaluate --variations-file` writes it.

    >>> logged = Logged()
    >>> logged.texts["7"] = ["a cat"]  # `ready` reads them from the file
    >>> dict(logged.vary([("7", "what is a cat"), ("8", "what is a dog")], seed=1))
    {'7': 'a cat', '8': 'what is a dog'}
    """

    name = "logged"
    category = "logged"
    papers = ()
    needs = "a file of rewritten queries"

    file: str = field(default="", metadata={"effect": False})  # its contents decide texts, not its path
    sha256: str = ""
    texts: dict[str, list[str]] = field(default_factory=dict, init=False, compare=False)  # by query id, after `ready`

    @classmethod
    def speaks(cls, language: str) -> bool:
        return True

    def check(self) -> None:
        _check_file(self.name, self.file, self.sha256)

    @property
    def resource(self) -> str:
        return f"rewritten queries: {self.file}"

    def ready(self, queries: Mapping[str, str]) -> None:
        for number, line in read_lines(Path(self.file)):
            qid, tab, text = line.partition("\t")
            if not tab:
                raise UserError(f"{self.file}:{number}: {line[:80]!r}; a line is qid<TAB>text")
            self.texts.setdefault(qid, []).append(text)

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        draws = self.draws(seed)
        yield from ((qid, draws(qid, text).choice(self.texts.get(qid, [text]))) for qid, text in queries)


def _check_file(name: str, file: str, digest: str) -> None:
    """Raise a `UserError` if a variation's file is not there, or has another digest."""
    message_place = f"variation {name}: file"
    if not Path(file).is_file():
        raise UserError(f"{message_place}: {file!r}: no such file")
    if (actual := digest_as(Path(file), digest)) != digest:
        raise UserError(f"{message_place}: {file} has the {digest_kind(digest)} {actual}, not {digest}")


@dataclass(frozen=True)
class Released(Variation):
    """The query as a released file has it; the file's ids are those of the queries.

    `file`, with its `sha256`, has a line of qid<TAB>text for every query. With `labels` it is one of qvg's files of
    labelled variations (rodr, section 4.1, and qvg, section 5): of the generator `labels`, those that people judged
    valid are taken, with single blanks as in rodr's released query sets, and a query without one keeps its text. With
    `form` liveqa it is the XML of TREC's LiveQA track, which has questions as they were typed.
    `origin` says where the file is from. With `part` the queries are a part of the file's. With `lacks` the file may
    lack queries, which keep their text. The seed has no effect.
    """

    name = "released"
    listed = 15
    category = "paraphrasing"
    papers = ("rodr", "toroder")
    needs = "a released file of queries"

    file: str = field(default="", metadata={"effect": False})  # its contents decide texts, not its path
    sha256: str = ""
    labels: str = ""
    origin: str = ""
    part: bool = False
    form: str = "queries"
    lacks: bool = False
    texts: dict[str, str] = field(default_factory=dict, init=False, compare=False)  # by query id, after `ready`

    def check(self) -> None:
        if self.labels:
            one_of(self, "labels", GENERATORS.values())
        one_of(self, "form", FORMS)
        _check_file(self.name, self.file, self.sha256)

    @property
    def resource(self) -> str:
        valid = f", {self.labels}, judged valid" if self.labels else ""
        return f"released query set: {self.origin or self.file}{valid}"

    def ready(self, queries: Mapping[str, str]) -> None:
        """Join the file with the queries; see `paired`."""
        self.texts.update(
            paired(
                Path(self.file),
                queries,
                self.origin,
                labels=self.labels,
                form=self.form,
                part=self.part,
                lacks=self.lacks,
            )
        )

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        yield from ((qid, self.texts[qid]) for qid, _ in queries)
