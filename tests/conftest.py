"""Fixtures: tiny checkpoints, made here and saved as real ones are."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How fast a machine draws examples says nothing about the code: beside other work it is slow.
settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("project")

gc.set_threshold(10_000)  # thousands of collected tests are no garbage: looking through them takes long

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # a tiny model is slower on several threads

WORDS = [
    "what",
    "is",
    "the",
    "meaning",
    "of",
    "a",
    "tree",
    "river",
    "stone",
    "energy",
    "music",
    "light",
    "water",
    "house",
    "king",
    "road",
    "plant",
    "bird",
    "gold",
]


def pytest_collection_modifyitems(items):
    """What runs Snakemake comes first: at the end it would leave the other processes of the suite idle."""
    items.sort(key=lambda item: item.path.parent.name not in ("workflow", "faults", "dvc", "slurm"))


@pytest.fixture(scope="session")
def words() -> list[str]:
    """Words that the tiny model has a token for; it reads others letter by letter."""
    return WORDS


@pytest.fixture(scope="session")
def tiny_transformer(tmp_path_factory) -> Path:
    """A BERT with two layers of 32 dimensions and random weights: a Hugging Face directory."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny") / "transformer"
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = dict.fromkeys(
        [*special, *WORDS, *letters, *(f"##{letter}" for letter in letters), *"?!.,-", *"0123456789"]
    )
    tokenizer = BertWordPieceTokenizer({token: number for number, token in enumerate(vocabulary)})
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, **names).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.2,
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_model(tiny_transformer) -> Path:
    """The tiny transformer with mean pooling, written as the checkpoint stage writes it."""
    from robustdr.encoding.checkpoint import write_checkpoint
    from robustdr.encoding.settings import CheckpointSettings

    output = tiny_transformer.parent / "model"
    settings = CheckpointSettings(name="tiny", description="", source={"path": str(tiny_transformer)}, pooling="mean")
    write_checkpoint(settings, output)
    return output


@pytest.fixture(scope="session")
def tiny_character(tiny_transformer) -> Path:
    """A stand-in for CharacterBERT from the tiny transformer, fitted to a hundred words."""
    from robustdr.encoding.checkpoint import write_checkpoint
    from robustdr.encoding.settings import CheckpointSettings

    output, source = tiny_transformer.parent / "character", {"path": str(tiny_transformer)}
    fitted = {"form": "character", "fitted": 100, "filters": [32, 32, 64, 128]}
    write_checkpoint(
        CheckpointSettings(name="tiny", description="Stand-in", source=source, pooling="mean", **fitted), output
    )
    return output


@pytest.fixture(scope="session")
def tiny_seq2seq(tiny_transformer) -> Path:
    """A tiny T5 with random weights and word pieces, two of which are `true` and `false`."""
    import torch
    from transformers import AutoTokenizer, T5Config, T5ForConditionalGeneration

    from robustdr.encoding.checkpoint import write_checkpoint
    from robustdr.encoding.settings import CheckpointSettings

    folder, output = (tiny_transformer.parent / name for name in ("truthful", "seq2seq"))
    tokenizer = AutoTokenizer.from_pretrained(tiny_transformer, local_files_only=True)
    tokenizer.eos_token = tokenizer.sep_token
    tokenizer.save_pretrained(folder)
    pieces = (folder / "tokenizer.json").read_text()
    (folder / "tokenizer.json").write_text(pieces.replace('"plant":', '"true":').replace('"bird":', '"false":'))
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=2,
        num_decoder_layers=1,
        num_heads=2,
        feed_forward_proj="gelu",
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.sep_token_id,
    )
    model = T5ForConditionalGeneration(config)
    model.config.decoder_start_token_id = model.generation_config.decoder_start_token_id = tokenizer.cls_token_id
    model.save_pretrained(folder)
    write_checkpoint(
        CheckpointSettings(name="tiny", description="", source={"path": str(folder)}, form="seq2seq"), output
    )
    return output


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The tiny project with its table, made once for all processes of the suite; tests that change it take a copy."""
    from tests.workflow.small import tabulated

    base = tmp_path_factory.getbasetemp()
    return tabulated((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "finished")


@pytest.fixture(scope="session")
def word_vectors(tmp_path_factory) -> Path:
    """A tiny checkpoint of word vectors."""
    from rankers.word_vectors import write_words

    return write_words(tmp_path_factory.mktemp("word_vectors"))


@pytest.fixture()
def measured(tmp_path):
    """`measured("rodr", {"dev.original": [1, 2, 0]})`: measures of runs with the relevant passage at these ranks.

    Rank 0 means that the run lacks the query. The measures are those of the real stage.
    """
    from robustdr.evaluation.measures import write_measures
    from robustdr.evaluation.settings import EvaluateSettings
    from robustdr.keys.integrity import record
    from robustdr.retrieval.runs import write_run

    def write(
        system: str,
        ranks: dict[str, list[int]],
        seed: int = 1,
        key: str = "key",
        collection: str = "toy",
        measures: tuple[str, ...] = ("RR@10",),
    ) -> Path:
        runs = {}
        for query_set, of_queries in ranks.items():
            run, qrels = tmp_path / f"{query_set}.trec.gz", tmp_path / f"{query_set}.qrels"
            ranking = {
                f"q{number:04}": [("relevant" if at == rank else f"d{at}", -float(at)) for at in range(1, 21)]
                for number, rank in enumerate(of_queries)
                if rank
            }
            write_run(run, ranking, {"tag": system})
            qrels.write_text("".join(f"q{number:04} 0 relevant 1\n" for number in range(len(of_queries))))
            runs[query_set] = (run, qrels)
        output = tmp_path / "measures" / collection / system / f"seed{seed}" / "all.parquet"
        settings = EvaluateSettings({query_set: list(measures) for query_set in ranks}, relevance_level=1)
        write_measures(settings, runs, output)
        record(output, key=key)
        return output

    return write


@pytest.fixture
def labelled(tmp_path):
    """A folder with hand-made labels, laid out as the released ones."""
    from audit.labelled import write_released

    write_released(tmp_path / "labels")
    return tmp_path / "labels"
