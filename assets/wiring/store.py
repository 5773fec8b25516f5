"""Keeps tables between stages: one Parquet file an asset, in the curator's area. Writes, reads, describes; changes nothing.

An asset's value is a frame, a document's text, or None for what this build does not have. What would undo the release, or
holds what is never published, is kept sealed under the release key. Published files are not written here (`publish`): there
the bytes are the product.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import dagster as dg
import polars as pl

from anonymize.keys.sealing import seal_bytes, unseal_bytes
from assets.wiring.resources import Workspace
from pipeline.disk import reporting_disk
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Environment
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
    """Tables of a stage by name, each read when it is first asked for."""

    def __init__(self, out: Path, keys: Mapping[str, Sequence[str]]) -> None:
        """Take the key of each table's asset by the table's name; every one must be there."""
        self._out, self._keys = out, keys
        self._read: dict[str, pl.DataFrame] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Return a table."""
        if name not in self._read:
            value = read_stage(self._out, self._keys[name])
            if not isinstance(value, pl.DataFrame):
                raise KeyError(name)
            self._read[name] = value
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class StageStore(dg.ConfigurableIOManager):
    """Stores the value of asset [environment, stage, table] as `<out>/<environment>/curator/stages/<stage>/<table>`."""

    workspace: dg.ResourceDependency[Workspace]

    def handle_output(self, context: dg.OutputContext, obj: Value) -> None:
        """Write the value, replacing an earlier one."""
        write_stage(Path(self.workspace.out), context.asset_key.path, obj)

    def load_input(self, context: dg.InputContext) -> Value:
        """Read the value of the asset that the input names."""
        return read_stage(Path(self.workspace.out), context.asset_key.path)


class SealedStore(dg.IOManager):
    """Stores as `StageStore` does, sealed under the release key: tables that a stage always has."""

    def __init__(self, workspace: Workspace, environment: Environment) -> None:
        """Take where tables are kept, and the environment that they are of."""
        self._workspace, self._environment = workspace, environment

    def handle_output(self, context: dg.OutputContext, obj: pl.DataFrame) -> None:
        """Seal and write the table, replacing an earlier one."""
        write_sealed(Path(self._workspace.out), context.asset_key.path, obj, self._key())

    def load_input(self, context: dg.InputContext) -> pl.DataFrame:
        """Read and open the table of the asset that the input names."""
        return read_sealed(Path(self._workspace.out), context.asset_key.path, self._key())

    def _key(self) -> Key:
        return self._workspace.release_key(self._environment).master


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
