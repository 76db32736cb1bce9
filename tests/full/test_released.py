"""RoDR's Table 2 from the runs and models that its authors released, in the forms that such files have."""

import io
import json
import tarfile
import zipfile

import pytest
from tests.full import corpora, models
from tests.full.conftest import FullScale
from tests.full.world import tree
from tests.workflow.conftest import ROOT

from robustdr.core.first_seen import note_of
from robustdr.encoding.convert import convert

TABLE = "results/released/tables/rodr_table2.md"
RELEASED = tree(ROOT / "config/scales/released.yaml")["released"]
MODELS = tree(ROOT / "config/scales/released-models.yaml")
SPLIT = "msmarco-passage/dev"
NAMES = {
    "original": "queries.dev.small.q32.p128.top1k.run.txt",
    **{
        name: f"queries.dev.small.{pattern.strip('*.')}.q32.p128.top1k.run.txt"
        for name, pattern in RELEASED["dr_oq"]["runs"][SPLIT]["files"].items()
        if name != "original"
    },
}
# Ranks of the judged passages of the 20 queries: RR@10 of 32.38, which is printed as 32.4, and of 30.
FIRST, OTHER = [1] * 5 + [2, 2, 3, 7] + [0] * 11, [1] * 6 + [0] * 14


def run(form: str, ranks: list[int]) -> str:
    """The text of a run in which the judged passage of each query has a rank; 0: it is not there."""
    lines = []
    for number, rank in enumerate(ranks):
        qid, judged = 1048585 + number, corpora.TRAIN + number
        others = iter(docid for docid in range(200, 240) if docid != judged)
        for place in range(1, 9):
            docid = judged if place == rank else next(others)
            trec = f"{qid} Q0 {docid} {place} {100 - place} dense"
            lines.append(trec if form == "trec" else f"{qid}\t{docid}\t{place}")
    return "\n".join(lines) + "\n"


def packed(form: str) -> bytes:
    """An archive of runs: TREC's in a packed tar with a folder, or MS MARCO's in a zip."""
    texts = {name: run(form, FIRST if query_set == "original" else OTHER) for query_set, name in NAMES.items()}
    buffer = io.BytesIO()
    if form == "trec":
        with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
            for name, text in texts.items():
                about = tarfile.TarInfo(f"Flat/{name}")
                about.size = len(text)
                tar.addfile(about, io.BytesIO(text.encode()))
    else:
        with zipfile.ZipFile(buffer, "w") as zipped:
            for name, text in texts.items():
                zipped.writestr(name, text)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project with what `fetch` of Table 2's systems brings."""
    made = FullScale(tmp_path_factory.mktemp("released"))
    data = made.folder / "data"
    for system, form in (("dr_oq", "trec"), ("rodr", "msmarco")):
        corpora.put(made.folder / RELEASED[system]["runs"][SPLIT]["path"], packed(form))
    for name in ("rodr-passage-dr-qv", "rodr-passage-dr-oq-qv"):
        models.write_published(lambda folder: models.bert(folder, pickled=True), data / "unpacked" / name)
        with tarfile.open(data / "released" / name, "w:gz") as tar:
            tar.add(data / "unpacked" / name, "best_model")
        convert(data / "released" / name, data / "models" / name)
    return made


@pytest.mark.slow
def test_table_2_is_made_from_what_was_released(project):
    status, output = project.make(TABLE)
    assert status == 0, output
    text = (project.folder / TABLE).read_text()
    told = json.loads((project.folder / TABLE).with_suffix(".json").read_text())
    rules = {path.name for path in (project.folder / "results/released/benchmarks").iterdir()}
    assert not rules & {"train", "training_data", "mine"}
    cells = {(cell["system"], cell["query_set"], cell["measure"]): cell for cell in told["cells"]}
    ours, theirs = cells["dr_oq", "original", "RR@10"], cells["rodr", "misspell", "RR@10"]
    assert ours["reproduced"] == pytest.approx(0.3238, abs=1e-4) and ours["model_from"] == "their run"
    assert theirs["reproduced"] == pytest.approx(0.3) and theirs["reported"] == "25.0"
    assert cells["dr_qv", "original", "RR@10"]["model_from"] == "their checkpoint"
    head = text.index("| ORIGINAL |")
    reported, given, difference = text[head:].splitlines()[:3]
    assert "| reported |" in reported and "| 32.4 |" in reported and "| theirs |" in given and "| 32.4 ±" in given
    assert [field.strip() for field in difference.split("|")][2:6] == ["difference", "–", "–", "="]
    assert "## Printed numbers that the authors' own runs and models do not give" in text
    assert "| msmarco-passage · dev · misspell · rodr · RR@10 | 25.0 | 30.00 |" in text
    assert "what the authors' own run gives" in text and "what the authors' own model gives" in text
    note = note_of(project.folder / RELEASED["dr_oq"]["runs"][SPLIT]["path"])
    assert "when it was first used here" in note.read_text() and "drive.google.com" in note.read_text()
    assert note_of(project.folder / "data/models/rodr-passage-dr-qv").is_file()


@pytest.mark.slow
def test_another_file_in_its_place_is_refused(project):
    """After the test above; the digest of the first use counts."""
    path = project.folder / RELEASED["dr_oq"]["runs"][SPLIT]["path"]
    before = path.read_bytes()
    path.write_bytes(packed("msmarco"))
    try:
        status, output = project.make(TABLE)
    finally:
        path.write_bytes(before)
    assert status != 0 and "when it was first used here" in output
