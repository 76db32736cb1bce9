"""Settings of the stages that vary the queries of a split and bring released query sets."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT
from robustdr.core.validation import wrong
from robustdr.encoding.settings import Revision, Sha256

FilePath = Annotated[str, Field(pattern="[^/]$")]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Release:
    """A file of query sets as its authors released it: in a repository on GitHub, or your own copy."""

    github: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")] | None = None
    """Repository, `owner/name`, with `revision` and `file`."""
    revision: Revision | None = None
    """Commit of the repository."""
    file: FilePath | None = None
    """File in the repository."""
    path: FilePath | None = None
    """Your own file in place of `github`; a relative path starts where the command runs."""
    sha256: Sha256 | None = None
    """SHA-256 of the file."""
    blob: Revision | None = None
    """Git's name of the file's contents in the repository, in place of `sha256`."""
    form: Literal["queries", "labels", "liveqa"] = "queries"
    """`queries`: a line is qid<TAB>text, and the ids are those of the split. `labels`: qvg's labelled variations. Valid
    ones are taken; a query that has no valid one is not changed. `liveqa`: the XML of TREC's LiveQA track; questions as
    they were typed."""
    lacks: bool = False
    """Whether the file may lack queries; these are not changed."""

    def __post_init__(self) -> None:
        if bool(self.sha256) == bool(self.blob):
            raise wrong("sha256", "give either `sha256` or `blob`")
        for key in ("revision", "file"):
            if bool(getattr(self, key)) != bool(self.github):
                raise wrong(key, "`github`, `revision` and `file` go together; give all of them or none")
        if bool(self.github) == bool(self.path):
            raise wrong("path", "give either `path`, or `github` with `revision` and `file`")

    @property
    def origin(self) -> str:
        """Where it comes from, for people."""
        return f"{self.github}@{self.revision}: {self.file}" if self.github else str(self.path)

    @property
    def digest(self) -> str:
        """What the file must have: a SHA-256, or the name of a blob."""
        return self.sha256 or self.blob or ""

    @property
    def name(self) -> str:
        """The file in the folder of released files."""
        return f"{self.digest[:16]}/{(self.file or self.path or '').rpartition('/')[2]}"


@dataclass(frozen=True, config=STRICT)
class VariationSettings:
    """A generator: its class as `family:Class`, its parameters, and the seed of its draws."""

    generator: str
    parameters: dict[str, object]
    seed: int
