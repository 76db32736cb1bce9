"""Tables, figures, verdicts and the report."""

import argparse
import json

from robustdr.stages.options import MADE, PATH, PATHS, READ, READS, TEXT, stage


@stage(
    "write a table, reported beside reproduced",
    makes=lambda a: [tuple(a.output.with_suffix(f".{form}") for form in ("json", "md", "csv", "tex"))],
    settings=TEXT,
    measures_=READS,
    statistics_=READS,
    queries_=READS,
    costs_=READS,
    recalls_=READS,
    reported_=PATH,
    priors_=PATH,
    output=PATH,
)
def table(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.reporting.settings import TableSettings
    from robustdr.reporting.tables import write_table

    settings = read_settings(TableSettings, a.settings)
    write_table(settings, a.measures, a.statistics, a.queries, a.reported, a.costs, a.priors, a.output, a.recalls)


@stage(
    "draw a figure",
    makes=lambda a: [(a.output, a.output.with_suffix(".png"))],
    settings=TEXT,
    measures_=READS,
    reported_=PATH,
    output=PATH,
)
def figure(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.reporting.drawing import write_figure
    from robustdr.reporting.settings import FigureSettings

    write_figure(read_settings(FigureSettings, a.settings), a.measures, a.reported, a.output)


@stage(
    "judge a paper's claims",
    makes=lambda a: [(a.output.with_suffix(".json"), a.output)],
    settings=TEXT,
    measures_=READS,
    claims=PATH,
    reported_=PATH,
    priors_=PATH,
    output=PATH,
)
def claims(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.reporting.claims import write_claims
    from robustdr.reporting.settings import ClaimsSettings

    write_claims(read_settings(ClaimsSettings, a.settings), a.measures, a.claims, a.reported, a.priors, a.output)


@stage(
    "write the queries behind a system's cells",
    settings=TEXT,
    measures_=READS,
    runs=READS,
    judgements=READS,
    queries={**READS, "help": "the original queries of each split"},
    corpus_=READ,
    output=MADE,
)
def queries(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.reporting.queries import write_queries
    from robustdr.reporting.settings import QueriesSettings

    settings = read_settings(QueriesSettings, a.settings)
    write_queries(settings, a.measures, a.runs, a.judgements, a.queries, a.corpus, a.output)


@stage(
    "write the texts of a collection's queries and of the passages that the report shows",
    makes=lambda a: [(a.output, *a.passages)],
    explored={**READS, "help": "files that the stage `queries` wrote"},
    queries={**READS, "help": "original and varied"},
    corpus=READ,
    output={**PATH, "help": "the texts of the queries"},
    passages={**PATHS, "help": "the scripts of the passages"},
)
def texts(a: argparse.Namespace) -> None:
    from robustdr.reporting.queries import write_texts

    write_texts(a.explored, a.queries, a.corpus, a.output, a.passages)


@stage(
    "write the report",
    makes=lambda a: [(a.output, *a.pages)],
    settings=TEXT,
    tables=READS,
    figures_=READS,
    claims_=READS,
    audits_=READS,
    replicates_=PATHS,
    output={**PATH, "help": "its first page"},
    pages={**PATHS, "help": "the other files, in the same folder"},
)
def site(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.reporting.settings import SiteSettings
    from robustdr.reporting.site import stamp, write_site

    settings = read_settings(SiteSettings, a.settings)
    page_inputs = (a.tables, a.figures, a.claims, a.audits)
    write_site(
        settings, *page_inputs, a.output, next(iter(a.replicates), None), stamp(settings.scale, a.output.parent.parent)
    )


@stage(
    "write the headline measures of a scale",
    makes=lambda a: [(a.output, a.drops)],
    measures={"type": json.loads},
    tables_=READS,
    output=PATH,
    drops=PATH,
)
def headline(a: argparse.Namespace) -> None:
    from robustdr.reporting.headline import write_headline

    write_headline(a.measures, a.tables, a.output, a.drops)
