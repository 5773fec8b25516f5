"""Searches the columns that hold codes for every token, however short, alone in a cell, also for codes without suffix.

Both sides are compared in a form that does not depend on spreadsheets, casts and typing: width, case, leading zeros, a trailing
`.0`, and signs do not count. Short tokens (`A`, `3M`) and bare numbers (`600000`, `66740`) are searched for only here:
elsewhere they are grades, states and figures.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from pipeline.errors import InputError
from pipeline.model.plain_codes import plain_code
from validation.escapes.documents import Hit, TextDocument
from validation.escapes.identifiers import Identifiers


def search_code_columns(
    document: TextDocument, columns: Sequence[str], tokens: Mapping[str, pl.Series]
) -> Iterator[Hit]:
    """Yield where tokens (`plain_tokens`) stand alone in the columns of codes of a document.

    Raises:
        InputError: The document lacks one of its code columns.
    """
    table = document.records()
    for column in columns:
        if column not in table.collect_schema():
            raise InputError.unknown(f"code column of {document.name}", column, table.collect_schema())
    distinct = table.select(pl.col(columns).unique().implode()).collect()
    for each in distinct.iter_columns():
        yield from _hits(document, each.explode(), tokens)


def stand_in(cells: pl.Series, tokens: Mapping[str, pl.Series]) -> bool:
    """Say whether tokens (`plain_tokens`) stand alone in some cells of a column of codes."""
    return any(len(held) for _, held in _held(cells.unique(), tokens))


def plain_tokens(identifiers: Identifiers) -> Mapping[str, pl.Series]:
    """Return the tokens of each kind in the form that is compared, sorted."""
    return {kind: _plain_tokens(tokens).sort() for kind, tokens in identifiers.by_kind().items()}


def reserved_codes(identifiers: Identifiers) -> pl.Series:
    """Return, in the form of `plain_code`, every code that would be an escape in a column of codes: none is invented."""
    return pl.concat(plain_tokens(identifiers).values()).unique().sort()


def _plain_tokens(tokens: Iterable[str]) -> pl.Series:
    frame = pl.DataFrame({"token": list(tokens)}, schema={"token": pl.String})
    return frame.select(plain_code(pl.col("token"))).to_series().unique(maintain_order=True)


def _hits(document: TextDocument, cells: pl.Series, known: Mapping[str, pl.Series]) -> Iterator[Hit]:
    """Yield the rows of one column in which tokens of one kind stand, given its distinct cells."""
    for kind, held in _held(cells, known):
        if len(held):
            rows = document.records().select(pl.col(cells.name).is_in(held.implode()).arg_true()).collect().to_series()
            yield Hit(document, cells.name, kind, rows.cast(pl.Int64) + 2)


def _held(cells: pl.Series, known: Mapping[str, pl.Series]) -> Iterator[tuple[str, pl.Series]]:
    """Yield for each kind the cells, distinct ones, that are a token of it."""
    cells = cells.drop_nulls()
    plain = cells.to_frame().select(plain_code(pl.col(cells.name))).to_series()
    # NOTE: a table of all tokens, made for each block of a long file, takes longer than all else in a search.
    yield from ((kind, cells.filter(_are_among(plain, tokens))) for kind, tokens in known.items())


def _are_among(plain: pl.Series, tokens: pl.Series) -> pl.Series:
    """Say of each cell whether it is one of the tokens, which are sorted."""
    if tokens.is_empty():
        return pl.Series([False] * len(plain), dtype=pl.Boolean)
    places = tokens.search_sorted(plain)
    return tokens.gather(places.clip(upper_bound=len(tokens) - 1)) == plain
