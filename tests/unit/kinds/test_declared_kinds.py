"""Kinds of entities, as they are declared: what cannot be meant is refused while the environment is loaded."""

from dataclasses import replace

import pytest

from pipeline.errors import InputError
from pipeline.model import ALL_IN_ONE, AliasSource, Column, Entities, EntityView, Environment, RawTable, Role, Views
from pipeline.model.schema.complete import schema_of
from tests.unit.kinds.harbours import HARBOURS, PEOPLE, SHIPS


def with_column(table: str, column: Column) -> Environment:
    """Return the environment with one column more in a raw table."""
    tables = [
        replace(each, columns=(*each.columns, column)) if each.name == table else each for each in HARBOURS.raw_tables
    ]
    return replace(HARBOURS, raw_tables=tuple(tables))


def test_a_column_of_an_undeclared_kind_is_refused() -> None:
    with pytest.raises(
        InputError, match="unknown kind of entity in column 'cook' of 'visits' 'cook'; known: person, ship"
    ):
        with_column("visits", Column(name="cook", role=Role.CODE, of="cook"))


def test_an_attribute_has_no_kind() -> None:
    with pytest.raises(
        InputError, match="column 'wind' of 'visits' says of which kind its entity is, and holds no code"
    ):
        with_column("visits", Column(name="wind", of="ship"))


@pytest.mark.parametrize("role", [Role.NAME, Role.ALIAS])
def test_names_of_a_kind_without_names_are_refused(role: Role) -> None:
    with pytest.raises(
        InputError, match=f"column 'called' of 'visits' holds a {role}, and entities of the kind 'ship' have no"
    ):
        with_column("visits", Column(name="called", role=role, of="ship"))


def test_names_are_refused_where_the_main_kind_has_none() -> None:
    nameless = replace(HARBOURS.entities, name="", aliases=())
    with pytest.raises(
        InputError, match="column 'name' of 'harbours' holds a name, and the entities have no column of names"
    ):
        replace(HARBOURS, entities=nameless)


def test_aliases_need_names() -> None:
    with pytest.raises(InputError, match="entities of the kind 'ship' have aliases and no column of names"):
        replace(SHIPS, aliases=(AliasSource(table="ships", alias="rig", code="ship", only_kind="short"),))


@pytest.mark.parametrize("further", [(SHIPS, SHIPS), (replace(SHIPS, kind=""),)])
def test_kinds_have_names_of_their_own(further: tuple[Entities, ...]) -> None:
    with pytest.raises(InputError, match="each further kind of entity needs a name of its own"):
        replace(HARBOURS, further=further)


def test_the_main_kind_has_no_name() -> None:
    with pytest.raises(InputError, match="the main kind of entity has no name of its own; found kind='port'"):
        replace(HARBOURS, entities=replace(HARBOURS.entities, kind="port"))


def test_a_table_lists_one_kind() -> None:
    people = replace(PEOPLE, tables=("harbours",))
    with pytest.raises(
        InputError, match="unknown column of role CODE in 'harbours', which lists entities of the kind 'person'"
    ):
        replace(HARBOURS, further=(SHIPS, people))
    both = RawTable(
        name="people",
        key=("person",),
        columns=(*HARBOURS.raw_table("people").columns, Column(name="ship", role=Role.CODE, of="ship")),
    )
    tables = tuple(both if each.name == "people" else each for each in HARBOURS.raw_tables)
    with pytest.raises(InputError, match=r"raw tables \['people'\] list entities of two kinds"):
        replace(HARBOURS, raw_tables=tables, further=(replace(SHIPS, tables=("ships", "people")), PEOPLE))


def test_facts_of_a_listed_kind_follow_from_its_table() -> None:
    """A ship's code stands once; a policy may leave its attributes blank; the main kind's table keeps its own facts."""
    main = EntityView(table="harbours", columns={"harbour": "harbour"})
    ships = EntityView(table="ships", of="ship", columns={"ship": "ship", "rig": "rig"})
    environment = replace(HARBOURS, views=Views(entities=main, further=(ships,)))
    facts = schema_of(environment, environment.table("ships"))
    assert (facts["ship"].unique, facts["ship"].nullable) == (True, False)
    assert (facts["rig"].unique, facts["rig"].nullable) == (False, True)


def test_rows_belong_to_whom_their_table_lists() -> None:
    """A ship's row names its harbour, too; a visit belongs to the first that it names; a table without codes to nobody."""
    owners = {table.name: HARBOURS.owner(table.name) for table in HARBOURS.raw_tables}
    assert {name: owner and (owner.name, owner.of) for name, owner in owners.items()} == {
        "harbours": ("harbour", ""),
        "ships": ("ship", "ship"),
        "people": ("person", "person"),
        "visits": ("ship", "ship"),
        "former": ("harbour", ""),
    }
    tables = (*HARBOURS.raw_tables, RawTable(name="weather", key=("day",), columns=(Column(name="day"),)))
    assert replace(HARBOURS, raw_tables=tables).owner("weather") is None


def test_entities_without_an_industry_are_one_group() -> None:
    """They have one column in its place, which tests and strata use like any other."""
    assert (SHIPS.industry, SHIPS.sub_industry) == (ALL_IN_ONE, ALL_IN_ONE)
    assert (HARBOURS.entities.industry, HARBOURS.entities.sub_industry) == ("trade", "trade")
    assert HARBOURS.raw_table("ships").complete is not None
    assert HARBOURS.raw_table("harbours").complete is None
