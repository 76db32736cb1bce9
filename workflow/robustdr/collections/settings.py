"""Sources: what a stage is told of a collection, an entry of collections.yaml, by its kind.

A source stays the mapping that it is in YAML, for its keys decide what is made (`robustdr.collections.part`). The
schema of collections.yaml says what each key means.
"""

from typing import Annotated, Literal, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypeAliasType, TypedDict  # Python's own come with 3.12

from robustdr.settings import STRICT

Candidates = Literal["judged"]


class Columns(TypedDict):
    qid: str
    query: str
    text: str
    grade: str


@with_config(STRICT)
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


@with_config(STRICT)
class WordNetSplit(TypedDict):
    queries: int
    candidates: NotRequired[Candidates]
    distractors: NotRequired[int]


@with_config(STRICT)
class BeirSplit(TypedDict):
    kind: NotRequired[Literal["beir"]]
    count: NotRequired[int]
    candidates: NotRequired[Candidates]


@with_config(STRICT)
class IrdsSplit(TypedDict):
    kind: NotRequired[Literal["irds"]]
    id: str
    answers: NotRequired[Literal[True]]
    count: NotRequired[int]
    candidates: NotRequired[Candidates]


@with_config(STRICT)
class LocalSplit(TypedDict):
    kind: NotRequired[Literal["local"]]
    queries: str
    qrels: NotRequired[str]
    count: NotRequired[int]
    candidates: NotRequired[Candidates]


@with_config(STRICT)
class _Any(TypedDict):
    """What a source of any kind may say."""

    description: NotRequired[str]
    licence: NotRequired[str]
    url: NotRequired[str]
    unavailable: NotRequired[str]
    relevance_level: NotRequired[int]
    binary_from: NotRequired[int]
    log: NotRequired[Literal[True]]
    sha256: NotRequired[dict[str, str]]


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
    splits: dict[str, BeirSplit | IrdsSplit | LocalSplit | QuestionsSplit]


class Irds(_Any):
    kind: Literal["irds"]
    corpus: str
    quoted: NotRequired[Literal[True]]
    validated: NotRequired[dict[str, str]]
    splits: dict[str, IrdsSplit | LocalSplit | QuestionsSplit]


class Local(_Any):
    kind: Literal["local"]
    corpus: NotRequired[str]
    drop_empty: NotRequired[Literal[True]]
    ignore_unjudged: NotRequired[Literal[True]]
    splits: dict[str, LocalSplit | IrdsSplit | QuestionsSplit]


class Pairs(_Any):
    kind: Literal["pairs"]
    columns: Columns
    filtered: NotRequired[Literal[True]]
    splits: dict[str, PairsSplit]


Source = TypeAliasType("Source", Annotated[WordNet | Beir | Irds | Local | Pairs, Field(discriminator="kind")])
