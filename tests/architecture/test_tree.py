"""The tree shows the architecture: folders read at a glance, files read at once, names of modules that are there."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FOLDERS = ("anonymize", "assets", "benchmarks", "pipeline", "raw", "silt", "validation")
"""What the product is made of, and the benchmarks."""

MODULES = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))

MOST_MODULES = 12
"""Modules in the root of a folder, beside its `__init__`: what can be read at a glance."""

MOST_LINES = 400

PRODUCT = [file for file in MODULES if "benchmarks" not in file.parts]

_MENTION = re.compile(r"`([\w/]+\.py)`")


def modules_of(folder: Path) -> list[str]:
    """Return the modules that stand in a folder itself."""
    return sorted(file.name for file in folder.glob("*.py") if file.name != "__init__.py")


@pytest.mark.parametrize(
    "folder", sorted({file.parent for file in MODULES if file.parent != ROOT / "benchmarks"}), ids=str
)
def test_a_folder_has_a_dozen_modules_at_most(folder: Path) -> None:
    """Whoever opens a folder sees what is in it."""
    assert len(modules_of(folder)) <= MOST_MODULES, modules_of(folder)


def test_a_module_has_400_lines_at_most() -> None:
    """A module has one subject."""
    lines = {str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines()) for file in MODULES}
    assert {file: count for file, count in lines.items() if count > MOST_LINES} == {}


def mentions(file: Path) -> set[str]:
    """Return the modules that docstrings of a module name."""
    return set(_MENTION.findall(file.read_text(encoding="utf-8")))


def is_there(mention: str, file: Path) -> bool:
    """Say whether a module that is named in a file is found from one of the folders above it."""
    return any((folder / mention).is_file() for folder in file.parents)


def test_slow_tests_are_where_they_are_looked_for() -> None:
    """`make test-slow` collects integration tests alone."""
    slow = {
        file for file in (ROOT / "tests").rglob("*.py") if re.search(r"mark\.slow", file.read_text(encoding="utf-8"))
    }
    assert len(slow) > 10
    assert {file.relative_to(ROOT) for file in slow if "integration" not in file.parts} == set()


def test_every_module_that_is_named_is_there() -> None:
    """`name.py` in a docstring is a path from the folder of the file, or from one above."""
    lost = {
        f"{file.relative_to(ROOT)}: {mention}"
        for file in MODULES
        for mention in mentions(file)
        if not is_there(mention, file)
    }
    assert sorted(lost) == []


def test_every_module_says_what_belongs_in_it() -> None:
    """The docstring of a module is its border sign."""
    assert [str(file) for file in MODULES if not ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))] == []


def test_a_public_class_has_a_name_of_its_own() -> None:
    """Whoever reads a name knows which class is meant."""
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in PRODUCT)
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert {name: count for name, count in names.items() if count > 1 and not name.startswith("_")} == {}


def words_of(file: Path) -> Iterator[str]:
    """Yield the identifiers of a module and its docstrings, also those of fields."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Expr(value=ast.Constant(value=str(docstring))):
                yield docstring
            case ast.Constant():
                pass
            case _:
                yield from (value for _, value in ast.iter_fields(node) if isinstance(value, str))


def test_no_name_and_no_docstring_says_told() -> None:
    """It stood for seven things: known, reported, stated, detected, inferred, revealed and written."""
    told = re.compile(r"(?<![a-z])told(?![a-z])|Told(?![a-z])|TOLD")
    found = {f"{file.relative_to(ROOT)}: {word}" for file in PRODUCT for word in words_of(file) if told.search(word)}
    assert sorted(found) == []
