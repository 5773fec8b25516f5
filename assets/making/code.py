"""The identity of code: a module, all of ours that it imports, the data beside it, and every library that is installed.

Imports are read from the text, those of declarations by Python's parser, so those inside of functions count, too. Too much is
better than too little: what is imported and not used makes a step again for nothing, what is used and not seen would leave
something stale.
"""

import ast
import hashlib
import re
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parents[2]

_OURS = ("anonymize", "assets", "noise_specs", "pipeline", "raw", "silt", "validation")
"""Silt's own packages: code, wherever they are installed."""

_PUBLIC = "silt.public"
"""What `silt` hands on when a declaration of a user's own asks for it; its text does not say so."""

_LIBRARIES = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib"))

_DATA = "templates"
"""The folder of a package's data, besides files that lie beside its modules."""

_LOADED = (0, 0)
"""The state of a file that is read once."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]*))", re.MULTILINE
)
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)*", re.MULTILINE)
"""What is imported for the reader of types alone, and never runs."""
_NAME = re.compile(r"[\w.]+")
_IMPORTERS = ("__import__", "import_module")
"""Functions that import the module of a name."""

_COMMENT = re.compile(r"#[^\n]*")


def code_of_file(file: Path) -> str:
    """Return the identity of the code in a file and of what it imports; of a file that is not there, its name's."""
    return _code_of_own(file) if _is_silts(file) else _code(file)


@cache
def libraries() -> tuple[str, ...]:
    """Return the names and versions of everything that is installed, and the version of Python."""
    folders = (Path(folder) for folder in sys.path if folder)
    installed = {found.name for folder in folders for found in folder.glob("*.dist-info")}
    return (sys.version, *sorted(installed))


def imported(text: str) -> set[str]:
    """Return the names of modules that a module's text may import; some may be names inside of modules."""
    names: set[str] = set()
    for source, members, modules in _IMPORT.findall(_FOR_TYPES.sub("", text)):
        listed = _NAME.findall(_COMMENT.sub("", members or modules))
        names |= {f"{source}.{name}" for name in listed} | {source} if source else set(listed)
    return {".".join(parts[: i + 1]) for name in names for parts in [name.split(".")] for i in range(len(parts))}


@cache
def _code_of_own(file: Path) -> str:
    return _code(file)


def _code(file: Path) -> str:
    files = sorted((_called(path), _read(path, _state(path)).digest) for path in _reached(file))
    return hashlib.sha256(repr((files, libraries())).encode()).hexdigest()


def _reached(file: Path) -> dict[Path, None]:
    """Return all files of ours that a file needs, itself included."""
    reached: dict[Path, None] = {}
    waiting = [file]
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached[path] = None
            waiting += _read(path, _state(path)).needed
    return reached


@dataclass(frozen=True)
class _File:
    digest: str
    needed: tuple[Path, ...]
    """Files of ours that it imports, and the data beside it."""


@cache
def _read(path: Path, _state: tuple[int, int]) -> _File:
    if not path.is_file():
        return _File("", ())
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if path.suffix != ".py":
        return _File(digest, ())
    if _is_silts(path):
        modules = {(name, _ROOT) for name in imported(content.decode()) | _packages(path) if _is_named_as_ours(name)}
    else:
        modules = set(_imported_by_users(content, path.parent))
        if any(name == _PUBLIC.partition(".")[0] for name, _ in modules):
            modules.add((_PUBLIC, _ROOT))
    found = {own for name, beside in modules if (own := _file(name, beside=beside)) is not None}
    return _File(digest, tuple(sorted(found | set(_data(path.parent)))))


def _imported_by_users(content: bytes, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the modules that a declaration or its helper may import, wherever it does, and the folder to look in first."""
    try:
        nodes = list(ast.walk(ast.parse(content)))
    except (SyntaxError, ValueError):  # what is not Python is not imported either
        return
    for node in nodes:
        match node:
            case ast.Import():
                names, beside = [each.name for each in node.names], folder
            case ast.ImportFrom():
                names = [".".join(filter(None, (node.module, each.name))) for each in node.names]
                beside = Path(folder, *[".."] * (node.level - 1)).resolve() if node.level else folder
            case ast.Call(args=[ast.Constant(value=str(name)), *_]) if _called_as(node.func) in _IMPORTERS:
                names, beside = [name], folder
            case _:
                continue
        for parts in (name.split(".") for name in names):
            yield from ((".".join(parts[: place + 1]), beside) for place in range(len(parts)))


def _called_as(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _state(path: Path) -> tuple[int, int]:
    """Return in which state a file is to be read: what is loaded stays as it was loaded, a declaration is read anew."""
    if _is_silts(path):
        return _LOADED
    loaded = sys.modules.get(path.stem)
    if getattr(loaded, "__file__", None) == str(path) or not path.is_file():
        return _LOADED
    status = path.stat()
    return (status.st_mtime_ns, status.st_size)


def _packages(path: Path) -> set[str]:
    """Return the packages that a module of Silt lies in: they are imported before it."""
    if not _is_own(path.parent):
        return set()
    parts = path.relative_to(_ROOT).parts[:-1]
    return {".".join(parts[: i + 1]) for i in range(len(parts))}


@cache
def _data(folder: Path) -> tuple[Path, ...]:
    """Return the files beside the modules of a package of Silt that are no modules."""
    if not _is_own(folder):
        return ()
    found = [*folder.glob("*"), *(folder / _DATA).rglob("*")]
    return tuple(path for path in found if path.is_file() and path.suffix not in (".py", ".pyc"))


@cache
def _is_own(folder: Path) -> bool:
    return folder.is_relative_to(_ROOT) and folder.relative_to(_ROOT).parts[:1] in [(name,) for name in _OURS]


@cache
def _file(module: str, beside: Path = _ROOT) -> Path | None:
    """Return the file of a module if it is ours: in Silt's packages, or beside a declaration of a user's own."""
    if _is_named_as_ours(module):
        return next(_candidates(_ROOT, module), None)
    loaded = getattr(sys.modules.get(module), "__file__", None)
    folders = (beside, *map(Path, sys.path))
    places = [Path(loaded)] if loaded else (found for folder in folders for found in _candidates(folder, module))
    return next((place for place in places if not any(map(place.is_relative_to, _LIBRARIES))), None)


def _is_named_as_ours(module: str) -> bool:
    return module.partition(".")[0] in _OURS


def _candidates(folder: Path, module: str) -> Iterator[Path]:
    place = folder.joinpath(*module.split("."))
    return (path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file())


@cache
def _is_silts(file: Path) -> bool:
    return _is_own(file.parent)


@cache
def _called(path: Path) -> str:
    return str(path.relative_to(_ROOT)) if path.is_relative_to(_ROOT) else path.name
