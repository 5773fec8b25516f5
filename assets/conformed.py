"""Group `conformed`: the raw tables, typed and checked against their contract, all problems at once."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

import polars as pl

from assets.making.keys import TREATED, Stage, about, dropped, notes_of
from assets.making.parameters import MASTER, RAW, RawFiles
from assets.making.results import Result
from assets.making.step import Run
from assets.wiring.steps import Declared, node, step
from pipeline.conform import conform, known
from pipeline.conform.files.listing import files_of, whole_of
from pipeline.conform.treated import as_frame, lines
from pipeline.model import Environment, Frames, RawTable


def conformed_assets(environment: Environment) -> Declared:
    """Return one asset for each raw table, all made by one step, so that all problems are raised together."""
    shown = [
        node(environment, Stage.CONFORMED, table.name, description=table.description, kinds={"file", "polars"})
        for table in environment.raw_tables
    ]

    @step(environment, Stage.CONFORMED, shown=shown, uses=(RAW, MASTER))
    def conformed(run: Run) -> Iterator[Result]:
        """Conform every raw table."""
        raw = run.use(RAW)
        kinds, panel = environment.kinds, environment.panel
        result = conform(environment.raw_tables, raw.folder, kinds=kinds, panel=panel, files=raw.files)
        run.keep(Stage.RAW, TREATED, as_frame(result.treated))
        for name, left_out in result.dropped.items():
            run.seal(Stage.IDENTITY, dropped(name), left_out)
        for line in lines(result.treated):
            run.log(line)
        for table in environment.raw_tables:
            frame = result.frames.get(table.name)
            metadata = about(frame, notes_of(table.columns, attrgetter("description"))) | _about_files(raw, table)
            yield run.made(Stage.CONFORMED, table.name, frame, metadata)

    return conformed


def with_dropped(run: Run, conformed: Frames) -> dict[str, pl.DataFrame]:
    """Return the conformed tables with what identifies a company in the rows that were dropped."""
    return known(conformed, {name: run.unseal(Stage.IDENTITY, dropped(name)) for name in conformed})


def _about_files(raw: RawFiles, table: RawTable) -> dict[str, Any]:
    """Return which files a raw table was read from, and how large they are."""
    found = files_of(table, raw.folder)
    return {
        "files": ", ".join(dict.fromkeys(map(whole_of, found))) or "absent",
        "bytes": sum((raw.folder / name).stat().st_size for name in found),
    }
