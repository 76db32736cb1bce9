"""What the rest of the house asks a kind of system."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from robustdr.experiments.config import Config
    from robustdr.graph.plan import Plan
    from robustdr.graph.structure import Structure
    from robustdr.retrieval.settings import BM25IndexSettings

Tree = dict[str, Any]
At = tuple[str, str]  # collection, split
LENGTHS = ("query_length", "passage_length")  # tokens that are read


class Need(NamedTuple):
    """What ranking asks of the machine at its first attempt: MB, minutes, GPUs, and cores; 0: the scale's `threads`."""

    memory: int
    minutes: int
    gpus: int = 0
    cores: int = 1


class Reads(NamedTuple):
    """What a stage reads: paths and keys by the names that its module knows, and the files that it waits for."""

    paths: dict[str, list[str]]
    files: list[str]
    keys: dict[str, Any]

    def beside(self, other: "Reads") -> "Reads":
        """What this and another read."""
        return Reads(self.paths | other.paths, self.files + other.files, self.keys | other.keys)


NOTHING = Reads({}, [], {})

KINDS: dict[str, "Kind"] = {}  # by name: every class below this room that has one


class Kind:
    """A kind of system.

    Attributes:
        name: the word that its recipes say after `kind`.
        keys: a JSON schema by key of its recipes, beside `kind`, `label` and `reported`. rules: further keywords of
            the schema of a recipe, such as `required`.
        ranks: the module that ranks; see `retrieval.rank`.
        trains: the module of what is trained, where a recipe has a loss; see `training.loop`.
    """

    name: ClassVar[str]
    keys: ClassVar[Tree] = {}
    rules: ClassVar[Tree] = {}
    ranks: ClassVar[str]
    trains: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls):
            KINDS[cls.name] = cls()

    def named(self, recipe: Tree) -> dict[str, str]:
        """The systems that a recipe names, by the key that names them."""
        return {}

    def teaches(self, recipe: Tree) -> set[str]:
        """The fields of a batch that a system gives as a teacher."""
        return set()

    def check(self, config: "Config", name: str, where: str) -> None:
        """Check the recipe of the system `name` against the rest of the configuration; `where` begins a message.

        Raises:
            UserError: key, value and what is allowed.
        """

    def note(self, recipe: Tree) -> str:
        """What tables say of a system beside its label; empty if there is nothing to say."""
        return ""

    def parents(self, structure: "Structure", system: str) -> list[str]:
        """The systems that a system is made from at a scale."""
        return list(self.named(structure.recipe(system)).values())

    def unbound(self, structure: "Structure", system: str) -> str:
        """The key that a scale must have for a system, its parents left aside, and has not; empty if it has all."""
        return ""

    def lacks(self, structure: "Structure", system: str) -> str:
        """Why a scale cannot make a system, its parents left aside; empty if it can."""
        return ""

    def modules(self, structure: "Structure", system: str) -> list[str]:
        """The modules whose code ranks, beside those that `ranks` imports."""
        return []

    def settings(self, plan: "Plan", system: str, collection: str, depth: int) -> Any:
        """The typed settings that the module which ranks is told; `depth`: passages that are kept of each query."""
        raise NotImplementedError

    def index(self, plan: "Plan", system: str) -> "BM25IndexSettings | None":
        """How the index of words is made that ranking searches; None where it searches none."""
        return None

    def candidates(self, structure: "Structure", system: str, at: At, kinds: list[str]) -> dict[str, list[str]]:
        """The systems whose runs are ranked anew, and on which variations where those ranked are `kinds`.

        Raises:
            UserError: nothing gives the candidates of the split `at`.
        """
        return {}

    def reads(self, plan: "Plan", system: str, seed: int, at: At, kinds: list[str]) -> Reads:
        """What ranking the variations `kinds` of a split reads beside passages and queries."""
        return NOTHING

    def depth(self, config: "Config", scale: str, system: str) -> int:
        """Passages that a system ranks for a query."""
        return config.scales[scale]["retrieval"]["depth"]

    def model_files(self, structure: "Structure", system: str) -> list[str]:
        """What training leaves in the model's directory."""
        return []

    def learns_from(self, plan: "Plan", system: str, seed: int) -> Reads:
        """What training reads beside the training file and the initial model."""
        return NOTHING

    def training(self, plan: "Plan", system: str) -> Any:
        """The typed settings that training is told."""
        raise NotImplementedError

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        """What ranking the queries of a split asks for."""
        raise NotImplementedError


DEFAULT = "dense"


def kind_of(recipe: Mapping[str, Any]) -> Kind:
    """The kind of a recipe of the checked configuration."""
    return KINDS[recipe.get("kind", DEFAULT)]


def memory(plan: "Plan") -> int:
    """Of a search that holds the rankings of all query sets, MB; docs/scaling.md says what makes it up."""
    return 4000 if "miniature" in plan.bound else 24000
