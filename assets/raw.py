"""Group `raw`: the raw tables as files, generated or a user's own. Files are looked at, not read."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from assets.wiring.boundary import guarded
from assets.wiring.keys import Stage, key, op_name
from assets.wiring.resources import Workspace
from pipeline.conform.reading import files_of
from pipeline.model import Environment, RawTable


def raw_assets(environment: Environment) -> dg.AssetsDefinition:
    """Return one asset for each raw table, all materialised by one step."""
    specs = [
        dg.AssetSpec(key(environment, Stage.RAW, table.name), description=table.description, group_name=Stage.RAW)
        for table in environment.raw_tables
    ]

    @dg.multi_asset(specs=specs, name=op_name(environment, Stage.RAW))
    def raw_tables(context: dg.AssetExecutionContext, workspace: Workspace) -> Iterator[dg.MaterializeResult[None]]:
        """Find the raw tables, generating the corpus on first use."""
        with guarded(workspace, environment):
            folder = workspace.raw_folder(environment)
            for table in environment.raw_tables:
                yield dg.MaterializeResult(
                    asset_key=key(environment, Stage.RAW, table.name), metadata=_about_file(folder, table)
                )
            context.log.info("raw tables: %s", workspace.source(environment))

    return raw_tables


def _about_file(folder: Path, table: RawTable) -> dict[str, dg.MetadataValue]:
    found = files_of(table, folder)
    columns = [
        dg.TableColumn(column.name, column.type, description=column.description or None) for column in table.columns
    ]
    return {
        "dagster/column_schema": dg.MetadataValue.table_schema(dg.TableSchema(columns)),
        "files": dg.MetadataValue.text(", ".join(found) or "absent"),
        "bytes": dg.MetadataValue.int(sum((folder / name).stat().st_size for name in found)),
    }
