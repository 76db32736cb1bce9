"""Sources: entries of collections.yaml, by kind. The type, limits and description of each key are only here.

A source stays the mapping that it is in YAML, because the given keys decide what is made
(`robustdr.collections.deciding_keys`). A split without a kind has the kind of its source.
"""

from typing import Annotated, Literal, NotRequired, get_args, get_type_hints

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    NonNegativeInt,
    PositiveInt,
    Tag,
    ValidationInfo,
    with_config,
)
from typing_extensions import TypeAliasType, TypedDict  # Python's own come with 3.12

from robustdr.core.secrets import URL
from robustdr.core.settings import STRICT, UNSEEN
from robustdr.core.validation import Distinct, wrong


def _placed(path: str, info: ValidationInfo) -> str:
    """Return a path as it is; in an overlay, whose folder is the context, it starts there."""
    return str(info.context / path) if info.context else path


Placed = AfterValidator(_placed)
Text = Annotated[str, Field(min_length=1)]
UserPath = Annotated[Text, Placed]  # of a user's file or folder
Name = Annotated[str, Field(pattern="^[a-z0-9-]+$")]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
PartOfSpeech = Literal["noun", "verb", "adj", "adv"]


class _Split(TypedDict, total=False):
    """What a split of any kind with qrels may say."""

    candidates: Literal["judged"]
    """`judged`: each query ranks only the passages that its qrels judge, of every grade."""


class _SplitWithCount(_Split, total=False):
    count: PositiveInt
    """Number of queries, which may be approximate. It decides in how many shards they are varied (`variation_shard` of
    a scale). `robustdr audit` compares it with a paper's."""


class Columns(TypedDict):
    """The names of columns."""

    qid: NotRequired[Text]
    """Id of a question. Without it, a question's id is the row where it stands first, from 0."""
    query: Text
    """The question."""
    text: Text
    """A candidate passage."""
    grade: Text
    """Its grade."""


class SourceFile(TypedDict, total=False):
    """A file: `path`, or `hub` or `github` with `revision` and `file`."""

    path: UserPath
    """Your own file."""
    hub: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    """A data set of the hub, `owner/name`."""
    github: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]
    """A repository of GitHub, `owner/name`."""
    revision: Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
    """Commit of the data set or repository."""
    file: Text
    """File in the data set or repository."""
    sha256: Sha256
    """SHA-256 of the file. `github` needs it."""


def _with_one_place(file: SourceFile) -> SourceFile:
    places = [key for key in ("path", "hub", "github") if key in file]
    if len(places) > 1:
        raise wrong(places[0], f"{file[places[0]]!r} is not allowed beside `{places[1]}`; name one place")
    remote = {"hub": ("revision", "file"), "github": ("revision", "file", "sha256")}
    required = remote[places[0]] if places and places[0] in remote else ("path",)
    if "path" in required and (unused := {"revision", "file", "sha256"} & file.keys()):
        raise wrong(min(unused), "allowed beside `hub` or `github` alone")
    for key in required:
        if key not in file:
            raise wrong(key, "missing; a file is `path`, or `hub` or `github` with `revision` and `file`")
    return file


OneFile = Annotated[SourceFile, AfterValidator(_with_one_place)]


class QuestionsSplit(SourceFile):
    kind: Literal["questions"]
    """Questions with answers; a retrieved passage that contains an answer is relevant, by DPR's rules."""
    question: Text
    """Column of the questions."""
    answers: Text
    """Column of the lists of answers; a.b is the field b of the column a."""


class PairsSplit(_Split, SourceFile):
    columns: NotRequired[Columns]
    """Names of the columns of this split; if not given, those of the source."""
    header: NotRequired[Literal[False]]
    """The TSV file has no header; its columns are called f0, f1, …"""


