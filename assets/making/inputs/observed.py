"""Notices what a user's declaration reads, as the interpreter tells it: files, listings of folders, environment variables.

Python announces what is opened (`sys.addaudithook`), polars is asked by its own readers, variables where they are looked up.
What counts is what code of a user's does, with none of Silt's between, while it is loaded or a step is performed. Of what
cannot be observed it is noted that it cannot: other processes, the network, clocks. What was read is kept in `reads.py`.
"""

import dis
import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial, wraps
from glob import glob, has_magic
from importlib import invalidate_caches
from importlib.util import source_from_cache
from pathlib import Path
from threading import Thread, current_thread, local, main_thread
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, ParamSpec, TypeVar

import polars as pl

from assets.making.inputs.code import library_folders, silts_files
from assets.making.inputs.reads import PATH, PRESENCE, UNSEEN, VARIABLE, end_loading, forget, note, note_written

P = ParamSpec("P")
T = TypeVar("T")

_LIBRARIES = library_folders()

_SYSTEMS, _MEMORY, _NOTHING = ("/proc/", "/sys/", "/dev/"), "/dev/shm/", "/dev/null"  # noqa: S108
"""Where files say what the system does just now; and what lies there and does not."""

_INSTALLED = "-packages"
"""How the name of a folder ends in which libraries are installed."""

_IMPORTING, _TEXT = ("<frozen importlib", "<frozen zipimport"), "<string>"
"""What Python calls the code that imports, and code that was a text."""

_UNSEEN_NAMES = frozenset({"now", "today", "urandom", "utcnow", "uuid1", "uuid4", "SQLContext", "deserialize", "sql"})
_UNSEEN_MODULES = frozenset({"cffi", "connectorx", "ctypes", "duckdb", "pyarrow", "secrets", "time"})
"""Names and modules by which code asks for the time or for chance, or opens files natively: Python does not say so."""

_FORMATS = frozenset({"avro", "csv", "excel", "ipc", "json", "lines", "ndjson", "ods", "parquet"})
"""Formats whose readers in polars read a file and nothing else."""


class _CompiledError(FileNotFoundError):
    """What Python compiled before is reported to it as missing: it goes on without."""


class _Thread(local):
    is_loading = False
    is_collecting = False
    at_work = 0


_thread = _Thread()

_at_work: list[None] = []
"""One for each step that is performed in this process."""

_imported: set[str] = set()
"""Names of modules that the declaration's code imported, found or not."""


@contextmanager
def apart() -> Iterator[None]:
    """Have no modules of a user's loaded: who works in this process, in a notebook, may have changed them since.

    Afterwards those are loaded again that were not loaded anew.
    """
    others = {name: module for name, module in list(sys.modules.items()) if _is_users_module(name, module)}
    for name in others:
        sys.modules.pop(name, None)
    invalidate_caches()
    try:
        yield
    finally:
        sys.modules.update({name: module for name, module in others.items() if name not in sys.modules})


@contextmanager
def loading(file: Path) -> Iterator[None]:
    """Observe the loading of a declaration, with modules that are loaded anew.

    Raises:
        InputError: Something was written while it was read.
    """
    silts_files()  # lists folders; if that were observed, each folder would ask for the list again
    _begin_to_observe()
    forget(str(file.parent))
    _imported.clear()
    _thread.is_loading = True
    try:
        note(PATH, _whole(file))
        with apart():
            yield
            _note_not_found()
    finally:
        _thread.is_loading = False
    end_loading()


@contextmanager
def performing() -> Iterator[None]:
    """Observe what the declaration's code does in a step; at other times it is somebody else's code that reads."""
    _at_work.append(None)
    _thread.at_work += 1
    try:
        yield
        _note_not_found()
    finally:
        _thread.at_work -= 1
        _at_work.pop()


@cache
def _begin_to_observe() -> None:
    """Observe from now on: what listens to Python cannot be taken away again."""
    # NOTE: garbage may be collected anywhere, and what that closes and removes is anybody's.
    gc.callbacks.append(lambda phase, _found: setattr(_thread, "is_collecting", phase == "start"))
    sys.addaudithook(_heard)
    for module in [module for name, module in sys.modules.items() if name.partition(".")[0] == pl.__name__]:
        for name, reader in [*vars(module).items()]:
            if name.startswith(("read_", "scan_")) and isinstance(reader, FunctionType):
                setattr(module, name, _asked_first(reader, partial(_polars_reads, name)))
    variables: Any = type(os.environ)
    variables.__getitem__ = _asked_first(variables.__getitem__, _looked_up)
    # NOTE: of what another thread reads, nobody could say for whom.
    began: Any = _asked_first(Thread.start, lambda *_: _left("thread"))
    Thread.start = began  # type: ignore[method-assign]
    status = os.stat
    os.stat = _asked_first(status, _looked_at)
    for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        able.update({os.stat} if status in able else ())


