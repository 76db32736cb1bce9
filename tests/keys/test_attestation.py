"""What a job attests: the code that it loads, its packages and environment, and the keys of what it reads."""

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from robustdr.core.errors import UserError
from robustdr.keys.attestation import check_inputs
from robustdr.keys.integrity import check_chain, damaged, key_of, record
from robustdr.keys.node import Input, Need, Node
from robustdr.keys.provenance import PACKAGE, Code, made_of


def make_artifact(path, text="abc", inputs=(), key="k" * 16):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    record(path, key=key, inputs=inputs)
    return path


def test_a_record_has_the_key_and_what_was_read(tmp_path):
    first = make_artifact(tmp_path / "runs/a.arrow", key="1" * 16)
    second = make_artifact(tmp_path / "measures/a.parquet", inputs=[first], key="2" * 16)
    assert key_of(first) == "1" * 16 and key_of(second) == "2" * 16 and key_of(tmp_path / "none") == ""
    lines = (tmp_path / "measures/a.parquet.sha256").read_text().splitlines()
    assert lines[0] == f"# key: {'2' * 16}" and lines[1].endswith("  ../runs/a.arrow.sha256")


def test_an_input_with_another_key_than_the_planned_one_is_refused(tmp_path):
    first, second = make_artifact(tmp_path / "a", key="1" * 16), make_artifact(tmp_path / "b", key="2" * 16)
    check_inputs({"runs": [first, second]}, {"runs": ["1" * 16, "2" * 16]})
    check_inputs({"runs": [first, tmp_path / "mine.tsv"]}, {"runs": ["1" * 16]})  # the user's own file has none
    with pytest.raises(UserError, match=f"b: its record has the key {'2' * 16}, {'1' * 16} was planned"):
        check_inputs({"runs": [first, second]}, {"runs": ["1" * 16, "1" * 16]})
    second.with_name("b.sha256").unlink()
    with pytest.raises(UserError, match="b: its record has the key none"):
        check_inputs({"runs": [second]}, {"runs": ["2" * 16]})


def test_a_broken_link_anywhere_behind_an_artifact_is_found(tmp_path):
    corpus = make_artifact(tmp_path / "corpus")
    run = make_artifact(tmp_path / "runs/a.arrow", inputs=[corpus])
    measures = make_artifact(tmp_path / "measures/a.parquet", inputs=[run])
    check_chain([measures])
    assert not list(damaged(tmp_path))
    make_artifact(corpus, "abd")
    with pytest.raises(UserError, match=r"a\.arrow: it was made from another .*corpus than the one that is there"):
        check_chain([measures])
    assert len(list(damaged(tmp_path))) == 1
    corpus.with_name("corpus.sha256").unlink()  # what was cleared away is no broken link
    check_chain([measures])


def test_files_behind_links_are_recorded(tmp_path):
    """A folder of a model may hold links to folders."""
    real = tmp_path / "elsewhere/1_Pooling"
    real.mkdir(parents=True)
    (real / "config.json").write_text("{}")
    model = tmp_path / "model"
    model.mkdir()
    (model / "1_Pooling").symlink_to(real, target_is_directory=True)
    record(model)
    assert "model/1_Pooling/config.json" in (tmp_path / "model.sha256").read_text()
    (real / "config.json").write_text("{ }")
    assert len(list(damaged(model))) == 1


# jobs: real processes, on a copy of the package that they can be attacked in


