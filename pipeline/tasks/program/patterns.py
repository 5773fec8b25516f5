r"""Patterns that take a part out of a text: the regular expressions that both evaluators read alike.

Polars has the engine of Rust, DuckDB has RE2. Both find the same first match of what is allowed here. What they read
differently, such as `\d` (digits of all scripts, or 0 to 9), is refused.
"""

import re
from functools import cache

import duckdb
import polars as pl

_ESCAPED = r"\\[.^$|()\[\]{}*+?\\/-]"
_DIFFERENT = re.compile(r"\\.?|&&|--|~~|\{,|\(\?(?!:)|\[[^\]]*\[(?!:)", re.DOTALL)
"""Escapes of letters, operations on sets of characters, flags and named groups."""


@cache
def fault_of(pattern: str) -> str:
    """Return what is allowed instead of a pattern; nothing if the pattern can be used."""
    if different := _DIFFERENT.search(re.sub(_ESCAPED, "x", pattern)):
        return f"a pattern without {different[0]!r}, which polars and DuckDB read differently; write [0-9], [a-z] or (?:...)"
    try:
        groups = pl.select(pl.lit("").str.extract_groups(pattern)).to_series().struct.fields
        with duckdb.connect() as connection:
            connection.execute("SELECT regexp_extract('', $1, 0)", [pattern])
    except (pl.exceptions.PolarsError, duckdb.Error):
        return "a regular expression of the syntax of RE2"
    return "" if len(groups) == 1 else f"a pattern with one group in parentheses; this one has {len(groups)}"
