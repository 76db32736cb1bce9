"""Trainings of rankers against scores of single pairs, computed anew, one pair at a time."""

import copy
import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers.models.bert.modeling_bert import BertLayer

from rankers.word_vectors import vectors_of
from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.rankers import RANKERS
from robustdr.rankers.ranker import load, saved
from robustdr.retrieval.rerank import rankings
from robustdr.retrieval.runs import write_run
from robustdr.retrieval.settings import RerankSettings
from robustdr.training import loop
from robustdr.training.feed import Feed
from robustdr.training.rerank import Student
from robustdr.training.scores import read_scores
from training.models import corpus_of, examples_of, files, log, passages_of, same, weights
from training.test_distributed import TORCHRUN, arguments, launch
from training.test_resume import Interrupted, stop_after

QUERY_LENGTH, PASSAGE_LENGTH = 3, 8  # most queries and passages are cut, each to its own length
STEPS, DECAY, NORM = 3, 0.5, 0.05
RATES = {"mono_bert": 1e-2, "knrm": 1e-5}  # far below the width of the kernel of exact matches, 0.001
# Attention does not depend on the bias of its keys, nor a loss over differences on what is added to all scores: these
# gradients are noise, and Adam scales it up.
IDLE = ("key.bias", "classifier.bias", "linear.bias")


@pytest.fixture(scope="module")
def cross_with_layer(tmp_path_factory, tiny_model):
    """A directory of intent's ranker, head and layer drawn."""
    folder = tmp_path_factory.mktemp("cross_with_layer")
    load("intent_bert", tiny_model, seed=3).save(folder)
    return folder


@pytest.fixture()
def fit(cross, cross_with_layer, word_vectors, training_file, ranker_settings, tmp_path):
    """`fit("name", "knrm", …)`: train this ranker into tmp_path/name, with other settings where given."""

    def run(name, ranker="mono_bert", seed=1, initial=None, data=training_file, read=None, snapshots=None, **changes):
        initial = initial or {"mono_bert": cross, "intent_bert": cross_with_layer}.get(ranker, word_vectors)
        output, resume = tmp_path / name, tmp_path / "resume" / name
        cost = tmp_path / "costs" / f"{name}.json"
        told = ranker_settings(ranker, **changes)
        read = {"corpus": [corpus_of(training_file)], **(read or {})}
        loop.train("robustdr.training.rerank", told, seed, "key", data, initial, output, cost, resume, read, snapshots)
        return output

    return run


class PlainBert(torch.nn.Module):
    """A classifier of sequences as its users run it, one pair at a time."""

    def __init__(self, folder):
        super().__init__()
        self.model = AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager")
        self.tokenizer = AutoTokenizer.from_pretrained(folder)

    def ids(self, query, passage):
        query, passage = (self.tokenizer(text, add_special_tokens=False)["input_ids"] for text in (query, passage))
        first, end = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        return torch.tensor([[first, *query[:QUERY_LENGTH], end, *passage[:PASSAGE_LENGTH], end]])

    def forward(self, query, passage):
        return self.model(self.ids(query, passage)).logits[0, 0]

    def named(self):
        return dict(self.model.named_parameters())


class PlainKNRM(torch.nn.Module):
    """w · Σ_i log(Σ_j exp(−(cos(q_i, d_j) − μ)² / 2σ²) + 1e-6) + b, from what seed 1 draws."""

    def __init__(self, folder):
        super().__init__()
        self.vectors = load("knrm", folder)
        drawn = load("knrm", folder, seed=1)
        self.weight, self.bias = (torch.nn.Parameter(p.data.clone()) for p in (drawn.linear.weight, drawn.linear.bias))
        self.mu = torch.nn.Parameter(torch.tensor([*np.arange(-9, 10, 2) / 10, 1.0], dtype=torch.float64))
        self.sigma = torch.nn.Parameter(torch.tensor([0.1] * 10 + [0.001], dtype=torch.float64))

    def forward(self, query, passage):
        queries, passages = (map(torch.tensor, words) for words in vectors_of(self.vectors, (query, passage)))
        queries, passages = [*queries][:QUERY_LENGTH], [*passages][:PASSAGE_LENGTH]
        features = torch.zeros(11, dtype=torch.float64)
        for q in queries:
            cosines = [(q @ p) / (q.norm() * p.norm()) for p in passages]
            near = [torch.exp(-((cosine - self.mu) ** 2) / (2 * self.sigma**2)) for cosine in cosines]
            features = features + torch.log(sum(near) + 1e-6)
        return (self.weight[0] @ features + self.bias[0]).float()

    def named(self):
        places = {"linear.weight": self.weight, "linear.bias": self.bias}
        return {**places, "kernels.mu": self.mu, "kernels.sigma": self.sigma}


