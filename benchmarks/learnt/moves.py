"""Which published numbers move when one company is replaced: two builds are compared, whatever their files hold."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.publish.formats.csv import read_csv


@dataclass(frozen=True, order=True)
class Move:
    """A place of a published file that is not the same in both builds."""

    file: str
    path: str
    """Keys and places that lead there, `/` between them; of a table the row and the column, of a page the line."""
    first: str
    second: str
    """What stands there; empty where nothing does."""


def moves(first: Path, second: Path) -> list[Move]:
    """Return every place of every file below two folders that is not the same in both, sorted."""
    files = sorted(
        {path.relative_to(side).as_posix() for side in (first, second) for path in side.rglob("*") if path.is_file()}
    )
    found = []
    for file in files:
        if not _is_same(first / file, second / file):
            places = [dict(_places(side / file)) for side in (first, second)]
            paths = {path for path in places[0].keys() | places[1].keys() if places[0].get(path) != places[1].get(path)}
            found += [Move(file, path, *(side.get(path, "") for side in places)) for path in paths]
    return sorted(found)


def _is_same(first: Path, second: Path) -> bool:
    return first.is_file() and second.is_file() and first.read_bytes() == second.read_bytes()


def _places(file: Path) -> Iterator[tuple[str, str]]:
    """Yield what a file holds by its place in it; nothing if it is not there."""
    if not file.is_file():
        return
    match file.suffix:
        case ".json":
            yield from _leaves("", json.loads(file.read_text(encoding="utf-8")))
        case ".csv":
            rows = read_csv(file)
            for column in rows.columns:
                yield from ((f"{row}/{column}", text or "") for row, text in enumerate(rows[column]))
        case ".html" | ".md" | ".txt" | ".yaml":
            lines = file.read_text(encoding="utf-8").splitlines()
            yield from ((str(number), line) for number, line in enumerate(lines))
        case _:
            yield "", file.read_bytes().hex()


def _leaves(path: str, node: object) -> Iterator[tuple[str, str]]:
    """Yield the numbers and texts of a JSON value by their paths."""
    if isinstance(node, dict | list):
        for name, part in node.items() if isinstance(node, dict) else enumerate(node):
            yield from _leaves(f"{path}/{name}" if path else str(name), part)
    else:
        yield path, json.dumps(node, ensure_ascii=False)
