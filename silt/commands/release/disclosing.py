"""`silt release --disclose TABLE ROW`: the proof that a row of a raw table went into a release."""

from pathlib import Path

from pipeline.errors import InputError
from pipeline.model import Environment


def disclosed(environment: Environment, table: str, row: str, *, raw: Path, curator: Path) -> bytes:
    """Return the proof of a row as JSON.

    Raises:
        InputError: There is no such table, row or release, or the row is no longer what it was.
    """
    from pipeline.release.provenance.raw_tables import disclose  # noqa: PLC0415

    tables = {each.name: each for each in environment.raw_tables}
    if table not in tables:
        raise InputError.unknown("raw table", table, tables)
    if not (row.isascii() and row.isdigit()):
        raise InputError(f"found {row!r} for a row; expected its number in the file, of which the header is row 1")
    return disclose(tables[table], int(row), raw=raw, curator=curator).model_dump_json(indent=2).encode() + b"\n"
