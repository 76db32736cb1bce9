"""The pages on your own model and data: every command, run as it stands there."""

import json
import re
import shutil
import subprocess
import threading

import pytest
from tests.encoding.embedding_server import Server
from tests.workflow.conftest import ROOT, Project

PAGES = [ROOT / "docs/tutorial/own-model.md", ROOT / "docs/how-to/own-data.md"]


@pytest.mark.slow
def test_every_command_of_the_pages(tmp_path):
    project = Project(tmp_path)
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    commands = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(commands) == 5
    environment = project.environment | {"PYTHONPATH": str(project.folder / "workflow")}
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for command in commands:
        done = subprocess.run(
            ["bash", "-euc", command.replace("http://localhost:8000/v1", server.url)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    server.shutdown()
    server.server_close()
    report = json.loads((tmp_path / "own/report/report.json").read_text())
    assert report["queries"] == 100 and report["passages"] == 1000
    assert report["systems"].keys() == {"own_bm25", "own", "own_hybrid"}
    assert done.stdout.rstrip().endswith("own/fixed/index.html")
    fixed = json.loads((tmp_path / "own/fixed/report.json").read_text())
    assert fixed["systems"]["own"]["original"] == report["systems"]["own"]["original"]
    assert len(server.given) == len({*server.given}) > 1000  # each text once
    stays = {name: not remedy["reindexes"] for name, remedy in fixed["remedies"].items()}
    assert {name for name, is_kept in stays.items() if is_kept} == {"own_capot"} and len(stays) == 5
    from sentence_transformers import SentenceTransformer

    for remedy in fixed["remedies"].values():
        SentenceTransformer(str(tmp_path / remedy["folder"]), device="cpu", local_files_only=True)
    shutil.rmtree(tmp_path)
