"""Artifacts of the run before are taken back where the same work made them, and only there."""

from pathlib import Path

import pytest

from robustdr.keys.integrity import damaged, key_of, record, renew
from robustdr.keys.kept import KEPT, drop, forget, keep, link_of, same_work, take_back, work_of

RUN, TREC, MODEL = Path("results/runs/a.arrow"), Path("results/runs/a.trec.gz"), Path("results/models/m")
MADE = [(RUN, TREC), (MODEL,)]
FILES = [RUN, TREC, MODEL / "weights", MODEL / "1_Pooling/config.json", MODEL / "card.md"]


@pytest.fixture(autouse=True)
def kept_artifacts(tmp_path, monkeypatch):
    """What one job made: a file with another beside it, and a folder; kept, and then removed as by Snakemake."""
    monkeypatch.chdir(tmp_path)
    Path(".snakemake").mkdir()
    write_file("results/corpus", "passages")
    for file in FILES:
        write_file(file, file.name)
    for path, *companions in MADE:
        record(path, *companions, key="old", inputs=[Path("results/corpus")], work="w", installed={"numpy": "2"})
    records = [Path(f"{path}.sha256") for path, *_ in MADE]
    record(
        RUN,
        TREC,
        key="old",
        inputs=[Path("results/corpus")],
        work="w",
        installed={"numpy": "2"},
        other_artifacts=[MODEL],
    )
    keep([f"{RUN}.sha256"])  # it names the other record
    for file in [*FILES, *records]:
        file.unlink()


def write_file(path, text):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if "corpus" in path.name:
        record(path, key=f"key of {text}")
    return path


def take_if_same(work="w", keys=("new1", "new2")):
    if is_same_work := same_work(MADE, work):
        take_back(MADE, keys, [Path("results/corpus")])
    return is_same_work


def test_the_same_work_takes_back_every_file_with_the_new_key_and_chain():
    write_file("results/corpus", "passages with another key")
    assert take_if_same()
    assert [file.read_text() for file in FILES] == [file.name for file in FILES]
    assert (key_of(RUN), key_of(MODEL)) == ("new1", "new2")
    assert not list(damaged(Path("results")))
    lines = Path(f"{RUN}.sha256").read_text().splitlines()
    assert {"# kept: the same work made it before", "# work: w", "# installed: numpy 2"} <= {*lines}


def test_a_record_that_is_renewed_again_says_so_once():
    assert take_if_same()
    once = Path(f"{RUN}.sha256").read_text()
    renew(RUN, Path(f"{RUN}.sha256"), "new1", [Path("results/corpus")])
    assert Path(f"{RUN}.sha256").read_text() == once


def test_other_work_takes_nothing_back():
    assert not take_if_same("x")
    assert not any(file.exists() for file in FILES)


@pytest.mark.parametrize("file", FILES[:4])
@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_text("other bytes")])
def test_one_damaged_file_takes_nothing_back(file, harm):
    harm(link_of(file))
    assert not take_if_same()
    assert not any(file.exists() for file in FILES)


def test_without_a_record_nothing_is_taken_back():
    link_of(f"{MODEL}.sha256").unlink()
    assert not take_if_same()


def test_what_was_made_without_the_digest_of_its_work_is_not_taken_back():
    record(link_of(MODEL), key="old")
    assert not take_if_same()


def test_links_go_with_the_job_or_with_the_run():
    drop(MADE[:1])
    assert not link_of(RUN).exists() and not link_of(TREC).exists() and link_of(MODEL).exists()
    forget()
    assert not KEPT.exists()


def test_a_run_keeps_nothing_of_the_run_before():
    """One that was killed left its links."""
    write_file(RUN, "later")
    keep([str(RUN), str(TREC)])
    assert link_of(RUN).read_text() == "later"
    assert not link_of(TREC).exists() and not link_of(MODEL).exists()


@pytest.mark.parametrize("where", ["{here}/", "../{name}/"])
def test_artifacts_elsewhere_have_their_links_among_the_others_and_stay(tmp_path, where):
    """A path may be absolute or climb."""
    run = Path(where.format(here=tmp_path, name=tmp_path.name) + "elsewhere.arrow")
    write_file(run, "bytes")
    record(run, work="w")
    drop([(run,)])
    assert not same_work([(run,)], "w") and run.read_text() == "bytes" and not key_of(run)
    keep([str(run), f"{run}.sha256"])
    assert same_work([(run,)], "w")
    take_back([(run,)], ["new"], [])
    assert run.read_text() == "bytes" and key_of(run) == "new"


def test_work_is_that_of_code_options_bytes_and_hardware_and_not_of_keys(tmp_path):
    corpus = Path("results/corpus")

    def work(planned="p", judgements="qrels.txt", text="passages", **record_options):
        corpus.write_text(text)
        record(corpus, **record_options)
        return work_of(planned, {"judgements": Path(judgements)}, [corpus])

    first = work()
    assert work(key="another") == work(inputs=[Path("results/none")]) == work(work="another") == first
    other_work = [work("q"), work(judgements="answers"), work(text="other"), work(hardware=["GPU"])]
    assert len({first, *other_work}) == 5
    Path("results/corpus.sha256").unlink()
    assert work_of("p", {}, [corpus]) != work_of("p", {}, [write_file("results/other", "other bytes")])
