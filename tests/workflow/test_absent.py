"""Folders that are fetched by hand and are not there: a dry run names them, and a run ends before its first job."""

TARGET = "results/variations/msmarco-passage/train/back_translation.tsv"
MODELS = ["data/models/opus-mt-de-en", "data/models/opus-mt-en-de"]


def test_missing_models_are_named_before_a_job_runs(project):
    (project.folder / MODELS[1]).mkdir(parents=True)
    for model, named in zip(MODELS, (True, False), strict=True):
        status, output = project.snakemake("-n", TARGET)
        line = f"{model}: not here; back_translation of msmarco-passage, train needs it: hf download Helsinki-NLP/"
        assert status == 0 and output.count(line) == named and "rule vary:" in output
    status, output = project.snakemake(TARGET)
    assert status == 1 and "rule write_passages:" not in output and not (project.folder / "results").exists()
    assert "1 file(s) or folder(s) are missing, listed above; no job was started" in output
    assert f"{MODELS[0]}: not here" in output
