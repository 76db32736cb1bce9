"""`robustdr`: what people call, to audit a paper or to vary queries."""

import argparse
import json
import os
from functools import partial
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import NoReturn

from robustdr.core.commands import add_command
from robustdr.core.errors import UserError, exit_status, redacted
from robustdr.core.paths import check_streams, named_path, output_path, read_once


def vary(a: argparse.Namespace) -> None:
    if a.beir:
        from robustdr.own import beir

        if a.queries or a.parameters or a.statistics or a.tokenizer or a.models:
            raise UserError("--beir: allowed beside it: --variation, --language, --seed, --workers and --output")
        beir.write(a.beir, a.output, [a.variation] if a.variation else [], a.seed, a.workers, a.language)
        return
    from robustdr.variations import command

    if not a.queries or not a.variation:
        raise UserError("vary: needs queries and --variation, or --beir")
    if (a.tokenizer or a.models) and not a.statistics:
        option = "--tokenizer" if a.tokenizer else "--model"
        raise UserError(f"{option}: what it counts is in the statistics; name their file by --statistics")
    vary_arguments = (a.variation, a.parameters, a.seed, a.tokenizer, a.workers, a.models, a.language)
    command.vary(a.queries, a.output, a.statistics, *vary_arguments)


def json_object(text: str) -> dict[str, object]:
    """The value of `--parameters`.

    Raises:
        ArgumentTypeError: it is no JSON object.
    """
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f'{text!r}; allowed: a JSON object, such as {{"words": 2}}')
    return value


def rerank(a: argparse.Namespace) -> None:
    from robustdr.own.rerank import rerank

    rerank(a.model, a.run, a.queries, a.corpus, a.depth, a.output)


def leaderboard(a: argparse.Namespace) -> None:
    from robustdr.own.leaderboard import write

    write(a.folders, a.output)


def convert(a: argparse.Namespace) -> None:
    from robustdr.encoding.convert import convert

    convert(a.folder, a.output)


def train_titles(a: argparse.Namespace) -> None:
    from robustdr.variations.titles import topics, train_titles

    pairs = topics(a.topics)
    loss = train_titles(a.folder, a.output, pairs, a.epochs, a.batch_size, a.learning_rate, a.seed)
    print(f"{len(pairs)} topics, loss of the last epoch: {loss:.3f}")


def compare(a: argparse.Namespace) -> None:
    if len(a.paths) < 2:
        raise UserError(f"compare: {len(a.paths)} path; name two or more")
    if a.qrels:
        from robustdr.own.run_comparison import compare_runs, latex

        if a.output or a.claims:
            raise UserError("compare: --output and --claims are not allowed with --qrels, which compares runs")
        report = compare_runs(a.paths, a.qrels, a.measures, a.test, a.level)
        text = {
            "table": report.to_table,
            "latex": lambda: latex(report),
            "json": lambda: json.dumps(report.to_dict(), indent=2),
        }
        print(text[a.format]())
        return
    from robustdr.reporting.comparison import write_comparison

    if len(a.paths) > 2 or not a.output:
        raise UserError("compare: two results folders need --output; runs need --qrels")
    first, second = a.paths
    print(write_comparison(first, second, a.output, a.claims))


def controls(a: argparse.Namespace) -> int:
    from robustdr.reporting.controls import list_controls

    text, lacking = list_controls(a.folder)
    print(text, end="")
    return 1 if lacking else 0


def coverage(a: argparse.Namespace) -> None:
    from robustdr.core.checks import check_known
    from robustdr.graph import coverage
    from robustdr.graph.project import project

    graphs = {graph.lineage.scale_name: graph for graph in project().graphs.values()}
    for scale in a.scales:
        check_known("scale", scale, graphs)
    coverages = [
        counted
        for scale in a.scales
        for paper in graphs[scale].lineage.config.papers
        if (counted := coverage.coverage(graphs[scale], paper)).cells
    ]
    print(coverage.as_text(coverages) if a.format == "text" else json.dumps(coverage.as_json(coverages), indent=2))


def export(a: argparse.Namespace) -> None:
    from robustdr.training.export import export

    export(a.data, a.corpus, a.output)


