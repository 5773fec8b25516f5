"""What Dagster keeps of its runs, as text to search: nothing that identifies a company may stand in it."""

import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from tests.integration.checks import files_of

_ESCAPE = re.compile(r"\\+u([0-9a-f]{4})")

_PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=]+")
"""Pictures of checks: in their bytes written as letters, two characters of a code stand by chance."""


def kept_by_dagster(home: Path) -> str:
    """Return every cell of every database and every other file of Dagster's storage below a folder.

    JSON writes other than ASCII as escapes and snapshots are compressed; both are undone. Pictures, which hold no text, are
    left out.
    """
    files = list(files_of(home / ".dagster"))
    cells = (cell for file in files if file.suffix == ".db" for cell in _cells(file))
    others = (file.read_bytes() for file in files if not file.name.endswith((".db", ".db-wal", ".db-shm")))
    return "\n".join(_text(content) for content in (*cells, *others))


def _cells(database: Path) -> Iterator[str | bytes]:
    with closing(sqlite3.connect(database)) as connection:
        tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        for table in tables:
            for row in connection.execute(f'select * from "{table}"'):  # noqa: S608 - a table of Dagster's
                yield from (cell for cell in row if isinstance(cell, str | bytes))


def _text(content: str | bytes) -> str:
    if isinstance(content, bytes):
        with suppress(zlib.error):
            content = zlib.decompress(content)
        content = content.decode(errors="replace")
    return _ESCAPE.sub(lambda found: chr(int(found.group(1), 16)), _PICTURE.sub("", content))
