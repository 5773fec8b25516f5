"""Renders published tables: anonymised truth -> text frames, checked against their declaration.

How a table looks is decided by its declaration. Every rendering is checked against what the table declares (`blocks.py`),
because noise, ledger and manifest rely on it. Writing files belongs to `publish`.
"""

import polars as pl

from pipeline.model import Environment, PublishedDocument, PublishedTable, Truth
from pipeline.render.blocks import Rendered, RenderingError


def rendered(table: PublishedTable, truth: Truth, *, records: int | None = None) -> Rendered:
    """Return the published table as blocks of text columns in declared order, of so many records at most."""
    return Rendered(table, table.render(truth), records)


def rendered_text(document: PublishedDocument, truth: Truth) -> str:
    """Return the text of a published document; raise `RenderingError` if the rendering returns anything else."""
    text = document.render(truth)
    if not isinstance(text, str):
        raise RenderingError(f"rendering of {document.path}: a value of type {type(text).__name__} instead of a text")
    return text


def render_table(table: PublishedTable, truth: Truth) -> pl.DataFrame:
    """Return the published table as text columns in declared order; raise `RenderingError` if the rendering differs."""
    return pl.concat(rendered(table, truth))


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
            reasons[path_of(published)] = f"not built: the raw tables lack {', '.join(missing)}"
        elif partial:
            reasons[path_of(published)] = f"built without the rows of {', '.join(partial)}, which the raw tables lack"
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
