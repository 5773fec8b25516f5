"""Environments of published tables alone, which are never rendered: for tests of what looks at published text."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from pipeline.model import Entities, Environment, Panel, PublishedTable


def published(name: str, columns: Sequence[str], row_key: str = "id") -> PublishedTable:
    """Declare a published table that is never rendered."""
    return PublishedTable(
        path=f"{name}.csv", columns=tuple(columns), needs=(), render=lambda _: pl.DataFrame(), row_key=row_key
    )


def bare(name: str, *tables: PublishedTable, code_mention: str = "()", **declared: Any) -> Environment:
    """Declare an environment without raw tables and figures."""
    return Environment(
        name=name,
        title=declared.pop("title", name.title()),
        raw_tables=(),
        entities=Entities(
            tables=(),
            code="code",
            name="name",
            industry="i",
            sub_industry="s",
            language="en",
            code_mention=code_mention,
        ),
        panel=Panel(tables=(), measures=()),
        aggregates=(),
        tables=tables,
        **declared,
    )
