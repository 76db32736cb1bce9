"""The training loop: what it writes, that it can be interrupted, and that bad numbers stop it."""

import json
import math
import sys
import threading
import time
from itertools import count

import numpy as np
import pytest
import torch
import yaml
from sentence_transformers import SentenceTransformer
from tests.encoding.shapes import ROUTER_FILES

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.core.settings import deciding
from robustdr.encoding.directory import SHARED_FILES
from robustdr.encoding.encoder import Encoder
from robustdr.training import distributed
from robustdr.training.loop import AHEAD, ahead
from training.models import files, log, same

RODR = {"name": "rodr", "nll": 1.0, "query_alignment": 1.0, "passage_alignment": 0.2}


# what it writes


def test_the_model_is_a_directory_of_sentence_transformers(fit, settings):
    model = fit("model")
    loaded = SentenceTransformer(str(model), device="cpu", local_files_only=True)
    loaded.max_seq_length = 16
    texts = ["what is the meaning of music", "gold"]
    cosine = torch.nn.functional.cosine_similarity(
        torch.from_numpy(Encoder(model).encode(texts, 16)), loaded.encode(texts, convert_to_tensor=True)
    )
    assert cosine.min() > 0.999  # half precision on one side
    card = (model / "README.md").read_text()
    assert "(seed 1, step 15 of 15)" in card
    assert yaml.safe_load(card.partition("```yaml\n")[2].partition("```")[0]) == deciding(settings)


@pytest.mark.parametrize("encoders, expected", [("shared", SHARED_FILES), ("separate", ROUTER_FILES)])
def test_the_files_of_a_model(fit, encoders, expected):
    assert files(fit("model", encoders=encoders)) == sorted([*expected, "training.csv"])


