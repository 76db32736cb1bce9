"""A look at the machine that a job runs on."""

import argparse

from robustdr.stages.options import INT, PATH, TEXT, stage


@stage("check that this machine has what jobs ask for", devices=INT, precision=TEXT, output=PATH)
def machine(a: argparse.Namespace) -> None:
    from robustdr.core.files import write_json
    from robustdr.preflight.machine import inspect

    write_json(a.output, inspect(a.devices, a.precision))
