"""The record of a key's uses, kept beside the key file, so that one key releases one environment, policy and set of originals.

Under one key a code has the same pseudonym in every release. Two sets of originals under one key can therefore be joined,
and so can two releases that are meant to stay apart. So a second use is refused unless it is asked for explicitly. A build is
its owner's draft and uses up no key: a release does. Reading and writing the record belongs here; choosing the key of a build
belongs to `release_key.py`.

The record (`<key file>.used.json`, mode 0600) lists each use by the key's fingerprint, environment, policy and a keyed digest
of the raw files, which discloses nothing about them without the key; and what releases under the key spent of a budget.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from pipeline.errors import KeyFileError
from pipeline.keyed import Key
from pipeline.places import default_key, shared_key
from pipeline.private import replace_file
from pipeline.small_files import json_of

FORMAT = 1

NEW_KEY = "(umask 077; python3 -c 'import secrets; print(secrets.token_hex(32))' > FILE)"
"""Command that makes another key file."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """One thing that a key is used for."""

    key: str
    """The key's fingerprint, because the file may hold another key some day."""
    environment: str
    policy: str
    originals: str
    """`digest_of` the raw files."""

    def __str__(self) -> str:
        """State what the key was used for; the digest is shortened for comparing by eye."""
        return f"environment {self.environment!r}, policy {self.policy!r}, originals {self.originals[:8]}"


def own_key(environment: str, policy: str) -> Path:
    """Return the file of an environment's own key under a policy.

    The one that all policies shared once stays the key of those that it was used for; unused, of whichever comes first.

    Raises:
        KeyFileError: The record of what that one was used for cannot be read.
    """
    own, shared = default_key(environment, policy), shared_key(environment)
    if os.path.lexists(own) or not os.path.lexists(shared):
        return own
    used_for = {use.policy for use in _uses(record_of(shared))}
    return shared if policy in used_for or not used_for else own


def digest_of(files: Mapping[str, str], master: Key) -> str:
    """Return a keyed digest of raw files, given the digest of each by its name: 64 hexadecimal digits."""
    parts = [part for name, sha256 in sorted(files.items()) for part in (name, sha256)]
    return master.derive("uses", "originals").digest(*parts).hex()


def record_of(key_file: Path) -> Path:
    """Return the file that records a key's uses. It lies beside the key file itself, even if that is reached by a link."""
    file = key_file.resolve()
    return file.with_name(f"{file.name}.used.json")


def bound_to(key_file: Path, use: Use) -> list[Use]:
    """Return what a key was used for; nothing if the given use is among that.

    Raises:
        KeyFileError: The record cannot be read.
    """
    known = [other for other in _uses(record_of(key_file)) if other.key == use.key]
    return [] if use in known else known


def refuse_other_use(key_file: Path, use: Use) -> None:
    """Refuse a use if the key was used for anything else.

    Raises:
        KeyFileError: It was, or the record cannot be read.
    """
    if known := bound_to(key_file, use):
        raise KeyFileError(
            f"{key_file} was used for {'; '.join(map(str, known))}.\nNow it is asked for {use}.\n"
            "One key for both opens both to whoever gets it,\n"
            "and under one policy gives a company the same pseudonym twice.\n"
            f"Give another key file with --key-file (KEY), made by:\n{NEW_KEY}\n"
            "Or say that you want the same key with --reuse-key (REUSE_KEY=1).\n"
            f"The record is {record_of(key_file)}"
        )


def record_use(key_file: Path, use: Use, *, is_wanted: bool) -> None:
    """Add a use to the record, unless it is there already.

    Args:
        is_wanted: Whether a second use was asked for explicitly.

    Raises:
        KeyFileError: The key was used for something else and that is not wanted, or the record cannot be read or written.
    """
    record = record_of(key_file)
    with _held(key_file, record):
        if not is_wanted:
            refuse_other_use(key_file, use)
        uses = _uses(record)
        if use not in uses:
            _write(record, [*uses, use], spent_by(key_file))


def spent_by(key_file: Path) -> list[dict[str, Any]]:
    """Return what releases under the key in a file spent, as it was put on record.

    Raises:
        KeyFileError: The record cannot be read.
    """
    return _read(record_of(key_file))[1]


def record_spent(key_file: Path, spent: Mapping[str, Any]) -> None:
    """Add what a release spends to the record, unless it is there already.

    Raises:
        KeyFileError: The record cannot be read or written.
    """
    record = record_of(key_file)
    with _held(key_file, record):
        uses, known = _read(record)
        if spent not in known:
            _write(record, uses, [*known, spent])


@contextmanager
def _held(key_file: Path, record: Path) -> Iterator[None]:
    """Lock the record against other releases: two that read it at the same time would each find no other use."""
    try:
        with key_file.open("rb") as held:
            # The key file itself is locked: the record is replaced at each use, and a lock on a replaced file protects
            # nothing.
            fcntl.flock(held, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise KeyFileError(
            f"cannot write {record}, the record of what the key is used for: {error.strerror}; "
            "put the key file into a folder that you may write to"
        ) from error


def _uses(record: Path) -> list[Use]:
    return _read(record)[0]


def _read(record: Path) -> tuple[list[Use], list[dict[str, Any]]]:
    """Return the uses on record, and what releases spent."""
    try:
        content = json_of(record)
        uses = [Use(**use) for use in content["uses"]]
        spent = [dict(each) for each in content.get("spent", [])]
        is_whole = content["format"] == FORMAT and all(_is_text(use) for use in uses)
    except FileNotFoundError:
        return [], []
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
    return uses, spent


def _is_text(use: Use) -> bool:
    return all(isinstance(getattr(use, field.name), str) for field in fields(use))


def _write(record: Path, uses: Sequence[Use], spent: Sequence[Mapping[str, Any]]) -> None:
    """Replace the record; it is on the disk before anything made with the key is published."""
    content = {"format": FORMAT, "uses": [asdict(use) for use in uses]} | ({"spent": spent} if spent else {})
    text = json.dumps(content, indent=2)
    replace_file(record, f"{text}\n".encode())
