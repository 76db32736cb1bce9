"""Model directories: sentence-transformers loads ours, with one encoder and with two."""

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from tests.encoding.shapes import ROUTER_FILES

from robustdr.core.files import write_text
from robustdr.encoding.directory import DOCUMENT, QUERY, SHARED_FILES, copy, part
from robustdr.encoding.encoder import Encoder

TEXTS = ["what is the meaning of music", "gold", "the king of the river"]


@pytest.fixture(scope="module")
def router(tiny_model, tmp_path_factory):
    """Two encoders, the one for documents with other weights."""
    folder = tmp_path_factory.mktemp("router") / "model"
    weights = copy(tiny_model, folder, separate=True)[DOCUMENT] / "model.safetensors"
    changed = {name: tensor * 1.5 for name, tensor in load_file(weights).items()}
    save_file(changed, weights, metadata={"format": "pt"})
    write_text(folder / "README.md", "# A router\n")
    return folder


def test_sentence_transformers_loads_a_router_and_finds_the_vectors_of_both_encoders(router):
    reference = SentenceTransformer(str(router), device="cpu", local_files_only=True)
    query, document = (Encoder(router, route=route).encode(TEXTS, 32) for route in (QUERY, DOCUMENT))
    assert np.abs(reference.encode_query(TEXTS) - query).max() < 1e-4
    assert np.abs(reference.encode_document(TEXTS) - document).max() < 1e-4
    assert np.abs(query - document).max() > 0.1
    assert reference.similarity_fn_name == "dot"


def test_a_router_saved_by_sentence_transformers_is_read(router, tmp_path):
    SentenceTransformer(str(router), device="cpu", local_files_only=True).save(str(tmp_path / "again"))
    for route in (QUERY, DOCUMENT):
        one, other = (Encoder(path, route=route).encode(TEXTS, 32) for path in (router, tmp_path / "again"))
        assert np.array_equal(one, other)


@pytest.mark.parametrize("separate, expected", [(False, SHARED_FILES), (True, ROUTER_FILES)])
def test_the_files_of_a_directory(tiny_model, tmp_path, separate, expected):
    copy(tiny_model, tmp_path / "model", separate)
    write_text(tmp_path / "model" / "README.md", "# A model\n")
    found = [path.relative_to(tmp_path / "model").as_posix() for path in (tmp_path / "model").rglob("*")]
    assert sorted(set(expected)) == sorted(expected)
    assert {name for name in found if (tmp_path / "model" / name).is_file()} == set(expected)


def test_a_shared_encoder_serves_both_routes(tiny_model):
    assert part(tiny_model, QUERY) == part(tiny_model, DOCUMENT) == (tiny_model, tiny_model / "1_Pooling")


def test_a_router_made_of_a_router_keeps_both_encoders(router, tmp_path):
    folders = copy(router, tmp_path / "model", separate=True)
    for route in (QUERY, DOCUMENT):
        name = "model.safetensors"
        assert (folders[route] / name).read_bytes() == (part(router, route)[0] / name).read_bytes()
