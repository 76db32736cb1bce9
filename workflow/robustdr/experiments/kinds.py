"""What the rest of the house asks of a kind of system, and what a kind sees of the rest."""

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
Candidates = dict[str, list[str]]  # the variations that are taken of each first stage
LENGTHS = ("query_length", "passage_length")  # tokens that are read


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Recipe:
    """How a system of any kind is described."""

    label: str
    """Name for people."""
    reported: str | None = None
    """Name in the paper's tables, if it is another."""
    kind: str = "dense"
    """Kind of system."""


class Lineage(Protocol):
    """What a kind asks of a scale's systems; see `graph.lineage.Lineage`."""

    @property
    def config(self) -> Config: ...
    @property
    def scale_name(self) -> str: ...
    @property
    def scale(self) -> Scale: ...

    def recipe(self, system: str) -> Any: ...
    def kind(self, system: str) -> "Kind": ...
    def is_trained(self, system: str) -> bool: ...
    def is_whole(self, system: str) -> bool: ...
    def initial_of(self, system: str) -> str | None: ...
    def pretraining_of(self, system: str) -> str | None: ...
    def miner_of(self, system: str) -> str | None: ...
    def checkpoint_of(self, system: str) -> str: ...
    def seed_of(self, system: str, seed: int) -> int: ...
    def trains_on_queries_alone(self, system: str) -> bool: ...
    def train_split(self, system: str) -> Split: ...
    def unavailable_collection(self, role: str) -> str: ...


class Graph(Protocol):
    """What a kind asks of the job graph; see `graph.graph.Graph`."""

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
    def sized(self, miniature: int, full: int) -> int: ...


class Kind(ABC):
    """A kind of system. Its file has a frozen dataclass `Settings`, the recipe that it reads, and is named like it.

    Attributes:
        trains: module that trains, where recipes of the kind may have a loss; see `training.loop`.
    """

    trains: ClassVar[str] = ""

    @property
    @abstractmethod
    def ranks(self) -> str:
        """Module that ranks; see `retrieval.rank`. A kind says `ranks = "…"`."""

    @property
    def name(self) -> str:
        """The word that recipes say after `kind`."""
        return type(self).__module__.rpartition(".")[2]

    def named(self, recipe: Any) -> dict[str, str]:
        """The systems that a recipe names, by the key that names them."""
        return {}

    def teaches(self, recipe: Any) -> set[str]:
        """The fields of a batch that a system of this kind gives as a teacher."""
        return set()

    def check(self, config: Config, name: str, where: str) -> None:  # noqa: B027
        """Check the recipe of the system `name` against the rest of the configuration; `where` begins each message.

        Raises:
            UserError: key, value and what is allowed.
        """

    def note(self, recipe: Any) -> str:
        """What tables say of a system in a footnote; '' for nothing."""
        return ""

    def parents(self, lineage: Lineage, system: str) -> list[str]:
        """The systems that a system is made from at a scale."""
        return list(self.named(lineage.recipe(system)).values())

    def lacking(self, lineage: Lineage, system: str) -> str:
        """First configuration key that the scale lacks for `system`, its parents aside; '' if none."""
        return ""

    def unavailable(self, lineage: Lineage, system: str) -> str:
        """Why the scale cannot make `system`, its parents aside; '' if it can."""
        return ""

    def modules(self, lineage: Lineage, system: str) -> list[str]:
        """Modules that rank, or train, beside those that `ranks` or `trains` imports."""
        return []

    def index(self, lineage: Lineage, system: str) -> BM25IndexSettings | None:
        """Settings of the index of words that is searched; None for no index."""
        return None

    def candidates(
        self, lineage: Lineage, system: str, split: Split, variations: Sequence[str]
    ) -> dict[str, list[str]]:
        """Systems whose runs are ranked anew, and the variations of each that ranking `variations` takes.

        Raises:
            UserError: nothing gives the candidates of the split.
        """
        return {}

    def depth(self, config: Config, scale: str, system: str) -> int:
        """Passages that a system ranks for a query."""
        return config.scales[scale].retrieval.depth

    @abstractmethod
    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> Any:
        """Typed settings of the module that ranks; `depth`: passages kept of each query."""
        raise NotImplementedError

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        """What ranking the variations of a split reads beside passages and queries."""
        return {}

    def mentions(self, graph: Graph, system: str, seed: int, split: Split) -> dict[str, list[str]]:
        """Paths that ranking is told without waiting for them, by option."""
        return {}

    def model_files(self, lineage: Lineage, system: str) -> list[str]:
        """Files that training leaves in the model's folder."""
        return []

    def training(self, graph: Graph, system: str) -> Any:
        """Typed settings of training."""
        raise NotImplementedError

    def learns_from(self, graph: Graph, system: str, seed: int) -> Inputs:
        """What training reads beside the training file and the initial model."""
        return {}

    @abstractmethod
    def need(self, graph: Graph, system: str, split: str) -> Need:
        """What ranking the queries of a split asks of a machine."""
        raise NotImplementedError


def memory(graph: Graph) -> int:
    """Memory in MB of a search that holds the rankings of all query sets; docs/scaling.md says what it holds."""
    return graph.sized(4000, 24000)


KINDS = Plugins("kind of system", "robustdr.systems", Recipe)


@cache
def kind_named(name: str) -> Kind:
    """The kind of a name; the name is checked where recipes are read."""
    made: Kind = KINDS.load(name)()
    return made


def kind_of(recipe: Recipe) -> Kind:
    """The kind of a checked recipe."""
    return kind_named(recipe.kind)