def test_what_a_training_cost(fit, tmp_path):
    began = time.monotonic()
    fit("model")
    cost = json.loads((tmp_path / "costs/model.json").read_text())
    assert set(cost) == {"seconds", "peak_memory_mb", "device", "processes"}
    assert 0 < cost["seconds"] < time.monotonic() - began
    assert 100 < cost["peak_memory_mb"] < 10_000 or torch.cuda.is_available()
    assert cost["device"] == (torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU")
    assert cost["processes"] == 1


def test_the_first_process_alone_shows_how_far_it_is_and_writes_the_model(fit, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)  # there is no bar elsewhere
    monkeypatch.setattr(distributed, "start", lambda: (0, 2))
    fit("first", devices=2)
    seconds = json.loads((tmp_path / "costs/first.json").read_text())["seconds"]
    printed, bar = capsys.readouterr()
    assert printed == f"tiny: 8 steps; all 8: {8 * 2 * 4 / seconds:.0f} queries/s\n"
    assert "8/8" in bar and "loss=" in bar
    monkeypatch.setattr(distributed, "start", lambda: (1, 2))
    fit("second", devices=2)
    printed, bar = capsys.readouterr()
    assert not printed and "8/8" not in bar and not (tmp_path / "second").exists()


def test_the_log_has_a_line_a_step(fit):
    rows = log(fit("model"))
    assert [int(row["step"]) for row in rows] == list(range(1, 16))
    assert [int(row["epoch"]) for row in rows] == [0] * 6 + [1] * 6 + [2] * 3
    assert all(math.isclose(float(row["loss"]), float(row["nll"])) for row in rows)
    rates = [float(row["learning_rate"]) for row in rows]
    assert rates[:4] == pytest.approx([0, 1e-3 / 3, 2e-3 / 3, 1e-3])
    assert rates[3:] == sorted(rates[3:], reverse=True)


def test_the_rate_may_stay_and_the_gradients_may_be_unlimited(fit):
    rows = {limit: log(fit(str(limit), decay=False, max_gradient_norm=limit)) for limit in (None, 1e9, 1e-3)}
    rates = [float(row["learning_rate"]) for row in rows[None]]
    assert rates == pytest.approx([0, 1e-3 / 3, 2e-3 / 3] + [1e-3] * 12)
    assert rows[None] == rows[1e9] != rows[1e-3]


def test_training_learns(fit):
    losses = [float(row["loss"]) for row in log(fit("model", epochs=12.0, learning_rate=3e-3))]
    assert np.mean(losses[-12:]) < 0.7 * np.mean(losses[:12])
    assert np.mean(losses[-12:]) < 0.9 * math.log(12)  # better than a guess among the 12 passages of a batch


def test_another_seed_makes_another_model(fit):
    assert not same(fit("one", seed=1), fit("other", seed=2))


def test_the_loss_is_the_sum_of_its_terms(fit, tiny_model, embeddings):
    rows = log(fit("model", loss=RODR, epochs=1.0, teacher=[tiny_model], teacher_embeddings=embeddings))
    terms = {"nll", "query_alignment", "passage_alignment"}
    assert set(rows[0]) == {"step", "epoch", "learning_rate", "gradient_norm", "loss", *terms}
    for row in rows:
        assert float(row["loss"]) == pytest.approx(sum(float(row[name]) for name in terms), rel=1e-5)


def test_snapshots_are_models_of_their_own(fit, tmp_path):
    paths = {0.4: tmp_path / "early", 1.0: tmp_path / "late"}
    model = fit("model", snapshots=paths)
    assert "step 6 of 15" in (paths[0.4] / "README.md").read_text()
    assert not same(paths[0.4], model)
    assert same(paths[1.0], model)
    assert sha256(model / "model.safetensors") == sha256(fit("without") / "model.safetensors")


def test_snapshots_of_the_same_step_are_all_written(fit, tmp_path):
    paths = {0.01: tmp_path / "one", 0.02: tmp_path / "other"}
    fit("model", snapshots=paths)
    assert same(*paths.values())
    assert all("step 1 of 15" in (path / "README.md").read_text() for path in paths.values())


def test_one_query_is_enough(fit, training_file, tmp_path):
    (tmp_path / "data.jsonl").write_text(training_file.read_text().splitlines(keepends=True)[0])
    assert len(log(fit("model", data=tmp_path / "data.jsonl", batch_size=1, epochs=1.0))) == 1


# bad numbers


def test_a_loss_that_is_not_finite_is_one_error_and_leaves_nothing(fit, tmp_path, training_file):
    with pytest.raises(UserError) as caught:
        fit("broken", learning_rate=1e38, epochs=4.0, snapshots={1.0: tmp_path / "snapshot"})
    message = str(caught.value)
    assert message.startswith(f"{training_file}: the loss is not finite at step ")
    assert "queries q" in message and message.endswith("try a learning_rate below 1e+38 for tiny")
    assert "\n" not in message
    assert not (tmp_path / "broken").exists() and not (tmp_path / "snapshot").exists()


def test_fewer_examples_than_a_batch_holds(fit, tmp_path):
    with pytest.raises(UserError, match="training: batches of 27 need at least 27 examples; the data has 26"):
        fit("model", batch_size=27)
    assert not (tmp_path / "model").exists()


def test_a_loss_that_needs_passages_on_queries_alone(fit, queries_file):
    with pytest.raises(UserError, match=r"systems\.tiny: the loss contrastive needs passages; name its `negatives`"):
        fit("model", data=queries_file)


# steps that another thread prepares


def test_steps_come_in_order_each_with_what_was_made_of_it_in_another_thread():
    made_in = set()

    def prepare(step):
        made_in.add(threading.current_thread())
        return step * step

    assert list(ahead(iter(range(1, 20)), prepare)) == [(n, n * n) for n in range(1, 20)]
    assert len(made_in) == 1 and threading.main_thread() not in made_in
    assert list(ahead(iter(()), prepare)) == []


def test_a_few_steps_are_prepared_while_one_is_computed_and_no_more():
    prepared = threading.Semaphore(0)
    steps = count()
    made = ahead(steps, lambda _: prepared.release())
    next(made)
    for _ in range(AHEAD + 1):  # the first and those that wait
        assert prepared.acquire(timeout=60)
    assert not prepared.acquire(timeout=0.1)
    made.close()
    assert next(steps) == AHEAD + 1


def test_an_error_comes_at_the_turn_of_its_step():
    made = ahead(iter([1, 2, 0, 4]), lambda n: 4 // n)
    assert [next(made), next(made)] == [(1, 4), (2, 2)]
    with pytest.raises(ZeroDivisionError):
        next(made)