def verify(a: argparse.Namespace) -> int:
    from robustdr.evidence import verification
    from robustdr.graph.project import FOLDER
    from robustdr.keys.integrity import damaged

    if not a.paths and not a.texts:
        raise UserError("verify: name a folder of artifacts, such as results, or --texts")
    faults = [fault for path in a.paths for fault in damaged(path)]
    if a.paths and (FOLDER / "config.yaml").is_file():
        faults += verification.outdated(a.paths, dict(a.config))
    if a.texts:
        from robustdr.reference import PAGES, pages

        faults += [*verification.changed_pages(pages(PAGES, parser())), *verification.changed_findings()]
    print("\n".join(faults) or "nothing is damaged")
    return 1 if faults else 0


def schemas(a: argparse.Namespace) -> None:
    from robustdr.experiments.schemas import write

    print("\n".join(map(str, write(a.folder))))


def reference(a: argparse.Namespace) -> None:
    from robustdr.reference import write

    print("\n".join(map(str, write(a.folder, parser()))))


def list_variations(a: argparse.Namespace) -> None:
    from inspect import getdoc

    from robustdr import variations

    for kind in map(variations.kind, variations.names()):
        print(f"{kind.name} ({kind.category}; {', '.join(kind.papers) or 'no paper'}; needs {kind.needs})")
        summary, _, _ = (getdoc(kind) or "").partition("\n\n")
        print(f"    {' '.join(summary.split())}")


def slips(a: argparse.Namespace) -> None:
    from robustdr.reporting import people

    print(people.slip_tables(a.originals, a.misspelled), end="")


def rewordings(a: argparse.Namespace) -> None:
    from robustdr.reporting import people

    print(people.rewording_table(a.originals, a.reworded, a.model), end="")


class Parser(argparse.ArgumentParser):
    """Prints no secret that it was given by mistake."""

    def error(self, message: str) -> NoReturn:
        super().error(redacted(message))


