"""What noise hides in a table while reports still show it: the search of tables as they were before noise.

Without it, a finding in a report would name no column, and a name that the clean table holds would pass for a word of reports.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from pipeline.errors import InputError
from pipeline.model import Environment, PublishedTable
from pipeline.noise.ledger import as_noised, undo
from pipeline.publish.files import read_published
from pipeline.publish.variant import columns_of_codes
from pipeline.render import path_of
from validation.escapes import BEFORE_NOISE
from validation.escapes.documents import TextDocument
from validation.escapes.files import File, FileFindings, SearchTerms, search_files

_TOKEN = 3
"""Place of the token in a row of `FileFindings`."""


def hidden_by_noise(
    public: Path, environment: Environment, ledger: pl.DataFrame, found: pl.DataFrame, terms: SearchTerms
) -> dict[str, FileFindings]:
    """Return where tables held tokens before noise, of those that were found and stand in no table now.

    Args:
        public: The variant's folder.
        environment: Says which tables it has.
        ledger: What noise changed in them.
        found: Findings in the variant (`findings.SCHEMA`).
        terms: What is searched for.
    """
    paths = [path_of(table) for table in environment.tables]
    hidden = {*found["token"]} - {*found.filter(pl.col("file").is_in(paths))["token"], "", None}
    if not hidden:
        return {}
    changed = [table for table in environment.tables if table.name in ledger["table"].unique()]
    with TemporaryDirectory() as folder:
        files = list(_files(public, environment, changed, ledger, Path(folder)))
        searched = zip(files, search_files(files, terms), strict=True)
        return {file.document.name: kept for file, each in searched if (kept := _of_tokens(each, hidden))}


def _files(
    public: Path, environment: Environment, tables: Collection[PublishedTable], ledger: pl.DataFrame, folder: Path
) -> Iterator[File]:
    """Write tables as they were before noise; one that the ledger does not explain is left out."""
    for table in tables:
        with suppress(InputError):
            frame = undo(read_published(public / path_of(table), as_noised(table, ledger)), ledger, table)
            file = folder / f"{table.name}.csv"
            frame.write_csv(file)
            codes = columns_of_codes(environment, table, None)
            yield File(TextDocument(path_of(table) + BEFORE_NOISE, file), codes)


def _of_tokens(found: FileFindings, tokens: Collection[str]) -> FileFindings:
    """Return the findings of some tokens."""
    rows = tuple(row for row in found.rows if row[_TOKEN] in tokens)
    at = {(row[0], row[1], row[2]) for row in rows}
    kept = (
        place._replace(rows=tuple(r for r in place.rows if (r, place.column, place.kind) in at))
        for place in found.places
    )
    return FileFindings(tuple(place for place in kept if place.rows), rows)