class AlignedSplit(_Split):
    questions: OneFile
    """File with one question on each line."""
    passages: OneFile
    """Line n has the passage that question n asks about."""
    lines: NotRequired[tuple[PositiveInt, PositiveInt]]
    """First and last line that are read, from 1; all lines if not given."""
    queries: NotRequired[PositiveInt]
    """Number of questions drawn; all if not given."""


class FaqSplit(_Split):
    topics: tuple[Annotated[float, Field(ge=0, lt=1)], Annotated[float, Field(gt=0, le=1)]]
    """Part of the topics whose questions it has, as two fractions: [0, 0.7] has seven tenths of them. Splits whose
    parts do not overlap share no topic."""
    queries: NotRequired[PositiveInt]
    """Number of questions drawn; all if not given."""


class LiveQaSplit(_Split):
    text: Literal["typed", "corrected"]
    """`typed`: the questions as their authors typed them. `corrected`: those that have a slip, without it."""


class WordNetSplit(_Split):
    queries: PositiveInt
    """Number of questions."""
    distractors: NotRequired[PositiveInt]
    """Number of passages of grade 0 for each question: those with the nearest meanings."""
    leaks: NotRequired[Annotated[list[Name], Field(min_length=1), Distinct]]
    """Other splits whose questions it has too, beside its own `queries`: a training split that has test queries."""


class BeirSplit(_SplitWithCount):
    kind: NotRequired[Literal["beir"]]
    """The kind of the corpus."""


class IrdsSplit(_SplitWithCount):
    kind: NotRequired[Literal["irds"]]
    """Needed where the corpus is of another kind."""
    id: Text
    """An ir_datasets id."""
    answers: NotRequired[Literal[True]]
    """Read the queries' answers too. A mined passage that contains an answer does not become a hard negative."""


class LocalSplit(_SplitWithCount):
    kind: NotRequired[Literal["local"]]
    """Needed where the corpus is of another kind."""
    queries: UserPath
    """File with lines qid<TAB>text, or JSONL or Parquet with qid and text; may be .gz."""
    qrels: NotRequired[UserPath]
    """TREC qrels, or BEIR's with their head line; may be .gz. A query log has none."""


def _with_qrels(split: LocalSplit) -> LocalSplit:
    if "qrels" not in split:
        raise wrong("qrels", "missing; only the splits of a query log (`log: true`) need none")
    return split


_SplitFromElsewhere = (
    Annotated[IrdsSplit, Tag("irds")] | Annotated[QuestionsSplit, AfterValidator(_with_one_place), Tag("questions")]
)
_SplitOfOtherKind = _SplitFromElsewhere | Annotated[LocalSplit, AfterValidator(_with_qrels), Tag("local")]


def _kind_or(kind: str) -> Discriminator:
    return Discriminator(lambda split: split.get("kind", kind) if isinstance(split, dict) else kind)


@with_config(STRICT)
class _AnySource(TypedDict, total=False):
    """What a source of any kind may say."""

    description: Annotated[str, UNSEEN]
    """One sentence, for the collection's card."""
    licence: Annotated[str, UNSEEN]
    """Licence, for the collection's card."""
    url: Annotated[URL, UNSEEN]
    """Address, for the collection's card."""
    relevance_level: Annotated[PositiveInt, UNSEEN]
    """Lowest grade that binary measures count as relevant; 1 if not given."""
    binary_from: PositiveInt
    """Grades from this one on become 1, and lower grades become 0; if not given, grades stay."""
    log: Annotated[Literal[True], UNSEEN]
    """A query log: only its queries are read. It cannot be searched and gives no hard negatives."""


class _Pinned(TypedDict, total=False):
    sha256: dict[Annotated[str, Placed], Sha256]
    """SHA-256 by file, as the file is named in this entry or split."""


class _Private(_Pinned, total=False):
    unavailable: Annotated[Text, UNSEEN]
    """Why local files may be unavailable. While they are missing, jobs that need them are not run."""


