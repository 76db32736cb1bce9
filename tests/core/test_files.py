"""Files are whole or absent; what is wrong in them is named with its line."""

import errno
import os
import signal
import stat
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.core.errors import UserError, unknown
from robustdr.core.files import (
    Lines,
    atomic,
    read_lines,
    read_qrels,
    read_queries,
    sha256,
    write_json,
    write_queries,
    write_text,
)

ROOT = Path(__file__).parents[2]
HOST = os.uname().nodename
TEXTS = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1).filter(str.strip)


class Stop(Exception):
    pass


def test_a_file_appears_when_it_is_whole(tmp_path):
    with atomic(tmp_path / "deep" / "a.txt") as temporary:
        temporary.write_text("half")
        assert not (tmp_path / "deep" / "a.txt").exists()
        assert temporary.suffix == ".txt" and temporary.parent == tmp_path / "deep"
    assert (tmp_path / "deep" / "a.txt").read_text() == "half"
    assert os.listdir(tmp_path / "deep") == ["a.txt"]


def test_a_failure_leaves_what_was_there(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(Stop), atomic(tmp_path / "a.txt") as temporary:
        temporary.write_text("half")
        raise Stop
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("fails", [False, True])
def test_a_directory_is_replaced_as_a_whole_or_not_at_all(tmp_path, fails):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "old").write_text("old")
    try:
        with atomic(tmp_path / "model") as temporary:
            temporary.mkdir()
            (temporary / "new").write_text("new")
            if fails:
                raise Stop
    except Stop:
        pass
    assert os.listdir(tmp_path) == ["model"]
    assert os.listdir(tmp_path / "model") == (["old"] if fails else ["new"])


def test_nothing_is_left_of_what_was_never_written(tmp_path):
    with pytest.raises(Stop), atomic(tmp_path / "a.txt"):
        raise Stop
    assert not list(tmp_path.iterdir())


