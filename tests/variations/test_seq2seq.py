"""Sequence-to-sequence engines on tiny models: the loader of full scale, real tokenizers, real beam search."""

import re

import pytest

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.variations import engines, runner, seq2seq

QUERIES = [
    ("1", "what is photosynthesis"),
    ("2", "where was gandhi born and how long does chicken cook in the oven"),
    ("3", "meaning of thermal energy"),
]


def _engines(tiny_m2m100, tiny_marian, tiny_t5):
    return {
        "back_translation": {
            "engine": "marian",
            "model": str(tiny_marian),
            "back": str(tiny_marian),
            "beams": 2,
            "tokens": 12,
        },
        "back_translation_m2m": {"engine": "m2m100", "model": str(tiny_m2m100), "beams": 2, "tokens": 12},
        "t5_qqp_paraphrase": {"engine": "t5", "model": str(tiny_t5), "beams": 2, "tokens": 12},
        "paraphrase_t5_paws": {"engine": "t5", "model": str(tiny_t5), "beams": 1, "tokens": 12},
        "t5_description_to_title": {"engine": "t5", "model": str(tiny_t5), "beams": 2, "tokens": 12},
    }


def test_models_reword_the_same_in_any_batch_and_order(tiny_m2m100, tiny_marian, tiny_t5):
    for name, parameters in _engines(tiny_m2m100, tiny_marian, tiny_t5).items():
        variation = variations.create(name, parameters)
        together = dict(variation.vary(QUERIES, 1))
        alone = dict(pair for query in reversed(QUERIES) for pair in variation.vary([query], 1))
        assert together == alone, name
        assert list(together) == [qid for qid, _ in QUERIES]
        assert any(together[qid] != text for qid, text in QUERIES), f"{name}: the random model copies every query"
        assert "stand-in" not in variation.resource
        assert parameters["model"] in variation.resource


def test_translation_goes_there_and_back(tiny_m2m100):
    model = seq2seq.load(str(tiny_m2m100))
    there = model.generate(["what is photosynthesis"], "en", "de", beams=2, longest=12)
    back = model.generate(there, "de", "en", beams=2, longest=12)
    variation = variations.create(
        "back_translation_m2m", {"engine": "m2m100", "model": str(tiny_m2m100), "beams": 2, "tokens": 12}
    )
    [(_, text)] = variation.vary([("1", "What is photosynthesis?")], 1)
    assert text == (" ".join(back[0].split()) or "What is photosynthesis?")


def test_the_prompt_reaches_the_model(tiny_t5):
    model = seq2seq.load(str(tiny_t5))
    [expected] = model.generate(["paraphrase : meaning of thermal energy"], beams=2, longest=12)
    variation = variations.create(
        "t5_qqp_paraphrase", {"engine": "t5", "model": str(tiny_t5), "beams": 2, "tokens": 12}
    )
    [(_, text)] = variation.vary([("3", "meaning of thermal energy")], 1)
    assert text == " ".join(expected.split())


SAMPLE = [f"{text} {number}" for number in range(20) for _, text in QUERIES]


def outputs(variation):
    return [text for _, text in variation.vary(list(enumerate(SAMPLE)), 1)]


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
def test_another_precision_is_chosen_where_it_changes_no_output(tiny_m2m100, tiny_marian, tiny_t5, capsys, precision):
    """Known from the outputs themselves; the T5's numbers overflow in float16."""
    chosen = {}
    for name, parameters in _engines(tiny_m2m100, tiny_marian, tiny_t5).items():
        variation, other = (variations.create(name, parameters) for _ in range(2))
        other.chosen["precision"] = precision
        exact = outputs(variation)
        changed = sum(one != two for one, two in zip(exact, outputs(other), strict=True))
        variation.choose((precision,), SAMPLE)
        chosen[name] = variation.chosen["precision"]
        assert chosen[name] == ("float64" if changed else precision)
        said = capsys.readouterr().err
        assert f"{name}: {precision} changes {changed} of 60 sampled queries\n" in said
        assert f"{name}: models compute in {chosen[name]}\n" in said
        assert outputs(variation) == exact, name
        assert str(seq2seq.load(parameters["model"], chosen[name])._model.dtype) == f"torch.{chosen[name]}"
    assert {*chosen.values()} == ({precision, "float64"} if precision == "float16" else {precision})


