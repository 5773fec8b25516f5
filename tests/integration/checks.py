"""What must be true of any build, written independently of the code that makes it true."""

import csv
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import polars as pl

csv.field_size_limit(2**31 - 1)


def published_bytes(variant: Path) -> dict[str, bytes]:
    """Return every published file of a variant by its path."""
    return {path.relative_to(variant).as_posix(): path.read_bytes() for path in files_of(variant)}


def files_of(folder: Path) -> Iterator[Path]:
    """Return all files below a folder, sorted."""
    return iter(sorted(path for path in folder.rglob("*") if path.is_file()))


def rows_of(file: Path) -> list[dict[str, str]]:
    """Read a published table by the standard library: text, an empty field being the empty string."""
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def report(variant: Path, name: str) -> dict[str, Any]:
    """Return one of a variant's reports."""
    content: dict[str, Any] = json.loads((variant / "reports" / name).read_text(encoding="utf-8"))
    return content


def assert_ledger_is_exact(clean: Path, noisy: Path, ledger: pl.DataFrame, names: dict[str, Path]) -> None:
    """Fail unless a ledger's changes turn clean tables into noisy ones, and taken back turn noisy into clean."""
    before, after = (
        {name: rows_of(folder / "database" / path) for name, path in names.items()} for folder in (clean, noisy)
    )
    assert _apply_by_hand(clean / "database", ledger, names=names, is_undo=False) == after
    assert _apply_by_hand(noisy / "database", ledger, names=names, is_undo=True) == before


def _apply_by_hand(
    source: Path, ledger: pl.DataFrame, *, names: dict[str, Path], is_undo: bool
) -> dict[str, list[dict[str, str]]]:
    """Return the tables of a variant with a ledger's changes made one by one, in order or backwards: the obvious way."""
    tables = {}
    for name, path in names.items():
        rows = rows_of(source / path)
        changes = list(ledger.filter(pl.col("table") == name).iter_rows(named=True))
        assert all(change["row_key"] for change in changes), f"{name}: the file itself changed"
        of_cells = [change for change in changes if change["column"]]
        of_rows = {
            rule: list(own) for rule, own in groupby((c for c in changes if not c["column"]), itemgetter("rule"))
        }
        if not is_undo:
            _change_cells(rows, of_cells, "before", "after")
        for rule in reversed(of_rows) if is_undo else of_rows:
            rows = _change_rows(rows, of_rows[rule], *(("after", "before") if is_undo else ("before", "after")))
        if is_undo:
            _change_cells(rows, of_cells[::-1], "after", "before")
        tables[name] = rows
    return tables


def _change_cells(rows: list[dict[str, str]], changes: list[dict[str, str]], found: str, put: str) -> None:
    places = {row["id"]: row for row in rows}
    for change in changes:
        row = places[change["row_key"]]
        assert row[change["column"]] == change[found], change["rule"]
        row[change["column"]] = change[put]


def _change_rows(
    rows: list[dict[str, str]], changes: list[dict[str, str]], found: str, put: str
) -> list[dict[str, str]]:
    """Return rows without those that stand on the first side alone, the others moved, those of the other side put in."""
    gone = [json.loads(change[found]) for change in changes if not change[put]]
    for row in gone:
        assert list(rows[row["position"]].values()) == [cell or "" for cell in row["cells"]]
    positions = {row["position"] for row in gone}
    kept = [row for position, row in enumerate(rows) if position not in positions]
    order = list(kept)
    for change in changes:
        if change[found] and change[put]:
            order[int(change[put])] = kept[int(change[found])]
    come = [json.loads(change[put]) for change in changes if not change[found]]
    for row in sorted(come, key=itemgetter("position")):
        order.insert(row["position"], dict(zip(rows[0], (cell or "" for cell in row["cells"]), strict=True)))
    return order


def escapes(folder: Path, tokens: Iterable[str]) -> list[str]:
    """Return the files of a folder in which any token occurs, anywhere: whole files at once, no windows, no rules."""
    files = list(files_of(folder))
    contents = pl.Series([path.read_text(encoding="utf-8") for path in files])
    return [
        path.name for path, is_there in zip(files, contents.str.contains_any(list(tokens)), strict=True) if is_there
    ]


def cells(folder: Path, columns: set[str]) -> set[str]:
    """Return every cell of the named columns in every CSV file below a folder."""
    return {row[column] for path in folder.rglob("*.csv") for row in rows_of(path) for column in columns & row.keys()}
