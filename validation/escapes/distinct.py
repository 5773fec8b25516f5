"""Collects the distinct lines of many versions of the same files in one folder, so that each line is searched once.

Versions of a table differ in some of their lines. Every line of any version is in the collected file, under the same
header: if a search of it finds nothing, the versions hold nothing. If it finds something, the versions are searched for the
places. A table with cells that span lines, and a file that is no table, is copied whole.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.disk import reporting_disk
from pipeline.publish.links import FileId, file_id, link_or_copy

_QUOTE = b'"'


def put_together(folder: Path, versions: Iterable[Sequence[str]], to: Path) -> Mapping[str, str]:
    """Fill an empty folder with the distinct content of files.

    Args:
        folder: Holds the files; they may be links to each other.
        versions: Paths below it of all files; those of one table form a sequence.
        to: The folder to fill, on the same file system or another.

    Returns:
        For each path of the files, the path below `to` of the file that holds its content; both have the same header.

    Raises:
        InputError: The disk is full or read-only.
    """
    with reporting_disk(to):
        return {path: made for paths in versions for path, made in _of_versions(folder, paths, to)}


@dataclass(frozen=True)
class _Together:
    """The file made from the versions with one header, and all lines in it."""

    path: str
    lines: set[bytes] = field(default_factory=set)


def _of_versions(folder: Path, paths: Sequence[str], to: Path) -> Iterator[tuple[str, str]]:
    made: dict[FileId, str] = {}
    by_header: dict[bytes, _Together] = {}
    for path in paths:
        file = file_id(folder / path)
        if file not in made:
            made[file] = _put(folder / path, path, by_header, to)
        yield path, made[file]


def _put(file: Path, path: str, by_header: dict[bytes, _Together], to: Path) -> str:
    """Add a file's new lines, or the whole file, and return the path of the file that holds them."""
    header, *lines = file.read_bytes().split(b"\n") if file.suffix == ".csv" else (b"",)
    together = by_header.get(header, _Together(path))
    fresh = [line for line in dict.fromkeys(lines) if line and line not in together.lines]
    if file.suffix != ".csv" or any(line.count(_QUOTE) % 2 for line in (header, *fresh)):
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        link_or_copy(file, to / path)
        return path
    _append(to / together.path, [*([] if header in by_header else [header]), *fresh])
    together.lines.update(fresh)
    by_header[header] = together
    return together.path


def _append(file: Path, lines: Iterable[bytes]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as content:
        content.writelines(line + b"\n" for line in lines)
