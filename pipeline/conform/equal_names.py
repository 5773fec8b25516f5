"""Finds entities with one name under several codes. The declaration has to say whether they are one company.

Names are compared without case, width, script, accents, blanks and punctuation. What follows from a declaration belongs to
`anonymize`.
"""

from collections.abc import Iterator, Mapping

import polars as pl

from pipeline.conform.checking import RECORD, Checked
from pipeline.conform.source import HEADER_ROWS
from pipeline.errors import Problem
from pipeline.model import Entities
from pipeline.normal_form import normal_form

_COLUMNS = ("table", RECORD, "code", "name")


def equal_name_problems(kind: Entities, checked: Mapping[str, Checked]) -> Iterator[Problem]:
    """Find the records whose name an earlier record has under another code; none if the declaration says what that means."""
    tables = [name for name in kind.tables if name in checked]
    if kind.same_name != "error" or not kind.name or not tables:
        return
    listed = pl.concat(_listed(kind, name, checked[name]) for name in tables)
    first = listed.unique("code", keep="first", maintain_order=True)
    named = first.with_columns(normal=normal_form(first["name"])).filter(pl.col("normal") != "")
    owners = named.unique("normal", keep="first", maintain_order=True).select("normal", *_COLUMNS[:3])
    again = named.join(owners, on="normal", suffix=" of owner").filter(pl.col("code") != pl.col("code of owner"))
    for table, record, name, owner, row in again.select(
        "table", RECORD, "name", "table of owner", pl.col(f"{RECORD} of owner") + HEADER_ROWS + 1
    ).iter_rows():
        source = checked[table].source
        expected = (
            f"a name that no other code has; row {row} of {checked[owner].source.file} has the same. Say whether these are "
            "`one company` or `several companies`: Entities(same_name=...)"
        )
        yield source.cell_problem(record, (kind.name,), name, expected)


def _listed(kind: Entities, table: str, checked: Checked) -> pl.DataFrame:
    named = checked.frame.select(
        pl.lit(table).alias("table"), RECORD, pl.col(kind.code).alias("code"), pl.col(kind.name).alias("name")
    )
    return named.drop_nulls()
