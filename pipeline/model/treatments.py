"""What becomes of each raw column: its treatment, which follows from the declaration and from nothing else.

The treatment says how a column is anonymised, and whether it is published. An environment that has a column without one is
refused as it is loaded (`undecided`, `refused/contradictions.py`); anonymising drops such columns. Belongs here: the rule, and
its words. Treating a column belongs to `anonymize`; `validation/attacks/records/copies.py` searches for originals that were
published after all, whatever the declaration says.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from pipeline.errors import said
from pipeline.model import ALL_IN_ONE, Column, Entities, Environment, QuasiIdentifier, QuasiIdentifiers, RawTable, Role
from pipeline.model.schema.types import CONFORMED


class Treatment(StrEnum):
    """What becomes of a raw column."""

    PSEUDONYM = "pseudonym"
    """A code, a name or the number of an event: replaced by an invented one."""
    PROSE = "prose"
    """A text about entities: names in it are replaced, or it is written anew."""
    FIGURE = "figure"
    """A measure: its low-order digits are perturbed, it is worked out again from others by an identity, or it is sampled."""
    DATE = "date"
    """Redrawn within its year, moved by whole weeks, or drawn anew."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """An attribute of an entity: kept, or drawn anew. In an entity table it is attacked."""
    PERIOD = "period"
    """The year of a record of the panel: kept, or drawn."""
    PUBLIC = "public"
    """Kept, for the reason that the declaration gives."""
    WITHHELD = "withheld"
    """Never published."""


@dataclass(frozen=True)
class Undecided:
    """A column that would be published although nobody decided on it."""

    problem: str
    """What is missing, and what to do."""


def treatment_of(environment: Environment, table: RawTable, column: Column) -> Treatment | Undecided:
    """Return what becomes of a column of a raw table, or why that is undecided."""
    if _is_withheld(environment, table, column):
        return Treatment.WITHHELD
    return _RULES[column.role](environment, table, column)


def treatments(environment: Environment, table: RawTable) -> dict[str, Treatment]:
    """Return the treatment of each column that has one, by the column's name."""
    decided = {column.name: treatment_of(environment, table, column) for column in (*table.columns, *table.adds)}
    return {name: treatment for name, treatment in decided.items() if isinstance(treatment, Treatment)}


def is_withheld(environment: Environment, table: RawTable) -> bool:
    """Say whether a table is only compared with and never published: it gives the originals' own aggregates."""
    return any(each.given is not None and each.given.table == table.name for each in environment.aggregates)


def quasi_identifiers(environment: Environment, table: str = "") -> QuasiIdentifiers:
    """Return the quasi-identifiers of an entity table: the declared ones, then every other attribute and date of the table.

    Args:
        table: An entity table; the first if empty.
    """
    table = table or environment.entities.tables[0]
    kind = next(kind for kind in environment.kinds if table in kind.tables)
    declared = None if kind.kind else environment.quasi_identifiers
    kept = () if kind.industry == ALL_IN_ONE else (kind.industry,)
    declared = declared or QuasiIdentifiers(kept=kept, dealt=())
    found = treatments(environment, environment.raw_table(table))
    others = (name for name, treatment in found.items() if treatment in {Treatment.QUASI_IDENTIFIER, Treatment.DATE})
    undeclared = (QuasiIdentifier(column=name) for name in others if name not in declared.columns)
    return QuasiIdentifiers(kept=declared.kept, dealt=(*declared.dealt, *undeclared))


def in_a_register(environment: Environment, kind: Entities) -> tuple[str, ...]:
    """Return the columns by which an outsider can look up an entity of a kind, from the first table that lists it, if any."""
    return quasi_identifiers(environment, kind.tables[0]).columns if kind.tables else ()


def undecided(environment: Environment) -> list[str]:
    """Return a line for each column that would be published although nobody decided on it, with what to do."""
    return [line for table in environment.raw_tables for line in _problems(environment, table)]


_MEASURE = (
    "nothing would protect this figure: name its table in `Panel.tables` and the measure in `Panel.measures`, declare the "
    "table as `Events`, or give the column the role IGNORED (dropped) or IDENTIFIER (dropped, and searched for)"
)
_DATE = (
    "a date is redrawn by the code of its row, and this table has none: add one, give the role IGNORED, or declare it an "
    "attribute of a table that is `public`"
)
_ALIAS = (
    "no `Entities.aliases` names it, so it could not be replaced in texts: declare an AliasSource, or give the role NAME, "
    "IDENTIFIER or IGNORED"
)
_TEXT_OF_NOBODY = (
    "this text would keep its sentences: if it is about no entity, say why in `public` (of the column or the table); if it is, "
    "its table needs a column of the role CODE"
)
_TEXT_WITHOUT_CODE = (
    "this text is about entities, and without a column of the role CODE nobody can write it anew: add one, or give the role "
    "IGNORED"
)
_TEXT_OF_ENTITIES = "a text about entities is replaced or written anew, never kept: leave out its `public`"
_NUMBER = (
    "{type} attribute of entities, which identifies them like a figure: give the role MEASURE in a table of the panel, name it "
    "in `Entities.looked_up` (tables of entities only), say in `public` why it discloses nothing, or give the role IGNORED"
)
_OF_NOBODY = (
    "it would be published as it is: say in `public` (of the column or the table) why it discloses nothing, or give the role "
    "IGNORED"
)
_TWICE = "declared `public` and a quasi-identifier: it is one of both"
_NOT_PUBLIC = "only an attribute, a text or what is ignored can be `public`; this one has the role {role}"
_TABLE_OF_ENTITIES = (
    "a table with a code or a name is about entities: say `public` of single columns, each with its reason"
)
_CODE_ADDED = "a code has to stand in the raw table: give the role CODE to a column of `columns`"


