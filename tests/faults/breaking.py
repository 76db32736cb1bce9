"""Valid files broken in many ways; the same seed breaks a file in the same way."""

import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

Break = Callable[[random.Random, bytes], bytes]
LONG = 50_000  # characters of a long line
DEEP = 20_000  # brackets inside each other
NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
ODD_NUMBERS = [
    *b"1e999 -1e999 NaN Infinity -Infinity nan inf -1 0 -0 0.5 1e-400 1e400 2147483648 9223372036854775808".split(),
    *"18446744073709551616 0x10 1_000 1,5 ½ ٣ ² --1".encode().split(),
    b"9" * 400,
    b"9" * 5000,
]
ODD_BYTES = [
    *(b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\0", b"\x1b[2J", b"\r", b"\r\n", b"\n\n", b"\t", b" ", b"#"),
    *(
        text.encode()
        for text in ["\u2028", "\x85", "\x0b", "\u202e", "\ufeff", "\U0010ffff", '"', "'", "\\", "&", "*", "|"]
    ),
    *(b"\\ud800", b"\\x00", b"\\begin{tabular}{l}", b"<table>", b"<td rowspan=999999999>", b"<td colspan=99999>"),
    *(
        b"\\multicolumn{99999}{l}{x}",
        b"\\newcommand{\\a}{\\a\\a}\\a",
        b"!!python/object:os.system",
        b"<<: ",
        b"&a [*a]",
    ),
]
VALUES: list[Any] = [
    None, True, False, 0, -1, 0.5, 1e300, float("nan"), float("inf"), 2**31, 2**63, 10**400, "", " ", "x", "\0", "1",
    "é\ud800", "../../x", "y" * 10_000, [], {}, [None], [[]], [1, "x"], {"": None}, {"x": {}}, [{}],
]  # fmt: skip


def flip_bits(draw: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 8)):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def truncate(draw: random.Random, data: bytes) -> bytes:
    return data[: draw.randrange(len(data))]


def cut(draw: random.Random, data: bytes) -> bytes:
    start = draw.randrange(len(data))
    return data[:start] + data[start + draw.randint(1, 40) :]


def repeat(draw: random.Random, data: bytes) -> bytes:
    start = draw.randrange(len(data))
    part = data[start : start + draw.randint(1, 40)]
    return data[:start] + part * draw.choice([2, 3, 100]) + data[start:]


def _lines(change: Callable[[random.Random, list[bytes]], None]) -> Break:
    def changed(draw: random.Random, data: bytes) -> bytes:
        lines = data.splitlines(keepends=True)
        change(draw, lines)
        return b"".join(lines)

    return changed


@_lines
def delete_line(draw: random.Random, lines: list[bytes]) -> None:
    del lines[draw.randrange(len(lines))]


@_lines
def repeat_line(draw: random.Random, lines: list[bytes]) -> None:
    lines.insert(draw.randrange(len(lines)), draw.choice(lines))


@_lines
def swap_lines(draw: random.Random, lines: list[bytes]) -> None:
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


@_lines
def swap_fields(draw: random.Random, lines: list[bytes]) -> None:
    at = draw.randrange(len(lines))
    parts = re.split(rb"([\t ,:|&]+)", lines[at])
    one, other = draw.randrange(len(parts)), draw.randrange(len(parts))
    parts[one], parts[other] = parts[other], parts[one]
    lines[at] = b"".join(parts)


@_lines
def long_line(draw: random.Random, lines: list[bytes]) -> None:
    at = draw.randrange(len(lines))
    start = draw.randrange(len(lines[at]))
    part = lines[at][start : start + draw.randint(1, 8)]
    lines[at] = lines[at][:start] + part * (LONG // len(part)) + lines[at][start:]


def odd_number(draw: random.Random, data: bytes) -> bytes:
    if not (found := list(NUMBER.finditer(data))):
        return odd_bytes(draw, data)
    at = draw.choice(found)
    return data[: at.start()] + draw.choice(ODD_NUMBERS) + data[at.end() :]


def odd_bytes(draw: random.Random, data: bytes) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + draw.choice(ODD_BYTES) + data[at:]


def nest(draw: random.Random, data: bytes) -> bytes:
    start = draw.choice([match.end() for match in re.finditer(rb"[\n:,\t ]|^", data)])
    deep = draw.choice([b"[", b'{"a":', b"- ", b"{", b"<div>", b"<table><tr><td>", b"> ", b"\\textbf{", b"("])
    return data[:start] + deep * DEEP + draw.choice([data[start:], b"]" * DEEP + data[start:], b""])


def other_type(draw: random.Random, data: bytes) -> bytes:
    """Replace, leave out or add a value of a tree that JSON or YAML holds; elsewhere break the text."""
    text = data.decode()
    lines = text.split("\n")
    at = draw.randrange(len(lines))
    for read, place in ((json.loads, None), (json.loads, at), (yaml.safe_load, None)):
        try:
            tree = read(text if place is None else lines[place])
        except (ValueError, RecursionError, yaml.YAMLError):  # no tree, or broken before: too deep
            continue
        if not isinstance(tree, dict | list):
            continue
        tree = _changed(draw, json.loads(json.dumps(tree, default=str)))
        written = json.dumps(tree)
        return (written if place is None else "\n".join([*lines[:place], written, *lines[place + 1 :]])).encode()
    return odd_number(draw, data)


def _changed(draw: random.Random, tree: Any) -> Any:
    """The tree with one value changed, at any depth."""
    places: list[tuple[Any, Any]] = []
    todo = [tree]
    for node in todo:
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                todo.append(node[key])
    if not places or draw.random() < 0.02:
        return draw.choice(VALUES)
    node, key = draw.choice(places)
    match draw.randrange(6):
        case 0:
            del node[key]
        case 1 if isinstance(node, dict):
            node[draw.choice(["", "x", "name", "kind", *node])] = node.pop(key)
        case 2:
            other, its = draw.choice(places)
            node[key] = json.loads(json.dumps(other[its]))
        case _:
            node[key] = draw.choice(VALUES)
    return tree


BREAKS: list[Break] = [
    flip_bits, truncate, cut, repeat, delete_line, repeat_line, swap_lines, swap_fields, long_line, odd_number,
    odd_bytes, nest, *[other_type] * 4,
]  # fmt: skip


def broken(draw: random.Random, path: Path) -> bytes:
    """The bytes of a file, broken once or twice; of a packed file, outside or inside."""
    data = path.read_bytes()
    inside = draw.random() < 0.7
    if path.suffix == ".gz" and inside:
        return gzip.compress(_broken(draw, gzip.decompress(data)), mtime=0)
    if path.suffix == ".docx" and inside:
        return _repacked(draw, data)
    if path.suffix == ".safetensors" and inside:
        size = int.from_bytes(data[:8], "little")
        header = _broken(draw, data[8 : 8 + size].rstrip())
        return len(header).to_bytes(8, "little") + header + data[8 + size :]
    return _broken(draw, data)


def _broken(draw: random.Random, data: bytes) -> bytes:
    for _ in range(draw.choice([1, 1, 2])):
        try:
            data = draw.choice(BREAKS)(draw, data or b"\n")
        except UnicodeDecodeError:  # no text: only some ways are for bytes
            data = flip_bits(draw, data)
    return data


def _repacked(draw: random.Random, data: bytes) -> bytes:
    """A Word document with one of its parts broken."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        names = old.namelist()
        chosen = draw.choice(["word/document.xml", draw.choice(names)])
        for name in names:
            new.writestr(name, _broken(draw, old.read(name)) if name == chosen else old.read(name))
    return packed.getvalue()
