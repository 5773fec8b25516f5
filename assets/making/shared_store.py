"""A store that machines share by an address, through fsspec: S3 and what is like it, or a folder. Each machine keeps copies.

An object is under its digest, and a record has a checksum: it makes no difference who wrote one, how often, or whether a copy
is torn, since what is not whole is not used. Nothing is ever removed at the address: how long it keeps what is for its owner.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from fsspec.core import url_to_fs
from fsspec.utils import get_protocol

from assets.making.store import Name, Store
from pipeline.errors import InputError
from pipeline.private import private_file, private_folder

_OPTIONS: Mapping[str, Mapping[str, Any]] = {"file": {"auto_mkdir": True}}


def opened(root: Path, address: str) -> Store:
    """Return the store in a folder, which is shared if an address is given.

    Raises:
        InputError: Nobody knows how to reach the address.
    """
    return SharedStore(root, address) if address else Store(root)


class SharedStore(Store):
    """A store of this machine, and behind it the one that others share: what one has made, all find."""

    def __init__(self, root: Path, address: str) -> None:
        """Take the folder of this machine and the address."""
        super().__init__(root)
        self.address = address
        try:
            # NOTE: a folder is made; a bucket that is not there is a mistake.
            self._far, self._base = url_to_fs(address, **_OPTIONS.get(get_protocol(address), {}))
        except (ImportError, ValueError) as error:
            raise InputError(
                f"cannot reach a store at {address}: {error}; give an address that fsspec knows, and install what it needs "
                "(--shared-store)"
            ) from error

    def file(self, name: Name) -> Path:
        """Return the file of an object, a copy of which is fetched if there is none here."""
        file = super().file(name)
        if not file.is_file():
            self._fetch(file)
        return file

    def record(self, key: str) -> Mapping[str, Any] | None:
        """Return the record of what a step made under a key, here or there."""
        found = super().record(key)
        if found is None:
            self._fetch(self._records / f"{key}.json")
            found = super().record(key)
        return found

    def write_record(self, key: str, record: Mapping[str, Any]) -> None:
        """Write down what a step made under a key, here and there: after its objects, so that who finds it finds them."""
        super().write_record(key, record)
        self._send(self._records / f"{key}.json")

    def is_whole(self, name: Name | None) -> bool:
        """Say whether an object is there and whole; a copy that is damaged is fetched again."""
        if super().is_whole(name) or name is None:
            return True
        self._fetch(self._objects / name)
        return super().is_whole(name)

    def _come_whole(self, name: Name) -> None:
        self._send(self._objects / name)

    def _fetch(self, file: Path) -> None:
        unfinished = private_file(private_folder(self.root, file.parent.name) / f".unfinished-{uuid4().hex}")
        with self._reaching(), suppress(FileNotFoundError, NotADirectoryError):
            self._far.get_file(self._there(file), str(unfinished))
            unfinished.replace(file)
        unfinished.unlink(missing_ok=True)

    def _send(self, file: Path) -> None:
        with self._reaching():
            self._far.put_file(str(file), self._there(file))

    def _there(self, file: Path) -> str:
        return f"{self._base}/{file.parent.name}/{file.name}"

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            # NOTE: only its kind: a library's words may hold what opens the address.
            raise InputError(
                f"cannot use the store at {self.address} ({type(error).__name__}); see that it is there, and may be read and "
                "written (--shared-store)"
            ) from error
