"""`docs/audit.md`: its examples are findings of the papers."""

import re
from pathlib import Path

from robustdr.audit.findings import audit
from robustdr.audit.relations import KINDS
from robustdr.audit.reported import load_paper

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")


def test_every_example_is_a_finding_and_every_kind_has_a_row():
    found = {finding.id: finding for name in ("capot", "qvg", "rodr") for finding in audit(load_paper(name)).findings}
    examples = re.findall(r"`((?:table|prose)\w+/[^`]+)`", TEXT)
    assert len(examples) >= 12
    assert not [example for example in examples if example not in found]
    kinds = {finding.kind for finding in found.values()} | set(KINDS)
    assert not [kind for kind in kinds if f"`{kind}`" not in TEXT]
