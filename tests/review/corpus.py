"""How well `robustdr review` does on public tables: `python tests/review/corpus.py MIRRORS [--half unseen]`.

MIRRORS is a folder of clones (`OWNER+NAME`, `OWNER+NAME/repo` or `OWNER+NAME/repo/.git`); `corpus.tsv` lists the half,
repository, commit and path of each file; LaTeX is read with all that it inputs. Nothing of the files is part of the
project. Look at what is wrong in the half that is `seen` alone, and move a file there once you have looked at it.
Prints: files, tables, numbers that the source has, the share that is read (as a number or in a label), numbers that
are read and not in the source, findings for each 1,000 cells, and the share of changed digits that is found.
"""

import argparse
import io
import random
import re
import subprocess
import tarfile
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import anywhere

from robustdr.audit.arithmetic import relations
from robustdr.audit.audited import audit
from robustdr.audit.cells import parse
from robustdr.core.errors import UserError
from robustdr_review.paragraphs import paragraphs
from robustdr_review.sources import from_folder
from robustdr_review.transcribe import transcribe

LIST = Path(__file__).with_suffix(".tsv")
NUMBER = re.compile(r"\d[\d,]*\.?\d*|\.\d+")


def source_numbers(text, kind):
    """Digits of the numbers in fields after the first of table rows, by a reader of its own: rows with | or &."""
    found = Counter()
    fenced = False
    if kind == ".md":
        for line in text.split("\n"):
            fenced ^= line.strip().startswith("```")
            if not fenced and line.strip().startswith("|"):
                for field in re.split(r"(?<!\\)\|", line.strip().strip("|"))[1:]:
                    bare = re.sub(r"[*_`]|\[([^]]*)\]\([^)]*\)|<[^>]*>", r"\1", field).strip()
                    if re.fullmatch(r"[~<>≈+\-−]?\$?\d[\d,]*\.?\d*\s*[%kKMB]?", bare):
                        found[NUMBER.search(bare)[0].replace(",", "")] += 1
        for row in re.findall(r"<tr.*?</tr>", text, re.S):
            for field in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S)[1:]:
                bare = re.sub(r"<[^>]*>|[*_`$]", "", field).strip()
                if re.fullmatch(r"[+\-−]?\d[\d,]*\.?\d*\s*%?", bare):
                    found[NUMBER.search(bare)[0].replace(",", "")] += 1
        return found
    text = re.sub(r"(?<!\\)%[^\n]*|\\begin\{comment\}.*?\\end\{comment\}", "", text, flags=re.S)
    for body in re.findall(r"\\begin\{tabular[x*]?\}.*?\\end\{tabular[x*]?\}", text, re.S):
        for row in body.split("\\\\"):
            for field in re.split(r"(?<!\\)&", row)[1:]:
                bare = re.sub(r"\\(?:textbf|underline|mathbf)\{([^{}]*)\}|[${}]|\\%", r"\1", field).strip()
                if re.fullmatch(r"[+\-]?\d[\d,]*\.?\d*", bare):
                    found[NUMBER.search(bare)[0].replace(",", "")] += 1
    return found


def injected(reported, rng):
    """(found, made): one digit of one cell of a relation that holds everywhere is changed, for each such relation."""
    found = made = 0
    for id, table in reported.tables.items():
        for relation in relations(table):
            if relation.fit != len(relation.checks) or len(relation.checks) < 4:
                continue
            cell = rng.choice(relation.checks).target
            digits = [match.start() for match in re.finditer(r"\d", cell.printed)][: max(1, cell.decimals + 1)]
            place = rng.choice(digits)
            other = rng.choice([digit for digit in "123456789" if digit != cell.printed[place]])
            printed = cell.printed[:place] + other + cell.printed[place + 1 :]
            wrong = replace(cell, printed=printed, number=parse("", printed, 1, {})[0].number)
            cells = [wrong if one is cell else one for one in table.cells]
            changed = replace(reported, tables={id: replace(table, cells=cells)})
            made += 1
            found += any(
                flaw.cell is wrong or str(wrong.printed) in finding.hypothesis
                for finding in audit(changed).findings
                for flaw in finding.flaws
            )
    return found, made


