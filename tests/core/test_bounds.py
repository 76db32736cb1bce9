"""Small files that ask for much memory are refused in one line, before it is taken."""

import bz2
import gzip
import lzma
import resource
import subprocess
import sys
import tarfile
import tracemalloc
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from robustdr.collections import liveqa
from robustdr.collections.parquet import batches, read_parquet
from robustdr.collections.reading import lines, records
from robustdr.core import bounds
from robustdr.core.errors import UserError, exit_status
from robustdr.core.files import read_lines
from robustdr.core.unpacked import taken_out, unpacked
from robustdr.core.yaml_files import read_yaml
from robustdr.encoding.convert import convert
from robustdr_review.sources import from_zip
from robustdr_review.word import read_docx

MOST = 1_000_000_000  # bytes of a process


def zeros(file, size):
    for _ in range(size >> 20):
        file.write(bytes(1 << 20))


@pytest.mark.parametrize(("suffix", "opener"), [(".gz", gzip.open), (".xz", lzma.open)])
def test_a_line_that_grows_when_it_is_unpacked(tmp_path, suffix, opener):
    path = tmp_path / f"corpus.tsv{suffix}"
    with opener(path, "wb") as file:
        file.write(b"d1\tfirst\nd2\t")
        zeros(file, 70_000_000)
    rows = lines(path)
    assert next(rows) == (1, "d1\tfirst")
    with pytest.raises(UserError, match=rf"corpus\.tsv\{suffix}:2: a line of more than 64 MB"):
        next(rows)


def test_a_line_of_a_sparse_file(tmp_path):
    with open(tmp_path / "queries.tsv", "wb") as file:
        file.truncate(10 * MOST)
    with pytest.raises(UserError, match=r"queries\.tsv:1: a line of more than 64 MB"):
        next(read_lines(tmp_path / "queries.tsv"))


@pytest.mark.parametrize(("suffix", "opener"), [(".gz", gzip.open), (".bz2", bz2.open)])
def test_many_lines_of_a_packed_file(tmp_path, suffix, opener):
    path = tmp_path / f"corpus.tsv{suffix}"
    with opener(path, "wb") as file:
        for _ in range(300):
            file.write((b"d1\t" + bytes(9_996) + b"\n") * 100)
    with pytest.raises(UserError, match=rf"corpus\.tsv\{suffix}: more than 200 times its size when unpacked"):
        for _ in lines(path):
            pass


def test_many_rows_of_parquet_that_take_no_bytes(tmp_path):
    count = 10_000_000
    columns = {"_id": pa.repeat(pa.scalar(1, pa.int32()), count), "text": pa.repeat(pa.scalar(""), count)}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", compression="zstd")
    for read in (read_parquet, lambda path: next(batches(path))):
        with pytest.raises(UserError, match=r"t\.parquet: more than 200 times its size when unpacked"):
            read(tmp_path / "t.parquet")


@pytest.mark.parametrize("kind", ["text", "bytes", "list", "structure"])
@pytest.mark.parametrize("count", [1_100, 70_000])
def test_a_text_of_parquet_that_stands_in_every_row(tmp_path, kind, count):
    """The file holds it once."""
    indices = pa.array([0] * count, pa.int32())
    texts = pa.DictionaryArray.from_arrays(indices, pa.array(["word " * 200_000]))
    columns = {
        "text": texts,
        "bytes": pa.DictionaryArray.from_arrays(indices, texts.dictionary.cast(pa.binary())),
        "list": pa.ListArray.from_arrays(pa.array(range(count + 1), pa.int32()), texts),
        "structure": pa.StructArray.from_arrays([texts], ["inner"]),
    }
    pq.write_table(pa.table({"text": columns[kind]}), tmp_path / "t.parquet", compression="zstd", store_schema=False)
    assert (tmp_path / "t.parquet").stat().st_size < 1_000_000
    for read in (read_parquet, lambda path: list(batches(path))):
        with pytest.raises(UserError, match=r"t\.parquet: more than 200 times its size when unpacked"):
            read(tmp_path / "t.parquet")


