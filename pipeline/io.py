"""Keeps tables between stages: one Parquet file an asset, in the curator's area. Writes, reads, describes; changes nothing.

An asset's value is a frame, a document's text, or None for what this build does not have. Published files are not written here
(`publish`): there the bytes are the product.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import dagster as dg
import polars as pl

from pipeline.places import CURATOR, STAGES, private_folder
from pipeline.publish.disk import reporting_disk
from pipeline.resources import Workspace

Value = pl.DataFrame | str | None


def read_stage(out: Path, key: Sequence[str]) -> Value:
    """Return the value of asset [environment, stage, table], None if this build does not have it."""
    path = _path(out, key)
    table, text = path.with_suffix(".parquet"), path.with_suffix(".txt")
    if table.exists():
        return pl.read_parquet(table)
    return text.read_text(encoding="utf-8") if text.exists() else None


def write_stage(out: Path, key: Sequence[str], value: Value) -> None:
    """Replace the value of asset [environment, stage, table]."""
    path = _path(out, key)
    table, text = path.with_suffix(".parquet"), path.with_suffix(".txt")
    with reporting_disk(out):
        private_folder(out / key[0] / CURATOR)
        path.parent.mkdir(parents=True, exist_ok=True)
        table.unlink(missing_ok=True)
        text.unlink(missing_ok=True)
        if isinstance(value, pl.DataFrame):
            value.write_parquet(table, compression="lz4")
        elif value is not None:
            text.write_text(value, encoding="utf-8")


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


def _path(out: Path, key: Sequence[str]) -> Path:
    environment, stage, table = key
    return out / environment / CURATOR / STAGES / stage / table
