"""Tiny models of every shape, with random weights, as sentence-transformers and its forerunners save them."""

import json
import shutil
import string
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import MultiVectorEncoder, SentenceTransformer, SparseEncoder
from sentence_transformers.multi_vector_encoder.modules import HierarchicalTokenPooling, MultiVectorMask
from sentence_transformers.sentence_transformer.modules import (
    Dense,
    Dropout,
    LayerNorm,
    Normalize,
    Pooling,
    Router,
    StaticEmbedding,
    Transformer,
)
from sentence_transformers.sparse_encoder.modules import SparseAutoEncoder, SparseStaticEmbedding, SpladePooling
from transformers import AutoModelForMaskedLM, AutoTokenizer, Qwen3Config, Qwen3Model

from robustdr.encoding.directory import (
    ABOUT,
    AGREEMENT,
    PLAIN_FILES,
    ROUTER_CONFIG,
    ROUTES,
    SHARED_FILES,
    TRANSFORMER_FILES,
)

# The files of a trained model with two encoders, and those of a checkpoint by form; modules of a `whole` one have more.
ROUTER_FILES = [
    *(f"{route}_0_Transformer/{name}" for route in ROUTES for name in TRANSFORMER_FILES),
    *(f"{route}_1_Pooling/config.json" for route in ROUTES),
    ROUTER_CONFIG,
    *ABOUT,
]
FORMS = {
    "encoder": SHARED_FILES,
    "character": SHARED_FILES,
    "whole": [*ABOUT, "tokenizer.json", AGREEMENT],
    "retriever": [*ABOUT, "tokenizer.json", AGREEMENT],
    "seq2seq": [*PLAIN_FILES, "generation_config.json", "README.md"],
    "static": ["model.safetensors", "tokenizer.json", *ABOUT],
    "cross_encoder": [*PLAIN_FILES, "README.md"],
}
DIMENSION = 32
E5 = {"query": "what is ", "document": "stone: "}
NOMIC = {"query": "search_query: ", "document": "search_document: ", "clustering": "clustering: "}
BGE = {"query": "the light of the gold: "}


def dense(width: int, activation: torch.nn.Module, **how: bool) -> Dense:
    torch.manual_seed(width)
    return Dense(DIMENSION, width, activation_function=activation, **how)


def norm() -> LayerNorm:
    made = LayerNorm(DIMENSION)
    torch.nn.init.uniform_(made.norm.weight, 0.5, 2)
    return made


def moved(transformer: Transformer) -> Transformer:
    """With other weights."""
    with torch.no_grad():
        for parameter in transformer.parameters():
            parameter.mul_(1.2)
    return transformer


def two(read, *after):
    """A Router with an encoder for queries and one for documents."""
    pooling = [Pooling(DIMENSION, "cls") for _ in range(2)]
    return [Router.for_query_document([read(), pooling[0]], [moved(read()), pooling[1]]), *after]


def static(read) -> StaticEmbedding:
    """Vectors of words, as of model2vec."""
    tokenizer = read().tokenizer
    torch.manual_seed(4)
    return StaticEmbedding(tokenizer, torch.randn(len(tokenizer), DIMENSION))


