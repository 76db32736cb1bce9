"""Checks that a job does what was planned: its code, packages, environment, and the keys of its inputs."""

import base64
import hashlib
import os
import pkgutil
import sys
import sysconfig
import time
from collections.abc import Iterable, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import chain
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.keys.integrity import SETTLED, contents, key_of
from robustdr.keys.notes import note, recall
from robustdr.keys.provenance import PACKAGE, STAGES, Code, digests, made_of, modules, parsed

LOADED: dict[str, str] = {}  # by full name: the source of each module of this package, as it was when it was loaded
# By full name: where each module was looked for with success. A module may fail, or take its name away, after it ran.
LOCATED: dict[str, str] = {}
# Python imports them at its start, before this package can note them.
AT_START = ("sitecustomize", "usercustomize")
# Programs that make environments put a module of their own there, which no distribution has.
ENVIRONMENT_MAKERS = ("_virtualenv",)


def check_code(code: Code, planned: str) -> None:
    """Check that the code, packages and environment of a job are those in its key.

    Args:
        planned: the result of `provenance.made_of` at planning.

    Raises:
        UserError: they differ.
    """
    if made_of(code) != planned:
        raise UserError(
            f"{PACKAGE}: code of the stage {code.names[0]}, requirements.lock or the environment changed after this "
            "run was planned; undo the change, or run snakemake again"
        )


def check_inputs(inputs: Mapping[str, Sequence[Path]], planned: Mapping[str, Sequence[str]]) -> None:
    """Check by their records that artifacts have the planned keys.

    Args:
        inputs: artifacts by option of the stage. planned: their keys, in the same order.

    Raises:
        UserError: an artifact has another key.
    """
    for option, keys in planned.items():
        for path, key in zip(inputs[option], keys, strict=False):  # files of the user come last and have no key
            if (recorded_key := key_of(path)) != key:
                raise UserError(
                    f"{path}: its record has the key {recorded_key or 'none'}, {key} was planned; run again"
                )


State = dict[Path, tuple[int, int, int, int]]


def state_of(paths: Iterable[str]) -> State:
    """Return size, times (ns) and inode of files and folders of the user, and of those below folders.

    They tell of a change that was undone: no program sets the time of the last change (ctime).
    """
    files = {place: contents(place) for place in map(Path, paths)}
    folders = {folder for place in files if place.is_dir() for folder in (place, *(f.parent for f in files[place]))}
    stats = {place: place.stat() for place in (*folders, *chain(*files.values()))}
    return {place: (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino) for place, stat in stats.items()}


def check_files(planned: Mapping[str, Mapping[str, str]]) -> None:
    """Check that files and folders of the user have the bytes of the plan.

    Args:
        planned: `provenance.digests` at planning, by path.

    Raises:
        UserError: names a file that was changed, added or removed.
    """
    for path, digests_of in planned.items():
        (now,) = digests([Path(path)])
        if differing := sorted(name for name in {*now, *digests_of} if now.get(name) != digests_of.get(name)):
            raise UserError(f"{Path(path, differing[0])}: it changed after this run was planned; run again")


def check_unchanged(before: State, paths: Iterable[str]) -> None:
    """Check that nobody wrote to files of the user since `before`.

    Raises:
        UserError: names a file that was written, added or removed.
    """
    now = state_of(paths)
    if differing := sorted(file for file in {*before, *now} if before.get(file) != now.get(file)):
        raise UserError(f"{differing[0]}: it changed while a job read it; run again")


def check_loaded(code: Code) -> None:
    """Check that the process loaded the planned code, and no module of the package that no key covers.

    Raises:
        UserError: names the module.
    """
    planned = modules(*code.names)
    loaded = {name: text for name, text in LOADED.items() if name in planned or not name.startswith(f"{STAGES}.")}
    if uncovered := loaded.keys() - planned.keys():
        raise UserError(f"{min(uncovered)}: the stage {code.names[0]} loaded it, and its key does not cover it")
    for name, text in loaded.items():
        if parsed(name, text)[0] != planned[name]:
            raise UserError(f"{name}: it changed while the stage {code.names[0]} ran; run snakemake again")


