"""The tutorials: their files are taken as they stand there, and the commands say what the pages say."""

import re
import subprocess
from collections import Counter

from tests.workflow.conftest import ROOT, Project

FIRST, CHANGES, OWN = (ROOT / f"docs/tutorial/{name}.md" for name in ("first-table", "change-one-thing", "own-paper"))
COUNTED = r"counts (\d+) jobs"


def written(page: str, project: Project) -> list[str]:
    """Write the files of a page into the project; return their names."""
    files = re.findall(r'^```\w+ title="(\S+)"\n(.*?)^```', page, re.MULTILINE | re.DOTALL)
    for name, text in files:
        (project.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (project.folder / name).write_text(text, encoding="utf-8")
    return [name for name, _ in files]


def test_each_change_makes_the_jobs_that_the_page_counts(project):
    page = CHANGES.read_text(encoding="utf-8")
    names = written(page, project)
    for split in ("train", "test"):
        folder = project.folder / "own" / split
        folder.mkdir(parents=True)
        (folder / "queries.tsv").write_text(f"{split}1\twhat is a broad river\n")
        (folder / "qrels.txt").write_text(f"{split}1 0 d1 1\n")
    (project.folder / "own/corpus.jsonl").write_text('{"docid": "d1", "title": "", "text": "a broad river"}\n')
    scales = ["mini", *(name.split("/")[-1].removesuffix(".yaml") for name in names if "/scales/" in name)]
    jobs = project.jobs(
        "--config", "overlay=mine", "--", *(f"results/{scale}/tables/rodr_table2.md" for scale in scales)
    )
    counts = Counter(job.outputs[0].split("/")[1] for job in jobs)
    assert [counts[scale] for scale in scales] == [
        int(n) for n in re.findall(COUNTED, FIRST.read_text(encoding="utf-8") + page)
    ]


def robustdr(project: Project, *arguments: str) -> str:
    command = ["robustdr", *arguments]
    return subprocess.run(
        command, cwd=project.folder, env=project.environment, capture_output=True, text=True, check=True
    ).stdout


def test_the_own_paper_is_read_audited_and_planned_as_the_page_says(project):
    page = OWN.read_text(encoding="utf-8")
    written(page, project)
    reported = project.folder / "mine/papers/typos/reported.yaml"
    draft = robustdr(project, "transcribe", "mine/paper.md")
    (columns,) = re.findall(r"It writes `(.*?)`", page)
    assert f"- {columns}\n" in draft
    cells = re.search(r"cells: \|\n.*", draft, re.DOTALL)[0].splitlines()[1:]
    corrected = re.search(r"cells: \|\n(.*)    relations", reported.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert [line.split() for line in cells] == [line.split() for line in corrected.splitlines()]
    audit = robustdr(project, "audit", "mine/papers/typos/reported.yaml")
    (printed,) = re.findall(r"prints `(.*? relations)`", page)
    (verdicts,) = re.findall(r"^It ends with `(.*?)`", page, re.MULTILINE)
    assert printed in audit and "Findings: 0 impossible, 0 inconsistent, 0 suspicious" in audit and verdicts in audit
    (right, wrong) = re.findall(r"Change (\S+) into (\S+) ", page)[0]
    reported.write_text(reported.read_text(encoding="utf-8").replace(right, wrong), encoding="utf-8")
    assert "Findings: 1 impossible" in robustdr(project, "audit", "mine/papers/typos/reported.yaml")
    target = re.search(r"^snakemake --cores 2 --config overlay=mine -- (.*)$", page, re.MULTILINE)[1].split()
    jobs = project.jobs("--config", "overlay=mine", "--", *target)
    assert len([job for job in jobs if job.rule != "all"]) == int(re.findall(COUNTED, page)[0])
