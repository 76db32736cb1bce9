"""A file of config/scales: what stands behind the roles that the papers name.

Keys that reach a stage as they are stand in the settings of its room.
"""

from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, NonNegativeInt, PositiveInt
from pydantic.dataclasses import dataclass

from robustdr.core.names import Names, PartOfPath, Text
from robustdr.core.settings import STRICT
from robustdr.encoding.settings import Checkpoint
from robustdr.pretraining.settings import PretrainingBudget
from robustdr.retrieval.settings import BM25IndexSettings, Index
from robustdr.training.settings import Budget


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))  # not strict: a strict one is not built from a mapping
class Place:
    """What stands behind a role. A plain string in YAML is its collection."""

    collection: str
    """Entry of `collections.yaml`."""
    split: str | None = None
    """Split that is evaluated in place of the one that the experiment names."""


def _place(entry: Any) -> Any:
    return {"collection": entry} if isinstance(entry, str) else entry


Bound = Annotated[Place, BeforeValidator(_place, json_schema_input_type=str | Place)]


@dataclass(frozen=True, config=STRICT)
class Negatives:
    """Where hard negatives come from."""

    depth: PositiveInt
    """Ranks that hard negatives are drawn from; runs that nothing else reads have this depth."""
    keep: PositiveInt
    """Hard negatives kept per query."""
    judged: Names = field(default_factory=list)
    """Roles whose hard negatives are not mined but are the passages of grade 0 in their training qrels, as DPR
    releases them."""


@dataclass(frozen=True, config=STRICT)
class Retrieval:
    """How systems search."""

    depth: PositiveInt
    """Passages per query of a run that is evaluated."""
    index: Index
    """FAISS index of dense retrievers."""


@dataclass(frozen=True, config=STRICT)
class Embeddings:
    """Passage vectors on disk."""

    keep: bool
    """Whether they are kept. Those of a teacher, and those that several systems search, always are; others are made
    while searching."""
    precision: Literal["float32", "float16"]
    """Number type on disk."""
    shards: PositiveInt
    """Parts that a corpus is encoded in."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ScaleVariation:
    """How a scale makes a variation that the papers name."""

    generator: str | None = None
    """Generator that makes it; the one of its name if not given."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """Parameters of the generator."""
    devices: NonNegativeInt = 0
    """GPUs of its job."""
    unavailable: str = ""
    """Why it is unavailable; its cells print this."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Scale:
    """What stands behind the roles of the experiments."""

    description: Text
    """One sentence."""
    miniature: str = ""
    """What stands in for what; every table that shows a collection with `miniature: true` begins with it."""
    collections: Annotated[dict[str, Bound], Field(min_length=1)]
    """By role: entry of `collections.yaml`, or `{collection: …, split: …}`, whose split is evaluated in place of the
    one that the experiment names."""
    checkpoints: dict[PartOfPath, Checkpoint]
    """By name: models to start from, see below."""
    seeds: PositiveInt
    """Number of an experiment's seeds that are trained; a table gives mean and deviation over them."""
    variation_seed: NonNegativeInt
    """Seed of the query sets, which are drawn once."""
    variation_shard: Annotated[int, Field(ge=2000)] | None = None
    """Queries that one job varies at most; all of them if not given. A split whose `count` is larger is varied in
    several jobs, whose outputs stay when another one fails; the query sets are the same. `llm` has one
    job."""
    threads: PositiveInt
    """Processor cores of a job that trains or encodes."""
    precision: Literal["auto", "float32", "bfloat16", "float16"]
    """Number type that models compute in; float16 needs a GPU. `auto`: bfloat16 where the processor of the host that
    runs Snakemake has instructions for it, else float32."""
    budgets: dict[str, Budget]
    """By name: training budgets that the recipes name, see below."""
    pretraining: dict[str, PretrainingBudget] = field(default_factory=dict)
    """By name: budgets that recipes of pre-training name, see below."""
    negatives: Negatives
    """Hard negatives, see below."""
    bm25: BM25IndexSettings
    """BM25, see below."""
    measures: dict[str, str]
    """By measure of the papers: the measure that is taken in its place."""
    depths: dict[str, PositiveInt] = field(default_factory=dict)
    """By number of a ranker's candidates in the papers: their number here."""
    retrieval: Retrieval
    """Searches, see below."""
    embeddings: Embeddings
    """Passage vectors, see below."""
    variations: dict[str, ScaleVariation]
    """By variation of the papers: how it is made here, see below."""
