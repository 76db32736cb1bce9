"""Steps of the training loop against plain transformers: vectors, losses, clipping and AdamW computed anew."""

import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoModel, AutoTokenizer

from robustdr import losses
from robustdr.collections.rows import Corpus
from robustdr.losses.batch import Batch
from robustdr.retrieval.embeddings import write_embeddings
from robustdr.retrieval.settings import EmbedSettings
from robustdr.training.dense import derangement
from robustdr.training.feed import Feed
from training.models import corpus_of, examples_of, log, weights

QUERY_LENGTH, PASSAGE_LENGTH = 6, 20  # most queries and passages are cut, and not to the same length
STEPS, RATE, DECAY, NORM = 3, 1e-2, 5.0, 0.5
TEACHER = {"teacher_query", "teacher_passages"}


@pytest.fixture()
def teacher(still_model, tmp_path) -> Path:
    """A model that disagrees with the one that is trained."""
    folder = shutil.copytree(still_model, tmp_path / "teacher")
    torch.manual_seed(3)
    drawn = {name: tensor + 0.1 * torch.randn_like(tensor) for name, tensor in weights(folder).items()}
    save_file(drawn, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.fixture()
def teacher_embeddings(teacher, training_file, tmp_path) -> list[Path]:
    settings = EmbedSettings(PASSAGE_LENGTH, "float32", "float32", threads=1)
    corpus = corpus_of(training_file)
    write_embeddings(settings, teacher, corpus, len(Corpus(corpus)), 0, 1, tmp_path / "0.npy")
    return [tmp_path / "0.npy"]


class Plain:
    """A model of mean pooling, as its users run it."""

    def __init__(self, folder: Path):
        self.model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)

    def __call__(self, texts: list[str], length: int) -> torch.Tensor:
        tokens = self.tokenizer(texts, truncation=True, max_length=length, padding=True, return_tensors="pt")
        mask = tokens["attention_mask"].unsqueeze(-1)
        return (self.model(**tokens).last_hidden_state * mask).sum(1) / mask.sum(1)


def trained_plainly(loss: dict, data: Path, initial: Path, teacher: Path) -> tuple[list[dict], dict[str, torch.Tensor]]:
    """The log and the weights after `STEPS` steps that decay linearly, without warm-up."""
    examples = examples_of(data)
    student, anchor, teacher_model = Plain(initial), Plain(initial), Plain(teacher)
    function, needs = losses.create(**loss), losses.check(**loss)
    moments = {name: (torch.zeros_like(p), torch.zeros_like(p)) for name, p in student.model.named_parameters()}
    rows = []
    for number, seen in enumerate(Feed(examples, 4, 2, 0.0, 1).run(0, STEPS)):
        passages = [passage.read_passage().joined(" [SEP] ") for passage in seen.passages]
        batch = Batch(positive=torch.arange(4) * 3)
        batch.query, batch.variation = student(seen.query, QUERY_LENGTH), student(seen.variation, QUERY_LENGTH)
        own = [text for at in seen.examples for text in examples[at].variations]
        batch.variations = student(own, QUERY_LENGTH).reshape(4, len(own) // 4, -1)
        if passages:
            batch.passages = student(passages, PASSAGE_LENGTH)
        with torch.no_grad():
            batch.anchor = anchor(seen.query, QUERY_LENGTH)
            batch.negative = torch.tensor(derangement(4, 1, "negative query", number))
            if needs & TEACHER:
                batch.teacher_query = teacher_model(seen.query, QUERY_LENGTH)
                batch.teacher_passages = teacher_model(passages, PASSAGE_LENGTH)
        terms = function(batch)
        student.model.zero_grad()
        sum(terms.values()).backward()
        found = {name: p.grad for name, p in student.model.named_parameters() if p.grad is not None}
        norm = torch.cat([gradient.flatten() for gradient in found.values()]).norm()
        rows.append({"gradient_norm": norm.item(), **{name: term.item() for name, term in terms.items()}})
        rate = RATE * (STEPS - number) / STEPS
        with torch.no_grad():
            for name, gradient in found.items():
                parameter, (first, second) = student.model.get_parameter(name), moments[name]
                gradient = gradient * min(1, NORM / norm)
                first.mul_(0.9).add_(0.1 * gradient)
                second.mul_(0.999).add_(0.001 * gradient**2)
                if not name.endswith("bias") and "LayerNorm" not in name:
                    parameter -= rate * DECAY * parameter
                scale = (second / (1 - 0.999 ** (number + 1))).sqrt() + 1e-8
                parameter -= rate * first / (1 - 0.9 ** (number + 1)) / scale
    return rows, student.model.state_dict()


@pytest.mark.parametrize(
    "loss",
    [
        {"name": "contrastive"},
        {"name": "contrastive", "queries": "variation"},
        {"name": "self_teaching"},
        {"name": "rodr"},
        {"name": "capot"},
        {"name": "capot_mined"},
        {"name": "intent"},
        {"name": "dual_contrastive"},
    ],
    ids=lambda loss: "-".join(loss.values()),
)
def test_steps_are_those_of_plain_transformers(
    fit, loss, training_file, queries_file, intents_file, still_model, teacher, teacher_embeddings
):
    data = {"capot": queries_file, "capot_mined": queries_file, "intent": intents_file}.get(loss["name"], training_file)
    model = fit(
        "model",
        data=data,
        initial=still_model,
        teacher=[teacher],
        teacher_embeddings=teacher_embeddings,
        loss=loss,
        epochs=STEPS / 6,
        query_length=QUERY_LENGTH,
        passage_length=PASSAGE_LENGTH,
        learning_rate=RATE,
        warmup=0.0,
        weight_decay=DECAY,
        max_gradient_norm=NORM,
        freeze_word_embeddings=False,
    )
    rows, expected = trained_plainly(loss, data, still_model, teacher)
    assert all(row["gradient_norm"] > NORM for row in rows)
    assert [{name: float(row[name]) for name in rows[0]} for row in log(model)] == [
        pytest.approx(row, rel=2e-3) for row in rows
    ]
    found, start = weights(model), weights(still_model)
    for name in found:
        # Attention does not depend on the bias of its keys: this gradient is noise, and Adam scales it up.
        if not name.endswith("key.bias"):
            moved = (expected[name] - start[name]).abs().mean()
            assert (found[name] - expected[name]).abs().mean() <= 0.01 * moved, name
