"""A preflight of RoDR's Table 2 at full scale against servers and folders of this machine names all that is broken."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.faults.test_network import Server

from robustdr.core.downloads import GITHUB
from robustdr.experiments.config import load
from robustdr.graph.graph import graphs
from robustdr.preflight.findings import Missing, lines
from robustdr.preflight.things import things

ROOT = Path(__file__).parents[2]
TABLE = "results/tables/rodr_table2.md"
REVISION = "86b5e0934494bd15c9632b12f714a8a67f723594"  # of BERT, in full.yaml
TREE = f"/api/models/google-bert/bert-base-uncased/tree/{REVISION}"
SNAPSHOT = f"hf/hub/models--google-bert--bert-base-uncased/snapshots/{REVISION}"
FILES = {  # that ir_datasets fetches for the table, by their names in its list
    "collectionandqueries": ("collectionandqueries.tar.gz", b"passages" * 500),
    "queries": ("queries.tar.gz", b"queries" * 50),
    "train/qrels": ("train/qrels", b"qrels" * 50),
}
MODELS = ("opus-mt-en-de", "opus-mt-de-en", "T5_Paraphrase_Paws")

# The command with ir_datasets as it is, but for where files are, what their digests are, and how large a collection is.
PROGRAM = """
import json, os, pkgutil, sys
data, known = pkgutil.get_data, json.loads(os.environ["KNOWN"])
def get(package, file):
    found = data(package, file)
    if file == "etc/downloads.json":
        listed = json.loads(found)
        for name, of in known["files"].items():
            listed["msmarco-passage"][name] |= of
        return json.dumps(listed).encode()
    if file == "etc/metadata.json":
        listed = json.loads(found)
        listed["msmarco-passage"]["docs"]["count"] = known["passages"]
        return json.dumps(listed).encode()
    return found
pkgutil.get_data = get
from robustdr.cli import main
from robustdr.core import downloads
downloads.GITHUB = known["released"]
raise SystemExit(main(["preflight", *sys.argv[1:]]))
"""


class Place:
    """A project with its servers, the hub's cache and ir_datasets' folder; `known`: what ir_datasets knows."""

    def __init__(self, folder: Path, model: Path):
        self.folder, self.server, self.more = folder, Server({}), {}
        shutil.copytree(ROOT / "config", folder / "config")
        for name in MODELS:
            shutil.copytree(model, folder / "data/models" / name)
        tree = [{"type": "file", "path": f.name, "size": f.stat().st_size, "oid": "0" * 40} for f in model.iterdir()]
        self.server.files[TREE] = json.dumps(tree).encode()
        self.known = {"passages": 1000, "files": {}, "released": self.server.url}
        scale = yaml.safe_load((folder / "config/scales/full.yaml").read_text())
        for variation in scale["variations"].values():
            for releases in variation.get("released", {}).values():
                for release in releases if isinstance(releases, list) else [releases]:
                    self.server.files[f"/{release['github']}/{release['revision']}/{release['file']}"] = b"queries"
        for name, (path, content) in FILES.items():
            self.server.files[f"/{path}"] = content
            description = {"expected_md5": hashlib.md5(content).hexdigest(), "size_hint": len(content)}
            self.known["files"][name] = {"url": f"{self.server.url}/{path}", **description}

    def keep(self, model: Path) -> None:
        """Put all that is fetched where it is kept."""
        for path, content in FILES.values():
            (target := self.folder / "irds/msmarco-passage" / path).parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        shutil.copytree(model, self.folder / SNAPSHOT)

    def preflight(self, *arguments: str) -> tuple[int, list[str]]:
        """Exit status and lines."""
        environment = {
            **{name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")},
            "PYTHONPATH": str(ROOT / "workflow"),
            "IR_DATASETS_HOME": str(self.folder / "irds"),
            "HF_HOME": str(self.folder / "hf"),
            "HF_ENDPOINT": self.server.url,
            "HF_HUB_OFFLINE": "0",
            "KNOWN": json.dumps(self.known),
            **self.more,
        }
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout.splitlines()

    def missing(self, *arguments: str) -> list[tuple[str, str]]:
        """What is missing, and what mends it."""
        status, lines = self.preflight(*arguments)
        things = [line.partition(". ")[2] for line in lines if line[:1].isdigit() and ". " in line]
        assert status == (1 if things else 0), lines
        return list(zip(things, [line.split("mend: ")[1] for line in lines if "   mend: " in line], strict=True))


def unreleased(missing: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Without released query sets: a job downloads them, so that a node without a network always lacks them."""
    return [(problem, mend) for problem, mend in missing if "results/releases/" not in mend]


