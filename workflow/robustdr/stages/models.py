"""Checkpoints, and what trains models."""

import argparse

from robustdr.stages.options import COST, INT, INTS, MADE, PATH, PATHS, READ, READS, TEXT, stage


@stage("write an initial checkpoint", settings=TEXT, output=MADE)
def checkpoint(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.encoding.checkpoint import write_checkpoint
    from robustdr.encoding.settings import CheckpointSettings

    write_checkpoint(read_settings(CheckpointSettings, a.settings), a.output)


@stage("tokenise a corpus for pre-training", length=INT, corpus=READ, initial=READ, output=MADE)
def tokenise(a: argparse.Namespace) -> None:
    from robustdr.pretraining.tokens import write_tokens

    write_tokens(a.corpus, a.initial, a.length, a.output)


@stage(
    "write a recipe's training file",
    settings=TEXT,
    seed=INT,
    corpus_=READ,
    qrels_=READ,
    run_={**READ, "help": "where hard negatives come from; without it, judged passages graded 0"},
    answers_={**READ, "help": "no passage of the run with one of these is a negative"},
    queries=READ,
    variations_=READS,
    tokenizer=READ,
    output=MADE,
)
def training_data(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.training.data import write_training_data
    from robustdr.training.settings import TrainingDataSettings

    files = {name: getattr(a, name) for name in ("corpus", "qrels", "run", "answers") if getattr(a, name)}
    settings = read_settings(TrainingDataSettings, a.settings)
    write_training_data(settings, a.seed, a.queries, a.variations, a.tokenizer, a.output, files)


@stage(
    "train a model",
    makes=lambda a: [(path,) for path in (a.output, *a.snapshots)],
    trains={"help": "the module of what is trained"},
    settings=TEXT,
    seed=INT,
    data=READ,
    initial=READ,
    resume=PATH,
    teacher_=READS,
    teacher_embeddings_=READS,
    teacher_scores_=READS,
    corpus_=READS,
    tokens_=READS,
    percents_={**INTS, "help": "of the training, after which a snapshot is taken"},
    snapshots_={**PATHS, "help": "the folder of each snapshot"},
    output=PATH,
    cost=COST,
)
def train(a: argparse.Namespace) -> None:
    from robustdr.core.errors import UserError
    from robustdr.core.plugins import module_named
    from robustdr.core.settings import read_settings
    from robustdr.training.loop import train

    snapshots = {percent / 100: folder for percent, folder in zip(a.percents, a.snapshots, strict=True)}
    files = {name: getattr(a, name) for name in ("teacher", "teacher_embeddings", "teacher_scores", "corpus", "tokens")}
    module = module_named(a.trains)
    settings = read_settings(module.Settings, a.settings)
    if engine := getattr(module, "train", None):
        if snapshots:
            raise UserError(f"{settings.system}: {a.trains} takes no snapshots of a training; remove its `.at…`")
        engine(settings, a.seed, a.data, a.initial, a.output, a.cost, files)
        return
    train(a.trains, settings, a.seed, a.key[0], a.data, a.initial, a.output, a.cost, a.resume, files, snapshots)


@stage(
    "score a training file's passages as a teacher",
    settings=TEXT,
    model=READ,
    data=READ,
    corpus=READ,
    output=MADE,
)
def score(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.training.scoring import write_scores
    from robustdr.training.settings import ScoreSettings

    write_scores(read_settings(ScoreSettings, a.settings), a.model, a.data, a.corpus, a.output)
