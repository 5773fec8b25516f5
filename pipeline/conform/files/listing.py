"""Which files in a folder are a raw table: one, one each period, or in place of each a folder of Parquet parts (Spark, Dask).

Files are known by their names below the folder, with `/` on every system. What is in them belongs to `conform/reading.py`.
"""

import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path, PurePosixPath

from pipeline.errors import NO_FILE, InputError, Problem, near, near_path
from pipeline.model import RawTable
from pipeline.model.periods_said import period_column, period_said

PARQUET = ".parquet"

ENDINGS = (".csv", PARQUET, ".json")
"""Endings of files that are read, in the order in which they are looked for."""

_FILES_LISTED = 20

_OTHERWISE = "say where the raw tables are (RAW=DIR, or --raw DIR)"

_UNFIT: Mapping[str, str] = {
    "_temporary": "its parts are still being written, or their writer failed; wait for its end, or write them again",
    "_delta_log": "a Delta table keeps rows that were removed, too; write it as plain Parquet",
}
"""Folders beside parts that say that the parts are not the table."""


def files_of(table: RawTable, directory: Path) -> list[str]:
    """Return the names of a raw table's files in the folder, as `among` has them; none if absent. Or raise `InputError`."""
    return among(table, names_in(directory, table))


def digests_of(tables: Iterable[RawTable], directory: Path) -> dict[str, str]:
    """Return the digest (SHA-256) of each file that raw tables have in the folder, or raise `InputError`."""
    return {name: _digest(directory / name) for table in tables for name in files_of(table, directory)}


def names_in(directory: Path, table: RawTable | None = None, *, otherwise: str = _OTHERWISE) -> list[str]:
    """Return the names of files in a folder, and of all those in its folders that may be a table's: the given one's, or any.

    Raises:
        InputError: the folder can't be opened.
    """
    try:
        return sorted(_names(directory, table))
    except OSError as error:
        raise InputError(
            f"can't read the folder {directory}: {error.strerror}; {otherwise}{near_path(directory)}"
        ) from error


def among(table: RawTable, names: Iterable[str]) -> list[str]:
    """Return which files are those of a table, in the order of periods, of formats, and of the names of parts."""
    found = [name for name in names if is_raw(name) and _is_called(table, whole_of(name))]
    return sorted(found, key=lambda name: (stem_of(name), ENDINGS.index(_ending(whole_of(name))), name))


def is_raw(name: str) -> bool:
    """Say whether a file may be a raw table, or a part of one, in the folder of parts or of a partition (`year=2014`)."""
    whole, *inner = name.split("/")
    if not inner:
        return PurePosixPath(whole).suffix in ENDINGS
    return _may_hold_parts(whole) and _is_part(inner) and all("=" in folder for folder in inner[:-1])


def whole_of(name: str) -> str:
    """Return the name of the file, or of the folder of parts, to which a file belongs."""
    return name.partition("/")[0]


def stem_of(name: str) -> str:
    """Return by what a file is known to be a table's: its name without the ending, or that of its folder."""
    return PurePosixPath(whole_of(name)).stem


def choice_problems(table: RawTable, names: Sequence[str]) -> Iterator[Problem]:
    """Find why no table can be read: no file is there, or several for the same, or parts that are not the table."""
    called = [name for name in names if _is_called(table, whole_of(name))]
    unfit = {(whole_of(name), why) for name in called for why in _UNFIT if f"/{why}/" in name}
    wholes = list(dict.fromkeys(map(whole_of, among(table, called))))
    stems = list(map(stem_of, wholes))
    lost = [name for name in called if "/" in name and _is_part(name.split("/")[1:]) and not is_raw(name)]
    if lost:
        expected = "its folder is called as no partition is (year=2014); put it beside the others, or elsewhere"
        yield Problem(lost[0], 0, "", "", expected)
    elif unfit:
        yield from (Problem(whole, 0, "", why, _UNFIT[why]) for whole, why in unfit)
    elif again := next((stem for stem in stems if stems.count(stem) > 1), ""):
        alike = [name for name in wholes if stem_of(name) == again]
        yield Problem(alike[0], 0, "", "", f"only one of {', '.join(alike)} may be there; remove the others")
    elif not wholes and table.required:
        yield _missing(table, list(dict.fromkeys(map(whole_of, names))))


def refuse_above(tables: Sequence[RawTable], directory: Path) -> None:
    """Raise `InputError` if a folder can't be opened, or has none of the tables and one in it has: that one is meant."""

    def has_any(folder: Path) -> bool:
        return any(files_of(table, folder) for table in tables)

    def is_meant(folder: Path) -> bool:
        with suppress(InputError):
            return has_any(folder)
        return False

    if tables and not has_any(directory):
        folders = sorted(path for path in directory.iterdir() if path.is_dir())
        if meant := next(filter(is_meant, folders), None):
            instead = f"give that folder (RAW={meant}, or --raw {meant})"
            raise InputError(f"no raw table is in {directory}; they are in {meant}: {instead}")


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """Open a raw file, or raise `InputError`."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise InputError(f"can't read {path}: {error.strerror}; make it readable") from error


def _missing(table: RawTable, present: Sequence[str]) -> Problem:
    wanted = [table.file + ending for ending in ENDINGS]
    listed = ", ".join(present[:_FILES_LISTED]) + (", ..." if len(present) > _FILES_LISTED else "")
    looked_for = " or ".join(wanted)
    meant = near(table.file, list(map(stem_of, present)))
    return Problem(wanted[0], 0, "", "", f"{NO_FILE}; looked for {looked_for}; the folder holds: {listed}{meant}")


def _names(directory: Path, table: RawTable | None) -> Iterator[str]:
    for path in directory.iterdir():
        if path.is_file():
            yield path.name
        elif _may_hold_parts(path.name) and (table is None or _is_called(table, path.name)):
            # NOTE: whatever else lies in the folder of a first look may be large.
            inside = path.rglob("*") if table else chain(path.glob("*"), path.glob("*=*/**/*"))
            yield from (part.relative_to(directory).as_posix() for part in inside if part.is_file())


def _is_part(inner: Sequence[str]) -> bool:
    """Say whether a file in a folder is a part: what writers of parts note beside them is hidden."""
    return inner[-1].endswith(PARQUET) and not any(each.startswith(("_", ".")) for each in inner)


def _is_called(table: RawTable, name: str) -> bool:
    stem = stem_of(name)
    return period_said(table.file, stem) is not None if period_column(table.file) else stem == table.file


def _may_hold_parts(folder: str) -> bool:
    return folder != "" and PurePosixPath(folder).suffix in ("", PARQUET) and not folder.startswith((".", "_"))


def _ending(whole: str) -> str:
    return PurePosixPath(whole).suffix or PARQUET


def _digest(path: Path) -> str:
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
