"""The commands that the reviewer adds to `robustdr`: a draft of reported.yaml, and the review of a paper."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec

from robustdr.audit.audited import audit
from robustdr.audit.reported import load
from robustdr.core import paths
from robustdr.core.commands import Function
from robustdr.core.errors import UserError
from robustdr.core.files import write_json, write_text
from robustdr_review.data import as_reported, counts, printed_counts, shared
from robustdr_review.paragraphs import paragraphs
from robustdr_review.prose import AGREES, DIFFERS, LOOK, UNTIED, Prose, tested
from robustdr_review.review import page, reviewed
from robustdr_review.sources import at_line
from robustdr_review.transcribe import KINDS, Transcribed, transcribe

EXTRA = ("docx", "lxml", "pdfplumber", "pylatexenc")  # the modules of the extra `review`


def add_commands(add: Callable[[str, Function, str], argparse.ArgumentParser]) -> None:
    """Add both commands.

    Args:
        add: makes a command from its name, what runs it, and what it does.
    """
    parser = add(
        "transcribe",
        write_draft,
        "draft a reported.yaml from the tables of a LaTeX, HTML, Markdown, CSV, Word or PDF file",
    )
    text = f"the paper or its tables: {', '.join(KINDS)}; -: standard input, of the type that --kind names"
    parser.add_argument("file", type=paths.read_once, help=text)
    kinds = [kind[1:] for kind in KINDS]
    parser.add_argument("--kind", choices=kinds, help="type of the file; default: its suffix")
    parser.add_argument("--table", metavar="N", help="only the table with this number")
    parser.add_argument(
        "-o", "--output", type=paths.output_path, help="reported.yaml to write; default: standard output"
    )

    text = "read all tables of a paper, check them, and show each number beside its place in the source"
    parser = add("review", write_review, text)
    parser.add_argument("file", type=paths.named_path, help=f"the paper: {', '.join(KINDS)}")
    text = "reported.yaml with its numbers, in place of the tables in the file: its sentences are tied to these"
    parser.add_argument("--numbers", type=paths.named_path, metavar="FILE", help=text)
    text = "folder of a collection in BEIR's layout, called as in the paper: its counts against the paper's; repeatable"
    parser.add_argument("--data", type=paths.named_path, action="append", default=[], metavar="FOLDER", help=text)
    parser.add_argument(
        "-o", "--output", type=paths.named_path, required=True, metavar="FOLDER", help="folder to write"
    )


def write_draft(arguments: argparse.Namespace) -> None:
    """Read the tables of a file, write the draft, and print problems to standard error.

    Raises:
        UserError: see `transcribe` and `check_extra`.
    """
    check_extra()
    draft = transcribe(arguments.file, arguments.table or "", arguments.kind)
    if arguments.output:
        write_text(arguments.output, draft.text)
    else:
        sys.stdout.write(draft.text)
    for problem in draft.problems:
        print(f"{arguments.file}: {problem}", file=sys.stderr)
    print(f"{arguments.file}: {draft.numbers_read:,} numbers read, {draft.numbers_lost:,} not", file=sys.stderr)


def write_review(arguments: argparse.Namespace) -> None:
    """Write reported.yaml, review.json and index.html into the folder, and say in a line what was found.

    Raises:
        UserError: the file cannot be read (see `transcribe`), or see `check_extra`.
    """
    check_extra()
    if arguments.numbers:
        draft = Transcribed("", load(arguments.numbers), None, [], [], at_line)
    else:
        draft = transcribe(arguments.file, may_lack_tables=True)
        write_text(arguments.output / "reported.yaml", draft.text)
    paragraphs_of_file, place = paragraphs(arguments.file)
    text = [*paragraphs_of_file]
    captions = [(0, f"{table.id}: {table.caption}") for table in draft.drafts if table.caption]
    prose = Prose(draft.reported).check(text)
    prose.ties.extend(tie for line, caption in captions for tie in tested(line, caption))
    collections = [counts(folder) for folder in arguments.data]
    if collections:
        printed = [(0, words) for words in printed_counts(draft.reported.tables)]
        ties_to_data = Prose(as_reported(collections)).check([*text, *printed]).ties
        prose.ties.extend(tie for tie in ties_to_data if tie.verdict != UNTIED)
    prose.ties.sort(key=lambda tie: not tie.decides)  # decisions that change come first
    if not draft.drafts and not arguments.numbers and not prose.ties:
        raise UserError(
            "; ".join([f"{arguments.file}: no table with numbers, and no number in a sentence", *draft.problems[:3]])
        )
    ties = [{**tie._asdict(), "place": place(tie.line) if tie.line else ""} for tie in prose.ties]
    checked = audit(draft.reported, draft.relations, prose.sizes)
    overlaps = [words for collection in collections for words in shared(collection)]
    review = {**reviewed(draft, checked), "prose": ties, "data": overlaps}
    write_json(arguments.output / "review.json", review)
    write_text(arguments.output / "index.html", page(review))
    numbers, verdicts = review["numbers"], Counter(tie["verdict"] for tie in ties)
    tied_sentences = {(tie["line"], tie["sentence"]) for tie in ties}
    print(
        f"{arguments.file}: {numbers['read']:,} numbers read, {numbers['lost']:,} not, {len(draft.problems)} problems; "
        f"{len(review['proved'])} relations found, {len(checked.findings)} findings; "
        f"{len(tied_sentences)} sentences with {len(ties)} numbers, {verdicts[AGREES]} agree, {verdicts[DIFFERS]} "
        f"differ, {verdicts[LOOK]} to look at: {arguments.output / 'index.html'}",
        file=sys.stderr,
    )


def check_extra() -> None:
    """Refuse to work without the packages of the extra `review`, before a file is read.

    Raises:
        UserError: one of them is not installed; the message has the remedy.
    """
    lacking = [module for module in EXTRA if find_spec(module) is None]
    if lacking:
        raise UserError(
            f"papers cannot be read without the Python modules {', '.join(lacking)}; install the extra `review`: "
            "`make review FILE=paper.tex` in a clone of this project, or `pip install 'robustdr[review]'`"
        )