@pytest.fixture()
def project(tmp_path):
    """A copy of the package; `stage(*options)` runs a stage of it and gives status and output."""
    for file in PACKAGE.rglob("*.py"):
        copied = tmp_path / "workflow/robustdr" / file.relative_to(PACKAGE)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(file.read_bytes())
    (tmp_path / "requirements.lock").write_bytes((PACKAGE.parents[1] / "requirements.lock").read_bytes())
    reported = tmp_path / "reported.yaml"
    reported.write_bytes((PACKAGE.parents[1] / "config/papers/rodr/reported.yaml").read_bytes())

    def start(*options, **environment):
        command = [sys.executable, "-m", "robustdr.stages", *map(str, options)]
        environment = os.environ | {"PYTHONPATH": str(tmp_path / "workflow")} | environment
        return subprocess.Popen(
            command, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def stage(*options, **environment):
        job = start(*options, **environment)
        return job.communicate()[0], job.returncode

    stage.start, stage.folder, stage.package = start, tmp_path, tmp_path / "workflow/robustdr"
    stage.summary = ["audit-summary", "--reported", reported, "--output", tmp_path / "summary.md"]
    return stage


def test_a_job_runs_as_planned(project):
    output, status = project(*project.summary, "--made-of", made_of(Code(["audit_summary"])), "--key", "0" * 16)
    assert status == 0, output
    assert (project.folder / "summary.md.sha256").read_text().startswith(f"# key: {'0' * 16}\n")


def test_what_was_made_before_is_made_anew_whatever_lay_behind_it(project):
    """The record of an output is of the run before; its chain may well be broken."""
    (project.folder / "other.sha256").write_text("")
    (project.folder / "summary.md.sha256").write_text(f"# read: {'0' * 64}  other.sha256\n")
    output, status = project(*project.summary, "--key", "0" * 16)
    assert status == 0, output


@pytest.mark.parametrize(
    "file", ["audit/formats.py", "audit/__init__.py", "__init__.py", "stages/__main__.py", "core/files.py"]
)
def test_a_job_whose_code_changed_after_the_plan_stops_before_it_works(project, file):
    path = project.package / file
    path.write_text(f"{path.read_text()}\n_CHANGED = 1\n")
    output, status = project(*project.summary, "--made-of", made_of(Code(["audit_summary"])))
    assert status == 2 and "changed after this run was planned" in output
    assert not (project.folder / "summary.md").exists()


def test_a_job_in_another_environment_stops(project):
    output, status = project(*project.summary, "--made-of", made_of(Code(["audit_summary"])), MKL_CBWR="SSE4_2")
    assert status == 2 and "environment changed" in output


def test_code_that_changes_while_a_job_runs_stops_it_though_it_is_changed_back(project):
    """The stage waits for its input, a pipe, and loads formats.py after it: that file is loaded as changed."""
    path = project.package / "audit/formats.py"
    text = path.read_text()
    waits = project.package / "audit/__init__.py"
    fifo = project.folder / "go"
    os.mkfifo(fifo)
    waits.write_text(f"open({str(fifo)!r}).read()\n{waits.read_text()}")
    code = "from robustdr.keys.provenance import Code, made_of; print(made_of(Code(['audit_summary'])))"
    planned = subprocess.check_output(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(project.package.parent)}, text=True
    ).strip()
    job = project.start(*project.summary, "--made-of", planned)
    while job.poll() is None:
        with contextlib.suppress(OSError):  # nobody reads it yet
            go = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)  # opens when the stage reads it, past its first check
            path.write_text(f"{text}\n_CHANGED = 1\n")
            os.close(go)
            break
        time.sleep(0.05)
    output = job.communicate()[0]
    assert job.returncode == 2 and "robustdr.audit.formats: it changed while the stage" in output
    assert not (project.folder / "summary.md.sha256").exists()


def test_a_module_that_no_key_covers_stops_a_job(project):
    path = project.package / "stages/audit.py"
    path.write_text(f"{path.read_text()}\n__import__('robustdr.losses.bce')\n")
    output, status = project(*project.summary)
    assert status == 2 and "the stage audit_summary loaded it, and its key does not cover it" in output


@pytest.fixture()
def told(project):
    """A file and a folder of the user in the project's folder, and the option that tells a job of their digests."""
    (project.folder / "model").mkdir()
    for name in ("qrels.txt", "model/weights"):
        (project.folder / name).write_text("first")
    inputs = {
        "judgements": Input(files=[project.folder / "qrels.txt"]),
        "model": Input(files=[project.folder / "model"]),
    }
    code, need = Code(["audit_summary"]), Need(1000, 10)
    job = Node("job", "results", "results/job", "a job", "job", code, need, inputs=inputs)
    return next(option for option in job.options_told if option[0] == "--files")


USERS = ["qrels.txt", "model/weights", "model/special_tokens_map.json"]


@pytest.mark.parametrize("name", USERS)
def test_a_file_of_the_user_that_changed_after_the_plan_stops_a_job(project, told, name):
    assert project(*project.summary, *told)[1] == 0
    (project.folder / name).write_text("other")
    (project.folder / "summary.md.sha256").unlink()
    output, status = project(*project.summary, *told)
    assert status == 2 and f"{name}: it changed after this run was planned; run again" in output
    assert not (project.folder / "summary.md.sha256").exists()


