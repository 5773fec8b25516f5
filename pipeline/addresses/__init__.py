"""Places by an address that fsspec knows: S3 and what is like it, `memory://`, `file://`. What lies there is for others to say.

What opens an address comes from the environment, as the variables of AWS, and never from the address: this stands in errors.
"""

import atexit
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, TypeGuard

from pipeline.errors import InputError

_OPTIONS: Mapping[str, Mapping[str, Any]] = {"file": {"auto_mkdir": True}}
"""A folder is made; a bucket that is not there is a mistake."""

_OPENS = re.compile(r"[^/]*:[^/@]*@|.*[?#]")
"""What is behind `://` if it may hold what opens the address: a password, or a signature."""


FETCHED = ExitStack()
"""Removes what a command has fetched, once it ends: the next one fetches what there is then."""

atexit.register(FETCHED.close)


def is_address(place: str | os.PathLike[str]) -> TypeGuard[str]:
    """Say whether a place is given by an address, and not by a path."""
    return isinstance(place, str) and "://" in place


class Location:
    """What lies at an address."""

    def __init__(self, address: str, *, what: str, option: str) -> None:
        """Take the address, what lies there (`the store`), and which option names it; both stand in errors.

        Raises:
            InputError: Nobody knows how to reach it, or it holds what opens it.
        """
        from fsspec.core import url_to_fs  # noqa: PLC0415  (most commands reach no address)
        from fsspec.utils import get_protocol  # noqa: PLC0415

        if _OPENS.match(address.partition("://")[2]):
            raise InputError(
                f"the address of {what} holds what may be a password or a signature, and is not shown; give those by the "
                f"variables of who keeps it, as AWS_SECRET_ACCESS_KEY ({option})"
            )
        if "::" in address:
            raise InputError(
                f"found {address!r} for {what}; give one address: others behind '::' may keep copies ({option})"
            )
        self.address, self._what, self._option = address, what, option
        try:
            self.files, base = url_to_fs(address, **_OPTIONS.get(get_protocol(address), {}))
        except Exception as error:
            # NOTE: of other errors only the kind: a library's words may hold what opens the address.
            why = error if isinstance(error, ImportError | ValueError) else type(error).__name__
            raise InputError(
                f"cannot reach {what} at {address}: {why}; give an address that fsspec knows, and install what it needs "
                f"({option})"
            ) from error
        self.base = str(base).rstrip("/")

    def path(self, name: str) -> str:
        """Return the path of what has a name below the address, as the file system calls it."""
        return f"{self.base}/{name}"

    def sizes(self) -> dict[str, int]:
        """Return the name of every file below the address with its bytes, as they are now, by name; or raise `InputError`."""
        with self.reaching():
            self.files.invalidate_cache()
            found = self.files.find(self.base, detail=True)
        return {str(path)[len(self.base) + 1 :]: int(found[path]["size"] or 0) for path in sorted(found)}

    @contextmanager
    def reaching(self) -> Iterator[None]:
        """Use it; whatever goes wrong becomes an `InputError`."""
        try:
            yield
        except InputError:
            raise
        except Exception as error:
            from pipeline.disk import FULL  # noqa: PLC0415  (polars takes a while to import)

            if isinstance(error, OSError) and error.errno in FULL:
                raise  # of a disk of this machine
            # NOTE: only its kind: a library's words may hold what opens the address.
            raise InputError(
                f"cannot use {self._what} at {self.address} ({type(error).__name__}); see that it is there, and may be used "
                f"with what the environment holds ({self._option})"
            ) from error
