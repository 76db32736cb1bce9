"""Tables as people set them: rows of errors and p, groups without a rule, heads without rows; and what follows."""

import pytest

from robustdr.audit.audited import audit
from robustdr_review.transcribe import transcribe


@pytest.fixture
def read(tmp_path):
    def one(text, kind="tex"):
        path = tmp_path / f"a.{kind}"
        path.write_text(text, encoding="utf-8")
        return transcribe(path)

    return one


def table(rows, columns="lccc", caption="Results"):
    return rf"\begin{{table}}\caption{{{caption}}}\begin{{tabular}}{{{columns}}}{rows}\end{{tabular}}\end{{table}}"


STACK = r"""\toprule Term & Votes & Hope \\ \midrule
Age & 0.412 & -0.150 \\ & (0.101) & (0.061) \\ & $p =$ \num{0.001} & $p =$ \num{0.014} \\
 & [0.214, 0.610] & [-0.270, -0.030] \\ Sex & 0.057 & 0.093 \\ & (0.049) & (0.044) \\
 & $p =$ \num{0.245} & $p =$ \num{0.035} \\ & [-0.039, 0.153] & [0.007, 0.179] \\ \bottomrule"""


@pytest.mark.parametrize(
    ("right", "wrong", "kind"),
    [
        ("0.245", "0.024", "p_and_decision"),
        ("0.093", "0.039", "p_and_decision"),
        ("[0.214, 0.610]", "[0.610, 0.214]", "limits_reversed"),
        ("[0.214, 0.610]", "[0.514, 0.610]", "outside_of_interval"),
    ],
)
def test_errors_p_and_intervals_below_an_estimate(read, right, wrong, kind):
    caption = r"Effects, standard errors, p and 95\% intervals"
    draft = read(table(STACK, "lcc", caption))
    assert draft.numbers_read == 20 and draft.numbers_lost == 0
    labels = [labels[0] for labels, _ in draft.drafts[0].rows]
    assert labels[:4] == ["Age", "Age, SE", "Age, p", "Age, 95% CI"]
    assert audit(draft.reported).findings == []
    assert kind in [
        one.kind for one in audit(read(table(STACK.replace(right, wrong), "lcc", caption)).reported).findings
    ]


@pytest.mark.parametrize("group", [r"\multicolumn{2}{l}{\textit{Small %s}} \\", r"\textbf{Small %s} & & & \\"])
def test_groups_without_a_rule(read, group):
    rows = rf" & A & B & C \\ {group % 1} u & 0.1 & 0.4 & 0.2 \\ v & 0.3 & 0.9 & 0.5 \\"
    [draft] = read(table(rf"{rows} {group % 2} u & 0.7 & 0.6 & 0.8 \\ v & 0.5 & 0.1 & 0.2 \\")).drafts
    assert [labels for labels, _ in draft.rows] == [[f"Small {n}", name] for n in (1, 2) for name in "uv"]
    assert [[*column.values()] for column in draft.columns] == [["A"], ["B"], ["C"]]


def test_fields_that_stand_in_no_row(read):
    head = "<th>Model</th><th>box<br>AP</th><th>time<br>(s)</th>"
    page = f"<table><thead>{head}</thead><tr><td>x<td>31.5<td>7.1</tr><tr><td>y<td>33.0<td>8.4</tr></table>"
    for text in (
        page,
        page.replace("<thead>", "<tbody>").replace("</thead>", "").replace("</table>", "</tbody></table>"),
    ):
        [draft] = read(text, "html").drafts
        assert [next(iter(column.values())) for column in draft.columns] == ["box AP", "time (s)"]
        assert [fields for _, fields in draft.rows] == [["31.5", "7.1"], ["33.0", "8.4"]]


