"""Tevatron as an engine: the same losses and gradients as ours on the same batches, and a model of its own."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import torch
from transformers import set_seed

from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.training.dense import Student
from robustdr.training.tevatron import Groups, QPCollator, TrainDataset, data_arguments, dense_model, train
from training.models import corpus_of, examples_of, files, log, same, weights

ROOT = Path(__file__).parents[2]


@pytest.fixture()
def engine(training_file, tiny_model, settings, tmp_path):
    """`engine("name", seed=…, …)`: let Tevatron train the tiny model into tmp_path/name."""

    def run(name, seed=1, data=training_file, **changes):
        cost, files = tmp_path / f"{name}.json", {"corpus": [corpus_of(data)]}
        train(replace(settings, **changes), seed, data, tiny_model, tmp_path / name, cost, files)
        return tmp_path / name

    return run


@pytest.mark.parametrize("encoders", ["shared", "separate"])
@pytest.mark.parametrize("queries", ["query", "variation"])
def test_20_steps_have_our_losses_and_gradients(training_file, tiny_model, settings, encoders, queries):
    """Both engines take the same batches of texts; after every step both have the weights of ours."""
    settings = replace(settings, encoders=encoders, loss={"name": "contrastive", "queries": queries})
    examples, route_files = examples_of(training_file), {"corpus": [corpus_of(training_file)]}
    student = Student.load(settings, 1, examples, tiny_model, route_files)
    model, theirs = dense_model(settings, tiny_model, settings.batch_size)
    model.train()
    arguments, encoder = data_arguments(settings), theirs["query"]
    dataset = TrainDataset(arguments, Groups(examples, queries, encoder.separator), encoder.tokenizer)
    collator = QPCollator(encoder.tokenizer, max_q_len=16, max_p_len=24)
    feed = Student.feed(settings, 1, training_file, tiny_model, route_files)
    parameters = {
        f"{route}.{name}": parameter
        for route, route_encoder in theirs.items()
        for name, parameter in route_encoder.model.named_parameters()
        if parameter.requires_grad
    }
    assert parameters.keys() == student.parameters.keys()
    losses = []
    for number, step in enumerate(islice(feed.run(0, 20), 20)):
        (ready,) = student.ready(step)
        ours = sum(student.terms(ready, number).values())
        student.backward(ours)
        passages = [passage.read_passage().joined(encoder.separator) for passage in step.passages]
        rows = [
            (
                dataset.create_one_example(text, is_query=True),
                [dataset.create_one_example(passage) for passage in passages[3 * place : 3 * place + 3]],
            )
            for place, text in enumerate(getattr(step, queries))
        ]
        loss = model(*collator(rows)).loss
        loss.backward()
        assert loss.item() == pytest.approx(ours.item(), abs=1e-5), number
        for name, parameter in student.parameters.items():
            if parameter.grad is None:
                assert parameters[name].grad is None, name
                continue
            torch.testing.assert_close(parameters[name].grad, parameter.grad, atol=1e-5, rtol=1e-4, msg=name)
            parameter.data -= 0.05 * parameter.grad
            parameters[name].data.copy_(parameter.data)  # else last digits add up, on some processors to more than 1e-5
            parameter.grad = parameters[name].grad = None
        losses.append(loss.item())
    assert len(losses) == 20 and losses[-1] != losses[0]


def test_a_model_of_tevatron_is_read_as_ours_and_depends_on_the_seed_alone(engine, fit, tiny_model):
    model = engine("model")
    assert files(model) == files(fit("ours"))
    assert [int(row["step"]) for row in log(model)] == list(range(1, 16))
    assert not same(model, tiny_model)
    frozen = "embeddings.word_embeddings.weight"
    assert torch.equal(weights(model)[frozen], weights(tiny_model)[frozen])
    set_seed(7)  # what ran before it in the process has no part
    assert same(engine("again"), model) and not same(engine("other", seed=2), model)


def test_it_learns(engine):
    losses = [float(row["loss"]) for row in log(engine("model", epochs=8.0))]
    assert sum(losses[-6:]) < 0.8 * sum(losses[:6])


def test_the_rate_warms_up_and_falls(engine):
    """15 steps, 3 of them warm-up: the rate is 1/3, 2/3 and 1 of the highest at the ends of these steps."""
    rates = [float(row["learning_rate"]) for row in log(engine("model"))]
    assert max(rates) == pytest.approx(1e-3) and rates.index(max(rates)) in (2, 3) and rates[-1] < 2e-4


def test_too_few_examples(engine, training_file):
    with pytest.raises(UserError, match=r"batches of 64 need at least 64 examples; the data has 26"):
        engine("model", batch_size=64)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ("loss: {name: self_teaching}", "loss: 'self_teaching'; Tevatron has 'contrastive' alone"),
        ("assign: fresh", "Tevatron reads one text of a query; remove `assign` and `augmentation`"),
    ],
)
def test_what_tevatron_cannot_do_is_refused(tmp_path, changes, message):
    overlay = tmp_path / "papers/mine"
    overlay.mkdir(parents=True)
    recipe = (
        "{<<: {label: x, kind: tevatron, collection: msmarco-passage, initial: base, negatives: bm25, budget: passage, "
        "variations: [misspell], loss: {name: contrastive, queries: variation}}, " + changes + "}"
    )
    (overlay / "experiment.yaml").write_text(
        f"title: Mine\nreference: none\nseeds: [1]\nevaluation: {{}}\nsystems:\n  mine: {recipe}\ntables: {{}}\n",
        encoding="utf-8",
    )
    with pytest.raises(UserError, match=message):
        load(ROOT / "config", tmp_path)
