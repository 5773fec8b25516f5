"""Of which originals the variants in an output folder were made, for the curator; and what changed in the originals since then.

Files and numbers of rows are named, no value. Which originals a key may release belongs to `anonymize/keys/key_uses.py`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from assets.making.store import Name, Store
from pipeline.conform.files.listing import among, whole_of
from pipeline.errors import InputError
from pipeline.model import RawTable
from pipeline.places import CURATOR
from pipeline.small_files import REPORTED, content_of

ORIGINALS = "originals.json"
"""The curator's file: of each variant the digests of raw files (`files`), and what the store keeps of each table (`tables`)."""

MadeOf = Mapping[str, Mapping[str, Any]]
"""Variant -> `files` and `tables`."""


def originals_of(folder: Path) -> MadeOf:
    """Return of what the variants in a folder were made, as far as that was written down; or raise `InputError`."""
    file = folder / CURATOR / ORIGINALS
    try:
        found = json.loads(content_of(file, most=REPORTED))
        return {str(variant): dict(made_of) for variant, made_of in found.items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (ValueError, TypeError, AttributeError):
        raise InputError(f"{file} is not what a build wrote; remove it, and build again") from None


def originals_with(
    folder: Path, variants: Sequence[str], files: Mapping[str, str], tables: Mapping[str, Name | None]
) -> bytes:
    """Return what is to be written down when variants are made of these files and tables."""
    made = {"files": dict(files), "tables": dict(tables)}
    return json.dumps({**originals_of(folder), **dict.fromkeys(variants, made)}, indent=1).encode()


def changes(
    tables: Sequence[RawTable], store: Store, before: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[str]:
    """Yield in words what changed between two states of the originals: for each table its files, and how many rows."""
    files = {name for name, _ in {*before["files"].items()} ^ {*now["files"].items()}}
    for table in tables:
        if changed := among(table, files):
            objects = before["tables"].get(table.name), now["tables"].get(table.name)
            yield f"{', '.join(dict.fromkeys(map(whole_of, changed)))}: {_rows(store, *objects)}"


def _rows(store: Store, before: Name | None, now: Name | None) -> str:
    """Return how many rows were removed and added, as far as the store still has both states."""
    if before == now:
        return "other bytes, the same rows"
    if not (store.is_whole(before) and store.is_whole(now)):
        return "changed"
    changed = (
        pl.concat([_counted(store, before, -1), _counted(store, now, 1)]).group_by("row").agg(pl.col("count").sum())
    )
    removed, added = (changed.select(pl.col("count").clip(*ends).abs().sum()).item() for ends in ((None, 0), (0, None)))
    return f"rows removed {removed:,}, added {added:,} (a changed row is both)"


def _counted(store: Store, name: Name | None, count: int) -> pl.DataFrame:
    """Shape: row (a hash of it), count (the one given); no row where there is no table."""
    hashes = [block.hash_rows() for block in store.blocks(name)] if name else [pl.Series(dtype=pl.UInt64)]
    return pl.DataFrame({"row": pl.concat(hashes)}).with_columns(count=pl.lit(count, dtype=pl.Int64))
