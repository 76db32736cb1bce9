"""The pre-training model: its loss against NumPy, what both sides share, and what is written of it."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertForMaskedLM

from rankers.numpy_transformers import arrays, bert_embeddings, bert_layers, gelu, layer_norm
from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.encoding.directory import SHARED_FILES
from robustdr.encoding.encoder import Encoder
from robustdr.pretraining.student import Student
from training.models import files, log, same
from training.test_resume import Interrupted, stop_after


def cross_entropies(w, head, table, vectors, targets, ordinary):
    """−log softmax of every target's score: LN(gelu(W h + b)) · e + c over the pieces that the head tells apart."""
    found = []
    for at, piece in targets.items():
        inner = gelu(w[f"{head}.dense.weight"] @ vectors[at] + w[f"{head}.dense.bias"])
        gain, shift = w[f"{head}.norm.weight"], w[f"{head}.norm.bias"]
        normed = layer_norm(np.array([inner]), gain, shift, 1e-12)[0]
        scores = [normed @ table[token] + w[f"{head}.bias"][row] for row, token in enumerate(ordinary)]
        highest = max(scores)
        total = highest + math.log(sum(math.exp(score - highest) for score in scores))
        found.append(total - scores[ordinary.index(piece)])
    return found


@pytest.fixture()
def student(tiny_model, feed):
    """`student(decoder_layers=…, …)`: the steps, and the tiny model in double precision with a head that is drawn."""

    def make(**changes):
        made = feed(dropout=0.0, frozen_steps=0, **changes)
        loaded = Student.load(made.settings, 1, made.examples, tiny_model, {})
        torch.manual_seed(0)
        for name, parameter in loaded.model.named_parameters():
            if "head" in name:
                torch.nn.init.normal_(parameter, std=0.5)
        loaded.model.double()
        return made, loaded

    return make


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("changes", [{"decoder_layers": 1}, {"variant": "released", "vocabulary": "corpus"}])
def test_the_loss_is_that_of_the_paper(student, changes, pooling):
    """Mean CE over the encoder's targets + mean CE over the decoder's, whose first vector is the encoder's of the text.

    In NumPy, text by text, from the weights of each module.
    """
    feed, student = student(**changes)
    model, ordinary, seen = student.model, feed.examples.ordinary, feed[3]
    model.read_by.pooling = pooling
    encoder, decoder, heads = arrays(model.encoder), arrays(model.decoder), arrays(model)
    outside = "embeddings.embeddings."
    of_encoder, of_decoder = [], []
    for shown in seen.masked:
        types, config = [0] * len(shown.encoder.tokens), model.encoder.config
        embedded = bert_embeddings(encoder, config, shown.encoder.tokens, types, "embeddings.")
        hidden = bert_layers(encoder, config, embedded, "")
        table = encoder["embeddings.word_embeddings.weight"]
        of_encoder += cross_entropies(heads, "head", table, hidden, shown.encoder.targets, ordinary)

        types, config = [0] * len(shown.decoder.tokens), model.decoder.config
        embedded = bert_embeddings(decoder, config, shown.decoder.tokens, types, outside)
        embedded[0] = hidden[0] if pooling == "cls" else sum(hidden) / len(hidden)
        hidden = bert_layers(decoder, config, embedded, "")
        table = decoder[f"{outside}word_embeddings.weight"]
        of_decoder += cross_entropies(heads, "decoder_head", table, hidden, shown.decoder.targets, ordinary)
    terms = student.terms(*student.ready(seen), 0)
    assert list(terms) == ["encoder", "decoder"]
    assert terms["encoder"].item() == pytest.approx(sum(of_encoder) / len(of_encoder), abs=1e-6)
    assert terms["decoder"].item() == pytest.approx(sum(of_decoder) / len(of_decoder), abs=1e-6)


