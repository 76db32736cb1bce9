"""The conda environments: pinned as in requirements.lock, named by every rule, and with all that their jobs import."""

import ast
import inspect
import re
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from importlib.util import resolve_name
from pathlib import Path

import pytest
import yaml
from tests.planned import of_papers

from robustdr import variations
from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.keys.node import histories
from robustdr.keys.provenance import PACKAGE, Code, packages, pins
from robustdr.stages.__main__ import all_stages

STAGES = all_stages()
ROOT = Path(__file__).parents[1]
ENVIRONMENTS = {path.name: path for path in sorted((ROOT / "envs").glob("*.yaml"))}
RULE = re.compile(r"^ *(?:rule|checkpoint)\b.*:$", re.MULTILINE)
LOCKED = {"faiss-gpu": "faiss-cpu"}  # the build for GPUs of the same library
providers = cache(packages_distributions)  # reads the records of every installed package


def normalised(package):
    return re.sub(r"[-_.]+", "-", package).lower()


def pinned(environment):
    """{package: (operator, version)}, but for Python and pip."""
    dependencies = yaml.safe_load(ENVIRONMENTS[environment].read_text())["dependencies"]
    (with_pip,) = (entry["pip"] for entry in dependencies if isinstance(entry, dict))
    conda = [entry for entry in dependencies if isinstance(entry, str) and not re.match("python=|pip$", entry)]
    return {name: rest for name, *rest in (re.fullmatch("([^=]+)(=+)(.+)", pin).groups() for pin in conda + with_pip)}


def rules():
    """(file, text) of every rule in rules/."""
    return [
        (path.name, text)
        for path in sorted((ROOT / "rules").glob("*.smk"))
        for text in RULE.split(path.read_text(encoding="utf-8"))[1:]
    ]


@cache
def distributions(environment):
    """What an environment installs: its packages and what they require, all installed here too."""
    found, todo = set(), {normalised(LOCKED.get(name, name)) for name in pinned(environment)}
    while todo:
        found.add(name := todo.pop())
        try:
            lines = requires(name) or []
        except PackageNotFoundError:  # required on other systems alone
            continue
        needed = {re.match(r"[\w.-]+", line)[0] for line in lines if "extra ==" not in line}
        todo |= {normalised(other) for other in needed} - found
    return found


def imported_at_once(module):
    """What a module of the package imports outside of functions; its parents are among it. None if it is no module."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not path.is_file():
        return None
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found, todo = {module.rpartition(".")[0]} - {""}, list(ast.parse(path.read_text(encoding="utf-8")).body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names if base.startswith(PACKAGE.name))}
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            todo += node.orelse
        elif not isinstance(node, ast.FunctionDef):
            todo += ast.iter_child_nodes(node)
    return found


def libraries(stage):
    """{library: module that imports it} of all that is imported when a stage starts."""
    source = inspect.getsource(STAGES[stage].function) if stage in STAGES else ""
    todo, seen, found = {"robustdr.stages.__main__", *re.findall(r"from (robustdr[\w.]+) import", source)}, set(), {}
    while todo:
        seen.add(module := todo.pop())
        for name in imported_at_once(module) or ():
            if name.startswith(PACKAGE.name):
                todo |= {name} - seen
            elif name.partition(".")[0] not in sys.stdlib_module_names:
                found[name.partition(".")[0]] = module
    return found


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_pins_equal_the_lock(environment):
    for name, (_, version) in pinned(environment).items():
        assert version == pins().get(normalised(LOCKED.get(name, name))), name


def test_faiss_of_the_gpu_comes_from_the_package_index():
    """Which has the locked version, where conda-forge does not."""
    assert pinned("index-gpu.yaml")["faiss-gpu"][0] == "=="


def test_every_rule_names_an_environment_and_every_environment_is_used():
    named = [(file, re.findall(r'conda:\s*"\.\./envs/([\w.-]+)"', text)) for file, text in rules()]
    assert len(named) > 15
    assert [file for file, environments in named if len(environments) != 1] == []
    assert {environment for _, (environment,) in named} == set(ENVIRONMENTS)


USED = sorted(
    {
        (re.search(r"envs/([\w.-]+)", text)[1], stage)
        for _, text in rules()
        for stage in re.findall(r"-m robustdr\.stages ([\w-]+)", text)
    }
)


def test_every_stage_has_its_environment():
    assert {stage for _, stage in USED} == {*STAGES}


@pytest.mark.parametrize("environment, stage", USED)
def test_an_environment_has_what_its_stages_import(environment, stage):
    lacking = {
        library: module
        for library, module in libraries(stage).items()
        if not {normalised(name) for name in providers()[library]} & distributions(environment)
    }
    assert not lacking


def codes():
    """(environment, code) of all that stages load by name at any scale, and of the stages that load nothing so."""
    house = load(ROOT / "config")
    made = [(environment, Code([STAGES[stage].function.__name__])) for environment, stage in USED]
    of_rule = {
        name: re.search(r"envs/([\w.-]+)", text)[1]
        for _, text in rules()
        if "@{params.settings" in text
        for name in re.findall(r"/logs/(\w+)/", text)  # of the rule, and of those that use it
    }
    for one in (graph(house, scale) for scale in house.scales):
        lineage = one.lineage
        nodes = of_papers(one, house.papers)
        for collection, source in house.collections.items():
            nodes += [] if lineage.is_log(collection) else [one.corpus(collection)]
            nodes += [one.split((collection, split)) for split in source["splits"]]
        nodes += [one.query_set(("wordnet-mini", "dev"), name) for name in variations.names()]
        nodes += [one.checkpoint(name) for name, entry in lineage.scale.checkpoints.items() if not entry.unavailable]
        systems = [name for name in lineage.complete() if not lineage.unavailable(name)]
        nodes += [one.model(name, 1) for name in systems if lineage.is_trained(name)]
        made += [(of_rule[node.rule], node.code) for node in histories(nodes)]
    return [
        (environment, Code(*code))
        for environment, code in dict.fromkeys((at, tuple(map(tuple, code))) for at, code in made)
    ]


def test_an_environment_has_every_package_behind_the_keys_of_its_jobs():
    """A job is refused where one is missing."""
    named = {environment: {normalised(LOCKED.get(name, name)) for name in pinned(environment)}
             for environment in ENVIRONMENTS}  # fmt: skip
    lacking = {
        (environment, name) for environment, code in codes() for name in packages(code).keys() - named[environment]
    }
    assert not lacking
