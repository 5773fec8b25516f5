"""One schema of what is published: a column that is declared arrives everywhere, and declarations of a version ago are read."""

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import silt
from assets.wiring.lineage import of_rendered, said
from pipeline.keyed import Key
from pipeline.model import Column, Field, PublishedTable, Truth
from pipeline.model.schema.complete import _as_viewed, _of_raw, invented, schema_of
from pipeline.model.schema.fields import ColumnFacts, TableLineage, all_fields, made, taken
from pipeline.publish.files import write_table
from pipeline.release import layout
from pipeline.release.describing import Asked, describe, metadata
from pipeline.render import render_table
from silt.environments.us_listed import US_LISTED
from tests.unit.events.lines_declared import LINES
from validation.expectations.suites import of_columns

PROFILE = US_LISTED.table("company_profile")
DECADE = Field(
    "decade",
    type="integer",
    unit="years",
    minimum=1900,
    nullable=True,
    meaning="decade in which the company joined the index",
    origins=(("securities", "year_added"),),
)
SECURITIES = pl.DataFrame(
    {
        "Ticker Symbol": ["ABCDE", "FGHIJ"],
        "Security": ["One", "Two"],
        "GICS Sector": ["Energy", "Energy"],
        "GICS Sub Industry": [None, None],
        "Country": ["United States", "France"],
        "state": ["Texas", None],
        "year_added": [1999, None],
    },
    schema_overrides={"GICS Sub Industry": pl.String},
)


def render_with_decade(truth: Truth) -> pl.DataFrame:
    """Return the profiles with one column more."""
    decade = pl.col("year_added").cast(pl.Int64) // 10 * 10
    return PROFILE.render(truth).with_columns(decade=decade.cast(pl.String))  # type: ignore[union-attr]


WITH_DECADE = replace(PROFILE, columns=(), fields=(*PROFILE.fields, DECADE), render=render_with_decade)
LISTED = replace(US_LISTED, tables=(WITH_DECADE, *US_LISTED.tables[1:]))
"""The shipped environment with a column more: one declaration, and its rendering."""


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """Publish the table, and return the folder of its variant."""
    folder = tmp_path / "clean"
    rows = render_table(WITH_DECADE, Truth(tables={"securities": SECURITIES}, order=Key(b"k" * 32)))
    record = write_table(rows, WITH_DECADE, folder)
    stated = {"environment": LISTED.name, "policy": "lsd", "is_demonstration_key": True, "column_treatments": {}}
    (folder / "manifest.json").write_text(json.dumps(stated | {"files": [vars(record)]}))
    return folder


def documents(folder: Path) -> Mapping[str, bytes]:
    """Return the metadata of a documented release of the variant."""
    asked = Asked(version="1.0.0", date=0, documented=True, variants=(folder.name,))
    return metadata(describe(LISTED, folder.parent, asked))


def named(items: list[dict[str, Any]], name: str = "decade") -> dict[str, Any]:
    """Return the item of that name."""
    (found,) = (item for item in items if item["name"] == name)
    return found


def test_a_column_is_in_the_metadata(released: Path) -> None:
    """Croissant, Data Package and dictionary have its type and meaning."""
    made_of = documents(released)
    (record_set,) = json.loads(made_of[layout.CROISSANT])["recordSet"]
    (resource,) = json.loads(made_of[layout.DATA_PACKAGE])["resources"]
    for field, kind in ((named(record_set["field"]), "sc:Integer"), (named(resource["schema"]["fields"]), "integer")):
        assert kind in (field.get("dataType"), field.get("type"))
        assert field["description"] == "decade in which the company joined the index, in years"
    rows = csv.DictReader(made_of[layout.DICTIONARY_CSV].decode().splitlines())
    (row,) = (row for row in rows if row["column"] == "decade")
    assert (row["type"], row["unit"], row["meaning"]) == ("integer", "years", DECADE.meaning)


def test_a_column_is_expected_opened_and_drawn(released: Path) -> None:
    """Its bound is an expectation, `silt.open` gives it as a number, and the graph shows where it comes from."""
    opened = silt.open(released, environment=LISTED)["company_profile"].collect()
    assert opened.sort("code")["decade"].to_list() == [1990, None]
    suite = of_columns(schema_of(LISTED, WITH_DECADE), [opened.cast(pl.String)], {})
    assert {"min_value": 1900} in [each.arguments for each in suite if each.column == "decade"]
    assert said(of_rendered(LISTED, WITH_DECADE))["decade"] == "from anonymised/securities: year_added"


def test_what_is_said_nearest_to_a_column_counts() -> None:
    """Its own field before a view, and either before words for all columns of a name; a key of records has a value."""
    own = _as_viewed(Field("pay", unit="EUR"), Field(unit="USD", meaning="wages"))
    assert (own.unit, own.meaning) == ("EUR", "wages")
    assert _as_viewed(Field("pay"), Field(unit_in="currency")).unit_in == "currency"
    assert _as_viewed(Field("pay", unit="EUR"), Field(unit_in="currency")).unit_in == ""
    meant = replace(US_LISTED, meanings={"state": "any state"})
    assert invented(meant, Column(name="state", description="where its seat is")) == ("", "where its seat is")
    fare = schema_of(LINES, replace(LINES.table("sailings"), row_key="fare"))["fare"]
    assert (fare.unique, fare.nullable, fare.unit) == (True, False, "EUR")


def test_decimals_have_no_bounds() -> None:
    """Raw ones count in their last place, as no reader of the published column does."""
    for kind, bounds in (("integer", (1, 9)), ("decimal", (None, None))):
        column = Column(name="tons", type=kind, decimals=2, minimum=1, maximum=9)  # type: ignore[arg-type]
        field = _of_raw(US_LISTED, US_LISTED.entities, column)
        assert (field.minimum, field.maximum) == bounds


def test_a_column_without_a_field_may_hold_anything() -> None:
    """It is made of the column of its name, which a column that rendering makes is not."""
    declared = Field("id", type="integer", origins=())
    note = Field("note", nullable=None, origins=(("shops", "note"),))
    assert all_fields(("id", "note"), (declared,), "shops") == (declared, note)


def test_declarations_of_a_version_ago_are_read() -> None:
    """What facts and lineage of an environment say is what fields say; a column that they do not name may hold anything."""
    bare = PublishedTable(path="t.csv", columns=("id", "code", "note"), needs=("securities",), render=PROFILE.render)
    lineage = TableLineage(
        columns=made(["id"]) | taken("securities", ["code"]), rows=(("securities", "Ticker Symbol"),)
    )
    facts = {"id": ColumnFacts(type="integer", unique=True), "code": ColumnFacts(pattern="[A-Z]{5}")}
    former = replace(US_LISTED, tables=(bare,), facts={"t": facts}, lineage={"t": lineage})
    table = former.table("t")
    assert table.fields == (
        Field("id", type="integer", unique=True, origins=()),
        Field("code", pattern="[A-Z]{5}", origins=(("securities", "code"),)),
        Field("note", nullable=True),
    )
    assert table.rows_from == lineage.rows
