"""EPIC: the whole vocabulary in NumPy against the query's own terms, and the head that a checkpoint has or lacks."""

import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForMaskedLM

from rankers.checks import PAIRS, gradients_are_differences, pairs_do_not_see_each_other, saves_and_loads, scores
from rankers.numpy_transformers import arrays, bert, gelu, layer_norm, sigmoid
from robustdr.core.errors import UserError
from robustdr.rankers.ranker import load


@pytest.fixture(scope="module")
def headed(tiny_model, tmp_path_factory):
    """The tiny model as a masked language model."""
    folder = shutil.copytree(tiny_model, tmp_path_factory.mktemp("headed") / "headed")
    torch.manual_seed(5)
    model = BertForMaskedLM(BertConfig.from_pretrained(folder))
    torch.nn.init.normal_(model.cls.predictions.bias)
    model.bert.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
    model.save_pretrained(folder)
    return folder


def f(x):
    return np.log(1 + np.log(1 + np.exp(x)))


def reference(ranker):
    """The dot product of φ(q) and φ(p), each over the whole vocabulary."""
    config = ranker.bert.config

    def score(pair):
        w = arrays(ranker)
        query, passage = pair
        hidden = bert(w, config, query, [0] * len(query))
        of_query = np.zeros(config.vocab_size)
        for position in range(1, len(query) - 1):
            of_query[query[position]] += f(
                w["query_salience.weight"][0] @ hidden[position] + w["query_salience.bias"][0]
            )

        hidden = bert(w, config, passage, [1] * len(passage))
        of_passage = np.zeros(config.vocab_size)
        for position in range(1, len(passage) - 1):
            if "cls.predictions.transform.dense.weight" in w:
                name = "cls.predictions.transform"
                inner = gelu(hidden[position] @ w[f"{name}.dense.weight"].T + w[f"{name}.dense.bias"])
                norm = (w[f"{name}.LayerNorm.weight"], w[f"{name}.LayerNorm.bias"], config.layer_norm_eps)
                inner = layer_norm(inner[None], *norm)[0]
            else:
                inner = hidden[position] @ w["cls.predictions.transform.weight"].T + w["cls.predictions.transform.bias"]
            terms = w["bert.embeddings.word_embeddings.weight"] @ inner + w["cls.predictions.bias"]
            salience = f(w["passage_salience.weight"][0] @ hidden[position] + w["passage_salience.bias"][0])
            of_passage = np.maximum(of_passage, f(terms) * salience)
        return of_query @ of_passage * sigmoid(w["quality.weight"][0] @ hidden[0] + w["quality.bias"][0])

    return score


@pytest.mark.parametrize("start", ["tiny_model", "headed"])
def test_scores_are_those_of_the_whole_vocabulary(request, start):
    ranker = load("epic", request.getfixturevalue(start)).double()
    tokens = ranker.tokenise([*PAIRS, ("gold", ""), ("", "gold")], 8, 20)
    predicted = ranker(tokens).detach().numpy()
    np.testing.assert_allclose(predicted, [reference(ranker)(pair) for pair in tokens], atol=1e-6)
    assert predicted[-2:].tolist() == [0, 0]  # no word piece to match, or to be matched


def test_gradients_are_central_differences(headed):
    ranker = load("epic", headed).double()
    tokens = ranker.tokenise([("king king", "a road"), ("gold", "music is light")], 8, 20)
    gradients_are_differences(ranker, reference(ranker), tokens, ranker)


def test_a_term_that_occurs_twice_adds_up(tiny_model):
    ranker = load("epic", tiny_model)
    with torch.no_grad():
        ranker.query_salience.bias.zero_()
        ranker.query_salience.weight.zero_()  # every term weighs f(0)
    once, twice = scores(ranker, [("gold", "a road"), ("gold gold", "a road")])
    assert twice.item() == pytest.approx(2 * once.item(), rel=1e-6)


def test_the_head_starts_as_the_identity(tiny_model):
    ranker = load("epic", tiny_model)
    vectors = torch.randn(3, 32)
    transformed = ranker.cls.predictions(vectors)
    torch.testing.assert_close(transformed, vectors @ ranker.bert.get_input_embeddings().weight.T)


def test_decoder_and_word_embeddings_are_one(tiny_model, headed, tmp_path):
    for number, folder in enumerate((tiny_model, headed)):
        ranker = load("epic", folder)
        (tmp_path / str(number)).mkdir()
        ranker.save(tmp_path / str(number))
        for saved in (ranker, load("epic", tmp_path / str(number))):
            assert saved.cls.predictions.decoder.weight is saved.bert.get_input_embeddings().weight


def test_texts_that_occur_twice_are_encoded_once(tiny_model, monkeypatch):
    ranker = load("epic", tiny_model)
    encoded = []
    encode = ranker.encode
    monkeypatch.setattr(ranker, "encode", lambda texts, segment: encoded.append(len(texts)) or encode(texts, segment))
    with torch.inference_mode():
        ranker(
            ranker.tokenise([("gold", "a road"), ("gold", "a tree"), ("king", "a road"), ("king", "a river")], 8, 20)
        )
    assert encoded == [2, 3]


def test_query_and_passage_are_cut_by_themselves(tiny_model):
    ranker = load("epic", tiny_model)
    [(query, passage)] = ranker.tokenise([("gold " * 9, "music is light")], 3, 2)
    assert ranker.tokenizer.convert_ids_to_tokens(query) == ["[CLS]", "gold", "gold", "gold", "[SEP]"]
    assert ranker.tokenizer.convert_ids_to_tokens(passage) == ["[CLS]", "music", "is", "[SEP]"]


def test_pairs_do_not_see_each_other(headed):
    pairs_do_not_see_each_other(load("epic", headed))


def test_saves_and_loads(headed, tmp_path):
    saves_and_loads("epic", headed, tmp_path / "saved")


def test_what_training_changed_is_saved(tiny_model, tmp_path):
    ranker = load("epic", tiny_model)
    with torch.no_grad():
        for parameter in ranker.parameters():
            parameter.add_(0.01 * torch.randn_like(parameter))
    ranker.save(tmp_path)
    assert torch.equal(scores(load("epic", tmp_path)), scores(ranker))


def test_directories_of_other_forms_are_refused(tiny_seq2seq, tmp_path):
    with pytest.raises(UserError, match=r"/seq2seq: holds 't5' .* expected: a dual encoder of the form encoder"):
        load("epic", tiny_seq2seq)
    with pytest.raises(UserError, match=r"no transformer there .* expected: a dual encoder"):
        load("epic", tmp_path)


def test_a_transformer_without_all_of_its_weights_is_refused(tiny_model, tmp_path):
    folder = shutil.copytree(tiny_model, tmp_path / "holes")
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.1.output.dense.bias"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        UserError, match=r"holes: lacks weights: bert\.encoder\.layer\.1\.output\.dense\.bias; expected"
    ):
        load("epic", folder)


def test_another_rankers_directory_is_refused(tiny_model, tmp_path):
    load("mono_bert", tiny_model).save(tmp_path)
    with pytest.raises(UserError, match=r"saved by the ranker 'mono_bert'; 'epic' starts from .* the form encoder"):
        load("epic", tmp_path)