def parser() -> argparse.ArgumentParser:
    """The options of every command."""
    from robustdr.audit import command as audit
    from robustdr.audit import released
    from robustdr.collections import command as check
    from robustdr.evidence import command as evidence
    from robustdr.graph import deviations, plan
    from robustdr.own import command as own
    from robustdr.preflight import command as preflight

    root_parser = Parser(
        prog="robustdr", description="Reproduce and audit papers on the robustness of dense retrieval."
    )
    root_parser.add_argument("--version", action="version", version=f"robustdr {version('robustdr')}")
    add = partial(add_command, root_parser.add_subparsers(required=True, metavar="command"))

    audit.add_arguments(add("audit", audit.run, "check the printed numbers of a paper against each other"))
    text = "count the files that the authors of a paper released, beside the printed numbers"
    released.add_arguments(add("released", released.run, text))
    own.add_arguments(add("evaluate", own.run, "measure how robust your own retriever is, on your own data"))
    for commands in entry_points(group="robustdr.commands"):  # of packages that build on this one: the reviewer
        commands.load()(add)
    check.add_arguments(add("check", check.run, "list all problems of a data set, with file and line"))

    command = add("vary", vary, "make a variation of your own queries")
    text = "TSV (qid<TAB>text), JSONL, Parquet, or irds:ID of ir_datasets; -: TSV on standard input"
    command.add_argument("queries", type=read_once, nargs="?", help=text)
    text = "folder in BEIR's layout, in place of queries; then the output has one such folder for each variation"
    command.add_argument("--beir", type=named_path, metavar="FOLDER", help=text)
    text = "TSV file to write, -: print it; with --beir, a folder"
    command.add_argument("-o", "--output", type=output_path, required=True, help=text)
    text = "name of a variation (see `robustdr variations list`); with --beir, default: all variations that are rules"
    command.add_argument("--variation", metavar="NAME", help=text)
    text = "ISO 639-1 code of the language of the queries, e.g. de; default: the command recognises it"
    command.add_argument("--language", metavar="CODE", help=text)
    text = "seed of the variation; default: 1, which `evaluate` uses too"
    command.add_argument("--seed", type=int, default=1, help=text)
    command.add_argument(
        "--parameters", type=json_object, default={}, help="parameters of the variation, as JSON object"
    )
    command.add_argument(
        "--statistics", type=output_path, help="JSON file to write: which queries changed, and how much"
    )
    text = "folder of a model, or a tokenizer.json: the statistics count the changes that this tokenizer sees"
    command.add_argument("--tokenizer", type=named_path, help=text)
    text = "folder of a sentence-transformers model: the statistics have the similarity of old and new queries"
    command.add_argument(
        "--model", type=named_path, action="append", default=[], dest="models", metavar="MODEL", help=text
    )
    text = "number of processes; default: 1; the output does not depend on it"
    command.add_argument("--workers", type=int, default=1, help=text)
    group = add("variations", None, "list the variations, and compare them with what people write")
    subcommands = group.add_subparsers(required=True, metavar="what")
    add_command(subcommands, "list", list_variations, "list the variations")
    text = "compare the slips of people in your own queries with those that each generator makes in the same queries"
    command = add_command(subcommands, slips.__name__, slips, text)
    command.add_argument("originals", type=read_once, help="the right queries, as those of `vary`")
    command.add_argument("misspelled", type=read_once, help="what people wrote, with the same ids; some may be missing")
    text = "compare rewordings of your own queries with those of people, of generators and of the intent paper"
    command = add_command(subcommands, rewordings.__name__, rewordings, text)
    command.add_argument("originals", type=read_once, help="the queries, as those of `vary`")
    text = "rewordings with the same ids; some may be missing"
    command.add_argument("reworded", type=read_once, nargs="+", help=text)
    text = "folder of a sentence-transformers model, for the similarity of meaning"
    command.add_argument("--model", type=named_path, help=text)

    command = add(rerank.__name__, rerank, "rerank the passages of a run with another model")
    text = "folder of a cross-encoder, a dual encoder or a late-interaction model"
    command.add_argument("--model", type=named_path, required=True, help=text)
    command.add_argument("--run", type=read_once, required=True, help="TREC run, or .gz")
    command.add_argument("--queries", type=read_once, required=True, help="as those of `vary`")
    command.add_argument("--corpus", type=named_path, required=True, help="as that of `check`")
    text = "number of passages of a query that are reranked; default: 100"
    command.add_argument("--depth", type=int, default=100, help=text)
    command.add_argument("-o", "--output", type=output_path, required=True, help="TREC run to write, or .gz")
    command = add(leaderboard.__name__, leaderboard, "write one page of several reports of `evaluate --spell-checker`")
    text = "folder of a report; its name is the collection's"
    command.add_argument("folders", type=named_path, nargs="+", metavar="FOLDER", help=text)
    command.add_argument("-o", "--output", type=output_path, required=True, help="Markdown file to write")
    command = add("convert-weights", convert, "turn released pickled weights into safetensors")
    text = "folder with pytorch_model.bin, config.json and the files of a tokenizer, or an archive with one"
    command.add_argument("folder", type=named_path, help=text)
    command.add_argument("output", type=named_path, help="folder to write")
    text = "train a T5 that writes titles of TREC topics from their descriptions, qvg's T5DescToTitle"
    command = add("train-titles", train_titles, text)
    command.add_argument("folder", type=named_path, help="folder of a T5: safetensors and a tokenizer")
    command.add_argument("output", type=named_path, help="folder to write")
    text = "data sets of ir_datasets, whose queries have a title and a description"
    command.add_argument("--topics", nargs="+", required=True, metavar="ID", help=text)
    command.add_argument("--epochs", type=int, required=True, help="number of passes over the topics")
    command.add_argument("--batch-size", type=int, required=True, help="topics in an update")
    command.add_argument("--learning-rate", type=float, required=True, help="the first learning rate; it falls to 0")
    text = "seed of the topics' order and of dropout; default: 1"
    command.add_argument("--seed", type=int, default=1, help=text)
    command = add("export", export, "write a training file for another toolkit")
    command.add_argument("format", choices=["tevatron"], help="JSONL with the texts of all passages")
    command.add_argument(
        "data", type=named_path, help="training file, results/…/training/COLLECTION/SYSTEM/seedN.jsonl"
    )
    command.add_argument(
        "--corpus", type=named_path, required=True, help="results/…/collections/COLLECTION/corpus.jsonl"
    )
    command.add_argument("-o", "--output", type=output_path, required=True, help="JSONL to write")

    text = (
        "list what a target lacks before a job runs: downloads, models, keys, disk space; exit status 1 if it lacks any"
    )
    preflight.add_arguments(add("preflight", preflight.run, text))
    text = "show two results folders side by side, of two commits or scales; or test which of several runs differ"
    command = add(compare.__name__, compare, text)
    text = "two results folders, which the pages call A and B; or, with --qrels, two or more TREC runs"
    command.add_argument("paths", type=named_path, nargs="+", metavar="PATH", help=text)
    command.add_argument("-o", "--output", type=named_path, help="folder of the pages; open its index.html")
    text = "compare only the verdicts on claims, for instance of scales with other queries"
    command.add_argument("--claims", action="store_true", help=text)
    command.add_argument("--qrels", type=named_path, help="judgements; then the paths are runs, and ranx compares them")
    text = "of runs, by their ir_measures names; default: nDCG@10 RR@10 R@100"
    command.add_argument("--measures", nargs="+", default=["nDCG@10", "RR@10", "R@100"], metavar="MEASURE", help=text)
    text = (
        "between runs: Student's paired t, Fisher's randomisation, or Tukey's HSD, which alone corrects p for the "
        "number of runs; default: student"
    )
    command.add_argument("--test", choices=["student", "fisher", "tukey"], default="student", help=text)
    command.add_argument("--level", type=float, default=0.05, help="p up to which runs differ; default: 0.05")
    text = "of the comparison of runs; a letter beside a mean: it is higher than that run's; default: table"
    command.add_argument("--format", choices=["table", "latex", "json"], default="table", help=text)
    text = "list the controls of a results folder: what any valid setting must show; exit status 1 if one does not pass"
    command = add(controls.__name__, controls, text)
    command.add_argument("folder", type=named_path, help="a results folder, such as results/mini")
    text = "keep finished runs in the ledger evidence/, which collects runs of several days and machines"
    evidence.add_arguments(add("evidence", None, text))
    text = "count the cells of the papers' tables and figures that a scale cannot run, and say why"
    command = add(coverage.__name__, coverage, text)
    text = "names of scales; default: mini full"
    command.add_argument("scales", nargs="*", default=["mini", "full"], metavar="SCALE", help=text)
    command.add_argument("--format", choices=["text", "json"], default="text", help="default: text")
    text = "write the page of deviations: differences between what is done here and what the papers do"
    deviations.add_arguments(add("deviations", deviations.run, text))
    text = "write dvc.yaml for the scale and the papers of config.yaml: a stage of DVC for each stage of the chain"
    plan.add_arguments(add("plan", plan.run, text))
    text = "read artifacts again and list those that are damaged, or outdated by the plan; exit status 1 if any are"
    command = add("verify", verify, text)
    text = "an artifact, or a folder such as results"
    command.add_argument("paths", type=named_path, nargs="*", metavar="PATH", help=text)
    text = "make README's findings and the generated pages of docs again, and list those that differ"
    command.add_argument("--texts", action="store_true", help=text)
    preflight.add_changes(command)
    command = add(schemas.__name__, schemas, "write the JSON schemas of a configuration, for editors")
    command.add_argument("folder", type=named_path, nargs="?", default=Path("config"), help="default: config")
    text = "write the tables of keys and commands into the pages of the documentation"
    command = add(reference.__name__, reference, text)
    text = "folder of the pages; default: docs/reference"
    command.add_argument("folder", type=named_path, nargs="?", default=Path("docs/reference"), help=text)
    return root_parser


def main(argv: list[str] | None = None) -> int:
    """Run one command; bad input is one line on standard error and exit status 2."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    arguments = parser().parse_args(argv)

    def run() -> int | None:
        check_streams(arguments)
        status: int | None = arguments.function(arguments)
        return status

    return exit_status(run)