def test_one_large_text_of_parquet(tmp_path):
    """The file declares its size."""
    pq.write_table(pa.table({"text": ["word " * 25_000_000]}), tmp_path / "t.parquet", compression="zstd")
    before = pa.total_allocated_bytes()
    for read in (read_parquet, lambda path: list(batches(path))):
        with pytest.raises(UserError, match=r"t\.parquet: more than 200 times its size when unpacked"):
            read(tmp_path / "t.parquet")
    assert pa.total_allocated_bytes() - before < 10_000_000


def test_long_documents_of_parquet_come_in_batches(tmp_path, monkeypatch):
    """Also where the rows that are read at once hold more than a batch may."""
    monkeypatch.setattr(bounds, "BATCH", 10_000)
    texts = ["".join(map(chr, range(32 + number % 60, 126))) * (number % 80) for number in range(1_000)]
    pq.write_table(pa.table({"text": texts}), tmp_path / "t.parquet")
    parts = list(batches(tmp_path / "t.parquet"))
    assert len(parts) > 100 and [row["text"] for part in parts for row in part.to_pylist()] == texts
    pq.write_table(pa.table({"text": ["x", "a" * 10_001]}), tmp_path / "t.parquet", use_dictionary=False)
    with pytest.raises(UserError, match=r"t\.parquet: a row holds more than"):
        list(batches(tmp_path / "t.parquet"))


