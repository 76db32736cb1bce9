"""Base of the kinds whose systems can be trained: with a loss, on a collection, from an initial model."""

from collections.abc import Collection
from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from robustdr import losses, variations
from robustdr.core.checks import check_known, prefixed_errors
from robustdr.core.errors import UserError
from robustdr.core.names import Names
from robustdr.core.settings import STRICT, changed_fields
from robustdr.core.validation import wrong
from robustdr.encoding.directory import ENCODER
from robustdr.experiments.kinds import LENGTHS, Graph, Inputs, Kind, Lineage, Recipe, kind_of
from robustdr.experiments.models import Budget, Config
from robustdr.keys.node import reads
from robustdr.training.settings import Tokens

NEEDED = {  # by key of a recipe: further keys that it needs
    "loss": ("collection", "budget"),
    **dict.fromkeys(("teacher", "negatives", "variations"), ("loss",)),
    **dict.fromkeys(("assign", "augmentation"), ("variations",)),
    **dict.fromkeys(LENGTHS, LENGTHS),
}


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TrainedRecipe(Recipe):
    """A recipe that starts from a model and may train it."""

    initial: str
    """Checkpoint, pre-training or system that it starts from."""
    collection: str | None = None
    """Role of the collection whose `train` split it is trained on."""
    negatives: str | None = None
    """System whose best passages are hard negatives."""
    variations: Names = field(default_factory=list)
    """Variations of the training queries."""
    assign: Literal["one", "all", "fresh", "together"] | None = None
    """Variations of one query: `one` of them, `all` in turn, drawn `fresh` each epoch, `together`."""
    augmentation: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of queries replaced by a variation."""
    teacher: str | None = None
    """System that the loss learns from."""
    loss: dict[str, Any] | None = None
    """`name` of the loss and its settings; without it, the system is not trained."""
    budget: str | None = None
    """Name of the budget in the scale."""
    query_length: Tokens | None = None
    """Tokens read of a query, if there is no budget."""
    passage_length: Tokens | None = None
    """Tokens read of a passage, if there is no budget."""

    def __post_init__(self) -> None:
        given_keys = changed_fields(self)
        for key, needed in NEEDED.items():
            if key in given_keys and (missing := [need for need in needed if need not in given_keys]):
                raise wrong(missing[0], f"missing; `{key}` needs it")
        if "budget" in given_keys and (lengths := given_keys & {*LENGTHS}):
            raise wrong(min(lengths), "not allowed with `budget`, which gives the lengths")
        if "budget" not in given_keys and not given_keys & {*LENGTHS}:
            raise wrong("budget", f"missing; allowed instead: {' and '.join(LENGTHS)}")
        if self.loss is not None and not isinstance(self.loss.get("name"), str):
            raise wrong("loss", "'name' is missing")


class Trained(Kind):
    """Trained if the recipe has a loss; else the unchanged initial model, a checkpoint or a trained system.

    Attributes:
        sources: by key of a recipe, the fields of a batch that the key provides. keyless_fields: fields that need no
            key. refused: keys of a budget that training of this kind does not read.
    """

    sources: ClassVar[dict[str, set[str]]]
    keyless_fields: ClassVar[set[str]] = {"query", "variation"}
    refused: ClassVar[tuple[str, ...]]

    def systems_named_by(self, recipe: Any) -> dict[str, str]:
        systems_by_key = {key: getattr(recipe, key) for key in ("initial", "negatives", "teacher")}
        return {key: system for key, system in systems_by_key.items() if system}

    def check(self, config: Config, name: str, message_place: str) -> None:
        recipe: TrainedRecipe = config.systems[name]
        with prefixed_errors(f"{message_place}.variations"):
            generators = {variations.drawn(variation).generator for variation in recipe.variations}
        for generator in sorted(generators):
            check_known(f"{message_place}.variations", generator, variations.names())
        if recipe.budget:
            config.check_bound(f"{message_place}.budget", recipe.budget, "budgets")
        if recipe.collection:
            config.check_bound(f"{message_place}.collection", recipe.collection, "collections")
        for scale_name, scale in config.scales_of(recipe).items():
            self._check_initial(config, recipe, scale_name, message_place)
            missing = {variation for variation, entry in scale.variations.items() if entry.unavailable}
            if generators and generators <= missing:
                raise UserError(f"{message_place}.variations: scale {scale_name} can generate none of them")
            if recipe.negatives and recipe.collection:
                config.check_searchable(scale_name, recipe.collection, f"{message_place}.negatives")
                config.check_trainable(scale_name, recipe.collection, f"{message_place}.collection")
            self._check_budget(scale.budgets.get(recipe.budget or ""), f"{message_place}.budget (scale {scale_name})")
        if recipe.loss:
            self._check_loss(config, recipe, recipe.loss, message_place)

    def _check_budget(self, budget: Budget | None, message_place: str) -> None:
        for key in self.refused:
            if budget and getattr(budget, key) is not None:
                raise UserError(f"{message_place}: {key}: not used to train systems of kind {self.name}")

    def _check_loss(self, config: Config, recipe: TrainedRecipe, loss: dict[str, Any], message_place: str) -> None:
        """Check that the recipe has all keys that its loss needs, and no keys that loss and augmentation do not use."""
        with prefixed_errors(f"{message_place}.loss"):
            needs = losses.check(**loss)
        name = loss["name"]
        if lacking := sorted(needs - self.keyless_fields.union(*self.sources.values())):
            raise UserError(
                f"{message_place}.loss: {name} needs {lacking[0]}, which systems of kind {self.name} do not have"
            )
        if recipe.augmentation and "query" not in needs:
            raise UserError(
                f"{message_place}.augmentation: the loss {name} never reads the queries that it would replace"
            )
        for key, fields in self.sources.items():
            if needs & fields and not getattr(recipe, key):
                raise UserError(f"{message_place}: the loss {name} needs {key}; add `{key}`")
            if getattr(recipe, key) and not needs & fields and not (key == "variations" and recipe.augmentation):
                raise UserError(f"{message_place}.{key}: the loss {name} never reads them; remove `{key}`")
        allowed = ("together",) if "variations" in needs else ("one", "all", "fresh")
        if (assign := recipe.assign or "one") not in allowed:
            raise UserError(f"{message_place}.assign: {assign!r}; with the loss {name} allowed: {', '.join(allowed)}")
        if recipe.teacher:
            taught = config.systems[recipe.teacher]
            if lacking := sorted((needs & self.sources["teacher"]) - kind_of(taught).teaches(taught)):
                raise UserError(
                    f"{message_place}.teacher: the loss {name} needs {lacking[0]}, which {recipe.teacher!r} of kind "
                    f"{taught.kind} does not give"
                )

    def _check_initial(self, config: Config, recipe: TrainedRecipe, scale_name: str, message_place: str) -> None:
        """Check that `initial` is a checkpoint or pre-training of an allowed form, or a system of the same kind."""
        scale = config.scales[scale_name]
        initial, checkpoints = recipe.initial, scale.checkpoints
        if initial in scale.stand_ins:
            if initial in checkpoints:
                raise UserError(f"scale {scale_name}: {initial!r} is in `stand_ins` and in `checkpoints`; remove one")
            check_known(f"scale {scale_name}: stand_ins.{initial}", scale.stand_ins[initial], config.systems)
            initial = scale.stand_ins[initial]
        if initial in config.pretraining and initial not in checkpoints:
            initial = config.pretraining[initial].initial
        if initial not in checkpoints:
            if initial in config.systems and (kind := config.systems[initial].kind) != self.name:
                raise UserError(
                    f"{message_place}.initial: {initial!r} is a system of kind {kind}; allowed: {self.name}"
                )
        elif not checkpoints[initial].unavailable and (form := checkpoints[initial].form) not in self.forms(recipe):
            allowed = ", ".join(self.forms(recipe))
            initial_place = f"{message_place}.initial (scale {scale_name})"
            raise UserError(f"{initial_place}: the checkpoint {initial!r} has the form {form!r}; allowed: {allowed}")

    def forms(self, recipe: Any) -> Collection[str]:
        """Allowed forms of the recipe's checkpoint; see `encoding.settings.Checkpoint.form`."""
        return (ENCODER,)

    def parents(self, lineage: Lineage, system: str) -> list[str]:
        teacher = lineage.recipe(system).teacher if lineage.is_trained(system) else None
        return [parent for parent in (lineage.initial_of(system), lineage.miner_of(system), teacher) if parent]

    def learns_from(self, graph: Graph, system: str, seed: int) -> Inputs:
        """The corpus with the passages of the training file; empty for training on queries only."""
        if graph.lineage.trains_on_queries_alone(system):
            return {}
        return {"corpus": reads(graph.corpus(graph.lineage.train_split(system)[0]))}

    def lacking(self, lineage: Lineage, system: str) -> str:
        recipe, scale = lineage.recipe(system), lineage.scale
        needed = [("budgets", recipe.budget)] if recipe.budget else []
        if lineage.is_trained(system):
            needed.append(("collections", recipe.collection))
        if pretraining := lineage.pretraining_of(system):
            pretraining_recipe = lineage.config.pretraining[pretraining]
            needed += [
                ("pretraining", pretraining_recipe.budget),
                ("collections", pretraining_recipe.collection),
                ("checkpoints", pretraining_recipe.initial),
            ]
        elif recipe.initial not in scale.stand_ins and (
            recipe.initial == system or recipe.initial not in lineage.config.systems  # may be its namesake
        ):
            needed.append(("checkpoints", recipe.initial))
        return next((f"{part}.{name}" for part, name in needed if name not in getattr(scale, part)), "")

    def unavailable(self, lineage: Lineage, system: str) -> str:
        checkpoint = lineage.scale.checkpoints[lineage.checkpoint_of(system)]
        if checkpoint.unavailable or not lineage.is_trained(system):
            return checkpoint.unavailable
        return lineage.unavailable_collection(lineage.recipe(system).collection)


def lengths(lineage: Lineage, system: str) -> dict[str, Any]:
    """Tokens that a system reads of a query and of a passage."""
    recipe = lineage.recipe(system)
    budget = getattr(recipe, "budget", None)
    says = lineage.scale.budgets[budget] if budget else recipe
    return {length: getattr(says, length) for length in LENGTHS}


def training(graph: Graph, system: str, refused: Collection[str]) -> dict[str, Any]:
    """The settings that trainings of all kinds of systems share, by key; `refused`: keys of the budget to leave out."""
    recipe: TrainedRecipe = graph.lineage.recipe(system)
    budget = vars(graph.lineage.scale.budgets[recipe.budget or ""])
    budget_values = {key: value for key, value in budget.items() if key not in refused}
    recipe_values = {"system": system, "loss": recipe.loss, "augmentation": recipe.augmentation or 0.0}
    return {**recipe_values, **graph.computing, **budget_values}
