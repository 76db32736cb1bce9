"""A cross-encoder, for the tests of reranking."""

import pytest
import torch
from sentence_transformers import CrossEncoder
from transformers import AutoModelForSequenceClassification, AutoTokenizer


@pytest.fixture(scope="session")
def cross(tiny_model, tmp_path_factory):
    """A cross-encoder with random weights, as sentence-transformers writes one."""
    bare = tmp_path_factory.mktemp("bare")
    torch.manual_seed(3)
    AutoModelForSequenceClassification.from_pretrained(tiny_model, num_labels=1).save_pretrained(bare)
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(bare)
    folder = tmp_path_factory.mktemp("cross")
    CrossEncoder(str(bare)).save_pretrained(str(folder))
    return folder, bare