def test_tables_of_parquet_are_read_as_they_are(tmp_path):
    table = pa.table({"id": [1, 2], "text": ["one", None], "answers": [["a"], []], "s": [{"x": "y"}, {"x": None}]})
    pq.write_table(table, tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet").to_pylist() == table.to_pylist()
    pq.write_table(table.slice(0, 0), tmp_path / "empty.parquet")
    assert read_parquet(tmp_path / "empty.parquet").to_pylist() == []


def zipped(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("model.bin", "w") as file:
        zeros(file, 300_000_000)


def tarred(path):
    with open(path.with_name("model.bin"), "wb") as file:
        file.truncate(300_000_000)
    with tarfile.open(path, "w:gz") as archive:
        archive.add(path.with_name("model.bin"), "model.bin")


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_that_grows_too_much(tmp_path, pack):
    pack(path := tmp_path / "release")
    with pytest.raises(UserError, match="more than 200 times its size when unpacked"), taken_out(path, ["model.bin"]):
        pass
    with pytest.raises(UserError, match="more than 200 times its size when unpacked"), unpacked(path):
        pass


def lying(path, name):
    """An archive whose file has 200 MB, and says that it has 100 bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(200_000_000))
    data = bytearray(path.read_bytes())
    for head, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = data.index(head) + place
        data[start : start + 4] = (100).to_bytes(4, "little")
    path.write_bytes(data)


@pytest.mark.parametrize(("suffix", "name"), [(".docx", "word/document.xml"), (".zip", "main.tex"), (".zip", "qa.csv")])
def test_a_file_of_an_archive_that_has_more_bytes_than_it_says(tmp_path, suffix, name):
    lying(path := tmp_path / f"a{suffix}", name)
    read = {"main.tex": from_zip, "qa.csv": liveqa._read_judged}.get(name, read_docx)
    tracemalloc.start()
    with pytest.raises(UserError, match=r"a\.(docx|zip): not "):
        read(path)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("value", ["[]", "{}", "1"])
def test_a_line_of_json_with_many_values_is_refused_before_they_are_made(tmp_path, value):
    line = f'{{"_id": "d1", "text": "x", "more": [{",".join([value] * 5_100_000)}]}}'
    with gzip.open(tmp_path / "c.jsonl.gz", "wt") as file:
        file.write(line)
    with pytest.raises(UserError, match=r"c\.jsonl\.gz:1: .* is no record"):
        list(records(tmp_path / "c.jsonl.gz", ["_id", "text"]))


@pytest.mark.parametrize("number", ["1" + ":1" * 100_000, "1" + ":1" * 100_000 + ".5", "0x" + "f" * 5_000])
def test_a_long_number_of_yaml_is_refused_before_it_is_computed(tmp_path, number):
    (tmp_path / "a.yaml").write_text(f"a: {number}")
    with pytest.raises(UserError, match=r"a\.yaml:1: not YAML: a number of more than 1,000 characters"):
        read_yaml(tmp_path / "a.yaml")


def test_a_number_of_yaml_that_no_float_can_hold(tmp_path):
    (tmp_path / "a.yaml").write_text("a: 1" + ":1" * 300 + ".5")
    with pytest.raises(UserError, match=r"a\.yaml:1: not YAML: int too large to convert to float"):
        read_yaml(tmp_path / "a.yaml")


@pytest.mark.parametrize(
    ("kind", "form"), [(tarfile.GNUTYPE_LONGNAME, tarfile.GNU_FORMAT), (tarfile.XHDTYPE, tarfile.USTAR_FORMAT)]
)
def test_a_long_header_of_an_archive(tmp_path, kind, form):
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = kind, 300_000_000
    with gzip.open(path := tmp_path / "release", "wb") as file:
        file.write(header.tobuf(form))
        zeros(file, header.size)
    tracemalloc.start()
    with pytest.raises(UserError, match="neither a folder nor an archive"), unpacked(path):
        pass
    assert tracemalloc.get_traced_memory()[1] < 100_000_000
    tracemalloc.stop()


MANY = {
    "items": "a:\n" + "- 1\n" * 300_000,
    "mappings": "a: [" + "{b: 1}, " * 150_000 + "]",
    "aliases": "a: &b [1]\n" + "".join(f"k{n}: *b\n" for n in range(150_000)),
}


@pytest.mark.parametrize("text", MANY.values(), ids=MANY)
def test_yaml_of_many_values_is_refused_while_it_is_read(tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(UserError, match=r"a\.yaml:\d+: more than 250,000 keys and values"):
        read_yaml(tmp_path / "a.yaml")


@pytest.mark.parametrize(
    "tensors",
    [
        {"a": torch.zeros(1).expand(10**12)},
        {"a": torch.zeros(1000).as_strided((10**6, 1000), (0, 1))},
        {f"a{n}": view for n, view in enumerate([torch.zeros(10_000)] * 1000)},
    ],
)
def test_views_of_a_pickle_that_repeat_what_it_holds(tmp_path, tensors):
    (tmp_path / "model").mkdir()
    torch.save(tensors, tmp_path / "model/pytorch_model.bin")
    (tmp_path / "model/config.json").write_text("{}")
    with pytest.raises(
        UserError, match=r"model\.bin: its tensors have [\d,]+ bytes, more than 8 times those of the file"
    ):
        convert(tmp_path / "model", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("error", "words"), [(MemoryError, "not enough memory"), (RecursionError, "inside each other")]
)
def test_errors_of_memory_and_depth_are_one_line(error, words, capsys):
    def fail():
        raise error

    assert exit_status(fail) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("robustdr: ") and words in line


def test_a_command_ends_with_one_line_under_a_limit_of_memory(tmp_path):
    with gzip.open(tmp_path / "c.tsv.gz", "wb") as file:
        file.write(b"d1\t")
        zeros(file, 200_000_000)
    (tmp_path / "q.tsv").write_text("q1\ttext\n")
    (tmp_path / "r.txt").write_text("q1 0 d1 1\n")
    command = [sys.executable, "-m", "robustdr", "check"]
    command += ["--corpus", "c.tsv.gz", "--queries", "q.tsv", "--qrels", "r.txt"]

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (MOST, MOST))

    done = subprocess.run(command, cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith("robustdr: c.tsv.gz:1: a line of more than")