class _Published(TypedDict, total=False):
    allow_missing: Literal[True]
    """Judgements may name missing passages and queries. A missing passage counts as not found; a missing query is left
    out."""
    ignore_identical_ids: Annotated[Literal[True], UNSEEN]
    """The passage with the id of a query is left out of its results, as in BEIR's evaluation. In ArguAna and Quora a
    query is a passage too, and would find itself."""


class _StandIn(TypedDict, total=False):
    miniature: Annotated[Literal[True], UNSEEN]
    """It stands in for a paper's collection. Tables that show it print the scale's `miniature`."""


class WordNet(_AnySource, _StandIn):
    kind: Literal["wordnet"]
    """Questions over WordNet 3.0, made here from an installed package."""
    parts_of_speech: Annotated[list[PartOfSpeech], Field(min_length=1), Distinct]
    """Parts of speech whose synsets are passages."""
    lexicographer_files: NotRequired[
        Annotated[
            list[Annotated[str, Field(pattern=r"^(noun|verb|adj|adv)\.[A-Za-z]+$")]],
            Field(min_length=1),
            Distinct,
        ]
    ]
    """Only synsets of these files, e.g. noun.plant; all if not given."""
    text: Literal["headed", "gloss", "entry"]
    """`headed`: the synset's words, its definition and examples, as in a dictionary. `gloss`: without these words.
    `entry`: as `headed`, followed by the synset's relatives and their definitions."""
    passages: PositiveInt
    """Number of passages."""
    familiarity: NonNegativeInt
    """Least number of times that a lemma occurs in SemCor and the glosses together; rarer lemmas get no question."""
    max_senses: PositiveInt
    """Most senses of a lemma; lemmas with more senses get no question."""
    seed: int
    """Seed of the random choices."""
    splits: dict[Name, WordNetSplit]
    """The queries, by split."""


class Beir(_AnySource, _Pinned, _Published):
    kind: Literal["beir"]
    """A folder in BEIR's layout."""
    folder: UserPath
    """The folder."""
    splits: dict[Name, Annotated[Annotated[BeirSplit, Tag("beir")] | _SplitOfOtherKind, _kind_or("beir")]]
    """The queries, by split: the name of a file in qrels/."""


class Irds(_AnySource, _Private, _Published):
    kind: Literal["irds"]
    """Read with ir_datasets."""
    corpus: Text
    """An ir_datasets id."""
    quoted: NotRequired[Literal[True]]
    """Passages stand in quotes, as in CSV; they are read without the quotes."""
    titled: NotRequired[OneFile]
    """JSONL with docid, title and text of the same passages, read in place of `corpus`; may be .gz."""
    splits: dict[Name, Annotated[_SplitOfOtherKind, _kind_or("irds")]]
    """The queries, by split."""


class Local(_AnySource, _Private, _Published):
    kind: Literal["local"]
    """Your own files."""
    corpus: NotRequired[Annotated[str, Field(pattern=r"(\.(tsv|jsonl)(\.gz)?|\.parquet)$"), Placed]]
    """docid<TAB>text or docid<TAB>title<TAB>text, perhaps with a head line. Or JSONL or Parquet with docid, text and
    perhaps title; fields may have the names of BEIR, ir_datasets, MS MARCO and Pyserini. A query log has none."""
    drop_empty: NotRequired[Literal[True]]
    """Empty passages and queries, and what judges them, are left out."""
    ignore_unjudged: NotRequired[Literal[True]]
    """Queries without a judgement are left out."""
    splits: dict[Name, Annotated[_SplitFromElsewhere | Annotated[LocalSplit, Tag("local")], _kind_or("local")]]
    """The queries, by split."""


class Pairs(_AnySource, _Private):
    kind: Literal["pairs"]
    """Questions with candidate passages of their own, a row for each pair. Questions without a relevant one are left
    out."""
    columns: Columns
    """The names of the columns."""
    filtered: NotRequired[Literal[True]]
    """Questions whose candidates are all relevant are removed too."""
    splits: dict[Name, Annotated[PairsSplit, AfterValidator(_with_one_place)]]
    """The tables, by split."""


