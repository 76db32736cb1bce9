"""What users write is shown as they write it, in Markdown and in TeX."""

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from robustdr.core.markup import code, markdown_table, one_line, plain, prose, table_row, tex

ROOT = Path(__file__).parents[2]
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
BREAKS = ["\r", "\n", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
NAMES = [
    "DR_OQ", "all-MiniLM-L6-v2", "BERT (base)", "CAPOT [ours]", "drop [95 %]", "p < 0.05", "L_p|q", "R&D", "C*",
    "41.2* / 3.1*", "org/name@main", "a.b!", "+3.1% [-1.0, +7.2] =", "#1", "x_1_y", "3 > 2", "C:\\models", "{a}",
]  # fmt: skip


def shown(markdown):
    """The text that a reader sees; fails where it is more than text."""
    html = MARKDOWN.renderInline(markdown)
    assert not re.search("<[a-z/]", html), html
    return unescape(html)


@given(st.text(st.sampled_from(" ab1\\`*_~{}[]()<>#+-.!|&;:/^\"'")))
def test_a_text_is_shown_as_it_is(text):
    assert shown("x " + plain(text)) == f"x {text}"


@pytest.mark.parametrize(
    "text",
    ["![x](http://h/x.png)", "[x](javascript:x)", "[x][y]", "<img src=x>", "</details>", "<!-- x", "<http://h>", "[^1]",
     "**b**", "*b*", "_b_", "a_b *c_", "`x`", "``x", "&lt;b&gt;", "&#60;b", "~~x~~", "\\*b*", "[a[b](c)", "***b***",
     "*~*"],
)  # fmt: skip
def test_markup_is_text(text):
    assert plain(text) != text and shown(plain(text)) == text
    table = MARKDOWN.render(
        "\n".join([table_row([plain(text), "b"]), table_row(["---"] * 2), table_row([plain(text), "b"])])
    )
    assert [unescape(cell) for cell in re.findall("<t[hd]>(.*?)</t[hd]>", table)] == [text, "b"] * 2


@pytest.mark.parametrize("name", NAMES)
def test_an_ordinary_name_keeps_its_bytes(name):
    assert plain(name) == name and shown(name) == name


def test_a_bar_is_no_end_of_a_field():
    table = MARKDOWN.render("\n".join([table_row([plain(r"a|b\|c"), "d"]), table_row(["---"] * 2)]))
    assert re.findall("<th>(.*?)</th>", table) == [r"a|b\|c", "d"]


@pytest.mark.parametrize("line_break", BREAKS)
def test_a_line_break_is_a_blank(line_break):
    text = f"a{line_break}b"
    assert one_line(text) == plain(text) == tex(text) == "a b" and code(text) == "`a b`"


def test_code_in_prose_stays():
    assert prose("Made by `a_b *c*`, not *d*") == "Made by `a_b *c*`, not \\*d*"


def test_code_ends_where_it_should():
    assert MARKDOWN.renderInline(code("1.5`<b>*x*")) == "<code>1.5'&lt;b&gt;*x*</code>"


def test_tex_prints_what_is_written():
    assert tex(r"\input{/etc/passwd}") == r"\textbackslash{}input\{/etc/passwd\}"
    assert tex("$a^b~c_d%e&f#g") == r"\$a\textasciicircum{}b\textasciitilde{}c\_d\%e\&f\#g"


@given(st.text())
def test_no_character_of_tex_is_left(text):
    rest = re.sub(r"\$\^?\\?[a-z|]+\$|\\text[a-z]+\{\}|\\[%_&#{}$]", "", tex(text))
    assert not re.search(r"[\\{}$^~%_&#]", rest) and rest.count("\n") == 0


def test_a_table_says_how_its_columns_are_aligned():
    assert markdown_table(["a", "b", "c"], [["x|y", "1", "2"]], left=(0, 2)) == (
        "| a | b | c |\n| :--- | ---: | :--- |\n| x\\|y | 1 | 2 |"
    )
