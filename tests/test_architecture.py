"""The structure of the package's imports. A room is a folder of the package or a module that lies loose in it."""

import ast
import json
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "workflow" / "robustdr"
REVIEWER = ROOT / "workflow" / "robustdr_review"
LARGEST = 5_000_000  # bytes
ROOMS, LEVELS, LOOSE, UNTYPED = 26, 14, 4, 160


def name_of(file):
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(file): file for file in sorted(PACKAGE.rglob("*.py"))}


def room_of(module):
    return module.split(".")[1] if "." in module else "__init__"


@cache
def imports():
    """The modules of the package that each module imports, in functions and for types alone too."""
    found = {}
    for module, file in FILES.items():
        named = []
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names):
                    named += [alias.name for alias in names]
                case ast.ImportFrom(base, names, 0) if base:
                    named += [f"{base}.{alias.name}" if f"{base}.{alias.name}" in FILES else base for alias in names]
        found[module] = {name for name in named if name in FILES and name != module}
    return found


def levels(arrows):
    """The level of each room: 1 if it imports no other one. Fails for a circle."""
    made = {}

    def level(room, above=()):
        assert room not in above, f"a circle of imports: {' → '.join([*above[above.index(room) :], room])}"
        if room not in made:
            made[room] = 1 + max((level(other, (*above, room)) for other in sorted(arrows[room])), default=0)
        return made[room]

    for room in sorted(arrows):
        level(room)
    return made


def test_rooms_import_downward_and_are_few():
    arrows = {room_of(module): set() for module in FILES}
    for module, others in imports().items():
        arrows[room_of(module)] |= {room_of(other) for other in others} - {room_of(module), "__init__"}
    found = levels(arrows)
    assert len(found) <= ROOMS and max(found.values()) <= LEVELS, json.dumps(found, indent=1)


def test_no_circle_of_files():
    levels(imports())


@pytest.mark.parametrize("room", ["audit", "reporting"])
def test_the_map_of_a_large_room_is_complete(room):
    """Its docstring names every module and folder."""
    entries = {
        path.stem for path in (PACKAGE / room).iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    text = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8")))
    assert not {name for name in entries - {"__init__"} if not re.search(rf"\b{name}\b", text)}
    assert set(re.findall(r"\b([a-z]+_[a-z_]+)\b", text)) <= entries


def test_few_modules_lie_loose():
    assert len(list(PACKAGE.glob("*.py"))) <= LOOSE


def test_few_places_are_untyped():
    places = [
        f"{module}:{number}"
        for module, file in FILES.items()
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        for _ in range(line.count("dict[str, Any]") + line.count("Tree") - line.count("Tree = "))
        if "import" not in line
    ]
    assert len(places) < UNTYPED, places


# Prepositions, pronouns and bare participles: they say how a word stands in a sentence, not what a thing is.
FUNCTION_WORDS = re.compile(
    r"of|by|at|own|here|there|ones?|others?|th[eo]se|found|made|told|said|asked|given|taken|kept|known|seen|had|each|every|some|"
    r"both|where|how|who|what|which|about|beside|below|above|behind|over|under|within|between|apart|alone|alike|left|right|near|"
    r"far|same|so|more|most|least|few|wanted|shown|named|written|read|moved|lost"
)


def test_names_say_what_they_hold():
    names = []
    for module, file in FILES.items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    names.append((name.strip("_"), f"{module}:{node.lineno}"))
    unclear = [(name, place) for name, place in names if FUNCTION_WORDS.fullmatch(name)]
    assert len(unclear) < 0.002 * len(names), unclear


def test_the_pipeline_imports_nothing_of_the_reviewer():
    for module, file in FILES.items():
        assert REVIEWER.name not in file.read_text(encoding="utf-8"), module


def test_the_reviewer_imports_the_audit_and_what_it_stands_on():
    for file in REVIEWER.glob("*.py"):
        for room in re.findall(r"from robustdr\.(\w+)", file.read_text(encoding="utf-8")):
            assert room in ("audit", "claims", "collections", "core"), file


def test_the_package_knows_nothing_of_snakemake():
    for module, file in FILES.items():
        assert "import snakemake" not in file.read_text(encoding="utf-8"), module


def test_modules_are_imported_by_their_names_in_the_registry_alone():
    """A key follows import statements: what is imported by its name, the node of the artifact must name too."""
    by_name = re.compile(r"import_module|__import__|(?<!\.)\b(exec|eval)\(|runpy")
    files = {module for module, file in FILES.items() if by_name.search(file.read_text(encoding="utf-8"))}
    assert files == {"robustdr.core.plugins"}


# Where models, tokenizers and pickles are opened. `convert` reads released pickles, as tensors alone.
OPENERS = {"from_pretrained", "SentenceTransformer", "CrossEncoder", "Transformer", "torch.load", "pickle"}
DOORS = {
    "robustdr.encoding.loading": {"from_pretrained"},
    "robustdr.encoding.loading_modules": {"SentenceTransformer", "CrossEncoder", "Transformer"},
    "robustdr.encoding.convert": {"torch.load", "pickle"},
}


def opened(tree):
    """What a module opens; a model that is put together from `modules` in memory opens nothing."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr="from_pretrained" as name) | ast.Constant("from_pretrained" as name):
                yield name
            case ast.Call(ast.Name(name) | ast.Attribute(_, name), _, keywords) if name in OPENERS:
                if "modules" not in {keyword.arg for keyword in keywords}:
                    yield name
            case ast.Attribute(ast.Name("torch"), "load") | ast.ImportFrom("torch", [ast.alias("load")]):
                yield "torch.load"
            case ast.Import(names) if {alias.name for alias in names} & {"pickle", "joblib", "dill", "cloudpickle"}:
                yield "pickle"
            case ast.ImportFrom("pickle" | "joblib" | "dill" | "cloudpickle"):
                yield "pickle"


@pytest.mark.parametrize("module", FILES)
def test_models_are_opened_at_one_door(module):
    found = set(opened(ast.parse(FILES[module].read_text(encoding="utf-8"))))
    assert found <= DOORS.get(module, set()), (
        "use encoding.loading or loading_modules: they check what the folder names"
    )


@pytest.mark.parametrize(
    "line",
    [
        "AutoModel.from_pretrained(folder)",
        "getattr(kind, 'from_pretrained')(folder)",
        "sentence_transformers.CrossEncoder(folder)",
        "SentenceTransformer(str(folder), device='cpu')",
        "Transformer(str(folder))",
        "torch.load(path)",
        "from torch import load",
        "import pickle",
        "from pickle import loads",
    ],
)
def test_an_opener_elsewhere_is_seen(line):
    assert list(opened(ast.parse(line))) and not list(opened(ast.parse("SentenceTransformer(modules=parts)")))


def test_no_file_of_the_project_is_large():
    """A package fetched by hand once came in with a merge, 54 MB of it."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("no git repository")
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    assert not [str(file) for file in files if file.is_file() and file.stat().st_size > LARGEST]
