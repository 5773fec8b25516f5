"""Lineage of columns is honest: what is declared to come from a column shows a change of it, and nothing else does."""

from dataclasses import replace

import polars as pl
import pytest

from pipeline.model import Environment, Field, PublishedTable, origins
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED
from tests.integration.conftest import Build
from tests.integration.lineage_lab import Laboratory, changes, laboratory


def tables_of(environment: Environment) -> dict[str, PublishedTable]:
    """Return every published table, and the rows of documents."""
    return {table.name: table for table in (*environment.tables, *environment.noisy_tables())}


def broken(declared: PublishedTable, made: Laboratory) -> list[str]:
    """Return what a declaration says that is not so."""
    origins_of = {field.name: field.origins or () for field in declared.fields}
    shown = {origin: made.shown_in(origin) for origin in made.origins}
    problems = [
        f"{column} is said to come from {origin} and does not change with it"
        for column, origins in origins_of.items()
        for origin in origins
        if column not in shown.get(origin, {column}) and not made.is_empty(column)
    ]
    problems += [
        f"{origin} is said to decide on rows and does not"
        for origin in declared.rows_from
        if not shown.get(origin, True)
    ]
    return problems + [
        f"{column} changes with {origin}, which is not said"
        for origin, columns in shown.items()
        if origin not in declared.rows_from
        for column in sorted(columns)
        if origin not in origins_of[column]
    ]


@pytest.mark.parametrize("name", tables_of(DATACLAW_18))
def test_lineage_of_dataclaw_18_is_what_renderings_do(small: Build, name: str) -> None:
    """For every column of every table: a change of a declared source shows, one of any other does not."""
    made = laboratory(DATACLAW_18, tables_of(DATACLAW_18)[name], small.folder.parent)
    assert broken(made.table, made) == []


@pytest.mark.parametrize("name", tables_of(US_LISTED))
def test_lineage_of_us_listed_is_what_renderings_do(listed: Build, name: str) -> None:
    """For every column of every table: a change of a declared source shows, one of any other does not."""
    made = laboratory(US_LISTED, tables_of(US_LISTED)[name], listed.folder.parent)
    assert broken(made.table, made) == []


@pytest.mark.parametrize("environment", [DATACLAW_18, US_LISTED], ids=lambda environment: environment.name)
def test_every_published_column_is_declared(environment: Environment) -> None:
    """Each column says where it comes from, and names sources that its rendering is given."""
    for table in tables_of(environment).values():
        assert [field.name for field in table.fields if field.origins is None] == []
        origins = [*table.rows_from, *(origin for field in table.fields for origin in field.origins or ())]
        assert {source for source, _ in origins} <= {*table.needs, *table.uses}


ROWS = pl.DataFrame({"id": ["1", "2", "3"], "name": ["a", "b", None], "size": [1, 2, 2]})
RIGHT = PublishedTable(
    path="t.csv",
    fields=(Field("id"), Field("name")),
    source="rows",
    rows_from=(("rows", "size"),),
    needs=("rows",),
    render=lambda truth: (
        truth.tables["rows"].filter(pl.col("size") > 1).select("id", pl.col("name").str.to_uppercase())
    ),
)


def test_laboratory_finds_what_is_not_so() -> None:
    """A source too many, one too few, and rows that are decided otherwise are each told."""
    made = Laboratory(RIGHT, {"rows": ROWS})
    assert broken(RIGHT, made) == []
    too_many = replace(RIGHT, fields=(Field("id", origins=origins("rows", ("id", "name"))), Field("name")))
    assert broken(too_many, made) == ["id is said to come from ('rows', 'name') and does not change with it"]
    too_few = replace(RIGHT, fields=(Field("id"), Field("name", origins=())))
    assert broken(too_few, made) == ["name changes with ('rows', 'name'), which is not said"]
    assert len(broken(replace(RIGHT, rows_from=()), made)) == 2


@pytest.mark.parametrize("name", ROWS.columns)
def test_changes_are_changes(name: str) -> None:
    """Each differs from the column in values, never in length or type."""
    for changed in changes(ROWS[name]):
        assert not changed.equals(ROWS[name], null_equal=True)
        assert (len(changed), changed.dtype, changed.name) == (3, ROWS[name].dtype, name)