def _is_withheld(environment: Environment, table: RawTable, column: Column) -> bool:
    """Say whether nothing publishes the column. Of a panel's table only code, period and measures are published."""
    if is_withheld(environment, table) or table.name not in environment.panel.tables:
        return is_withheld(environment, table)
    panel = {
        environment.entities.code,
        environment.panel.period.column,
        *(measure.name for measure in environment.panel.measures),
    }
    return column.name not in panel


def _of_alias(environment: Environment, table: RawTable, column: Column) -> Treatment | Undecided:
    declared = {(source.table, source.alias) for kind in environment.kinds for source in kind.aliases}
    return Treatment.PSEUDONYM if (table.name, column.name) in declared else Undecided(_ALIAS)


def _of_text(_environment: Environment, table: RawTable, column: Column) -> Treatment | Undecided:
    if table.of_role(Role.CODE):
        return Undecided(_TEXT_OF_ENTITIES) if column.public else Treatment.PROSE
    if table.is_of_entities():
        return Undecided(_TEXT_WITHOUT_CODE)
    return Treatment.PUBLIC if column.public or table.public else Undecided(_TEXT_OF_NOBODY)


def _of_measure(environment: Environment, table: RawTable, _column: Column) -> Treatment | Undecided:
    protected = (*environment.panel.tables, *(events.table for events in environment.events))
    return Treatment.FIGURE if table.name in protected else Undecided(_MEASURE)


def _of_date(_environment: Environment, table: RawTable, _column: Column) -> Treatment | Undecided:
    return Treatment.DATE if table.of_role(Role.CODE) else Undecided(_DATE)


def _of_attribute(environment: Environment, table: RawTable, column: Column) -> Treatment | Undecided:
    if table.name in environment.panel.tables:
        return Treatment.PERIOD
    if column.follows:
        return Treatment.DATE
    declared = _declared(environment, table)
    if column.public:
        return Undecided(_TWICE) if column.name in declared else Treatment.PUBLIC
    if not table.is_of_entities():
        return Treatment.PUBLIC if table.public else Undecided(_OF_NOBODY)
    if column.type == "text" or column.name in declared:
        return Treatment.QUASI_IDENTIFIER
    return Undecided(_NUMBER.format(type=column.type))


def _always(treatment: Treatment) -> "_Rule":
    return lambda *_: treatment


_Rule = Callable[[Environment, RawTable, Column], Treatment | Undecided]

_RULES: Mapping[Role, _Rule] = {
    Role.CODE: _always(Treatment.PSEUDONYM),
    Role.NAME: _always(Treatment.PSEUDONYM),
    Role.ALIAS: _of_alias,
    Role.TEXT: _of_text,
    Role.MEASURE: _of_measure,
    Role.DATE: _of_date,
    Role.TIME: _always(Treatment.DATE),
    Role.NUMBER: _always(Treatment.PSEUDONYM),
    Role.ATTRIBUTE: _of_attribute,
    Role.IDENTIFIER: _always(Treatment.WITHHELD),
    Role.IGNORED: _always(Treatment.WITHHELD),
}


def _declared(environment: Environment, table: RawTable) -> tuple[str, ...]:
    """Return the declared quasi-identifiers of the entities that a table lists."""
    kinds = [kind for kind in environment.kinds if table.name in kind.tables]
    looked_up = [kind.looked_up for kind in kinds]
    if environment.quasi_identifiers and environment.entities in kinds:
        looked_up.append(environment.quasi_identifiers.columns)
    return tuple(column for columns in looked_up for column in columns)


def _problems(environment: Environment, table: RawTable) -> Iterator[str]:
    for column in (*table.columns, *table.adds):
        treatment = treatment_of(environment, table, column)
        if isinstance(treatment, Undecided):
            yield _line(table, column.name, treatment.problem)
        if column.public and column.role not in {Role.ATTRIBUTE, Role.TEXT, Role.IGNORED}:
            yield _line(table, column.name, _NOT_PUBLIC.format(role=column.role.name))
    for column in table.adds:
        if column.role is Role.CODE:
            yield _line(table, column.name, _CODE_ADDED)
    if table.public and table.is_of_entities():
        yield f"raw table {table.name!r}: {_TABLE_OF_ENTITIES}"
    yield from _unlike_declared(table)


def _line(table: RawTable, column: str, problem: str) -> str:
    return f"raw table {table.name!r}, column {column!r}: {problem}"


def _unlike_declared(table: RawTable) -> Iterator[str]:
    """Find columns that `complete` adds and `adds` does not declare, or the reverse."""
    given = {column.name: CONFORMED[column.type] for column in table.columns if column.role is not Role.IGNORED}
    try:
        made = table.complete(pl.LazyFrame(schema=given)).collect_schema() if table.complete else pl.Schema(given)
    except Exception as error:  # noqa: BLE001  (a declaration may raise anything; there are no values yet)
        yield f"raw table {table.name!r}: `complete` cannot be run over its columns: {said(error)}"
        return
    declared = {column.name: CONFORMED[column.type] for column in table.adds}
    for name in sorted(made.keys() - given.keys() - declared.keys()):
        yield _line(table, name, "`complete` adds it and `adds` does not declare it: declare it there, with its role")
    for name, dtype in declared.items():
        if made.get(name) != dtype:
            yield _line(table, name, f"declared in `adds`, and `complete` makes no such column of {dtype}")
