"""monoT5: the prompt, the score, and what tokenizers it takes."""

import shutil

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

from rankers.checks import PAIRS, gradients_are_differences, pairs_do_not_see_each_other, saves_and_loads
from rankers.numpy_transformers import arrays, t5_stack
from robustdr.core.errors import UserError
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.settings import CheckpointSettings
from robustdr.rankers.ranker import load


@pytest.fixture(scope="module")
def t5(tmp_path_factory, words):
    """A tiny T5 with random weights and a unigram tokenizer as sentencepiece's, copied by the stage."""
    folder = tmp_path_factory.mktemp("t5")
    whole = [f"▁{word}" for word in (*words, "true", "false", "Query", "Document", "Relevant")]
    letters = ["▁", *"abcdefghijklmnopqrstuvwxyz:?.,QDR"]
    vocabulary = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", -20.0)]
    vocabulary += [(word, -3.0) for word in whole] + [(letter, -6.0) for letter in letters]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    names = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder / "source")
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=len(vocabulary),
        d_model=16,
        d_kv=4,
        d_ff=24,
        num_layers=2,
        num_decoder_layers=2,
        num_heads=2,  # 2 · 4 is not d_model, as in some T5s
        relative_attention_num_buckets=8,
        relative_attention_max_distance=10,
    )
    model = T5ForConditionalGeneration(config)
    model.config.decoder_start_token_id = model.generation_config.decoder_start_token_id = 0
    model.save_pretrained(folder / "source")
    settings = CheckpointSettings(name="tiny", description="", source={"path": str(folder / "source")}, form="seq2seq")
    write_checkpoint(settings, folder / "checkpoint")
    return folder / "checkpoint"


def reference(ranker):
    """log softmax(z_true, z_false)_true at the decoder's first step."""
    config = ranker.model.config
    true, false = (ranker.tokenizer(word, add_special_tokens=False)["input_ids"][0] for word in ("true", "false"))

    def score(pair):
        w = arrays(ranker.model)
        encoded = t5_stack(w, config, "encoder", pair[0])
        hidden = t5_stack(w, config, "decoder", [config.decoder_start_token_id], encoded)[0] / np.sqrt(config.d_model)
        logits = [w["shared.weight"][token] @ hidden for token in (true, false)]
        return logits[0] - np.log(np.exp(logits).sum())

    return score


@pytest.mark.parametrize("start", ["t5", "tiny_seq2seq"])
def test_scores_are_those_of_the_formula(request, start):
    ranker = load("mono_t5", request.getfixturevalue(start)).double()
    tokens = ranker.tokenise([*PAIRS, ("gold", "")], 8, 20)
    expected = [reference(ranker)(pair) for pair in tokens]
    np.testing.assert_allclose(ranker(tokens).detach().numpy(), expected, atol=1e-6)


def test_gradients_are_central_differences(t5):
    ranker = load("mono_t5", t5)
    tokens = ranker.tokenise([("king", "a road"), ("gold gold", "music")], 8, 20)
    gradients_are_differences(ranker, reference(ranker.double()), tokens, ranker.model)


def test_the_prompt_in_pieces_is_the_prompt_as_a_whole(t5):
    ranker = load("mono_t5", t5)
    for query, passage in [("what is music?", "the light, of a river."), ("xyz", "Gold: stone")]:
        whole = ranker.tokenizer(f"Query: {query} Document: {passage} Relevant:")["input_ids"]
        assert ranker.tokenise([(query, passage)], 99, 99) == [(whole,)]


@pytest.mark.parametrize("start, end", [("t5", "</s>"), ("tiny_seq2seq", "[SEP]")])
def test_the_end_of_the_prompt_stays(request, start, end):
    ranker = load("mono_t5", request.getfixturevalue(start))
    [(empty,)], [(cut,)] = (ranker.tokenise([pair], 3, 4) for pair in [("", ""), ("gold " * 9, "music " * 50)])
    names = ranker.tokenizer.convert_ids_to_tokens(cut)
    assert names[-1] == end
    assert [name.strip("▁") for name in names].count("gold") == 3
    assert [name.strip("▁") for name in names].count("music") == 4
    assert len(cut) == len(empty) + 7
    ask = ranker.tokenizer(" Relevant:", add_special_tokens=False)["input_ids"]
    assert cut[-len(ask) - 1 : -1] == ask


def test_pairs_do_not_see_each_other(t5):
    pairs_do_not_see_each_other(load("mono_t5", t5))


def test_saves_and_loads(t5, tmp_path):
    saves_and_loads("mono_t5", t5, tmp_path / "saved")


def test_what_it_saves_is_a_t5_of_transformers(t5, tmp_path):
    ranker = load("mono_t5", t5)
    (tmp_path / "saved").mkdir()
    ranker.save(tmp_path / "saved")
    model = T5ForConditionalGeneration.from_pretrained(tmp_path / "saved", local_files_only=True)
    ids = torch.tensor(ranker.tokenise(PAIRS[:1], 8, 20)[0])
    start = torch.tensor([[0]])
    theirs, saved_logits = (m(ids, decoder_input_ids=start).logits for m in (model, ranker.model))
    torch.testing.assert_close(theirs, saved_logits, atol=1e-5, rtol=0)


def test_words_that_are_no_single_piece_are_refused(tiny_seq2seq, tiny_model, tmp_path):
    folder = shutil.copytree(tiny_seq2seq, tmp_path / "mute")
    shutil.copy(tiny_model / "tokenizer.json", folder)
    with pytest.raises(UserError, match=r"mute: its tokenizer has no piece for 'true'; expected: a T5"):
        load("mono_t5", folder)


def test_directories_of_other_forms_are_refused(tiny_model, tmp_path):
    with pytest.raises(UserError, match=r"/model: holds 'bert' .* expected: a T5 checkpoint of the form seq2seq"):
        load("mono_t5", tiny_model)
    with pytest.raises(UserError, match=r"no transformer there .* expected: a T5 checkpoint"):
        load("mono_t5", tmp_path)


def test_a_damaged_directory_is_refused(t5, tmp_path):
    folder = shutil.copytree(t5, tmp_path / "cut")
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(UserError, match=r"cut: a damaged model .* expected: a T5 checkpoint"):
        load("mono_t5", folder)


def test_another_rankers_directory_is_refused(tiny_model, tmp_path):
    load("mono_bert", tiny_model).save(tmp_path)
    with pytest.raises(UserError, match=r"saved by the ranker 'mono_bert'; 'mono_t5' starts from .* the form seq2seq"):
        load("mono_t5", tmp_path)


def test_dropout_reaches_every_layer_and_is_seeded(t5):
    ranker = load("mono_t5", t5, training=True)
    tokens = ranker.tokenise(PAIRS, 8, 20)
    ranker.drop_out(0.0)  # that inside the attention is no layer of its own
    assert torch.equal(ranker.score(tokens, seed=1), ranker.score(tokens, seed=2))
    ranker.drop_out(0.3)
    assert torch.equal(ranker.score(tokens, seed=1), ranker.score(tokens, seed=1))
    assert not torch.allclose(ranker.score(tokens, seed=1), ranker.score(tokens, seed=2))