class Aligned(_AnySource, _Private, _StandIn):
    kind: Literal["aligned"]
    """Two files for each split, one of questions and one of passages: line n of one belongs to line n of the other.
    Equal passages are one."""
    treebank: NotRequired[Literal[True]]
    """The texts have the tokens of the Penn Treebank (`-lrb-`, two back quotes, ` 's`), which become plain text."""
    splits: dict[Name, AlignedSplit]
    """The files, by split."""


class Faq(_AnySource, _Private, _StandIn):
    kind: Literal["faq"]
    """Questions with their answers, in one file: JSONL with `question`, `answer` and perhaps `focus`, the topic; or the
    JSON of StackFAQ. It may be .gz or .xz. Equal questions are one, and so are equal answers."""
    pairs: OneFile
    """The file."""
    splits: dict[Name, FaqSplit]
    """The questions, by split."""


class LiveQa(_AnySource, _Private, _StandIn):
    kind: Literal["liveqa"]
    """Consumers' questions of TREC's LiveQA track (2017), with judged answers. A question is its subject and its
    message. Questions without a judged answer that is right, at least in part, are left out. Grades: 1 related, 2
    incomplete, 3 excellent; of two assessors, the higher one."""
    questions: OneFile
    """The track's XML."""
    judged: OneFile
    """MedQuAD's zip of judged answers: a CSV with the answers, a text with their grades."""
    corrections: OneFile
    """TSV with `source` (liveqa), `text` (id of a question), `first` and `after` (numbers of the first misspelled word
    and of the word after the last, from 0), `corrected`."""
    pairs: OneFile
    """A file as `kind: faq` reads. Its answers are passages too, beside the judged ones."""
    splits: dict[Name, LiveQaSplit]
    """The questions, by split."""


def _with_one_level(source: _AnySource) -> _AnySource:
    if "binary_from" in source and source.get("relevance_level", 1) != 1:
        raise wrong("relevance_level", "with `binary_from`, the relevant grade is 1; remove it")
    return source


def _with_corpus_unless_log(source: Local) -> Local:
    if "log" not in source:
        if "corpus" not in source:
            raise wrong("corpus", "missing; only a query log (`log: true`) needs none")
        for name, split in source["splits"].items():
            if split.get("kind", "local") == "local" and "qrels" not in split:
                raise wrong(f"splits.{name}.qrels", "missing; only the splits of a query log (`log: true`) need none")
    return source


def _with_splits(source: WordNet) -> WordNet:
    if not source["splits"]:
        raise wrong("splits", "empty; a collection has one or more")
    return source


FromFiles = Beir | Irds | Annotated[Local, AfterValidator(_with_corpus_unless_log)] | Pairs | Aligned | Faq | LiveQa
Source = TypeAliasType(
    "Source",
    Annotated[Annotated[WordNet | FromFiles, Field(discriminator="kind")], AfterValidator(_with_one_level)],
)
Collections = Annotated[dict[Name, Annotated[Source, AfterValidator(_with_splits)]], Field(min_length=1)]

SOURCES: dict[str, type] = {
    get_args(get_type_hints(kind)["kind"])[0]: kind
    for kind in (getattr(member, "__origin__", member) for member in (WordNet, *get_args(FromFiles)))
}
OF_QUERIES = {"allow_missing", "binary_from", "ignore_unjudged"}  # keys that decide no byte of a collection's passages
OF_PASSAGES = {"titled"}  # keys that decide no byte of a split
# Keys that decide no byte of a collection.
DESCRIBING = {
    key
    for kind in SOURCES.values()
    for key, hint in get_type_hints(kind, include_extras=True).items()
    if UNSEEN in getattr(hint, "__metadata__", ())
}
