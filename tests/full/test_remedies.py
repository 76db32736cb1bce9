"""The commands that full scale prints for what people fetch by hand, each executed as it stands, on small releases.

`hf` and `robustdr` are the real programs, and the hub is a server of this machine. `gdown` and `curl` ask hosts that no
variable replaces: stand-ins copy what these hosts have.
"""

import json
import os
import re
import subprocess
import tarfile
import zipfile

import pytest
from tests.full import models
from tests.full.world import tree
from tests.workflow.conftest import ROOT

from faults.test_network import Server

pytestmark = pytest.mark.slow

SCALE = tree(ROOT / "config/scales/full.yaml")
VARIATIONS = {
    path: command for variation in SCALE["variations"].values() for path, command in variation.get("fetch", {}).items()
}
CHECKPOINTS = {
    entry[key]["path"]: entry["fetch"]
    for entry in SCALE["checkpoints"].values()
    for key in ("source", "queries")
    if "fetch" in entry and key in entry
}
COMMANDS = VARIATIONS | CHECKPOINTS
HF = re.compile(r"hf download (\S+).*?--local-dir data/released/(\S+)", re.DOTALL)
TOKENIZER = r"vocab|tokenizer\.json|.*spiece|.*\.spm|sentencepiece"
COPY = """#!/bin/sh
# Copy what a host has under the last part of an address or an id.
for word in "$@"; do
  case "$previous" in -O|-Lo) output=$word ;; esac
  case "$word" in -*|data/*) ;; *) source=${word##*/} ;; esac
  previous=$word
done
mkdir -p "$(dirname "$output")"
cp -r "$HOSTS/$source" "$output"
"""


def roberta_base(folder):
    models.roberta_tokenizer(folder)
    from transformers import RobertaTokenizerFast

    RobertaTokenizerFast.from_pretrained(folder).save_pretrained(folder)


WRITERS = models.FOLDERS | {
    "t5-base": lambda folder: models.t5(folder, pickled=False),
    "$name": roberta_base,  # the tokenizer of both halves of ADORE+STAR
}
GOOGLE = {
    "1bJw8P15cFiV239mTgFQxVilXMWqzqXUU": "star",
    "1C1GQGfI4UHg99rfRcPYzQxlGZXvtsDfm": "adore-star",
}


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    """A folder with what Google Drive and file servers have, by id or file name."""
    folder = tmp_path_factory.mktemp("hosts")
    for identity, name in GOOGLE.items():
        models.write_published(models.FOLDERS[name], folder / identity)
    models.write_published(models.FOLDERS["general_character_bert"], folder / "general_character_bert")
    with tarfile.open(folder / "11-kSfIwSWrPno6A4VuNFWuQVYD8Bg_aZ", "w:xz") as archive:
        archive.add(folder / "general_character_bert", "general_character_bert")
    for name, dimension in {"wiki-news-300d-1M.vec": 300, "counter-fitted-vectors.txt": 8}.items():
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            archive.writestr(name, models.vectors(["river", "old"], dimension))
    return folder


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """A server with all models of the hub that the commands name."""
    server = Server({})
    server.repositories = set()
    for command in COMMANDS.values():
        for name, folder_name in HF.findall(command):
            if name in server.repositories:
                continue
            server.repositories.add(name)
            folder = tmp_path_factory.mktemp("hub") / name
            models.write_published(WRITERS[folder_name], folder)
            revision = re.search(rf"{re.escape(name)}.*?--revision (\w+)", command, re.DOTALL)
            files = {
                path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
            }
            about = {"id": name, "sha": "1" * 40, "siblings": [{"rfilename": file} for file in files]}
            for version in {"main", "1" * 40, revision[1] if revision else "main"}:
                server.files[f"/api/models/{name}/revision/{version}"] = json.dumps(about).encode()
                tree = [
                    {"type": "file", "path": file, "size": len(data), "oid": "0" * 40} for file, data in files.items()
                ]
                server.files[f"/api/models/{name}/tree/{version}"] = json.dumps(tree).encode()
                server.files |= {f"/{name}/resolve/{version}/{file}": data for file, data in files.items()}
    yield server
    server.shutdown()


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_of_fetch_makes_what_full_scale_reads(path, hub, hosts, tmp_path):
    command = COMMANDS[path]
    if "train-titles" in command:  # it needs topics of collections that TREC does not publish freely
        command, _, _ = command.partition(" && robustdr train-titles")
        path = "data/released/t5-base"
    if digest := re.search(r"= (\w{40})", command):
        (archive,) = (hosts / url.rpartition("/")[2] for url in re.findall(r"https://\S+\.zip", command))
        blob = subprocess.run(["git", "hash-object", "--no-filters", archive], stdout=subprocess.PIPE, text=True).stdout
        command = command.replace(digest[1], blob.strip())
    (tmp_path / "bin").mkdir()
    for name in ("gdown", "curl"):
        (tmp_path / "bin" / name).write_text(COPY, encoding="utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")},
        "PATH": os.pathsep.join([str(tmp_path / "bin"), str(ROOT / ".venv/bin"), os.environ["PATH"]]),
        "HOSTS": str(hosts),
        "HF_ENDPOINT": hub.url,
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(tmp_path / "hf"),
    }
    run = {"cwd": tmp_path, "env": environment, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(["bash", "-c", command], **run)
    assert done.returncode == 0, done.stdout
    target = tmp_path / path
    if target.is_dir():
        files = {file.name for file in target.iterdir()}
        assert {"config.json", "model.safetensors"} <= files
        assert path.endswith("character_bert") or any(re.match(TOKENIZER, name) for name in files)
    else:
        assert target.read_text(encoding="utf-8").split()
