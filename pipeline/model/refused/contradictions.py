"""What contradicts itself in a declaration: names that nothing can be called, names twice, names of what is not declared.

Everything is found here at once, before anything is read or made, and each is a line that says where it is and what would do.
What becomes of columns is decided in `treatments.py`; an object refuses contradictions between two of its own fields.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath

from pipeline.errors import InputError, near
from pipeline.legible import UNSEEN
from pipeline.model import (
    Aggregate,
    Column,
    Entities,
    Environment,
    Numerals,
    PublishedDocument,
    PublishedTable,
    RawTable,
    Role,
)
from pipeline.model.figures import Measured
from pipeline.model.periods_said import period_column
from pipeline.model.treatments import undecided
from pipeline.wording import counted

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,99}")
"""What environments and tables can be called: folders, files, assets of Dagster and arguments have their names."""

_LABEL = re.compile(r"[^\t\n]{1,200}")
"""What columns and measures can be called: headers of files and words of reports have their names."""

_PATTERN = re.compile(r"\*|\^.*\$")
"""What polars takes for a pattern of names, and not for a name."""

_HALF = re.compile(r"(?<!\\)(?:\\\\)*(\\ud[89a-f]..)")
"""Half of a surrogate pair in what Python writes of an object."""

_CHARACTERS = 2**31
"""More characters than a cell can have."""

_MOST_DECIMALS = 18
"""Decimals of a number that 64 bits hold."""


def refuse_unready(environment: Environment) -> None:
    """Refuse a declaration that contradicts itself, or would publish a column that nobody decided on.

    Raises:
        InputError: It is such a declaration. The message has every problem in a line, and what to do about each.
    """
    problems = [*contradictions(environment), *undecided(environment)]
    if problems:
        lines = "\n".join(f"  {line}" for line in problems)
        raise InputError(
            f"environment {environment.name!r}: {counted(len(problems), 'problem')} in its declaration:\n{lines}"
        )


def contradictions(environment: Environment) -> list[str]:
    """Return every contradiction, each in one line."""
    finders = (
        _of_texts,
        _of_names,
        _of_raw_tables,
        _of_entities,
        _of_figures,
        _of_aggregates,
        _of_published,
        _of_units,
    )
    return [line for find in finders for line in find(environment)]


def _unknown(where: str, what: str, names: Iterable[str], known: Collection[str]) -> Iterator[str]:
    for name in names:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none is declared"
            yield f"{where}: unknown {what} {name!r}; known: {listed}{near(name, sorted(known))}"


def _twice(where: str, what: str, names: Iterable[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{where}: {what} {name!r} is declared {count} times; give each a name of its own"


def _misnamed(what: str, name: str) -> Iterator[str]:
    if _NAME.fullmatch(name) is None:
        yield f"{what} {name[:100]!r}: a name has letters of a to z, digits, hyphens and underscores, 100 at most"


def _labels(where: str, what: str, names: Iterable[str]) -> Iterator[str]:
    names = list(names)
    for name in names:
        if _LABEL.fullmatch(name) is None or name != name.strip() or UNSEEN.search(name):
            yield f"{where}: {what} {name[:100]!r}: a name has 1 to 200 characters that can be seen, and no blank at an end"
        if _PATTERN.fullmatch(name):
            yield f"{where}: {what} {name[:100]!r}: it would stand for several columns (`*`, or ^ and $ around it)"
    yield from _twice(where, what, names)


def _of_texts(environment: Environment) -> Iterator[str]:
    """Find a text that no file can hold, as Python writes it."""
    if found := _HALF.search(repr(environment)):
        before = re.split("['\"]", found.string[: found.start(1)])[-1][-40:]
        yield f"the text that begins '{before}' has half of a character, {found[1]}, which no file can hold; write all of it"


def _of_names(environment: Environment) -> Iterator[str]:
    yield from _misnamed("environment", environment.name)
    aggregates = [name for aggregate in environment.aggregates for name in aggregate.tables()]
    derived = [*aggregates, *(derivation.name for derivation in environment.derivations)]
    raw = [table.name for table in environment.raw_tables]
    for what, names in (("raw table", raw), ("aggregate or derived table", derived)):
        for name in names:
            yield from _misnamed(what, name)
    yield from _twice("tables", "the name", (name.replace("-", "_") for name in (*raw, *derived)))
    yield from _twice("vocabularies", "the name", (each.name for each in environment.vocabularies))


def _of_raw_tables(environment: Environment) -> Iterator[str]:
    for table in environment.raw_tables:
        where = f"raw table {table.name!r}"
        if not table.columns:
            yield f"{where}: it has no columns"
        if table.dialect.title_lines < 0:
            yield f"{where}: {table.dialect.title_lines} lines before the header; give a number from 0 on"
        if table.dialect.header_lines < 1:
            yield f"{where}: a header of {table.dialect.header_lines} lines; give a number from 1 on"
        if not all(map(str.strip, table.dialect.foot)):
            yield f"{where}: a line below the table that begins with nothing; give its first words"
        for pattern in (table.file, *(table.reshape.figures.values() if table.reshape else ())):
            if len(re.findall("[{}]", pattern)) != 2 * bool(period_column(pattern)):
                yield f"{where}: {pattern!r} has other braces than those around one column of periods, as in `sales_{{year}}`"
        yield from _labels(where, "the column", (column.name for column in (*table.columns, *table.adds)))
        for column in (*table.columns, *table.adds):
            yield from _of_column(f"{where}, column {column.name!r}", column)
        # What is ignored is read by nobody.
        known = [column.name for column in (*table.columns, *table.adds) if column.role is not Role.IGNORED]
        if not table.key:
            yield f"{where}: it has no key; name the columns whose values together are unique"
        yield from _unknown(where, "column of the key", table.key, known)
        yield from _of_followed(where, table)
        yield from _unknown(where, "column of `repeats`", table.repeats.first_by if table.repeats else (), known)
        yield from _unknown(where, "column of a rule", (rule.column for rule in table.rules), known)
        yield from _of_references(environment, table, known)


def _of_column(where: str, column: Column) -> Iterator[str]:
    if column.minimum is not None and column.maximum is not None and column.minimum > column.maximum:
        yield f"{where}: its minimum {column.minimum} is above its maximum {column.maximum}"
    yield from _of_decimals(where, column.decimals)
    yield from _of_numerals(where, column.numerals)
    if column.allowed == ():
        yield f"{where}: no value is allowed in it; leave out `allowed`, or list values"
    if column.longest is not None and not 0 < column.longest < _CHARACTERS:
        yield f"{where}: its longest text has {column.longest} characters; give a number from 1 to {_CHARACTERS - 1}"
    if column.role is Role.DATE and column.type not in ("date", "timestamp"):
        yield f"{where}: a date of type {column.type}; give it the type date or timestamp"
    if column.role in (Role.CODE, Role.NAME, Role.ALIAS, Role.TEXT) and column.type != "text":
        yield f"{where}: a {column.role} is a text, and this one is of type {column.type}"


def _of_followed(where: str, table: RawTable) -> Iterator[str]:
    times = [column.name for column in table.of_role(Role.TIME)]
    for column in (each for each in table.columns if each.follows):
        yield from _unknown(f"{where}, column {column.name!r}", "time that it follows", [column.follows], times)
        if column.role is not Role.ATTRIBUTE or column.type != "text":
            yield f"{where}, column {column.name!r}: what follows a time is a text with the role ATTRIBUTE"


def _of_numerals(where: str, numerals: Numerals) -> Iterator[str]:
    if numerals.mark == numerals.grouping or re.search(r"[\d+-]", numerals.grouping):
        yield f"{where}: groups of digits apart by {numerals.grouping!r}; give a sign that is no digit, sign or mark"
    if any(re.search(r"\d", text) or not text.strip() for text in numerals.around):
        yield f"{where}: what stands around a number has no digits and is not blank: {numerals.around}"
    yield from _of_decimals(where, numerals.least_decimals)


def _of_decimals(where: str, decimals: int) -> Iterator[str]:
    if not 0 <= decimals <= _MOST_DECIMALS:
        yield f"{where}: {decimals} decimals; a number that 64 bits hold has 0 to {_MOST_DECIMALS}"


def _of_references(environment: Environment, table: RawTable, known: Collection[str]) -> Iterator[str]:
    tables = {each.name: each for each in environment.raw_tables}
    for reference in table.references:
        where = f"raw table {table.name!r}, reference to {reference.to_table!r}"
        yield from _unknown(where, "column", reference.columns, known)
        yield from _unknown(where, "raw table", [reference.to_table], tables)
        if to := tables.get(reference.to_table):
            there = [column.name for column in (*to.columns, *to.adds)]
            yield from _unknown(where, f"column of {to.name!r}", reference.to_columns, there)


def _of_entities(environment: Environment) -> Iterator[str]:
    tables = {table.name: table for table in environment.raw_tables}
    if not environment.entities.tables:
        yield "entities: no raw table lists them; name it in `Entities.tables`"
    for kind in environment.kinds:
        where = kind.called
        yield from _unknown(where, "raw table", kind.tables, tables)
        yield from _of_pattern(where, kind.code_mention)
        listed = [tables[name] for name in kind.tables if name in tables]
        for table in listed[:1]:
            yield from _of_listing(f"{where}, raw table {table.name!r}", kind, table)
        for source in kind.aliases:
            at = f"{where}, aliases of {source.table!r}"
            yield from _unknown(at, "raw table", [source.table], tables)
            if source.table in tables:
                known = [column.name for column in tables[source.table].columns]
                named = (source.alias, source.code, source.name, source.kind)
                yield from _unknown(at, "column", filter(None, named), known)


def _of_pattern(where: str, pattern: str) -> Iterator[str]:
    try:
        groups = re.compile(pattern).groups if pattern else 1
    except re.error as error:
        yield f"{where}: `code_mention` {pattern!r} is no regular expression: {error}"
        return
    if not groups:
        yield f"{where}: `code_mention` {pattern!r} has no group for the code without its suffix"


def _of_listing(where: str, kind: Entities, table: RawTable) -> Iterator[str]:
    roles = {"code": Role.CODE, "name": Role.NAME} | dict.fromkeys(kind.groups.values(), Role.ATTRIBUTE)
    named = [(getattr(kind, field), field, role) for field, role in roles.items()]
    named += [(name, "looked_up", Role.ATTRIBUTE) for name in kind.looked_up]
    for name, field, role in named:
        yield from _unknown(
            f"{where}, `{field}`", f"column of role {role.name}", filter(None, [name]), _named(table, role)
        )


def _named(table: RawTable, role: Role) -> list[str]:
    return [column.name for column in table.of_role(role)]


def _of_figures(environment: Environment) -> Iterator[str]:
    panel, tables = environment.panel, {table.name: table for table in environment.raw_tables}
    yield from _of_measures("panel", panel)
    yield from _unknown("panel", "raw table", panel.tables, tables)
    names = {measure.name for measure in panel.measures}
    for known in panel.known:
        yield from _unknown("panel", "measure that an outsider knows", known, names)
    for table in (tables[name] for name in panel.tables if name in tables):
        where = f"panel, raw table {table.name!r}"
        own = [column.name for column in (*table.columns, *table.adds)]
        yield from _unknown(where, "column of the code", [environment.entities.code], own)
        yield from _unknown(where, "column of the period", [panel.period.column], own)
        for column in (*table.columns, *table.adds):
            if column.name == panel.period.column and column.type not in (panel.period.type, panel.period.frequency):
                expected = f"a period of this panel is of type {panel.period.type}"
                yield f"{where}, column {column.name!r}: {expected}, and this one is of type {column.type}"
        for column in table.of_role(Role.MEASURE):
            if column.type not in ("integer", "decimal"):
                yield f"{where}, column {column.name!r}: a measure is an exact number, and this one is of type {column.type}"
        yield from _unknown(where, "column of a measure", names, [each.name for each in table.of_role(Role.MEASURE)])
    for events in environment.events:
        yield from _of_measures(f"events {events.table!r}", events, fewest=0)


def _of_measures(where: str, measured: Measured, *, fewest: int = 1) -> Iterator[str]:
    yield from _labels(where, "the measure", (measure.name for measure in measured.measures))
    for measure in measured.measures:
        if measure.significant_digits < fewest:
            kept = measure.significant_digits
            yield f"{where}, measure {measure.name!r}: {kept} significant digits; give a number from {fewest} on"
        yield from _of_decimals(f"{where}, measure {measure.name!r}", measure.decimals)


def _of_aggregates(environment: Environment) -> Iterator[str]:
    tables = {table.name: table for table in environment.raw_tables}
    first = next((tables[name] for name in environment.entities.tables if name in tables), None)
    columns = _named(first, Role.ATTRIBUTE) if first else []
    for aggregate in environment.aggregates:
        where = f"aggregate {aggregate.name!r}"
        if not aggregate.by:
            yield f"{where}: it has no groups; name columns of the entities in `by`"
        counted = (column for breakdown in aggregate.counts for column in breakdown)
        yield from _unknown(
            where, "column of role ATTRIBUTE of the entities", dict.fromkeys((*aggregate.by, *counted)), columns
        )
        yield from _of_groups(where, aggregate)
        if aggregate.given:
            yield from _unknown(where, "raw table", [aggregate.given.table], tables)


def _of_groups(where: str, aggregate: Aggregate) -> Iterator[str]:
    yield from _unknown(where, "column of the groups in `domain`", aggregate.domain, aggregate.by)
    yield from _unknown(where, "column of the total", filter(None, [aggregate.total_over]), aggregate.by)
    if bool(aggregate.total_over) != bool(aggregate.total_label):
        yield f"{where}: a total needs both the column that it is over (`total_over`) and its value (`total_label`)"


def _of_published(environment: Environment) -> Iterator[str]:
    published: list[PublishedTable | PublishedDocument] = [*environment.tables, *environment.documents]
    yield from _twice("published files", "the path", (f"{each.folder}/{each.path}".casefold() for each in published))
    yield from _twice("published files", "the name", (each.name.casefold().replace("-", "_") for each in published))
    names = [table.name for table in environment.tables]
    for each in published:
        yield from _of_file(environment, each)
        if isinstance(each, PublishedTable):
            yield from _of_published_table(f"published table {each.path!r}", each, names)


def _of_file(environment: Environment, published: PublishedTable | PublishedDocument) -> Iterator[str]:
    where, path = f"published file {published.path!r}", PurePosixPath(published.path)
    if path.is_absolute() or ".." in path.parts or "\\" in published.path:
        yield f"{where}: it would lie outside of its folder; give the file's name"
    elif _NAME.fullmatch(path.stem) is None:
        yield from _misnamed("published file", path.stem)
    derived = [name for aggregate in environment.aggregates for name in aggregate.tables()]
    derived += [derivation.name for derivation in environment.derivations]
    known = {"figures", "names", *derived, *(table.name for table in environment.raw_tables)}
    yield from _unknown(where, "table that it needs", (*published.needs, *published.uses), known)
    rows = published.table if isinstance(published, PublishedDocument) else published
    origins = [*rows.rows_from, *(each for field in rows.fields for each in field.origins or ())] if rows else []
    yield from _unknown(where, "table that a column comes from", dict(origins), known)


def _of_published_table(where: str, table: PublishedTable, names: Collection[str]) -> Iterator[str]:
    if not table.columns:
        yield f"{where}: it has no columns"
    yield from _labels(where, "the column", table.columns)
    yield from _unknown(where, "column of the row key", filter(None, [table.row_key]), table.columns)
    yield from _unknown(where, "published table beside it", table.beside, names)
    referred = {field.refers_to[0]: None for field in table.fields if field.refers_to}
    yield from _unknown(where, "published table that a column refers to", referred, names)


def _of_units(environment: Environment) -> Iterator[str]:
    for base, family in environment.units.items():
        where = f"units of {base!r}"
        if family.get(base) != 1:
            yield f"{where}: the base unit stands for 1 of itself; add {{{base!r}: 1}}"
        for unit, factor in family.items():
            if factor < 1:
                yield f"{where}: {unit!r} stands for {factor} of it; give a number from 1 on"
