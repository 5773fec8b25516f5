"""Formats: how a published table is written as a file, and read back as the text that was published.

    interface.py   what a format is, and what it is given of a table
    csv.py         text in a dialect
    parquet.py     columns with types
    document.py    the rows of a document that is no table

A further format is one module and one entry in `FORMATS`. The path of a table says in
which format it is published. A release can have all tables once more in other formats, in a folder of each format's name.
"""

from pathlib import PurePath

from pipeline.errors import InputError
from pipeline.model import Dialect, Environment, PublishedTable
from pipeline.publish.formats.csv import Csv
from pipeline.publish.formats.document import DocumentFormat
from pipeline.publish.formats.interface import Format, WrittenAs
from pipeline.publish.formats.parquet import Parquet

__all__ = [
    "FORMATS",
    "Format",
    "WrittenAs",
    "format_of",
    "format_of_path",
    "is_text",
    "refuse_dialect",
    "refuse_unsteady",
    "refuse_unwritable",
]

FORMATS: dict[str, Format] = {each.name: each for each in (Csv(), Parquet())}
"""Every format by its name."""


def format_of(table: PublishedTable) -> Format:
    """Return the format in which a table is published, or raise `InputError` if its path has no known ending."""
    if table.document is not None:
        return DocumentFormat(table.document)
    found = format_of_path(table.path)
    if found is None:
        endings = [each.suffix for each in FORMATS.values()]
        raise InputError.unknown(f"ending of the published table {table.path!r}", PurePath(table.path).suffix, endings)
    return found


def format_of_path(path: str) -> Format | None:
    """Return the format of a file by the ending of its path; None if it is no table's."""
    return next((each for each in FORMATS.values() if path.endswith(each.suffix)), None)


def is_text(path: str) -> bool:
    """Say whether a file is a table in lines of text."""
    found = format_of_path(path)
    return found is not None and found.is_text


def refuse_unwritable(environment: Environment) -> None:
    """Refuse a declaration with a table that nobody can write, or not to the same bytes each time."""
    for table in environment.tables:
        refuse_dialect(table)
        if table.document is None:
            refuse_unsteady(format_of(table).name)


def refuse_dialect(table: PublishedTable) -> None:
    """Refuse a dialect, declared or of noise, that the format of a table cannot express."""
    found = format_of(table)
    if table.dialect != Dialect() and not found.has_dialects:
        raise InputError(
            f"published table {table.name!r}: found a dialect, which {found.title} has not; leave it out, in the declaration "
            "and in the noise specification (`other_dialect`)"
        )


def refuse_unsteady(name: str) -> None:
    """Refuse an unknown format, and one whose bytes are not the same the next time: nobody could build it again."""
    if name not in FORMATS:
        raise InputError.unknown("format", name, FORMATS)
    if not FORMATS[name].is_deterministic:
        raise InputError(f"files of the format {name!r} have other bytes each time; what is published has the same")
