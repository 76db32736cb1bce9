"""The T5 that writes titles from descriptions is trained on TREC topics."""

import shlex
from collections import namedtuple
from types import SimpleNamespace

import ir_datasets
import pytest
from tests.full.world import tree
from tests.workflow.conftest import ROOT

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.variations import titles
from robustdr.variations.seq2seq import Seq2Seq

PAIRS = [("what is the old river of peru", "river peru"), ("what does it sell in march", "sell march")] * 4


def trained(tiny_t5, output, **changes):
    how = {"epochs": 3, "batch": 4, "rate": 1e-2, "seed": 1, **changes}
    return titles.train_titles(tiny_t5, output, PAIRS, **how)


def test_training_learns_titles_and_the_generator_reads_what_is_written(tiny_t5, tmp_path):
    untrained = trained(tiny_t5, tmp_path / "untrained", epochs=1, rate=1e-9)
    assert trained(tiny_t5, tmp_path / "made", epochs=8, rate=0.1) < 0.8 * untrained
    parameters = {"engine": "t5", "model": str(tmp_path / "made"), "beams": 2, "tokens": 8}
    variation = variations.create("t5_description_to_title", parameters)
    texts = {str(n): text for n, (text, _) in enumerate(PAIRS)}
    variation.ready(texts)
    written = dict(variation.vary(texts.items(), 1))
    given = [variation.prompt.format(text) for text in texts.values()]
    assert [*written.values()] == Seq2Seq(tmp_path / "made", "float64").generate(given, beams=2, longest=8)


def test_the_same_seed_gives_the_same_bytes(tiny_t5, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        trained(tiny_t5, tmp_path / name, epochs=1, seed=seed)
    a, b, c = (sha256(tmp_path / name / "model.safetensors") for name in "abc")
    assert a == b != c


def test_topics_are_read_once_and_without_quotes_and_breaks(monkeypatch):
    topic = namedtuple("Topic", "query_id title description")
    rows = [
        topic("1", "Rap  and\nCrime", 'Evidence that "rap" has\n an effect.'),
        topic("2", "a", "b"),
        topic("3", "a", "b"),
    ]
    monkeypatch.setattr(titles, "load", lambda *_: SimpleNamespace(queries_iter=lambda: iter(rows)))
    assert titles.topics(["one", "two"]) == [("Evidence that rap has an effect.", "Rap and Crime"), ("b", "a")]
    rows.append(namedtuple("Query", "query_id text")("4", "c"))
    with pytest.raises(UserError, match="one: its topics have no title and description"):
        titles.topics(["one"])


def test_full_scale_trains_it_on_topics_that_have_titles_and_descriptions():
    (command,) = tree(ROOT / "config/scales/full.yaml")["variations"]["t5_description_to_title"]["fetch"].values()
    words = shlex.split(command)
    for name in words[words.index("--topics") + 1 :]:
        assert {"title", "description"} <= {*ir_datasets.load(name).queries_cls()._fields}


def test_a_folder_without_a_model_is_one_error(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UserError, match="no sequence-to-sequence model"):
        trained(tmp_path, tmp_path / "made")
