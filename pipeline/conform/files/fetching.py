"""The folder of raw tables, wherever they lie: what lies at an address is fetched, once a command, into a private folder.

The folder goes when the command ends. What a killed command leaves in a store goes with the next that fetches there. Neither
the address nor what opens it is ever written down here.
"""

import fcntl
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pipeline.addresses import FETCHED, Location, is_address
from pipeline.conform.files.listing import among, choice_problems, is_raw, refuse_above
from pipeline.disk import reporting_disk
from pipeline.errors import ContractError, InputError
from pipeline.model import RawTable
from pipeline.private import private_file, private_folder, private_lock

_PREFIX, _LOCK = "fetched-", ".lock"


def local_folder(raw: str | Path, tables: Sequence[RawTable] = (), *, within: Path | None = None) -> Path:
    """Return the folder of raw tables: the given one, or that of copies of what lies at the given address.

    Args:
        raw: A path, or an address that fsspec knows.
        tables: Which tables are fetched; all that may be one if none is given.
        within: The folder of a store, where copies lie; without it they lie among the system's temporary files.

    Raises:
        ContractError: A table is not there, or is there twice.
        InputError: The address cannot be reached, or a file of it not be read; or the tables are in a folder of the given one.
    """
    if not is_address(raw):
        refuse_above(tables, Path(raw))
        return Path(raw)
    if raw not in _COPIES:
        _COPIES[raw] = _Copies(Location(raw, what="the raw tables", option="--raw, RAW"), within)
        FETCHED.callback(_COPIES[raw].remove)
        FETCHED.callback(_COPIES.pop, raw)
    _COPIES[raw].fetch(tables)
    return _COPIES[raw].folder


@dataclass
class _Copies:
    """Copies of what lies at an address, as it was when it was listed."""

    place: Location
    within: Path | None
    folder: Path = field(init=False)
    _lock: BinaryIO = field(init=False)
    _names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self._names = list(self.place.sizes())
        if not self._names:
            raise InputError(f"nothing lies at {self.place.address}; say where the raw tables are (--raw, RAW)")
        with reporting_disk(self.within or Path(tempfile.gettempdir()), otherwise="give another folder with --store"):
            if self.within:
                _remove_left(private_folder(self.within))
            own = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self.within))  # mode 0700
            self._lock = private_lock(own / _LOCK)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            # NOTE: a guess calls the environment as the folder is called.
            self.folder = private_folder(own / (self.place.base.rpartition("/")[2] or "raw"))

    def fetch(self, tables: Sequence[RawTable]) -> None:
        """Copy the files of tables that are not here yet."""
        if problems := [problem for table in tables for problem in choice_problems(table, self._names)]:
            raise ContractError(problems)
        wanted = (name for table in tables for name in among(table, self._names))
        with reporting_disk(self.folder, otherwise="give another folder with --store"):
            for name in dict.fromkeys(wanted if tables else filter(is_raw, self._names)):
                if not (self.folder / name).exists():
                    self._copy(name)

    def remove(self) -> None:
        """Remove the copies."""
        shutil.rmtree(self.folder.parent, ignore_errors=True)
        self._lock.close()

    def _copy(self, name: str) -> None:
        unfinished = private_file(self.folder.parent / ".unfinished")
        with self.place.reaching():
            try:
                self.place.files.get_file(self.place.path(name), str(unfinished))
            except FileNotFoundError:
                raise InputError(f"the raw file {name} went while it was read; run again") from None
        unfinished.replace(private_folder(self.folder, *Path(name).parts[:-1]) / Path(name).name)


_COPIES: dict[str, _Copies] = {}
"""By address, what this command has fetched."""


def _remove_left(folder: Path) -> None:
    """Remove what commands that are no longer at work have left."""
    for left in folder.glob(f"{_PREFIX}*/"):
        with suppress(OSError), private_lock(left / _LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left)
