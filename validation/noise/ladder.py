"""The ladder: what is untouched, as one family of noise after the other is mended?

Whoever uses the data as they are is surely right only where no remaining change touches what is read; that alone counts as
right here. Questions have three sizes, in the manner of the paper's Figure 3 (three difficulties, on data that are cleaned
step by step):

- *one record*: the content of a row of a table of figures; right if no remaining change touches the row or the names of its
  columns. Any cell of the row counts, because records are found by labels and stamps as well.
- *one group*: something about all rows of one table, measure, year and industry; right if all of them are, no row was added or
  dropped, and no change touches the codes or industries by which the firms are found.
- *two groups*: a comparison of two such groups; right if both are.

What it is not: no model is run, no question is worded, and nothing is said about reasoning, which the paper's figure
measures as well. A reader who mends is wrong less often, and so is one who guesses well: shares show what noise alone leaves.

Every share is exact, counted over all questions of its size about the clean tables. A group is found by its clean labels.
Changes are read from the ledger alone, so that a step needs no tables of its own: mending a family leaves the changes of
all others as they were (each draws with a key of its own). What is read wrongly in one table, and until which family is mended,
is found table by table (`Readings`), and part by part of a table (`Reading`).
"""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from pipeline.model import ALL_IN_ONE, EntityView, Environment, LongFigures, PublishedTable, WideFigures
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import Family
from pipeline.noise.ledger import added_rows

RECORD, GROUP, PAIR = "one record", "one group", "two groups"
EVERY, TOUCHED, UNTOUCHED = "every record", "touched records", "tables without noise"

_GROUP = ("measure", "year", "industry")
_EVERY_MEASURE = ""
"""Stands for the measure of a row that holds all of them: a change of the row touches the groups of all measures."""

_NEVER = ""
"""Stands for the family until whose mending something is read wrongly, where it is read rightly from the first."""


@dataclass(frozen=True, kw_only=True)
class Readings:
    """How one table is read: how many things are read wrongly until a family is mended, by that family."""

    changes: Mapping[str, int] = field(default_factory=dict)
    """Changes of each family."""
    records: Mapping[str, int] = field(default_factory=dict)
    groups: Mapping[str, int] = field(default_factory=dict)
    """Groups in the table; none if it is no table of figures, or firms are not published."""


@dataclass(frozen=True)
class Reading:
    """How some rows of a table are read. Readings of its parts add up to that of the whole, rows in any order."""

    records: Counter[int]
    """Number of records by the place, from 1, of the family until whose mending they are read wrongly; 0 for no such family."""
    groups: pl.DataFrame
    """The same for each group that the rows belong to: `measure, year, industry`, the place `until`, and `is_clean`."""

    def __add__(self, other: "Reading") -> "Reading":
        return Reading(self.records + other.records, _grouped(pl.concat([self.groups, other.groups])))


def ladder(
    environment: Environment, read: Mapping[str, Readings], families: Sequence[str], heights: Mapping[str, int]
) -> dict[str, Any]:
    """Return `ladder` and `questions` of `noise.json`.

    Questions are about the tables of figures that noise touches (if it touches none, or without views: about all tables that it
    touches, record by record). A share is None if there is no such question; without noise there is one step, at which
    everything is right.

    Args:
        environment: Declares where figures and firms stand (`views`).
        read: How each table is read; of tables without changes only those that `if_untouched` names are needed, if all are.
        families: In the order in which they are mended; other families come last.
        heights: Clean records of every table.

    Returns:
        `ladder`: for each step `step`, `mended`, remaining `changes` and `answered` (question -> share, exact).
        `questions`: `tables` that they are about, and the number of questions of each size; of all tables how many records
            there are and are touched, and in which there is no noise, those of figures first.
    """
    tables = _asked(environment, read)
    changes, records, groups = (
        sum((Counter(part) for part in parts), Counter[str]())
        for parts in (
            [one.changes for one in read.values()],
            [read[name].records for name in tables],
            [read[name].groups for name in tables],
        )
    )
    steps = [family for family in _order(families) if changes[family]]
    rungs = [
        {
            "step": step,
            "mended": steps[:step],
            "changes": sum(changes[family] for family in steps[step:]),
            "answered": _answered(records, groups, [_NEVER, *steps[:step]]),
        }
        for step in range(len(steps) + 1)
    ]
    of = groups.total()
    return {
        "ladder": rungs,
        "questions": {
            "tables": list(tables),
            RECORD: records.total(),
            GROUP: of,
            PAIR: of * (of - 1) // 2,
            EVERY: sum(heights.values()),
            TOUCHED: sum(one.records[family] for one in read.values() for family in one.records if family != _NEVER),
            UNTOUCHED: [name for name in _figures_first(environment, heights) if not read[name].changes],
        },
    }


def _figures_first(environment: Environment, names: Collection[str]) -> list[str]:
    figures = [view.table for view in environment.views.figures] if environment.views else []
    return [name for name in dict.fromkeys([*figures, *names]) if name in names]


def _order(families: Sequence[str]) -> list[str]:
    """Return all families in the order in which they are mended."""
    return list(dict.fromkeys([*map(str, families), *sorted(map(str, Family))]))


def _answered(records: Counter[str], groups: Counter[str], mended: Collection[str]) -> dict[str, float | None]:
    right, of = sum(groups[family] for family in mended), groups.total()
    return {
        RECORD: _share(sum(records[family] for family in mended), records.total()),
        GROUP: _share(right, of),
        PAIR: _share(right * (right - 1), of * (of - 1)),
    }


def _share(right: int, of: int) -> float | None:
    return right / of if of else None


# --- which tables are asked --------------------------------------------------------------------------------------------


