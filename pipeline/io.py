"""Keeps tables between stages: one Parquet file an asset, in the curator's area. Writes, reads, describes; changes nothing.

An asset's value is a frame, a document's text, or None for what this build does not have. Published files are not written here
(`publish`): there the bytes are the product.
"""

from collections.abc import Sequence
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