@pytest.mark.parametrize("name", USERS)
def test_a_file_of_the_user_that_changes_while_a_job_runs_stops_it_though_it_is_changed_back(project, told, name):
    """It has its bytes, size and time again, or is gone again."""
    stage, path = project.package / "stages/audit.py", project.folder / name
    meanwhile = f"""
    import os, pathlib
    path = pathlib.Path({str(path)!r})
    times = path.stat() if path.exists() else None
    path.write_text('other')
    path.write_text('first') if times else path.unlink()
    times and os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
"""
    stage.write_text(re.sub(r"def audit_summary.*:\n", lambda match: match[0] + meanwhile, stage.read_text()))
    output, status = project(*project.summary, *told)
    assert status == 2 and "it changed while a job read it; run again" in output and str(path.parent) in output
    assert not (project.folder / "summary.md.sha256").exists()


@pytest.fixture()
def evaluate(tmp_path):
    """`evaluate(…)`: run the stage as a rule does, in a folder with a perfect run."""
    (tmp_path / "run.trec").write_text("q Q0 d 1 1.0 x\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q 0 d 1\n", encoding="utf-8")
    settings = '{"measures": {"dev.original": ["RR@10"]}, "relevance_level": 1}'
    options = ["--settings", settings, "--runs", "run.trec", "--judgements", "qrels.txt"]

    def run(package=PACKAGE.parent, safe=True, **variables):
        isolated = {"PYTHONSAFEPATH": "1", "PYTHONNOUSERSITE": "1"} if safe else {}
        environment = {**os.environ, "PYTHONPATH": str(package), **isolated, **variables}
        command = [sys.executable, "-m", "robustdr.stages", "evaluate", *options, "--output", "m.parquet"]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


@pytest.mark.parametrize("name", ["pytrec_eval", "pandas", "pyarrow"])
def test_a_module_of_the_working_folder_takes_no_package_s_place(tmp_path, evaluate, name):
    (tmp_path / f"{name}.py").write_text("raise SystemExit('the stray module ran')\n", encoding="utf-8")
    ran = evaluate()
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "m.parquet.sha256").is_file()
    assert "the stray module ran" in evaluate(safe=False).stderr  # what isolation prevents


def test_settings_of_python_and_of_the_user_change_no_byte(tmp_path, evaluate):
    """Also a .pth file, and a module that Python itself imports, in the user's own site-packages."""
    assert evaluate().returncode == 0
    expected = (tmp_path / "m.parquet").read_bytes()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (packages := tmp_path / "home/lib" / version / "site-packages").mkdir(parents=True)
    (packages / "stray.pth").write_text("import os; os._exit(7)\n", encoding="utf-8")
    (packages / "usercustomize.py").write_text("raise SystemExit(7)\n", encoding="utf-8")
    settings = {"PYTHONUSERBASE": str(tmp_path / "home"), "PYTHONOPTIMIZE": "2", "PYTHONHASHSEED": "7"}
    ran = evaluate(**settings, PYTHONSTARTUP=str(packages / "usercustomize.py"), PYTHONUTF8="0", PYTHONUNBUFFERED="1")
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "m.parquet").read_bytes() == expected


@pytest.fixture()
def package(tmp_path):
    """A copy of this package, whose measures import tqdm."""
    copy = shutil.copytree(PACKAGE, tmp_path / "workflow/robustdr", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PACKAGE.parents[1] / "requirements.lock", tmp_path)
    with open(copy / "evaluation/measures.py", "a", encoding="utf-8") as file:
        file.write("import tqdm\n")
    return copy


