"""Compressed indexes: made once, read from disk by every search, and refused where they are another's."""

import hashlib
import json
import resource

import faiss
import numpy as np
import pytest

from robustdr.core.errors import UserError
from robustdr.keys import integrity
from robustdr.keys.integrity import record
from robustdr.retrieval import compressed
from robustdr.retrieval.compressed import build, read_index, write_index
from robustdr.retrieval.index import search
from robustdr.retrieval.runs import Run, rank
from robustdr.retrieval.settings import Index
from robustdr.stages.__main__ import main

pytestmark = pytest.mark.filterwarnings("ignore")
PASSAGES, DIMENSION = 3000, 16


def write_shards(folder, vectors, shards, precision=np.float16):
    """Shards of vectors as they are stored, with docids d0, d1, …"""
    paths = [folder / f"{shard}.npy" for shard in range(shards)]
    for path, rows in zip(paths, np.array_split(np.arange(len(vectors)), shards), strict=True):
        np.save(path, vectors[rows].astype(precision))
        path.with_suffix(".ids").write_text("".join(f"d{row}\n" for row in rows))
    return paths


@pytest.fixture(scope="module")
def vectors():
    return np.random.default_rng(2).normal(size=(PASSAGES, DIMENSION)).astype(np.float16)


@pytest.fixture(scope="module")
def shards(tmp_path_factory, vectors):
    return write_shards(tmp_path_factory.mktemp("vectors"), vectors, 2)


def indexed(shards, folder, factory):
    indexes = [folder / f"{path.stem}.faiss" for path in shards]
    for path, index in zip(shards, indexes, strict=True):
        write_index(factory, path, index)
    return indexes


@pytest.fixture(scope="module")
def indexes(shards, tmp_path_factory):
    return indexed(shards, tmp_path_factory.mktemp("indexes"), "IVF16,Flat")


def rankings(shards, indexes, queries, depth, settings):
    lines = {str(line): line for line in range(len(queries))}
    read = (read_index(path, of, settings, DIMENSION) for path, of in zip(indexes, shards, strict=True))
    return list(Run(lines, *search(read, queries, depth)).values())


def test_a_compressed_index_finds_most_and_never_invents(vectors, shards, indexes):
    """With all lists visited, what an exact search finds; with one of sixteen, fewer and no others' scores."""
    queries = vectors[:20].astype(np.float32) * 2
    scores = queries.astype(np.float64) @ vectors.astype(np.float64).T
    exact = [dict(rank(((f"d{row}", score) for row, score in enumerate(line)), 50)) for line in scores]
    coarse, fine = (rankings(shards, indexes, queries, 50, Index("IVF16,Flat", nprobe)) for nprobe in (1, 16))
    assert [{docid for docid, _ in ranking} for ranking in fine] == [{*best} for best in exact]
    assert [score for _, score in fine[0]] == pytest.approx(list(exact[0].values()), rel=1e-5)
    shared = [len({docid for docid, _ in ranking} & {*best}) for ranking, best in zip(coarse, exact, strict=True)]
    assert 10 < np.mean(shared) < 50
    assert all(len(ranking) == len(dict(ranking)) for ranking in coarse)


def test_an_index_that_finds_too_few_says_no_more(tmp_path):
    """With one list visited of four, a query sees about a quarter of the passages: no empty places are reported."""
    shards = write_shards(tmp_path, np.repeat(np.eye(4, dtype=np.float32), 40, axis=0), 1)
    (path,) = indexed(shards, tmp_path, "IVF4,Flat")
    lines = search([read_index(path, shards[0], Index("IVF4,Flat", 1), 4)], np.eye(4, dtype=np.float32)[:1], 100)
    (found,) = Run({"0": 0}, *lines).values()
    assert 0 < len(found) < 100
    assert all(np.isfinite(score) for _, score in found)


