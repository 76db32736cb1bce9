"""A file of config/scales: what the roles in papers stand for.

Keys that reach a stage unchanged are in the settings of its subpackage.
"""

from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, NonNegativeFloat, NonNegativeInt, PositiveInt
from pydantic.dataclasses import dataclass

from robustdr.core.names import Names, PartOfPath, Text
from robustdr.core.settings import STRICT
from robustdr.core.validation import wrong
from robustdr.encoding.settings import Checkpoint
from robustdr.pretraining.settings import PretrainingBudget
from robustdr.retrieval.settings import BM25IndexSettings, Index, ReleasedRuns
from robustdr.training.settings import Budget
from robustdr.variations.settings import Release


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))  # not strict: a strict one cannot be built from a mapping
class Place:
    """A role's collection, and perhaps split. A plain string in YAML is the collection."""

    collection: str
    """Entry of `collections.yaml`."""
    split: str | None = None
    """Split to evaluate instead of the experiment's."""


Bound = Annotated[
    Place,
    BeforeValidator(
        lambda entry: {"collection": entry} if isinstance(entry, str) else entry, json_schema_input_type=str | Place
    ),
]
SplitName = Annotated[str, Field(pattern="^[a-z0-9-]+/[a-z0-9-]+$")]
Releases = Annotated[
    list[Release],
    Field(min_length=1),
    BeforeValidator(
        lambda entry: entry if isinstance(entry, list) else [entry], json_schema_input_type=Release | list[Release]
    ),
]


@dataclass(frozen=True, config=STRICT)
class Cut:
    """Parts of collections, for a rehearsal."""

    queries: PositiveInt
    """Most queries of a split."""
    passages: PositiveInt
    """Passages kept beside those that the queries' judgements name."""


@dataclass(frozen=True, config=STRICT)
class Negatives:
    """Sources of hard negatives."""

    depth: PositiveInt
    """Ranks that hard negatives are drawn from; a run that only mining reads has this depth."""
    keep: PositiveInt
    """Hard negatives kept per query."""
    from_judgements: Names = field(default_factory=list)
    """Roles whose hard negatives are the passages of grade 0 in their training qrels, as DPR releases them; they are
    not mined."""


@dataclass(frozen=True, config=STRICT)
class Retrieval:
    """Settings of searches."""

    depth: PositiveInt
    """Passages per query of an evaluated run."""
    index: Index
    """FAISS index of dense retrievers."""