@pytest.fixture
def place(tmp_path, tiny_transformer):
    new_place = Place(tmp_path, tiny_transformer)
    yield new_place
    new_place.server.shutdown()


@pytest.mark.slow
def test_nothing_is_missing_and_nothing_was_fetched(place):
    status, lines = place.preflight(TABLE)
    assert status == 0 and lines[-1].startswith("nothing is missing for "), lines
    sizes = sum(len(content) for _, content in FILES.values())
    assert f"IR_DATASETS_HOME ({place.folder}/irds): {sizes / 1000:.1f} kB to come" in lines[0]
    assert "no SLURM is configured here: no job looked at the machines" in lines
    # 12 models, 1,000 passages, 768 dimensions of two bytes
    assert f"results (results): {12 * 1000 * 768 * 2 / 1e6:.1f} MB to come" in lines[2]
    cached = [path.name for folder in ("irds", "hf") for path in (place.folder / folder).rglob("*") if path.is_file()]
    assert {*cached} <= {"irds_version.txt"}  # ir_datasets' own note


def test_files_of_repositories_are_downloaded_unless_they_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    graph = graphs(load(ROOT / "config"))["results/text"]
    split = graph.split(("stackfaq", "test"))
    entry = graph.lineage.config.collections["stackfaq"]["pairs"]
    assert [thing.url for thing in things(split)] == [f"{GITHUB}/{entry['github']}/{entry['revision']}/{entry['file']}"]
    copy = tmp_path / "robustdr/github" / entry["sha256"] / Path(entry["file"]).name
    copy.parent.mkdir(parents=True)
    copy.write_text("{}")
    assert [(thing.path, thing.sha) for thing in things(split)] == [(copy, entry["sha256"])]


def test_a_command_that_takes_the_newest_release_is_told():
    command = "hf download a/b --local-dir b && hf download c/d --revision 1; hf download e/f g.json"
    warnings = [line for line in lines([Missing("no such folder", command)]) if "not pinned" in line]
    assert warnings == [f"   not pinned: this takes the newest {name} of the hub" for name in ("a/b", "e/f")]


def test_five_broken_things_are_five_lines(place):
    """A file of another size, a revision without weights, a folder, a tokenizer without its words, the room."""
    place.server.files["/queries.tar.gz"] = b"another"
    tree = json.loads(place.server.files[TREE])
    place.server.files[TREE] = json.dumps([file for file in tree if file["path"] != "model.safetensors"]).encode()
    shutil.rmtree(place.folder / "data/models/opus-mt-en-de")
    tokenizer = place.folder / "data/models/T5_Paraphrase_Paws/tokenizer.json"
    words = json.loads(tokenizer.read_text())
    special = {word: number for word, number in words["model"]["vocab"].items() if word.startswith("[")}
    words["model"]["vocab"] = special
    tokenizer.write_text(json.dumps(words))
    place.known["passages"] = 10**12
    missing = dict(place.missing("results/tables/all_methods.md"))  # it paraphrases too
    assert len(missing) == 5, missing
    (size,) = (problem for problem in missing if problem.startswith(f"{place.server.url}/queries.tar.gz"))
    assert "the server has 7 bytes, 350 were released" in size and "put a copy with the MD5" in missing[size]
    weights = "google-bert/bert-base-uncased@86b5e09: that revision has no model.safetensors"
    assert "name a revision" in missing[weights]
    folder = missing["data/models/opus-mt-en-de: no such folder"]
    assert re.match(
        r"hf download Helsinki-NLP/opus-mt-en-de --revision \w{40} --local-dir data/released/opus-mt-en-de && robustdr",
        folder,
    )
    (tokens,) = (problem for problem in missing if problem.startswith("data/models/T5_Paraphrase_Paws: its tokenizer "))
    assert "Vamsi/T5_Paraphrase_Paws" in missing[tokens]
    (room,) = (problem for problem in missing if "results (results)" in problem)
    assert re.search(r"\d{5}\.0 TB to come", room) and "free" in room


