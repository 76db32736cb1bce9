"""The stages that the rules call: their functions and options. The modules have the names of the rules' files.

A stage imports its modules when it runs: loading torch would take longer than the audit of a table. Its key covers the
code that its function imports (robustdr.keys.provenance).
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from robustdr.keys.integrity import hardware, record, verify
from robustdr.stages import (  # noqa: F401  the import registers their stages
    collections,
    evaluation,
    models,
    reporting,
    retrieval,
    validation,
    variations,
)
from robustdr.stages.options import STAGES


def run_stage(name: str, a: argparse.Namespace) -> None:
    """Check the inputs of a stage, run it, and record its outputs.

    Raises:
        UserError: an input is damaged, or a package has another version than in requirements.lock.
    """
    from robustdr.keys.provenance import Code, installed

    function, _, options = STAGES[name]
    code = Code(getattr(a, "code", None) or [function.__name__], getattr(a, "packages", None) or [])

    def given(role: str) -> Iterator[Path]:
        for option in (option for option, kind in options.items() if kind.get("metavar") == role):
            value = getattr(a, option.rstrip("_")) or []
            yield from value if isinstance(value, list) else [value]

    versions, read = installed(code), list(given("INPUT"))
    verify(read)
    made = [*(function(a) or []), *((path,) for path in given("OUTPUT"))]
    computed_on = hardware(read)
    if "torch" in sys.modules:
        from robustdr.encoding.hardware import device, kind

        computed_on.add(kind(device()))
    for path, *beside in made:
        record(path, *beside, hardware=computed_on, installed=versions)
