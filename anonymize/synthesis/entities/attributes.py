"""Draws who a published entity is: each attribute from noised counts of it among the entities of its industry, by key.

Known to everybody are the entities that a table lists, and what is kept of each: its industry. Nothing else of an entity
decides what is published under its code, and of all together only the counts of `categories.py` do. Columns that hang together
are drawn together (`along`) or within each other (`within`), as the declaration says; all others come apart on purpose, so that
no two of them lead to a row of a register. A date counts by its year, and one along another by the years between them; in its
year every day is the same here (`anonymize/dates.py` draws one). Figures are `sampling.py`'s.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from anonymize.synthesis.entities.categories import WEIGHT, Allowance, Categories, draw_categories
from pipeline.keyed import SEPARATOR, Key
from pipeline.model import QuasiIdentifier, QuasiIdentifiers

_MIDYEAR = (7, 1)
"""Month and day of every date that is drawn."""


def sample_attributes(
    frame: pl.DataFrame,
    declared: QuasiIdentifiers,
    *,
    targets: pl.DataFrame,
    marks: Sequence[str] = (),
    nested: str = "",
    called: str,
    allowance: Allowance,
    key: Key,
) -> pl.DataFrame:
    """Return the targets with every declared attribute drawn.

    Args:
        frame: The originals, one row an entity: the kept columns, the marks and the declared ones.
        declared: What is kept, and what is drawn in order; `within` names an attribute drawn before.
        targets: The entities to be drawn: the column that identifies them, the kept columns and the marks.
        marks: Columns drawn before on which attributes depend, but for those with a declared vocabulary.
        nested: The attribute whose categories belong to one industry each, if any.
        called: The table, in the account.
        allowance: What each attribute may spend, with what states it in another form, and what the years between dates may.
        key: Key of this purpose.
    """
    originals, drawn = _counting(frame, declared), targets
    for item in declared.dealt:
        parts = list(_parts(item, declared.kept, marks, originals.schema, is_nested=item.column == nested))
        stating = sum(part.columns[0] in item.columns for part in parts)
        for part in parts:
            own = replace(allowance, rho=allowance.rho / (stating if part.columns[0] in item.columns else 1))
            named = replace(part, name=f"{called}: {', '.join(part.columns)}".replace(SEPARATOR, ", "))
            originals, drawn = (_with_given(each, item) for each in (originals, drawn))
            drawn, originals = draw_categories(named, originals, drawn, own, entity=targets.columns[:1], key=key)
    dated = drawn.with_columns(_dated(item, column, frame.schema) for item in declared.dealt for column in item.columns)
    return dated.select(*targets.columns, *(column for item in declared.dealt for column in item.columns))


def looked_up_years(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with dates as their years."""
    return frame.with_columns(pl.col(pl.Date).dt.year().cast(pl.Int64))


def midyear(year: pl.Expr) -> pl.Expr:
    """Return the date that stands for a year."""
    return pl.date(year, *_MIDYEAR)


def _counting(frame: pl.DataFrame, declared: QuasiIdentifiers) -> pl.DataFrame:
    """Return what is counted of the originals: each entity once, dates by their years or by what lies between them."""
    years = looked_up_years(frame)
    between = [
        (pl.col(column) - pl.col(item.column)).alias(_lag(column))
        for item in declared.dealt
        for column in _lagging(item, frame.schema)
    ]
    return years.with_columns(*between, pl.lit(1.0).alias(WEIGHT))


def _lagging(item: QuasiIdentifier, schema: pl.Schema) -> list[str]:
    """Return the columns along a date that are dates as well, or years of it."""
    of = schema[item.column]
    return [
        column
        for column in item.along
        if pl.Date() in (of, schema[column])
        and all(each == pl.Date() or each.is_integer() for each in (of, schema[column]))
    ]


def _lag(column: str) -> str:
    return f"{column}{SEPARATOR}years after"


def _given(item: QuasiIdentifier) -> str:
    return f"{item.column}{SEPARATOR}given"


def _with_given(frame: pl.DataFrame, item: QuasiIdentifier) -> pl.DataFrame:
    """Add whether the attribute is given, once it is there."""
    return frame.with_columns(pl.col(item.column).is_not_null().alias(_given(item))) if item.column in frame else frame


def _parts(
    item: QuasiIdentifier, kept: Sequence[str], marks: Sequence[str], schema: pl.Schema, *, is_nested: bool
) -> Iterator[Categories]:
    """Yield what is counted of one declared attribute, under no name yet."""
    within = [item.within] if item.within else []
    texts = [column for column in item.along if _lag(column) not in schema]
    lags = [_lag(column) for column in item.along if column not in texts]
    if item.known:
        yield _of_vocabulary(item, kept, within, schema)
    else:
        strata = (*kept, *marks, *within)
        over = strata if is_nested else (*marks, *within)
        yield Categories(name="", columns=(item.column,), over=over, within=strata)
    if texts:
        strata = (*kept, item.column)
        yield Categories(name="", columns=tuple(texts), over=strata, within=strata)
    if lags:
        strata = (_given(item),)
        yield Categories(name="", columns=tuple(lags), over=strata, within=strata, leaves_blank=False)


def _of_vocabulary(item: QuasiIdentifier, kept: Sequence[str], within: Sequence[str], schema: pl.Schema) -> Categories:
    """Return an attribute with a declared vocabulary; it depends on no marks."""
    known = item.known if isinstance(item.known, Mapping) else {None: item.known}
    over = (tuple(within) or tuple(kept[:1])) if isinstance(item.known, Mapping) else ()
    columns = {item.column: [value for values in known.values() for value in values]}
    columns |= {group: [name for name, values in known.items() for _ in values] for group in over}
    vocabulary = pl.DataFrame(columns, schema={name: schema[name] for name in columns})
    return Categories(
        name="",
        columns=(item.column,),
        over=over,
        within=tuple(dict.fromkeys((*kept, *within))),
        known=vocabulary,
    )


def _dated(item: QuasiIdentifier, column: str, schema: pl.Schema) -> pl.Expr:
    """Return a column as it is published: years between dates are added to the year, and a year is a date if it was one."""
    value = pl.col(column)
    if column in item.along and column in _lagging(item, schema):
        value = pl.col(item.column) + pl.col(_lag(column))
    return (midyear(value) if schema[column] == pl.Date else value.cast(schema[column])).alias(column)
