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
