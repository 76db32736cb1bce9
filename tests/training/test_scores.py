"""A teacher's scores: written in the order of a training file, read by query and passage, and what they teach."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer

from robustdr.core.errors import UserError
from robustdr.core.files import write_text
from robustdr.core.seeds import generator
from robustdr.rankers.ranker import load
from robustdr.training.feed import Feed
from robustdr.training.scores import of_groups, read_scores
from robustdr.training.scoring import write_scores
from robustdr.training.settings import ScoreSettings
from training.models import corpus_of, examples_of, log

SETTINGS = ScoreSettings({"name": "mono_bert"}, query_length=8, passage_length=16, precision="float32", threads=1)


@pytest.fixture(scope="module")
def teacher(tiny_model, tmp_path_factory):
    """A ranker's directory."""
    folder = tmp_path_factory.mktemp("teacher")
    load("mono_bert", tiny_model, seed=5).save(folder)
    return folder


@pytest.fixture(scope="module")
def scores_file(teacher, training_file):
    path = teacher.with_name("scores.jsonl")
    write_scores(SETTINGS, teacher, training_file, corpus_of(training_file), path)
    return path


@pytest.fixture()
def drawn(training_file, tmp_path):
    """Scores that no model made: one number for each pair, in a file whose lines and passages are shuffled."""
    rng = generator("scores")
    lines = []
    for example in examples_of(training_file):
        docids = [passage.docid for passage in example.passages]
        rng.shuffle(docids)
        lines.append({"query_id": example.qid, "scores": {docid: rng.uniform(-5, 5) for docid in docids}})
    rng.shuffle(lines)
    path = tmp_path / "drawn.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_every_passage_is_scored_beside_its_own_original_query(teacher, training_file, scores_file):
    """In the order of the training file, each as if it were alone."""
    lines = [json.loads(line) for line in scores_file.read_text().splitlines()]
    examples = examples_of(training_file)
    assert [line["query_id"] for line in lines] == [example.qid for example in examples]
    ranker = load("mono_bert", teacher)
    for line, example in zip(lines[::5], examples[::5], strict=True):
        assert list(line["scores"]) == [passage.docid for passage in example.passages]
        for docid, title, text in (passage.read_passage() for passage in example.passages):
            pair = (example.query, f"{title} {text}" if title else text)
            with torch.inference_mode():
                alone = ranker.score(ranker.tokenise([pair], 8, 16)).item()
            assert line["scores"][docid] == pytest.approx(alone, abs=1e-6)


