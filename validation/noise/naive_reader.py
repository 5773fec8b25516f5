"""The ladder: how many questions does a naive reader answer rightly, as one family of noise after the other is mended?

The reader uses the data as they are, mends nothing, and is wrong wherever a remaining change touches what is read. Questions
have three sizes, in the manner of the paper's Figure 3 (three difficulties, on data that are cleaned step by step):

- *one record*: the content of a row of a table of figures; right if no remaining change touches the row or the names of its
  columns. Any cell of the row counts, because records are found by labels and stamps as well.
- *one group*: something about all rows of one table, measure, year and industry; right if all of them are, no row was added or
  dropped, and no change touches the codes or industries by which the firms are found.
- *two groups*: a comparison of two such groups; right if both are.

What it is not: no model is run, no question is worded, and nothing is said about reasoning, which the paper's figure
measures as well. A reader who mends is wrong less often, and so is a lucky one; the shares show what noise alone leaves.

Every share is exact, counted over all questions of its size about the clean tables. A group is found by its clean labels.
Changes are read from the ledger alone, so that a step needs no tables of its own: mending a family leaves the changes of
all others as they were (each draws with a key of its own).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from pipeline.model import ALL_IN_ONE, EntityView, Environment, Frames, LongFigures, PublishedTable, WideFigures
from pipeline.noise.kinds import KINDS
from pipeline.noise.ledger import added_rows

RECORD, GROUP, PAIR = "one record", "one group", "two groups"

_GROUP = ("table", "measure", "year", "industry")
_EVERY_MEASURE = ""
"""Stands for the measure of a row that holds all of them: a change of the row touches the groups of all measures."""


def ladder(environment: Environment, ledger: pl.DataFrame, clean: Frames, families: Sequence[str]) -> dict[str, Any]:
    """Return `ladder` and `questions` of `noise.json`.

    Questions are about the tables of figures that noise touches (if it touches none, or without views: about all tables that it
    touches, record by record). A share is None if there is no such question; without noise there is one step, at which
    everything is right.

    Args:
        environment: Declares where figures and firms stand (`views`).
        ledger: All changes.
        clean: The rendered tables by name; at least those in the ledger.
        families: In the order in which they are mended; other families of the ledger come last.

    Returns:
        `ladder`: for each step `step`, `mended`, remaining `changes` and `answered` (question -> share, exact).
        `questions`: `tables` that they are about, and the number of questions of each size.
    """
    steps = _steps(ledger, families)
    kept = ledger.with_columns(until=_until(steps))
    tables = _asked(environment, kept, clean)
    records = [_records(environment.table(name), clean[name], kept) for name in tables]
    until = pl.concat([_NO_QUESTIONS, *(frame["until"] for frame in records)])
    grouped = _groups(environment, dict(zip(tables, records, strict=True)), kept, clean)
    questions = {RECORD: len(until), GROUP: len(grouped), PAIR: len(grouped) * (len(grouped) - 1) // 2}
    rungs = [
        {
            "step": step,
            "mended": steps[:step],
            "changes": int((kept["until"] > step).sum()),
            "answered": _answered(until, grouped, step),
        }
        for step in range(len(steps) + 1)
    ]
    return {"ladder": rungs, "questions": {"tables": list(tables), **questions}}


_NO_QUESTIONS = pl.Series("until", [], dtype=pl.Int64)


def _steps(ledger: pl.DataFrame, families: Sequence[str]) -> list[str]:
    """Return the families that changed something, in the order in which they are mended."""
    present = {str(KINDS[kind].family) for kind in ledger["kind"].unique().sort()}
    order = dict.fromkeys([*map(str, families), *sorted(present)])
    return [family for family in order if family in present]


def _until(steps: Sequence[str]) -> pl.Expr:
    """Return for each entry the step at which it is mended: 1 for those of the first family."""
    step = {family: number for number, family in enumerate(steps, 1)}
    rank = {name: step.get(str(kind.family), 0) for name, kind in KINDS.items()}
    return pl.col("kind").replace_strict(rank, return_dtype=pl.Int64)


def _answered(records: pl.Series, groups: pl.Series, step: int) -> dict[str, float | None]:
    right, of = int((groups <= step).sum()), len(groups)
    return {
        RECORD: _share(int((records <= step).sum()), len(records)),
        GROUP: _share(right, of),
        PAIR: _share(right * (right - 1), of * (of - 1)),
    }


def _share(right: int, of: int) -> float | None:
    return right / of if of else None


# --- which tables are asked --------------------------------------------------------------------------------------------


def _asked(environment: Environment, kept: pl.DataFrame, clean: Frames) -> tuple[str, ...]:
    touched = set(kept["table"].unique())
    views = environment.views
    figures = [view.table for view in views.figures] if views else []
    there = [table.name for table in environment.noisy_tables() if table.name in clean]
    with_figures = [name for name in dict.fromkeys(figures) if name in there]
    return tuple(
        [name for name in with_figures if name in touched]
        or [name for name in there if name in touched]
        or with_figures
        or there
    )


# --- one record --------------------------------------------------------------------------------------------------------


def _records(table: PublishedTable, clean: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    """Return the clean rows with `until`, the step from which they are read rightly: 0 if nothing ever touched them."""
    own = kept.filter(pl.col("table") == table.name)
    # An added or moved row leaves the others as they are.
    is_harm = (pl.col("row_key") != "") & ((pl.col("column") != "") | (pl.col("after") == ""))
    touched = own.filter(is_harm).group_by("row_key").agg(pl.col("until").max())
    rows = clean.join(touched, left_on=table.row_key, right_on="row_key", how="left", maintain_order="left")
    return rows.with_columns(pl.max_horizontal(pl.col("until").fill_null(0), pl.lit(_renaming(own), pl.Int64)))


def _renaming(own: pl.DataFrame) -> int:
    """Return the step from which a file's columns have their own names again: 0 if they always have."""
    layouts = own.filter(pl.col("row_key") == "", pl.col("column") == "").select("before", "after", "until")
    return max(
        (until for before, after, until in layouts.iter_rows() if _columns(before) != _columns(after)),
        default=0,
    )


