"""What a scale makes of the experiments: systems, their lineage, and the query sets that are made and searched."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import filterfalse
from pathlib import Path

from robustdr.collections import local_files
from robustdr.core.processor import native
from robustdr.encoding.directory import ENCODER, WHOLE
from robustdr.experiments.config import Config, Tree
from robustdr.experiments.needs import ORIGINAL, claimed_pairs, reported_pairs
from robustdr.retrieval.settings import FLAT
from robustdr.systems import Kind, kind_of
from robustdr.variations import drawn
from robustdr.variations.labels import GENERATORS

At = tuple[str, str]  # collection, split
Ranked = tuple[str, At, list[str]]  # a system, where, which variations


@dataclass(frozen=True, eq=False)
class Structure:
    """One scale of the configuration.

    Systems are named as in the experiments; `<system>.at<percent>` is a system's snapshot after that share of its
    training. Collections are entries of collections.yaml; `collection_of` turns a role into one.

    Attributes:
        labels: the folder of qvg's released labels, if it is at hand.
    """

    config: Config
    scale: str
    labels: Path | None = None

    @property
    def bound(self) -> Tree:
        """What the scale binds to the roles."""
        return self.config.scales[self.scale]

    @property
    def root(self) -> str:
        """The folder of this scale's results."""
        return "results" if self.scale == "full" else f"results/{self.scale}"

    @property
    def computing(self) -> Tree:
        """What models compute in: `precision` and `threads`."""
        precision = self.bound["precision"]
        return {"precision": native() if precision == "auto" else precision, "threads": self.bound["threads"]}

    def collection_of(self, role: str) -> str:
        return self.bound["collections"][role]

    def place_of(self, paper: str, role: str) -> At:
        """(collection, split) behind a role of a paper's evaluation."""
        split = self.config.papers[paper]["evaluation"][role]["split"]
        return self.collection_of(role), self.config.split_of(self.scale, role, split)

    @cache
    def unbound(self, system: str) -> str:
        """The key that this scale must have for a system and has not; empty if it has all, as targets of it need."""
        own = self.kind(system).unbound(self, system)
        return own or next(filter(None, map(self.unbound, self.parents(system))), "")

    def unbound_cell(self, system: str, role: str) -> str:
        """The key that this scale must have for a system on a role, and has not; empty if it has all."""
        return self.unbound(system) if role in self.bound["collections"] else f"collections.{role}"

    def is_at_hand(self, system: str, role: str) -> bool:
        """Whether this scale has what a system on a role needs, and its collection is to be had."""
        return not self.unbound_cell(system, role) and not self.absent(role)

    @cache
    def absent(self, role: str) -> str:
        """Why the collection behind a role is not to be had while its files are not there; empty if it is."""
        source = self.config.collections[self.collection_of(role)]
        lacking = "unavailable" in source and not all(path.is_file() for path in local_files(source))
        return source["unavailable"] if lacking else ""

    def recipe(self, system: str) -> Tree:
        """The recipe of a system or of the system behind a snapshot."""
        return self.config.systems[system.partition(".")[0]]

    def kind(self, system: str) -> Kind:
        return kind_of(self.recipe(system))

    def budget(self, system: str) -> Tree:
        return self.bound["budgets"][self.recipe(system)["budget"]]

    def is_trained(self, system: str) -> bool:
        """Whether a recipe has a loss, and starts from nothing that is the outcome of such a training already."""
        recipe = self.recipe(system)
        return "loss" in recipe and not self.bound["checkpoints"].get(recipe["initial"], {}).get("trained", False)

    def seeds(self, system: str) -> list[int]:
        """The seeds of a system: as many of its paper's as the scale allows; 0 where nothing is random."""
        paper = self.config.papers[self.recipe(system)["paper"]]
        return paper["seeds"][: self.bound["seeds"]] if self.is_random(system) else [0]

    def is_random(self, system: str) -> bool:
        """Whether anything that a system is made of is trained or pre-trained."""
        own = self.is_trained(system) or self.pretraining_of(system) is not None
        return own or any(map(self.is_random, self.parents(system)))

    def seed_of(self, system: str, seed: int) -> int:
        """The seed of an ancestor `system` of something made with `seed`."""
        return seed if self.is_random(system) else 0

    def initial_of(self, system: str) -> str | None:
        """The system that this one continues from; None where it starts from a checkpoint, pre-trained or not."""
        initial = self.recipe(system)["initial"]
        return None if initial in {**self.bound["checkpoints"], **self.config.pretraining} else initial

    def pretraining_of(self, system: str) -> str | None:
        """The pre-training that a system starts from; None where the scale has a checkpoint of that name."""
        initial = self.recipe(system).get("initial")
        return initial if initial in self.config.pretraining.keys() - self.bound["checkpoints"].keys() else None

    def checkpoint_of(self, system: str) -> str:
        """The checkpoint of the scale at the root of a system's lineage, before any pre-training."""
        if parent := self.initial_of(system):
            return self.checkpoint_of(parent)
        pretraining = self.pretraining_of(system)
        return self.config.pretraining[pretraining]["initial"] if pretraining else self.recipe(system)["initial"]

    def form_of(self, checkpoint: str) -> str:
        """The form of a checkpoint of the scale; see `encoding.directory.FORMS`."""
        return self.bound["checkpoints"][checkpoint].get("form", ENCODER)

    def is_whole(self, system: str) -> bool:
        """Whether a system is, or starts from, a directory that is taken as it is."""
        return self.form_of(self.checkpoint_of(system)) == WHOLE

    def measured(self, measure: str) -> str:
        """The measure that is taken at this scale where the paper takes `measure`."""
        return self.bound["measures"].get(measure, measure)

    def train_split(self, system: str) -> tuple[str, str]:
        """(collection, split) that a system is trained on."""
        return self.collection_of(self.recipe(system)["collection"]), "train"

    def miner_of(self, system: str) -> str | None:
        """The system whose top passages are hard negatives; None where the training split's judgements give them."""
        recipe = self.recipe(system)
        judged = recipe.get("collection") in self.bound["negatives"].get("judged", [])
        return recipe.get("negatives") if self.is_trained(system) and not judged else None

    def trains_on_queries_alone(self, system: str) -> bool:
        return self.is_trained(system) and "negatives" not in self.recipe(system)

    def is_router(self, system: str) -> bool:
        """Whether a system has separate encoders for queries and passages."""
        return self.recipe(system).get("encoders") == "separate"

    def encoder_of(self, system: str) -> str:
        """The system whose passage vectors are searched: an ancestor's where the query encoder alone is trained."""
        parent = self.initial_of(system) if self.trains_on_queries_alone(system) and self.is_router(system) else None
        return self.encoder_of(parent) if parent else system

    def reindexes(self, system: str, base: str) -> bool:
        """Whether replacing `base` by `system` means encoding and indexing the passages anew."""
        return self.encoder_of(system) != self.encoder_of(base)

    def parents(self, system: str) -> list[str]:
        """The systems that a system is made from: what it continues from, and what gives it negatives or scores."""
        return self.kind(system).parents(self, system)

    def lineage(self, system: str) -> list[str]:
        """The trained systems that a system is made of, itself included."""
        ancestors = [ancestor for parent in self.parents(system) for ancestor in self.lineage(parent)]
        return list(dict.fromkeys([*ancestors, *([system] if self.is_trained(system) else [])]))

    def is_released(self, collection: str, split: str, variation: str) -> bool:
        """Whether people validated a variation of this split, and their labels are at hand."""
        labelled = split in self.config.collections[collection].get("validated", {})
        return labelled and self.labels is not None and variation in GENERATORS.values()

    def variation(self, collection: str, split: str, variation: str) -> Tree:
        """What makes a variation of a split, or a further draw of it, as an entry of the scale's `variations`."""
        if self.labels and self.is_released(collection, split, variation):
            file = self.labels / self.config.collections[collection]["validated"][split]
            return {"generator": "released", "parameters": {"labels": str(file), "variation": variation}}
        return self.bound["variations"].get(drawn(variation).generator, {})

    def unavailable(self, collection: str, split: str, variations: Iterable[str]) -> dict[str, str]:
        """Why some of the variations of a split cannot be made at this scale, by variation."""
        entries = {kind: self.variation(collection, split, kind) for kind in variations}
        return {kind: entry["unavailable"] for kind, entry in entries.items() if "unavailable" in entry}

    def why_not(self, system: str) -> str:
        """Why a system cannot be run at this scale: something in its lineage is not to be had. Empty if it can."""
        reason = self.kind(system).lacks(self, system)
        return reason or next(filter(None, map(self.why_not, self.parents(system))), "")

    # query sets

    def pairs(self, paper: str) -> dict[tuple[str, str], bool]:
        """Every (system, role) that a paper's tables, figures and claims need; whether more than original queries."""
        experiment = self.config.papers[paper]
        specs = [*experiment["tables"].values(), *experiment.get("figures", {}).values()]
        found = dict.fromkeys((pair for spec in specs for pair in reported_pairs(spec)), True)
        for claim in self.config.claims[paper]:
            for pair in claimed_pairs(claim):
                found[pair] = found.get(pair, False) or claim["test"].get("query_sets") != [ORIGINAL]
        return found

    def cells(self, paper: str) -> dict[tuple[str, str], bool]:
        """Those of `pairs` that this scale binds, and whose collection is to be had."""
        return {pair: varied for pair, varied in self.pairs(paper).items() if self.is_at_hand(*pair)}

    @cache
    def needs(self) -> dict[str, dict[At, tuple[list[str], list[str]]]]:
        """(variations that can be made here, measures) of each system by (collection, split), `original` first."""
        found: dict[str, dict[At, tuple[list[str], list[str]]]] = {}
        for paper, experiment in self.config.papers.items():
            for (system, role), varied in self.cells(paper).items():
                evaluation, at = experiment["evaluation"][role], self.place_of(paper, role)
                kinds, measures = found.setdefault(system, {}).setdefault(at, ([ORIGINAL], []))
                wanted = evaluation["variations"] if varied else []
                missing = self.unavailable(*at, wanted)
                kinds += [kind for kind in wanted if kind not in missing and kind not in kinds]
                taken = map(self.measured, evaluation["measures"])
                measures += [measure for measure in taken if measure not in measures]
        return found

    def evaluations(self, system: str) -> dict[At, tuple[list[str], list[str]]]:
        """(variations, measures) that the papers need of a system by (collection, split), `original` first."""
        return self.needs().get(system, {})

    @property
    def _evaluated(self) -> list[Ranked]:
        return [(system, at, kinds) for system, places in self.needs().items() for at, (kinds, _) in places.items()]

    @property
    def _mining(self) -> list[Ranked]:
        """Training queries are searched to mine hard negatives."""
        miners = ((self.miner_of(name), name) for name in self.config.systems if not self.unbound(name))
        return [(miner, self.train_split(system), [ORIGINAL]) for miner, system in miners if miner]

    def _ranked(self, asked: Iterable[Ranked]) -> dict[tuple[str, At], list[str]]:
        """The variations that systems rank of a split so that those `asked` are: also first stages, for rerankers."""
        ranked: dict[tuple[str, At], list[str]] = {}

        def add(system: str, at: At, kinds: list[str]) -> None:
            own = ranked.setdefault((system, at), [])
            own += [kind for kind in kinds if kind not in own]
            for other, of in self.kind(system).candidates(self, system, at, kinds).items():
                add(other, at, of)

        for system, at, kinds in asked:
            add(system, at, kinds)
        return ranked

    @cache
    def searches(self) -> dict[At, dict[tuple[str, ...], list[str]]]:
        """The variations that are searched of each (collection, split), and the systems that search them."""
        found: dict[At, dict[tuple[str, ...], list[str]]] = {}
        for (system, at), kinds in self._ranked([*self._evaluated, *self._mining]).items():
            found.setdefault(at, {}).setdefault(tuple(kinds), []).append(system)
        return found

    @cache
    def mined(self) -> set[tuple[str, At]]:
        """The systems that rank a training split for hard negatives alone: nothing is measured or ranked anew there."""
        first = [
            (other, at, of)
            for miner, at, kinds in self._mining
            for other, of in self.kind(miner).candidates(self, miner, at, kinds).items()
        ]
        return {(miner, at) for miner, at, _ in self._mining} - self._ranked([*self._evaluated, *first]).keys()

    def splits(self, collection: str) -> list[str]:
        at_hand = filterfalse(self.unbound, self.config.systems)
        trained = {self.train_split(system) for system in at_hand if self.is_trained(system)}
        return sorted(split for c, split in {*self.searches(), *trained} if c == collection)

    def is_log(self, collection: str) -> bool:
        """Whether a collection has queries alone."""
        return self.config.collections[collection].get("log", False)

    def compresses(self) -> bool:
        """Whether compressed indexes of vectors are searched, not the vectors."""
        return self.bound["retrieval"]["index"]["factory"] != FLAT

    @cache
    def keeps_embeddings(self, system: str, collection: str) -> bool:
        """Whether a system's vectors are kept: the scale says so or indexes them, or several systems need them."""
        encoder = self.encoder_of(system)
        if self.bound["embeddings"]["keep"] or self.compresses() or encoder != system:
            return True
        at_hand = filterfalse(self.unbound, self.config.systems)
        taught = (name for name in at_hand if self.recipe(name).get("teacher") == system)
        shared = any(
            self.encoder_of(other) == system and any(c == collection for c, _ in self.evaluations(other))
            for other in self.needs()
            if other != system
        )
        return shared or any(self.train_split(name)[0] == collection for name in taught)

    def behind(self, papers: Iterable[str]) -> list[str]:
        """The systems that papers show and that can be run, each after those that it is made from."""
        found: list[str] = []

        def add(system: str) -> None:
            if system not in found and not self.why_not(system):
                for parent in self.parents(system):
                    add(parent)
                found.append(system)

        for paper in papers:
            for system, _ in self.cells(paper):
                add(system)
        return found

    def collections(self, papers: Iterable[str]) -> list[str]:
        """The collections that anything behind papers is read from."""
        systems = self.behind(papers)
        trained = [self.train_split(system)[0] for system in systems if self.is_trained(system)]
        trained += [self.texts_of(pretraining) for pretraining in filter(None, map(self.pretraining_of, systems))]
        evaluated = [collection for system in systems for collection, _ in self.evaluations(system)]
        return list(dict.fromkeys([*evaluated, *trained]))

    def varied(self, papers: Iterable[str]) -> dict[At, list[str]]:
        """The variations behind papers by (collection, split): of evaluated and of training queries."""
        needed: dict[At, list[str]] = {}
        for system in self.behind(papers):
            wanted = [(at, kinds[1:]) for at, (kinds, _) in self.evaluations(system).items()]
            if self.is_trained(system):
                wanted.append((self.train_split(system), self.training_variations(system)))
            for at, kinds in wanted:
                found = needed.setdefault(at, [])
                found += [kind for kind in kinds if kind not in found]
        return {at: kinds for at, kinds in needed.items() if kinds}

    def training_variations(self, system: str) -> list[str]:
        """The variations that a system is trained on, without those that this scale cannot generate.

        Under `assign: fresh` they are drawn again, as `<variation>.draw<n>` from n = 2, until there is one of them for
        every epoch.
        """
        recipe = self.recipe(system)
        wanted = recipe.get("variations", [])
        missing = self.unavailable(*self.train_split(system), wanted) if wanted else {}
        kinds = [kind for kind in wanted if kind not in missing]
        fresh = kinds and recipe.get("assign") == "fresh"
        draws = math.ceil(self.budget(system)["epochs"] / len(kinds)) if fresh else 1
        return kinds + [f"{kind}.draw{draw}" for draw in range(2, draws + 1) for kind in kinds]

    def texts_of(self, pretraining: str) -> str:
        """The collection whose passages a pre-training learns from."""
        return self.collection_of(self.config.pretraining[pretraining]["collection"])

    def pretrained(self, papers: Iterable[str]) -> list[tuple[str, int]]:
        """Every (pre-training, seed) behind papers."""
        found = ((self.pretraining_of(system), system) for system in self.behind(papers))
        return list(dict.fromkeys((name, seed) for name, system in found if name for seed in self.seeds(system)))

    def models(self, papers: Iterable[str]) -> list[tuple[str, int]]:
        """Every (system, seed) that is trained for papers."""
        trained = dict.fromkeys(system.partition(".")[0] for system in self.behind(papers) if self.is_trained(system))
        return [(system, seed) for system in trained for seed in self.seeds(system)]

    def snapshots(self) -> dict[str, list[int]]:
        """The percentages of training after which a system's snapshots are taken."""
        taken: dict[str, list[int]] = {}
        for name in self.needs():
            system, _, percent = name.partition(".at")
            if percent:
                taken[system] = sorted({*taken.get(system, []), int(percent)})
        return taken