def decoder(read, folder: str) -> Transformer:
    """A tiny decoder (Qwen3) whose tokenizer pads on the left, as embedding models of this kind have it."""
    tokenizer = read().tokenizer
    tokenizer.padding_side = "left"
    torch.manual_seed(6)
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16}
    sizes = {"hidden_size": DIMENSION, "intermediate_size": 2 * DIMENSION, "num_hidden_layers": 2, **heads}
    Qwen3Model(Qwen3Config(vocab_size=len(tokenizer), **sizes)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return Transformer(folder, max_seq_length=24)


def instructed(read):
    """A decoder that takes the last token of a query behind an instruction, as Qwen3 Embedding does."""
    with TemporaryDirectory() as folder:
        parts = [decoder(read, folder), Pooling(DIMENSION, "lasttoken"), Normalize()]
    return parts, {"prompts": {"query": "Instruct: what answers it\nQuery: ", "document": ""}}


# name -> modules behind a tiny transformer, and what else the model says; `read` makes such a transformer.
DUAL = {
    "MiniLM": lambda read: ([read(), Pooling(DIMENSION, "mean"), Normalize()], {}),
    "E5": lambda read: ([read(), Pooling(DIMENSION, "mean"), Normalize()], {"prompts": E5}),
    "BGE": lambda read: ([read(), Pooling(DIMENSION, "cls"), Normalize()], {"prompts": BGE}),
    "GTE": lambda read: ([read(), Pooling(DIMENSION, "lasttoken"), Normalize()], {"prompts": {"query": "is "}}),
    "Qwen3 Embedding": instructed,
    "Nomic": lambda read: ([read(max_seq_length=12), Pooling(DIMENSION, "mean")], {"prompts": NOMIC}),
    "Instructor": lambda read: (
        [read(), Pooling(DIMENSION, "mean", include_prompt=False), Normalize()], {"prompts": E5}
    ),
    "DPR": lambda read: (two(read), {"similarity_fn_name": "dot"}),
    "DPR with a shared Dense": lambda read: (two(read, dense(16, torch.nn.Identity())), {"prompts": E5}),
    "TAS-B": lambda read: ([read(), Pooling(DIMENSION, "cls")], {"similarity_fn_name": "dot"}),
    "GTR": lambda read: (
        [read(), Pooling(DIMENSION, "mean"), dense(24, torch.nn.Identity(), bias=False), Normalize()], {}
    ),
    "LaBSE": lambda read: (
        [read(), Pooling(DIMENSION, "cls"), dense(20, torch.nn.Tanh()), Normalize()], {"similarity_fn_name": "dot"}
    ),
    "SGPT": lambda read: ([read(), Pooling(DIMENSION, "weightedmean")], {"similarity_fn_name": "cosine"}),
    "max": lambda read: ([read(), Pooling(DIMENSION, "max"), norm(), Dropout(0.3)], {"similarity_fn_name": "dot"}),
    "several poolings": lambda read: (
        [read(), Pooling(DIMENSION, ("cls", "mean", "mean_sqrt_len_tokens"))], {"similarity_fn_name": "dot"}
    ),
    "Matryoshka": lambda read: ([read(), Pooling(DIMENSION, "mean"), Normalize()], {"truncate_dim": 10}),
    "distances": lambda read: ([read(), Pooling(DIMENSION, "mean"), Normalize()], {"similarity_fn_name": "euclidean"}),
    "potion": lambda read: ([static(read), Normalize()], {"prompts": E5}),
    "static": lambda read: ([static(read)], {"similarity_fn_name": "dot"}),
    "static queries": lambda read: (
        [Router.for_query_document([static(read)], [read(), Pooling(DIMENSION, "mean")])], {"prompts": E5}
    ),
    "lengths": lambda read: (
        [read(query_length=6, document_length=9), Pooling(DIMENSION, "mean")], {"similarity_fn_name": "dot"}
    ),
}  # fmt: skip


def splade(read, strategy: str = "max", activation: str = "relu", **how):
    return [read(transformer_task="fill-mask", **how), SpladePooling(strategy, activation)]


def idf(read) -> SparseStaticEmbedding:
    tokenizer = read().tokenizer
    torch.manual_seed(1)
    return SparseStaticEmbedding(tokenizer, torch.rand(len(tokenizer)))


def auto_encoder() -> SparseAutoEncoder:
    torch.manual_seed(2)
    return SparseAutoEncoder(DIMENSION, 50, k=5)


# The same for sparse encoders; `read` makes a transformer that scores words.
SPARSE = {
    "SPLADE": lambda read: (splade(read), {}),
    "SPLADE v1": lambda read: (splade(read, "sum"), {"prompts": E5}),
    "SPLADE doc": lambda read: ([Router.for_query_document([idf(read)], splade(read, "max", "log1p_relu"))], {}),
    "two SPLADEs": lambda read: (
        [Router.for_query_document(splade(read), [moved((made := splade(read))[0]), made[1]])], {}
    ),
    "cosine": lambda read: (splade(read, query_length=6, document_length=9), {"similarity_fn_name": "cosine"}),
    "pruned": lambda read: (splade(read), {"max_active_dims": 7}),
    "idf alone": lambda read: ([idf(read)], {}),
    "CSR": lambda read: ([read(), Pooling(DIMENSION, "mean"), auto_encoder()], {}),
}  # fmt: skip


def projection(width: int = 16) -> Dense:
    here = dict.fromkeys(("module_input_name", "module_output_name"), "token_embeddings")
    return dense(width, torch.nn.Identity(), bias=False, **here)


def unit() -> Normalize:
    return Normalize(module_input_name="token_embeddings")


def scored(skipped=()) -> list:
    return [projection(), MultiVectorMask([*skipped]), unit()]


def filled(strategy: str, attend: bool) -> dict:
    return {"strategy": strategy, "attend": attend, "length": 12}


MARKED = {"query": "[unused0] ", "document": "[unused1] "}
SKIPPED = list(string.punctuation)
# The same for late interaction.
LATE = {
    "ColBERT": lambda read: (
        [read(query_expansion=filled("fixed", False), document_length=40), *scored(SKIPPED)], {"prompts": MARKED}
    ),
    "ColBERT that sees its masks": lambda read: (
        [read(query_expansion=filled("min", True)), *scored()], {}
    ),
    "no masks": lambda read: ([read(query_length=9), *scored(SKIPPED)], {"prompts": E5}),
    "no projection": lambda read: ([read(), MultiVectorMask(), unit()], {"similarity_fn_name": "meanmaxsim"}),
    "two projections": lambda read: ([read(), projection(32), projection(8), MultiVectorMask(), unit()], {}),
    "pooled tokens": lambda read: ([read(), *scored(), HierarchicalTokenPooling(2)], {}),
}  # fmt: skip
PYLATE = {
    "prompts": {}, "default_prompt_name": None, "similarity_fn_name": "MaxSim", "query_prefix": "[unused0]",
    "document_prefix": "[unused1]", "query_length": 12, "document_length": 40, "attend_to_expansion_tokens": False,
    "skiplist_words": SKIPPED,
}  # fmt: skip


def pylate(folder: Path, **about) -> None:
    """Make a transformer's folder one of PyLate, which names two modules."""
    (folder / "1_Dense").mkdir()
    projection().save(str(folder / "1_Dense"))
    config = json.loads((folder / "1_Dense/config.json").read_text())
    kept = ("in_features", "out_features", "bias", "activation_function")
    modules = {"": "sentence_transformers.models.Transformer", "1_Dense": "pylate.models.Dense.Dense"}
    for name, tree in {
        "1_Dense/config.json": {key: config[key] for key in kept},
        "modules.json": [
            {"idx": n, "name": str(n), "path": at, "type": of} for n, (at, of) in enumerate(modules.items())
        ],
        "sentence_bert_config.json": {"max_seq_length": 39, "do_lower_case": False},
        "config_sentence_transformers.json": PYLATE | about,
    }.items():
        (folder / name).write_text(json.dumps(tree))


def stanford(folder: Path) -> None:
    """Make a transformer's folder one of ColBERT's own code."""
    weights = {f"bert.{name}": tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    torch.manual_seed(3)
    save_file(weights | {"linear.weight": torch.randn(16, 32)}, folder / "model.safetensors", {"format": "pt"})
    edit(folder / "config.json", architectures=["HF_ColBERT"])
    told = {"query_maxlen": 12, "doc_maxlen": 40, "mask_punctuation": True, "attend_to_mask_tokens": False}
    (folder / "artifact.metadata").write_text(json.dumps(told))


SHAPES = {SentenceTransformer: DUAL, SparseEncoder: SPARSE, MultiVectorEncoder: LATE}
OLDER = {
    "PyLate 1": pylate,
    "PyLate 3": lambda folder: pylate(folder, model_type="ColBERT", do_query_expansion=False),
    "Stanford": stanford,
}


def edit(file: Path, **changes) -> None:
    """Change keys of a JSON file."""
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def write(name: str, transformer: Path, folder: Path) -> Path:
    """Write the model of a shape in a folder, from the tiny transformer."""
    if name in OLDER:
        shutil.copytree(transformer, folder)
        OLDER[name](folder)
        return folder
    kind, shapes = next((kind, shapes) for kind, shapes in SHAPES.items() if name in shapes)
    start = masked(transformer) if shapes is SPARSE else transformer
    parts, about = shapes[name](lambda **how: Transformer(str(start), **how))
    kind(modules=parts, device="cpu", **about).save(str(folder), create_model_card=False)
    return folder


def masked(transformer: Path) -> Path:
    """The tiny transformer with a head that scores words."""
    folder = transformer.parent / "masked"
    if not folder.is_dir():
        torch.manual_seed(0)
        AutoModelForMaskedLM.from_pretrained(transformer).save_pretrained(folder)
        AutoTokenizer.from_pretrained(transformer).save_pretrained(folder)
    return folder
