"""A third format, to show what one takes: JSON Lines, the header as a list in the first line, each record as one below."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from pipeline.errors import InputError
from pipeline.publish.formats import Format, WrittenAs


class JsonLines(Format):
    """Everything is text, or null."""

    name, title, suffix, media_type = "jsonl", "JSON Lines", ".jsonl", "application/jsonl"

    def write(self, blocks: Iterable[pl.DataFrame], written: WrittenAs, file: Path) -> None:  # noqa: ARG002
        """Write block after block."""
        with file.open("w", encoding="utf-8", newline="\n") as lines:
            for number, block in enumerate(blocks):
                lines.writelines(_line(record) for record in ([] if number else [block.columns]))
                lines.writelines(_line(record) for record in block.iter_rows())

    def read(self, file: Path, written: WrittenAs, columns: Sequence[str] | None = None) -> pl.DataFrame:  # noqa: ARG002
        """Read all lines."""
        try:
            header, *records = map(json.loads, file.read_bytes().decode().splitlines())
            frame = pl.DataFrame(records, dict.fromkeys(header, pl.String), orient="row", strict=True)
        except (ValueError, TypeError, PolarsError) as error:
            raise InputError(f"{file} cannot be read as JSON Lines; build again") from error
        return frame if columns is None else frame.select(columns)


def _line(record: Sequence[str | None]) -> str:
    return json.dumps(record) + "\n"
