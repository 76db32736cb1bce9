"""A damaged artifact of any kind is refused by name, moved out of the way, and made anew by the next run."""

from pathlib import Path

import pytest
import torch
from tests.faults.conftest import ROOT, TABLE, commands, results, same

from robustdr.stages.__main__ import main
from robustdr.training.state import load_state, save_state

C, S = "wordnet-mini", "wordnet-mini/dr_oq/seed1"
INDEX = "k1-0.9_b-0.4_stopwords-none_stemmer-english"
# artifact: the stage that reads it
KINDS = {
    f"collections/{C}/corpus.jsonl": "card",
    f"collections/{C}/corpus.rows.arrow": "card",
    f"collections/{C}/dev/queries.tsv": "vary",
    f"collections/{C}/dev/qrels.txt": "evaluate",
    f"collections/{C}/card.json": "embed",
    f"variations/{C}/dev/swap_words.tsv": "rank",
    f"variations/{C}/dev/swap_words.json": "table",
    "checkpoints/base/tokenizer.json": "training-data",
    f"training/{S}.jsonl": "train",
    f"models/{S}/model.safetensors": "embed",
    f"models/{S}/1_Pooling/config.json": "rank",
    f"embeddings/{S}/0.npy": "rank",
    f"embeddings/{S}/0.ids": "rank",
    f"indexes/{C}/{INDEX}/data.csc.index.npy": "rank",
    f"runs/{S}/dev.original.arrow": "evaluate",
    f"measures/{S}/dev.original.parquet": "table",
}
SOME = [
    f"variations/{C}/dev/swap_words.tsv",
    f"embeddings/{S}/0.ids",
    f"runs/{S}/dev.original.arrow",
    f"measures/{S}/dev.original.parquet",
]


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    """Flip one bit in the middle."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


@pytest.fixture(scope="module")
def harmed(finished, tmp_path_factory):
    return finished.copy(tmp_path_factory.mktemp("harmed") / "project")


@pytest.fixture(scope="module")
def stages(harmed):
    return commands(harmed)


@pytest.mark.parametrize("harm", [truncate, flip])
@pytest.mark.parametrize("name", KINDS)
def test_a_damaged_artifact_is_refused_by_name(harmed, stages, name, harm, monkeypatch, capsys):
    monkeypatch.chdir(harmed.folder)
    path = Path(ROOT, name)
    before = results(harmed.folder)
    owners = path, path.with_suffix(".npy"), path.with_name("corpus.jsonl"), *path.parents
    artifact = next(at for at in owners if Path(f"{at}.sha256").exists())
    record = Path(f"{artifact}.sha256")
    whole, recorded = path.read_bytes(), record.read_bytes()
    harm(path)
    # what belongs to an artifact, such as the files of a model, is not named itself
    named = [argv for argv in stages if argv[0] == KINDS[name]]
    assert main(next((argv for argv in named if {str(path), str(artifact)} & {*argv}), named[-1])) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"robustdr: {path}: damaged: its sha256 is ")
    assert line.endswith(f"; moved to {artifact}.damaged; run again, which makes it again")
    assert not artifact.exists()
    Path(f"{artifact}.damaged").rename(artifact)
    path.write_bytes(whole)
    record.write_bytes(recorded)
    assert results(harmed.folder) == before


def test_a_damaged_record_is_refused_too(harmed, stages, monkeypatch, capsys):
    monkeypatch.chdir(harmed.folder)
    path = Path(ROOT, f"measures/{S}/dev.original.parquet")
    record, whole = Path(f"{path}.sha256"), Path(f"{path}.sha256").read_bytes()
    truncate(record)
    assert main(next(argv for argv in stages if argv[0] == "table")) == 2
    assert f"{record}:1: damaged: " in capsys.readouterr().err
    Path(f"{path}.damaged").rename(path)
    record.write_bytes(whole)


@pytest.mark.parametrize("harm", [truncate, flip])
@pytest.mark.parametrize("name", ["state.json", "state.safetensors"])
def test_a_damaged_state_of_a_training_is_not_resumed(tmp_path, name, harm):
    parameters = {"w": torch.nn.Parameter(torch.ones(64))}
    optimiser = torch.optim.AdamW(parameters.values())
    parameters["w"].sum().backward()
    optimiser.step()
    save_state(tmp_path / "resume", parameters, optimiser, {}, {"key": "k", "step": 1})
    assert load_state(tmp_path / "resume", "k", parameters, optimiser)["step"] == 1
    harm(tmp_path / "resume" / name)
    assert load_state(tmp_path / "resume", "k", parameters, optimiser) == {}


@pytest.mark.slow
def test_the_next_runs_make_damaged_artifacts_anew(finished, tmp_path):
    project = finished.copy(tmp_path / "project")
    for number, name in enumerate(SOME):
        (truncate if number % 2 else flip)(project.folder / ROOT / name)
    (project.folder / TABLE).unlink()
    runs = 0
    while (done := project.snakemake("--keep-going", "--", TABLE))[0]:
        assert "damaged: its sha256 is" in done[1], done[1]
        assert (runs := runs + 1) < 2 * len(SOME)
    moved = {str(path.relative_to(project.folder / ROOT)) for path in project.folder.rglob("*.damaged")}
    assert len(moved) > 1
    same(results(project.folder), results(finished.folder))
