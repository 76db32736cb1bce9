"""Sparse encoders and late interaction are taken as they are: the library's vectors, written and read again."""

import shutil

import numpy as np
import pytest
import torch
from sentence_transformers import MultiVectorEncoder, SparseEncoder
from tests.encoding import shapes

from robustdr.core import processor
from robustdr.core.errors import UserError
from robustdr.core.files import from_json
from robustdr.core.seeds import generator
from robustdr.encoding import hardware
from robustdr.encoding.any_type import describe
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.description import model_type
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.library import Library, vectors, weights
from robustdr.encoding.settings import CheckpointSettings

LATE = [*shapes.LATE, *shapes.OLDER]


def settings(path, **others):
    return CheckpointSettings(name="tiny", description="A model", source={"path": str(path)}, form="whole", **others)


@pytest.fixture(scope="module")
def texts(words):
    rng = generator("texts of library models")
    drawn = [" ".join(rng.choices([*words, "photosynthesis", "?"], k=rng.randint(1, 30))) for _ in range(49)]
    return [*drawn, "https://gold.com/tree.jpg"]  # a text, though it looks like the place of an image


@pytest.fixture(scope="module")
def made(tiny_transformer, tmp_path_factory):
    """`made(name)`: the directory of a shape as its library saves it, and as the checkpoint stage does."""
    folder, known = tmp_path_factory.mktemp("library"), set()

    def make(name):
        given, taken = folder / name / "given", folder / name / "taken"
        if name not in known:
            write_checkpoint(settings(shapes.write(name, tiny_transformer, given)), taken)
            known.add(name)
        return given, taken

    return make


def read(folder):
    return Library(folder, model_type(folder), describe(folder).lengths)


@pytest.mark.parametrize("name", shapes.SPARSE)
def test_weights_are_those_of_sentence_transformers(made, texts, name):
    given, taken = made(name)
    library, model = SparseEncoder(str(given), device="cpu", local_files_only=True), read(taken)
    expected = library.encode_query(texts[:20]), library.encode_document(texts[20:])
    found = weights(model, texts[:20], QUERY), weights(model, texts[20:], DOCUMENT)
    scores = library.similarity(*expected).to_dense().numpy()
    assert scores.max() > 0 and (found[0] @ found[1].T).toarray() == pytest.approx(scores, rel=1e-4, abs=1e-5)
    if library.similarity_fn_name == "dot":
        for one, other in zip(found, expected, strict=True):
            assert one.toarray() == pytest.approx(other.to_dense().numpy(), rel=1e-4, abs=1e-5)  # batches differ


@pytest.mark.parametrize("name", [next(iter(shapes.SPARSE)), LATE[0]])
def test_outputs_do_not_depend_on_the_cores_of_a_job(made, texts, name):
    model, threads = read(made(name)[1]), torch.get_num_threads()
    hardware.start(1)
    alone = model.encode(texts, DOCUMENT)
    with processor.job_cores(3):
        together = model.encode(texts, DOCUMENT)
    hardware.start(threads)
    assert len(alone) == len(texts)
    for one, other in zip(alone, together, strict=True):
        assert torch.equal(one.to_dense(), other.to_dense())


@pytest.mark.parametrize("name", LATE)
def test_vectors_of_tokens_are_those_of_sentence_transformers(made, texts, name):
    given, taken = made(name)
    library, model = MultiVectorEncoder(str(given), device="cpu", local_files_only=True), read(taken)
    for encode, route in ((library.encode_query, QUERY), (library.encode_document, DOCUMENT)):
        expected, found = encode(texts), vectors(model, texts, route)
        assert [len(of) for of in found] == [len(of) for of in expected]
        assert torch.cat(found).numpy() == pytest.approx(torch.cat(expected).numpy(), abs=1e-5)
    assert len({len(of) for of in found}) > 5


@pytest.mark.parametrize("name", [*shapes.SPARSE, *LATE])
def test_the_library_s_own_check_is_written(made, name):
    found = from_json((made(name)[1] / "agreement.json").read_bytes())
    assert found["texts"] == 50 and found["difference"] < 1e-5
    assert all((made(name)[1] / file).is_file() for file in shapes.FORMS["whole"])


