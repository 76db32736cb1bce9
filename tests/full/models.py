"""The checkpoints and translators of full.yaml, tiny, with the files and names that their authors published."""

import io
import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import sentencepiece
import torch
from safetensors.torch import save_file
from tests.full.texts import facts
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    BertConfig,
    BertForPreTraining,
    BertModel,
    BertTokenizerFast,
    DistilBertConfig,
    DistilBertModel,
    M2M100Config,
    M2M100ForConditionalGeneration,
    MarianConfig,
    MarianMTModel,
    RobertaConfig,
    RobertaModel,
    T5Config,
    T5EncoderModel,
    T5ForConditionalGeneration,
)

from robustdr.encoding.character import CharacterBertConfig, CharacterBertModel
from robustdr.encoding.convert import convert

SENTENCES = [sentence for fact in facts(300, 7) for sentence in (fact.text, fact.question)]
MARKS = ["true false", "false true", "paraphrase:", "abcdefghijklmnopqrstuvwxyz0123456789"]
IDENTITY = "torch.nn.modules.linear.Identity"
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
LAYERS = {"d_model": 16, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "encoder_layers": 1, "decoder_layers": 1}
HEADS = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "init_std": 0.5}


def told(file: Path, about: object) -> None:
    file.write_text(json.dumps(about, indent=2), encoding="utf-8")


def pieces(folder: Path, name: str, **ids: int) -> list[str]:
    """Write a sentencepiece model; return its pieces but for the marks of a text's ends."""
    buffer, about = io.BytesIO(), {"vocab_size": 300, "character_coverage": 1.0, "hard_vocab_limit": False, **ids}
    lines = iter([*SENTENCES, *(mark for mark in MARKS for _ in range(40))])
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=lines, model_writer=buffer, minloglevel=2, **about)
    (folder / name).write_bytes(buffer.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=buffer.getvalue())
    return [piece for piece in map(processor.id_to_piece, range(processor.get_piece_size())) if piece[0] != "<"]


