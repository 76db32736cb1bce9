"""What every ranker over a transformer must do, whichever it is."""

import json
from dataclasses import asdict

import numpy as np
import torch

from robustdr.rankers import RANKERS
from robustdr.rankers.ranker import load, saved

PAIRS = [
    ("what is the meaning of music", "the light of a river"),
    ("king", "music is the energy of the king, gold and stone: water and light. what is a tree?"),
    ("what is the meaning of music", "music"),
    ("gold gold road", "a road"),
]


def scores(ranker, pairs=PAIRS, lengths=(8, 20)):
    with torch.inference_mode():
        return ranker.score(ranker.tokenise(pairs, *lengths))


def saves_and_loads(name, folder, output):
    """A saved ranker scores as before, bit for bit, and its directory holds what it declares and says what it is."""
    ranker = load(name, folder, seed=7)
    before = scores(ranker)
    output.mkdir()
    ranker.save(output)
    assert sorted(path.name for path in output.iterdir()) == sorted(RANKERS.facts(name).files)
    assert saved(output) == {"ranker": name, "settings": asdict(RANKERS.settings(name, {}))}
    assert json.loads((output / "config.json").read_text())["model_type"] in ("bert", "t5")
    assert f'load("{name}"' in (output / "README.md").read_text()
    again = load(name, output, seed=8)
    assert torch.equal(scores(again), before)
    assert len(set(before.tolist())) == len(PAIRS)


def pairs_do_not_see_each_other(ranker):
    """Alone, in a batch and in a batch of another order, a pair has one score."""
    together = scores(ranker)
    single_scores = torch.cat([scores(ranker, [pair]) for pair in PAIRS])
    backwards = scores(ranker, PAIRS[::-1]).flip(0)
    tokens = ranker.tokenise(PAIRS, 8, 20)
    with torch.inference_mode():
        padded = ranker(tokens)  # one group, whatever the lengths
    for batch_scores in (single_scores, backwards, padded):
        torch.testing.assert_close(batch_scores, together, atol=1e-6, rtol=0)


def gradients_are_differences(ranker, reference, tokens, module, per_weight=2, step=1e-5):
    """Gradients of the sum of the scores are central differences of the reference, in some entries of every weight."""
    ranker.double().requires_grad_(True)
    ranker(tokens).sum().backward()
    rng = np.random.default_rng(0)
    for name, parameter in module.named_parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        flat = gradient.flatten().abs()
        entries = {int(flat.argmax()), *rng.integers(0, flat.numel(), per_weight).tolist()}
        for entry in entries:
            differences = []
            for sign in (1, -1):
                with torch.no_grad():
                    value = parameter.view(-1)[entry].item()
                    parameter.view(-1)[entry] = value + sign * step
                differences.append(sum(reference(pair) for pair in tokens))
                with torch.no_grad():
                    parameter.view(-1)[entry] = value
            difference = (differences[0] - differences[1]) / (2 * step)
            assert abs(difference - gradient.flatten()[entry].item()) < 1e-5 * max(1, abs(difference)), (name, entry)
