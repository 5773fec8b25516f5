"""Group `conformed`: the raw tables, typed and checked against their contract, all problems at once."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from assets.wiring.boundary import guarded
from assets.wiring.key_use import note_use
from assets.wiring.keys import Stage, about, key, op_name, stored, units_of
from assets.wiring.lineage import of_conformed, said
from assets.wiring.resources import Workspace
from assets.wiring.store import read_sealed, read_stage, write_sealed, write_stage
from pipeline.conform import Conformed, conform, known
from pipeline.conform.treated import as_frame
from pipeline.model import Environment, Frames

_TREATED = "treated"
"""Where it is kept between the stages what was treated, beside the raw tables."""


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
            result = conform(environment.raw_tables, workspace.raw_folder(environment), kinds=environment.kinds)
            note_use(environment, workspace)
            _note_treated(environment, workspace, result)
            for treated in result.treated:
                context.log.info(str(treated))
            for table in environment.raw_tables:
                frame = result.frames.get(table.name)
                told = of_conformed(environment, table, frame)
                metadata = about(frame, said(told, units_of(table.columns))) | told
                yield dg.Output(frame, output_name=table.name, metadata=metadata)

    return conformed


def treated(environment: Environment, workspace: Workspace) -> list[dict[str, str | int]]:
    """Return what conforming treated in the raw tables, for the manifest; columns that nobody wants are not worth telling."""
    noted = read_stage(Path(workspace.out), key(environment, Stage.RAW, _TREATED).path)
    return noted.filter(pl.col("treatment") != "ignore").to_dicts() if isinstance(noted, pl.DataFrame) else []


def with_dropped(environment: Environment, workspace: Workspace, conformed: Frames) -> dict[str, pl.DataFrame]:
    """Return the conformed tables with what identifies a company in the rows that were dropped."""
    out, release = Path(workspace.out), workspace.release_key(environment).master
    return known(conformed, {name: read_sealed(out, _dropped(environment, name), release) for name in conformed})


def _note_treated(environment: Environment, workspace: Workspace, result: Conformed) -> None:
    """Keep for the stages to come what was treated, and, sealed, whom the rows were of that were dropped."""
    out, release = Path(workspace.out), workspace.release_key(environment).master
    write_stage(out, key(environment, Stage.RAW, _TREATED).path, as_frame(result.treated))
    for name, dropped in result.dropped.items():
        write_sealed(out, _dropped(environment, name), dropped, release)


def _dropped(environment: Environment, table: str) -> Sequence[str]:
    return key(environment, Stage.IDENTITY, f"dropped_{table}").path