@dataclass(frozen=True, config=STRICT)
class Embeddings:
    """Passage vectors on disk."""

    keep: bool
    """Whether vectors are kept. Those of a teacher, and those that several systems search, are always kept. Others are
    made during the search."""
    precision: Literal["float32", "float16"]
    """Number type on disk."""
    shards: PositiveInt
    """Number of parts in which a corpus is encoded."""
    shards_of: dict[str, PositiveInt] = field(default_factory=dict)
    """By collection: another number of parts. Of those with the same passages, the one that has vectors counts."""
    queries: bool = False
    """Whether a dense retriever's vectors of queries that are not trained on are kept, of the distinct texts in their
    order: `<split>.<variation>.queries.npy`, beside the first run of a ranking."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Published:
    """The score of a released checkpoint, as it was published."""

    role: str
    """Collection, by its role."""
    measure: str
    """Measure of the original queries, as in the papers' evaluation."""
    score: Text
    """The score as it is printed."""
    source: Text
    """Where it is printed, and what differs from here."""
    margin: NonNegativeFloat = 0.0
    """Points by which the checkpoint may miss the score beside its interval, for what `source` says differs."""

    def sentence_for(self, name: str) -> str:
        """Return the sentence that says what `name`, the checkpoint as it is, should reach."""
        return f"{name} as released should reach {self.measure} {self.score} on {self.role} ({self.source})."


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ReleasedSystem:
    """What the authors of a trained system released of it: runs, a model, or both."""

    runs: dict[SplitName, ReleasedRuns] = field(default_factory=dict)
    """By `<collection>/<split>`: runs, which are measured as they are, see below."""
    checkpoint: PartOfPath | None = None
    """Checkpoint of the scale that is its model; it ranks query sets of splits without runs."""

    def __post_init__(self) -> None:
        if not self.runs and not self.checkpoint:
            raise wrong("checkpoint", "missing; give it, or `runs`, or both")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ScaleVariation:
    """How a scale makes a variation that papers name."""

    generator: str | None = None
    """Generator of the variation; the one of the same name if not given."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """Parameters of the generator."""
    note: str = ""
    """What the parameters change; a footnote of its tables."""
    devices: NonNegativeInt = 0
    """GPUs of its job."""
    released: dict[SplitName, Releases] = field(default_factory=dict)
    """By `<collection>/<split>`: the query set that its authors released, see below. In a list, the second one is
    `.draw2`, and so on. The generator makes all other query sets."""
    of: Names = field(default_factory=list)
    """Variations that it is a mixture of: on a split where it is released, systems that are trained on all of
    these, one for each query, take it in their place."""
    unavailable: str = ""
    """Why it is unavailable; its cells print this."""
    fetch: dict[str, Text] = field(default_factory=dict)
    """By file or folder among the parameters: the command that fetches it, printed where it is missing."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Scale:
    """What the roles in experiments stand for."""

    description: Text
    """One sentence."""
    miniature: str = ""
    """Text that says what stands in for what. Every table of a collection with `miniature: true` begins with it, and
    with the numbers of passages, questions, updates and seeds."""
    setting: str = ""
    """Its data in a few words: the head of its columns on the page of findings."""
    collections: Annotated[dict[str, Bound], Field(min_length=1)]
    """By role: entry of `collections.yaml`, or `{collection: …, split: …}` with the split to evaluate instead of the
    experiment's."""
    cut: Cut | None = None
    """Every collection is cut to a part, and every table says so; see below."""
    checkpoints: dict[PartOfPath, Checkpoint]
    """By name: initial models, see below."""
    published: dict[str, Published | None] = field(default_factory=dict)
    """By released checkpoint: a published score that it must reach as it is, see below. If it misses the score, jobs
    that stand on it do not start. null: no score, in a scale that binds another checkpoint to the name."""
    released: dict[str, ReleasedSystem] = field(default_factory=dict)
    """By system: what its authors released of it, in place of its training, see below. A scale with this key
    trains nothing: systems that would be trained and are not named here are unavailable."""
    stand_ins: dict[str, str] = field(default_factory=dict)
    """By checkpoint that the scale does not have: the system whose trained model stands in for it."""
    proxies: dict[str, Text | None] = field(default_factory=dict)
    """By subject of a claim (its `subjects`) that the scale lacks: what stands in for it, in words. Claims about this
    subject are not testable here. null: nothing stands in, in a scale that has what the one that it extends lacks."""
    seeds: PositiveInt
    """Number of an experiment's seeds to train; a table gives mean and deviation over them."""
    seeds_of: dict[str, PositiveInt] = field(default_factory=dict)
    """By paper: another number of its seeds."""
    variance_from: str = ""
    """Scale of the same setting with more seeds, whose runs say how much runs vary here (`evidence/priors.json`); the
    scale itself if not given."""
    variation_seed: NonNegativeInt
    """Seed of the query sets, each of which is drawn once."""
    variation_shard: Annotated[int, Field(ge=2000)] | None = None
    """Most queries that one job varies; default: all. A split with a larger `count` is varied in several jobs. If one
    fails, the outputs of the others stay. The query sets do not depend on it. `llm` has one job."""
    threads: PositiveInt
    """Processor cores of a job that trains or encodes. A job with several GPUs has two for each GPU; a pre-training has
    one and its `workers`."""
    precision: Literal["auto", "float32", "bfloat16", "float16"]
    """Number type that models compute in. float16 needs a GPU. `auto`: bfloat16 if the processor of the host that runs
    Snakemake has instructions for it, else float32."""
    device: Literal["any", "gpu"] = "any"
    """`gpu`: a job that asks for GPUs and cannot use them stops. `any`: then it computes on the processor."""
    budgets: dict[str, Budget]
    """By name: training budgets for recipes, see below."""
    pretraining: dict[str, PretrainingBudget] = field(default_factory=dict)
    """By name: budgets for recipes of pre-training, see below."""
    negatives: Negatives
    """Hard negatives, see below."""
    bm25: BM25IndexSettings
    """BM25, see below."""
    measures: dict[str, str]
    """By measure of the papers: the measure used instead."""
    depths: dict[str, PositiveInt] = field(default_factory=dict)
    """By a ranker's number of candidates in the papers: the number used here."""
    retrieval: Retrieval
    """Searches, see below."""
    embeddings: Embeddings
    """Passage vectors, see below."""
    variations: dict[str, ScaleVariation]
    """By variation of the papers: how it is made here, see below."""
    corrected: dict[SplitName, dict[str, Release]] = field(default_factory=dict)
    """By `<collection>/<split>` and query set: released queries that a spell checker corrected. Systems of `kind:
    rewrite` rank these there. Elsewhere their own rewriter corrects."""
