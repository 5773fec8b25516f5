"""The store between stages: what was made, by content, and records of how. Keeps, finds, evicts; decides nothing.

    objects/<digest><ending>    a table, a text, a file or a sealed table, under the digest of its bytes; of a table in several
                                blocks each block, and a manifest that names them in their order
    records/<key>.json          what a step made, under the key of all that it depends on (`scheduler.py`)
    seconds.json                how long each step took when it was last made
    .unfinished-<any>/          files of a step at work, which may be kept when they are whole
    .lock                       held (flock), shared by builds at work, alone by the one that evicts

Everything is the curator's: folders have mode 0700, files 0600. A file takes its name when it is whole. An object that is
damaged has another digest than its name, a record another checksum: neither is used, and what it held is made again.
"""

import fcntl
import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from uuid import uuid4

import polars as pl
from pyarrow.parquet import ParquetWriter, read_metadata

from anonymize.keys.sealing import seal_bytes, unseal_bytes
from pipeline.disk import reporting_disk
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.private import FILE_MODE, private_file, private_folder, private_lock
from pipeline.publish.files import sha256

Value = pl.DataFrame | str | None
"""What a step makes: a table, a document's text, or None for what this build does not have."""

T = TypeVar("T")

Name = str
"""The name of an object: digest and ending."""

_TABLE, _MANIFEST, _TEXT, _SEALED = ".parquet", ".blocks", ".txt", ".enc"
_OBJECTS, _RECORDS, _SECONDS, _LOCK = "objects", "records", "seconds.json", ".lock"
_UNFINISHED = ".unfinished-"


@dataclass(frozen=True)
class StoredBlocks:
    """A kept table as blocks, at least one, read anew each time that they are walked through."""

    files: tuple[Path, ...]

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return map(pl.read_parquet, self.files)

    def scan(self) -> pl.LazyFrame:
        """Return the table, of which what is asked for is read."""
        return pl.scan_parquet(list(self.files))

    @property
    def height(self) -> int:
        """Return how many rows the table has."""
        return sum(self.sizes)

    @property
    def schema(self) -> pl.Schema:
        """Return the table's columns and types."""
        return self.scan().collect_schema()

    @property
    def sizes(self) -> list[int]:
        """Return how many rows each block has."""
        return [read_metadata(file).num_rows for file in self.files]


