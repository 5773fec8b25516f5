"""Renders published tables: anonymised truth -> text frames, checked against their declaration.

How a table looks is decided by its declaration. Here every rendering is checked against what the table declares, because
noise, ledger and manifest rely on it. Writing files belongs to `publish`.
"""

import polars as pl

from pipeline.errors import SiltError
from pipeline.model import Environment, PublishedDocument, PublishedTable, Truth


class RenderingError(SiltError):
    """A rendering did not return what its declaration says. The defect is in the declaration, not in the data."""


def render_table(table: PublishedTable, truth: Truth) -> pl.DataFrame:
    """Return the published table as text columns in declared order; raise `RenderingError` if the rendering differs."""
    frame = table.render(truth)
    faults = _faults(table, frame)
    if faults:
        raise RenderingError(f"rendering of {table.path}: " + "; ".join(faults))
    return frame


def rows_of(table: PublishedTable, content: pl.DataFrame | str | None) -> pl.DataFrame | None:
    """Return a rendered file as the rows that noise changes: a table as it is, a document read into rows; None for None."""
    if isinstance(content, str):
        if table.document is None:
            raise RenderingError(f"rendering of {table.path}: a text instead of rows")
        return table.document.rows(content)
    return content


def left_out(environment: Environment, absent: frozenset[str]) -> dict[str, str]:
    """Return, by published path, why a file or a part of it is missing, given the raw tables that are absent."""
    reasons: dict[str, str] = {}
    for published in published_files(environment):
        missing = sorted(set(published.needs) & absent)
        partial = sorted(set(published.uses) & absent)
        if missing:
            reasons[path_of(published)] = f"not built: needs the raw table(s) {', '.join(missing)}"
        elif partial:
            reasons[path_of(published)] = f"built without the rows of the raw table(s) {', '.join(partial)}"
    return reasons


def published_files(environment: Environment) -> tuple[PublishedTable | PublishedDocument, ...]:
    """Return everything that the environment publishes, tables first."""
    return (*environment.tables, *environment.documents)


def is_renderable(published: PublishedTable | PublishedDocument, absent: frozenset[str]) -> bool:
    """Say whether all tables that the file needs are there."""
    return not set(published.needs) & absent


def path_of(published: PublishedTable | PublishedDocument) -> str:
    """Return the file's path within a variant, folder included."""
    return f"{published.folder}/{published.path}"


def _faults(table: PublishedTable, frame: pl.DataFrame) -> list[str]:
    if tuple(frame.columns) != table.columns:
        return [f"columns {frame.columns} instead of {list(table.columns)}"]
    faults = [f"column {name!r} is {dtype}, not text" for name, dtype in frame.schema.items() if dtype != pl.String]
    if faults:
        return faults
    empty = frame.select((pl.all() == "").any())
    faults += [
        f"column {name!r} holds the empty string; a null is an empty field" for name in frame.columns if empty[name][0]
    ]
    if table.row_key and (frame[table.row_key].null_count() or frame[table.row_key].is_duplicated().any()):
        faults.append(f"row key {table.row_key!r} is null or not unique")
    return faults
