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
        precision: of the encoder's computations. threads: of the processor.
    """

    passage_length: int
    stored: Literal["float32", "float16"]
    precision: Precision
    threads: int


IDENTICAL_IDS = "identical-ids"  # what a ranking leaves out where a collection has `ignore_identical_ids`
FLAT = "Flat"  # factory string of an exact search, which needs no index


@dataclass(frozen=True, config=STRICT)
class Index:
    """A FAISS index."""

    factory: str
    """FAISS factory string. `Flat` is an exact search. Any other makes one index for each shard of a model's vectors,
    which all searches read; the vectors are kept."""
    nprobe: PositiveInt
    """Lists of an inverted file that a search visits."""


@dataclass(frozen=True, config=STRICT)
class SearchSettings:
    """How a dense retriever searches.

    Attributes:
        query_length, passage_length: tokens kept.
        depth: passages per query.
        shards: parts of the corpus, each with its own index; 0 if passages are encoded during the search.
        precision: of the encoder's computations. threads: of the processor.
    """

    query_length: int
    passage_length: int
    depth: int
    index: Index
    shards: int
    precision: Precision
    threads: int


@dataclass(frozen=True, config=STRICT)
class LibrarySettings:
    """How a model that sentence-transformers runs searches.

    Attributes:
        model: its class in sentence-transformers.
        query_length, passage_length: tokens kept. depth: passages per query.
        precision: of the model's computations. threads: of the processor.
    """

    model: Literal["SparseEncoder", "MultiVectorEncoder"]
    query_length: int
    passage_length: int
    depth: int
    precision: Precision
    threads: int


# Files of a BM25 index. The last five are bm25s's own, with the names that it expects.
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
    """A bm25s list such as `en`, with 33 words, `terrier`, with 733, or null."""
    stemmer: Name | None
    """A Snowball stemmer such as `english`, or null."""

    @property
    def name(self) -> str:
        """Name of the index, made from its settings."""
        return f"k1-{self.k1}_b-{self.b}_stopwords-{self.stopwords or 'none'}_stemmer-{self.stemmer or 'none'}"


@dataclass(frozen=True, config=STRICT)
class BM25Settings(BM25IndexSettings):
    """How BM25 searches an index; `depth`: passages per query."""

    depth: int

    @property
    def index(self) -> BM25IndexSettings:
        """Settings of the index to search."""
        return BM25IndexSettings(self.k1, self.b, self.stopwords, self.stemmer)


@dataclass(frozen=True, config=STRICT)
class RunSettings:
    """How existing runs are read; `depth`: passages kept of each query."""

    depth: int


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ReleasedRuns:
    """Runs of a system on a split, as its authors released them: a folder, an archive (tar, zip), or one file."""

    path: Annotated[str, Field(min_length=1)] = field(metadata=UNSEEN)
    """Folder or file; a relative path starts where the command runs."""
    files: Annotated[dict[str, Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    """By query set: a pattern (`*`, `?`) of the name of its run inside. It must match exactly one. With a `/` it is
    compared with the whole name, else with what follows the last `/`."""
    order: Literal["rank", "score"] = "rank"
    """What orders passages: the `rank` that the run states, or the `score`."""
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """Of the file, if it is known. If not, the digest at the first use counts."""
    origin: Annotated[str, Field(min_length=1)] = field(metadata=UNSEEN)
    """Where it is from, for people."""
    fetch: Annotated[str, Field(min_length=1)] = field(metadata=UNSEEN)
    """The command that fetches it, printed where it is missing."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ReleasedRunSettings:
    """How released runs are read.

    Attributes:
        files: by query set, in the order of the query sets: a pattern. order, sha256, origin: see `ReleasedRuns`.
        depth: passages kept of each query.
    """

    files: dict[str, str]
    order: Literal["rank", "score"]
    sha256: str
    origin: str = field(metadata=UNSEEN)
    depth: int


@dataclass(frozen=True, config=STRICT)
class ServedSettings:
    """How to search with vectors from a server.

    Attributes:
        url: of the server, up to and including `/v1`. model: its name on the server.
        prompts: text before every `query` and `passage`.
        similarity: of two vectors. dimension: requested dimension; None: the server's default.
        depth: passages per query.
        key: the environment variable with the server's key; empty: no key is needed.
        cache: the file that keeps vectors. batch: texts per request. concurrency: requests at a time.
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
        bm25: settings of both searches. variant: the toolkit to follow.
        terms, documents: their numbers in the feedback. original_weight: weight of the query's own words, λ.
    """

    bm25: BM25Settings
    variant: Literal["terrier", "anserini"]
    terms: int
    documents: int
    original_weight: float


@dataclass(frozen=True, config=STRICT)
class RewriteSettings:
    """How queries are rewritten and then ranked.

    Attributes:
        rewriter: a name in `rewrite.REWRITERS`. edits: largest edit distance of a correction.
        ranks: name of the module that ranks. told: its settings.
    """

    rewriter: Literal["symspell"]
    edits: int
    ranks: str
    told: dict[str, object]


@dataclass(frozen=True, config=STRICT)
class FusionSettings:
    """How the rankings of several systems are fused; the names are those of ranx.

    Attributes:
        normalization: of scores; None for methods that look at ranks. depth: passages per query.
    """

    method: str
    normalization: str | None
    parameters: dict[str, float | list[float]]
    depth: int


@dataclass(frozen=True, config=STRICT)
class RerankSettings:
    """How a ranker reranks another system's passages.

    Attributes:
        ranker: `name` and its own settings. query_length, passage_length: tokens kept.
        depth: passages per query.
        precision: of the ranker's computations. threads: of the processor.
    """

    ranker: Named
    query_length: int
    passage_length: int
    depth: int
    precision: Precision
    threads: int