def checked_out(mirrors, repository, commit, path, scratch):
    """The file at a commit, with all LaTeX beside it and below; None if there is no clone."""
    folder = mirrors / repository.replace("/", "+")
    clone = next(
        (one for one in (folder / "repo/.git", folder / "repo", folder / ".git") if (one / "HEAD").is_file()), None
    )
    if clone is None:
        return None
    at = str(Path(path).parent)
    wanted = [path] if not path.endswith(".tex") else [":(glob)**/*.tex" if at == "." else f":(glob){at}/**/*.tex"]
    done = subprocess.run(["git", "--git-dir", clone, "archive", commit, *wanted], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as packed:
        packed.extractall(scratch, filter="data")
    return Path(scratch) / path


def measure(mirrors, wanted, verbose, errors):
    files = tables = printed = right = invented = cells = findings = found = made = 0
    drawn = anywhere.Counts()
    for line in LIST.read_text(encoding="utf-8").splitlines():
        half, repository, commit, path = line.split("\t")
        with tempfile.TemporaryDirectory() as scratch:
            file = checked_out(mirrors, repository, commit, path, scratch) if half == wanted else None
            if file is None:
                continue
            try:
                read = transcribe(file)
            except UserError as error:
                print(f"{repository}/{path}: {str(error)[:150]}")
                continue
            text = from_folder(file).text if file.suffix == ".tex" else file.read_text("utf-8", "replace")
        source = source_numbers(text, file.suffix)
        texts = [written for one in read.drafts for row in one.rows for written in (*row[0], *row[1])]
        heads = [str(label) for one in read.drafts for column in one.columns for label in column.values()]
        labels = Counter(number.replace(",", "") for written in [*texts, *heads] for number in NUMBER.findall(written))
        got = Counter(NUMBER.search(cell.printed)[0].replace(",", "") for cell in read.reported.cells)
        everywhere = Counter(number.replace(",", "") for number in NUMBER.findall(text.replace("{,}", ",")))
        audited = audit(read.reported, read.relations)
        files, tables = files + 1, tables + len(read.drafts)
        printed, right = printed + source.total(), right + (source & labels).total()
        extra = got - everywhere
        invented += extra.total()
        cells, findings = cells + len(read.reported.cells), findings + len(audited.findings)
        more = injected(read.reported, random.Random(path))
        found, made = found + more[0], made + more[1]
        missed = []
        with tempfile.TemporaryDirectory() as scratch:
            text_of = list(paragraphs(checked_out(mirrors, repository, commit, path, scratch))[0])
        drawn = drawn.plus(anywhere.injected(read.reported, random.Random(path), errors, text_of, missed))
        if verbose:
            print(
                f"{repository}/{path}: {(source & labels).total()} of {source.total()}, not read {source - labels}"[
                    :300
                ]
            )
            print("   ", dict(extra), [f"{one.id}: {one.flaws[0].words}"[:250] for one in audited.findings])
            print(*(f"    missed {one}" for one in missed), sep="\n", flush=True)
    share = right / max(printed, 1)
    print(
        f"{wanted}: {files} files, {tables} tables; {right:,} of {printed:,} numbers read ({share:.1%}), {invented} "
        f"invented; {findings} findings on {cells:,} cells ({1000 * findings / max(cells, 1):.2f} in 1,000); "
        f"{found} of {made} changed digits of covered cells found; of any cells: {drawn}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--half", choices=["seen", "unseen"], default="seen")
    parser.add_argument("--verbose", action="store_true", help="print each file; for the half that is seen")
    parser.add_argument("--errors", type=int, default=1, help="wrong digits for each table")
    given = parser.parse_args()
    measure(given.mirrors, given.half, given.verbose and given.half == "seen", given.errors)
