"""Puts what many versions of the same files say into one folder, each line once: so that it need not be searched many times.

Versions of a table differ in some of their lines. What stands in a line of any version stands in a line of what is made
here, under the same header: so a search that finds nothing here would find nothing in the files themselves. Where something
was found belongs to a search of those. A table whose cells run over lines, and what is no table, is put in whole.
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
        versions: Paths below it of all files; those of one table in a sequence.
        to: The folder to fill, on the same file system or not.

    Returns:
        For each path of the files the path below `to` of what holds their content; both have the same header.

    Raises:
        InputError: The disk is full or closed.
    """
    with reporting_disk(to):
        return {path: made for paths in versions for path, made in _of_versions(folder, paths, to)}


@dataclass(frozen=True)
class _Together:
    """What was made of the versions with one header, and all lines that it holds."""

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
    """Put in a file's lines, or the whole file, and return the path of what holds them."""
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