def test_the_decoder_reads_nothing_of_the_encoder_but_its_vector(student):
    """Gradients of its loss reach the encoder's layers through the vector, and vanish where that is cut off."""
    feed, student = student()
    weight = student.model.encoder.encoder.layer[0].attention.self.query.weight
    student.terms(*student.ready(feed[0]), 0)["decoder"].backward()
    assert weight.grad.abs().sum() > 0
    weight.grad = None
    pool = student.model.read_by.pool
    student.model.read_by.pool = lambda *arguments: pool(*arguments).detach()
    student.terms(*student.ready(feed[0]), 0)["decoder"].backward()
    assert weight.grad is None


@pytest.mark.parametrize("variant, shared", [("released", True), ("paper", False)])
def test_what_decoder_and_encoder_share(student, variant, shared):
    _, student = student(variant=variant, decoder_layers=1)
    model = student.model
    assert (model.decoder_words is model.words) == (model.decoder_head is model.head) == shared
    assert (model.begun.embeddings is model.encoder.embeddings) == shared
    own, copied = model.encoder.encoder.layer, model.decoder.encoder.layer
    assert len(copied) == 1 and own[-1] is not copied[0]
    assert torch.equal(own[-1].output.dense.weight, copied[0].output.dense.weight)
    assert torch.equal(model.words.weight, model.decoder_words.weight)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_loss_is_a_mean_over_pieces(student, number):
    """A head of zeros gives each of the n pieces it tells apart the same score: ln n for each."""
    model = student()[1].model
    for parameter in model.head.parameters():
        torch.nn.init.zeros_(parameter)
    read = torch.ones(number, 32, dtype=torch.float64), torch.arange(number)
    expected = math.log(len(model.ordinary)) if number else 0
    assert model.loss(model.head, model.words, read).item() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("variant", ["paper", "released"])
def test_what_is_new_is_fitted_first_and_leaves_the_encoder_as_it_is(feed, tiny_model, variant):
    made = feed(frozen_steps=30, frozen_learning_rate=1e-2, variant=variant)
    student = Student.load(made.settings, 1, made.examples, tiny_model, {})
    drawn = Student.load(replace(made.settings, frozen_steps=0), 1, made.examples, tiny_model, {})
    before, after = drawn.model.encoder.state_dict(), student.model.encoder.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert student.parameters.keys() == drawn.parameters.keys()  # all of it learns from here on
    shown = made[60].masked
    with torch.no_grad():
        fitted, new = (trained.model.eval()(shown) for trained in (student, drawn))
    for side in ("encoder", "decoder"):
        assert fitted[side].item() < 0.9 * new[side].item(), side


def test_what_is_new_is_fitted_by_adamw_without_decay(feed, tiny_model):
    """On the first steps, with the gradients' norm cut and a rate that falls to zero; the encoder drops nothing out."""
    rate, norm = 1e-2, 0.1
    made = feed(
        frozen_steps=3, frozen_learning_rate=rate, warmup=0.0, weight_decay=9.0, max_gradient_norm=norm, dropout=0.3
    )
    found = Student.load(made.settings, 1, made.examples, tiny_model, {}).parameters
    plain = Student.load(replace(made.settings, frozen_steps=0), 1, made.examples, tiny_model, {})
    plain.model.eval()
    new = [name for name in plain.parameters if not name.startswith("encoder.")]
    optimiser = torch.optim.AdamW([plain.parameters[name] for name in new], weight_decay=0.0)
    for step in range(3):
        optimiser.zero_grad()
        sum(plain.model(made[step].masked).values()).backward()
        assert torch.nn.utils.clip_grad_norm_(optimiser.param_groups[0]["params"], norm) > norm
        optimiser.param_groups[0]["lr"] = rate * (3 - step) / 3
        optimiser.step()
    assert new and all(torch.allclose(found[name], plain.parameters[name], atol=1e-6) for name in new)


def test_the_encoder_is_loaded_to_be_trained(feed, tiny_model):
    """In training mode, with the settings' dropout, in single precision; its word embeddings unless they are frozen."""
    made = feed(dropout=0.3, precision="bfloat16", frozen_steps=1)
    free, frozen = (
        Student.load(replace(made.settings, freeze_word_embeddings=freeze), 1, made.examples, tiny_model, {})
        for freeze in (False, True)
    )
    words = {"encoder.embeddings.word_embeddings.weight", "decoder_words.weight"}
    assert free.parameters.keys() - frozen.parameters.keys() == words
    assert {parameter.dtype for parameter in free.parameters.values()} == {torch.float32}
    assert {m.p for m in free.model.modules() if isinstance(m, torch.nn.Dropout) and m.training} == {0.3}


