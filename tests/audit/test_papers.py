"""The five papers: every number of the configuration stands in the paper's text, and the findings are known."""

import re
from pathlib import Path

import pytest

from robustdr.audit.audited import audit
from robustdr.audit.cells import ABOUT, AT_LEAST, AT_MOST
from robustdr.audit.findings import SEVERITIES
from robustdr.audit.reported import load_paper

TEXTS = Path(__file__).resolve().parents[3] / "shared" / "papers"
PAPERS = ("rodr", "capot", "qvg", "toroder", "intent")
PINNED = Path(__file__).with_name("pinned_findings.tsv")
# Where the tables of a text begin, if not at a line that begins with "Table <number>".
BEGINNINGS = {
    "toroder": {
        "table1": "| # passages |",
        "table2": "| Models | Typos-aware Fine-tuning |",
        "table3": "| Models | RBP@10",
        "table4": "| Methods |",
        "table5": "| Models | MS MARCO passage dev |",
        "table6": "| Note |",
    }
}
CAPTION_BELOW = ("rodr", "capot")
# qvg: the text has lost the arrow of one cell to a digit (every other cell of Table 4 has three decimals), and has TeX
# for two signs of its prose.
DAMAGED = {"qvg": {"0.1551": "0.155↓", r"\approx": "≈", r"\%": "%"}}


@pytest.fixture(params=PAPERS)
def name(request):
    return request.param


@pytest.fixture
def text(name):
    path = TEXTS / f"{name}.txt"
    if not path.is_file():
        pytest.skip(f"{path} is not on this machine; it has the texts of the papers")
    whole = path.read_text(encoding="utf-8")
    for damaged, printed in DAMAGED.get(name, {}).items():
        whole = whole.replace(damaged, printed)
    return whole


def regions(name, text):
    """The part of the text in which each table stands: from one caption or head to the next."""
    if name in BEGINNINGS:
        starts = {table: text.index(f"\n{head}") for table, head in BEGINNINGS[name].items()}
    else:
        starts = {
            f"table{match[1]}": match.start() for match in re.finditer(r"(?m)^(?:<\|[^|]*\|>)?Table (\d+)[.:]", text)
        }
    ordered = sorted(starts, key=starts.__getitem__)
    ends = dict(zip(ordered, [starts[table] for table in ordered[1:]] + [len(text)], strict=True))
    if name in CAPTION_BELOW:
        return {table: text[([0] + [starts[t] for t in ordered])[i] : starts[table]] for i, table in enumerate(ordered)}
    return {table: text[starts[table] : ends[table]] for table in ordered}


def position(number, region, start):
    """Where `number` stands in `region` from `start` on, as a number of its own; -1 if nowhere."""
    match = re.compile(rf"(?<![\d.,]){re.escape(number)}(?![\d]|\.\d)").search(region, start)
    return match.start() if match else -1


def test_every_number_of_a_table_stands_in_its_place(name, text):
    reported = load_paper(name)
    places = regions(name, text)
    for table in reported.tables.values():
        if table.id.startswith("prose"):
            continue
        region, offset = places[table.id], 0
        for cell in table.cells:
            start = position(cell.printed, region, offset)
            assert start >= 0, f"{name} {cell}: {cell.printed} (line {cell.line}) is not where it should be"
            offset = start + len(cell.printed)


def test_the_numbers_of_a_row_stand_in_one_line(name, text):
    """For the papers whose text keeps the rows of its tables: no row is shifted, none is left out."""
    if name not in ("rodr", "capot", "qvg"):
        pytest.skip(f"the text of {name} breaks the rows of its tables")
    reported = load_paper(name)
    for id, region in regions(name, text).items():
        if id not in reported.tables:
            continue
        table = reported.tables[id]
        for line in {cell.line for cell in table.cells}:
            row = [cell for cell in table.cells if cell.line == line]
            assert any(_in_order(row, printed) for printed in region.split("\n")), f"{name} {id}: line {line}"


def _in_order(row, line):
    offset = 0
    for cell in row:
        start = position(cell.printed, line, offset)
        if start < 0:
            return False
        offset = start + len(cell.printed)
    return True


@pytest.mark.parametrize(("name", "tables"), [("rodr", range(2, 7)), ("capot", [*range(2, 4), *range(6, 31)])])
def test_no_number_of_a_table_is_left_out(name, tables, text):
    """The table's rows, without their labels, have as many numbers as the configuration."""
    reported = load_paper(name)
    for number in tables:
        region = regions(name, text)[f"table{number}"]
        rows = [row for row in region.split("\n") if row.count("|") > 4 or row.count("\t") > 4]
        rows = [row for row in rows if re.search(r"\d\.\d|\d,\d", row)]
        fields = [field for row in rows for field in re.split(r"[|\t]", row.strip("| "))[1:]]
        numbers = [part for field in fields for part in re.findall(r"(?<![\w@])[+\-]?\d[\d.,]*(?:E-\d\d)?", field)]
        assert len(numbers) == len(reported.tables[f"table{number}"].cells), f"{name} table{number}"


def test_the_figures_of_the_prose_stand_in_the_text_in_their_order(name, text):
    hedges = "|".join(AT_LEAST + AT_MOST + ABOUT)
    for table in load_paper(name).tables.values():
        offset = 0
        for cell in table.cells if table.id.startswith("prose") else ():
            number = re.sub(rf"^(?:{hedges})\s*", "", cell.printed)
            offset = position(number, text, offset)  # two cells in a row may share one mention
            while offset >= 0 and cell.hedge not in text[offset - 20 : offset]:
                offset = position(number, text, offset + 1)
            assert offset >= 0, f"{name} {cell}: {cell.printed} is not in the text after the figure before it"


def test_what_the_text_has_lost_is_recorded():
    intent = load_paper("intent")
    assert set(intent.missing) == {"table7", "table8"}
    assert {place["system"] for place in intent.tables["table6"].lost_places} == {"reranker"}


def test_almost_all_effectiveness_cells_are_under_a_relation_or_a_pattern_check():
    coverage = [audit(load_paper(paper)).coverage for paper in PAPERS]
    cells = sum(c.effectiveness for c in coverage)
    assert cells > 3500
    assert sum(c.effectiveness_examined for c in coverage) / cells >= 0.99
    assert sum(c.effectiveness_related for c in coverage) / cells >= 0.95


def test_the_findings_are_those_that_were_looked_at(name):
    """One line per finding: paper, severity, cells, id, hypothesis. Each was compared with the paper's text."""
    findings = audit(load_paper(name)).findings
    lines = ["\t".join([name, f.severity, str(len(f.flaws)), f.id, f.hypothesis]) for f in findings]
    pinned = PINNED.read_text(encoding="utf-8").splitlines()
    assert lines == [line for line in pinned if line.startswith(f"{name}\t")]
    assert all(finding.severity in SEVERITIES for finding in findings)


def test_capots_numbers_on_nq_are_shares_of_the_test_questions():
    """Every measured one is a whole number of 3,610 questions; of DPR's 6,515 dev questions a third cannot be."""
    tables = (load_paper("capot").tables[f"table{number}"] for number in (8, 9, 10))
    seeds = [cell for table in tables for cell in table.cells if "seed" in cell.coordinates]
    cells = [cell for cell in seeds if not cell.coordinates["query_set"].endswith("_mean")]

    def fitting(questions):
        unit = 100 / questions
        return sum(abs(round(float(cell.number) / unit) * unit - float(cell.number)) <= 0.005 + 1e-9 for cell in cells)

    assert len(cells) == fitting(3610) == 165
    assert fitting(6515) < 125