def test_the_same_scores_are_the_same_bytes(teacher, training_file, scores_file, tmp_path):
    write_scores(SETTINGS, teacher, training_file, corpus_of(training_file), tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == scores_file.read_bytes()


def test_names_are_written_as_they_are(teacher, tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"docid": "größe", "title": "", "text": "gold"}\n', encoding="utf-8")
    passages = {"größe": 0}
    line = {"query_id": "straße", "query": "a", "positive_passages": passages, "negative_passages": passages}
    (tmp_path / "data.jsonl").write_text(json.dumps(line) + "\n")
    write_scores(SETTINGS, teacher, tmp_path / "data.jsonl", tmp_path / "corpus.jsonl", tmp_path / "scores.jsonl")
    written = (tmp_path / "scores.jsonl").read_text(encoding="utf-8")
    assert written.startswith('{"query_id": "straße", "scores": {"größe": ')


def test_scores_are_found_by_query_and_passage(training_file, drawn):
    """The order of the file's lines, and of the passages in a line, is irrelevant."""
    examples, written = examples_of(training_file), {}
    for line in map(json.loads, drawn.read_text().splitlines()):
        written |= {(line["query_id"], docid): score for docid, score in line["scores"].items()}
    read = read_scores(drawn, examples)
    assert {
        (example.qid, docid): score for at, example in enumerate(examples) for docid, score in read[at].items()
    } == written
    groups = [[examples[i].negatives[2], examples[i].positives[0]] for i in (7, 3)]
    found = of_groups(read, [7, 3], [passage for group in groups for passage in group])
    expected = [[written["q7", "n7.2"], written["q7", "p7.0"]], [written["q3", "n3.2"], written["q3", "p3.0"]]]
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


WRONG = {
    "a passage without a score": (lambda line: line["scores"].pop("n4.1"), "no score of passage 'n4.1' for query 'q4'"),
    "a query without scores": (lambda line: line.update(query_id="q99"), "no score of passage 'p4.0' for query 'q4'"),
    "a score that is no number": (
        lambda line: line["scores"].update({"n4.1": float("nan")}),
        "the score nan of passage 'n4.1' for query 'q4'",
    ),
    "an infinite score": (
        lambda line: line["scores"].update({"p4.0": float("-inf")}),
        "the score -inf of passage 'p4.0' for query 'q4'",
    ),
    "text for a score": (lambda line: line["scores"].update({"p4.0": "high"}), ":5: not a line of scores"),
    "no scores": (lambda line: line.pop("scores"), ":5: not a line of scores"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_scores_that_are_missing_or_wrong_are_named(training_file, scores_file, tmp_path, mistake):
    change, message = WRONG[mistake]
    lines = [json.loads(line) for line in scores_file.read_text().splitlines()]
    change(lines[4])
    path = tmp_path / "wrong.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(UserError) as caught:
        read_scores(path, examples_of(training_file))
    assert str(caught.value).startswith(str(path)) and message in str(caught.value)


def test_a_teacher_whose_scores_are_no_numbers_is_named(teacher, training_file, tmp_path):
    folder = shutil.copytree(teacher, tmp_path / "broken")
    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"] = torch.full_like(weights["classifier.bias"], np.nan)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"broken: the score of query 'q0' and passage 'p0\.0' is not finite"):
        write_scores(SETTINGS, folder, training_file, corpus_of(training_file), tmp_path / "scores.jsonl")
    assert not (tmp_path / "scores.jsonl").exists()


def test_a_ranker_that_counts_words_is_no_teacher(word_vectors, training_file, tmp_path):
    settings = ScoreSettings({"name": "drmm"}, 8, 16, "float32", 1)
    with pytest.raises(UserError, match=r"words: this ranker counts the words of a collection"):
        write_scores(settings, word_vectors, training_file, corpus_of(training_file), tmp_path / "scores.jsonl")


def test_a_loss_without_its_scores_is_named(fit):
    with pytest.raises(UserError, match=r"systems\.tiny: the loss distillation needs a teacher's scores"):
        fit("model", loss={"name": "distillation"})


def kl(teacher, student):
    """Σ p (ln p − ln q) over each row, mean over the rows."""
    total = 0.0
    for of_teacher, of_student in zip(teacher, student, strict=True):
        p, q = (np.exp(row - max(row)) / np.exp(row - max(row)).sum() for row in (of_teacher, of_student))
        total += float((p * (np.log(p) - np.log(q))).sum())
    return total / len(teacher)


def test_a_step_of_distillation_is_that_of_its_formula(fit, training_file, still_model, drawn):
    """KL(T ‖ S(q)) + KL(T ‖ S(q̄)) over each query's own group; T by query and passage from the file."""
    loss = {"name": "distillation", "alpha": 0.0}
    model = fit("model", initial=still_model, loss=loss, teacher_scores=[drawn], epochs=1 / 6)
    taught = {}
    for line in map(json.loads, drawn.read_text().splitlines()):
        taught |= {(line["query_id"], docid): score for docid, score in line["scores"].items()}
    transformer = AutoModel.from_pretrained(still_model, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(still_model)

    def encode(text, length):
        tokens = tokenizer(text, truncation=True, max_length=length, return_tensors="pt")
        with torch.inference_mode():
            return transformer(**tokens).last_hidden_state[0].mean(0).numpy()

    examples = examples_of(training_file)
    (seen,) = Feed(examples, 4, 2, 0.0, 1).run(0, 1)
    rows = {"teacher": [], "query": [], "variation": []}
    for place, example in enumerate(seen.examples):
        group = seen.passages[3 * place : 3 * place + 3]
        assert {*group} <= {*examples[example].passages}
        passages = [encode(passage.read_passage().joined(" [SEP] "), 24) for passage in group]
        rows["teacher"].append(np.array([taught[examples[example].qid, passage.docid] for passage in group]))
        for side in ("query", "variation"):
            vector = encode(getattr(seen, side)[place], 16)
            rows[side].append(np.array([float(vector @ passage) for passage in passages]))
    (step,) = log(model)
    assert float(step["distillation"]) == pytest.approx(kl(rows["teacher"], rows["query"]), rel=1e-4)
    assert float(step["distillation_variation"]) == pytest.approx(kl(rows["teacher"], rows["variation"]), rel=1e-4)
    assert step["distillation"] != step["distillation_variation"]


def test_scores_of_other_pairs_teach_something_else(fit, drawn, tmp_path):
    loss = {"name": "distillation"}
    lines = [json.loads(line) for line in drawn.read_text().splitlines()]
    for line in lines:
        line["scores"] = dict(zip(line["scores"], [*line["scores"].values()][::-1], strict=True))
    write_text(tmp_path / "other.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    rows = [
        log(fit(path.stem, loss=loss, teacher_scores=[path], epochs=1 / 6))[0]
        for path in (drawn, tmp_path / "other.jsonl")
    ]
    assert rows[0]["distillation"] != rows[1]["distillation"] and rows[0]["nll"] == rows[1]["nll"]