class Store:
    """A folder in which what steps made is kept by content."""

    def __init__(self, root: Path) -> None:
        """Take the folder; it is made when something is kept."""
        self.root = root
        self._objects, self._records = root / _OBJECTS, root / _RECORDS
        self._whole: set[Name] = set()
        """Objects that this process has written or checked."""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from evicting anything meanwhile; raise `InputError` if the folder cannot be written."""
        with reporting_disk(self.root):
            for folder in (self._objects, self._records):
                private_folder(self.root, folder.name)
            lock = private_lock(self.root / _LOCK)
        with lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            yield

    # --- objects ---------------------------------------------------------------------------------------------------------

    def keep(self, value: Value) -> Name | None:
        """Keep a table or a text, and return its name (None has none); raise `InputError` if the folder cannot be written."""
        if value is None:
            return None
        if isinstance(value, str):
            return self.keep_bytes(value.encode(), _TEXT)
        return self._keep_table(value)

    def keep_blocks(self, blocks: Iterable[pl.DataFrame]) -> Name:
        """Keep a table of blocks, at least one, of which one after the other is written; return its name."""
        return self.together([self._keep_table(block) for block in blocks])

    def together(self, names: Sequence[Name]) -> Name:
        """Return the name of the table whose blocks, at least one, are kept under these names."""
        return names[0] if len(names) == 1 else self.keep_bytes("\n".join(names).encode(), _MANIFEST)

    def names_of_blocks(self, name: Name) -> list[Name]:
        """Return the names of the blocks of a table; raise `TypeError` if it is none."""
        if not name.endswith((_TABLE, _MANIFEST)):
            raise TypeError(f"{name} is no table")
        return self.file(name).read_text().split("\n") if name.endswith(_MANIFEST) else [name]

    def keep_bytes(self, content: bytes, ending: str) -> Name:
        """Keep bytes under an ending that says what they are, and return their name."""
        with reporting_disk(self.root):
            file = self._unfinished()
            file.write_bytes(content)
            return self._finished(file, ending)

    def keep_file(self, file: Path) -> Name:
        """Keep a file, which goes from where it lies, and return its name; what it is its ending says."""
        with reporting_disk(self.root):
            unfinished = self._unfinished()
            shutil.move(file, unfinished)
            unfinished.chmod(FILE_MODE)
            return self._finished(unfinished, file.suffix)

    def seal(self, table: pl.DataFrame, key: Key, *, what: str) -> Name:
        """Keep a table sealed under a key as what it is, so that nothing can stand in another's place."""
        plain = io.BytesIO()
        table.write_ipc(plain, compression="lz4")
        return self.keep_bytes(seal_bytes(plain.getvalue(), key, what=what), _SEALED)

    def value(self, name: Name | None) -> Value:
        """Return a table or a text, None for no name; raise `TypeError` if it is kept sealed."""
        if name is None:
            return None
        if name.endswith((_TABLE, _MANIFEST)):
            return self.blocks(name).scan().collect()
        if name.endswith(_SEALED):
            raise TypeError(f"{name} is kept sealed")
        return self.file(name).read_bytes().decode()

    def blocks(self, name: Name) -> StoredBlocks:
        """Return a table as blocks; raise `TypeError` if it is none."""
        return StoredBlocks(tuple(map(self.file, self.names_of_blocks(name))))

    def unsealed(self, name: Name, key: Key, *, what: str) -> pl.DataFrame:
        """Return a table that is kept sealed.

        Raises:
            KeyFileError: It was sealed under another key.
            InputError: It was sealed as something else.
        """
        return pl.read_ipc(unseal_bytes(self.file(name).read_bytes(), key, what=what))

    def file(self, name: Name) -> Path:
        """Return the file of an object."""
        return self._objects / name

    def _come_whole(self, name: Name) -> None:
        """Do what is done with an object that is whole, before anybody is given its name."""

    def is_whole(self, name: Name | None) -> bool:
        """Say whether an object is there, and holds what its name says; its use counts as new."""
        if name is None or name in self._whole:
            return True
        file = self.file(name)
        if not file.is_file() or sha256(file) != file.stem:
            return False
        os.utime(file)
        if name.endswith(_MANIFEST) and not all(map(self.is_whole, self.names_of_blocks(name))):
            return False
        self._whole.add(name)
        return True

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Give a folder, for a while, for files that may be kept (`keep_file`)."""
        with reporting_disk(self.root):
            # A step that somebody ended may still write into it as the process ends; the next build removes what is left.
            folder = TemporaryDirectory(dir=self.root, prefix=_UNFINISHED, ignore_cleanup_errors=True)
        with folder as path:
            yield Path(path)

    def _keep_table(self, table: pl.DataFrame) -> Name:
        with reporting_disk(self.root):
            file = self._unfinished()
            table.rechunk().write_parquet(
                file, compression="lz4"
            )  # or its bytes would depend on how it was put together
            return self._finished(file, _TABLE)

    def _unfinished(self) -> Path:
        return private_file(self._objects / f"{_UNFINISHED}{uuid4().hex}")

    def _finished(self, file: Path, ending: str) -> Name:
        name = sha256(file) + ending
        file.replace(self._objects / name)
        self._come_whole(name)
        self._whole.add(name)
        return name

    # --- records ---------------------------------------------------------------------------------------------------------

    def record(self, key: str) -> Mapping[str, Any] | None:
        """Return the record of what a step made under a key; None if there is none that can be relied on."""
        file = self._records / f"{key}.json"
        try:
            checksum, _, text = file.read_text(encoding="utf-8").partition("\n")
        except (OSError, UnicodeDecodeError):
            return None
        if checksum != _checksum(key, text):
            return None
        os.utime(file)
        found: Mapping[str, Any] = json.loads(text)
        return found

    def write_record(self, key: str, record: Mapping[str, Any]) -> None:
        """Write down what a step made under a key."""
        text = json.dumps(record, ensure_ascii=False)
        with reporting_disk(self.root):
            unfinished = private_file(self._records / f"{_UNFINISHED}{uuid4().hex}")
            unfinished.write_text(f"{_checksum(key, text)}\n{text}", encoding="utf-8")
            unfinished.replace(self._records / f"{key}.json")

    def seconds(self) -> dict[str, float]:
        """Return how many seconds each step took when it was last made, as far as that is known."""
        try:
            found: dict[str, float] = json.loads((self.root / _SECONDS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found

    def write_seconds(self, seconds: Mapping[str, float]) -> None:
        """Write down how many seconds steps took."""
        with reporting_disk(self.root):
            unfinished = private_file(self._records / f"{_UNFINISHED}{uuid4().hex}")
            unfinished.write_text(json.dumps(self.seconds() | dict(seconds), indent=1), encoding="utf-8")
            unfinished.replace(self.root / _SECONDS)

    # --- size ------------------------------------------------------------------------------------------------------------

    def evict(self, limit: int) -> int:
        """Remove what was used longest ago until at most `limit` bytes are left; return how many bytes went.

        Nothing is removed while another build is at work in the store.
        """
        with reporting_disk(self.root), private_lock(self.root / _LOCK) as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return 0
            for folder in self.root.glob(f"{_UNFINISHED}*/"):
                # NOTE: where a gate refused, a step may still be at work here; then what is left goes another time.
                shutil.rmtree(folder, ignore_errors=True)
            kept = sorted(self._files())
            over = sum(size for _, size, _ in kept) - limit
            removed = 0
            for _, size, file in kept:
                if removed >= over and not file.name.startswith(_UNFINISHED):
                    continue
                file.unlink(missing_ok=True)
                self._whole.discard(file.name)
                removed += size
            return removed

    def _files(self) -> Iterator[tuple[float, int, Path]]:
        """Yield when each file was last used, and its size."""
        for file in chain(self._objects.iterdir(), self._records.iterdir()):
            with suppress(FileNotFoundError):  # such a step may just have finished it
                status = file.stat()
                yield status.st_mtime, status.st_size, file


class StageTables(Mapping[str, T]):
    """Tables or their blocks by name, each read when it is first asked for, or whenever it is."""

    def __init__(self, names: Collection[str], read: Callable[[str], T], *, is_kept: bool = True) -> None:
        """Take the names, and what reads a table; every one must be there. What is not kept in memory is read anew."""
        self._names, self._read = names, cache(read) if is_kept else read

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise KeyError(name)
        return self._read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def writer(file: Path, like: pl.DataFrame) -> ParquetWriter:
    """Return what writes Arrow's tables into a file one after the other, with the columns of a frame."""
    return ParquetWriter(file, like.clear().to_arrow().schema, compression="lz4", use_dictionary=False)


def _checksum(key: str, text: str) -> str:
    return hashlib.sha256(f"{key}\n{text}".encode()).hexdigest()


def refuse_bad_limit(gigabytes: float) -> None:
    """Raise `InputError` if a store cannot have that size."""
    if not 0 <= gigabytes * 1e9 < inf:
        raise InputError(f"a store of {gigabytes:g} GB cannot be; give a size of 0 or more (--store-size)")
