"""The reports `profile_clean` and `profile_noisy`: what stands in each table that a variant publishes.

Beside each, rows are kept that a reader can look into: a frame of `path` and `content`, one file of JSON for each table.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict

import polars as pl

from assets.making.keys import PROFILES, ROWS, Place, Stage
from assets.making.results import Result
from assets.making.step import Run, StepDivision, StepPart
from assets.making.store import Value
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

    def there(run: Run) -> list[PublishedTable]:
        return [table for table in tables if run.has(Stage.RENDERED, table.name)]

    def parts(run: Run) -> list[StepPart]:
        return [
            StepPart(name=table.name, reads={place: run.given[place] for place in _places(variant, table)})
            for table in there(run)
        ]

    def do(run: Run, part: StepPart) -> Iterator[tuple[str, Value]]:
        table = next(table for table in tables if table.name == part.name)
        yield "profile", _profiled(run, variant, table)
        yield "rows", _shown(run, variant, table)

    @asset(environment, Stage.REPORTS, PROFILES[variant], reads=reads, division=StepDivision(parts=parts, do=do))
    def profile(run: Run) -> Iterator[Result]:
        """What stands in each table: columns with their meaning, histograms, first records, and records that noise changed."""
        rows = {"path": [table.name for table in there(run)], "content": run.of_parts("rows")}
        run.keep(Stage.REPORTS, ROWS[variant], pl.DataFrame(rows, schema={"path": pl.String, "content": pl.String}))
        found = list(map(json.loads, run.of_parts("profile")))
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
    """Return the profile of one table as JSON."""
    clean = _rows(run, Stage.RENDERED, table)
    if variant == CLEAN:
        found = table_profile(run.environment, table, clean, variant=variant)
    else:
        ledger, noisy = run.read(Stage.LEDGER, table.name), _rows(run, Stage.NOISY, table)
        changed, changes = changed_rows(table, clean, ledger), table_changes(clean, ledger)
        found = table_profile(run.environment, table, noisy, variant=variant, changed=changed, changes=changes)
    return json.dumps(asdict(found))


def _shown(run: Run, variant: str, table: PublishedTable) -> str:
    """Return the rows of one table that can be looked into as JSON."""
    stage, ledger = (Stage.RENDERED, None) if variant == CLEAN else (Stage.NOISY, run.read(Stage.LEDGER, table.name))
    return json.dumps(vars(shown_rows(table, _rows(run, stage, table), ledger)))


def _rows(run: Run, stage: str, table: PublishedTable) -> pl.LazyFrame:
    """Return a table as a stage keeps it, which is read as far as it is asked for; a document as its rows."""
    if table.document is None or stage == Stage.NOISY:
        return run.scan(stage, table.name)
    rows = rows_of(table, run.read(stage, table.name))
    return pl.LazyFrame() if rows is None else rows.lazy()
