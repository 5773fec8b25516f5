"""Group `conformed`: the raw tables, typed and checked against their contract, all problems at once."""

from collections.abc import Iterator

import dagster as dg
import polars as pl

from assets.wiring.key_use import note_use
from assets.wiring.keys import Stage, about, units_of
from assets.wiring.request import Request
from assets.wiring.steps import Result, Run, node, step
from assets.wiring.store import read_sealed, read_stage
from pipeline.conform import conform, known
from pipeline.conform.reading import files_of
from pipeline.conform.treated import as_frame
from pipeline.model import Environment, Frames, RawTable

_TREATED = "treated"
"""Where it is kept between the stages what was treated."""


def conformed_assets(environment: Environment) -> dg.AssetsDefinition:
    """Return one asset for each raw table, all made by one step, so that all problems are raised together."""
    shown = [
        node(environment, Stage.CONFORMED, table.name, description=table.description, kinds={"file", "polars"})
        for table in environment.raw_tables
    ]

    @step(environment, Stage.CONFORMED, shown=shown)
    def conformed(run: Run) -> Iterator[Result]:
        """Conform every raw table; refuse a key that was used for others."""
        request = run.request
        run.log("raw tables: %s", request.source)
        result = conform(environment.raw_tables, request.raw, kinds=environment.kinds)
        note_use(request)
        run.keep(Stage.RAW, _TREATED, as_frame(result.treated))
        for name, dropped in result.dropped.items():
            run.seal(Stage.IDENTITY, _dropped(name), dropped)
        for treated in result.treated:
            run.log(str(treated))
        for table in environment.raw_tables:
            frame = result.frames.get(table.name)
            metadata = about(frame, units_of(table.columns)) | _about_files(request, table)
            yield run.made(Stage.CONFORMED, table.name, frame, metadata)

    return conformed


def treated(request: Request) -> list[dict[str, str | int]]:
    """Return what conforming treated in the raw tables, for the manifest; columns that nobody wants are not worth telling."""
    noted = read_stage(request.out, (request.environment.name, Stage.RAW, _TREATED))
    return noted.filter(pl.col("treatment") != "ignore").to_dicts() if isinstance(noted, pl.DataFrame) else []


def with_dropped(request: Request, conformed: Frames) -> dict[str, pl.DataFrame]:
    """Return the conformed tables with what identifies a company in the rows that were dropped."""
    places = {name: (request.environment.name, Stage.IDENTITY, _dropped(name)) for name in conformed}
    dropped = {name: read_sealed(request.out, place, request.release.master) for name, place in places.items()}
    return known(conformed, dropped)


def _about_files(request: Request, table: RawTable) -> dict[str, dg.MetadataValue]:
    """Return which files a raw table was read from, and how large they are."""
    found = files_of(table, request.raw)
    return {
        "files": dg.MetadataValue.text(", ".join(found) or "absent"),
        "bytes": dg.MetadataValue.int(sum((request.raw / name).stat().st_size for name in found)),
    }


def _dropped(table: str) -> str:
    return f"dropped_{table}"