def check_origins() -> None:
    """Check that each module of the process lies in Python's library, in the environment, or in this package.

    A file in the working folder or beside the package may have the name of an installed module, and take its place. A
    module of the environment must have the bytes with which its distribution was installed.

    Raises:
        UserError: names the file.
    """
    environment = _folders("purelib", "platlib")
    places = (*environment, *_folders("stdlib", "platstdlib"), f"{PACKAGE}/")
    files = {str(file) for place in environment for file in Path(place).glob("*.pth")}
    specs = {name: getattr(module, "__spec__", None) for name, module in sys.modules.items()}
    specs |= {name: PathFinder.find_spec(name) for name in AT_START}
    if f"{PACKAGE.parent}/" not in environment:  # what lies beside this package is found first
        beside = [name for _, name, _ in pkgutil.iter_modules([str(PACKAGE.parent)]) if PACKAGE.name not in name]
        specs |= {name: PathFinder.find_spec(name) for name in beside}
    # Modules that code makes, as torch.classes, have no specification.
    located = {name: spec.origin for name, spec in specs.items() if spec and spec.has_location and spec.origin}
    for name, file in sorted({*located.items(), *LOCATED.items()}):
        origin = file if file.startswith(places) else os.path.realpath(file)
        if not origin.startswith(places):
            raise UserError(
                f"{file}: it is loaded as the module {name}, and belongs neither to the environment nor to "
                "this package; rename it or move it away, and run again"
            )
        if origin.startswith(environment):
            files.add(origin)
        elif origin.startswith(f"{PACKAGE}/") and not origin.endswith(".py"):
            raise UserError(
                f"{file}: it is loaded as the module {name}, and no key covers it; remove it, and run again"
            )
    check_installed(files, environment)


def _folders(*names: str) -> tuple[str, ...]:
    """Return folders of Python by name, as they are named and without links; each ends in a slash."""
    folders = [sysconfig.get_path(name) for name in names]
    return tuple(dict.fromkeys(f"{folder}/" for name in folders for folder in (name, os.path.realpath(name))))


def check_installed(files: Iterable[str], environment: Iterable[str]) -> None:
    """Check files of the environment against the records of distributions (RECORD), once while they stay the same.

    Args:
        environment: the folders of packages.

    Raises:
        UserError: names a file that no record lists, or that differs from its record.
    """
    stats = {file: os.stat(file) for file in sorted(files)}
    states = [
        f"{file} {stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}" for file, stat in stats.items()
    ]
    state = hashlib.sha256("\n".join(states).encode()).hexdigest()
    if recall(f"installed {state}", state):
        return
    digest_of: dict[str, str] = {}
    for place in environment:
        for record in Path(place).glob("*.dist-info/RECORD"):
            for line in record.read_text(encoding="utf-8").splitlines():
                name, _, rest = line.partition(",")
                digest_of[os.path.normpath(f"{place}{name}")] = rest.partition(",")[0]
    for path in stats:
        digest = base64.urlsafe_b64encode(bytes.fromhex(sha256(path))).decode().rstrip("=")
        if path not in digest_of and Path(path).stem not in ENVIRONMENT_MAKERS:
            raise UserError(f"{path}: no installed package has this file, and a job loads it; move it away")
        if digest_of.get(path) and digest_of[path] != f"sha256={digest}":
            raise UserError(f"{path}: it changed after its package was installed; install the package again")
    if time.time_ns() - max((stat.st_ctime_ns for stat in stats.values()), default=0) > SETTLED:
        note(f"installed {state}", state, "as installed")


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str):  # type: ignore[no-untyped-def]  # as the class below it
        LOADED[fullname] = self.get_data(self.path).decode("utf-8")
        return super().get_code(fullname)


class _Finder(MetaPathFinder):
    def find_spec(self, fullname, path, target=None) -> ModuleSpec | None:  # type: ignore[no-untyped-def]
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and spec.has_location and spec.origin:
            LOCATED[fullname] = spec.origin
        if spec and fullname.partition(".")[0] == PACKAGE.name and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


def watch() -> None:
    """Note where modules lie that are loaded from now on, and the source of those of this package, earlier ones too."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(sys.meta_path.index(PathFinder), _Finder())
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None) or ""
            if name.partition(".")[0] == PACKAGE.name and file.endswith(".py"):
                LOADED[name] = Path(file).read_text(encoding="utf-8")
