"""monoBERT: scores, cuts, and directories that sentence-transformers reads and writes."""

import json
import logging
import shutil

import numpy as np
import pytest
import torch

from rankers.checks import PAIRS, gradients_are_differences, pairs_do_not_see_each_other, scores
from rankers.numpy_transformers import arrays, bert
from robustdr.core.errors import UserError
from robustdr.rankers.ranker import load


@pytest.fixture()
def ranker(tiny_model):
    return load("mono_bert", tiny_model, seed=1)


@pytest.fixture()
def typed(tiny_model, tmp_path):
    """The tiny model with a tokenizer that tells the query from the passage, as BERT's does."""
    folder = shutil.copytree(tiny_model, tmp_path / "typed")
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config["model_input_names"] = ["input_ids", "token_type_ids", "attention_mask"]
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture()
def two_labels(tiny_transformer, tmp_path):
    """A CrossEncoder of two labels that sentence-transformers saved."""
    from sentence_transformers import CrossEncoder

    torch.manual_seed(3)
    model = CrossEncoder(str(tiny_transformer), num_labels=2, device="cpu", local_files_only=True)
    model.save_pretrained(str(tmp_path / "two"))
    return tmp_path / "two"


def reference(ranker):
    """w · tanh(W h + c) + b; log-softmax of the last of two."""

    def score(pair):
        w = arrays(ranker.model)
        first, second = pair
        types = [0] * len(first) + [1 if ranker.typed else 0] * len(second)
        hidden = bert(w, ranker.model.config, [*first, *second], types)
        pooled = np.tanh(hidden[0] @ w["bert.pooler.dense.weight"].T + w["bert.pooler.dense.bias"])
        logits = pooled @ w["classifier.weight"].T + w["classifier.bias"]
        return logits[0] if len(logits) == 1 else logits[1] - np.log(np.exp(logits).sum())

    return score


@pytest.mark.parametrize("start", ["tiny_model", "typed", "two_labels"])
def test_scores_are_those_of_the_formula(request, start):
    ranker = load("mono_bert", request.getfixturevalue(start), seed=1).double()
    tokens = ranker.tokenise([*PAIRS, ("gold", "")], 8, 20)
    expected = [reference(ranker)(pair) for pair in tokens]
    np.testing.assert_allclose(ranker(tokens).detach().numpy(), expected, atol=1e-6)


@pytest.mark.parametrize("start", ["typed", "two_labels"])
def test_gradients_are_central_differences(request, start):
    ranker = load("mono_bert", request.getfixturevalue(start), seed=1).double()
    tokens = ranker.tokenise([("king", "a road"), ("gold gold", "music")], 8, 20)
    gradients_are_differences(ranker, reference(ranker), tokens, ranker.model)


def test_query_and_passage_are_cut_by_themselves(ranker):
    name = ranker.tokenizer.convert_ids_to_tokens
    (first, second), (short, _) = ranker.tokenise([("gold " * 9, "music is light"), ("king", "gold " * 9)], 3, 2)
    assert name(first) == ["[CLS]", "gold", "gold", "gold", "[SEP]"]
    assert name(second) == ["music", "is", "[SEP]"]
    assert name(short) == ["[CLS]", "king", "[SEP]"]


def test_pairs_that_the_model_cannot_read_are_refused(ranker):
    with pytest.raises(UserError, match=r"query_length 20 and passage_length 42 make pairs of 65 .* at most 64"):
        ranker.tokenise(PAIRS, 20, 42)
    assert ranker.tokenise(PAIRS, 20, 41)


def test_pairs_do_not_see_each_other(ranker):
    pairs_do_not_see_each_other(ranker)


def test_the_head_is_drawn_by_the_seed(tiny_model):
    drawn = [scores(load("mono_bert", tiny_model, seed=seed)) for seed in (1, 1, 2)]
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.allclose(drawn[0], drawn[2])


@pytest.mark.parametrize("start", ["tiny_model", "typed"])
def test_what_it_saves_is_a_cross_encoder(request, start, tmp_path):
    from sentence_transformers import CrossEncoder

    ranker = load("mono_bert", request.getfixturevalue(start))
    assert ranker.typed == (start == "typed")
    (tmp_path / "saved").mkdir()
    ranker.save(tmp_path / "saved")
    model = CrossEncoder(str(tmp_path / "saved"), device="cpu", local_files_only=True)
    expected = scores(ranker, lengths=(8, 40))
    np.testing.assert_allclose(model.predict(PAIRS, activation_fn=torch.nn.Identity()), expected, atol=1e-5)
    np.testing.assert_allclose(model.predict(PAIRS), expected, atol=1e-5)  # its own activation is the identity


def test_what_sentence_transformers_saves_is_a_ranker(ranker, tmp_path):
    from sentence_transformers import CrossEncoder

    (tmp_path / "saved").mkdir()
    ranker.save(tmp_path / "saved")
    CrossEncoder(str(tmp_path / "saved"), device="cpu", local_files_only=True).save_pretrained(str(tmp_path / "theirs"))
    assert torch.equal(scores(load("mono_bert", tmp_path / "theirs")), scores(ranker))


def test_two_labels_are_kept(two_labels, tmp_path):
    from sentence_transformers import CrossEncoder

    ranker = load("mono_bert", two_labels)
    model = CrossEncoder(str(two_labels), device="cpu", local_files_only=True)
    expected = torch.tensor(model.predict(PAIRS, activation_fn=torch.nn.Identity())).log_softmax(-1)[:, 1]
    torch.testing.assert_close(scores(ranker, lengths=(8, 40)), expected, atol=1e-5, rtol=0)
    (tmp_path / "saved").mkdir()
    ranker.save(tmp_path / "saved")
    assert torch.equal(scores(load("mono_bert", tmp_path / "saved")), scores(ranker))


def test_three_labels_are_refused(two_labels):
    config = json.loads((two_labels / "config.json").read_text())
    config["id2label"] = {str(number): f"LABEL_{number}" for number in range(3)}
    (two_labels / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match=r"two: 3 labels; expected: .* of 1 or 2 labels"):
        load("mono_bert", two_labels)


def test_directories_of_other_forms_are_refused(tiny_seq2seq, tmp_path):
    with pytest.raises(UserError, match=r"/seq2seq: holds 't5' .* expected: a dual encoder's transformer"):
        load("mono_bert", tiny_seq2seq)
    with pytest.raises(UserError, match=r"no transformer there .* expected: a dual encoder's transformer"):
        load("mono_bert", tmp_path)


def test_another_rankers_directory_is_refused(tiny_model, tmp_path):
    load("epic", tiny_model).save(tmp_path)
    with pytest.raises(UserError, match=r"saved by the ranker 'epic'; 'mono_bert' starts from .* the form encoder"):
        load("mono_bert", tmp_path)


def test_dropout_reaches_every_layer_and_is_seeded(tiny_model):
    ranker = load("mono_bert", tiny_model, training=True)
    tokens = ranker.tokenise(PAIRS, 8, 20)
    ranker.drop_out(0.0)
    assert torch.equal(ranker.score(tokens, seed=1), ranker.score(tokens, seed=2))
    ranker.drop_out(0.3)
    assert torch.equal(ranker.score(tokens, seed=1), ranker.score(tokens, seed=1))
    assert not torch.allclose(ranker.score(tokens, seed=1), ranker.score(tokens, seed=2))


def test_a_head_that_is_drawn_is_no_warning(tiny_model, caplog):
    with caplog.at_level(logging.WARNING):
        load("mono_bert", tiny_model)
    assert not caplog.records
