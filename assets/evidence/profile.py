"""The reports `profile_clean` and `profile_noisy`: what stands in each table that a variant publishes.

Beside each, rows are kept that a reader can look into: a frame of `path` and `content`, one file of JSON for each table.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict

import polars as pl

from assets.making.keys import PROFILES, ROWS, Place, Stage
from assets.making.results import Result
from assets.making.step import Run
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment, PublishedTable
from pipeline.publish.variant import CLEAN, VARIANTS, is_elsewhere
from pipeline.render import rows_of
from validation.profile import table_profile
from validation.profile.changed import changed_rows, table_changes
from validation.profile.rows import shown_rows
from validation.report.documents import written

PROFILE = "profile"


def profile_assets(environment: Environment) -> list[Declared]:
    """Return the asset of each variant."""
    return [_profile_asset(environment, variant) for variant in VARIANTS]


def _profile_asset(environment: Environment, variant: str) -> Declared:
    tables = _tables(environment, variant)
    reads = [place for table in tables for place in _places(variant, table)]

    @asset(environment, Stage.REPORTS, PROFILES[variant], reads=reads)
    def profile(run: Run) -> Iterator[Result]:
        """What stands in each table: columns with their meaning, histograms, first records, and records that noise changed."""
        found = [json.loads(_profiled(run, variant, table)) for table in tables if run.has(Stage.RENDERED, table.name)]
        rows = {each.name: _shown(run, variant, each) for each in tables if run.has(Stage.RENDERED, each.name)}
        run.keep(Stage.REPORTS, ROWS[variant], pl.DataFrame({"path": list(rows), "content": list(rows.values())}))
        content = written(PROFILE, {"tables": found}).decode()
        yield run.made(Stage.REPORTS, PROFILES[variant], content, {"tables": len(found)})

    return profile


def _tables(environment: Environment, variant: str) -> list[PublishedTable]:
    """Return the tables of a variant, and its documents that are rows."""
    documents = (document.table for document in environment.documents)
    tables = (*environment.tables, *(table for table in documents if table))
    return [table for table in tables if not is_elsewhere(table, variant)]


def _places(variant: str, table: PublishedTable) -> list[Place]:
    stages = [Stage.RENDERED] if variant == CLEAN else [Stage.RENDERED, Stage.NOISY, Stage.LEDGER]
    return [(stage, table.name) for stage in stages]


def _profiled(run: Run, variant: str, table: PublishedTable) -> str:
    """Return the profile of one table as JSON, made again only if the table is another."""

    def make(part: Run) -> str:
        clean = _rows(part, Stage.RENDERED, table)
        if variant == CLEAN:
            found = table_profile(run.environment, table, clean, variant=variant)
        else:
            ledger, noisy = part.read(Stage.LEDGER, table.name), _rows(part, Stage.NOISY, table)
            changed, changes = changed_rows(table, clean, ledger), table_changes(clean, ledger)
            found = table_profile(run.environment, table, noisy, variant=variant, changed=changed, changes=changes)
        return json.dumps(asdict(found))

    return run.part(f"{variant} {table.name}", make, reads=_places(variant, table), given=())


def _shown(run: Run, variant: str, table: PublishedTable) -> str:
    """Return the rows of one table that can be looked into as JSON, made again only if the table is another."""
    stage, has_noise = (Stage.RENDERED, False) if variant == CLEAN else (Stage.NOISY, True)

    def make(part: Run) -> str:
        ledger = part.read(Stage.LEDGER, table.name) if has_noise else None
        return json.dumps(vars(shown_rows(table, _rows(part, stage, table), ledger)))

    return run.part(f"rows of {variant} {table.name}", make, reads=_places(variant, table), given=())


def _rows(run: Run, stage: str, table: PublishedTable) -> pl.LazyFrame:
    """Return a table as a stage keeps it, which is read as far as it is asked for; a document as its rows."""
    if table.document is None or stage == Stage.NOISY:
        return pl.scan_parquet(run.blocks(stage, table.name).file)
    rows = rows_of(table, run.read(stage, table.name))
    return pl.LazyFrame() if rows is None else rows.lazy()
