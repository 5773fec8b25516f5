"""Archives of a release: the same files give the same bytes, and an archive of anybody's is opened safely.

Written: POSIX tar of regular files alone, sorted, one date, no owner, mode 0644; compressed as one frame by one thread.
Opened: regular files alone, at paths below the folder, within bounds of size and number that hold before anything is believed.
"""

import io
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

import zstandard

from pipeline.disk import reporting_disk
from pipeline.errors import InputError

LEVEL = 9
"""Of 22. A variant of dataclaw-18 (149 MB) becomes 14.0 % of it in 1.2 s by 3, 11.7 % in 3.6 s by 9, 11.4 % in 23 s by 15."""

WINDOW_LOG = 27
"""128 MB: tables repeat each other's figures far apart. The most that zstd opens unasked."""

_MODE = 0o644

_HEADERS = 64 * 1024
"""Bytes of an extended header, which a reader of tar holds in memory."""

_PART = tarfile.RECORDSIZE * 100
"""Bytes of a file that are in memory at once."""

_FILE_TYPES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.XHDTYPE)
"""What may stand in an archive: files, and extended headers of theirs (names that are long or not ASCII)."""

_STEP = 128
"""Compressed bytes that are opened at once: they can become 4 MB (blocks of 128 KB in 4 bytes). More take as long."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How much an archive may hold. The defaults are ten times what the paper's environment needs."""

    bytes: int = 4 * 10**9
    """Of all files together."""
    files: int = 10_000
    path: int = 500
    """Characters of a path."""