def _is_declarations(*, is_itself: bool = False) -> bool:
    """Say whether what happens is the doing of the declaration's code: `itself`, or by way of an installed library, too.

    What a library reads while it is imported is not: its version stands for it.
    """
    # NOTE: a library may call the declaration's code in a thread of its own, but not in the main one, where Dagster is.
    is_elsewhere = not _thread.is_loading and not _thread.at_work
    if _thread.is_collecting or (is_elsewhere and (not _at_work or current_thread() is main_thread())):
        return False
    frame = _caller()
    while frame is not None and _is_importing(frame):
        frame = frame.f_back
    own = _silts_own()
    while frame is not None:
        file = frame.f_code.co_filename
        if file in own or file.startswith(_IMPORTING) or (is_itself and _INSTALLED in file):
            return False
        if _is_users(file):
            return True
        frame = frame.f_back
    return False


@cache
def _silts_own() -> frozenset[str]:
    return silts_files() - {__file__}


def _caller() -> FrameType | None:
    """Return the innermost frame that is none of this module's."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  (Python's own way to the stack)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return frame


def _is_importing(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_code.co_filename.startswith(_IMPORTING)


@cache
def _is_users(path: str) -> bool:
    """Say whether a file is neither Silt's, nor a library's, nor Python's own."""
    return not path.startswith("<") and _counts(_whole(path))


def _is_users_module(name: str, module: ModuleType) -> bool:
    # NOTE: one of another type may load what it is asked for.
    if name in ("__main__", "__mp_main__") or type(module) is not ModuleType:
        return False
    file, folders = vars(module).get("__file__"), vars(module).get("__path__", ())
    if isinstance(file, str):
        return file.endswith(".py") and _is_users(file)
    return any(isinstance(folder, str) and _is_users(folder) for folder in folders)


def _counts(whole: str) -> bool:
    return whole not in silts_files() and not whole.startswith(_LIBRARIES)


def _whole(path: Any) -> str:
    return os.path.abspath(os.fsdecode(path))  # noqa: PTH100  (a link is what it is called)


def _note_path(path: Any) -> None:
    whole = _whole(path)
    if not whole.startswith(_SYSTEMS) or whole.startswith(_MEMORY):
        if _counts(whole) and _is_declarations():
            note(PATH, whole)
    # NOTE: libraries ask the system for processors and memory, and may do so whenever they read a table.
    elif whole != _NOTHING and _is_declarations(is_itself=True):
        note(UNSEEN, whole)


def _note_not_found() -> None:
    """Note of modules that were imported in vain where they would be found, if they were there."""
    for name in [name for name in list(_imported) if name not in sys.modules]:
        for folder in [folder for folder in sys.path if _counts(os.path.join(_whole(folder), ""))]:  # noqa: PTH118
            for path in (f"{name.replace('.', '/')}.py", name.replace(".", "/")):
                note(PRESENCE, _whole(os.path.join(folder, path)))  # noqa: PTH118


# --- what Python tells --------------------------------------------------------------------------------------------------


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    # NOTE: of millions, most are none of these; what is a library's is left out next, since to walk up the stack takes longer.
    if event in _EVENTS and (_at_work or _thread.is_loading):
        _unharmed(event, _EVENTS[event], event, *arguments)


def _unharmed(what: str, noted: Callable[..., None], *arguments: Any) -> None:
    """Note something; if that fails, the code that is observed knows nothing of it, and it counts as unseen."""
    try:
        noted(*arguments)
    except _CompiledError:
        raise
    except Exception:  # noqa: BLE001
        note(UNSEEN, what)


def _opened(_event: str, path: Any, _mode: object, flags: int) -> None:
    if isinstance(path, int) or os.fsdecode(path).startswith(_LIBRARIES):
        return
    if source := _source_of(os.fsdecode(path)):
        # What Python compiled before, it takes for a module of the same second: it has to compile the declaration's itself.
        if _is_users(source) and _is_importing(_caller()):
            raise _CompiledError(os.fsdecode(path))
        return
    if flags & os.O_ACCMODE != os.O_WRONLY and not flags & (os.O_TRUNC | os.O_EXCL):
        _note_path(path)
    if flags & os.O_ACCMODE != os.O_RDONLY:
        _wrote(_event, path)


