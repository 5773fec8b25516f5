"""Searches the columns that hold codes for every token, however short, alone in a cell, also for codes without suffix.

Both sides are compared in a form that does not depend on spreadsheets, casts and typing: width, case, leading zeros, a trailing
`.0`, and signs do not count. Short tokens (`A`, `3M`) and bare numbers (`600000`, `66740`) are searched for only here:
elsewhere they are grades, states and figures.
"""

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from pipeline.errors import InputError
from pipeline.model.plain_codes import plain_code
from validation.escapes.documents import Document, Hit
from validation.escapes.identifiers import Identifiers


def search_code_columns(
    documents: Iterable[Document], code_columns: Mapping[str, tuple[str, ...]], identifiers: Identifiers
) -> list[Hit]:
    """Return where tokens stand alone in the columns of codes, which are given by document.

    Raises:
        InputError: A document lacks one of its code columns.
    """
    known = {kind: _plain_tokens(tokens) for kind, tokens in identifiers.by_kind().items()}
    return [
        hit
        for document in documents
        if document.name in code_columns
        for hit in _hits(document, code_columns[document.name], known)
    ]


def reserved_codes(identifiers: Identifiers) -> pl.Series:
    """Return, in the form of `plain_code`, every code that would be an escape in a column of codes: none is invented."""
    return pl.concat([_plain_tokens(tokens) for tokens in identifiers.by_kind().values()]).unique().sort()


def _plain_tokens(tokens: Iterable[str]) -> pl.Series:
    frame = pl.DataFrame({"token": list(tokens)}, schema={"token": pl.String})
    return frame.select(plain_code(pl.col("token"))).to_series().unique()


def _hits(document: Document, columns: tuple[str, ...], known: Mapping[str, pl.Series]) -> Iterator[Hit]:
    table = document.records()
    for column in columns:
        if column not in table.collect_schema():
            raise InputError.unknown(f"code column of {document.name}", column, table.collect_schema())
    cells = table.select(plain_code(pl.col(columns))).collect()
    for kind, tokens in known.items():
        for column in columns:
            rows = cells[column].is_in(tokens.implode()).arg_true()
            if len(rows):
                yield Hit(document, column, kind, rows.cast(pl.Int64) + 2)
