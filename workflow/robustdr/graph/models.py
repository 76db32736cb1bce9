"""Nodes of models: checkpoints, pre-training, training files, training and scores of teachers."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from robustdr.encoding.settings import CheckpointSettings
from robustdr.experiments.models import ORIGINAL
from robustdr.graph.cluster import gpus_for
from robustdr.graph.variations import QuerySets
from robustdr.keys.node import Input, Need, Node, reads
from robustdr.keys.provenance import Code, distributions
from robustdr.pretraining import HEAD, PACKAGES, TRAINS
from robustdr.pretraining.settings import PretrainingSettings
from robustdr.systems.trained import lengths
from robustdr.training.settings import ScoreSettings, TrainingDataSettings


class Models(QuerySets):
    """Nodes of models: checkpoints, pre-training, training files, training and scores of teachers."""

    def training_need(self, devices: int, memory: int, minutes: int, cores_per_gpu: int) -> Need:
        """Return what a training asks for: memory and cores for each GPU, time for as many GPUs as the recipe has."""
        gpus, nodes = gpus_for(devices)
        node_gpus = gpus // nodes
        cores = max(self.threads, node_gpus * cores_per_gpu)
        return Need(memory * node_gpus, minutes * devices // gpus, gpus, cores, nodes)

    @cache
    def checkpoint(self, checkpoint: str) -> Node:
        entry = self.lineage.scale.checkpoints[checkpoint]
        settings = CheckpointSettings.from_checkpoint(checkpoint, entry)
        source = settings.source
        places = [source, *([settings.queries] if settings.queries else [])]
        local = [place["path"] for place in places if "path" in place and "package" not in place]
        packages = [source["package"]] if "package" in source else []
        return self.node(
            "download_checkpoint",
            f"checkpoints/{checkpoint}",
            f"checkpoint {checkpoint}",
            checkpoint,
            stage="checkpoint",
            code=Code(["checkpoint"], packages),
            settings=settings,
            inputs={"folder": Input(files=[Path(path) for path in local], is_option=False)},
            need=Need(4000, 60),
            outside=dict.fromkeys(local, entry.fetch) if entry.fetch else {},
            network=any("hub" in place for place in places),
        )

    def pretraining_settings(self, name: str) -> PretrainingSettings:
        recipe = self.lineage.config.pretraining[name]
        initial = self.lineage.scale.checkpoints[recipe.initial]
        head = initial.source if HEAD in initial.drop else None
        budget = self.lineage.scale.pretraining[recipe.budget]
        return PretrainingSettings(system=name, head=head, **recipe.settings(), **self.computing, **vars(budget))

    @cache
    def tokens(self, collection: str, checkpoint: str, length: int) -> Node:
        """Return the node of a collection's word pieces, for all pre-trainings with this tokenizer."""
        if (owner := self.lineage.passages_of(collection)) != collection:
            return self.tokens(owner, checkpoint, length)
        return self.node(
            "tokenise",
            f"tokens/{collection}/{checkpoint}/{length}",
            f"word pieces of {collection} for {checkpoint}",
            f"{collection}.{checkpoint}.{length}",
            inputs={"corpus": reads(self.corpus(collection)), "initial": reads(self.checkpoint(checkpoint))},
            options={"length": length},
            decides=length,
            need=Need(self.sized(1000, 4000), 120, cores=self.threads),
        )

    @cache
    def pretrained(self, name: str, seed: int) -> Node:
        recipe, settings = self.lineage.config.pretraining[name], self.pretraining_settings(name)
        collection = self.lineage.collection_of(recipe.collection)
        tokens = self.tokens(collection, recipe.initial, settings.length)
        folder, devices = f"checkpoints/{name}/seed{seed}", settings.devices
        return self.node(
            "pretrain",
            folder,
            f"pre-training {name}",
            f"{name}.{seed}",
            stage="train",
            code=Code(["train", TRAINS], distributions(PACKAGES)),
            settings=settings,
            decides=seed,
            inputs={
                "data": reads(self.corpus(collection)),
                "initial": reads(self.checkpoint(recipe.initial)),
                "tokens": reads(tokens, decides=False),  # corpus, checkpoint and length decide them
            },
            options={"trains": TRAINS, "seed": seed, "resume": f"{self.root}/resume/pretrained/{name}/seed{seed}"},
            outputs=self.training_outputs(folder),
            need=self.training_need(devices, self.sized(4000, 24000), 420, 1 + settings.workers),
        )

    @cache
    def training_data(self, system: str, seed: int) -> Node:
        lineage, split = self.lineage, self.lineage.train_split(system)
        queries, *judged = self.split_files(split)
        queries_alone, varied = lineage.trains_on_queries_alone(system), self.demand.training_variations(system)
        inputs: dict[str, Input] = {}
        if not queries_alone:
            inputs = {"corpus": reads(self.corpus(split[0])), "qrels": reads(judged[0])}
        if miner := lineage.miner_of(system):
            inputs["run"] = reads(self.run(miner, lineage.seed_of(miner, seed), split, ORIGINAL))
            inputs["answers"] = reads(*judged[1:])
        settings = self.training_data_settings(system)
        by_name = varied if settings.assign == "one" else []  # assigned by name; otherwise in the recipe's order
        initial = self.checkpoint(lineage.checkpoint_of(system))
        inputs |= {
            "queries": reads(queries),
            "variations": Input([self.query_set(split, name) for name in varied], names=by_name),
            # It finds the queries that a variation changes.
            "tokenizer": reads(initial.file(f"{initial.path}/tokenizer.json"), decides=bool(varied)),
        }
        return self.node(
            "training_data",
            f"training/{split[0]}/{system}/seed{seed}.jsonl",
            f"training data of {system}",
            f"{split[0]}.{system}.{seed}",
            settings=settings,
            decides=seed,
            inputs=inputs,
            after=[self.split_card(split), *self.gates(system)],
            options={"seed": seed},
            need=Need(self.sized(8000, 24000), 120),
        )

    def training_data_settings(self, system: str) -> TrainingDataSettings:
        assignment = self.lineage.recipe(system).assign or "one"
        assign: Any = "all" if assignment == "fresh" else assignment
        negatives = self.lineage.scale.negatives
        if self.lineage.trains_on_queries_alone(system):
            return TrainingDataSettings(assign)
        return TrainingDataSettings(assign, negatives.depth, negatives.keep)

    def initial(self, system: str, seed: int) -> Node:
        """Return the node of a system's initial model; if the system is not trained, that is its own model."""
        if parent := self.lineage.initial_of(system):
            return self.model(parent, seed)
        if pretraining := self.lineage.pretraining_of(system):
            return self.pretrained(pretraining, seed)
        return self.checkpoint(self.lineage.checkpoint_of(system))

    @cache
    def model(self, system: str, seed: int) -> Node:
        lineage = self.lineage
        if not lineage.is_trained(system):
            return self.initial(system, seed)
        name, _, snapshot = system.partition(".")
        collection, kind, recipe = lineage.train_split(name)[0], lineage.kind(name), lineage.recipe(name)
        devices, percents = lineage.budget(name).devices, self.demand.snapshots().get(name, [])
        snapshots = [f"{self.root}/models/{collection}/{name}.at{percent}/seed{seed}" for percent in percents]
        folder = f"models/{collection}/{system}/seed{seed}"
        resume = f"{self.root}/resume/{collection}/{name}/seed{seed}"
        modules = [kind.trains, *kind.modules(lineage, name), f"robustdr.losses.{recipe.loss['name']}"]
        return self.node(
            "train",
            folder,
            f"training of {system}, seed {seed}",
            f"{collection}.{name}.{seed}",
            code=Code(["train", *modules]),
            settings=kind.training(self, name),
            decides=[seed, snapshot],
            inputs={
                "data": reads(self.training_data(name, seed)),
                "initial": reads(self.initial(name, seed)),
                **kind.learns_from(self, name, seed),
            },
            after=self.gates(name),
            options={
                "trains": kind.trains,
                "seed": seed,
                "resume": resume,
                "percents": percents,
                "snapshots": snapshots,
            },
            outputs=self.training_outputs(folder),
            first=f"{self.root}/models/{collection}/{name}/seed{seed}",
            need=self.training_need(devices, self.sized(3000, 24000), 360, 2 if devices > 1 else 1),
            makes=lambda: [
                *(self.model(model, seed) for model in (name, *(f"{name}.at{percent}" for percent in percents))),
                self.cost(self.model(name, seed)),
            ],
        )

    def training_outputs(self, folder: str) -> dict[str, list[str]]:
        """Return what a training writes: the model, and outside of its folder what it took."""
        return {"output": [f"{self.root}/{folder}"], "cost": [f"{self.root}/costs/{folder}.json"]}

    def cost(self, model: Node) -> Node:
        """Return the node of what a training took."""
        return replace(model, path=model.outputs["cost"][0], first="", subject=f"cost of the {model.subject}")

    @cache
    def teacher_scores(self, system: str, seed: int) -> Node:
        lineage, collection = self.lineage, self.lineage.train_split(system)[0]
        teacher = lineage.recipe(system).teacher
        return self.node(
            "score",
            f"training/{collection}/{system}/seed{seed}.scores.jsonl",
            f"scores by {teacher} of the training data of {system}",
            f"{collection}.{system}.{seed}",
            code=Code(["score", *lineage.kind(teacher).modules(lineage, teacher)]),
            settings=ScoreSettings(lineage.recipe(teacher).ranker, **lengths(lineage, teacher), **self.computing),
            inputs={
                "data": reads(self.training_data(system, seed)),
                "model": reads(self.model(teacher, lineage.seed_of(teacher, seed))),
                "corpus": reads(self.corpus(collection)),
            },
            need=Need(self.sized(4000, 24000), 240, gpus=1, cores=self.threads),
        )