def write_archive(folder: Path, paths: Sequence[str], archive: Path, *, prefix: str, date: int) -> None:
    """Write files below a folder into a new archive.

    Args:
        prefix: Folder in the archive below which they stand.
        date: When they were changed, as the archive says, in seconds since 1970.

    Raises:
        InputError: The archive cannot be written.
    """
    parameters = zstandard.ZstdCompressionParameters.from_level(
        LEVEL, window_log=WINDOW_LOG, enable_ldm=True, threads=0, write_checksum=True, write_content_size=False
    )
    compressor = zstandard.ZstdCompressor(compression_params=parameters)
    with (
        reporting_disk(archive.parent),
        archive.open("wb") as file,
        compressor.stream_writer(file, closefd=False) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in sorted(paths):
            member = tarfile.TarInfo(f"{prefix}/{path}")
            member.size, member.mtime, member.mode = (folder / path).stat().st_size, date, _MODE
            with (folder / path).open("rb") as content:
                tar.addfile(member, content)


def open_archive(archive: Path, into: Path, *, bounds: Bounds | None = None) -> Path:
    """Unpack an archive below a folder that is there, and return the one folder that it holds.

    Raises:
        InputError: It is no archive, is damaged, or holds what an archive of a release never does. What was unpacked until then
            is below `into`.
    """
    with _members(archive, bounds or Bounds()) as members:
        names = [_unpack(content, member, into) for member, content in members]
    folders = {PurePosixPath(name).parts[0] for name in names}
    if len(folders) != 1:
        raise InputError(f"an archive of a release holds one folder; found {sorted(folders)[:5]}")
    return into / folders.pop()


def digests_of(archive: Path, *, bounds: Bounds | None = None) -> dict[str, tuple[int, str]]:
    """Return bytes and SHA-256 of each file in an archive by its path there; nothing is unpacked.

    Raises:
        InputError: It is no archive, is damaged, or holds what an archive of a release never does.
    """
    with _members(archive, bounds or Bounds()) as members:
        return {member.name: (member.size, _digest(member, content)) for member, content in members}


# --- reading -----------------------------------------------------------------------------------------------------------


class _Member(tarfile.TarInfo):
    """An entry of an archive, refused by its type before anything of it is read."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_Member":
        member = super().frombuf(buf, encoding, errors)
        if member.type not in _FILE_TYPES:
            raise InputError(
                f"the archive holds {member.name!r}, which is no file (type {member.type!r}); do not use it"
            )
        if member.type == tarfile.XHDTYPE and member.size > _HEADERS:
            raise InputError(f"the archive holds a header of {member.size:,} bytes; do not use it")
        return member


class _Unpacked(io.RawIOBase):
    """The content of a compressed file, as a file to read from start to end, up to a bound."""

    def __init__(self, packed: BinaryIO, bound: int) -> None:
        self._packed, self._bound = packed, bound
        self._opened = zstandard.ZstdDecompressor(max_window_size=2**WINDOW_LOG).decompressobj()
        self._held = bytearray()
        self.total = 0
        """Bytes that came out so far."""

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, fewer than `size` at the end alone."""
        while len(self._held) < size and (more := self._packed.read(_STEP)):
            if self._opened.eof:
                raise InputError("the archive goes on after its end; do not use it")
            opened = self._opened.decompress(more)
            self.total += len(opened)
            if self.total > self._bound or self._opened.unused_data:
                raise InputError(
                    f"the archive holds more than {self._bound:,} bytes, or something after its end; do not use it"
                )
            self._held += opened
        if len(self._held) < size and not self._opened.eof:
            raise InputError("the archive ends too early; fetch it again")
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken


@contextmanager
def _members(archive: Path, bounds: Bounds) -> Iterator[Iterator[tuple[tarfile.TarInfo, IO[bytes]]]]:
    """Give the members of an archive, each with its content, which is read before the next one is asked for."""
    with _reading(archive) as packed:
        unpacked = _Unpacked(packed, bounds.bytes + bounds.files * (_HEADERS + 2 * tarfile.BLOCKSIZE))
        with tarfile.open(fileobj=unpacked, mode="r|", tarinfo=_Member, errors="strict") as tar:
            yield ((member, _content(tar, member)) for member in _within(tar, bounds))
            _refuse_more(unpacked, tar)


@contextmanager
def _reading(archive: Path) -> Iterator[BinaryIO]:
    """Open an archive; what its readers stumble over is the fault of whoever made it."""
    try:
        with archive.open("rb") as packed:
            yield packed
    except (zstandard.ZstdError, tarfile.TarError, UnicodeError) as error:
        raise InputError(f"{archive} is no archive of a release, or is damaged ({error}); fetch it again") from error
    except InputError as error:
        raise InputError(f"{archive}: {error}") from error


def _within(tar: tarfile.TarFile, bounds: Bounds) -> Iterator[tarfile.TarInfo]:
    """Yield the members of an archive, each after it was judged by its name and size."""
    total, names = 0, set[str]()
    for member in tar:
        total += member.size
        if total > bounds.bytes or len(names) == bounds.files:
            raise InputError(f"it holds more than {bounds.bytes:,} bytes or {bounds.files:,} files; do not use it")
        if not _is_below(member.name) or len(member.name) > bounds.path or member.name in names:
            raise InputError(
                f"it holds a file at {member.name[: bounds.path]!r}, outside of its folder or twice; do not use it"
            )
        if member.issparse() or not member.isreg():
            raise InputError(f"it holds {member.name!r}, which is no plain file; do not use it")
        names.add(member.name)
        yield member


def _is_below(name: str) -> bool:
    """Say whether a name in an archive is a plain path below one folder."""
    parts = PurePosixPath(name).parts
    is_plain = name == "/".join(parts) and not {".", "..", "/"} & set(parts)
    return is_plain and len(parts) > 1 and not any(ord(sign) < ord(" ") or sign == "\\" for sign in name)


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = tar.extractfile(member)
    if content is None:
        raise InputError(f"it holds {member.name!r}, which is no plain file; do not use it")
    return content


def _digest(member: tarfile.TarInfo, content: IO[bytes]) -> str:
    """Return the SHA-256 of a file; refuse one that is to be unpacked in another way than files of releases are."""
    if (member.mode, member.uid, member.gid, member.uname, member.gname) != (_MODE, 0, 0, "", ""):
        raise InputError(f"it holds {member.name!r} with an owner or a mode that no file of a release has")
    digest = sha256()
    while part := content.read(_PART):
        digest.update(part)
    return digest.hexdigest()


def _unpack(content: IO[bytes], member: tarfile.TarInfo, into: Path) -> str:
    target = into / member.name
    with reporting_disk(into, otherwise="unpack it elsewhere"):
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            while part := content.read(_PART):
                file.write(part)
    return member.name


def _refuse_more(unpacked: _Unpacked, tar: tarfile.TarFile) -> None:
    """Refuse anything behind the last file but the end of an archive: two empty blocks, and padding."""
    records = -(-(tar.offset + 2 * tarfile.BLOCKSIZE) // tarfile.RECORDSIZE)
    while unpacked.read(tarfile.RECORDSIZE):
        pass
    if unpacked.total != records * tarfile.RECORDSIZE:
        raise InputError("it holds something behind its last file, or a damaged one; fetch it again")
