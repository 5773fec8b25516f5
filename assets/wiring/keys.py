"""Names of assets and stages, and what their metadata says of a table."""

from collections.abc import Iterable, Mapping
from typing import Final

import dagster as dg
import polars as pl

from pipeline.model import Column, Environment, Measure

STORE, SEALED_STORE = "store", "sealed_store"
"""Names of the IO managers: of tables as they are, and of those that are kept sealed."""


class Stage:
    """The groups of the graph, in the order of data flow. Plain text: Dagster serialises no enumerations of ours."""

    RAW: Final = "raw"
    CONFORMED: Final = "conformed"
    ANONYMISED: Final = "anonymised"
    DERIVED: Final = "derived"
    IDENTITY: Final = "identity"
    """The curator's map and list of identifiers; shown in the group of anonymised tables."""
    RENDERED: Final = "rendered"
    NOISY: Final = "noisy"
    LEDGER: Final = "ledger"
    REPORTS: Final = "reports"
    PUBLISHED: Final = "published"


def key(environment: Environment, stage: str, name: str) -> dg.AssetKey:
    """Return the key of an asset."""
    return dg.AssetKey([environment.name, stage, name])


def stored(
    environment: Environment, stage: str, name: str, *, group: str = "", description: str = "", store: str = STORE
) -> dg.AssetOut:
    """Return the declaration of a stored table: shown in the group of its stage unless another is named."""
    return dg.AssetOut(
        key=key(environment, stage, name),
        group_name=group or stage,
        description=description,
        io_manager_key=store,
        dagster_type=dg.Any,
    )


def units_of(measured: Iterable[Column | Measure]) -> dict[str, str]:
    """Return what the schema says of each column that has a unit."""
    return {column.name: f"unit {column.unit}, {column.decimals} decimals" for column in measured if column.unit}


def op_name(environment: Environment, *parts: str) -> str:
    """Return a name for an op: Dagster takes letters, digits and underscores."""
    return "__".join((environment.name, *parts)).replace("-", "_")


def origins(environment: Environment, names: Iterable[str]) -> dict[str, dg.AssetKey]:
    """Return the key of each anonymised or derived table by name; names of raw panel tables have none and are left out."""
    derived = derived_names(environment)
    panel = set(environment.panel.tables)
    return {
        name: key(environment, Stage.DERIVED if name in derived else Stage.ANONYMISED, name)
        for name in names
        if name not in panel
    }


def derived_names(environment: Environment) -> list[str]:
    """Return the names of every table that follows from anonymised ones."""
    names = [name for aggregate in environment.aggregates for name in aggregate.tables()]
    return names + [derivation.name for derivation in environment.derivations]


def about(frame: pl.DataFrame | None, units: Mapping[str, str] | None = None) -> dict[str, dg.MetadataValue]:
    """Return row count and schema, with units, as metadata."""
    if frame is None:
        return {"absent": dg.MetadataValue.bool(True)}
    columns = [
        dg.TableColumn(name, str(dtype), description=(units or {}).get(name) or None)
        for name, dtype in frame.schema.items()
    ]
    return {
        "dagster/row_count": dg.MetadataValue.int(frame.height),
        "dagster/column_schema": dg.MetadataValue.table_schema(dg.TableSchema(columns)),
    }
