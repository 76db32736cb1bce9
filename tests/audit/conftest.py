"""A paper from a few tables; hand-made labels."""

import pytest
import yaml

from robustdr.audit.reported import load


@pytest.fixture
def paper(tmp_path):
    """A paper from tables given as {id: {columns, cells, relations, …}}; the row is the query set unless named."""

    def build(**tables):
        filled = {id: {"caption": id, "row": "query_set", **table} for id, table in tables.items()}
        path = tmp_path / "reported.yaml"
        text = yaml.safe_dump({"paper": "mine", "title": "mine", "tables": filled}, default_flow_style=None)
        path.write_text(text, encoding="utf-8")
        return load(path)

    return build
