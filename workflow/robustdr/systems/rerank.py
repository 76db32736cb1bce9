"""A ranking model over what another system retrieves, or over a collection's judged candidates."""

from collections.abc import Collection
from typing import TYPE_CHECKING, ClassVar

from robustdr import losses
from robustdr.core.checks import at as within
from robustdr.core.errors import UserError
from robustdr.experiments.needs import ORIGINAL
from robustdr.rankers import RANKERS
from robustdr.retrieval.settings import RerankSettings
from robustdr.systems.kind import At, Need, Reads, Tree, kind_of, memory
from robustdr.systems.trained import Trained
from robustdr.training.settings import RankerTraining

if TYPE_CHECKING:
    from robustdr.experiments.config import Config
    from robustdr.graph.plan import Plan
    from robustdr.graph.structure import Structure


JUDGED = "judged"


class Rerank(Trained):
    """Ranks the `depth` best passages of `candidates.system` anew; a scale may take other depths for the papers'.

    With `queries: original` the first stage sees the original query where the ranker sees its variation. Where a split
    has judged candidates it ranks these, without a first stage; with `candidates: judged` it ranks nothing else.
    """

    name = "rerank"
    keys: ClassVar[Tree] = {
        **Trained.keys,
        "candidates": {
            "if": {"type": "string"},
            "then": {"const": JUDGED},
            "else": {
                "type": "object",
                "additionalProperties": False,
                "required": ["system", "depth", "queries"],
                "properties": {
                    "system": {"type": "string"},
                    "depth": {"type": "integer", "minimum": 1},
                    "queries": {"enum": ["own", "original"]},
                },
            },
        },
        "ranker": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
    }
    rules: ClassVar[Tree] = {**Trained.rules, "required": [*Trained.rules["required"], "candidates", "ranker"]}
    sources: ClassVar[dict[str, set[str]]] = {
        "variations": {"variation", "variations"},
        "negatives": {"groups"},
        "teacher": {"teacher_scores"},
    }
    given: ClassVar[set[str]] = {*Trained.given, "vectors"}
    ranks = "robustdr.retrieval.rerank"
    trains = "robustdr.training.rerank"

    def named(self, recipe: Tree) -> dict[str, str]:
        first = _first(recipe)
        return super().named(recipe) | ({"candidates.system": first} if first else {})

    def teaches(self, recipe: Tree) -> set[str]:
        """What counts the words of a collection scores no training file."""
        return set() if RANKERS.literal(recipe["ranker"]["name"], "counts") else {"teacher_scores"}

    def check(self, config: "Config", name: str, where: str) -> None:
        recipe = config.systems[name]
        with within(f"{where}.ranker"):
            RANKERS.settings(**_ranker(recipe))
        super().check(config, name, where)
        first = _first(recipe)
        for scale, bound in config.scales_of(recipe).items():
            for key in bound["budgets"].get(recipe.get("budget"), {}).keys() & {"gradient_cache", "temperature"}:
                raise UserError(f"{where}.budget (scale {scale}): a ranker's training has no {key}")
            depth = self.depth(config, scale, name)
            if first and depth > (most := kind_of(config.systems[first]).depth(config, scale, first)):
                raise UserError(f"{where}.candidates.depth: {depth} (scale {scale}); {first} ranks {most} passages")
        if "loss" in recipe and "vectors" in losses.check(**recipe["loss"]):
            able = [ranker for ranker in RANKERS.names() if RANKERS.literal(ranker, "represents")]
            if (ranker := recipe["ranker"]["name"]) not in able:
                needs = f"the loss {recipe['loss']['name']} needs vectors of queries"
                raise UserError(f"{where}.ranker: {ranker!r}; {needs}; allowed: {', '.join(able)}")
        parent = config.systems.get(recipe["initial"], {})
        if parent.get("ranker", recipe["ranker"]) != recipe["ranker"]:
            raise UserError(
                f"{where}.initial: {recipe['initial']!r} is the ranker {parent['ranker']}; what continues it has "
                f"the same, not {recipe['ranker']}"
            )

    def forms(self, recipe: Tree) -> Collection[str]:
        return RANKERS.literal(recipe["ranker"]["name"], "initial")

    def parents(self, structure: "Structure", system: str) -> list[str]:
        first = _first(structure.recipe(system))
        return [*super().parents(structure, system), *([first] if first else [])]

    def depth(self, config: "Config", scale: str, system: str) -> int:
        recipe = config.systems[system.partition(".")[0]]
        if not _first(recipe):
            return super().depth(config, scale, system)
        asked = recipe["candidates"]["depth"]
        return config.scales[scale].get("depths", {}).get(str(asked), asked)

    def modules(self, structure: "Structure", system: str) -> list[str]:
        return [f"robustdr.rankers.{structure.recipe(system)['ranker']['name']}"]

    def candidates(self, structure: "Structure", system: str, at: At, kinds: list[str]) -> dict[str, list[str]]:
        recipe = structure.recipe(system)
        if structure.config.judged_candidates(*at):
            return {}
        if not _first(recipe):
            collection, split = at
            raise UserError(
                f"{structure.config.folders[recipe['paper']]}/experiment.yaml: systems.{system}.candidates: 'judged', "
                f"but {split!r} of {collection} (scale {structure.scale}) has none; name a first stage, or say "
                "`candidates: judged` of that split in collections.yaml"
            )
        of = recipe["candidates"]
        return {of["system"]: kinds if of["queries"] == "own" else [ORIGINAL]}

    def settings(self, plan: "Plan", system: str, collection: str, depth: int) -> RerankSettings:
        ranked = self.depth(plan.config, plan.scale, system)  # all of them, whoever reads how many of the best
        return RerankSettings(plan.recipe(system)["ranker"], **plan.lengths(system), depth=ranked, **plan.computing)

    def reads(self, plan: "Plan", system: str, seed: int, at: At, kinds: list[str]) -> Reads:
        runs, keys = [], []
        for first, taken in self.candidates(plan, system, at, kinds).items():
            taken = [kind if kind in taken else ORIGINAL for kind in kinds]
            its_seed = plan.seed_of(first, seed)
            runs = [plan.run(first, its_seed, *at, kind) for kind in taken]
            keys = [plan.run_key(first, its_seed, *at, kind) for kind in taken]
        paths = {"model": [plan.model_folder(system, seed)], "candidates": runs}
        made = {"model": plan.model_key(system, seed), "candidates": keys}
        return Reads(paths, [*plan.model(system, seed), *dict.fromkeys(runs)], made)

    def model_files(self, structure: "Structure", system: str) -> list[str]:
        return [*RANKERS.literal(structure.recipe(system)["ranker"]["name"], "files")]

    def training(self, plan: "Plan", system: str) -> RankerTraining:
        return RankerTraining(**plan.budgeted(system), ranker=plan.recipe(system)["ranker"])

    def learns_from(self, plan: "Plan", system: str, seed: int) -> Reads:
        passages = super().learns_from(plan, system, seed)
        if "teacher" not in plan.recipe(system):
            return passages
        scores, key = plan.teacher_scores(system, seed), plan.teacher_scores_key(system, seed)
        return passages.beside(Reads({"teacher_scores": [scores]}, [scores], {"teacher_scores": key}))

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        return Need(memory(plan), 240, gpus=1, cores=0)


def _first(recipe: Tree) -> str | None:
    """The system whose passages are ranked anew; None where they are judged candidates alone."""
    return None if recipe["candidates"] == JUDGED else recipe["candidates"]["system"]


def _ranker(recipe: Tree) -> Tree:
    """The arguments of `RANKERS.settings`."""
    settings = dict(recipe["ranker"])
    return {"name": settings.pop("name"), "given": settings}
