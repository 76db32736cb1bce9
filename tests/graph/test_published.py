"""What waits until a released checkpoint has reached its published score."""

from dataclasses import replace

import pytest

from robustdr.graph.graph import graph
from robustdr.graph.tables import claims, figure, table
from robustdr.keys.node import histories


def gates(node):
    return [after.path for after in node.after if after.rule == "published"]


def test_what_stands_on_a_checkpoint_waits(full):
    ance, passages, antique = "results/published/ance.json", "msmarco-passage", "antique"
    waiting = [
        full.model("rodr_ance", 1),
        full.training_data("rodr_ance", 1),
        full.run("ance", 0, (passages, "train"), "original"),
        full.vectors("ance", 0, antique, 0),
        full.run("ance", 0, (antique, "test"), "original"),
    ]
    assert [gates(node) for node in waiting] == [[ance]] * len(waiting)
    assert ance in gates(table(full, "rodr", "table5")) and ance in gates(claims(full, "rodr", ("rodr",)))
    assert gates(table(full, "rodr", "table2")) == [] == gates(figure(full, "rodr", "figure2"))


def test_the_check_waits_for_nothing_that_it_decides(full):
    for name in full.lineage.scale.published:
        check = full.published(name)
        behind = histories([check])
        assert check.need.gpus == 0 and [node.rule for node in behind if node.rule == "published"] == ["published"]


def test_every_score_is_checked(full):
    assert all(map(full.witness, full.lineage.scale.published))
    assert full.witness("t5_msmarco") == ("mono_t5", ("trec-dl-2019", "test"))


@pytest.mark.parametrize("scale", ["first", "compact", "mini"])
def test_parts_stand_ins_and_compressed_indexes_reach_no_published_score(config, scale):
    made = graph(config, scale)
    assert not any(map(made.witness, made.lineage.scale.published))
    assert gates(table(made, "rodr", "table5")) == []


def test_a_scale_that_binds_another_model_has_no_score(config, full):
    scale = replace(config.scales["full"], published={**config.scales["full"].published, "ance": None})
    made = graph(replace(config, scales={**config.scales, "full": scale}), "full")
    assert made.witness("ance") is None and made.witness("tas_b")
    assert gates(made.model("rodr_ance", 1)) == []
    assert made.model("rodr_ance", 1).key == full.model("rodr_ance", 1).key  # a check decides no bytes
