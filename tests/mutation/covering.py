"""Pytest plug-ins: one notes which tests run which lines, the other runs chosen tests, the quickest first."""

import json
import os
import sys
from collections import defaultdict
from pathlib import Path
from types import FrameType

import pytest


def _work() -> float:
    """Seconds of the processor until now, of processes that have ended too: other work does not count."""
    return sum(os.times()[:4])


class Noting:
    """Writes to `output` what each test took and ran of the modules in `folder`, its fixtures included.

    Tests that fail are left out: one that measures memory would count the notes.
    """

    def __init__(self, folder: Path, output: Path):
        self.folder, self.output = str(folder), output
        self.seconds: dict[str, float] = {}
        self.ran: dict[object, set[str]] = defaultdict(set)  # of a test or a fixture: "module:line"
        self.fixtures: dict[str, list[object]] = {}

    def _traced(self, run: object):
        def line(frame: FrameType, event: str, _):
            if event == "line":
                self.ran[run].add(f"{Path(frame.f_code.co_filename).stem}:{frame.f_lineno}")
            return line

        def call(frame: FrameType, event: str, _):
            return line if frame.f_code.co_filename.startswith(self.folder) else None

        outer = sys.gettrace()
        sys.settrace(call)
        try:
            return (yield)
        finally:
            sys.settrace(outer)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        started, failed = _work(), item.session.testsfailed
        done = yield from self._traced(item.nodeid)
        if item.session.testsfailed == failed:
            self.seconds[item.nodeid] = _work() - started
            self.fixtures[item.nodeid] = [one for of in item._fixtureinfo.name2fixturedefs.values() for one in of]
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        return (yield from self._traced(fixturedef))

    def pytest_sessionfinish(self):
        ran = {test: self.ran[test].union(*(self.ran[one] for one in of)) for test, of in self.fixtures.items()}
        told = {test: {"seconds": self.seconds[test], "ran": sorted(ran[test])} for test in ran}
        self.output.write_text(json.dumps(told), encoding="utf-8")


class Choosing:
    """Runs some of the tests, in their order."""

    def __init__(self, tests: list[str]):
        self.order = {test: number for number, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order), key=lambda item: self.order[item.nodeid]
        )
