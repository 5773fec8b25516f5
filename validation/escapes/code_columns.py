"""Searches the columns that hold codes for every token, however short, alone in a cell, codes without suffix as well.

What spreadsheets, casts and typing make of a code is undone on both sides: width, case, leading zeros, a trailing `.0`,
and all that is neither letter nor digit. Shorter tokens (`A`, `3M`) and bare numbers (`600000`, `66740`) are looked for
here alone: elsewhere they are grades, states and figures.
"""

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from pipeline.errors import InputError
from validation.escapes.documents import Document, Hit
from validation.escapes.identities import Identities


def search_code_columns(
    documents: Iterable[Document], code_columns: Mapping[str, tuple[str, ...]], identities: Identities
) -> list[Hit]:
    """Return where tokens stand alone in the columns of codes, which are given by document.

    Raises:
        InputError: A document lacks one of its code columns.
    """
    known = {kind: _plain_tokens(tokens) for kind, tokens in identities.by_kind().items()}
    return [
        hit
        for document in documents
        if document.name in code_columns
        for hit in _hits(document, code_columns[document.name], known)
    ]


def _plain_tokens(tokens: Iterable[str]) -> pl.Series:
    frame = pl.DataFrame({"token": list(tokens)}, schema={"token": pl.String})
    return frame.select(_plain(pl.col("token"))).to_series().unique()


def _hits(document: Document, columns: tuple[str, ...], known: Mapping[str, pl.Series]) -> Iterator[Hit]:
    table = pl.scan_csv(document.source, infer_schema=False)
    for column in columns:
        if column not in table.collect_schema():
            raise InputError.unknown(f"code column of {document.name}", column, table.collect_schema())
    cells = table.select(_plain(pl.col(columns))).collect()
    for kind, tokens in known.items():
        for column in columns:
            rows = cells[column].is_in(tokens.implode()).arg_true()
            if len(rows):
                yield Hit(document, column, kind, rows.cast(pl.Int64) + 2)


def _plain(cell: pl.Expr) -> pl.Expr:
    number = cell.str.normalize("NFKC").str.strip_chars().str.to_uppercase().str.replace(r"^([\d,]+)\.0+$", "$1")
    return number.str.replace_all(r"[^\p{L}\p{N}]+", "").str.replace(r"^0+(\d)", "$1")