def if_untouched(environment: Environment, there: Collection[str]) -> tuple[str, ...]:
    """Return the tables that questions are about if noise touches none, of those that are there."""
    views = environment.views
    figures = [view.table for view in views.figures] if views else []
    every = tuple(table.name for table in environment.noisy_tables() if table.name in there)
    return tuple(name for name in dict.fromkeys(figures) if name in there) or every


def _asked(environment: Environment, read: Mapping[str, Readings]) -> tuple[str, ...]:
    touched = [name for name, one in read.items() if one.changes]
    return if_untouched(environment, touched or read)


# --- one table ---------------------------------------------------------------------------------------------------------


def readings(reading: Reading, ledger: pl.DataFrame, families: Sequence[str]) -> Readings:
    """Return how a table is read, given how all its rows are read, and its ledger."""
    family = [_NEVER, *_order(families)]
    changes = Counter[str]()
    for kind, count in ledger.group_by("kind").len().sort("kind").iter_rows():
        changes[str(KINDS[kind].family)] += count
    groups = Counter(reading.groups.filter("is_clean")["until"])
    return Readings(
        changes=dict(changes),
        records={family[place]: count for place, count in sorted(reading.records.items())},
        groups={family[place]: count for place, count in sorted(groups.items())},
    )


def reading(
    environment: Environment,
    name: str,
    rows: pl.DataFrame,
    ledger: pl.DataFrame,
    families: Sequence[str],
    *,
    firms: pl.DataFrame | None,
) -> Reading:
    """Read some rows of a table.

    Args:
        environment: Declares where figures and firms stand.
        ledger: The changes of these rows, rows that were added among them, and changes of the file.
        families: In the order in which they are mended.
        firms: How the firms are found (`found_firms`); None if they are not published, so that there are no groups.
    """
    kept, table, views = _kept(ledger, families), environment.table(name), environment.views
    records = _records(table, rows, kept)
    figures = [view for view in (views.figures if views and firms is not None else ()) if view.table == name]
    members = [part for view in figures for part in _members(environment, view, records, kept)]
    return Reading(
        Counter(dict(records["until"].value_counts().iter_rows())),
        _grouped(pl.concat([_NO_GROUPS, *(_in_groups(part, firms) for part in members if firms is not None)])),
    )


def found_firms(
    environment: Environment, clean: pl.DataFrame, ledger: pl.DataFrame, families: Sequence[str]
) -> pl.DataFrame | None:
    """Return code, industry, and the place `found` of the family until whose mending either is wrong.

    All are of one industry if it is not published.

    Args:
        environment: Declares, in its views, the table of entities; None is returned if it declares none.
        clean: All clean rows of that table.
        families: In the order in which they are mended.
    """
    views = environment.views
    return _firms(environment, views.entities, clean, _kept(ledger, families)) if views else None


def _kept(ledger: pl.DataFrame, families: Sequence[str]) -> pl.DataFrame:
    """Return the changes with the place of the family that mends them, from 1."""
    place = {family: number for number, family in enumerate(_order(families), 1)}
    places = {name: place[str(kind.family)] for name, kind in KINDS.items()}
    return ledger.with_columns(until=pl.col("kind").replace_strict(places, return_dtype=pl.Int64))


# --- one record --------------------------------------------------------------------------------------------------------


def _records(table: PublishedTable, clean: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    """Return the clean rows with `until`, the step from which they are read rightly: 0 if nothing ever touched them."""
    # An added or moved row leaves the others as they are.
    is_harm = (pl.col("row_key") != "") & ((pl.col("column") != "") | (pl.col("after") == ""))
    touched = kept.filter(is_harm).group_by("row_key").agg(pl.col("until").max())
    keys = clean.select(row_key=table.row_key)
    until = keys.join(touched, on="row_key", how="left", maintain_order="left")["until"].fill_null(0)
    return clean.with_columns(until.clip(lower_bound=_renaming(kept)))


def _renaming(kept: pl.DataFrame) -> int:
    """Return the step from which a file's columns have their own names again: 0 if they always have."""
    layouts = kept.filter(pl.col("row_key") == "", pl.col("column") == "").select("before", "after", "until")
    return max(
        (until for before, after, until in layouts.iter_rows() if _columns(before) != _columns(after)), default=0
    )


def _columns(layout: str) -> set[str]:
    return set(json.loads(layout)["columns"])


# --- one group ---------------------------------------------------------------------------------------------------------


_NO_GROUPS = pl.DataFrame(schema=dict.fromkeys(_GROUP, pl.String) | {"until": pl.Int64, "is_clean": pl.Boolean})


def _in_groups(members: pl.DataFrame, firms: pl.DataFrame) -> pl.DataFrame:
    """Return the groups to which rows belong, rows of firms that are found late being right as late."""
    together = members.join(firms, on="code")
    return together.select(*_GROUP, until=pl.max_horizontal("until", "found"), is_clean="is_clean")


def _grouped(groups: pl.DataFrame) -> pl.DataFrame:
    return groups.group_by(_GROUP).agg(pl.col("until").max(), pl.col("is_clean").any())


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
    entries = kept.filter(pl.col("row_key") != "", pl.col("column") == "", pl.col("before") == "")
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
    """Return `measure`, `year`, `code` and `until` of the rows that hold figures."""
    measures = [measure.name for measure in environment.panel.measures]
    if isinstance(view, WideFigures):
        measure: pl.Expr = pl.lit(_EVERY_MEASURE)
    else:
        labels = dict(view.labels) or dict(zip(measures, measures, strict=True))
        measure = pl.col(view.measure).replace_strict(labels, default=None, return_dtype=pl.String)
    return rows.select(
        measure=measure, year=pl.col(view.year), code=pl.col(view.code), until=pl.col("until")
    ).drop_nulls()
