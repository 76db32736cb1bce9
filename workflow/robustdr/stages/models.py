"""Checkpoints, training files, training and teachers' scores."""

import argparse
import os

from robustdr.stages.options import CODE, INT, INTS, MADE, PACKAGES, PATH, PATHS, READ, READS, TEXT, Made, stage


@stage("write an initial checkpoint", code_=CODE, packages_=PACKAGES, settings=TEXT, key=TEXT, output=MADE)
def checkpoint(a: argparse.Namespace) -> Made:
    from robustdr.core.settings import read
    from robustdr.encoding.checkpoint import write_checkpoint
    from robustdr.encoding.settings import CheckpointSettings

    write_checkpoint(read(CheckpointSettings, a.settings), a.key, a.output)
    return None


@stage(
    "write a recipe's training file",
    settings=TEXT,
    seed=INT,
    corpus_=READ,
    qrels_=READ,
    run_={**READ, "help": "source of hard negatives; without it, passages judged 0"},
    answers_={**READ, "help": "passages of the run that contain one of these are not negatives"},
    queries=READ,
    variations_=READS,
    tokenizer=READ,
    output=MADE,
)
def training_data(a: argparse.Namespace) -> Made:
    from robustdr.core.settings import read
    from robustdr.training.data import write_training_data
    from robustdr.training.settings import TrainingDataSettings

    files = {name: getattr(a, name) for name in ("corpus", "qrels", "run", "answers") if getattr(a, name)}
    settings = read(TrainingDataSettings, a.settings)
    write_training_data(settings, a.seed, a.queries, a.variations, a.tokenizer, a.output, files)
    return None


@stage(
    "train a model",
    code_=CODE,
    packages_=PACKAGES,
    trains={"help": "the module that trains"},
    settings=TEXT,
    seed=INT,
    key=TEXT,
    data=READ,
    initial=READ,
    resume=PATH,
    teacher_=READS,
    teacher_embeddings_=READS,
    teacher_scores_=READS,
    corpus_=READS,
    percents_={**INTS, "help": "percentages of the training after which snapshots are saved"},
    snapshots_={**PATHS, "help": "the folder of each snapshot"},
    output=PATH,
)
def train(a: argparse.Namespace) -> Made:
    from importlib import import_module

    from robustdr.core.settings import read
    from robustdr.training.loop import train

    folder = a.output
    snapshots = {percent / 100: taken for percent, taken in zip(a.percents, a.snapshots, strict=True)}
    files = {name: getattr(a, name) for name in ("teacher", "teacher_embeddings", "teacher_scores", "corpus")}
    settings = read(import_module(a.trains).Settings, a.settings)
    train(a.trains, settings, a.seed, a.key, a.data, a.initial, folder, a.resume, files, snapshots)
    writes = os.environ.get("RANK", "0") == "0"  # only one of torchrun's processes writes
    return [(made,) for made in (folder, *snapshots.values())] if writes else None


@stage(
    "score a training file's passages as a teacher",
    code_=CODE,
    settings=TEXT,
    model=READ,
    data=READ,
    corpus=READ,
    output=MADE,
)
def score(a: argparse.Namespace) -> Made:
    from robustdr.core.settings import read
    from robustdr.training.scoring import write_scores
    from robustdr.training.settings import ScoreSettings

    write_scores(read(ScoreSettings, a.settings), a.model, a.data, a.corpus, a.output)
    return None
