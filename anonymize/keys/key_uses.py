"""What a key was used for: a record beside the key file, so that one key serves one environment, policy and set of originals.

Under one key the same code has the same pseudonym in every release: two sets of originals under it can be joined, and so can
two releases that are not meant to be held side by side. So a second use is refused unless it is wanted in so many words.
Reading and writing the record belongs here; which key a build takes does not (`release_key.py`).

The record (`<key file>.used.json`, mode 0600) names each use by the key's fingerprint, environment, policy and a keyed digest
of the raw files, which says nothing of them to whoever does not have the key.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Self

from pipeline.errors import InputError, KeyFileError
from pipeline.keyed import Key
from pipeline.private import private_file

FORMAT = 1

NEW_KEY = "(umask 077; python3 -c 'import secrets; print(secrets.token_hex(32))' > FILE)"
"""Command that makes another key file."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """One thing that a key is used for."""

    key: str
    """Fingerprint: a file may hold another key some day."""
    environment: str
    policy: str
    originals: str
    """`digest_of` the raw files."""

    def to_text(self) -> str:
        """Return the use as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Return the use that JSON tells of."""
        return cls(**json.loads(text))

    def __str__(self) -> str:
        """Say what the key was used for; the digest is shortened, to be compared by eye."""
        return f"environment {self.environment!r}, policy {self.policy!r}, originals {self.originals[:8]}"


def digest_of(files: Iterable[Path], master: Key) -> str:
    """Return a keyed digest of the bytes of raw files, by their names: 64 hexadecimal digits.

    Raises:
        InputError: One cannot be read.
    """
    parts = [part for file in sorted(files) for part in (file.name, _sha256(file))]
    return master.derive("uses", "originals").digest(*parts).hex()


def record_of(key_file: Path) -> Path:
    """Return where the uses of a key are recorded: beside the file itself, not beside a link to it."""
    file = key_file.resolve()
    return file.with_name(f"{file.name}.used.json")


def refuse_other_use(key_file: Path, use: Use) -> None:
    """Refuse a use if the key was used for anything else.

    Raises:
        KeyFileError: It was, or the record cannot be read.
    """
    known = [other for other in _uses(record_of(key_file)) if other.key == use.key]
    if known and use not in known:
        raise KeyFileError(
            f"{key_file} was used for {'; '.join(map(str, known))}. Now it is asked for {use}. One key for both opens "
            f"both to whoever gets it, and under one policy gives a company the same pseudonym twice. "
            f"Give another key file with --key-file (KEY), made by: {NEW_KEY}. "
            f"Or say that you want the same key with --reuse-key (REUSE_KEY=1). "
            f"The record is {record_of(key_file)}"
        )


def record_use(key_file: Path, use: Use, *, is_wanted: bool) -> None:
    """Add a use to the record, if it is not there.

    Args:
        key_file: The file of the key.
        use: What it is used for from now on.
        is_wanted: Whether a use beside others was asked for in so many words.

    Raises:
        KeyFileError: The key was used for anything else and that is not wanted, or the record cannot be read or written.
    """
    record = record_of(key_file)
    with _held(key_file, record):
        if not is_wanted:
            refuse_other_use(key_file, use)
        uses = _uses(record)
        if use not in uses:
            _write(record, [*uses, use])


@contextmanager
def _held(key_file: Path, record: Path) -> Iterator[None]:
    """Let no other build read or write the record meanwhile: two at once would each find no other."""
    try:
        with key_file.open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise KeyFileError(
            f"cannot write {record}, the record of what the key is used for: {error.strerror}; "
            "put the key file into a folder that you may write to"
        ) from error


def _uses(record: Path) -> list[Use]:
    try:
        content = json.loads(record.read_bytes())
        uses = [Use(**use) for use in content["uses"]]
        is_whole = content["format"] == FORMAT and all(_is_text(use) for use in uses)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise KeyFileError(
            f"cannot read {record}, the record of what the key was used for: {error.strerror}; make it readable"
        ) from error
    except (ValueError, KeyError, TypeError):
        is_whole = False
    if not is_whole:
        raise KeyFileError(
            f"{record} is no record of what the key was used for; restore it, or give another key file with --key-file (KEY)"
        )
    return uses


def _is_text(use: Use) -> bool:
    return all(isinstance(getattr(use, field.name), str) for field in fields(use))


def _write(record: Path, uses: list[Use]) -> None:
    """Put the new record in the place of the old one in one step."""
    unfinished = private_file(record.with_name(f".{record.name}-unfinished"))
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump({"format": FORMAT, "uses": [asdict(use) for use in uses]}, file, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(record)
    finally:
        unfinished.unlink(missing_ok=True)


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"can't read {file}: {error.strerror}; make it readable") from error
