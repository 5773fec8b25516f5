"""Puts a variant or a release at an address. What was there stays whole until all of the new one is there, and then goes."""

import json
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import TypeAdapter

from pipeline.addresses import Location
from pipeline.delivery.listing import DELIVERY, IS_PART, PART, DeliveredFile, Delivery, listing_at
from pipeline.errors import GateError, InputError
from pipeline.places import CURATOR
from pipeline.publish.manifest import MANIFEST, verify_files
from pipeline.publish.publication import REFUSED, STAGING
from pipeline.release.layout import OF_CURATOR, RELEASE, listed, read_head
from pipeline.release.reading import read_as
from pipeline.small_files import json_of, opened

_NOTE, _UNFINISHED = ".under-way.json", ".unfinished"
"""The note of the parts that a delivery sends and replaces, which is there while it is under way; and what is being written."""

_NAMES = TypeAdapter(list[str])


@dataclass(frozen=True, kw_only=True)
class Delivered:
    """What came of it."""

    listing: Delivery
    sent: int
    """How many parts were sent; the others were there."""
    removed: int
    """How many parts of earlier deliveries went."""


def deliver(folder: Path, address: str, *, part: int = PART) -> Delivered:
    """Put the files of a variant or a release at an address, in place of what was delivered there before.

    A kill at any moment leaves the old one or the new one for whoever reads; the same call goes on.

    Args:
        folder: A variant's or a release's.
        address: Any that fsspec knows; it holds one variant or release.
        part: Bytes of a part.

    Raises:
        GateError: The files are not those that manifest or head list.
        InputError: The folder holds neither, or the address cannot be used, or another environment lies there.
    """
    listing = _listing(folder, part)
    place = Location(address, what="what is delivered", option="--to, TO")
    sizes = place.sizes()
    before = listing_at(place, sizes)
    _refuse_others(place, sizes, before, listing)
    missing = [each for each in _parts(listing, part) if sizes.get(each.name) != each.bytes]
    ours = listing.names() | (before.names() if before else set()) | _noted(place, sizes)
    if missing or listing != before:
        _put(place, _NOTE, json.dumps(sorted(ours)).encode())
        with place.reaching():
            for each in missing:
                place.files.pipe_file(place.path(each.name), _content(folder, each, part))
        _put(place, DELIVERY, listing.to_bytes())
    removed = _remove(place, ours - listing.names())
    return Delivered(listing=listing, sent=len(missing), removed=removed)


@dataclass(frozen=True, kw_only=True)
class _Part:
    name: str
    file: str
    at: int
    bytes: int
    sha256: str


def _listing(folder: Path, part: int) -> Delivery:
    """Return what is to be delivered, compared with what its manifest or head lists."""
    *_, third, second, last = (".", ".", ".", *folder.resolve().parts)
    if third == REFUSED or {second, last} & {CURATOR, STAGING} or (second + last).find(OF_CURATOR) >= 0:
        raise InputError(f"{folder} is the curator's: nothing of it is delivered")
    environment, variant = _stated(folder)
    paths = sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    if links := [str(path) for path in paths if path.is_symlink() or not path.is_file()]:
        raise InputError(f"{links[0]} is no file; nothing is delivered with it")
    files = tuple(_described(folder, path, part) for path in paths)
    return Delivery(environment=environment, variant=variant, files=files)


def _stated(folder: Path) -> tuple[str, str | None]:
    """Return of what environment and variant a folder is, whose files are those that it lists."""
    if (folder / RELEASE).is_file():
        head = read_head(folder)
        if listed(folder) != head.files:
            raise GateError(f"the files of {folder} are not those that {RELEASE} lists; release again")
        return head.environment, None
    try:
        manifest: Mapping[str, Any] = json_of(folder / MANIFEST)
        stated = str(manifest["environment"]), str(manifest["variant"])
        verify_files(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"no {RELEASE} and no {MANIFEST} of a variant can be read in {folder}; give the folder of a release, or of a "
            "variant, as in environments/us-listed/noisy"
        ) from error
    return stated


def _described(folder: Path, path: Path, part: int) -> DeliveredFile:
    whole, size, digests = sha256(), 0, list[str]()
    with opened(path)[0] as file:
        while content := file.read(part):
            whole.update(content)
            size += len(content)
            digests.append(sha256(content).hexdigest())
    name = path.relative_to(folder).as_posix()
    return DeliveredFile(path=name, bytes=size, sha256=whole.hexdigest(), parts=tuple(digests))


def _parts(listing: Delivery, part: int) -> Iterator[_Part]:
    for file in listing.files:
        for at, (name, digest) in enumerate(zip(file.names(), file.parts, strict=True)):
            yield _Part(name=name, file=file.path, at=at, bytes=min(part, file.bytes - at * part), sha256=digest)


def _content(folder: Path, each: _Part, part: int) -> bytes:
    with opened(folder / each.file)[0] as file:
        file.seek(each.at * part)
        content = file.read(each.bytes)
    if sha256(content).hexdigest() != each.sha256:
        raise InputError(f"{folder / each.file} was written while it was delivered; run again")
    return content


def _refuse_others(place: Location, sizes: Mapping[str, int], before: Delivery | None, listing: Delivery) -> None:
    """Refuse to replace something else, and to share parts with a delivery below the address or above it."""
    found = ""
    if before and before.what != listing.what:
        found = f"{before.what} lies at {place.address}, and not {listing.what}"
    elif any(name.endswith(f"/{DELIVERY}") for name in sizes):
        found = f"another delivery lies below {place.address}"
    elif _has_above(place):
        found = f"another delivery lies above {place.address}"
    if found:
        raise InputError(f"{found}; give another address (--to, TO)")


def _has_above(place: Location) -> bool:
    # NOTE: who may use this address alone cannot see what lies above it, and need not.
    with suppress(Exception):
        return any(place.files.exists(f"{above}/{DELIVERY}") for above in PurePosixPath(place.base).parents)
    return False


def _noted(place: Location, sizes: Mapping[str, int]) -> set[str]:
    """Return the parts of a delivery that did not come to its end, and of those that it was to replace."""
    if _NOTE not in sizes:
        return set()
    with place.reaching():
        content = place.files.cat_file(place.path(_NOTE))
    noted = read_as(_NAMES.validate_json, content, f"a note of a delivery ({_NOTE} at {place.address})")
    return set(filter(IS_PART.fullmatch, noted))


def _put(place: Location, name: str, content: bytes) -> None:
    """Put a file in the place of any older one, in one step: a file system writes bit by bit, and renames at once."""
    with place.reaching():
        place.files.pipe_file(place.path(_UNFINISHED), content)
        place.files.mv(place.path(_UNFINISHED), place.path(name))


def _remove(place: Location, names: AbstractSet[str]) -> int:
    """Remove parts, as far as they are there, and then the note of them; return how many."""
    there = place.sizes().keys()
    left = sorted(names & there)
    with place.reaching():
        for name in (*left, *sorted({_UNFINISHED, _NOTE} & there)):
            place.files.rm_file(place.path(name))
    return len(left)
