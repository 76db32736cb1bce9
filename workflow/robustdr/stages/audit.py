"""Audits of printed numbers."""

import argparse

from robustdr.stages.options import MADE, PATH, PATHS, stage


@stage("audit a paper's printed numbers", reported=PATH, output=MADE, data=MADE)
def audit(a: argparse.Namespace) -> None:
    from robustdr.audit.formats import FORMATS
    from robustdr.audit.paper import audit_paper
    from robustdr.core.files import write_text

    audits = [audit_paper(a.reported)]
    write_text(a.output, FORMATS["md"](audits))
    write_text(a.data, FORMATS["json"](audits))


@stage("write the table of all audits", reported=PATHS, output=MADE)
def audit_summary(a: argparse.Namespace) -> None:
    from robustdr.audit.formats import summary
    from robustdr.audit.paper import audit_paper
    from robustdr.core.files import write_text

    write_text(a.output, summary([audit_paper(path) for path in a.reported]))
