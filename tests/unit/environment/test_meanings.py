"""What columns hold: said once, for the data dictionary, the report and the graph."""

import polars as pl
import pytest

from assets.making.keys import about
from assets.wiring.lineage import of_rendered, said
from pipeline.model import Environment
from pipeline.model.schema.complete import meanings
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED

SHIPPED = pytest.mark.parametrize("environment", [DATACLAW_18, US_LISTED], ids=lambda each: each.name)


@SHIPPED
def test_every_published_column_has_a_meaning(environment: Environment) -> None:
    """None is left to its name, and nothing is said of a column that is nowhere."""
    meant = {
        (table.name, name): told for table in environment.tables for name, told in meanings(environment, table).items()
    }
    assert [place for place, told in meant.items() if not told] == []
    assert set(environment.meanings) <= {name for _, name in meant}


@pytest.mark.parametrize("name", ["company_core", "company_operation_status"])
def test_meanings_tell_the_columns_of_a_table_apart(name: str) -> None:
    """A code and a name of the same thing, too, and marks of the database."""
    told = [*meanings(DATACLAW_18, DATACLAW_18.table(name)).values()]
    assert sorted({meaning for meaning in told if told.count(meaning) > 1}) == []


@SHIPPED
def test_graph_shows_what_columns_hold_and_where_they_come_from(environment: Environment) -> None:
    """In the description of each column of a table that is rendered."""
    table = environment.table("company_profile")
    known = meanings(environment, table)
    frame = pl.DataFrame(schema=dict.fromkeys(table.columns, pl.String))
    schema = about(frame, said(of_rendered(environment, table), known))["dagster/column_schema"].value
    for name, _, description in schema:
        assert description.startswith(f"{known[name]}; ")