LOSSES = {
    "pairwise": lambda rows: (
        sum(torch.sigmoid(s - row[0]) for row in rows for s in row[1:]) / sum(len(r) - 1 for r in rows)
    ),
    "lce": lambda rows: sum(torch.log(sum(map(torch.exp, row))) - row[0] for row in rows) / len(rows),
}


def trained_plainly(plain, rate, loss, side, data):
    """The log and the weights after `STEPS` steps that decay linearly, pairs taken from the training file by hand."""
    lines = {line["query_id"]: line for line in map(json.loads, data.read_text().splitlines())}
    corpus = [json.loads(line) for line in corpus_of(data).read_text().splitlines()]
    qids = list(lines)
    parameters, rows = plain.named(), []
    groups = [
        {"params": [p for p in parameters.values() if p.ndim > 1], "weight_decay": DECAY},
        {"params": [p for p in parameters.values() if p.ndim == 1], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups)
    for number, seen in enumerate(Feed(examples_of(data), 4, 2, 0.0, 1).run(0, STEPS)):
        scores = []
        for place, example in enumerate(seen.examples):
            line = lines[qids[example]]
            places = line["positive_passages"] | line["negative_passages"]
            docids = [passage.docid for passage in seen.passages[3 * place : 3 * place + 3]]
            assert docids[0].startswith("p") and all(docid.startswith("n") for docid in docids[1:])
            group = [corpus[places[docid]] for docid in docids]  # of this query alone, or there is no such passage
            pairs = [(line[side], " ".join(filter(None, (p["title"], p["text"])))) for p in group]
            scores.append([plain(*pair) for pair in pairs])
        found = LOSSES[loss](scores)
        optimiser.zero_grad()
        found.backward()
        norm = torch.nn.utils.clip_grad_norm_(parameters.values(), NORM)
        for group in optimiser.param_groups:
            group["lr"] = rate * (STEPS - number) / STEPS
        optimiser.step()
        rows.append({"loss": found.item(), "gradient_norm": norm.item()})
    return rows, {name: p.detach() for name, p in parameters.items()}


@pytest.mark.parametrize(
    "ranker, loss, side",
    [
        ("mono_bert", "pairwise", "query"),
        ("mono_bert", "lce", "query_variation"),
        ("knrm", "pairwise", "query"),
        ("knrm", "lce", "query_variation"),
    ],
)
def test_steps_are_those_of_single_pairs(fit, cross, word_vectors, training_file, ranker, loss, side):
    how = {"name": loss, "queries": "variation" if side == "query_variation" else "query"}
    model = fit(
        "model",
        ranker,
        loss=how,
        epochs=STEPS / 6,
        query_length=QUERY_LENGTH,
        passage_length=PASSAGE_LENGTH,
        learning_rate=RATES[ranker],
        warmup=0.0,
        weight_decay=DECAY,
        max_gradient_norm=NORM,
        freeze_word_embeddings=False,
    )
    plain = PlainBert(cross) if ranker == "mono_bert" else PlainKNRM(word_vectors)
    start = {name: p.detach().clone() for name, p in plain.named().items()}
    rows, expected = trained_plainly(plain, RATES[ranker], loss, side, training_file)
    assert [{name: float(row[name]) for name in rows[0]} for row in log(model)] == [
        pytest.approx(row, rel=2e-3) for row in rows
    ]
    found = weights(model)
    for name in expected:
        if not name.endswith(IDLE):
            moved = (expected[name] - start[name]).abs().mean()
            assert moved > 0 and (found[name] - expected[name]).abs().mean() <= 0.01 * moved, name


class PlainIntent(PlainBert):
    """With BERT's own layer after the last one, its weights those of the directory's."""

    def __init__(self, folder):
        super().__init__(folder)
        config = copy.deepcopy(self.model.config)
        width = config.hidden_size
        config.intermediate_size = 4 * width
        self.layer, drawn = BertLayer(config), load_file(folder / "query_layer.safetensors")
        with torch.no_grad():
            for place, name in enumerate(("query", "key", "value")):
                part = getattr(self.layer.attention.self, name)
                part.weight.copy_(drawn["self_attn.in_proj_weight"][place * width : (place + 1) * width])
                part.bias.copy_(drawn["self_attn.in_proj_bias"][place * width : (place + 1) * width])
            for module, name in self.places():
                module.weight.copy_(drawn[f"{name}.weight"])
                module.bias.copy_(drawn[f"{name}.bias"])
        self.eval()

    def places(self):
        out, norm = self.layer.attention.output.dense, self.layer.attention.output.LayerNorm
        yield from ((out, "self_attn.out_proj"), (norm, "norm1"), (self.layer.intermediate.dense, "linear1"))
        yield from ((self.layer.output.dense, "linear2"), (self.layer.output.LayerNorm, "norm2"))

    def vector(self, query, passage):
        """Of [CLS], after the layer."""
        return self.layer(self.model.bert(self.ids(query, passage)).last_hidden_state)[0, 0]

    def moved(self):
        """The layer's weights by the names of the directory."""
        parts = [getattr(self.layer.attention.self, name) for name in ("query", "key", "value")]
        found = {"self_attn.in_proj_weight": torch.cat([part.weight for part in parts])}
        for module, name in self.places():
            found |= {f"{name}.weight": module.weight, f"{name}.bias": module.bias}
        return {name: value.detach().clone() for name, value in found.items()}


@pytest.mark.parametrize("reads", ["pair", "query"])
def test_steps_of_intent_are_those_of_single_texts(fit, cross_with_layer, intents_file, reads):
    """Four intents of three texts: scores with three passages each, and vectors; two learning rates."""
    rate, new_rate = 1e-3, 1e-2
    model = fit(
        "model",
        "intent_bert",
        recipe={"reads": reads},
        data=intents_file,
        loss={"name": "intent", "alpha": 0.5, "tau": 0.2},
        epochs=STEPS / 6,
        query_length=QUERY_LENGTH,
        passage_length=PASSAGE_LENGTH,
        learning_rate=rate,
        new_layers_learning_rate=new_rate,
        warmup=0.0,
        weight_decay=DECAY,
        max_gradient_norm=NORM,
        freeze_word_embeddings=False,
    )
    plain, examples, rows = PlainIntent(cross_with_layer), examples_of(intents_file), []
    start = {**plain.moved(), **{name: p.detach().clone() for name, p in plain.named().items()}}
    parameters = dict(plain.named_parameters())
    new = [name for name in parameters if name.startswith(("layer.", "model.classifier."))]
    groups = [
        {"params": [parameters[n]], "rate": new_rate if n in new else rate, "weight_decay": DECAY * (p.ndim > 1)}
        for n, p in parameters.items()
    ]
    optimiser = torch.optim.AdamW(groups)
    for number, seen in enumerate(Feed(examples, 4, 2, 0.0, 1).run(0, STEPS)):
        ranking, vectors = [], []
        for place, at in enumerate(seen.examples):
            group = [passage.read_passage().joined() for passage in seen.passages[3 * place : 3 * place + 3]]
            texts = [examples[at].query, *examples[at].variations]
            for text in texts:
                positive, *negatives = [plain(text, passage) for passage in group]
                ranking += [torch.log(1 + torch.exp(negative - positive)) for negative in negatives]
            beside = group[0] if reads == "pair" else ""
            vectors.append([v / v.norm() for v in (plain.vector(text, beside) for text in texts)])
        aligned = []
        for place, (query, *varied) in enumerate(vectors):
            others = [text for i, texts in enumerate(vectors) if i != place for text in texts]
            far = sum(torch.exp(query @ text / 0.2) for text in others)
            near = [torch.exp(query @ text / 0.2) for text in varied]
            aligned += [torch.log((own + far) / own) for own in near]
        terms = {"bpr": sum(ranking) / len(ranking), "nt_xent": 0.5 * sum(aligned) / len(aligned)}
        assert (len(ranking), len(aligned)) == (24, 8)
        optimiser.zero_grad()
        sum(terms.values()).backward()
        norm = torch.nn.utils.clip_grad_norm_(parameters.values(), NORM)
        for of in optimiser.param_groups:
            of["lr"] = of["rate"] * (STEPS - number) / STEPS
        optimiser.step()
        rows.append({"gradient_norm": norm.item(), **{name: term.item() for name, term in terms.items()}})
    assert [{name: float(row[name]) for name in rows[0]} for row in log(model)] == [
        pytest.approx(row, rel=2e-3) for row in rows
    ]
    found = {**weights(model), **load_file(model / "query_layer.safetensors")}
    expected = {**{name: p.detach() for name, p in plain.named().items()}, **plain.moved()}
    for name in expected:
        if not name.endswith(IDLE):
            moved = (expected[name] - start[name]).abs().mean()
            assert moved > 0 and (found[name] - expected[name]).abs().mean() <= 0.01 * moved, name
    assert saved(model)["settings"] == {"reads": reads}


def test_queries_with_more_and_with_fewer_variations_do_not_go_together(fit, intents_file, tmp_path):
    first, *lines = intents_file.read_text().splitlines()
    first = json.loads(first)
    first["query_variation"].append("a third one")
    (tmp_path / "data.jsonl").write_text("\n".join([json.dumps(first), *lines]) + "\n")
    with pytest.raises(UserError, match=r"data\.jsonl: queries with 2 to 3 variations; the loss intent needs the same"):
        fit("model", "intent_bert", data=tmp_path / "data.jsonl", loss={"name": "intent"})
    assert len(log(fit("other", "mono_bert", data=tmp_path / "data.jsonl", epochs=1 / 6))) == 1  # reads one of them


def test_without_a_rate_of_their_own_new_layers_have_the_others(fit, intents_file):
    told = {"data": intents_file, "loss": {"name": "intent"}, "epochs": 0.5, "learning_rate": 1e-3}
    without = fit("without", "intent_bert", **told)
    assert same(without, fit("same", "intent_bert", new_layers_learning_rate=1e-3, **told))
    assert not same(without, fit("other", "intent_bert", new_layers_learning_rate=1e-2, **told))


def test_a_share_of_a_batch_has_the_scores_of_its_queries(ranker_settings, cross, intents_file):
    """Four shares with a query each have what one share has for all four."""
    step = next(Feed(examples_of(intents_file), 4, 2, 0.0, 1).run(0, 1))

    def batch(size, share):
        student = Student(ranker_settings("mono_bert", batch_size=size), 1, load("mono_bert", cross))
        return student.batch(student.read_fields(step, {"query", "variations"}, share), 0)

    whole = batch(4, 0)
    for share in range(4):
        part = batch(1, share)
        for name in ("query_scores", "variations_scores"):
            assert torch.allclose(getattr(part, name), getattr(whole, name)[share : share + 1], atol=1e-5)


def test_a_loss_over_the_whole_batch_needs_a_process_for_each_device(ranker_settings, cross_with_layer):
    settings = ranker_settings("intent_bert", loss={"name": "intent"}, devices=2)
    with pytest.raises(UserError, match="the loss intent needs a process for each of 2 devices; here are 1"):
        Student.load(settings, 1, [], cross_with_layer, {})


def test_a_teacher_s_scores_reach_their_own_query_and_passage(ranker_settings, cross, training_file, tmp_path):
    """One number for each pair, which says where it belongs."""
    examples = examples_of(training_file)
    number = {(e.qid, p.docid): 10.0 * at + n for at, e in enumerate(examples) for n, p in enumerate(e.passages)}
    path = tmp_path / "scores.jsonl"
    with open(path, "w") as file:
        for example in reversed(examples):
            of = {p.docid: number[example.qid, p.docid] for p in reversed(example.passages)}
            file.write(json.dumps({"query_id": example.qid, "scores": of}) + "\n")
    student = Student(ranker_settings("mono_bert"), 1, load("mono_bert", cross), read_scores(path, examples))
    for step, seen in enumerate(Feed(examples, 4, 2, 0.0, 1).run(0, 6)):
        batch = student.batch(student.read_fields(seen, {"teacher_scores"}, 0), step)
        assert batch.query_scores is None and batch.variation_scores is None
        docids = [[p.docid for p in seen.passages[3 * i : 3 * i + 3]] for i in range(4)]
        expected = [
            [number[examples[at].qid, docid] for docid in of] for at, of in zip(seen.examples, docids, strict=True)
        ]
        assert batch.teacher_scores.tolist() == expected


@pytest.mark.parametrize("ranker", ["mono_bert", "intent_bert", "knrm", "drmm"])
def test_a_resumed_training_ends_with_the_same_bytes(fit, training_file, intents_file, tmp_path, monkeypatch, ranker):
    others = {"dropout": 0.1}
    if ranker == "intent_bert":
        others |= {"data": intents_file, "loss": {"name": "intent"}}
    whole = fit("whole", ranker, **others)
    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        stop_after(2, patch)
        fit("resumed", ranker, **others)
    assert json.loads((tmp_path / "resume" / "resumed" / "state.json").read_text())["step"] == 8
    resumed = fit("resumed", ranker, **others)
    assert files(resumed) == files(whole) == sorted([*RANKERS.facts(ranker).files, "training.csv"])
    for name in files(whole):
        assert sha256(resumed / name) == sha256(whole / name), name
    assert not same(whole, fit("other", ranker, seed=2, **others))


@pytest.mark.parametrize("frozen", [True, False])
def test_word_embeddings_stay_where_they_are_frozen(fit, cross, frozen):
    found, start = weights(fit("model", freeze_word_embeddings=frozen, epochs=1.0)), weights(cross)
    moved = {name for name in start if not torch.equal(found[name], start[name])}
    assert ("bert.embeddings.word_embeddings.weight" not in moved) == frozen
    assert {"classifier.weight", "bert.encoder.layer.0.output.dense.weight"} <= moved


def test_the_directory_says_what_it_is(fit, tmp_path):
    model = fit("model", "knrm", query_length=7, passage_length=9, snapshots={0.5: tmp_path / "half"})
    assert saved(model) == {
        "ranker": "knrm",
        "settings": {"trained_kernels": True},
        "lengths": {"query_length": 7, "passage_length": 9},
    }
    card = (model / "README.md").read_text()
    assert "A ranking model, trained by robustdr (seed 1, step 15 of 15)" in card and "at most 7 tokens" in card
    assert "step 8 of 15" in (tmp_path / "half" / "README.md").read_text()
    assert saved(tmp_path / "half") == saved(model) and not same(tmp_path / "half", model)


@pytest.mark.parametrize("ranker", ["mono_bert", "knrm"])
def test_a_trained_directory_ranks(fit, training_file, tmp_path, ranker):
    model = fit("model", ranker, epochs=1.0)
    examples = examples_of(training_file)[:3]
    queries = {example.qid: example.query for example in examples}
    passages = {docid: (title, text) for docid, title, text in passages_of(examples)}
    write_run(tmp_path / "run.trec", {qid: [(docid, 1.0) for docid in passages] for qid in queries}, {"tag": "first"})
    settings = RerankSettings({"name": ranker}, 16, 24, len(passages), "float32", 1)
    (found,) = rankings(
        settings, corpus_of(training_file), {"model": [model], "candidates": [tmp_path / "run.trec"]}, [queries]
    )
    trained = load(ranker, model)
    for qid, ranking in found.items():
        for docid, score in ranking:
            pair = (queries[qid], " ".join(filter(None, passages[docid])))
            with torch.inference_mode():
                assert score == pytest.approx(trained.score(trained.tokenise([pair], 16, 24)).item(), abs=1e-5)
        assert [score for _, score in ranking] == sorted((score for _, score in ranking), reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("ranker, loss", [("mono_bert", "lce"), ("knrm", "lce"), ("intent_bert", "intent")])
def test_two_processes_train_the_model_of_one_with_the_doubled_batch(
    ranker_settings, cross, cross_with_layer, word_vectors, intents_file, tmp_path, ranker, loss
):
    initial = {"mono_bert": cross, "intent_bert": cross_with_layer, "knrm": word_vectors}[ranker]

    def train(name, launcher, devices):
        told = ranker_settings(ranker, epochs=1.0, batch_size=4 // devices, devices=devices, loss={"name": loss})
        stage = arguments(
            told, tmp_path / name, intents_file, initial, tmp_path / f"resume-{name}", "robustdr.training.rerank"
        )
        launch(launcher, stage)
        columns = list(log(tmp_path / name)[0])[3:]  # norm, loss and its terms
        return [[float(row[column]) for row in log(tmp_path / name)] for column in columns]

    of_one, of_two = train("one", [], 1), train("two", [*TORCHRUN, "2"], 2)
    assert len(of_one[0]) == 6
    for one, two in zip(of_one, of_two, strict=True):
        assert two == pytest.approx(one, rel=1e-3)
    start = weights(tmp_path / "one" if ranker == "knrm" else initial)
    one, two = weights(tmp_path / "one"), weights(tmp_path / "two")
    for name in one:
        if not name.endswith(IDLE):
            allowed = 1e-4 if ranker == "knrm" else 0.01 * (one[name] - start[name]).abs().max()
            assert (one[name] - two[name]).abs().max() <= allowed, name
