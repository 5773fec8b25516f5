"""Changes that somebody thought of who did not write the checks: `second_hand.yaml` lists them, here is what its words do.

Each is tried twice: as it is, and with head, archives and statements made anew and signed with a key of one's own. With
the makers' key each has to be noticed both times, and without it, too, but for what nobody can know (`passes`).
"""

import json
import os
import re
import socket
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs
import yaml

from pipeline.publish.files import sha256
from pipeline.release.layout import CROISSANT, DATA_PACKAGE
from pipeline.report_json import report_json
from tests.tampering.laboratory import found
from tests.tampering.mutations import Bench

LIST = Path(__file__).with_name("second_hand.yaml")


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of a release, as the list has it."""

    what: str
    do: str
    at: str
    more: Mapping[str, Any]
    """What the word takes besides."""
    later: bool = True
    """Whether it is tried with everything made anew, too: what is made anew itself, or would take minutes, is not."""
    unsigned: bool = False
    """Whether only the makers' key tells, for nothing but a signature is changed."""
    passes: str = ""
    """Why nobody can notice it without the makers' key once everything is made anew; empty if it has to be noticed."""


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What verifying a changed release found, a line each."""

    with_key: tuple[str, ...]
    without_key: tuple[str, ...]


@cache
def listed() -> tuple[Change, ...]:
    """Return the list."""
    return tuple(_changes(yaml.safe_load(LIST.read_text(encoding="utf-8"))))


def tried(bench: Bench, change: Change, folder: Path, *, anew: bool, checks: Collection[str] = ()) -> Tried:
    """Change a copy of the release in a folder, and verify it, by some checks if any are named."""
    do(change, folder)
    if anew:
        bench.remade(folder, bench.other_key)
    lines = found(bench, folder, checks)
    return Tried(with_key=tuple(lines), without_key=tuple(line for line in lines if not line.startswith("signed: ")))


def do(change: Change, folder: Path) -> None:
    """Change a release in a folder."""
    WORDS[change.do](folder, folder / change.at, **change.more)


# --- words -------------------------------------------------------------------------------------------------------------


def _write(_folder: Path, file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _append(_folder: Path, file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8") as content:
        content.write(text)


def _swap(_folder: Path, file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file.name} has no {old!r}"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def _field(_folder: Path, file: Path, field: list[str | int], to: object) -> None:
    content = part = json.loads(file.read_bytes())
    for step in field[:-1]:
        part = part[step]
    part[field[-1]] = to
    is_report = file.parent.name == "reports"
    text = json.dumps(content, ensure_ascii=False, indent=2).encode() + b"\n"
    file.write_bytes(report_json(content) if is_report else text)


def _holes(_folder: Path, file: Path, gigabytes: float) -> None:
    with file.open("ab") as content:
        content.truncate(int(gigabytes * 10**9))


def _deep(_folder: Path, file: Path, levels: int) -> None:
    file.write_text("[" * levels + "]" * levels, encoding="ascii")


def _wide(_folder: Path, file: Path, values: int) -> None:
    file.write_text(f'{{"tests": [{",".join(["[]"] * values)}]}}', encoding="ascii")


def _rename(folder: Path, file: Path, to: str) -> None:
    (folder / to).parent.mkdir(parents=True, exist_ok=True)
    file.rename(folder / to)


def _copy(folder: Path, file: Path, to: str) -> None:
    (folder / to).parent.mkdir(parents=True, exist_ok=True)
    (folder / to).write_bytes(file.read_bytes())


def _remove(_folder: Path, file: Path) -> None:
    file.unlink()


def _folder(_folder: Path, file: Path) -> None:
    file.unlink(missing_ok=True)
    file.mkdir(parents=True)


def _pipe(_folder: Path, file: Path) -> None:
    file.unlink(missing_ok=True)
    os.mkfifo(file)


def _socket(folder: Path, file: Path) -> None:
    file.unlink(missing_ok=True)
    before = Path.cwd()
    os.chdir(folder)  # the name of a socket has a hundred characters at most
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(file.relative_to(folder)))
    finally:
        os.chdir(before)


def _link(_folder: Path, file: Path, to: str) -> None:
    file.unlink(missing_ok=True)
    file.symlink_to(to)


def _drop_entry(_folder: Path, file: Path, path: str) -> None:
    """Take a file out of a manifest, so that the head alone lists it."""
    content = json.loads(file.read_bytes())
    content["files"] = [entry for entry in content["files"] if entry["path"] != path]
    file.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _spaced(_folder: Path, file: Path) -> None:
    """Write JSON in another way: it says the same."""
    file.write_text(json.dumps(json.loads(file.read_bytes())), encoding="utf-8")


def _cell(folder: Path, file: Path, old: str, new: str) -> None:
    """Change a cell of text to one as long, and with it manifest, Parquet and metadata."""
    before, size = sha256(file), file.stat().st_size
    _swap(folder, file, old, new)
    assert file.stat().st_size == size, "another length"
    variant, *inner = file.relative_to(folder).parts
    copy = Path(folder, variant, "parquet", *inner).with_suffix(".parquet")
    table = pl.read_parquet(copy)
    for name in table.select(cs.numeric() | cs.string()).columns:
        text = pl.col(name).cast(pl.String).str.replace(old, new, literal=True)
        table = table.with_columns(text.cast(table.schema[name]))
    table.write_parquet(copy)
    for path in (f"{variant}/manifest.json", CROISSANT, DATA_PACKAGE):
        _swap(folder, folder / path, before, sha256(file))


def _figure(folder: Path, file: Path) -> None:
    """Change the last digit of a figure, whatever the key made of it."""
    old = re.findall(r"\d{4,}\.\d[1-8]", file.read_text(encoding="utf-8"))[0]
    _cell(folder, file, old, old[:-1] + str(int(old[-1]) + 1))


def _task(folder: Path, file: Path, field: str, to: object) -> None:
    """Change a field of the first task in a file, and with it what the manifest of tasks says of the file."""
    first, rest = file.read_text(encoding="utf-8").split("\n", 1)
    file.write_text(json.dumps(json.loads(first) | {field: to}, ensure_ascii=False) + "\n" + rest, encoding="utf-8")
    content = json.loads((folder / "tasks/manifest.json").read_bytes())
    (entry,) = (each for each in content["files"] if each["path"] == file.name)
    entry |= {"bytes": file.stat().st_size, "sha256": sha256(file)}
    (folder / "tasks/manifest.json").write_bytes(report_json(content))


WORDS: Mapping[str, Callable[..., None]] = {
    "figure": _figure,
    "write": _write,
    "append": _append,
    "swap": _swap,
    "set": _field,
    "holes": _holes,
    "deep": _deep,
    "wide": _wide,
    "rename": _rename,
    "copy": _copy,
    "remove": _remove,
    "folder": _folder,
    "pipe": _pipe,
    "socket": _socket,
    "link": _link,
    "drop entry": _drop_entry,
    "space": _spaced,
    "cell": _cell,
    "task": _task,
}
"""What the list can ask for."""


def _changes(told: list[dict[str, Any]]) -> Iterator[Change]:
    for entry in told:
        own = {name: entry.pop(name) for name in ("what", "do", "at", "later", "unsigned", "passes") if name in entry}
        yield Change(**own, more=entry)
