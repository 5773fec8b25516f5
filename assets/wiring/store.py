"""Keeps tables between stages: one Parquet file an asset, in the curator's area. Writes, reads, describes; changes nothing.

An asset's value is a frame, a document's text, or None for what this build does not have. What would undo the release, or
holds what is never published, is kept sealed under the release key. Published files are not written here (`publish`): there
the bytes are the product.
"""

import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import polars as pl

from anonymize.keys.sealing import seal_bytes, unseal_bytes
from pipeline.disk import reporting_disk
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.places import CURATOR, STAGES
from pipeline.private import private_file, private_folder

Value = pl.DataFrame | str | None

_TABLE, _TEXT, _SEALED = ".parquet", ".txt", ".enc"


def read_stage(out: Path, key: Sequence[str]) -> Value:
    """Return the value of asset [environment, stage, table], None if this build does not have it.

    Raises:
        TypeError: It is kept sealed.
    """
    files = _files(out, key)
    if files[_TABLE].exists():
        return pl.read_parquet(files[_TABLE])
    if files[_SEALED].exists():
        raise TypeError(f"{'/'.join(key)} is kept sealed; `read_sealed` opens it")
    return files[_TEXT].read_text(encoding="utf-8") if files[_TEXT].exists() else None


def write_stage(out: Path, key: Sequence[str], value: Value) -> None:
    """Replace the value of asset [environment, stage, table]."""
    with reporting_disk(out):
        files = _emptied(out, key)
        if isinstance(value, pl.DataFrame):
            value.write_parquet(private_file(files[_TABLE]), compression="lz4")
        elif value is not None:
            private_file(files[_TEXT]).write_text(value, encoding="utf-8")


def read_sealed(out: Path, key: Sequence[str], release: Key) -> pl.DataFrame:
    """Return the table of an asset that is kept sealed under the release key.

    Raises:
        KeyFileError: It was sealed under another key.
        InputError: It is not there, or was changed since it was sealed.
    """
    file = _files(out, key)[_SEALED]
    if not file.exists():
        raise InputError(f"the table {'/'.join(key)} between stages is not there; build the stages before it first")
    return pl.read_ipc(unseal_bytes(file.read_bytes(), release, what=_what(key)))


def write_sealed(out: Path, key: Sequence[str], table: pl.DataFrame, release: Key) -> None:
    """Replace the table of an asset, sealed under the release key."""
    plain = io.BytesIO()
    table.write_ipc(plain)
    with reporting_disk(out):
        file = private_file(_emptied(out, key)[_SEALED])
        file.write_bytes(seal_bytes(plain.getvalue(), release, what=_what(key)))


class StageTables(Mapping[str, pl.DataFrame]):
    """Tables by name, each read when it is first asked for."""

    def __init__(self, names: Collection[str], read: Callable[[str], pl.DataFrame]) -> None:
        """Take the names, and what reads a table; every one must be there."""
        self._names, self._read = names, cache(read)

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Return a table."""
        if name not in self._names:
            raise KeyError(name)
        return self._read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _emptied(out: Path, key: Sequence[str]) -> dict[str, Path]:
    """Return the files of an asset by ending, after removing those that are there."""
    environment, stage, _ = key
    private_folder(out / environment / CURATOR, STAGES, stage)
    files = _files(out, key)
    for file in files.values():
        file.unlink(missing_ok=True)
    return files


def _files(out: Path, key: Sequence[str]) -> dict[str, Path]:
    environment, stage, table = key
    folder = out / environment / CURATOR / STAGES / stage
    return {ending: folder / f"{table}{ending}" for ending in (_TABLE, _TEXT, _SEALED)}


def _what(key: Sequence[str]) -> str:
    """Return as what an asset is sealed, so that no sealed file can stand in another's place."""
    return f"table {'/'.join(key)}"