def test_a_deviation_in_brackets(read):
    rows = r"\toprule M & A & B & C \\ \midrule x & 71.5 ($\pm$0.41) & 8.1 (±0.2) & 3 \\"
    rows += r"y & 70.1 ($\pm$0.63) & 7.7 (±0.3) & 4 \\"
    draft = read(table(rows))
    assert draft.numbers_lost == 0 and draft.drafts[0].rows[0][1] == ["71.5 ±0.41", "8.1 ±0.2", "3"]
    assert draft.drafts[0].columns[0]["and"] == "deviation"


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        (
            r"M & A & B & C \\ People & 95 & 91 & 97 \\ \midrule x & 41.1 & 50.2 & 33.0 \\ y & 44.0 & 51.7 & 39.8 \\",
            "People",
        ),
        (r"M & A & B & C \\ Chance & -- & -- & -- \\ x & 41.1 & 50.2 & 33.0 \\ y & 44.0 & 51.7 & 39.8 \\", "Chance"),
        (r"M & A & A & A \\ k & 1 & 5 & 10 \\ \midrule x & 41.1 & 50.2 & 63.0 \\ y & 44.0 & 51.7 & 69.8 \\", "x"),
        (r"M & A & A & A \\ & 2019 & 2018 & 2020 \\ \midrule x & 41.1 & 50.2 & 63.0 \\ y & 44.0 & 51.7 & 69.8 \\", "x"),
    ],
)
def test_the_first_row_of_numbers_is_no_head(read, rows, first):
    assert read(table(rows)).drafts[0].rows[0][0][-1] in (first, first.lower())


def test_rows_that_follow_from_one_cell_are_no_copies(read):
    rows = r"M & w & Score & Rank share \\ \midrule a & 0.6100 & 2.00 & 0.31 \\ b & 0.7300 & 1.60 & 0.47 \\"
    rows += r"c & 0.9100 & 1.00 & 0.12 \\ d & 0.6100 & 2.00 & 0.31 \\ e & 0.7900 & 1.40 & 0.22 \\"
    assert audit(read(table(rows)).reported).findings == []  # w is 1.21 - 0.3 · Score
    free = (
        rows.replace("d & 0.6100 & 2.00 & 0.31", "d & 0.7300 & 1.60 & 0.47")
        .replace("0.7900", "0.7541")
        .replace("0.9100", "0.3188")
        .replace("0.7300 & 1.60", "0.7341 & 1.63")
    )
    assert [one.kind for one in audit(read(table(free)).reported).findings] == ["equal_rows"]


BLOCKS = """| Group | Model | EM | Δ |
|---|---|---|---|
| A | base | 40.3 | - |
| A | u | 43.1 | +2.8 |
| A | v | 45.9 | +5.6 |
| A | w | 39.2 | -1.1 |
| A | x | 36.1 | -4.2 |
| B | other base | 61.4 | - |
| B | u2 | 63.5 | +2.1 |
| B | v2 | 68.2 | {} |
"""


def test_a_change_from_the_baseline_of_its_own_block(read):
    assert audit(read(BLOCKS.format("+6.8"), "md").reported).findings == []
    assert len(audit(read(BLOCKS.format("+8.6"), "md").reported).findings) == 1


def test_no_change_is_made_of_p_and_errors(read):
    numbers = [(0.031, 0.0620), (0.012, 0.0240), (0.044, 0.0880), (0.250, 0.5000), (0.117, 0.2340), (0.402, 0.8040)]
    rows = "".join(f"| {name} | {p:.3f} | {error:.4f} |\n" for name, (p, error) in zip("abcdef", numbers, strict=True))
    assert audit(read("| M | p | SE |\n|---|---|---|\n" + rows, "md").reported).checks == []


def test_a_table_with_more_columns_of_words_than_coordinates_is_read(read):
    """The coordinate `split` is that of a row and that of the columns: then the columns' label counts."""
    head = "| dataset | link | video type | description | annotation type | source split | # videos | # masks |\n"
    rows = [
        "| LV-VIS | LVV | Open | Large scale | Dense | Validation | 690 | 2536 |",
        "| Drosophila | DH | Heart | Fruit fly | Sparse | All | 213 | 1042 |",
        "| VOST | VOST | Motion | Shapes change | Dense | Validation | 635 | 883 |",
    ]
    draft = read("Table 1: Data sets\n\n" + head + "|---" * 8 + "|\n" + "\n".join(rows) + "\n", "md")
    assert [cell.printed for cell in draft.reported.cells] == ["690", "2536", "213", "1042", "635", "883"]
    assert draft.reported.words.get("validation") is None
