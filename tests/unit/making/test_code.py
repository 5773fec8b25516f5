"""The identity of code: everything of ours that a module needs is in it, and the versions of libraries."""

import ast
import sys
from pathlib import Path

import pytest

from assets.making import code
from assets.making.code import code_of_file, imported

ROOT = Path(__file__).parents[3]
MODULES = [
    path
    for package in ("anonymize", "assets", "pipeline", "raw", "silt", "validation")
    for path in (ROOT / package).rglob("*.py")
]


def truly_imported(text: str) -> set[str]:
    """Return what the statements of a module import, by Python's own parser."""
    names: set[str] = set()
    tree = ast.parse(text)
    tree.body = [
        node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names if alias.name != "*"}
    return names


def test_imports_are_read_as_python_reads_them() -> None:
    """In every module of Silt, those inside of functions included; what is read besides, in a docstring, does no harm."""
    assert len(MODULES) > 300
    missed = {path: truly_imported(text) - imported(text) for path in MODULES for text in [path.read_text("utf-8")]}
    assert {path: names for path, names in missed.items() if names} == {}


@pytest.fixture
def declaration(tmp_path: Path) -> Path:
    """Return a user's declaration that imports a module beside it."""
    (tmp_path / "its_words.py").write_text("WORDS = ['a']\n")
    file = tmp_path / "shops.py"
    file.write_text("def words():\n    from its_words import WORDS\n    return WORDS\n")
    return file


def test_a_line_of_a_declaration_counts(declaration: Path) -> None:
    """Its own, and one of a module beside it, even if that is imported in a function."""
    first = code_of_file(declaration)
    assert code_of_file(declaration) == first
    beside = declaration.with_name("its_words.py")
    beside.write_text("WORDS = ['a', 'b']\n")
    second = code_of_file(declaration)
    declaration.write_text(declaration.read_text() + "# \n")
    assert len({first, second, code_of_file(declaration)}) == 3


def test_what_silt_hands_on_counts_for_a_declaration_of_ones_own(declaration: Path) -> None:
    """What a declaration imports from `silt` is in it, and no line of the commands is, nor of those of shipped environments."""
    declaration.write_text("from silt import decimal_text\n")
    assert ROOT / "pipeline/numerals.py" in code._reached(declaration)
    declared = [declaration, *(ROOT / "silt/environments").rglob("*.py")]
    reached = {path for file in declared for path in code._reached(file)}
    assert [path for path in reached if path.is_relative_to(ROOT / "silt/commands") or path.name == "cli.py"] == []


def silts_own(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    """Let Silt's packages lie in a folder, and nothing be known of them."""
    monkeypatch.setattr(code, "_ROOT", root)
    for known in (code._code_of_own, code._read, code._file, code._data, code._is_own, code._is_silts, code._called):
        known.cache_clear()


@pytest.mark.parametrize(
    "line",
    [
        "x = 1; import helper",
        "if True: import helper",
        "from helper \\\n    import WORDS",
        "def words():\n    import helper",
        "from . import helper",
        "from .helper import WORDS",
        "import importlib\nhelper = importlib.import_module('helper')",
        "helper = __import__('helper')",
        "import package.part",
        "import elsewhere",
    ],
)
def test_whatever_a_declaration_imports_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """However it is written, by way of a package that looks into its parent, and of a folder that Python looks into."""
    (tmp_path / "own/package").mkdir(parents=True)
    (tmp_path / "lent").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "lent"))
    texts = {
        "own/shops.py": line,
        "own/helper.py": "WORDS = ['a']",
        "own/package/__init__.py": "",
        "own/package/part.py": "def words():\n    from ..helper import WORDS",
        "lent/elsewhere.py": "WORDS = ['a']",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(f"{text}\n")
    before = code_of_file(tmp_path / "own/shops.py")
    for name in ("own/helper.py", "lent/elsewhere.py"):
        (tmp_path / name).write_text("WORDS = ['a', 'b']\n")
    assert code_of_file(tmp_path / "own/shops.py") != before


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with packages of Silt's names: `assets.stage` needs `pipeline.part`, nobody `raw.apart`."""
    texts = {
        "assets/__init__.py": "",
        "assets/stage.py": "from pipeline import (\n    part,  # needed\n)\n",
        "pipeline/__init__.py": '"""Ground."""\n',
        "pipeline/part.py": "import json\n",
        "pipeline/words.yaml": "a: b\n",
        "pipeline/templates/page.html": "<p>\n",
        "pipeline/templates/styles/page.css": "p {}\n",
        "raw/__init__.py": "",
        "raw/apart.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    silts_own(monkeypatch, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("assets/stage.py", True),
        ("assets/__init__.py", True),
        ("pipeline/part.py", True),
        ("pipeline/__init__.py", True),
        ("pipeline/words.yaml", True),
        ("pipeline/templates/page.html", True),
        ("pipeline/templates/styles/page.css", True),
        ("raw/apart.py", False),
    ],
)
def test_whatever_a_stage_needs_counts(
    packages: Path, monkeypatch: pytest.MonkeyPatch, file: str, *, counts: bool
) -> None:
    """Modules that it imports, the packages around them, the data beside them; nothing else."""
    before = code_of_file(packages / "assets/stage.py")
    with (packages / file).open("a") as opened:
        opened.write("\n")
    silts_own(monkeypatch, packages)
    assert (code_of_file(packages / "assets/stage.py") != before) == counts


def test_another_version_of_a_library_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of any that is installed."""
    monkeypatch.syspath_prepend(str(tmp_path))
    found = []
    for version in ("1.0", "1.1"):
        (tmp_path / f"figures-{version}.dist-info").mkdir()
        code.libraries.cache_clear()
        found.append(code_of_file(tmp_path / "none.py"))
    assert found[0] != found[1]
    assert sys.version in code.libraries()
    code.libraries.cache_clear()
