"""A small environment of three kinds: harbours, ships with codes alone, and people with Chinese names and former ones."""

from dataclasses import replace

import polars as pl

from pipeline.model import AliasSource, CodesLike, Column, Entities, Environment, PublishedTable, RawTable, Role

PEOPLE = Entities(
    kind="person",
    tables=("people",),
    code="person",
    name="name",
    named="person",
    language="zh",
    aliases=(AliasSource(table="people", alias="english", code="person", only_kind="english"),),
)
SHIPS = Entities(kind="ship", tables=("ships",), code="ship", code_shape=CodesLike("A12"))
HARBOURS = Environment(
    name="harbours",
    title="Harbours",
    raw_tables=(
        RawTable(
            name="harbours",
            key=("harbour",),
            columns=(
                Column(name="harbour", role=Role.CODE, nullable=False),
                Column(name="name", role=Role.NAME),
                Column(name="trade"),
            ),
        ),
        RawTable(
            name="ships",
            key=("ship",),
            columns=(
                Column(name="ship", role=Role.CODE, of="ship", nullable=False),
                Column(name="harbour", role=Role.CODE),
                Column(name="rig"),
                Column(name="built", role=Role.DATE, type="date"),
            ),
        ),
        RawTable(
            name="people",
            key=("person",),
            columns=(
                Column(name="person", role=Role.CODE, of="person", nullable=False),
                Column(name="name", role=Role.NAME, of="person"),
                Column(name="english", role=Role.ALIAS, of="person"),
            ),
        ),
        RawTable(
            name="visits",
            key=("visit",),
            columns=(
                Column(name="visit", type="integer", public="a number of the row"),
                Column(name="ship", role=Role.CODE, of="ship"),
                Column(name="pilot", role=Role.CODE, of="person"),
                Column(name="weather"),
                Column(name="text", role=Role.TEXT),
            ),
        ),
        RawTable(
            name="former",
            key=("called",),
            columns=(Column(name="harbour", role=Role.CODE), Column(name="called", role=Role.ALIAS)),
        ),
    ),
    entities=Entities(
        tables=("harbours",),
        code="harbour",
        name="name",
        industry="trade",
        language="en",
        aliases=(AliasSource(table="former", alias="called", code="harbour", only_kind="former"),),
    ),
    further=(SHIPS, PEOPLE),
    tables=(
        PublishedTable(
            path="ships.csv",
            columns=("ship", "rig"),
            row_key="ship",
            needs=("ships",),
            render=lambda t: t.tables["ships"],
        ),
    ),
)


def with_entities(kind: Entities) -> Environment:
    """Return the environment with another declaration of one of its kinds."""
    if not kind.kind:
        return replace(HARBOURS, entities=kind)
    return replace(HARBOURS, further=tuple(kind if each.kind == kind.kind else each for each in HARBOURS.further))


def originals(ships: int = 6) -> dict[str, pl.DataFrame]:
    """Return conformed tables with so many ships, of which every one is visited by one of three rigs."""
    names = [f"S{number:02}" for number in range(ships)]
    people = ["李成林", "王小明", "Ada Quill"]
    return {
        "harbours": pl.DataFrame(
            {
                "harbour": ["H100", "H200", "S00"],
                "name": ["Port of Brill Ltd", "Old Quay Company", None],
                "trade": ["fish", "coal", None],
            }
        ),
        "ships": pl.DataFrame(
            {
                "ship": names,
                "harbour": [("H100", "H200")[number % 2] for number in range(ships)],
                "rig": [("sloop", "ketch", "brig")[number % 3] for number in range(ships)],
                "built": pl.Series([None] * ships, dtype=pl.Date),
            }
        ),
        "people": pl.DataFrame({"person": ["1", "2", "3"], "name": people, "english": ["Li Chenglin", None, None]}),
        "visits": pl.DataFrame(
            {
                "visit": range(1, ships + 1),
                "ship": names,
                "pilot": [("1", "2", "3")[number % 3] for number in range(ships)],
                "weather": [("calm", "gale")[number % 2] for number in range(ships)],
                "text": ["李成林（Li Chenglin）在 H100，即 Port of Brill，原 Fish Stairs Inc. 王小明同行。"] * ships,
            }
        ),
        "former": pl.DataFrame({"harbour": ["H100"], "called": ["Fish Stairs Inc."]}),
    }


def conformed(environment: Environment = HARBOURS, ships: int = 6) -> dict[str, pl.DataFrame]:
    """Return the tables as they are completed."""
    tables, completed = originals(ships), {}
    for table in environment.raw_tables:
        frame = tables[table.name]
        completed[table.name] = table.complete(frame.lazy()).collect() if table.complete else frame
    return completed
