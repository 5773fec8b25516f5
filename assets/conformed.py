"""Group `conformed`: the raw tables, typed and checked against their contract, all problems at once."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from assets.boundary import guarded
from assets.key_use import note_use
from assets.keys import Stage, about, key, op_name, stored, units_of
from assets.lineage import of_conformed, said
from pipeline.conform import conform
from pipeline.environment.model import Environment
from pipeline.resources import Workspace


def conformed_assets(environment: Environment) -> dg.AssetsDefinition:
    """Return one asset for each conformed table, all made by one step, so that all problems are raised together."""
    outs = {
        table.name: stored(environment, Stage.CONFORMED, table.name, description=table.description)
        for table in environment.raw_tables
    }
    raw = [key(environment, Stage.RAW, table.name) for table in environment.raw_tables]

    @dg.multi_asset(
        outs=outs,
        deps=raw,
        internal_asset_deps={table.name: {key(environment, Stage.RAW, table.name)} for table in environment.raw_tables},
        name=op_name(environment, Stage.CONFORMED),
    )
    def conformed(context: dg.AssetExecutionContext, workspace: Workspace) -> Iterator[dg.Output[Any]]:
        """Conform every raw table; refuse a key that was used for others."""
        with guarded(workspace, environment):
            result = conform(environment.raw_tables, workspace.raw_folder(environment), entities=environment.entities)
            note_use(environment, workspace)
            for treatment in result.treatments:
                context.log.info(str(treatment))
            for table in environment.raw_tables:
                frame = result.frames.get(table.name)
                told = of_conformed(environment, table, frame)
                metadata = about(frame, said(told, units_of(table.columns))) | told
                yield dg.Output(frame, output_name=table.name, metadata=metadata)

    return conformed
