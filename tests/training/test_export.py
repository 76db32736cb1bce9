"""A training file written out for Tevatron: its lines by hand, and a step of the real package on it."""

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr.training.export import export
from training.models import corpus_of, examples_of

# The versions that Tevatron's only release on the package index was tried with; all else comes from this environment.
PINS = ("tevatron==0.1.0", "transformers==4.57.6", "tokenizers==0.22.2", "huggingface-hub==0.36.2", "datasets==4.8.5")


def test_lines_by_hand(tmp_path):
    passages = [("d1", "", "gold"), ("d2", "Straße", "a road"), ("d3", "", "tea")]
    lines = (json.dumps(dict(zip(("docid", "title", "text"), p, strict=True))) for p in passages)
    (tmp_path / "corpus.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    line = {"query_id": "q", "query": "what is gold", "query_variation": "what is gould"}
    named = {"positive_passages": {"d1": 0}, "negative_passages": {"d3": 2, "d2": 1}}
    (tmp_path / "data.jsonl").write_text(json.dumps(line | named) + "\n")
    files = [str(tmp_path / name) for name in ("data.jsonl", "corpus.jsonl", "out.jsonl")]
    assert main(["export", "tevatron", files[0], "--corpus", files[1], "-o", files[2]]) == 0
    written = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    assert "Straße" in written and json.loads(written) == {
        "query_id": "q",
        "query": "what is gold",
        "query_variation": ["what is gould"],
        "positive_passages": [{"docid": "d1", "title": "", "text": "gold"}],
        "negative_passages": [
            {"docid": "d3", "title": "", "text": "tea"},
            {"docid": "d2", "title": "Straße", "text": "a road"},
        ],
    }


def test_every_line_and_every_passage(training_file, tmp_path):
    export(training_file, corpus_of(training_file), tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    for line, example in zip(lines, examples_of(training_file), strict=True):
        assert (line["query_id"], line["query"]) == (example.qid, example.query)
        for field, passages in (("positive_passages", example.positives), ("negative_passages", example.negatives)):
            assert line[field] == [passage.read_passage()._asdict() for passage in passages]


def test_queries_alone_are_refused(queries_file, tmp_path):
    with pytest.raises(UserError, match=r"queries\.jsonl: it has queries only; Tevatron trains on passages"):
        export(queries_file, corpus_of(queries_file), tmp_path / "out.jsonl")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def tevatron(tmp_path_factory) -> Path:
    """Python in an environment with Tevatron, and this one's other packages behind its own."""
    folder = tmp_path_factory.mktemp("tevatron")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    asked = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                           capture_output=True, text=True, check=True)  # fmt: skip
    Path(asked.stdout.strip(), "behind.pth").write_text(sysconfig.get_path("purelib"))
    pip = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-installed", *PINS]
    if (installed := subprocess.run(pip, capture_output=True, text=True)).returncode:
        pytest.skip(f"Tevatron cannot be installed here: {installed.stderr.strip().splitlines()[-1]}")
    return python


@pytest.mark.slow
def test_tevatron_takes_a_step(tevatron, training_file, tiny_transformer, tmp_path):
    """What it reads is its own: texts, groups and loss; the same batch costs less after a step."""
    model = shutil.copytree(tiny_transformer, tmp_path / "model")
    vocabulary = json.loads((model / "tokenizer.json").read_text())["model"]["vocab"]
    (model / "vocab.txt").write_text("".join(f"{token}\n" for token in sorted(vocabulary, key=vocabulary.get)))
    config = json.loads((model / "config.json").read_text())
    without = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (model / "config.json").write_text(json.dumps(config | without))
    export(training_file, corpus_of(training_file), tmp_path / "data.jsonl")
    script = Path(__file__).with_name("tevatron_step.py")
    ran = subprocess.run([tevatron, script, tmp_path / "data.jsonl", model], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    before, after = map(float, ran.stdout.split())
    assert 0 < after < before
