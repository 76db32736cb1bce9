"""What a job took, as Snakemake writes it."""

import pytest

from robustdr.core.benchmarks import costs

HEAD = "s\th:m:s\tmax_rss\n"


@pytest.mark.parametrize(
    "written, found",
    [
        (HEAD + "1.25\t0:00:01\t137.5\n", {"s": 1.25, "max_rss": 137.5}),
        (HEAD + "1.25\t0:00:01\tNA\n", {"s": 1.25}),
        (HEAD + "1.25\t0:0", {"s": 1.25}),  # of a run that was killed
        (HEAD, {}),
        ("", {}),
    ],
)
def test_costs_are_those_that_were_measured(written, found, tmp_path):
    path = tmp_path / "job.tsv"
    assert costs(path) is None
    path.write_text(written)
    assert costs(path) == found
