"""What kinds share whose systems may be trained: a recipe with a loss, on a collection, from an initial model."""

from collections.abc import Collection
from typing import TYPE_CHECKING, ClassVar

from robustdr import losses, variations
from robustdr.core.checks import at, known
from robustdr.core.errors import UserError
from robustdr.encoding.directory import ENCODER
from robustdr.systems.kind import LENGTHS, NOTHING, Kind, Reads, Tree, kind_of

if TYPE_CHECKING:
    from robustdr.experiments.config import Config
    from robustdr.graph.plan import Plan
    from robustdr.graph.structure import Structure


class Trained(Kind):
    """Trained where the recipe has a loss; else the initial model, a checkpoint or a trained system, as it is.

    Attributes:
        sources: by key of a recipe, the fields of a batch that it gives a loss. given: those that need no key.
    """

    keys: ClassVar[Tree] = {
        "collection": {"type": "string"},
        "initial": {"type": "string"},
        "negatives": {"type": "string"},
        "variations": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
        "assign": {"enum": ["one", "all", "fresh", "together"]},
        "augmentation": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        "teacher": {"type": "string"},
        "loss": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
        "budget": {"type": "string"},
        **{length: {"type": "integer", "minimum": 3} for length in LENGTHS},
    }
    rules: ClassVar[Tree] = {
        "required": ["label", "initial"],
        "if": {"anyOf": [{"required": [length]} for length in LENGTHS]},
        "then": {"required": [*LENGTHS], "not": {"required": ["budget"]}},  # each says it all
        "else": {"required": ["budget"]},
        "dependentRequired": {
            "loss": ["collection", "budget"],
            **{key: ["loss"] for key in ("teacher", "negatives", "variations")},
            **{key: ["variations"] for key in ("assign", "augmentation")},
        },
    }
    sources: ClassVar[dict[str, set[str]]]
    given: ClassVar[set[str]] = {"query", "variation"}

    def named(self, recipe: Tree) -> dict[str, str]:
        return {key: recipe[key] for key in ("initial", "negatives", "teacher") if key in recipe}

    def check(self, config: "Config", name: str, where: str) -> None:
        recipe = config.systems[name]
        with at(f"{where}.variations"):
            generators = {variations.drawn(variation).generator for variation in recipe.get("variations", [])}
        for generator in sorted(generators):
            known(f"{where}.variations", generator, variations.names())
        for key, part in (("budget", "budgets"), ("collection", "collections")):
            if key in recipe:
                known(f"{where}.{key}", recipe[key], config.bound(part))
        for scale_name, scale in config.scales_of(recipe).items():
            self._check_initial(config, recipe, scale_name, where)
            missing = [kind for kind, entry in scale["variations"].items() if "unavailable" in entry]
            if generators and generators <= set(missing):
                raise UserError(f"{where}.variations: scale {scale_name} can generate none of them")
            if "negatives" in recipe:
                config.check_searchable(scale_name, recipe["collection"], f"{where}.negatives")
                config.check_trainable(scale_name, recipe["collection"], f"{where}.collection")
        if "loss" in recipe:
            self._check_loss(config, recipe, where)

    def _check_loss(self, config: "Config", recipe: Tree, where: str) -> None:
        """A recipe has what its loss reads, and its loss, or its augmentation, reads what the recipe has."""
        with at(f"{where}.loss"):
            needs = losses.check(**recipe["loss"])
        loss = recipe["loss"]["name"]
        if lacking := sorted(needs - self.given.union(*self.sources.values())):
            raise UserError(f"{where}.loss: {loss} needs {lacking[0]}, which a system of the kind {self.name} has not")
        if "augmentation" in recipe and "query" not in needs:
            raise UserError(f"{where}.augmentation: the loss {loss} never reads the queries that it would replace")
        for key, fields in self.sources.items():
            if needs & fields and key not in recipe:
                raise UserError(f"{where}: the loss {loss} needs {key}; add `{key}`")
            if key in recipe and not needs & fields and not (key == "variations" and "augmentation" in recipe):
                raise UserError(f"{where}.{key}: the loss {loss} never reads them; remove `{key}`")
        allowed = ("together",) if "variations" in needs else ("one", "all", "fresh")
        if (assign := recipe.get("assign", "one")) not in allowed:
            raise UserError(f"{where}.assign: {assign!r}; with the loss {loss} allowed: {', '.join(allowed)}")
        if "teacher" in recipe:
            teacher = kind_of(config.systems[recipe["teacher"]])
            if lacking := sorted(
                (needs & self.sources["teacher"]) - teacher.teaches(config.systems[recipe["teacher"]])
            ):
                raise UserError(
                    f"{where}.teacher: the loss {loss} needs {lacking[0]}, which {recipe['teacher']!r}, of the kind "
                    f"{teacher.name}, does not give"
                )

    def _check_initial(self, config: "Config", recipe: Tree, scale_name: str, where: str) -> None:
        """A recipe starts from a checkpoint of a form that its model reads, or made from one, or continues its kind."""
        initial, checkpoints = recipe["initial"], config.scales[scale_name]["checkpoints"]
        if initial in config.pretraining and initial not in checkpoints:
            initial = config.pretraining[initial]["initial"]
        if initial not in checkpoints:
            if initial in config.systems and (other := kind_of(config.systems[initial])) is not self:
                raise UserError(
                    f"{where}.initial: {initial!r} is of the kind {other.name}; one of {self.name} is needed"
                )
        elif "unavailable" not in checkpoints[initial] and (
            form := checkpoints[initial].get("form", ENCODER)
        ) not in self.forms(recipe):
            allowed = ", ".join(self.forms(recipe))
            here = f"{where}.initial (scale {scale_name})"
            raise UserError(f"{here}: the checkpoint {initial!r} has the form {form!r}; allowed: {allowed}")

    def forms(self, recipe: Tree) -> Collection[str]:
        """Forms of the checkpoints that a recipe may start from; see `encoding.directory.FORMS`."""
        return (ENCODER,)

    def parents(self, structure: "Structure", system: str) -> list[str]:
        recipe = structure.recipe(system)
        teacher = recipe.get("teacher") if structure.is_trained(system) else None
        return list(filter(None, (structure.initial_of(system), structure.miner_of(system), teacher)))

    def learns_from(self, plan: "Plan", system: str, seed: int) -> Reads:
        """The passages that the training file names."""
        if plan.trains_on_queries_alone(system):
            return NOTHING
        collection, _ = plan.train_split(system)
        corpus = plan.corpus(collection)
        return Reads({"corpus": [corpus]}, [corpus], {"corpus": plan.corpus_key(collection)})

    def unbound(self, structure: "Structure", system: str) -> str:
        recipe, bound = structure.recipe(system), structure.bound
        needed = [("budgets", recipe["budget"])] if "budget" in recipe else []
        if structure.is_trained(system):
            needed.append(("collections", recipe["collection"]))
        if pretraining := structure.pretraining_of(system):
            made = structure.config.pretraining[pretraining]
            needed += [("pretraining", made["budget"]), ("collections", made["collection"])]
            needed.append(("checkpoints", made["initial"]))
        elif recipe["initial"] == system or recipe["initial"] not in structure.config.systems:  # may bear its name
            needed.append(("checkpoints", recipe["initial"]))
        return next((f"{part}.{name}" for part, name in needed if name not in bound.get(part, {})), "")

    def lacks(self, structure: "Structure", system: str) -> str:
        checkpoint = structure.bound["checkpoints"][structure.checkpoint_of(system)]
        trained = structure.is_trained(system) and structure.absent(structure.recipe(system)["collection"])
        return checkpoint.get("unavailable", "") or trained or ""
