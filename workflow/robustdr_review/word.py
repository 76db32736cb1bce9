"""Tables of a Word document."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from docx import Document
from docx.table import Table, _Cell
from docx.text.paragraph import Paragraph
from lxml.etree import XMLSyntaxError

from robustdr.core.bounds import check_markup
from robustdr.core.errors import UserError
from robustdr.core.unpacked import ARCHIVE_DAMAGES, members
from robustdr_review.grids import MOST as MOST_FIELDS
from robustdr_review.grids import WIDEST, Field, Grid, Span, raised, spread, titled

MOST = 100_000_000  # bytes of a document, unpacked


def read_docx(path: Path) -> list[Grid]:
    """The tables of a document, in order; a caption is a paragraph `Table <n>` next to a table.

    Raises:
        UserError: the file is not a Word document, or has more than `MOST` bytes or too many tags.
    """
    try:
        files = members(path, MOST)
        check_markup(b"".join(files.values()), path)
        with ZipFile(checked := BytesIO(), "w") as packed:  # the parser reads what was checked, not what the file holds
            for name, data in files.items():
                packed.writestr(name, data)
        parts = list(Document(checked).iter_inner_content())
    except UserError:
        raise
    except (AttributeError, KeyError, RuntimeError, ValueError, XMLSyntaxError, *ARCHIVE_DAMAGES):
        raise UserError(f"{path}: not a Word document; save it as .docx") from None
    tables = [(place, part) for place, part in enumerate(parts) if isinstance(part, Table)]
    by_side = ([_caption(parts, place + step) for place, _ in tables] for step in (-1, 1))
    captions = max(by_side, key=lambda captions: sum(map(bool, captions)))  # above tables, or below
    grids = []
    for (_, table), caption in zip(tables, captions, strict=True):
        rows, problems = spread(_rows(table))
        grids.append(Grid(*titled(caption), rows, 0, problems))
    return grids


def _rows(table: Table) -> list[list[Span]]:
    """The fields of a table by row: one over several columns or rows is repeated in each."""
    rows, above = [], dict[int, Field]()  # by column, what goes on in the row below
    number = 0
    for row in table._tbl.tr_lst:
        column, spans = row.grid_before, list[Span]()
        for cell in row.tc_lst:
            field = above.get(column, Field("")) if cell.vMerge == "continue" else _field(_Cell(cell, table))
            above[column] = field
            column += cell.grid_span
            spans += [Span(field)] * min(cell.grid_span, WIDEST)
        rows.append(spans)
        number += len(spans)
        if number > MOST_FIELDS:
            break  # `spread` refuses it
    return rows


def _caption(parts: list[Paragraph | Table], place: int) -> str:
    part = parts[place] if 0 <= place < len(parts) else None
    text = part.text if isinstance(part, Paragraph) else ""
    return text if titled(text)[0] and text.strip().casefold().startswith("tab") else ""


def _field(cell: _Cell) -> Field:
    runs = [run for paragraph in cell.paragraphs for run in paragraph.runs]
    text = "".join(raised(run.text) if run.font.superscript else run.text for run in runs)
    bold = any(run.bold and any(character.isdigit() for character in run.text) for run in runs)
    return Field(" ".join(text.split()), bold)
