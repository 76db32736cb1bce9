"""The tutorial on changes: its files are taken as they stand there, and each change makes as many jobs as it says."""

import re
from collections import Counter

from tests.workflow.conftest import ROOT

PAGE = ROOT / "docs/tutorial/change-one-thing.md"
FIRST = ROOT / "docs/tutorial/first-table.md"


def test_each_change_makes_the_jobs_that_the_page_counts(project):
    page = PAGE.read_text(encoding="utf-8")
    files = re.findall(r'^```yaml title="(\S+)"\n(.*?)^```', page, re.MULTILINE | re.DOTALL)
    for name, text in files:
        (project.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (project.folder / name).write_text(text, encoding="utf-8")
    for split in ("train", "test"):
        folder = project.folder / "own" / split
        folder.mkdir(parents=True)
        (folder / "queries.tsv").write_text(f"{split}1\twhat is a broad river\n")
        (folder / "qrels.txt").write_text(f"{split}1 0 d1 1\n")
    (project.folder / "own/corpus.jsonl").write_text('{"docid": "d1", "title": "", "text": "a broad river"}\n')
    scales = ["mini", *(name.split("/")[-1].removesuffix(".yaml") for name, _ in files if "/scales/" in name)]
    jobs = project.jobs(
        "--config", "overlay=mine", "--", *(f"results/{scale}/tables/rodr_table2.md" for scale in scales)
    )
    counts = Counter(job.outputs[0].split("/")[1] for job in jobs)
    assert [counts[scale] for scale in scales] == [
        int(n) for n in re.findall(r"counts (\d+) jobs", FIRST.read_text(encoding="utf-8") + page)
    ]
