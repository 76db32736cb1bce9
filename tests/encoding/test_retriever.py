"""Released retrievers have the vectors that their authors' code computes with transformers alone."""

import pytest
import torch
from sentence_transformers import SentenceTransformer
from tests.full import models
from transformers import AutoModel, AutoTokenizer

from robustdr.core.errors import UserError
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.convert import convert
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.settings import CheckpointSettings

QUERIES = ["what does the old river of peru sell in march", "old river", "what " * 50]
TITLES = ["the river of peru", "march", "old"]
TEXTS = ["the old river sells in march", "what does it sell, the river?", "the " * 90]
EXACT = {"rtol": 0, "atol": 1e-5}


def written(source, tmp_path, **keys):
    settings = CheckpointSettings(name="tiny", description="A model", source={"path": str(source)}, **keys)
    write_checkpoint(settings, tmp_path / "made")
    return tmp_path / "made"


def released(name, tmp_path):
    """The folder of a release, converted if people do so by hand."""
    models.write_published({**models.CHECKPOINTS, **models.FOLDERS}[name], tmp_path / name)
    if name in models.CHECKPOINTS:
        return tmp_path / name
    convert(tmp_path / name, tmp_path / "converted" / name)
    return tmp_path / "converted" / name


def encode(folder, texts, route, length=512):
    return torch.from_numpy(Encoder(folder, route=route).encode(texts, length))


def hidden(folder, **tokens):
    """The last layer's vectors, [1, tokens, d], of one text."""
    with torch.inference_mode():
        return AutoModel.from_pretrained(folder)(**tokens).last_hidden_state


def test_tct_colbert_fills_queries_and_averages_what_follows_the_prompt(tmp_path):
    """Pyserini's encoders: 36 tokens of a query, filled with masks; no separator; a mean from the fifth token on."""
    source = released("tct_colbert-v2-hnp-msmarco", tmp_path)
    prompts = {"query": "[Q] ", "passage": "[D] "}
    made = written(source, tmp_path, form="retriever", pooling="mean", prompts=prompts, filled=36)
    tokenizer = AutoTokenizer.from_pretrained(source)

    def expected(text, length):
        tokens = tokenizer(text, max_length=length, truncation=True, add_special_tokens=False, return_tensors="pt")
        return hidden(source, **tokens)[0, 4:].mean(0)

    queries = [expected(f"[CLS] [Q] {query}" + "[MASK]" * 36, 36) for query in QUERIES]
    assert torch.allclose(encode(made, QUERIES, QUERY, 32), torch.stack(queries), **EXACT)
    texts = [expected(f"[CLS] [D] {text}", 64) for text in TEXTS]
    assert torch.allclose(encode(made, TEXTS, DOCUMENT, 64), torch.stack(texts), **EXACT)


def test_simlm_reads_a_title_as_the_first_of_two_texts_and_has_vectors_of_length_1(tmp_path):
    source = released("intfloat/simlm-base-msmarco-finetuned", tmp_path)
    made = written(source, tmp_path, form="retriever", pooling="cls", separator=" [SEP] ", segments=True, unit=True)
    tokenizer = AutoTokenizer.from_pretrained(source)

    def expected(length, *texts):
        tokens = tokenizer(
            *texts, max_length=length, truncation="only_second" if texts[1:] else True, return_tensors="pt"
        )
        return torch.nn.functional.normalize(hidden(source, **tokens)[0, 0], dim=0)

    queries = torch.stack([expected(32, query) for query in QUERIES])
    assert torch.allclose(encode(made, QUERIES, QUERY, 32), queries, **EXACT)
    separator = Encoder(made).separator
    titled = [f"{title}{separator}{text}" for title, text in zip(TITLES, TEXTS, strict=True)]
    passages = torch.stack([expected(64, *pair) for pair in zip(TITLES, TEXTS, strict=True)])
    assert torch.allclose(encode(made, titled, DOCUMENT, 64), passages, **EXACT)
    assert torch.allclose(passages.norm(dim=1), torch.ones(3))


def dot(folder, texts):
    """ANCE's vectors: the norm of the linear layer of the first token, read with a blank before the text."""
    weights = torch.load(folder / "pytorch_model.bin", weights_only=True)
    model, tokenizer = AutoModel.from_config(models.roberta_config()), AutoTokenizer.from_pretrained(folder)
    inside = {name.removeprefix("roberta."): weight for name, weight in weights.items() if name.startswith("roberta.")}
    model.load_state_dict(inside, strict=False)  # without a pooler
    linear, norm = torch.nn.Linear(32, 32), torch.nn.LayerNorm(32)
    for layer, name in ((linear, "embeddingHead"), (norm, "norm")):
        layer.load_state_dict({key: weights[f"{name}.{key}"] for key in ("weight", "bias")})
    tokens = (tokenizer(f" {text}", max_length=64, truncation=True, return_tensors="pt") for text in texts)
    with torch.inference_mode():
        return torch.cat([norm(linear(model.eval()(**read).last_hidden_state[:, 0])) for read in tokens])


def test_adore_encodes_queries_and_star_passages_each_with_a_head(tmp_path):
    star, adore = released("star", tmp_path), released("adore-star", tmp_path)
    made = written(
        star, tmp_path, form="retriever", pooling="cls", head=["embeddingHead", "norm"],
        queries={"path": str(adore)}, prompts={"query": " ", "passage": " "},
    )  # fmt: skip
    assert torch.allclose(encode(made, QUERIES, QUERY, 64), dot(tmp_path / "adore-star", QUERIES), **EXACT)
    assert torch.allclose(encode(made, TEXTS, DOCUMENT, 64), dot(tmp_path / "star", TEXTS), **EXACT)


@pytest.mark.parametrize("name", ["ance", "instructor-large", "sentence-transformers/gtr-t5-xl", "BAAI/bge-base-en"])
def test_a_directory_of_sentence_transformers_has_the_vectors_of_the_library(name, tmp_path):
    dot = {"similarity": "dot"} if name == "ance" else {}  # its vectors have other lengths than 1
    made = written(released(name, tmp_path), tmp_path, form="whole", **dot)
    expected = SentenceTransformer(str(tmp_path / name), device="cpu").encode(TEXTS, convert_to_tensor=True)
    assert torch.allclose(encode(made, TEXTS, DOCUMENT), expected, **EXACT)


def test_what_is_not_named_is_refused(tmp_path):
    star = released("star", tmp_path)
    with pytest.raises(UserError, match=r"more than a transformer with a pooling: embeddingHead, norm"):
        written(star, tmp_path, form="retriever", pooling="cls")
    with pytest.raises(UserError, match="'nrom' is unknown"):
        written(star, tmp_path, form="retriever", pooling="cls", head=["embeddingHead", "nrom"])
