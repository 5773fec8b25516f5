"""The listing of what lies at an address: every file of a variant or a release, and the parts of which each is put together.

<address>/delivery.json                              the listing
<address>/database/figures.csv/00000-<sha256>.csv    the first part of a file: its parts, one after the other, are its bytes
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from pipeline.addresses import Location
from pipeline.errors import InputError
from pipeline.release.reading import Digest, Stated, read_as
from pipeline.small_files import REPORTED

DELIVERY = "delivery.json"
"""The listing, which comes last."""

PART = 2**26
"""Bytes of every part but the last of a file (our choice: S3 takes them at once, and a reader holds one in memory)."""

IS_PART = re.compile(r".+/\d{5,}-[0-9a-f]{64}(\.[^/]*)?")
"""How parts are named, and nothing else that may lie at an address."""


def _below(path: str) -> str:
    if PurePosixPath(path).is_absolute() or {"", ".", ".."} & set(path.split("/")) or "\0" in path:
        raise ValueError("it is no path below a folder")
    return path


class DeliveredFile(Stated):
    """A file, and its parts."""

    path: Annotated[str, AfterValidator(_below)]
    bytes: Annotated[int, Field(ge=0)]
    sha256: Digest
    parts: tuple[Digest, ...]
    """Digest of each part, in their order; none of a file that is empty."""

    def names(self) -> Iterator[str]:
        """Yield the names of the parts."""
        ending = PurePosixPath(self.path).suffix
        return (f"{self.path}/{at:05}-{digest}{ending}" for at, digest in enumerate(self.parts))


class Delivery(Stated):
    """What lies at an address."""

    format: Literal[1] = 1
    environment: str
    variant: str | None
    """None for a release."""
    files: tuple[DeliveredFile, ...]

    @property
    def what(self) -> str:
        """Return in words what it is."""
        return f"{'a release' if self.variant is None else f'the {self.variant} variant'} of {self.environment!r}"

    def to_bytes(self) -> bytes:
        """Return the listing as JSON."""
        return (self.model_dump_json(indent=1) + "\n").encode()

    def names(self) -> set[str]:
        """Return the names of all parts."""
        return {name for file in self.files for name in file.names()}


def listing_at(place: Location, sizes: Mapping[str, int]) -> Delivery | None:
    """Return what lies at an address, of which the names and sizes are known; None if nothing was delivered there.

    Raises:
        InputError: The listing cannot be read, or is none.
    """
    if DELIVERY not in sizes:
        return None
    if sizes[DELIVERY] > REPORTED:
        raise InputError(f"{DELIVERY} at {place.address} is longer than any listing; do not use it")
    with place.reaching():
        content = place.files.cat_file(place.path(DELIVERY))
    return read_as(Delivery.model_validate_json, content, f"a listing ({DELIVERY} at {place.address})")