def test_a_process_killed_while_it_writes_leaves_the_old_file(tmp_path):
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom robustdr.core.files import atomic\n"
        "with atomic(sys.argv[1]) as temporary:\n"
        "    temporary.write_text('half')\n"
        "    print('written', flush=True)\n"
        "    time.sleep(60)\n"
    )
    (tmp_path / "a.txt").write_text("old")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    arguments = [sys.executable, "-c", code, str(tmp_path / "a.txt")]
    with subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "written\n"
        process.send_signal(signal.SIGKILL)
    assert (tmp_path / "a.txt").read_text() == "old"
    assert len(os.listdir(tmp_path)) == 2
    write_text(tmp_path / "a.txt", "new")
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.fixture()
def dead():
    """The id of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_what_dead_processes_of_this_machine_left_is_removed(tmp_path, dead):
    for leftover in (f".{HOST}.{dead}.model", f".{HOST}.{os.getpid()}.model"):
        (tmp_path / leftover).mkdir()
        (tmp_path / leftover / "half").touch()
    write_text(tmp_path / "model", "new")
    assert os.listdir(tmp_path) == ["model"]


def test_nothing_else_that_is_hidden_is_removed(tmp_path, dead):
    hidden_files = {
        f".{HOST}.{os.getppid()}.a.txt",  # it lives
        f".other-{HOST}.{dead}.a.txt",
        f".other.{dead}.a.txt",
        f".{HOST}x{dead}.a.txt",
        f".{HOST}.{dead}.b.a.txt",  # of b.a.txt
        f".{HOST}.{dead}.a.txt.gz",
        f".{HOST}.{dead}.a-txt",
        f".{HOST}.{dead}..a.txt",
        f".{HOST}.0{dead}.a.txt",
        f".{HOST}.{10**9 + dead}.a.txt",  # no system counts as far
        f".{HOST}.-{dead}.a.txt",
        f".{HOST}.swap.a.txt",
        f".{HOST}..a.txt",
        f".{dead}.a.txt",
        f"{HOST}.{dead}.a.txt",
        f"..{HOST}.{dead}.a.txt",
    }
    for name in hidden_files:
        (tmp_path / name).write_text("another's")
    write_text(tmp_path / "a.txt", "new")
    assert set(os.listdir(tmp_path)) == {"a.txt", *hidden_files}


def test_a_host_is_a_name_and_no_pattern(tmp_path, monkeypatch, dead):
    monkeypatch.setattr(os, "uname", lambda: type("", (), {"nodename": "a.b"}))
    (tmp_path / f".axb.{dead}.a.txt").touch()
    with atomic(tmp_path / "a.txt") as temporary:
        temporary.touch()
        assert temporary.name == f".a.b.{os.getpid()}.a.txt"
    assert set(os.listdir(tmp_path)) == {"a.txt", f".axb.{dead}.a.txt"}


def test_a_process_of_another_user_is_alive(tmp_path, monkeypatch, dead):
    def refuse(process, signal):
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    (tmp_path / f".{HOST}.{dead}.a.txt").touch()
    write_text(tmp_path / "a.txt", "new")
    assert (tmp_path / f".{HOST}.{dead}.a.txt").exists()


def test_a_link_stays_and_leads_to_what_is_new(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "data.old").write_text("old")
    (tmp_path / "a.txt").symlink_to(tmp_path / "far" / "data.old")
    with atomic(tmp_path / "a.txt") as temporary:
        temporary.write_text("new")
        assert temporary.parent == tmp_path / "far" and temporary.suffix == ".txt"
    assert (tmp_path / "a.txt").is_symlink() and (tmp_path / "far" / "data.old").read_text() == "new"
    assert os.listdir(tmp_path / "far") == ["data.old"]


def test_a_link_to_nothing_leads_to_what_is_new(tmp_path):
    (tmp_path / "a.txt").symlink_to("b.txt")
    write_text(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").is_symlink() and (tmp_path / "b.txt").read_text() == "new"


def test_a_pipe_is_written_to_and_stays(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE, text=True) as reader:
        write_queries(tmp_path / "pipe", [("q1", "one")])
        assert reader.communicate()[0] == "q1\tone\n"
    assert (tmp_path / "pipe").is_fifo() and os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize("device", ["/dev/null", "/dev/full"])
def test_a_device_is_written_to_and_stays(tmp_path, device):
    number = os.stat(device).st_rdev
    try:
        os.mknod(tmp_path / "device", 0o666 | stat.S_IFCHR, number)
    except PermissionError:
        pytest.skip("no right to make a device here")
    if device == "/dev/full":
        with pytest.raises(OSError, match="No space left"):
            write_text(tmp_path / "device", "new")
    else:
        write_text(tmp_path / "device", "new")
    assert (tmp_path / "device").is_char_device() and os.listdir(tmp_path) == ["device"]


def test_a_folder_is_not_written_to_a_device(tmp_path):
    (tmp_path / "null").symlink_to("/dev/null")
    with (
        pytest.raises(UserError, match="null: a folder is written here, and this is none; name a folder"),
        atomic(tmp_path / "null") as temporary,
    ):
        temporary.mkdir()


@pytest.mark.parametrize("mode", ["w", "a"])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output_goes_where_this_process_prints(tmp_path, mode, stream):
    """What a shell opened for `>` or `>>`, and writes to before and after, is no file to replace."""
    code = (
        "import sys\nfrom robustdr.core.files import write_text\n"
        f"print('before', file=sys.{stream}, end=' ')\nwrite_text('/dev/{stream}', 'text ')\n"
        f"print('after', file=sys.{stream})"
    )
    (tmp_path / "log").write_text("kept ")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), "PYTHONUNBUFFERED": ""}
    with open(tmp_path / "log", mode) as log:
        subprocess.run([sys.executable, "-c", code], env=environment, check=True, **{stream: log})
    assert (tmp_path / "log").read_text() == ("kept " if mode == "a" else "") + "before text after\n"


@pytest.mark.parametrize("folder", [False, True])
def test_what_is_renamed_is_on_disk(tmp_path, monkeypatch, folder):
    done = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (done.append(os.readlink(f"/proc/self/fd/{file}")), sync(file)))
    monkeypatch.setattr(os, "replace", lambda *paths: (done.append("renamed"), replace(*paths)))
    with atomic(tmp_path / "a") as temporary:
        if folder:
            (temporary / "deep").mkdir(parents=True)
            (temporary / "deep" / "file").write_text("new")
        else:
            temporary.write_text("new")
    position = done.index("renamed")
    synced_paths = (temporary, temporary / "deep", temporary / "deep" / "file") if folder else (temporary,)
    assert set(done[:position]) == set(map(str, synced_paths)) and done[position + 1 :] == [str(tmp_path)]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EIO])
def test_a_folder_need_not_be_synced_where_the_file_system_cannot(tmp_path, monkeypatch, number):
    refused = []

    def fsync(file):
        if stat.S_ISDIR(os.fstat(file).st_mode):
            refused.append(file)
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fsync)
    with nullcontext() if number == errno.EINVAL else pytest.raises(OSError, match="Input/output error"):
        write_text(tmp_path / "a.txt", "new")
    assert refused and (tmp_path / "a.txt").read_text() == "new"


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EINVAL])
def test_a_file_that_does_not_reach_the_disk_does_not_appear(tmp_path, monkeypatch, number):
    def fail(file):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=os.strerror(number)):
        write_text(tmp_path / "a.txt", "new")
    assert not os.listdir(tmp_path)


def test_text_and_json_have_the_same_bytes_everywhere(tmp_path):
    write_text(tmp_path / "a.txt", "Straße\n“x”\n")
    assert (tmp_path / "a.txt").read_bytes() == "Straße\n“x”\n".encode()
    write_json(tmp_path / "a.json", {"b": "ß", "a": 1})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{\n  "b": "ß",\n  "a": 1\n}\n'


@pytest.mark.parametrize("line_break", ["\r", "\n", "\r\n", *"\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"])
def test_a_line_break_in_a_query_splits_no_line(tmp_path, line_break):
    write_queries(tmp_path / "q.tsv", [("q1", f"one{line_break}two"), ("q2", "three")])
    assert (tmp_path / "q.tsv").read_text().splitlines() == ["q1\tone two", "q2\tthree"]
    if "\n" not in line_break:
        (tmp_path / "own.tsv").write_bytes(f"q1\tone{line_break}two\nq2\tthree\n".encode())
        assert read_queries(tmp_path / "own.tsv") == {"q1": "one two", "q2": "three"}


@given(st.dictionaries(st.text("abc123_.-", min_size=1), TEXTS, min_size=1))
def test_queries_are_read_back_as_written(tmp_path_factory, queries):
    path = tmp_path_factory.mktemp("queries") / "queries.tsv"
    write_queries(path, queries.items())
    loaded = read_queries(path)
    assert loaded == queries and list(loaded) == list(queries)


def test_windows_line_ends_are_no_part_of_the_text(tmp_path):
    (tmp_path / "q.tsv").write_bytes(b"q1\tone\r\nq2\ttwo\r\n")
    assert read_queries(tmp_path / "q.tsv") == {"q1": "one", "q2": "two"}
    assert list(read_lines(tmp_path / "q.tsv")) == [(1, "q1\tone"), (2, "q2\ttwo")]


@pytest.mark.parametrize(
    "content, message",
    [
        (b"q1\tone\nq2 two\n", "q.tsv:2: no tab in 'q2 two'; a line is qid<TAB>text"),
        (b"q1\tone\n\n", "q.tsv:2: no tab in ''; a line is qid<TAB>text"),
        (b"q1\t  \n", "q.tsv:1: empty text; a line is qid<TAB>text"),
        (b"\tone\n", "q.tsv:1: empty qid; a line is qid<TAB>text"),
        (b"q1\tone\nq2\ttwo\nq1\tthree\n", "q.tsv:3: query id 'q1' occurs twice; ids are unique"),
        (b"q1\tone\nq2\tz\xfcrich\n", "q.tsv:2: not UTF-8 text (invalid start byte); save the file as UTF-8"),
        (b"", "q.tsv: no queries; a line is qid<TAB>text"),
    ],
)
def test_damaged_queries(tmp_path, content, message):
    (tmp_path / "q.tsv").write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_queries(tmp_path / "q.tsv")
    assert str(caught.value) == f"{tmp_path}/{message}"


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)))))
def test_lines_are_read_in_any_order(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("lines") / "lines.txt"
    path.write_bytes("".join(f"{text}\n" for text in texts).encode())
    lines = Lines(path)
    assert len(lines) == len(texts)
    assert [lines[number] for number in reversed(range(len(texts)))] == texts[::-1]


def test_a_line_that_is_not_utf_8_is_named_when_it_is_read(tmp_path):
    (tmp_path / "lines.txt").write_bytes(b"one\r\n\xff\nthree")
    lines = Lines(tmp_path / "lines.txt")
    assert (lines[2], lines[0]) == ("three", "one")
    with pytest.raises(UserError, match=r"lines\.txt:2: not UTF-8 text"):
        lines[1]


def test_qrels(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 2\nq2\t0\tb\t0\nq1 0 c -1\n")
    assert read_qrels(tmp_path / "qrels") == {"q1": {"a": 2, "c": -1}, "q2": {"b": 0}}


LINE = "a line is `qid 0 docid grade`, a grade -9999 to 9999"


@pytest.mark.parametrize(
    "content, message",
    [
        ("q1 0 a 1\nq1 a 1\n", f"qrels:2: 'q1 a 1' is not a qrels line; {LINE}"),
        ("q1 0 a high\n", f"qrels:1: 'q1 0 a high' is not a qrels line; {LINE}"),
        ("q1 0 a 1.5\n", f"qrels:1: 'q1 0 a 1.5' is not a qrels line; {LINE}"),
        ("q1 0 a --1\n", f"qrels:1: 'q1 0 a --1' is not a qrels line; {LINE}"),
        ("q1 0 a 10000\n", f"qrels:1: 'q1 0 a 10000' is not a qrels line; {LINE}"),
        ("q1 0 a 1\nq1 0 a 2\n", "qrels:2: query 'q1' judges passage 'a' twice"),
        ("", "qrels: no judgements; a line is `qid 0 docid grade`"),
    ],
)
def test_damaged_qrels(tmp_path, content, message):
    (tmp_path / "qrels").write_text(content)
    with pytest.raises(UserError) as caught:
        read_qrels(tmp_path / "qrels")
    assert str(caught.value) == f"{tmp_path}/{message}"


@pytest.mark.parametrize("read", [read_queries, read_qrels])
def test_a_file_that_is_missing(tmp_path, read):
    with pytest.raises(UserError, match="nothing: no such file"):
        read(tmp_path / "nothing")


def test_sha256_of_a_known_text(tmp_path):
    (tmp_path / "abc").write_text("abc")
    assert sha256(tmp_path / "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_unknown_names_the_nearest_first():
    assert str(unknown("f.yaml: key", "colour", ["color", "size"])) == (
        "f.yaml: key: 'colour' is unknown (did you mean color?); allowed: color, size"
    )
    assert str(unknown("key", "zzz", ["b", "a"])) == "key: 'zzz' is unknown; allowed: a, b"
