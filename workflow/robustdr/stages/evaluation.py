"""Measures."""

import argparse

from robustdr.stages.options import MADE, READ, READS, TEXT, stage


@stage(
    "evaluate all runs of one model",
    settings=TEXT,
    runs=READS,
    judgements=READS,
    corpus_=READ,
    output=MADE,
)
def evaluate(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.evaluation.measures import write_measures
    from robustdr.evaluation.settings import EvaluateSettings

    settings = read_settings(EvaluateSettings, a.settings)
    runs = dict(zip(settings.measures, zip(a.runs, a.judgements, strict=True), strict=True))
    write_measures(settings, runs, a.output, a.corpus)


@stage("check that a released checkpoint reaches its published score", settings=TEXT, measures=READ, output=MADE)
def published(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.evaluation.published import check
    from robustdr.evaluation.settings import PublishedSettings

    check(read_settings(PublishedSettings, a.settings), a.measures, a.output)
