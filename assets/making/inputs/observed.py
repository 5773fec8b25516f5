"""Notices what a user's declaration reads, as the interpreter tells it: files, listings of folders, environment variables.

Python announces what is opened (`sys.addaudithook`), polars is asked by its own readers, variables where they are looked up.
What counts is what code of a user's does, with none of Silt's between, or what happens while the declaration is loaded. Of what
cannot be observed it is noted that it cannot: other processes, the network, clocks. What was read is kept in `reads.py`.
"""

import dis
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from glob import glob, has_magic
from importlib import invalidate_caches
from pathlib import Path
from threading import local
from types import CodeType, FrameType, ModuleType
from typing import Any, ParamSpec, TypeVar

import polars as pl

from assets.making.inputs.code import silts_files
from assets.making.inputs.reads import (
    PATH,
    PRESENCE,
    UNSEEN,
    VARIABLE,
    end_loading,
    forget,
    is_looking,
    is_read,
    note,
    note_written,
)

P = ParamSpec("P")
T = TypeVar("T")

_LIBRARIES = tuple(str(Path(sysconfig.get_path(name))) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
"""Folders of libraries, which count by their versions."""

_FOR_EVER_NEW, _NOTHING = ("/proc/", "/sys/", "/dev/"), "/dev/null"

_IMPORTING, _TEXT = "<frozen importlib", "<string>"
"""What Python calls the code that imports, and code that was a text."""

_CLOCKS, _OF_CLOCKS = frozenset({"now", "today", "urandom", "utcnow", "uuid1", "uuid4"}), frozenset({"secrets", "time"})
"""Names, and modules, by which code asks for the time or for chance: when it does, Python does not tell."""

_UNOBSERVED = ("read_clipboard", "read_database", "read_delta", "scan_delta", "scan_iceberg")
"""Readers of polars' that read more than a file."""


_at_work: list[None] = []
"""One for each step that is performed in this process."""


class _Thread(local):
    is_loading = False


_thread = _Thread()


@contextmanager
def loading(file: Path) -> Iterator[None]:
    """Observe the loading of a declaration. Its modules are loaded anew, whatever this process has loaded before.

    Raises:
        InputError: Something was written while it was read.
    """
    _begin_to_observe()
    hidden = _forget_modules(file)
    forget()
    _thread.is_loading = True
    try:
        _note_path(str(file))
        yield
    finally:
        _thread.is_loading = False
        sys.modules.update({name: module for name, module in hidden.items() if name not in sys.modules})
    end_loading()


@contextmanager
def performing() -> Iterator[None]:
    """Observe what the declaration's code does in a step; at other times it is somebody else's code that reads."""
    _at_work.append(None)
    try:
        yield
    finally:
        _at_work.pop()


# ----------------------------------------------------------------------------------------------------------------------


def _forget_modules(file: Path) -> dict[str, ModuleType]:
    """Take the declaration's modules out of what is loaded; return those that somebody else may have loaded for himself.

    Whoever works beside the declaration, in a notebook, may have imported its modules; they may have been changed since.
    """
    beside, hidden = file.absolute().parent, dict[str, ModuleType]()
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if name == "__main__" or not isinstance(path, str) or not _is_users(path):
            continue
        whole = Path(path).absolute()
        if any(is_read(str(part)) for part in (whole, *whole.parents)):  # a zip holds modules, too
            del sys.modules[name]
        elif whole.is_relative_to(beside):
            hidden[name] = sys.modules.pop(name)
    invalidate_caches()
    return hidden


@cache
def _begin_to_observe() -> None:
    """Observe from now on: what listens to Python cannot be taken away again."""
    silts_files()  # which lists folders, once
    sys.addaudithook(_heard)
    for name in [name for name in dir(pl) if name.startswith(("read_", "scan_"))]:
        setattr(pl, name, _observed_reader(name, getattr(pl, name)))
    variables: Any = type(os.environ)
    variables.__getitem__ = _observed_lookup(variables.__getitem__)
    os.stat, os.lstat = _observed_look(os.stat), _observed_look(os.lstat)


def _is_observing() -> bool:
    return bool(_at_work or _thread.is_loading) and not is_looking()


def _is_declarations(*, is_itself: bool = False) -> bool:
    """Say whether what happens is the doing of the declaration's code; of that `itself`, and not of a library it imports."""
    if not _is_observing():
        return False
    if _thread.is_loading and not is_itself:
        return True
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  (Python's own way to the stack)
    while frame is not None:
        file = frame.f_code.co_filename
        if _is_users(file):
            return True
        if (file in silts_files() and file != __file__) or (is_itself and file.startswith(_IMPORTING)):
            return False
        frame = frame.f_back
    return False


@cache
def _is_users(path: str) -> bool:
    """Say whether a file is neither Silt's, nor a library's, nor Python's own."""
    return not path.startswith("<") and _counts(_whole(path))


def _counts(whole: str) -> bool:
    return whole not in silts_files() and not whole.startswith(_LIBRARIES)


def _whole(path: Any) -> str:
    return os.path.abspath(os.fsdecode(path))  # noqa: PTH100  (a link is what it is called)


def _note_path(path: Any) -> None:
    whole = _whole(path)
    if whole != _NOTHING and _counts(whole) and _is_declarations():
        note(UNSEEN if whole.startswith(_FOR_EVER_NEW) else PATH, whole)


# --- what Python tells --------------------------------------------------------------------------------------------------


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    # NOTE: there are a hundred thousand; what is a library's is left out first, since to walk up the stack takes longer.
    if (noted := _EVENTS.get(event)) is not None and _is_observing():
        noted(event, *arguments)


def _opened(_event: str, path: Any, _mode: object, flags: int) -> None:
    if isinstance(path, int) or os.fsdecode(path).startswith(_LIBRARIES):
        return
    if flags & os.O_ACCMODE == os.O_RDONLY:
        _refuse_compiled(os.fsdecode(path))
        _note_path(path)
    elif _is_declarations():
        note_written(_whole(path))


def _refuse_compiled(path: str) -> None:
    """Let Python compile the declaration's modules itself: what it compiled before, it takes for a module of the same second.

    Raises:
        FileNotFoundError: It is compiled from a module of the declaration's. Python goes on without.
    """
    folder, name = os.path.split(path)
    if name.endswith(".pyc") and folder.endswith("__pycache__") and _is_users(path) and _is_declarations():
        raise FileNotFoundError(path)


def _removed(_event: str, path: Any, *_others: object) -> None:
    if _is_declarations():
        note_written(_whole(path))


def _listed(_event: str, path: Any) -> None:
    # NOTE: importing lists folders, too; the modules that it finds there are opened.
    if not isinstance(path, int) and not sys._getframe(2).f_code.co_filename.startswith(_IMPORTING):  # noqa: SLF001
        _note_path(path or ".")


def _imported(_event: str, _module: str, file: Any, *_others: object) -> None:
    if file:
        _note_path(file)


def _connected(_event: str, database: Any, *_others: object) -> None:
    if database != ":memory:":
        _note_path(database)


def _executed(_event: str, code: object) -> None:
    if not isinstance(code, CodeType) or not (_is_users(code.co_filename) or code.co_filename == _TEXT):
        return
    asked = (_names(code) & _CLOCKS) | (_imports(code) & _OF_CLOCKS)
    if asked and _is_declarations():
        note(UNSEEN, min(asked))


def _names(code: CodeType) -> set[str]:
    return set(code.co_names).union(*map(_names, _inside(code)))


def _imports(code: CodeType) -> set[str]:
    own = {str(each.argval) for each in dis.get_instructions(code) if each.opname == "IMPORT_NAME"}
    return own.union(*map(_imports, _inside(code)))


def _inside(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _left(event: str, *_others: object) -> None:
    if _is_declarations():
        note(UNSEEN, event)


_PROCESSES = ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen")
_NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request")

_EVENTS: Mapping[str, Callable[..., None]] = {
    "exec": _executed,
    "import": _imported,
    "open": _opened,
    "os.listdir": _listed,
    "os.remove": _removed,
    "os.scandir": _listed,
    "sqlite3.connect": _connected,
    **dict.fromkeys((*_PROCESSES, *_NETWORK), _left),
}
"""Events of Python's that tell of reading, and of what nobody can observe."""


# --- what is asked on its way -------------------------------------------------------------------------------------------


def _observed_reader(name: str, function: Callable[P, T]) -> Callable[P, T]:
    """Return a reader of polars', which opens files without a word to Python, so that what it is asked for is noted."""

    @wraps(function)
    def read(*args: P.args, **kwargs: P.kwargs) -> T:
        if _is_declarations():
            if name.startswith(_UNOBSERVED):
                note(UNSEEN, name)
            for path in _paths(args[0] if args else kwargs.get("source")):
                _note_path(path)
        return function(*args, **kwargs)

    return read


def _paths(source: object) -> Iterator[str]:
    """Yield the files that a reader of polars' looks at; which ones lie in a folder is listed, and so observed."""
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        for each in source:
            yield from _paths(each)
    elif isinstance(source, str | Path):
        path = os.path.expanduser(source)  # noqa: PTH111
        if "://" in path:
            note(UNSEEN, path.partition(":")[0])
        elif has_magic(path) and not os.path.exists(path):  # noqa: PTH110
            yield from glob(path, recursive=True)  # noqa: PTH207
        elif not os.path.isdir(path):  # noqa: PTH112
            yield path
        for folder, _, names in os.walk(path):
            yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118


def _observed_lookup(lookup: Callable[[Any, Any], str]) -> Callable[[Any, Any], str]:
    def read(variables: Any, name: Any) -> str:
        if isinstance(name, str | bytes) and _is_declarations(is_itself=True):
            note(VARIABLE, os.fsdecode(name))
        return lookup(variables, name)

    return read


def _observed_look(look: Callable[P, T]) -> Callable[P, T]:
    """Return what asks for the state of a file, so that it counts whether it is there."""

    @wraps(look)
    def stat(*args: P.args, **kwargs: P.kwargs) -> T:
        path = args[0] if args else None
        # NOTE: most of them are libraries' own; to walk up the stack for each would take a second.
        if isinstance(path, str | Path) and not str(path).startswith(_LIBRARIES) and _is_declarations(is_itself=True):
            note(PRESENCE, _whole(path))
        return look(*args, **kwargs)

    return stat
