"""Several tables of entities, read back: further kinds each by its own, one kind from all tables that list it."""

from dataclasses import replace

import polars as pl
import pytest

from pipeline.conform.read_back import read_back
from pipeline.errors import InputError
from pipeline.model import EntityView, Environment, PublishedTable, Views
from tests.unit.kinds.harbours import HARBOURS
from tests.unit.kinds.test_pseudonyms_of_kinds import conformed

NORTH = EntityView(table="north", columns={"code": "harbour", "does": "trade"})
SOUTH = replace(NORTH, table="south")
SHIPS = EntityView(table="ships", of="ship", columns={"ship": "ship", "rig": "rig", "year": "built"})


def environment(*further: EntityView) -> Environment:
    """Return the harbours, published in two tables, and their ships."""
    columns = {"north": ("code", "does"), "south": ("code", "does"), "ships": ("ship", "rig", "year")}
    tables = tuple(
        PublishedTable(path=f"{name}.csv", columns=of, row_key=of[0], needs=(), render=lambda _: pl.DataFrame())
        for name, of in columns.items()
    )
    return replace(HARBOURS, tables=tables, views=Views(entities=NORTH, further=further))


PUBLISHED = {
    "north": pl.DataFrame({"code": ["2", "1 "], "does": ["fish", "coal"]}),
    "south": pl.DataFrame({"code": ["3", "1"], "does": ["salt", "hemp"]}),
    "ships": pl.DataFrame({"ship": ["B7", "A1"], "rig": ["brig", None], "year": ["3/2/1801", "1804-05-06"]}),
}


def test_each_kind_is_read_from_its_own_table() -> None:
    """Typed, sorted by code, with the columns of its first raw table; those not published are empty."""
    tables = conformed()
    schema, ships = tables["harbours"].schema, tables["ships"].schema
    read = read_back(environment(SHIPS), PUBLISHED, {}, schema, {"ship": ships})
    assert read.entities["harbour"].to_list() == ["1", "2"]
    assert read.further.keys() == {"ship"}
    found = read.further["ship"]
    assert found.columns == ships.names()
    assert found.select("ship", "rig").rows() == [("A1", None), ("B7", "brig")]
    assert found["built"].dt.year().to_list() == [1804, 1801]
    assert found["harbour"].null_count() == 2


def test_a_kind_in_several_tables_is_read_from_all() -> None:
    """Whoever stands in two is what the first says."""
    read = read_back(environment(SOUTH), PUBLISHED, {}, conformed()["harbours"].schema)
    assert read.entities.select("harbour", "trade").rows() == [("1", "coal"), ("2", "fish"), ("3", "salt")]
    assert (read.further, read.figures.height, read.unread) == ({}, 0, 0)


def test_a_view_without_the_code_of_its_kind_is_refused() -> None:
    nobody = replace(SHIPS, columns={"rig": "rig"})
    with pytest.raises(InputError, match="no published column of 'ships' holds 'ship'"):
        read_back(environment(nobody), PUBLISHED, {}, conformed()["harbours"].schema)
