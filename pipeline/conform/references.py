"""What holds between raw tables: rows that refer to nothing are an error or treated, rows that refer to a dropped row go, too.

Takes checked tables and returns them with fewer rows or values. Here, too, are entities with one name under several codes: the
declaration has to say whether they are one company. Checks of a single table belong to `checking.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from pipeline.conform.checking import RECORD, Checked, completed, problems_of
from pipeline.conform.treated import Treated
from pipeline.errors import InputError, Problem
from pipeline.model import Entities, RawTable, Reference
from pipeline.normal_form import normal_form

_COLUMNS = ("table", RECORD, "code", "name")
"""Of every name, where it stands and whose it is."""


@dataclass(frozen=True)
class _Link:
    """A reference between two tables that have both been read."""

    name: str
    """The table that refers."""
    reference: Reference

    @property
    def column(self) -> str:
        """Return the columns as errors and counts name them."""
        return ", ".join(self.reference.columns)


def refer(tables: Sequence[RawTable], checked: Mapping[str, Checked]) -> dict[str, Checked]:
    """Treat references to nothing as declared, and drop rows that refer to dropped rows, until nothing changes any more.

    References from or to a table that was not read are skipped. The others are followed in the order of their declaration,
    from the first again after each change.

    Raises:
        InputError: a reference names a table or a column that is not declared.
    """
    links, treated = _links(tables, checked), dict(checked)
    while any(_follow(treated, link) for link in links):
        pass
    for link in links:
        _count_kept(treated, link)
    return treated


def reference_problems(tables: Sequence[RawTable], checked: Mapping[str, Checked]) -> Iterator[Problem]:
    """Find the references to nothing where that is an error. The tables are those that `refer` returns."""
    for link in _links(tables, checked):
        reference, own = link.reference, checked[link.name]
        if reference.broken == "error":
            never, _ = _unmet(checked, link)
            to = ", ".join(map(repr, reference.to_columns))
            expected = pl.lit(f"a value of {to} in {checked[reference.to_table].source.file}").alias("expected")
            value = pl.concat_str(pl.col(reference.columns).cast(pl.String), separator=", ").alias("value")
            yield from problems_of(own.source, reference.columns, never.select(RECORD, value, expected))


def equal_name_problems(kind: Entities, checked: Mapping[str, Checked]) -> Iterator[Problem]:
    """Find the records whose name an earlier record has under another code; none if the declaration says what that means.

    Names are compared without case, width, script, accents, blanks and punctuation.
    """
    tables = [name for name in kind.tables if name in checked]
    if kind.same_name != "error" or not kind.name or not tables:
        return
    listed = pl.concat(_named(kind, name, checked[name]) for name in tables)
    first = listed.unique("code", keep="first", maintain_order=True)
    named = first.with_columns(normal=normal_form(first["name"])).filter(pl.col("normal") != "")
    owners = named.unique("normal", keep="first", maintain_order=True).select("normal", *_COLUMNS[:3])
    again = named.join(owners, on="normal", suffix=" of owner").filter(pl.col("code") != pl.col("code of owner"))
    for table, record, name, owner, first_record in again.select(
        "table", RECORD, "name", "table of owner", f"{RECORD} of owner"
    ).iter_rows():
        source, place = checked[table].source, checked[owner].source.place(first_record, kind.name)
        expected = (
            f"a name that no other code has; row {place.row} of {place.file} has the same. Say whether these are "
            "`one company` or `several companies`: Entities(same_name=...)"
        )
        yield source.cell_problem(record, (kind.name,), name, expected)


def _links(tables: Sequence[RawTable], checked: Mapping[str, Checked]) -> list[_Link]:
    by_name = {table.name: table for table in tables}
    links = []
    for table in tables:
        for reference in table.references:
            what = ", ".join(map(repr, reference.columns))
            if reference.to_table not in by_name:
                raise InputError.unknown(f"table in the reference of {what}", reference.to_table, by_name)
            if table.name in checked and reference.to_table in checked:
                _refuse_unknown(checked[table.name], reference.columns, of=table)
                _refuse_unknown(checked[reference.to_table], reference.to_columns, of=table)
                if set(reference.to_columns) <= set(checked[reference.to_table].source.headers):
                    links.append(_Link(table.name, reference))
    return links


def _refuse_unknown(checked: Checked, columns: Sequence[str], *, of: RawTable) -> None:
    known = [name for name in checked.values.columns if name != RECORD]
    for name in columns:
        if name not in known:
            raise InputError.unknown(f"column in a reference of {of.name!r}", name, known)


def _follow(checked: dict[str, Checked], link: _Link) -> bool:
    """Treat one reference, and say whether anything changed."""
    never, gone = _unmet(checked, link)
    broken, to = link.reference.broken, link.reference.to_table
    is_changed = False
    for rows, cause in ((never, f"refers to no row of {to}"), (gone, f"refers to a dropped row of {to}")):
        treatment = "drop" if rows is gone and broken == "error" else broken
        if rows.is_empty() or treatment not in ("drop", "null"):
            continue
        own, records = checked[link.name], rows[RECORD]
        changed = (
            own.without(records, column=link.column, cause=cause)
            if treatment == "drop"
            else _without_values(own, records, link, cause)
        )
        checked[link.name], is_changed = completed(changed), True
    return is_changed


def _without_values(own: Checked, records: pl.Series, link: _Link, cause: str) -> Checked:
    is_found = pl.col(RECORD).is_in(records.implode())
    values = own.values.with_columns(
        pl.when(~is_found).then(pl.col(name)).alias(name) for name in link.reference.columns
    )
    treated = Treated(link.name, link.column, cause, "null", len(records))
    return replace(own, values=values, treated=(*own.treated, treated))


def _count_kept(checked: dict[str, Checked], link: _Link) -> None:
    if link.reference.broken == "keep":
        count = sum(len(rows) for rows in _unmet(checked, link))
        treated = Treated(link.name, link.column, f"refers to no row of {link.reference.to_table}", "keep", count)
        own = checked[link.name]
        checked[link.name] = replace(own, treated=(*own.treated, treated))


def _unmet(checked: Mapping[str, Checked], link: _Link) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the kept rows that refer to a row that never existed, and those that refer to a dropped one."""
    reference, target = link.reference, checked[link.reference.to_table]
    rows = checked[link.name].kept.drop_nulls(reference.columns)
    missing = rows.filter(~_is_among(rows, reference, target.kept))
    was_there = _is_among(missing, reference, target.values)
    return missing.filter(~was_there), missing.filter(was_there)


def _is_among(rows: pl.DataFrame, reference: Reference, target: pl.DataFrame) -> pl.Series:
    """Return, for each row, whether its values occur together in a row of the target; values are compared as text."""
    places = [str(place) for place in range(len(reference.columns))]
    referring = rows.select(
        pl.col(name).cast(pl.String).alias(to) for name, to in zip(reference.columns, places, strict=True)
    )
    known = target.select(
        pl.col(name).cast(pl.String).alias(to) for name, to in zip(reference.to_columns, places, strict=True)
    )
    met = referring.join(known.unique().with_columns(is_met=True), on=places, how="left", maintain_order="left")
    return met["is_met"].fill_null(value=False)


def _named(kind: Entities, table: str, checked: Checked) -> pl.DataFrame:
    named = checked.frame.select(
        pl.lit(table).alias("table"), RECORD, pl.col(kind.code).alias("code"), pl.col(kind.name).alias("name")
    )
    return named.drop_nulls()
