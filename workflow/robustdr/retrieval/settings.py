"""Settings of the stages that encode passages and search."""

from dataclasses import field
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, PositiveInt
from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT, UNSEEN, Named, Precision


@dataclass(frozen=True, config=STRICT)
class EmbedSettings:
    """How the passages of a corpus are encoded.

    Attributes:
        passage_length: tokens kept of a passage.
        stored: precision of the vectors on disk.
        precision: that the encoder computes in. threads: of the processor.
    """

    passage_length: int
    stored: Literal["float32", "float16"]
    precision: Precision
    threads: int


FLAT = "Flat"  # the factory string of an exact search, which needs no index


@dataclass(frozen=True, config=STRICT)
class Index:
    """A FAISS index."""

    factory: str
    """FAISS factory string; `Flat` is an exact search. An index of any other factory is made once for each shard of a
    model's vectors, which are then kept, and read by all searches."""
    nprobe: PositiveInt
    """Lists of an inverted file that a search visits."""


@dataclass(frozen=True, config=STRICT)
class SearchSettings:
    """How a dense retriever searches.

    Attributes:
        query_length, passage_length: tokens kept.
        depth: passages per query.
        shards: parts of the corpus, each with an index of its own; 0 where passages are encoded while searching.
        precision: that the encoder computes in. threads: of the processor.
    """

    query_length: int
    passage_length: int
    depth: int
    index: Index
    shards: int
    precision: Precision
    threads: int


# What BM25's index consists of. The last five are bm25s's own, under the names that it looks for.
INDEX_FILES = (
    "index.json",
    "docids.arrow",
    "terms.npy",
    "passages.npy",
    "params.index.json",
    "vocab.index.json",
    "indptr.csc.index.npy",
    "indices.csc.index.npy",
    "data.csc.index.npy",
)


Share = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[str, Field(pattern="^[a-z_]+$")]


@dataclass(frozen=True, config=STRICT)
class BM25IndexSettings:
    """How BM25's index of a corpus is made."""

    k1: NonNegativeFloat
    """Saturation of term frequencies."""
    b: Share
    """Normalisation by passage length."""
    stopwords: Name | None
    """A bm25s list such as `en`, or null."""
    stemmer: Name | None
    """A Snowball stemmer such as `english`, or null."""

    @property
    def name(self) -> str:
        """Name of the index, from the settings that it is made with."""
        return f"k1-{self.k1}_b-{self.b}_stopwords-{self.stopwords or 'none'}_stemmer-{self.stemmer or 'none'}"


@dataclass(frozen=True, config=STRICT)
class BM25Settings(BM25IndexSettings):
    """How BM25 searches an index; `depth`: passages per query."""

    depth: int

    @property
    def index(self) -> BM25IndexSettings:
        """How the index that is searched was made."""
        return BM25IndexSettings(self.k1, self.b, self.stopwords, self.stemmer)


@dataclass(frozen=True, config=STRICT)
class RunSettings:
    """How existing runs are read; `depth`: passages kept of each query."""

    depth: int


@dataclass(frozen=True, config=STRICT)
class ServedSettings:
    """How vectors of an encoder behind a server are searched.

    Attributes:
        url: of the server, up to the `/v1`. model: its name there.
        prompts: before every `query` and `passage`.
        similarity: of two vectors. dimension: that is asked for; None: the server's.
        depth: passages per query.
        key: the environment variable that holds the server's key; empty: none is needed.
        cache: the file that keeps vectors. batch: texts of a request. concurrency: requests at a time.
        attempts: of each request. timeout: seconds of an attempt.
    """

    url: str
    model: str
    prompts: dict[str, str]
    similarity: Literal["cosine", "dot"]
    dimension: int | None
    depth: int
    key: str = field(metadata=UNSEEN)
    cache: str = field(metadata=UNSEEN)
    batch: int = field(metadata=UNSEEN)
    concurrency: int = field(metadata=UNSEEN)
    attempts: int = field(metadata=UNSEEN)
    timeout: float = field(metadata=UNSEEN)


@dataclass(frozen=True, config=STRICT)
class RM3Settings:
    """How BM25 searches with feedback.

    Attributes:
        bm25: of both searches. variant: the toolkit that is followed.
        terms, documents: of the feedback. original_weight: of the query's own words.
    """

    bm25: BM25Settings
    variant: Literal["terrier", "anserini"]
    terms: int
    documents: int
    original_weight: float


@dataclass(frozen=True, config=STRICT)
class RewriteSettings:
    """How queries are rewritten, and how they are ranked then.

    Attributes:
        rewriter: a name in `rewrite.REWRITERS`. edits: characters that a correction may change.
        ranks: module that ranks. told: its settings.
    """

    rewriter: Literal["symspell"]
    edits: int
    ranks: str
    told: dict[str, object]


@dataclass(frozen=True, config=STRICT)
class FusionSettings:
    """How the rankings of several systems become one.

    Attributes:
        k: added to every rank; the larger, the less the first ranks stand out. depth: passages per query.
    """

    k: int
    depth: int


@dataclass(frozen=True, config=STRICT)
class RerankSettings:
    """How a ranker ranks another system's passages anew.

    Attributes:
        ranker: `name` and its own settings. query_length, passage_length: tokens that it reads.
        depth: passages per query.
        precision: that it computes in. threads: of the processor.
    """

    ranker: Named
    query_length: int
    passage_length: int
    depth: int
    precision: Precision
    threads: int
