"""Nodes of evaluation: what judges a system's query sets."""


def test_capot_is_measured_on_the_test_questions_by_answers(config, full):
    for system, role in (("capot_nq", "natural-questions"), ("capot_trivia", "trivia-qa")):
        ((collection, split),) = full.demand.evaluations(system)
        assert (collection, split) == (role, "test") and config.judged_by(collection, split) == ["answers"]
        assert config.judged_by(collection, "train") == ["qrels", "answers"]
        groups = full.demand.measured()[system, (collection, split)]
        (group,) = (group for group in groups if "stem" in group)
        measures = full.measures(system, 1, (collection, split), group[0])
        assert set(measures.settings.measures["test.stem"]) == {f"Success@{k}" for k in (20, 100, 200)}
        inputs = measures.inputs
        assert {path.rpartition("/")[2] for path in inputs["judgements"].paths} == {"answers.jsonl"}
        assert inputs["corpus"].nodes == (full.corpus(collection),)  # an answer is looked for in passages
    assert config.judged_by("wordnet-nature", "test") == ["qrels"]
