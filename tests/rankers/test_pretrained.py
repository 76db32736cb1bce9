"""The layer that scores keeps its digits under autocast."""

import copy

import torch

from robustdr.rankers.mono_bert import MonoBert
from robustdr.rankers.mono_t5 import MonoT5
from robustdr.rankers.pretrained import exact
from robustdr.rankers.ranker import load


def test_scores_of_a_layer_do_not_tie_in_bfloat16():
    torch.manual_seed(0)
    layer, inputs = torch.nn.Linear(32, 1), torch.randn(500, 32)
    exact(exact_layer := copy.deepcopy(layer))
    again = copy.deepcopy(exact_layer)
    with torch.autocast("cpu", torch.bfloat16):
        rounded, whole = layer(inputs), exact_layer(inputs.bfloat16())
    assert rounded.unique().numel() < 400 and whole.unique().numel() == 500 and whole.dtype == torch.float32
    torch.testing.assert_close(whole, layer(inputs), atol=0.01, rtol=0)
    torch.nn.init.zeros_(again.weight)
    assert again(inputs).unique().tolist() == again.bias.tolist()  # a copy has weights of its own


def test_the_rankers_keep_the_digits_of_their_scores(tiny_model, tiny_seq2seq):
    """A logit with 8 bits has zeros in the last 16 of single precision."""
    pair = [("what is a river", "a river flows to the sea")]
    for name, folder, kind in (("mono_bert", tiny_model, MonoBert), ("mono_t5", tiny_seq2seq, MonoT5)):
        ranker = load(name, folder, precision="bfloat16", seed=1)
        assert isinstance(ranker, kind)
        score = torch.from_numpy(ranker.predict(pair, 16, 16, [("q", "d")]))
        assert score.view(torch.int32).item() & 0xFFFF
