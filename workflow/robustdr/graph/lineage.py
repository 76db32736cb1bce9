"""What systems of the configuration are made from at one scale."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from robustdr.collections import keys_of_passages, local_files
from robustdr.experiments.kinds import Kind, Split, kind_of
from robustdr.experiments.models import Budget, Config, Published, ReleasedRuns, ReleasedSystem, Scale
from robustdr.systems.trained import TrainedRecipe
from robustdr.variations import drawn
from robustdr.variations.settings import Release


@dataclass(frozen=True, eq=False)
class Lineage:
    """The systems at one scale.

    Systems have their names in experiments; `<system>.at<percent>` is a system's snapshot after that share of its
    training. Collections are entries of collections.yaml; `collection_of` returns the collection of a role.
    """

    config: Config
    scale_name: str

    @property
    def scale(self) -> Scale:
        return self.config.scales[self.scale_name]

    @property
    def variance_scale(self) -> str:
        """Return the scale of the same setting whose runs say how much runs vary."""
        return self.scale.variance_from or self.scale_name

    # collections

    def collection_of(self, role: str) -> str:
        return self.scale.collections[role].collection

    def split_of(self, paper: str, role: str) -> Split:
        """Return (collection, split) behind a role of a paper's evaluation."""
        place = self.scale.collections[role]
        return place.collection, place.split or self.config.papers[paper].evaluation[role].split

    @cache
    def unavailable_collection(self, role: str) -> str:
        """Return why the collection behind a role is unavailable; '' if its files exist or can be downloaded."""
        source = self.config.collections[self.collection_of(role)]
        missing = "unavailable" in source and not all(path.is_file() for path in local_files(source))
        return source["unavailable"] if missing else ""

    @cache
    def passages_of(self, collection: str) -> str:
        """Return the collection whose passages, vectors and indexes serve this one too.

        It is the first of the scale's roles with the same passages, one that is always available if there is one.
        """
        sources = self.config.collections
        its_keys = keys_of_passages(sources[collection])
        bound = dict.fromkeys(place.collection for place in self.scale.collections.values())
        candidates = [name for name in bound if not self.is_log(name) and keys_of_passages(sources[name]) == its_keys]
        return min(candidates, key=lambda name: "unavailable" in sources[name], default=collection)

    def is_log(self, collection: str) -> bool:
        """Whether a collection has only queries."""
        return self.config.collections[collection].get("log", False)

    def release(self, split: Split, variation: str) -> Release | None:
        """Return the released file that has a varied query set; None if the query set is made here."""
        name, parameters, draw = drawn(variation)
        entry = self.scale.variations.get(name)
        releases = entry.released.get("/".join(split), []) if entry and not parameters else []
        return releases[draw - 1] if draw <= len(releases) else None

    def released_mixture(self, system: str) -> str:
        """Return the released mixture of exactly the variations that a system is trained on; '' if there is none."""
        recipe, split = self.recipe(system), self.train_split(system)
        if (recipe.assign or "one") != "one":
            return ""
        entries = self.scale.variations.items()
        mixtures = [name for name, entry in entries if entry.of and {*entry.of} == {*recipe.variations}]
        return next((name for name in mixtures if self.release(split, name)), "")

    def unavailable_variations(self, split: Split, variations: Iterable[str]) -> dict[str, str]:
        """Return why variations of a split cannot be made at this scale, by variation."""
        entries = self.scale.variations
        entry_of = {name: entries.get(drawn(name).generator) for name in variations if not self.release(split, name)}
        return {name: entry.unavailable for name, entry in entry_of.items() if entry and entry.unavailable}

    # systems

    def recipe(self, system: str) -> Any:
        """Return the recipe of a system, or of the system behind a snapshot."""
        return self.config.systems[system.partition(".")[0]]

    def kind(self, system: str) -> Kind:
        return kind_of(self.recipe(system))

    def _trained(self, system: str) -> TrainedRecipe | None:
        """Return the recipe of a system whose kind can be trained; None for other kinds."""
        recipe = self.recipe(system)
        return recipe if isinstance(recipe, TrainedRecipe) else None

    def released(self, system: str) -> ReleasedSystem | None:
        """Return what authors released of a system, in place of its training here; None if it is made by its recipe."""
        return self.scale.released.get(system)

    def released_runs(self, system: str, split: Split, variations: Iterable[str]) -> ReleasedRuns | None:
        """Return the released runs of a system on these query sets of a split; None if it ranks them here."""
        released = self.released(system)
        runs = released.runs.get("/".join(split)) if released else None
        return runs if runs and runs.files.keys() >= {*variations} else None

    def is_ranked(self, system: str, split: Split, variation: str) -> bool:
        """Whether a system has a ranking of a query set: if runs alone were released, not of all query sets."""
        released = self.released(system)
        return not released or bool(released.checkpoint or self.released_runs(system, split, [variation]))

    def starts_from(self, system: str) -> str | None:
        """Return the recipe's initial checkpoint, pre-training or system, or the system that stands in for it here.

        Of a released system: its checkpoint. None if the kind has no model, or runs alone were released.
        """
        if released := self.released(system):
            return released.checkpoint
        initial = getattr(self.recipe(system), "initial", None)
        return self.scale.stand_ins.get(initial, initial) if initial else None

    def is_trained(self, system: str) -> bool:
        """Whether a recipe has a loss, and its initial checkpoint is not already the result of its training."""
        recipe = self._trained(system)
        if recipe is None or recipe.loss is None or self.released(system):
            return False
        checkpoint = self.scale.checkpoints.get(recipe.initial)
        return not (checkpoint and checkpoint.trained)

    def budget(self, system: str) -> Budget:
        return self.scale.budgets[self.recipe(system).budget]

    def seeds(self, system: str) -> list[int]:
        """Return the seeds of a system: as many of its paper's as the scale allows; [0] if nothing is random."""
        if not self.is_random(system):
            return [0]
        paper = self.config.paper_of(system)
        return self.config.papers[paper].seeds[: self.scale.seeds_of.get(paper, self.scale.seeds)]

    @cache
    def is_random(self, system: str) -> bool:
        """Whether any part of a system is trained or pre-trained."""
        has_training = self.is_trained(system) or self.pretraining_of(system) is not None
        return has_training or any(map(self.is_random, self.parents(system)))

    @cache
    def takes_checkpoint(self, system: str) -> bool:
        """Whether a system is a model as its authors released it, or ranks with one; a miniature has stand-ins."""
        if self.scale.miniature or self.is_random(system):
            return False
        return self.starts_from(system) is not None or any(map(self.takes_checkpoint, self.parents(system)))

    def published(self, checkpoint: str) -> Published | None:
        """Return the score that a released checkpoint must reach; None without one, or if collections are cut."""
        return None if self.scale.cut else self.scale.published.get(checkpoint)

    def seed_of(self, system: str, seed: int) -> int:
        """Return the seed of the ancestor `system` of an artifact made with `seed`."""
        return seed if self.is_random(system) else 0

    def initial_of(self, system: str) -> str | None:
        """Return the system that this one continues from; None if it starts from a checkpoint or pre-training."""
        initial = self.starts_from(system)
        return None if initial in {**self.scale.checkpoints, **self.config.pretraining} else initial

    def pretraining_of(self, system: str) -> str | None:
        """Return the pre-training that a system starts from; None if the scale has a checkpoint of that name."""
        initial = self.starts_from(system)
        return initial if initial in self.config.pretraining.keys() - self.scale.checkpoints.keys() else None

    def checkpoint_of(self, system: str) -> str:
        """Return the scale's checkpoint at the root of a system's lineage, before any pre-training."""
        if parent := self.initial_of(system):
            return self.checkpoint_of(parent)
        pretraining = self.pretraining_of(system)
        if pretraining:
            return self.config.pretraining[pretraining].initial
        released = self.released(system)
        return (released and released.checkpoint) or self.recipe(system).initial

    def train_split(self, system: str) -> Split:
        """Return the (collection, split) that a system is trained on."""
        return self.collection_of(self.recipe(system).collection), "train"

    def miner_of(self, system: str) -> str | None:
        """Return the system whose top passages are hard negatives; None if the training judgements give them."""
        recipe = self._trained(system)
        judged = recipe is not None and recipe.collection in self.scale.negatives.from_judgements
        return recipe.negatives if recipe and self.is_trained(system) and not judged else None

    def trains_on_queries_alone(self, system: str) -> bool:
        return self.is_trained(system) and not self.recipe(system).negatives

    def is_separate(self, system: str) -> bool:
        """Whether a system has separate encoders for queries and passages."""
        return getattr(self.recipe(system), "encoders", None) == "separate"

    def encoder_of(self, system: str) -> str:
        """Return the system whose passage vectors are searched: an ancestor if only the query encoder is trained."""
        parent = self.initial_of(system) if self.trains_on_queries_alone(system) and self.is_separate(system) else None
        return self.encoder_of(parent) if parent else system

    def reindexes(self, system: str, base: str) -> bool:
        """Whether replacing `base` by `system` requires encoding and indexing the passages again."""
        return self.encoder_of(system) != self.encoder_of(base)

    def parents(self, system: str) -> list[str]:
        """Return the systems that a system is made from: what it continues, and its sources of negatives or scores."""
        if self.released(system):
            return []
        return self.kind(system).parents(self, system)

    def lineage(self, system: str) -> list[str]:
        """Return the trained systems that a system is made from, including itself."""
        ancestors = [ancestor for parent in self.parents(system) for ancestor in self.lineage(parent)]
        return list(dict.fromkeys([*ancestors, *([system] if self.is_trained(system) else [])]))

    # what a scale lacks

    @cache
    def lacking(self, system: str) -> str:
        """Return the first configuration key that this scale lacks for `system` or its ancestors; '' if none."""
        missing_key = self.kind(system).lacking(self, system)
        return missing_key or next(filter(None, map(self.lacking, self.parents(system))), "")

    def lacking_cell(self, system: str, role: str) -> str:
        """Return the first configuration key that this scale lacks for a system on a role; '' if none."""
        if role not in self.scale.collections:
            return f"collections.{role}"
        released, collection = self.released(system), self.collection_of(role)
        if (
            released
            and not released.checkpoint
            and not any(split.startswith(f"{collection}/") for split in released.runs)
        ):
            return f"released.{system}.runs of {collection}"
        return self.lacking(system)

    def has_cell(self, system: str, role: str) -> bool:
        """Whether this scale has what a system on a role needs, and its collection is available."""
        return not self.lacking_cell(system, role) and not self.unavailable_collection(role)

    def unavailable(self, system: str) -> str:
        """Return why a system cannot be made at this scale; '' if it can."""
        if self.scale.released and not self.released(system) and self.is_random(system):
            return "its authors released neither a run nor a model of it that the scale names"
        reason = self.kind(system).unavailable(self, system)
        return reason or next(filter(None, map(self.unavailable, self.parents(system))), "")

    def complete(self) -> list[str]:
        """Return the systems for which this scale lacks no key."""
        return [system for system in self.config.systems if not self.lacking(system)]