def _source_of(path: str) -> str:
    """Return the module of which a file is the compiled one; nothing of another file."""
    with suppress(ValueError, NotImplementedError):
        return source_from_cache(path) if path.endswith(".pyc") else ""
    return ""


def _wrote(_event: str, *paths: Any) -> None:
    if _is_declarations():
        for path in paths:
            if isinstance(path, str | bytes | os.PathLike):
                note_written(_whole(path))


def _listed(_event: str, path: Any) -> None:
    # NOTE: importing lists folders, too; the modules that it finds there are opened.
    if not isinstance(path, int) and not _is_importing(_caller()):
        _note_path(path or ".")


def _imports(_event: str, module: str, file: Any, *_others: object) -> None:
    if file:
        _note_path(file)
    elif not _is_importing(_caller()) and _is_declarations():
        _imported.add(module)


def _connected(_event: str, database: Any, *_others: object) -> None:
    name = os.fsdecode(database)
    if name.startswith("file:") or os.path.lexists(f"{name}-wal"):
        _left(_event)
    elif name not in ("", ":memory:"):
        _note_path(name)


def _executed(_event: str, code: object) -> None:
    if not isinstance(code, CodeType):
        return
    # NOTE: what a library makes of texts, as of the fields of a class, is the library's.
    caller = _caller() if code.co_filename == _TEXT else None
    if _is_users(caller.f_code.co_filename if caller else code.co_filename):
        for name in (_names(code) & _UNSEEN_NAMES) | (_modules(code) & _UNSEEN_MODULES):
            note(UNSEEN, name)


def _names(code: CodeType) -> set[str]:
    return set(code.co_names).union(*map(_names, _inside(code)))


def _modules(code: CodeType) -> set[str]:
    own = {str(each.argval).partition(".")[0] for each in dis.get_instructions(code) if each.opname == "IMPORT_NAME"}
    return own.union(*map(_modules, _inside(code)))


def _inside(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _left(event: str, *_others: object) -> None:
    if _is_declarations():
        note(UNSEEN, event)


_PROCESSES = ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen")
_SOCKETS = ("connect", "getaddrinfo", "gethostbyname", "gethostname", "sendto")
_NETWORK = ("urllib.Request", *(f"socket.{name}" for name in _SOCKETS))
_EVENTS: Mapping[str, Callable[..., None]] = {
    "exec": _executed,
    "import": _imports,
    "open": _opened,
    "os.listdir": _listed,
    "os.remove": _wrote,
    "os.rename": _wrote,
    "os.scandir": _listed,
    "os.truncate": _wrote,
    "sqlite3.connect": _connected,
    **dict.fromkeys((*_PROCESSES, *_NETWORK, "ctypes.dlopen"), _left),
}
"""Events of Python's that tell of reading, and of what nobody can observe."""


# --- what is asked on its way -------------------------------------------------------------------------------------------


def _asked_first(function: Callable[P, T], noted: Callable[..., None]) -> Callable[P, T]:
    """Return a function that reads without a word to Python, so that what it is asked for is noted."""

    @wraps(function)
    def observed(*args: P.args, **kwargs: P.kwargs) -> T:
        if _at_work or _thread.is_loading:
            _unharmed(function.__name__, noted, args, kwargs)
        return function(*args, **kwargs)

    return observed


def _polars_reads(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    if _is_declarations():
        if name.split("_")[1] not in _FORMATS:
            note(UNSEEN, name)
        for path in _paths(args[0] if args else kwargs.get("source")):
            _note_path(path)


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


def _looked_up(args: Sequence[Any], _kwargs: Mapping[str, Any]) -> None:
    if isinstance(args[1], str | bytes) and _is_declarations():
        note(VARIABLE, os.fsdecode(args[1]))


def _looked_at(args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Note that code asks for the state of a file, or whether it is there."""
    path = args[0] if args else kwargs.get("path")
    # NOTE: most of them are libraries' own; to walk up the stack for each would take a second.
    if isinstance(path, str | bytes | Path) and kwargs.get("dir_fd") is None:
        whole = _whole(path)
        if _counts(whole) and _is_declarations():
            note(PRESENCE, whole)
