"""Settings of the stage that writes checkpoints."""

from dataclasses import field
from typing import Annotated, Literal, NotRequired

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt, with_config
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict  # Python's own comes with 3.12

from robustdr.core.settings import LATER, STRICT, UNSEEN, changed_fields
from robustdr.core.validation import Distinct, wrong
from robustdr.encoding.directory import RETRIEVER

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Revision = Annotated[str, Field(pattern="^[0-9a-f]{40}$")]


@with_config(STRICT)
class _Source(TypedDict):
    """Where a checkpoint comes from: `package`, perhaps with `path`; or `path`; or `hub` with `revision`."""

    package: NotRequired[Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")]]
    """Installed Python package that holds the checkpoint."""
    path: NotRequired[str]
    """Folder or file; of a package, inside it."""
    hub: NotRequired[str]
    """Name of a model on the hub, `owner/name`."""
    revision: NotRequired[Revision]
    """Commit of the model on the hub."""
    sha256: NotRequired[Sha256]
    """SHA-256 of the weights."""


def _one_place(source: _Source) -> _Source:
    if "hub" in source and (not_allowed := {"package", "path"} & source.keys()):
        raise wrong(min(not_allowed), "not allowed beside `hub`; name one place")
    if ("hub" in source) != ("revision" in source):
        raise wrong("revision", "`hub` and `revision` go together; give both or neither")
    if not {"package", "path", "hub"} & source.keys():
        raise wrong("path", "missing; allowed: `package`, `path`, or `hub` with `revision`")
    return source


CheckpointSource = Annotated[_Source, AfterValidator(_one_place)]
FORMS_WITH = {  # by keys that not every form has
    **dict.fromkeys(("words", "hashed"), ("static",)),
    **dict.fromkeys(("fitted", "filters"), ("character",)),
    "layers": ("encoder", "character"),
    "random_weights": ("encoder",),
    "drop": ("encoder", "character", "seq2seq", "retriever"),
    "similarity": ("whole",),
    **dict.fromkeys(("prompts", "separator"), ("whole", "retriever")),
    **dict.fromkeys(("head", "queries", "filled", "segments", "unit"), ("retriever",)),
    "pooling": ("encoder", "character", "whole", "retriever"),
}


@with_config(STRICT)
class Prompts(TypedDict, total=False):
    """Texts before every query and passage."""

    query: str
    passage: str


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Checkpoint:
    """A checkpoint at a scale, under its name."""

    description: str = field(metadata=UNSEEN)
    """What it is, for tables and its card."""
    source: CheckpointSource | None = None
    """Where it comes from."""
    pooling: Literal["cls", "mean"] | None = None
    """Pooling. An encoder needs one, and a plain transformer that is taken whole; a directory of sentence-transformers
    has its own."""
    prompts: Prompts = field(default_factory=Prompts, metadata=LATER)
    """`query` and `passage`: text before each, in place of the stored prompts of a directory that is taken whole. The
    mean of a retriever leaves them out, with the token before them."""
    separator: Annotated[str, Field(min_length=1)] = field(default=" ", metadata=LATER)
    """Text between the title and the text of a passage, of a directory that is taken whole or a retriever."""
    similarity: Literal["cosine", "dot"] | None = field(default=None, metadata=LATER)
    """Similarity of two vectors, in place of that of a directory that is taken whole."""
    layers: Annotated[list[NonNegativeInt], Field(min_length=1)] | None = None
    """Transformer layers to keep, from 0; all of them if not given."""
    random_weights: bool = field(default=False, metadata=LATER)
    """Whether all weights are drawn anew: a transformer of this shape that has learned nothing."""
    drop: Annotated[list[str], Distinct] = field(default_factory=list)
    """Parts of the source to leave out: modules by class, weights by what their names begin with."""
    form: Literal["encoder", "character", "whole", "retriever", "static", "seq2seq", "cross_encoder"] = "encoder"
    """`encoder`: one transformer. `character`: a CharacterBERT. `whole`: a directory of sentence-transformers as it is.
    `retriever`: a transformer with what its authors put around it. `static`: word vectors. `seq2seq`: a T5.
    `cross_encoder`: a transformer that reads a query and a passage together."""
    head: Annotated[list[str], Field(min_length=2, max_length=2)] | None = field(default=None, metadata=LATER)
    """Of a retriever: a linear layer and a layer norm behind the pooling, by what the names of their weights begin
    with."""
    queries: CheckpointSource | None = field(default=None, metadata=LATER)
    """Of a retriever: where its second encoder, for queries, comes from; `source` is for passages then."""
    filled: PositiveInt | None = field(default=None, metadata=LATER)
    """Of a retriever: tokens of every query, filled with masks; no text ends in a separator then."""
    segments: bool = field(default=False, metadata=LATER)
    """Of a retriever: whether tokens after the first separator are of the second type, as in a pair of texts."""
    unit: bool = field(default=False, metadata=LATER)
    """Of a retriever: whether its vectors are brought to length 1."""
    words: PositiveInt | None = None
    """Most frequent words of static vectors to keep; all of them if not given."""
    hashed: PositiveInt = 1000
    """Random vectors that words without a vector of their own share."""
    fitted: Annotated[int, Field(ge=100)] | None = None
    """Number of words that the character part of a stand-in for CharacterBERT is fitted to. Without it, `source` has
    the released weights."""
    filters: Annotated[list[PositiveInt], Field(min_length=1, max_length=7)] = field(
        default_factory=lambda: [32, 32, 64, 128, 256, 512, 1024]
    )
    """Filters of that character part, of width 1, 2, …"""
    trained: bool = field(default=False, metadata=UNSEEN)
    """Whether it is the released outcome of the recipes that start from it; they are not run then."""
    fetch: str = field(default="", metadata=UNSEEN)
    """The command that brings the `path` of its source, printed where that is missing."""
    unavailable: str = field(default="", metadata=UNSEEN)
    """Why it is unavailable; its cells print this."""

    def __post_init__(self) -> None:
        given_fields = changed_fields(self)
        for key, forms in FORMS_WITH.items():
            if key in given_fields and self.form not in forms:
                raise wrong(key, f"the form is {self.form!r}; allowed with {', '.join(map(repr, forms))} alone")
        if "filters" in given_fields and self.fitted is None:
            raise wrong("filters", "`fitted` is missing; the filters are those of a character part that is fitted")
        if self.fetch and "path" not in (self.source or {}):
            raise wrong("fetch", "allowed only with a `path` in `source`")
        if self.source is None and not self.unavailable:
            raise wrong("source", "missing; give it, or `unavailable` with the reason")
        pools = self.form in ("encoder", "character", RETRIEVER)
        if pools and self.source and not self.pooling and not self.unavailable:
            raise wrong("pooling", f"missing; the form {self.form!r} needs it")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class CheckpointSettings(Checkpoint):
    """A checkpoint that is written."""

    name: str
    """Name at the scale."""
    source: CheckpointSource
    """Where it comes from."""

    @classmethod
    def from_checkpoint(cls, name: str, checkpoint: Checkpoint) -> "CheckpointSettings":
        """Return the settings that write a checkpoint of a scale."""
        return cls(name=name, **vars(checkpoint))
