"""What the rest of the house asks a kind of system."""

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from robustdr.config import Config
    from robustdr.plan import Plan
    from robustdr.structure import Structure

Tree = dict[str, Any]


class Need(NamedTuple):
    """What ranking asks of the machine at its first attempt: MB, minutes, GPUs, and cores; 0: the scale's `threads`."""

    memory: int
    minutes: int
    gpus: int = 0
    cores: int = 1


KINDS: dict[str, "Kind"] = {}  # by name: every class below this room that has one


class Kind:
    """A kind of system.

    Attributes:
        name: the word that its recipes say after `kind`.
        keys: a JSON schema by key of its recipes, beside `kind`, `label` and `reported`. rules: further keywords of
            the schema of a recipe, such as `required`.
        ranks: the module that ranks; see `retrieval.rank`.
    """

    name: ClassVar[str]
    keys: ClassVar[Tree] = {}
    rules: ClassVar[Tree] = {}
    ranks: ClassVar[str]

    def __init_subclass__(cls) -> None:
        KINDS[cls.name] = cls()

    def named(self, recipe: Tree) -> dict[str, str]:
        """The systems that a recipe names, by the key that names them."""
        return {}

    def check(self, config: "Config", name: str, where: str) -> None:
        """Check the recipe of the system `name` against the rest of the configuration; `where` begins a message.

        Raises:
            UserError: key, value and what is allowed.
        """

    def parents(self, structure: "Structure", system: str) -> list[str]:
        """The systems that a system is made from at a scale."""
        return list(self.named(structure.recipe(system)).values())

    def lacks(self, structure: "Structure", system: str) -> str:
        """Why a scale cannot make a system, its parents left aside; empty if it can."""
        return ""

    def modules(self, structure: "Structure", system: str) -> list[str]:
        """The modules whose code ranks."""
        return [self.ranks]

    def settings(self, plan: "Plan", system: str, collection: str) -> Any:
        """The typed settings that the module which ranks is told."""
        raise NotImplementedError

    def reads(self, plan: "Plan", system: str, seed: int, collection: str) -> dict[str, list[str]]:
        """Files and folders that ranking reads beside passages and queries, by the names that its module knows."""
        return {}

    def files(self, plan: "Plan", system: str, seed: int, collection: str) -> list[str]:
        """The files of what it reads whose making it waits for."""
        return [path for paths in self.reads(plan, system, seed, collection).values() for path in paths]

    def made_of(self, plan: "Plan", system: str, seed: int, collection: str) -> list[str]:
        """The keys of what it reads."""
        return []

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        """What ranking the queries of a split asks for."""
        raise NotImplementedError


def memory(plan: "Plan", split: str) -> int:
    """Of a search that holds the rankings of all query sets, MB: many more queries are trained on than evaluated."""
    return 4000 if "miniature" in plan.bound else 256000 if split == "train" else 80000
