"""A form of codes that does not depend on how spreadsheets, casts or people write them.

Comparing such forms, and knowing whose code one is, belong elsewhere.
"""

import polars as pl


def plain_code(cell: pl.Expr) -> pl.Expr:
    """Return a cell without what writing varies: width, case, leading zeros, a trailing `.0`, blanks and signs."""
    number = cell.str.normalize("NFKC").str.strip_chars().str.to_uppercase().str.replace(r"^([\d,]+)\.0+$", "$1")
    return number.str.replace_all(r"[^\p{L}\p{N}]+", "").str.replace(r"^0+(\d)", "$1")