@pytest.mark.parametrize("name", ["SPLADE doc", "PyLate 1"])
def test_the_same_checkpoint_twice_is_the_same_bytes(made, tmp_path, name):
    given, taken = made(name)
    write_checkpoint(settings(given), tmp_path / "again")
    names = [path.relative_to(taken) for path in sorted(taken.rglob("*")) if path.is_file()]
    assert all((tmp_path / "again" / name).read_bytes() == (taken / name).read_bytes() for name in names)


@pytest.mark.parametrize("name", ["SPLADE", "idf alone", "no masks"])
def test_lengths_that_are_given_are_read_and_the_model_s_own_are_the_limit(made, name):
    _, taken = made(name)
    encode = weights if name in shapes.SPARSE else lambda *told: torch.cat(vectors(*told))

    def encoded(length):
        return encode(
            Library(taken, model_type(taken), dict.fromkeys((QUERY, DOCUMENT), length)),
            ["gold " * 30 + "river " * 30],
            DOCUMENT,
        )

    short, own, beyond = map(encoded, (5, 64, 5000))
    assert short.shape != own.shape or np.abs((short - own).toarray()).max() > 0
    assert own.shape == beyond.shape and np.abs(own - beyond).max() == 0


def test_what_each_kind_does_is_said(made):
    found = describe(made("SPLADE doc")[1])
    assert found.sentence() == (
        "SparseStaticEmbedding for queries, Transformer (BertForMaskedLM), SpladePooling (max, log1p_relu) for "
        "passages; dot similarity; prompts: none; ' ' between title and text; reads 64 tokens of a query and 64 tokens "
        "of a passage; float32 weights"
    )
    behind = "Dense (16), MultiVectorMask (leaves 32 tokens of a passage out), Normalize"
    for name in ("Stanford", "ColBERT"):
        assert describe(made(name)[0]).sentence() == (
            f"Transformer (BertModel, filled with [MASK] to 12 tokens), {behind} for queries, Transformer (BertModel), "
            f"{behind} for passages; maxsim similarity; prompts: query '[unused0] ', passage '[unused1] '; None "
            "between title and text; reads 12 tokens of a query and 40 tokens of a passage; float32 weights"
        )


def refused(folder, match):
    with pytest.raises(UserError, match=match) as caught:
        describe(folder)
    assert "\n" not in str(caught.value)


def test_weights_that_would_be_drawn_are_refused(made, tiny_transformer, tmp_path):
    headless = shutil.copytree(made("SPLADE")[0], tmp_path / "headless")
    shapes.edit(headless / "config.json", architectures=["BertModel"])
    refused(headless, "architectures: 'BertModel' scores no words; needed: a ...ForMaskedLM")
    shapes.edit(headless / "config.json", architectures=["BertForMaskedLM"])
    shutil.copy(tiny_transformer / "model.safetensors", headless)
    with pytest.raises(UserError, match=r"its vectors are not those .*: the folder lacks weights, which are drawn"):
        write_checkpoint(settings(headless), tmp_path / "out")
    loose = shutil.copytree(made("PyLate 1")[0], tmp_path / "loose")
    entries = from_json((loose / "modules.json").read_bytes())
    (loose / "modules.json").write_text(str(entries[:1]).replace("'", '"'))
    refused(loose, r"modules\.json: names no Dense, which makes the vectors of PyLate's models")


def test_prompts_that_are_given_replace_its_own(made, texts, tmp_path):
    given, _ = made("SPLADE v1")
    write_checkpoint(settings(given, prompts={"query": "river "}), tmp_path / "out")
    library = SparseEncoder(str(given), device="cpu", local_files_only=True)
    found = weights(read(tmp_path / "out"), texts, QUERY).toarray()
    expected = library.encode(texts, prompt="river ").to_dense().numpy()
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-5)  # batches differ
    with pytest.raises(UserError, match="checkpoint tiny: similarity: 'dot': maxsim is that of its kind"):
        write_checkpoint(settings(made("ColBERT")[0], similarity="dot"), tmp_path / "late")