@pytest.mark.parametrize("old", [False, True])
def test_a_checkpoint_s_own_head_goes_on_where_it_was(feed, tiny_model, tmp_path, old):
    """The scores are those of transformers' BertForMaskedLM; old files have other names for a layer norm's parts."""
    torch.manual_seed(1)
    bert = BertForMaskedLM.from_pretrained(tiny_model).eval()
    for parameter in bert.cls.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    bert.save_pretrained(tmp_path)
    bert.bert.embeddings.word_embeddings.weight.data = Encoder(tiny_model).model.get_input_embeddings().weight.data
    bert.tie_weights()
    file = tmp_path / "model.safetensors"
    if old:
        names = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
        weights = load_file(file)
        for new, name in names.items():
            weights[f"cls.predictions.transform.{name}"] = weights.pop(f"cls.predictions.transform.{new}")
        save_file(weights, file)
    made = feed(head={"path": str(tmp_path)}, frozen_steps=0, vocabulary="corpus", bottleneck=False)
    model = Student.load(made.settings, 1, made.examples, tiny_model, {}).model
    vectors = torch.randn(3, bert.config.hidden_size)
    expected = bert.cls(vectors)[:, made.examples.ordinary]
    assert 1 < len(made.examples.ordinary) < bert.config.vocab_size
    assert torch.allclose(model.head(vectors, model.words.weight[model.ordinary]), expected, atol=1e-5)
    with pytest.raises(UserError, match=r"no head of masked language modelling; cls\.predictions\. lacks bias"):
        Student.load(replace(made.settings, head={"path": str(tiny_model)}), 1, made.examples, tiny_model, {})


def test_the_encoder_alone_is_kept_as_a_checkpoint_that_others_read(pretrain, tiny_model):
    written = pretrain("one", checkpoint_every=100)
    assert files(written) == sorted([*SHARED_FILES, "training.csv"])
    names = load_file(tiny_model / "model.safetensors").keys()
    assert load_file(written / "model.safetensors").keys() == names
    assert not same(written, tiny_model)
    for name in set(SHARED_FILES) - {"model.safetensors", "README.md"}:
        assert (written / name).read_bytes() == (tiny_model / name).read_bytes(), name
    assert Encoder(written).encode(["the river"], 8).shape == (1, 32)
    assert list(log(written)[0])[-3:] == ["loss", "encoder", "decoder"]


def test_the_loss_falls(pretrain):
    losses = [float(row["loss"]) for row in log(pretrain("long", epochs=1.0, learning_rate=5e-3, frozen_steps=0))]
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


def test_a_resumed_pretraining_ends_with_the_same_bytes_and_so_does_one_with_workers(pretrain, tmp_path, monkeypatch):
    whole = pretrain("whole")
    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        stop_after(2, patch)
        pretrain("resumed")
    assert json.loads((tmp_path / "resume" / "resumed" / "state.json").read_text())["step"] == 8
    resumed = pretrain("resumed", workers=1)
    assert files(resumed) == files(whole)
    for name in files(whole):
        assert sha256(resumed / name) == sha256(whole / name), name


def test_the_shares_are_printed(pretrain, capsys):
    pretrain("one", bottleneck=False, typo=0.0)
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith("tiny: 200 passages; words misspelled: 0.0%; pieces for the encoder to recover: 30.0%; ")
    assert line.endswith("pieces for the decoder to recover: 0.0%")


def test_a_decoder_deeper_than_the_encoder(feed, tiny_model):
    made = feed(decoder_layers=3)
    with pytest.raises(UserError, match=r"decoder_layers: 3; allowed: at most 2, the encoder's layers"):
        Student.load(made.settings, 1, made.examples, tiny_model, {})
