"""The rows of a document that is no table, as a translation list in JSON: its declaration reads and writes them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.errors import InputError
from pipeline.model import DocumentRows
from pipeline.publish.formats.interface import Format, WrittenAs


@dataclass(frozen=True)
class DocumentFormat(Format):
    """The format of one document. It is in no registry, since it belongs to the document alone."""

    rows: DocumentRows
    name, title, suffix, media_type = "document", "a document", ".json", "application/json"

    def write(self, blocks: Iterable[pl.DataFrame], written: WrittenAs, file: Path) -> None:  # noqa: ARG002  (has no dialect)
        """Write the text of all rows."""
        file.write_bytes(self.rows.text(pl.concat(blocks)).encode())

    def read(self, file: Path, written: WrittenAs, columns: Sequence[str] | None = None) -> pl.DataFrame:  # noqa: ARG002
        """Read the rows of the text."""
        try:
            frame = self.rows.rows(file.read_bytes().decode())
        except ValueError as error:
            raise InputError(f"{file} cannot be read as the document that it was ({error}); build again") from error
        return frame if columns is None else frame.select(columns)
