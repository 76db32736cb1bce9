"""What ends a run early is said in its last line, whatever Snakemake logs."""

import re

from tests.experiments.test_overlay import EXPERIMENT, PARTS, write_parts

# A system behind runs that are not there.
ENGINE = {
    **EXPERIMENT,
    "systems": {"engine": {"label": "Engine", "kind": "existing", "runs": "private/runs"}},
    "tables": {"table1": {**EXPERIMENT["tables"]["table1"], "systems": ["engine"]}},
}
MINE = """
mine:
  kind: local
  corpus: mine/passages.tsv
  splits: {test: {queries: mine/queries.tsv, qrels: mine/qrels.txt}}
"""
CARD = "results/mini/collections/mine/card.json"


def last_line(project, *arguments):
    status, output = project.snakemake(*arguments)
    assert status == 1, output
    return output.splitlines()[-1]


def test_an_unknown_target_is_answered_with_those_there_are(shared_project):
    line = last_line(shared_project, "-n", "results/tables/rodr_table99.md")
    assert line.startswith("results/tables/rodr_table99.md: one of the tables of rodr: 'table99' is unknown")
    assert line.endswith(
        "allowed: decomposition, study_deviations, study_hours, table2, table3, table4, table5, table6"
    )


def test_what_a_job_makes_with_others_names_the_record_to_ask_for(shared_project):
    folder = "results/mini/models/wordnet-mini/dr_oq/seed1"
    line = last_line(shared_project, "-n", f"{folder}/model.safetensors")
    assert line.endswith(f"a job makes it with other files; ask for their record: {folder}.sha256")
    runs = "results/mini/runs/wordnet-mini/rodr/seed1"
    line = last_line(shared_project, "-n", f"{runs}/dev.swap_words.arrow")
    told = rf"{runs}/dev\.swap_words\.arrow: a job makes it with others; ask for ({runs}/dev\.misspell\.arrow)\.sha256"
    first = re.fullmatch(told, line)
    assert first, line
    line = last_line(shared_project, "-n", "results/mini/models/wordnet-mini/roder/seed1.sha256")
    assert line == "results/mini/models/wordnet-mini/roder/seed1: nothing of the configuration has this name: 'roder'"
    status, output = shared_project.snakemake("-n", first[1])
    assert status == 0, output


def test_what_a_rule_s_functions_meet(shared_project):
    """A key that a scale lacks, a run that is not there: Snakemake logs where it met them after what they say."""
    folder = shared_project.folder / "private"
    write_parts(folder, PARTS | {"papers/mine/experiment.yaml": ENGINE})
    (shared_project.folder / "private/runs").mkdir()
    overlay = ("--config", "overlay=private", "--")
    line = last_line(shared_project, "-n", *overlay, "results/mine/tables/rodr_table2.md")
    needs = "missing; results/mine/tables/rodr_table2.md needs it"
    assert line == f"private/scales/mine.yaml: budgets.passage-second-stage: {needs}"
    line = last_line(shared_project, "-n", *overlay, "results/mine/tables/mine_table1.md")
    assert line.startswith("systems.engine.runs: private/runs/mine/dev.original.trec.gz is missing; ")


def test_files_of_ones_own(shared_project):
    """One that is missing is named before work starts; one that is wrong, by the last line of the failing job's log."""
    with open(shared_project.folder / "config/collections.yaml", "a") as file:
        file.write(MINE)
    line = last_line(shared_project, "-n", CARD)
    files = [f"mine/{name}" for name in ("passages.tsv", "queries.tsv", "qrels.txt")]
    assert line.startswith(f"collections.yaml: mine: no such file: {', '.join(files)}; ")
    (shared_project.folder / "mine").mkdir()
    for name, text in zip(files, ("d1\tone\nd2\n", "q1\ta query\n", "q1 0 d1 1\n"), strict=True):
        (shared_project.folder / name).write_text(text)
    line = last_line(shared_project, CARD)
    log = "results/mini/logs/write_passages/mine.log"
    assert line.startswith(f"{log}: robustdr: mine/passages.tsv:2: 1 fields; a line of this")
