"""The interface of a kind of system, and what a kind may use of the rest."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Protocol

from pydantic.dataclasses import dataclass

from robustdr.core.plugins import Plugins
from robustdr.core.settings import STRICT
from robustdr.experiments.models import Config, Scale
from robustdr.keys.node import Input, Need, Node
from robustdr.retrieval.settings import BM25IndexSettings

Split = tuple[str, str]  # collection, split
Inputs = Mapping[str, Input]  # by option of the stage
Candidates = dict[str, list[str]]  # the variations taken from each first stage
LENGTHS = ("query_length", "passage_length")  # tokens that are read


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Recipe:
    """The description of a system of any kind."""

    label: str
    """Name for people."""
    reported: str | None = None
    """Name in the paper's tables, if it is another."""
    kind: str = "dense"
    """Kind of system."""


class Lineage(Protocol):
    """What a kind may ask about a scale's systems; see `graph.lineage.Lineage`."""

    @property
    def config(self) -> Config: ...
    @property
    def scale_name(self) -> str: ...
    @property
    def scale(self) -> Scale: ...

    def recipe(self, system: str) -> Any: ...
    def kind(self, system: str) -> "Kind": ...
    def is_trained(self, system: str) -> bool: ...
    def initial_of(self, system: str) -> str | None: ...
    def pretraining_of(self, system: str) -> str | None: ...
    def miner_of(self, system: str) -> str | None: ...
    def checkpoint_of(self, system: str) -> str: ...
    def seed_of(self, system: str, seed: int) -> int: ...
    def trains_on_queries_alone(self, system: str) -> bool: ...
    def train_split(self, system: str) -> Split: ...
    def unavailable_collection(self, role: str) -> str: ...


class Graph(Protocol):
    """What a kind may ask of the job graph; see `graph.graph.Graph`."""

    @property
    def lineage(self) -> Lineage: ...
    @property
    def computing(self) -> dict[str, Any]: ...
    @property
    def threads(self) -> int: ...

    def corpus(self, collection: str) -> Node: ...
    def model(self, system: str, seed: int) -> Node: ...
    def teacher_scores(self, system: str, seed: int) -> Node: ...
    def embeddings(self, system: str, seed: int, collection: str) -> list[Node]: ...
    def compressed(self, system: str, seed: int, collection: str) -> list[Node]: ...
    def index(self, collection: str, settings: BM25IndexSettings) -> Node: ...
    def run(self, system: str, seed: int, split: Split, variation: str) -> Node: ...
    def corrected(self, split: Split, names: Sequence[str]) -> list[Node]: ...
    def sized(self, miniature: int, full: int) -> int: ...


class Kind(ABC):
    """A kind of system. Its file has the same name and a frozen dataclass `Settings`, the recipe that it reads.

    Attributes:
        trains: module that trains, if recipes of the kind may have a loss; see `training.loop`.
        network: whether ranking asks a server, and so runs on the host that submits.
        rule: the rule whose jobs rank queries that are not trained on.
        corrects: whether it ranks queries that a spell checker corrected.
    """

    trains: ClassVar[str] = ""
    network: ClassVar[bool] = False
    rule: ClassVar[str] = "retrieve"
    corrects: ClassVar[bool] = False

    @property
    @abstractmethod
    def ranks(self) -> str:
        """Module that ranks; see `retrieval.rank`. A kind says `ranks = "…"`."""

    @property
    def name(self) -> str:
        """The word after `kind` in recipes."""
        return type(self).__module__.rpartition(".")[2]

    def systems_named_by(self, recipe: Any) -> dict[str, str]:
        """Return the systems that a recipe names, by key."""
        return {}

    def teaches(self, recipe: Any) -> set[str]:
        """Return the fields of a batch that a system of this kind provides as a teacher."""
        return set()

    def check(self, config: Config, name: str, message_place: str) -> None:  # noqa: B027
        """Check the recipe of the system `name` against the rest of the configuration.

        `message_place` starts each message.

        Raises:
            UserError: key, value and what is allowed.
        """

    def note(self, recipe: Any) -> str:
        """Return the footnote of tables on a system; '' for none."""
        return ""

    def parents(self, lineage: Lineage, system: str) -> list[str]:
        """Return the systems that a system is made from at a scale."""
        return list(self.systems_named_by(lineage.recipe(system)).values())

    def lacking(self, lineage: Lineage, system: str) -> str:
        """Return the first configuration key that the scale lacks for `system`, without its parents; '' if none."""
        return ""

    def unavailable(self, lineage: Lineage, system: str) -> str:
        """Return why the scale cannot make `system`, without its parents; '' if it can."""
        return ""

    def modules(self, lineage: Lineage, system: str) -> list[str]:
        """Return modules that rank, or train, besides those that `ranks` or `trains` imports."""
        return []

    def index(self, lineage: Lineage, system: str) -> BM25IndexSettings | None:
        """Return settings of the index of words to search; None for no index."""
        return None

    def candidates(
        self, lineage: Lineage, system: str, split: Split, variations: Sequence[str]
    ) -> dict[str, list[str]]:
        """Return the systems whose runs are reranked, and the variations of each that ranking `variations` needs.

        Raises:
            UserError: nothing gives candidates for the split.
        """
        return {}

    def depth(self, config: Config, scale: str, system: str) -> int:
        """Return the number of passages that a system ranks for a query."""
        return config.scales[scale].retrieval.depth

    @abstractmethod
    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> Any:
        """Return typed settings of the module that ranks; `depth`: passages kept for each query."""
        raise NotImplementedError

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        """Return what ranking the variations of a split reads besides passages and queries."""
        return {}

    def mentions(self, graph: Graph, system: str, seed: int, split: Split) -> dict[str, list[str]]:
        """Return paths given to ranking that it does not wait for, by option."""
        return {}

    def training(self, graph: Graph, system: str) -> Any:
        """Return typed settings of training."""
        raise NotImplementedError

    def learns_from(self, graph: Graph, system: str, seed: int) -> Inputs:
        """Return what training reads besides the training file and the initial model."""
        return {}

    @abstractmethod
    def need(self, graph: Graph, system: str, split: str) -> Need:
        """Return what ranking the queries of a split asks of a machine."""
        raise NotImplementedError


def memory(graph: Graph) -> int:
    """Return the memory in MB of a search that holds the rankings of all query sets; see docs/explanation/cost.md."""
    return graph.sized(4000, 24000)


KINDS = Plugins("kind of system", "robustdr.systems", Recipe)


@cache
def kind_named(name: str) -> Kind:
    """Return the kind with a name; names are checked when recipes are read."""
    kind: Kind = KINDS.load(name)()
    return kind


def kind_of(recipe: Recipe) -> Kind:
    """Return the kind of a checked recipe."""
    return kind_named(recipe.kind)
