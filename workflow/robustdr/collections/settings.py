"""Sources: what a stage is told of a collection, an entry of collections.yaml, by its kind.

A source stays the mapping that it is in YAML, for its keys decide what is made (`robustdr.collections.part`). The
schema of collections.yaml says what each key means. A split is of its source's kind where it names no other.
"""

from typing import Annotated, Literal, NotRequired

from pydantic import Discriminator, Field, Tag, with_config
from typing_extensions import TypeAliasType, TypedDict  # Python's own come with 3.12

from robustdr.core.settings import STRICT

Candidates = Literal["judged"]


class Columns(TypedDict):
    qid: str
    query: str
    text: str
    grade: str


class TableFile(TypedDict):
    """A table: `path`, or `hub` with `revision` and `file`."""

    path: NotRequired[str]
    hub: NotRequired[str]
    revision: NotRequired[str]
    file: NotRequired[str]
    sha256: NotRequired[str]


class QuestionsSplit(TableFile):
    kind: Literal["questions"]
    question: str
    answers: str


class PairsSplit(TableFile):
    candidates: NotRequired[Candidates]


class WordNetSplit(TypedDict):
    queries: int
    candidates: NotRequired[Candidates]
    distractors: NotRequired[int]


class BeirSplit(TypedDict):
    kind: NotRequired[Literal["beir"]]
    count: NotRequired[int]
    candidates: NotRequired[Candidates]


class IrdsSplit(TypedDict):
    kind: NotRequired[Literal["irds"]]
    id: str
    answers: NotRequired[Literal[True]]
    count: NotRequired[int]
    candidates: NotRequired[Candidates]


class LocalSplit(TypedDict):
    kind: NotRequired[Literal["local"]]
    queries: str
    qrels: NotRequired[str]
    count: NotRequired[int]
    candidates: NotRequired[Candidates]


Foreign = (
    Annotated[IrdsSplit, Tag("irds")]
    | Annotated[LocalSplit, Tag("local")]
    | Annotated[QuestionsSplit, Tag("questions")]
)


def _own(kind: str) -> Discriminator:
    return Discriminator(lambda split: split.get("kind", kind))


@with_config(STRICT)
class _Any(TypedDict):
    """What a source of any kind may say."""

    description: NotRequired[str]
    licence: NotRequired[str]
    url: NotRequired[str]
    relevance_level: NotRequired[int]
    binary_from: NotRequired[int]
    log: NotRequired[Literal[True]]


class WordNet(_Any):
    kind: Literal["wordnet"]
    parts_of_speech: list[Literal["noun", "verb", "adj", "adv"]]
    lexicographer_files: NotRequired[list[str]]
    text: Literal["gloss", "entry"]
    passages: int
    familiarity: int
    max_senses: int
    seed: int
    miniature: NotRequired[Literal[True]]
    splits: dict[str, WordNetSplit]


class Beir(_Any):
    kind: Literal["beir"]
    folder: str
    sha256: NotRequired[dict[str, str]]
    splits: dict[str, Annotated[Annotated[BeirSplit, Tag("beir")] | Foreign, _own("beir")]]


class Irds(_Any):
    kind: Literal["irds"]
    corpus: str
    quoted: NotRequired[Literal[True]]
    validated: NotRequired[dict[str, str]]
    unavailable: NotRequired[str]
    sha256: NotRequired[dict[str, str]]
    splits: dict[str, Annotated[Foreign, _own("irds")]]


class Local(_Any):
    kind: Literal["local"]
    corpus: NotRequired[str]
    drop_empty: NotRequired[Literal[True]]
    ignore_unjudged: NotRequired[Literal[True]]
    unavailable: NotRequired[str]
    sha256: NotRequired[dict[str, str]]
    splits: dict[str, Annotated[Foreign, _own("local")]]


class Pairs(_Any):
    kind: Literal["pairs"]
    columns: Columns
    filtered: NotRequired[Literal[True]]
    unavailable: NotRequired[str]
    sha256: NotRequired[dict[str, str]]
    splits: dict[str, PairsSplit]


FromFiles = Beir | Irds | Local | Pairs
Source = TypeAliasType("Source", Annotated[WordNet | FromFiles, Field(discriminator="kind")])