@pytest.mark.parametrize("factory", ["IVF16,PQ4x4", "SQ8", "PQ4x4"])
def test_an_index_on_disk_answers_as_in_memory(vectors, shards, tmp_path, factory):
    queries = vectors[:30].astype(np.float32)
    (path,) = indexed(shards[:1], tmp_path, factory)
    index, docids = read_index(path, shards[0], Index(factory, 1), DIMENSION)
    for one, other in zip(index.search(queries, 9), build(np.load(shards[0]), factory).search(queries, 9), strict=True):
        assert np.array_equal(one, other)
    assert docids == [f"d{row}" for row in range(PASSAGES // 2)]


def test_lists_stay_on_disk(shards, indexes):
    index, _ = read_index(indexes[0], shards[0], Index("IVF16,Flat", 4), DIMENSION)
    lists = faiss.downcast_InvertedLists(faiss.extract_index_ivf(index).invlists)
    assert isinstance(lists, faiss.OnDiskInvertedLists)
    assert faiss.extract_index_ivf(index).nprobe == 4


def test_blocks_and_two_builds_make_the_same_bytes(shards, indexes, tmp_path, monkeypatch):
    monkeypatch.setattr(compressed, "BLOCK", 700)
    (again,) = indexed(shards[:1], tmp_path, "IVF16,Flat")
    assert again.read_bytes() == indexes[0].read_bytes()


def test_an_index_learns_from_vectors_all_over_the_shard(monkeypatch):
    """Half of the passages lie elsewhere: 100 of them, evenly spread, still give each half its list."""
    monkeypatch.setattr(compressed, "LEARNS_FROM", 100)
    vectors = np.repeat(np.eye(2, 4, dtype=np.float32), 500, axis=0)
    index = build(vectors, "IVF2,Flat")  # FAISS's view of its lists does not keep it alive
    lists = faiss.extract_index_ivf(index).invlists
    assert [lists.list_size(number) for number in range(2)] == [500, 500]


def test_an_index_made_with_other_settings_is_refused(shards, indexes):
    with pytest.raises(UserError, match=r"0\.faiss: .* 'IVF16,Flat', but retrieval.index has 'IVF8,Flat'; delete"):
        read_index(indexes[0], shards[0], Index("IVF8,Flat", 1), DIMENSION)
    with pytest.raises(UserError, match=r"0\.faiss: 1500 vectors of 16 dimensions, but 1500 docids and queries of 384"):
        read_index(indexes[0], shards[0], Index("IVF16,Flat", 1), 384)


@pytest.fixture()
def other(vectors, tmp_path):
    """Vectors of equal shape, as of another model: a copy of the first shard whose last value differs."""
    changed = vectors[: PASSAGES // 2].copy()
    changed[-1, -1] += 1
    (tmp_path / "other").mkdir()
    return write_shards(tmp_path / "other", changed, 1)[0]


def test_an_index_of_other_vectors_of_equal_shape_is_refused(indexes, other):
    refused = r"0\.faiss: an index of other vectors than .*0\.npy: sha256 '\w+', expected '\w+'; delete"
    with pytest.raises(UserError, match=refused):
        read_index(indexes[0], other, Index("IVF16,Flat", 1), DIMENSION)


def test_vectors_that_have_a_record_are_not_read_again(other, tmp_path, monkeypatch):
    """Neither for the index nor for its search; the record tells also when the vectors were removed to save space."""
    record(other, other.with_suffix(".ids"))
    monkeypatch.setattr(integrity, "digest", pytest.fail)
    (index,) = indexed([other], tmp_path, "SQ8")
    made, settings = json.loads(index.with_suffix(".json").read_text()), Index("SQ8", 1)
    assert made == {"factory": "SQ8", "vectors": hashlib.sha256(other.read_bytes()).hexdigest()}
    other.unlink()
    read_index(index, other, settings, DIMENSION)
    written = other.with_name("0.npy.sha256")
    written.write_text(written.read_text().replace(made["vectors"], "0" * 64))
    with pytest.raises(UserError, match=f"'{made['vectors']}', expected '{'0' * 64}'; delete it"):
        read_index(index, other, settings, DIMENSION)
    written.unlink()
    read_index(index, other, settings, DIMENSION)


def test_an_index_without_lists_visits_none(shards, tmp_path):
    (index,) = indexed(shards[:1], tmp_path, "SQ8")
    with pytest.raises(UserError, match="nprobe is 2, but 'SQ8' has no lists; allowed: 1"):
        read_index(index, shards[0], Index("SQ8", 2), DIMENSION)


@pytest.mark.parametrize("size", [0, 5000, -1])
@pytest.mark.parametrize("factory", ["SQ8", "IVF16,Flat"])
def test_a_truncated_index_is_refused(shards, tmp_path, factory, size):
    """Also one that is memory-mapped, whose lists end the file: a search of them would end the process."""
    (index,) = indexed(shards[:1], tmp_path, factory)
    index.write_bytes(index.read_bytes()[:size])
    with pytest.raises(UserError, match=r"0\.faiss: damaged index .*delete the file and run again"):
        read_index(index, shards[0], Index(factory, 1), DIMENSION)


@pytest.mark.parametrize("factory, vectors", [("Flatt", 40), ("IVF16,Flat", 3)])
def test_an_index_that_cannot_be_made(factory, vectors):
    with pytest.raises(UserError, match=f"FAISS cannot make an index '{factory}' of {vectors} vectors"):
        build(np.ones((vectors, 4), dtype=np.float32), factory)


def test_the_stage_records_what_belongs_to_an_index(shards, tmp_path, capsys):
    output = tmp_path / "0.faiss"
    argv = ["compress", "--factory", "SQ8", "--vectors", str(shards[0]), "--output", str(output)]
    assert main(argv) == 0
    recorded = output.with_name("0.faiss.sha256").read_text()
    assert all(f"  0.{suffix}\n" in recorded for suffix in ("faiss", "ids", "json"))
    assert main([*argv[:2], "Flatt", *argv[3:-1], str(tmp_path / "1.faiss")]) != 0
    assert "FAISS cannot make an index 'Flatt'" in capsys.readouterr().err
    assert not list(tmp_path.glob("*1.faiss*"))


@pytest.mark.parametrize("missing", [1, 60_000], ids=["the last byte", "most of it"])
def test_an_index_that_cannot_grow_leaves_nothing(shards, indexes, tmp_path, missing, capsys):
    """As on a full disk: a limit of the process ends the write of the index."""
    command = ["compress", "--factory", "IVF16,Flat", "--vectors", str(shards[0]), "--output"]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (indexes[0].stat().st_size - missing, limits[1]))
    try:
        status = main([*command, str(tmp_path / "made/0.faiss")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2 and line.endswith("0.faiss: the index cannot be written ([Errno 27] File too large)")
    assert not [*(tmp_path / "made").iterdir()]