def _columns(layout: str) -> set[str]:
    return set(json.loads(layout)["columns"])


# --- one group ---------------------------------------------------------------------------------------------------------


def _groups(
    environment: Environment, records: Mapping[str, pl.DataFrame], kept: pl.DataFrame, clean: Frames
) -> pl.Series:
    """Return for each group the step from which it is right."""
    views = environment.views
    asked = [view for view in views.figures if view.table in records] if views else []
    if views is None or not asked or views.entities.table not in clean:
        return _NO_QUESTIONS
    firms = _firms(environment, views.entities, clean[views.entities.table], kept)
    parts = [part for view in asked for part in _members(environment, view, records[view.table], kept)]
    together = pl.concat([part.join(firms, on="code") for part in parts])
    is_of_table = pl.col("is_clean")
    return (
        together.group_by(_GROUP)
        .agg(pl.max("until", "found").max(), is_clean=is_of_table.any())
        .filter("is_clean")
        .select(until=pl.max_horizontal("until", "found"))
        .to_series()
    )


def _firms(environment: Environment, view: EntityView, clean: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    """Return code, industry, and the step from which both are right; one industry for all if it is not published."""
    published = {raw: column for column, raw in view.columns.items()}
    code, industry = published[environment.entities.code], published.get(environment.entities.industry)
    read_by = [code, *([industry] if industry else [])]
    named = pl.col(industry) if industry else pl.lit(ALL_IN_ONE)
    is_of_others = pl.col("column").is_in(sorted(set(clean.columns) - set(read_by)))
    rows = _records(environment.table(view.table), clean, kept.filter(~is_of_others | (pl.col("row_key") == "")))
    # A second row of a firm doubles its figures.
    again = _came(environment.table(view.table), kept).join(rows, on=read_by, how="semi")
    return (
        pl.concat([frame.select(code=code, industry=named, found="until") for frame in (rows, again)])
        .drop_nulls(["code", "industry"])
        .group_by("code", "industry")
        .agg(pl.col("found").max())
    )


def _came(table: PublishedTable, kept: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that noise added to a table, with the step from which they are gone again."""
    entries = kept.filter(
        pl.col("table") == table.name, pl.col("row_key") != "", pl.col("column") == "", pl.col("before") == ""
    )
    return added_rows(entries, table).with_columns(entries["until"])


def _members(
    environment: Environment, view: LongFigures | WideFigures, records: pl.DataFrame, kept: pl.DataFrame
) -> list[pl.DataFrame]:
    """Return the rows of a table of figures that a question about a group reads, and those that noise added."""
    came = _came(environment.table(view.table), kept)
    return [
        _labelled(environment, view, frame).with_columns(is_clean=pl.lit(is_clean))
        for frame, is_clean in ((records, True), (came, False))
    ]


def _labelled(environment: Environment, view: LongFigures | WideFigures, rows: pl.DataFrame) -> pl.DataFrame:
    """Return `table`, `measure`, `year`, `code` and `until` of the rows that hold figures."""
    measures = [measure.name for measure in environment.panel.measures]
    if isinstance(view, WideFigures):
        measure: pl.Expr = pl.lit(_EVERY_MEASURE)
    else:
        labels = dict(view.labels) or dict(zip(measures, measures, strict=True))
        measure = pl.col(view.measure).replace_strict(labels, default=None, return_dtype=pl.String)
    return rows.select(
        table=pl.lit(view.table),
        measure=measure,
        year=pl.col(view.year),
        code=pl.col(view.code),
        until=pl.col("until"),
    ).drop_nulls()
