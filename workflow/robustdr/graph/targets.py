"""Targets on Snakemake's command line: what is no table, figure or page of claims is answered with those there are."""

import re
from collections.abc import Mapping

from robustdr.core.errors import unknown
from robustdr.graph.plan import Plan

# What lies in the folder of a scale and is asked for by a paper's name; other targets are left to Snakemake.
TARGET = re.compile(r"(?P<root>results(?:/[^/]+)?)/(?P<folder>tables|figures|claims)/(?P<name>[^/]+)\.\w+")
COUNTED = {"qvg_table2", "qvg_table3"}  # from labels, see rules/validation.smk


def check_target(target: str, plans: Mapping[str, Plan]) -> None:
    """Check a target that is a table, figure or page of claims.

    Args:
        plans: all scales by the folder of their results.

    Raises:
        UserError: a scale, paper, table or figure that there is not.
    """
    asked = TARGET.fullmatch(target)
    if asked is None or asked["name"] in COUNTED:
        return
    root, folder, name = asked.groups()
    if root not in plans:
        raise unknown(f"{target}: folder of a scale", root, plans)
    papers = plans[root].config.papers
    paper, _, part = name.partition("_")
    if paper not in papers:
        raise unknown(f"{target}: paper", paper, papers)
    if folder in ("tables", "figures") and part not in (parts := papers[paper].get(folder, {})):
        raise unknown(f"{target}: one of the {folder} of {paper}", part, parts)
