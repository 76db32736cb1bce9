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

from robustdr import cli, variations
from robustdr.experiments.config import load
from robustdr.graph.plan import Plan
from robustdr.keys.provenance import PACKAGE, Code, packages, pins

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = {path.name: path for path in sorted((ROOT / "envs").glob("*.yaml"))}
RULE = re.compile(r"^ *(?:rule|checkpoint)\b.*:$", re.MULTILINE)
LOCKED = {"faiss-gpu": "faiss-cpu"}  # conda's build for GPUs of the same library
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
    source = inspect.getsource(cli.STAGES[stage][0]) if stage in cli.STAGES else ""
    todo, seen, found = {"robustdr.cli", *re.findall(r"from (robustdr[\w.]+) import", source)}, set(), {}
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


def test_faiss_of_the_gpu_comes_from_conda():
    assert pinned("index-gpu.yaml")["faiss-gpu"][0] == "="


def test_every_rule_names_an_environment_and_every_environment_is_used():
    named = [(file, re.findall(r'conda:\s*"\.\./envs/([\w.-]+)"', text)) for file, text in rules()]
    assert len(named) > 15
    assert [file for file, environments in named if len(environments) != 1] == []
    assert {environment for _, (environment,) in named} == set(ENVIRONMENTS)


STAGES = sorted(
    {
        (re.search(r"envs/([\w.-]+)", text)[1], stage)
        for _, text in rules()
        for stage in re.findall(r"-m robustdr ([\w-]+)", text)
    }
)


@pytest.mark.parametrize("environment, stage", STAGES)
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
    made = [(environment, Code([cli.STAGES[stage].function.__name__])) for environment, stage in STAGES
            if stage in cli.STAGES]  # fmt: skip
    for plan in (Plan(house, scale) for scale in house.scales):
        for collection, source in house.collections.items():
            made += [("data.yaml", plan.corpus_code(collection))] if not plan.is_log(collection) else []
            made += [("data.yaml", plan.split_code(collection, split)) for split in source["splits"]]
        made += [("variations.yaml", plan.variation_code("wordnet-mini", "dev", name)) for name in variations.names()]
        at_hand = [name for name, entry in plan.bound["checkpoints"].items() if "unavailable" not in entry]
        made += [("train-gpu.yaml", plan.checkpoint_code(name)) for name in at_hand]
        made += [("train-gpu.yaml", plan.pretrained_code())]
        systems = [name for name in house.systems if not plan.why_not(name)]
        made += [("index-gpu.yaml", plan.run_code(name)) for name in systems]
        made += [("train-gpu.yaml", plan.model_code(name)) for name in systems if plan.is_trained(name)]
    return made


def test_an_environment_has_every_package_behind_the_keys_of_its_jobs():
    """A job is refused where one is missing."""
    named = {environment: {normalised(LOCKED.get(name, name)) for name in pinned(environment)}
             for environment in ENVIRONMENTS}  # fmt: skip
    lacking = {
        (environment, name) for environment, code in codes() for name in packages(code).keys() - named[environment]
    }
    assert not lacking