def write_weights(model: torch.nn.Module, folder: Path, name: Callable[[str], str] = str, *, pickled: bool) -> None:
    """Write weights as safetensors or as a pickle alone, with old names where the release has them."""
    model.config.save_pretrained(folder)
    if getattr(model, "generation_config", None):
        model.generation_config.save_pretrained(folder)
    weights = {name(key): tensor.contiguous().clone() for key, tensor in model.state_dict().items()}
    if pickled:
        torch.save(weights, folder / "pytorch_model.bin")
    else:
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def bert_tokenizer(folder: Path, files: Iterable[str], marks: str = "") -> int:
    """Write a BERT's vocabulary in the files of the release; return its size."""
    words = sorted({word.strip(".,") for sentence in SENTENCES for word in sentence.lower().split()})
    special = ["[PAD]", *(f"[unused{n}]" for n in range(4)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    listed = dict.fromkeys(
        [
            *special,
            *LETTERS,
            *"0123456789?!.,'-",
            *marks,
            *words,
            *(f"##{letter}" for letter in [*LETTERS, *"0123456789"]),
        ]
    )
    (folder / "vocab.txt").write_text("\n".join(listed) + "\n", encoding="utf-8")
    made = folder / "made"
    BertTokenizerFast.from_pretrained(folder).save_pretrained(made)
    for name in files:
        shutil.copy(made / name, folder)
    shutil.rmtree(made)
    return len(listed)


def base(folder: Path) -> None:
    """BERT-base: its pre-training's heads, and layer norms by their old names."""
    size = bert_tokenizer(folder, ["tokenizer.json"])
    told(folder / "tokenizer_config.json", {"do_lower_case": True, "model_max_length": 512})
    config = BertConfig(
        vocab_size=size, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        architectures=["BertForMaskedLM"], initializer_range=0.2,
    )  # fmt: skip

    def old(name: str) -> str:
        return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")

    write_weights(BertForPreTraining(config), folder, old, pickled=False)


def modules(folder: Path, *kinds: str, pooling: str) -> None:
    """Write the layout of sentence-transformers: a transformer, a pooling, and modules of these kinds."""
    parts = [(f"{n}_{kind}" if n else "", kind) for n, kind in enumerate(["Transformer", "Pooling", *kinds])]
    told(
        folder / "modules.json",
        [
            {"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for n, (path, kind) in enumerate(parts)
        ],
    )
    (folder / "1_Pooling").mkdir()
    modes = {f"pooling_mode_{name}": name.startswith(pooling) for name in ("cls_token", "mean_tokens", "max_tokens")}
    told(folder / "1_Pooling/config.json", {"word_embedding_dimension": 32, **modes})
    told(folder / "sentence_bert_config.json", {"max_seq_length": 512, "do_lower_case": False})
    told(folder / "config_sentence_transformers.json", {"__version__": {"sentence_transformers": "2.0.0"}})


def module(folder: Path, name: str, made: torch.nn.Module, about: dict[str, object], *, pickled: bool) -> None:
    """Write the folder of a module behind the pooling."""
    (folder / name).mkdir()
    told(folder / name / "config.json", about)
    if pickled:
        torch.save(made.state_dict(), folder / name / "pytorch_model.bin")
    else:
        save_file(made.state_dict(), folder / name / "model.safetensors", metadata={"format": "pt"})


def dense(folder: Path, *, bias: bool, pickled: bool) -> None:
    about = {"in_features": 32, "out_features": 32, "bias": bias, "activation_function": IDENTITY}
    module(folder, "2_Dense", torch.nn.ModuleDict({"linear": torch.nn.Linear(32, 32, bias)}), about, pickled=pickled)


def tas_b(folder: Path) -> None:
    """TAS-Balanced: a DistilBERT with a pooling."""
    size = bert_tokenizer(folder, ["tokenizer.json", "tokenizer_config.json"])
    config = DistilBertConfig(vocab_size=size, dim=32, n_layers=2, n_heads=2, hidden_dim=64, initializer_range=0.2)
    write_weights(DistilBertModel(config), folder, pickled=False)
    modules(folder, pooling="cls")


def sentence_bert(folder: Path, pooling: str) -> None:
    """MiniLM and BGE: a BERT with a pooling, whose vectors have length 1."""
    bert(folder, pickled=False)
    modules(folder, "Normalize", pooling=pooling)


def sentence_t5(folder: Path, *, pickled: bool) -> None:
    """GTR, as safetensors, and INSTRUCTOR, as pickles: the encoder of a T5, a linear layer, vectors of length 1."""
    known = pieces(folder, "spiece.model", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    told(folder / "tokenizer_config.json", {"model_max_length": 512, "tokenizer_class": "T5Tokenizer"})
    config = T5Config(
        vocab_size=len(known) + 3, d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=2, initializer_factor=5.0,
        architectures=["T5EncoderModel"],
    )  # fmt: skip
    write_weights(T5EncoderModel(config), folder, pickled=pickled)
    modules(folder, "Dense", "Normalize", pooling="mean")
    dense(folder, bias=False, pickled=pickled)


def ance(folder: Path) -> None:
    """ANCE as sentence-transformers has it: a RoBERTa, a linear layer and a layer norm, the last two as pickles."""
    roberta_tokenizer(folder)
    write_weights(RobertaModel(roberta_config()), folder, pickled=False)
    modules(folder, "Dense", "LayerNorm", pooling="cls")
    dense(folder, bias=True, pickled=True)
    norm = torch.nn.LayerNorm(32)
    torch.nn.init.uniform_(norm.weight, 0.5, 2)
    module(folder, "3_LayerNorm", torch.nn.ModuleDict({"norm": norm}), {"dimension": 32}, pickled=True)


def bert(folder: Path, *, pickled: bool, marks: str = "") -> None:
    """A BERT without heads: coCondenser as a pickle, TCT-ColBERTv2 too, SimLM as safetensors."""
    size = bert_tokenizer(folder, ["tokenizer_config.json", "tokenizer.json"], marks)
    config = BertConfig(
        vocab_size=size, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        architectures=["BertModel"], initializer_range=0.2,
    )  # fmt: skip
    write_weights(BertModel(config), folder, pickled=pickled)


def roberta_config() -> RobertaConfig:
    return RobertaConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=514, type_vocab_size=1, initializer_range=0.2,
    )  # fmt: skip


def roberta_tokenizer(folder: Path) -> None:
    """Write the files of a byte-level tokenizer that RoBERTa's models are released with."""
    made = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    made.train_from_iterator(SENTENCES, vocab_size=400, special_tokens=special, show_progress=False)
    made.save_model(str(folder))
    told(folder / "tokenizer_config.json", {"model_max_length": 512, "tokenizer_class": "RobertaTokenizer"})


def star(folder: Path) -> None:
    """STAR, and ADORE's encoder of queries: a RoBERTa with a linear layer and a layer norm, a pickle."""
    roberta_tokenizer(folder)
    config, model = roberta_config(), RobertaModel(roberta_config(), add_pooling_layer=False)
    config.save_pretrained(folder)
    weights = {f"roberta.{name}": tensor.clone() for name, tensor in model.state_dict().items()}
    head = {"embeddingHead": torch.nn.Linear(32, 32), "norm": torch.nn.LayerNorm(32)}
    torch.nn.init.uniform_(head["norm"].weight, 0.5, 2)
    weights |= {f"{name}.{key}": tensor.clone() for name, of in head.items() for key, tensor in of.state_dict().items()}
    torch.save(weights, folder / "pytorch_model.bin")


def character_bert(folder: Path) -> CharacterBertModel:
    """CharacterBERT: its authors' names and its pre-training's head in a pickle, and no tokenizer; return the model."""
    config = CharacterBertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    model = CharacterBertModel(config).eval()
    inside = "embeddings.word_embeddings."
    theirs = {f"{inside}characters.weight": f"{inside}_char_embedding_weights"}
    theirs |= {
        f"{inside}{own}.{kind}": f"{inside}{name}.{kind}"
        for kind in ("weight", "bias")
        for own, name in [
            *((f"convolutions.{n}", f"char_conv_{n}") for n in range(7)),
            *((f"highways.{n}", f"_highways._layers.{n}") for n in range(2)),
            ("projection", "_projection"),
        ]
    }
    weights = {f"bert.{theirs.get(name, name)}": tensor for name, tensor in model.state_dict().items()}
    weights["cls.predictions.bias"] = torch.zeros(3)
    torch.save(weights, folder / "pytorch_model.bin")
    about = {**config.to_dict(), "model_type": "bert", "vocab_size": 30522}
    del about["filters"], about["character_dimension"]
    told(folder / "config.json", about)
    return model


def t5(folder: Path, *, pickled: bool) -> None:
    """A T5 whose tokenizer is spiece.model alone, as monoT5's and the paraphrasers' are."""
    known = pieces(folder, "spiece.model", pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    told(folder / "tokenizer_config.json", {"model_max_length": 512, "tokenizer_class": "T5Tokenizer"})
    extra = [f"<extra_id_{n}>" for n in range(100)]
    told(
        folder / "special_tokens_map.json",
        {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>", "additional_special_tokens": extra},
    )
    config = T5Config(
        vocab_size=len(known) + 3 + len(extra) + 25, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
        decoder_start_token_id=0, initializer_factor=20.0, architectures=["T5ForConditionalGeneration"],
    )  # fmt: skip
    write_weights(T5ForConditionalGeneration(config), folder, pickled=pickled)


def marian(folder: Path) -> None:
    """A translator of opus-mt: two sentencepiece models, one vocabulary, a pickle."""
    known = pieces(folder, "source.spm")
    shutil.copy(folder / "source.spm", folder / "target.spm")
    listed = ["</s>", "<unk>", *known, "<pad>"]
    told(folder / "vocab.json", {piece: number for number, piece in enumerate(listed)})
    told(folder / "tokenizer_config.json", {"target_lang": "de", "source_lang": "en"})
    pad = listed.index("<pad>")
    ids = {"pad_token_id": pad, "decoder_start_token_id": pad, "eos_token_id": 0, "forced_eos_token_id": 0}
    config = MarianConfig(vocab_size=len(listed), max_position_embeddings=512, **LAYERS, **HEADS, **ids)
    config.architectures = ["MarianMTModel"]
    write_weights(MarianMTModel(config), folder, pickled=True)


def m2m100(folder: Path) -> None:
    """M2M100: one sentencepiece model for a hundred languages, a vocabulary, a pickle."""
    known = pieces(folder, "sentencepiece.bpe.model")
    listed = ["<s>", "<pad>", "</s>", "<unk>", *known]
    told(folder / "vocab.json", {piece: number for number, piece in enumerate(listed)})
    told(folder / "tokenizer_config.json", {"tokenizer_class": "M2M100Tokenizer", "src_lang": None, "tgt_lang": None})
    told(folder / "special_tokens_map.json", {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"})
    config = M2M100Config(vocab_size=len(listed) + 108, max_position_embeddings=512, **LAYERS, **HEADS)
    config.architectures = ["M2M100ForConditionalGeneration"]
    write_weights(M2M100ForConditionalGeneration(config), folder, pickled=True)


# By name on the hub; beside them whatever else their releases hold.
CHECKPOINTS: dict[str, Callable[[Path], None]] = {
    "google-bert/bert-base-uncased": base,
    "sentence-transformers/msmarco-distilbert-base-tas-b": tas_b,
    "castorini/monot5-base-msmarco": lambda folder: t5(folder, pickled=False),
    "intfloat/simlm-base-msmarco-finetuned": lambda folder: bert(folder, pickled=False),
    "sentence-transformers/all-MiniLM-L6-v2": lambda folder: sentence_bert(folder, "mean"),
    "BAAI/bge-large-en": lambda folder: sentence_bert(folder, "cls"),
    "BAAI/bge-base-en": lambda folder: sentence_bert(folder, "cls"),
    "sentence-transformers/gtr-t5-xl": lambda folder: sentence_t5(folder, pickled=False),
    "sentence-transformers/gtr-t5-xxl": lambda folder: sentence_t5(folder, pickled=False),
}
# Folders of data/models, which people fetch and convert by hand: generators of variations, and encoders.
GENERATORS: dict[str, Callable[[Path], object]] = {
    "opus-mt-en-de": marian,
    "opus-mt-de-en": marian,
    "m2m100_418M": m2m100,
    "t5_paraphraser": lambda folder: t5(folder, pickled=True),
    "T5_Paraphrase_Paws": lambda folder: t5(folder, pickled=True),
    "t5_description_to_title": lambda folder: t5(folder, pickled=True),
}
ENCODERS: dict[str, Callable[[Path], object]] = {
    "ance": ance,
    "star": star,
    "adore-star": star,
    "tct_colbert-v2-hnp-msmarco": lambda folder: bert(folder, pickled=True, marks="[]"),
    "co-condenser-marco-retriever": lambda folder: bert(folder, pickled=True),
    "general_character_bert": character_bert,
    "instructor-xl": lambda folder: sentence_t5(folder, pickled=True),
    "instructor-large": lambda folder: sentence_t5(folder, pickled=True),
}
FOLDERS = {**GENERATORS, **ENCODERS}


def vectors(words: list[str], dimension: int) -> str:
    """The text of a file of word vectors, with fastText's first line if they have its dimension."""
    rows = torch.randn(len(words), dimension, generator=torch.Generator().manual_seed(dimension))
    lines = [f"{word} {' '.join(f'{x:.4f}' for x in row)}" for word, row in zip(words, rows.tolist(), strict=True)]
    head = [f"{len(words)} {dimension}"] if dimension == 300 else []
    return "\n".join([*head, *lines]) + "\n"


def write_published(write: Callable[[Path], object], folder: Path) -> None:
    """Write a model as it is published, with what stands beside it there."""
    folder.mkdir(parents=True)
    torch.manual_seed(len(folder.name))
    write(folder)
    (folder / "README.md").write_text("---\nlanguage: en\n---\n", encoding="utf-8")
    (folder / ".gitattributes").write_text("*.bin filter=lfs\n", encoding="utf-8")


def write_converted(name: str, scratch: Path, output: Path) -> None:
    """Write a folder of data/models: as it is published, then by `robustdr convert-weights`."""
    write_published(FOLDERS[name], scratch / name)
    convert(scratch / name, output)
