"""Millions of queries are varied in shards: the same bytes as in one piece, whatever the generator."""

import json

import pytest

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.core.files import read_queries, sha256, write_queries
from robustdr.stages.__main__ import main
from robustdr.variations import runner

TEXTS = (
    "what does it mean to abdicate throne {}?",
    "how long do you cook chicken in oven {}",
    "Meaning of the {} Thermal energies",
)
QUERIES = {f"q{number}": TEXTS[number % 3].format(number) for number in range(18)}


@pytest.fixture()
def portions(monkeypatch):
    """Portions of four queries: shards of a few."""
    monkeypatch.setattr(runner, "PORTION", 4)


def in_shards(variation, shards, folder):
    """The bytes of a query set and its statistics, varied in so many shards; None: in one piece."""
    output, statistics, made = folder / f"{shards}.tsv", folder / f"{shards}.json", []
    for shard in range(shards or 0):
        made.append(folder / f"{shard}-of-{shards}.tsv")
        runner.run(runner.shard_of(QUERIES, shard, shards), made[-1], None, variation, seed=3)
    runner.run(QUERIES, output, statistics, variation, seed=3, shards=made)
    return output.read_bytes(), statistics.read_bytes()


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in variations.names()
        if variations.kind(name).processes and name not in ("released", "logged", "swap_synonym_omw")
    ],
)
def test_shards_change_no_byte(portions, tmp_path, name):
    variation = variations.create(name)
    whole = in_shards(variation, None, tmp_path)
    assert in_shards(variation, 1, tmp_path) == in_shards(variation, 3, tmp_path) == whole
    assert json.loads(whole[1])["queries"] == len(QUERIES)


@pytest.mark.parametrize("shards", [1, 2, 3, 5])
def test_shards_are_whole_portions_in_order(portions, shards):
    cut = [runner.shard_of(QUERIES, shard, shards) for shard in range(shards)]
    assert [pair for shard in cut for pair in shard.items()] == list(QUERIES.items())
    assert all(len(shard) % 4 == 0 for shard in cut[:-1]) and all(cut)


def test_more_shards_than_portions(portions):
    with pytest.raises(UserError, match=r"18 queries in 6 shards of 4 or more: the split's `count` in .* is too large"):
        runner.shard_of(QUERIES, 0, 6)


@pytest.fixture()
def stage(portions, tmp_path, tiny_model):
    """`stage(shards)` varies by the stages, as the rules do; `stage.shard(0, 3)` one shard alone."""
    queries, output = tmp_path / "queries.tsv", tmp_path / "typo.tsv"
    write_queries(queries, QUERIES.items())
    told = json.dumps({"generator": "typos:Typo", "parameters": {}, "seed": 1})
    read = ["--code", "robustdr.variations.typos", "--packages", "--settings", told, "--queries", str(queries)]

    def vary(*shards):
        argv = ["vary", *read, "--tokenizer", str(tiny_model / "tokenizer.json"), "--key", "0123"]
        argv += ["--shards", *map(str, shards), "--output", str(output), "--split"]
        return main([*argv, "--statistics", str(output.with_suffix(".json"))])

    def one(shard, shards):
        path = tmp_path / f"{shard}-of-{shards}.tsv"
        argv = ["vary-shard", *read, "--shard", str(shard), "--shards", str(shards), "--output", str(path)]
        assert main(argv) == 0
        return path

    vary.shard, vary.output = one, output
    return vary


def test_the_stages_gather_what_they_varied(stage):
    assert stage() == 0
    made = [stage.output, stage.output.with_suffix(".json")]
    whole = [path.read_bytes() for path in made]
    assert stage(*(stage.shard(shard, 3) for shard in range(3))) == 0
    assert [path.read_bytes() for path in made] == whole
    assert stage.output.with_name("2-of-3.tsv.sha256").is_file()
    assert len(read_queries(stage.output)) == len(QUERIES)


def test_a_shard_survives_what_stops_another(stage, capsys):
    """The second of three is missing: nothing is gathered, and what was varied is not touched."""
    first, last = stage.shard(0, 3), stage.shard(2, 3)
    before = [sha256(path) for path in (first, last)]
    assert stage(first, first.with_name("1-of-3.tsv"), last) != 0
    assert "1-of-3.tsv: no such file" in capsys.readouterr().err
    assert not stage.output.exists() and [sha256(path) for path in (first, last)] == before


def test_a_shard_of_other_queries_is_refused(stage, capsys):
    shards = [stage.shard(shard, 3) for shard in range(3)]
    assert stage(shards[0], shards[2], shards[1]) != 0
    assert "2-of-3.tsv: not the queries of shard 1 of 3; delete it" in capsys.readouterr().err
    assert stage(*shards[:2]) != 0
    assert "0-of-3.tsv: not the queries of shard 0 of 2" in capsys.readouterr().err
    assert not stage.output.exists()


def test_a_damaged_shard_is_moved_away(stage, capsys):
    shards = [stage.shard(shard, 3) for shard in range(3)]
    shards[1].write_text("q1\tsomething else\n")
    assert stage(*shards) != 0
    assert "1-of-3.tsv: damaged" in capsys.readouterr().err
    assert shards[1].with_name("1-of-3.tsv.damaged").is_file() and not stage.output.exists()