def test_the_next_precision_is_tried_where_one_changes_an_output(tiny_t5, capsys):
    variation = variations.create("t5_qqp_paraphrase", {"engine": "t5", "model": str(tiny_t5), "tokens": 12})
    variation.choose(("float16", "bfloat16"), SAMPLE)
    assert variation.chosen == {"precision": "bfloat16"}
    assert "bfloat16 changes 0 of 60" in capsys.readouterr().err


def test_the_sample_is_spread_over_all_queries(tiny_t5, monkeypatch, capsys):
    monkeypatch.setattr(engines, "SAMPLE", 4)
    variation = variations.create("t5_qqp_paraphrase", {"engine": "t5", "model": str(tiny_t5), "tokens": 4})
    asked = []
    monkeypatch.setattr(type(variation), "prepare", lambda self, text: asked.append(text) or text)
    variation.choose(("float32",), [str(number) for number in range(10)])
    assert asked == ["0", "3", "6", "9"]


def test_a_processor_computes_in_double_precision(tiny_t5, capsys):
    variation = variations.create("t5_qqp_paraphrase", {"engine": "t5", "model": str(tiny_t5), "tokens": 4})
    if seq2seq.half():
        pytest.skip("this machine has a GPU")
    variation.ready(dict(QUERIES))
    assert not variation.chosen and not capsys.readouterr().err


def test_shards_of_a_model_s_queries_change_no_byte(tiny_m2m100, tiny_marian, tiny_t5, tmp_path, monkeypatch):
    """Also in half precision, where a batch's shape may change a token: shards end where batches do."""
    monkeypatch.setattr(runner, "PORTION", 7)
    monkeypatch.setattr(engines, "_BATCH", 3)
    queries = {str(number): text for number, text in enumerate(SAMPLE)}
    for name, parameters in _engines(tiny_m2m100, tiny_marian, tiny_t5).items():
        variation = variations.create(name, parameters)
        variation.chosen["precision"] = "bfloat16"
        made = [tmp_path / f"{shard}.tsv" for shard in range(3)]
        runner.run(queries, tmp_path / "whole.tsv", None, variation)
        for shard, path in enumerate(made):
            runner.run(runner.shard_of(queries, shard, 3), path, None, variation)
        runner.run(queries, tmp_path / "gathered.tsv", None, variation, shards=made)
        assert (tmp_path / "gathered.tsv").read_bytes() == (tmp_path / "whole.tsv").read_bytes(), name


@pytest.mark.parametrize("model", ["", "facebook/m2m100_418M", "a/b@main:" + "0" * 64, "/no/such/folder"])
def test_an_unpinned_model_is_refused(model):
    with pytest.raises(
        UserError, match=r"model: .* is neither a folder with model\.safetensors nor a pinned hub model"
    ):
        variations.create("back_translation_m2m", {"engine": "m2m100", "model": model})


def test_both_models_of_a_pair_are_checked(tiny_marian):
    with pytest.raises(UserError, match="engine marian: back: ''"):
        variations.create("back_translation", {"engine": "marian", "model": str(tiny_marian)})


def test_weights_must_have_the_pinned_sha256(tiny_t5, monkeypatch):
    import huggingface_hub

    asked = {}

    def snapshot(repository, **options):
        asked.update(options, repository=repository)
        return str(tiny_t5)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    revision, digest = "1" * 40, sha256(tiny_t5 / "model.safetensors")
    with pytest.raises(UserError, match="another sha256; nothing was loaded"):
        seq2seq.load(f"owner/name@{revision}:{'0' * 64}")
    seq2seq.load(f"owner/name@{revision}:{digest}")
    assert (asked["repository"], asked["revision"]) == ("owner/name", revision)
    assert not any(re.search(r"bin|pickle|\.pt$|\.py$|\*$", pattern) for pattern in asked["allow_patterns"])


def test_an_unreachable_hub_is_one_clear_line(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match=r"owner/missing@2.*cannot be downloaded"):
        seq2seq.load(f"owner/missing@{'2' * 40}:{'0' * 64}")