# Loads the true module, and leaves its own name to it; where there is none, it fails.
STANDS_IN = """import sys
path, sys.path[:] = sys.path[:], sys.path[1:]
del sys.modules[__name__]
try:
    __import__(__name__)
finally:
    sys.path[:] = path
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [("sitecustomize", ""), ("sitecustomize", STANDS_IN), ("tqdm", ""), ("tqdm", STANDS_IN), ("argparse", STANDS_IN)],
)
def test_a_stray_module_beside_the_package_is_refused(tmp_path, evaluate, package, name, text):
    """One that Python itself imports, or with the name of a package; also if it failed or left its name to another."""
    assert evaluate(package=package.parent).returncode == 0
    (tmp_path / "m.parquet.sha256").unlink()
    (package.parent / f"{name}.py").write_text(text, encoding="utf-8")
    ran = evaluate(package=package.parent)
    assert ran.returncode == 2 and not (tmp_path / "m.parquet.sha256").exists()
    assert f"workflow/{name}.py: it is loaded as the module {name}, and belongs neither" in ran.stderr


def test_a_compiled_module_in_the_package_is_refused(tmp_path, evaluate, package):
    """Python takes it in place of a source with its name."""
    compiled = Path(importlib.util.find_spec("_bisect").origin)
    shutil.copy(compiled, package / "evaluation")
    (package / "evaluation/_bisect.py").write_text("", encoding="utf-8")
    with open(package / "evaluation/measures.py", "a", encoding="utf-8") as file:
        file.write("from robustdr.evaluation import _bisect\n")
    ran = evaluate(package=package.parent)
    assert ran.returncode == 2 and not (tmp_path / "m.parquet.sha256").exists()
    assert (
        f"{compiled.name}: it is loaded as the module robustdr.evaluation._bisect, and no key covers it" in ran.stderr
    )


def test_a_stray_rank_is_no_torchrun(tmp_path, evaluate):
    assert evaluate(RANK="1").returncode == 0 and (tmp_path / "m.parquet.sha256").is_file()


@pytest.fixture()
def environment(tmp_path):
    """`ran()`: start the stage in an environment of its own, whose packages are copies of two of this one's."""
    home = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    (packages,) = home.glob("lib/python3*/site-packages")
    for folder in ("six.py", "six-*.dist-info", "yaml", "pyyaml-*.dist-info"):
        for source in Path(sysconfig.get_path("purelib")).glob(folder):
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, packages / source.name)
    code = "from robustdr.keys.attestation import check_origins, watch; watch(); import {0}; check_origins()"

    def ran(modules="six, yaml"):
        # What the check itself needs lies in the environment of the tests, which is none of its places.
        return subprocess.run(
            [home / "bin/python", "-c", code.format(modules)], cwd=tmp_path, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        )  # fmt: skip

    return ran, packages


def refused(ran, *words):
    last = ran.stderr.splitlines()[-1]
    return ran.returncode == 1 and "UserError" in last and all(word in last for word in words)


def test_modules_of_the_environment_are_those_that_were_installed(environment):
    ran, _ = environment
    assert ran().returncode == 0, ran().stderr


@pytest.mark.parametrize("name", ["six.py", "yaml/nodes.py"])
def test_a_changed_module_of_the_environment_is_refused(environment, name):
    ran, packages = environment
    with open(packages / name, "a", encoding="utf-8") as file:
        file.write("\n# a line of somebody who looked for a fault\n")
    assert refused(ran(), name, "it changed after its package was installed")


@pytest.mark.parametrize("name", ["stray.py", "sitecustomize.py", "yaml/stray.py"])
def test_a_module_of_the_environment_that_no_package_has_is_refused(environment, name):
    ran, packages = environment
    (packages / name).write_text("", encoding="utf-8")
    module = name.removesuffix(".py").replace("/", ".")
    assert refused(ran(f"six, yaml, {module}"), name, "no installed package has this file")


@pytest.mark.parametrize("name", ["sitecustomize.py", "usercustomize/__init__.py"])
def test_a_module_that_python_imports_at_its_start_is_refused_though_it_failed(environment, name):
    ran, packages = environment
    (packages / name).parent.mkdir(exist_ok=True)
    (packages / name).write_text("raise ImportError\n", encoding="utf-8")
    assert refused(ran(), name, "no installed package has this file")


def test_a_changed_module_is_refused_though_it_left_its_name_to_another(environment):
    ran, packages = environment
    with open(packages / "six.py", "a", encoding="utf-8") as file:
        file.write("sys.modules[__name__] = types.ModuleType(__name__)\n")
    assert refused(ran("six"), "six.py", "it changed after its package was installed")


def test_a_file_pth_that_runs_code_is_refused(environment):
    ran, packages = environment
    (packages / "stray.pth").write_text("import sys; sys.setrecursionlimit(999)\n", encoding="utf-8")
    assert refused(ran(), "stray.pth", "no installed package has this file")


def test_a_package_behind_a_file_pth_is_refused(environment, tmp_path):
    ran, packages = environment
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/stray.py").write_text("", encoding="utf-8")
    (packages / "stray.pth").write_text(f"{tmp_path}/elsewhere\n", encoding="utf-8")
    assert refused(ran("stray"), "elsewhere/stray.py", "it is loaded as the module stray, and belongs neither")