@pytest.mark.slow
def test_what_is_here_is_checked_and_not_asked_for(place, tiny_transformer):
    place.keep(tiny_transformer)
    assert unreleased(place.missing("--offline", TABLE)) == []
    assert not place.server.asked
    assert place.missing(TABLE) == []
    for path, harm in {"queries.tar.gz": b"x" * 350, "train/qrels": b"short"}.items():
        (place.folder / "irds/msmarco-passage" / path).write_bytes(harm)
    (place.folder / SNAPSHOT / "tokenizer.json").unlink()
    for offline in ([], ["--offline"]):
        missing = dict(unreleased(place.missing(*offline, TABLE)))
        (digest,) = (problem for problem in missing if "queries.tar.gz has the MD5" in problem)
        assert missing[digest].startswith(
            f"rm {place.folder}/irds/msmarco-passage/queries.tar.gz && snakemake --cores 1 "
        )
        assert any("train/qrels has 5 bytes, 250 were released" in problem for problem in missing)
        (model,) = (problem for problem in missing if SNAPSHOT in problem)
        assert "tokenizer" in model and missing[model].endswith(f"--revision {REVISION} --force-download")
        assert len(missing) == 3


@pytest.mark.slow
def test_a_node_without_a_network_lists_what_is_not_on_its_disk(place):
    missing = dict(unreleased(place.missing("--offline", TABLE)))
    assert len(missing) == 4 and not place.server.asked
    base = "google-bert/bert-base-uncased@86b5e09 is not in the hub's cache (HF_HOME)"
    assert missing[base] == f"hf download google-bert/bert-base-uncased --revision {REVISION}"
    (passages,) = (problem for problem in missing if "collectionandqueries.tar.gz is not here (4.0 kB from" in problem)
    assert missing[passages] == "snakemake --cores 1 results/fetched/msmarco-passage/passages.json"


@pytest.mark.slow
def test_a_server_that_cannot_be_reached_is_one_line(place):
    """Port 9 of this machine refuses connections, as a network that is not there does."""
    for description in place.known["files"].values():
        description["url"] = description["url"].replace(place.server.url, "http://127.0.0.1:9")
    ((problem, _),) = place.missing(TABLE)
    assert problem.startswith(
        "127.0.0.1:9 cannot be reached ([Errno 111] Connection refused); 3 thing(s) come from there"
    )
    place.more["HF_ENDPOINT"] = "http://127.0.0.1:9"
    ((problem, _),) = place.missing(TABLE)
    assert "4 thing(s) come from there" in problem


@pytest.mark.slow
def test_a_key_and_the_server_that_it_is_for(place):
    """intent's reworded queries at full scale, of which ANTIQUE's and WikiQA's files are not here."""
    path = place.folder / "config/scales/full.yaml"
    scale = yaml.safe_load(path.read_text())
    scale["variations"]["llm"]["parameters"] |= {"base_url": f"{place.server.url}/v1", "key": "SOME_KEY"}
    path.write_text(yaml.safe_dump(scale))

    def of_server() -> list[tuple[str, str]]:
        missing = place.missing("results/claims/intent.md")
        return [
            entry
            for entry in missing
            if place.server.url in entry[0] and "datasets" not in entry[0] and "wiki" not in entry[0]
        ]

    problem = f"the environment variable SOME_KEY, the key of {place.server.url}/v1, is not set"
    assert of_server() == [(problem, "export SOME_KEY=…")]
    place.more["SOME_KEY"] = "secret"
    assert of_server() == []
    assert [path for path, _ in place.server.asked if path == "/v1/models"] == ["/v1/models"]


@pytest.mark.slow
def test_an_artifact_that_is_made_needs_its_sources_no_more(place):
    from robustdr.graph.project import project

    os.chdir(place.folder)
    try:
        (split,) = {project().graphs["results"].split(("msmarco-passage", split)) for split in ["train"]}
    finally:
        os.chdir(ROOT)
    for file in split.outputs["output"]:
        (artifact := place.folder / file).parent.mkdir(parents=True, exist_ok=True)
        artifact.write_text("made")
        artifact.with_name(f"{artifact.name}.sha256").write_text(f"# key: {split.key}\n{'0' * 64}  {artifact.name}\n")
    missing = dict(unreleased(place.missing("--offline", TABLE)))
    assert len(missing) == 2  # without the two files that the training queries are read from


@pytest.mark.slow
@pytest.mark.parametrize("target", ["results/tables/rodr_table99.md", "elsewhere/table.md", "results/nothing"])
def test_an_unknown_target_is_one_error(place, target):
    status, lines = place.preflight(target)
    assert status == 2 and len(lines) == 1 and target in lines[0]
