"""The ways in which somebody tampers with a release, each with the place that has to be named.

A mutation is a function of the laboratory, a folder with a copy of the release, and a source of draws. It changes the copy, and
returns what was changed.
"""

import io
import json
import os
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Protocol

import polars as pl
import zstandard

from pipeline.model import Dialect
from pipeline.publish.files import sha256
from pipeline.publish.formats.csv import read_csv, write_csv
from pipeline.release.layout import STATEMENTS
from pipeline.report_json import report_json


class Seal(Protocol):
    """Writes head, archives and statements of a release anew."""

    def __call__(self, folder: Path, key: Path) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What mutations have at hand."""

    release: Path
    older: Path
    """An earlier release, signed with the same key."""
    key: Path
    other_key: Path
    declaration: str
    remade: Seal


@dataclass(frozen=True, kw_only=True)
class Place:
    """What has to be named: one of some files, and in it a row and a column."""

    files: tuple[str, ...]
    row: int = 0
    column: str = ""
    verified: str = ""
    """What is verified, below the release: an archive; the folder itself if empty."""

    def is_named(self, line: str) -> bool:
        """Say whether a line names the place."""
        row, column = f", row {self.row}," if self.row else "", f"column {self.column!r}" if self.column else ""
        return any(file in line for file in self.files) and row in line and column in line


Mutation = Callable[[Bench, Path, Random], Place]


def a_byte(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Change one byte of any file."""
    path = draw.choice(_files(folder))
    content = bytearray((folder / path).read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    (folder / path).write_bytes(content)
    return Place(files=(path,))


def a_truncation(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Cut a file short."""
    path = draw.choice(_files(folder))
    content = (folder / path).read_bytes()
    (folder / path).write_bytes(content[: draw.randrange(len(content))])
    return Place(files=(path,))


def a_cell(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Change a cell of a table, and digest and manifest with it."""
    path, table = _table(folder, draw)
    row, column = draw.randrange(table.height), draw.choice(table.columns)
    cells = table[column].to_list()
    cells[row] = _other(cells[row], draw)
    _rewrite(folder, path, table.with_columns(pl.Series(column, cells, dtype=pl.String)))
    return Place(files=(path,))


def a_header(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Give a column a name that is longer than readers of CSV take, and change digest and manifest with it."""
    path, table = _table(folder, draw)
    column = draw.choice(table.columns)
    _rewrite(folder, path, table.rename({column: column + "x" * 200_000}))
    return Place(files=(path,))


def a_cell_of_parquet(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Change a cell of a table as Parquet."""
    path = draw.choice([each for each in _files(folder) if each.endswith(".parquet")])
    table = pl.read_parquet(folder / path)
    row, column = draw.randrange(table.height), draw.choice(table.columns)
    cells = table[column].to_list()
    of_text = table[column].dtype == pl.String
    others = [cell for cell in (*cells, None) if cell != cells[row]]
    cells[row] = _other(cells[row], draw) if of_text else draw.choice(others)
    table.with_columns(pl.Series(column, cells, dtype=table[column].dtype)).write_parquet(folder / path)
    return Place(files=(path,), row=row + 2, column=column)


def two_rows(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Exchange two rows of a table, and change digest and manifest with it."""
    path, table = _table(folder, draw)
    one, other = sorted(draw.sample(range(table.height), 2))
    order = list(range(table.height))
    order[one], order[other] = other, one
    _rewrite(folder, path, table[order])
    return Place(files=(path,))


def a_file_more(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Put a file into any folder."""
    inside = draw.choice(sorted({str(Path(path).parent) for path in _files(folder)}))
    name = draw.choice(("notes.txt", "table.csv", ".hidden", "manifest.json.bak"))
    (folder / inside / name).write_text("id\n1\n")
    return Place(files=(os.path.normpath(f"{inside}/{name}"),))


def a_file_less(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Remove a file."""
    path = draw.choice(_files(folder))
    (folder / path).unlink()
    return Place(files=(path,))


def another_name(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Rename a file."""
    path = draw.choice(_files(folder))
    (folder / path).rename(folder / f"{path}.old")
    return Place(files=(path,))


def a_link(bench: Bench, folder: Path, draw: Random) -> Place:
    """Put a link in the place of a file, to the same bytes elsewhere."""
    path = draw.choice(_files(folder))
    (folder / path).unlink()
    (folder / path).symlink_to(bench.release / path)
    return Place(files=(path,))


def a_figure_of_a_report(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Change a number in a report."""
    path = draw.choice([p for p in _files(folder) if "/reports/" in p and p.endswith(".json") and _numbers(folder / p)])
    report = json.loads((folder / path).read_bytes())
    *inner, last = draw.choice(_paths_of_numbers(report))
    part = report
    for step in inner:
        part = part[step]
    part[last] = part[last] + 1 if isinstance(part[last], int) else -part[last] or 0.25  # never what it was
    (folder / path).write_bytes(report_json(report))
    return Place(files=(path,))


def another_signature(bench: Bench, folder: Path, draw: Random) -> Place:
    """Sign a statement with another key."""
    from tests.tampering.laboratory import write_statements  # noqa: PLC0415  (they need each other)

    path = draw.choice(STATEMENTS)
    kept = {other: (folder / other).read_bytes() for other in STATEMENTS if other != path}
    write_statements(folder, bench.other_key)
    for other, content in kept.items():
        (folder / other).write_bytes(content)
    return Place(files=(path,))


def an_older_statement(bench: Bench, folder: Path, draw: Random) -> Place:
    """Put the statement of an earlier release in the place of this one's; its signature holds."""
    path = draw.choice(STATEMENTS)
    (folder / path).write_bytes((bench.older / path).read_bytes())
    return Place(files=(path,))


def everything_anew(bench: Bench, folder: Path, draw: Random) -> Place:
    """Change a cell and everything that follows from it, and sign with a key of one's own."""
    a_cell(bench, folder, draw)
    bench.remade(folder, bench.other_key)
    return Place(files=STATEMENTS)


def a_path_outside(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Put a file into an archive that would be unpacked outside of its folder."""
    name = draw.choice(("../evil.txt", "/evil.txt", f"{folder.name}/../../evil.txt"))
    return _with_member(folder, draw, tarfile.TarInfo(name))


def a_link_in_an_archive(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Put a link into an archive."""
    member = tarfile.TarInfo(f"{folder.name}/README.md.link")
    member.type, member.linkname = draw.choice((tarfile.SYMTYPE, tarfile.LNKTYPE)), "/etc/passwd"
    return _with_member(folder, draw, member)


def a_byte_of_an_archive(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Change one byte of an archive, which is what is verified."""
    path = draw.choice(sorted(each.name for each in folder.glob("*.tar.zst")))
    content = bytearray((folder / path).read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    (folder / path).write_bytes(content)
    return Place(files=(path,), verified=path)


def a_shorter_archive(_bench: Bench, folder: Path, draw: Random) -> Place:
    """Cut an archive short, which is what is verified."""
    path = draw.choice(sorted(each.name for each in folder.glob("*.tar.zst")))
    content = (folder / path).read_bytes()
    (folder / path).write_bytes(content[: draw.randrange(len(content))])
    return Place(files=(path,), verified=path)


KINDS: Mapping[str, Mutation] = {
    "a byte anywhere": a_byte,
    "a cell, its digest and the manifest": a_cell,
    "a name of a column that never ends": a_header,
    "a cell of a Parquet file": a_cell_of_parquet,
    "two rows exchanged, with digest and manifest": two_rows,
    "a file more": a_file_more,
    "a file less": a_file_less,
    "another name": another_name,
    "a link in the place of a file": a_link,
    "a figure of a report": a_figure_of_a_report,
    "the signature of another key": another_signature,
    "an older release's statement": an_older_statement,
    "a file cut short": a_truncation,
    "everything anew, signed with another key": everything_anew,
    "an archive with a path outside": a_path_outside,
    "an archive with a link": a_link_in_an_archive,
    "a byte of an archive": a_byte_of_an_archive,
    "an archive cut short": a_shorter_archive,
}


def _files(folder: Path) -> list[str]:
    """Return all files that hold anything."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and path.stat().st_size
    )


def _table(folder: Path, draw: Random) -> tuple[str, pl.DataFrame]:
    tables = {path: read_csv(folder / path) for path in _files(folder) if path.endswith(".csv") and path.count("/") > 1}
    path = draw.choice([path for path, table in tables.items() if table.height > 1])
    return path, tables[path]


def _other(cell: str | None, draw: Random) -> str:
    """Return another text: another digit of a number, another letter, or something where there was nothing."""
    if not cell:
        return "1"
    place = draw.randrange(len(cell))
    others = [sign for sign in ("0123456789" if cell[place].isdigit() else "abcxyz") if sign != cell[place]]
    return cell[:place] + draw.choice(others) + cell[place + 1 :]


def _rewrite(folder: Path, path: str, table: pl.DataFrame) -> None:
    """Write a table in the dialect of its file, and what the manifest says of it."""
    quoted = (folder / path).read_bytes().startswith(b'"')
    with (folder / path).open("wb") as file:
        write_csv(table, file, Dialect(quote="non_empty" if quoted else "minimal"))
    variant, _, inner = path.partition("/")
    manifest = json.loads((folder / variant / "manifest.json").read_bytes())
    for entry in manifest["files"]:
        if entry["path"] == inner:
            entry |= {"sha256": sha256(folder / path), "bytes": (folder / path).stat().st_size}
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    (folder / variant / "manifest.json").write_text(text, encoding="utf-8")


def _numbers(file: Path) -> bool:
    return bool(_paths_of_numbers(json.loads(file.read_bytes())))


def _paths_of_numbers(node: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(node, bool) or not isinstance(node, int | float | dict | list):
        return []
    if isinstance(node, int | float):
        return [at]
    parts = node.items() if isinstance(node, dict) else enumerate(node)
    return [found for name, part in parts for found in _paths_of_numbers(part, (*at, name))]


def _with_member(folder: Path, draw: Random, member: tarfile.TarInfo) -> Place:
    """Write an archive anew with a member more."""
    path = draw.choice(sorted(each.name for each in folder.glob("*.tar.zst")))
    packed, content = folder / path, io.BytesIO()
    unpacked = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed.read_bytes())).read()
    with tarfile.open(fileobj=io.BytesIO(unpacked)) as old, tarfile.open(fileobj=content, mode="w") as new:
        for each in old:
            new.addfile(each, old.extractfile(each))
        new.addfile(member)
    packed.write_bytes(zstandard.ZstdCompressor().compress(content.getvalue()))
    return Place(files=(path,), verified=path)
