"""Sequence-to-sequence engines on tiny models: the loader of full scale, real tokenizers, real beam search."""

import re

import pytest

from robustdr import variations
from robustdr.errors import UserError
from robustdr.files import sha256
from robustdr.variations import seq2seq

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
