"""A store that machines share by an address, through fsspec: S3 and what is like it, or a folder. Each machine keeps copies.

Objects and records lie there sealed under the release key, each under a keyed digest of its name. Who can read the address
learns how many there are and how long, who can write there can make a build slower: what is torn, forged or in another's place
is not used. Nothing is ever removed there; how long what is kept is for its owner to say.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from anonymize.keys.sealing import seal_bytes, unseal_bytes
from assets.making.store import Name, Store
from pipeline.addresses import Location
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.private import private_file, private_folder


def opened(root: Path, address: str, key: Key) -> Store:
    """Return the store in a folder, shared if an address is given, by whoever has the release key; or raise `InputError`."""
    return SharedStore(root, address, key) if address else Store(root)


class SharedStore(Store):
    """A store of this machine, and behind it the one that others share: what one has made, all find."""

    def __init__(self, root: Path, address: str, key: Key) -> None:
        """Take the folder of this machine, the address, and the key under which what lies there is sealed."""
        super().__init__(root)
        self._key, self._names = key, key.derive("shared store")
        self._there = Location(address, what="the store", option="--shared-store")

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
        there = self._name(file)
        with self._there.reaching():
            try:
                sealed = self._there.files.cat_file(self._there.path(there))
            except (FileNotFoundError, NotADirectoryError):
                return
        try:
            content = unseal_bytes(sealed, self._key, what=f"shared {there}")
        except InputError:
            return  # torn, or by somebody without the key
        unfinished = private_file(private_folder(self.root, file.parent.name) / f".unfinished-{uuid4().hex}")
        unfinished.write_bytes(content)
        unfinished.replace(file)

    def _send(self, file: Path) -> None:
        there = self._name(file)
        with self._there.reaching():
            sealed = seal_bytes(file.read_bytes(), self._key, what=f"shared {there}")
            self._there.files.pipe_file(self._there.path(there), sealed)

    def _name(self, file: Path) -> str:
        return self._names.digest(file.parent.name, file.name).hex()
