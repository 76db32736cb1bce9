"""Nodes of models: pre-training's head, and model directories that are taken as they are."""

import pytest
from tests.changes import changed

from robustdr.experiments.models import Checkpoint
from robustdr.graph.graph import graph


def test_pretraining_goes_on_with_the_head_that_its_encoder_leaves_out(config, mini, full):
    source = config.scales["full"].checkpoints["base"].source
    assert source and full.pretrained("pretrained_typos", 1).settings.head == source
    assert mini.pretrained("pretrained_typos", 1).settings.head is None


# models that are taken as they are


@pytest.fixture()
def whole(config, tmp_path):
    """A scale whose base is a directory that is taken as it is."""
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(b"weights")
    entry = Checkpoint(description="", form="whole", source={"path": str(tmp_path)})
    return changed(config, "scales", "mini", "checkpoints", "base", entry)


def test_every_file_of_what_is_taken_as_it_is_moves_its_key(whole, tmp_path):
    def keys():
        made = graph(whole, "mini")
        return made.checkpoint("base").key, made.model("dr_oq", 1).key

    before = keys()
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(b"other weights")
    after = keys()
    assert before[0] != after[0] and before[1] != after[1]


def test_a_pinned_file_of_a_local_folder_leaves_no_other_out_of_the_key(whole, tmp_path):
    pinned = changed(whole, "scales", "mini", "checkpoints", "base", "source", "sha256", "0" * 64)
    before = graph(pinned, "mini").checkpoint("base").key
    (tmp_path / "modules.json").write_text("[]")
    assert graph(pinned, "mini").checkpoint("base").key != before


def test_every_gpu_of_a_training_has_cores_that_feed_it(full, mini):
    one, documents = full.model("dr_oq", 1).need, full.model("dr_oq_document", 1).need
    assert (one.gpus, one.cores, documents.gpus, documents.cores) == (1, 8, 4, 8)
    pretraining = full.pretrained("pretrained_typos", 1).need
    assert (pretraining.gpus, pretraining.cores) == (8, 40)  # four workers and the trainer each
    assert mini.pretrained("pretrained_typos", 1).need.cores == mini.lineage.scale.threads
    assert mini.model("dr_oq", 1).need.cores == mini.lineage.scale.threads
