"""Facts of published columns: declared for every column of the registered environments, or following from the rest."""

from dataclasses import replace

import pytest

from pipeline.model import Environment, PublishedTable
from pipeline.model.schema.complete import schema_of
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.registry import ENVIRONMENTS
from silt.environments.us_listed import US_LISTED

every_table = pytest.mark.parametrize(
    ("environment", "table"),
    [(environment, table) for environment in ENVIRONMENTS.values() for table in environment.noisy_tables()],
    ids=lambda item: item.name,
)


def without_fields(environment: Environment) -> Environment:
    """Return an environment that declares nothing of published columns but their names."""
    return replace(environment, tables=tuple(replace(table, fields=()) for table in environment.tables))


@every_table
def test_every_column_is_declared(environment: Environment, table: PublishedTable) -> None:
    """No published column is forgotten."""
    fields = environment.table(table.name).fields
    assert [field.name for field in fields if field.nullable is None] == []


@every_table
def test_the_row_key_names_rows(environment: Environment, table: PublishedTable) -> None:
    """The facts say of the row key what the ledger relies on."""
    key = schema_of(environment, table)[table.row_key]
    assert key.unique
    assert not key.nullable


@every_table
def test_what_is_referred_to_is_published_and_unique_or_a_group(
    environment: Environment, table: PublishedTable
) -> None:
    """A reference leads to a column of another published table."""
    for facts in schema_of(environment, table).values():
        if facts.refers_to is not None:
            there, column = facts.refers_to
            assert column in environment.table(there).columns
            assert there != table.name


@every_table
def test_bounds_are_of_numbers_and_sets_are_sets(environment: Environment, table: PublishedTable) -> None:
    """Only numbers have bounds, and no text of a closed set stands there twice."""
    for facts in schema_of(environment, table).values():
        assert facts.type != "text" or (facts.minimum is None and facts.maximum is None)
        assert facts.allowed is None or len(set(facts.allowed)) == len(facts.allowed) > 0


@pytest.mark.parametrize("environment", [DATACLAW_18, US_LISTED], ids=lambda environment: environment.name)
def test_facts_follow_where_none_are_declared(environment: Environment) -> None:
    """From views and raw columns follow the row key, the code of the entities, and that a year is a number."""
    bare = without_fields(environment)
    views = environment.views
    assert views is not None
    listing = bare.table(views.entities.table)
    facts = schema_of(bare, listing)
    code = next(name for name, raw in views.entities.columns.items() if raw == environment.entities.code)
    assert tuple(facts) == listing.columns
    assert facts[code].unique
    assert not facts[code].nullable
    figures = views.figures[0]
    assert schema_of(bare, bare.table(figures.table))[figures.year].type == "integer"
    value = schema_of(bare, bare.table(figures.table))[figures.value]
    assert (value.type, value.form, value.nullable) == ("decimal", "", True)


def test_what_may_be_given_up_may_be_empty() -> None:
    """A quasi-identifier that conforming never leaves empty may be given up by a policy."""
    bare = without_fields(DATACLAW_18)
    facts = schema_of(bare, bare.table("company_profile"))
    raw = next(column for column in DATACLAW_18.raw_table("company_profile").columns if column.name == "companyType")
    assert not raw.nullable
    assert facts["companyType"].nullable
    assert facts["companyType"].allowed == raw.allowed
