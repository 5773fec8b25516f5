"""The form in which a code is the same however spreadsheets, casts and typing have written it.

Who compares such forms, and what a code stands for, belongs elsewhere.
"""

import polars as pl


def plain_code(cell: pl.Expr) -> pl.Expr:
    """Return a cell without what writing changes: width, case, leading zeros, a trailing `.0`, blanks and signs."""
    number = cell.str.normalize("NFKC").str.strip_chars().str.to_uppercase().str.replace(r"^([\d,]+)\.0+$", "$1")
    return number.str.replace_all(r"[^\p{L}\p{N}]+", "").str.replace(r"^0+(\d)", "$1")
