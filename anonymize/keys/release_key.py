"""The release key's file: reading it, making it, and choosing the key of a build.

A key file holds one line of 64 lower-case hexadecimal digits, and its owner alone can read it. How keys are used belongs to
`pipeline/keyed.py`. No error here holds any part of a file's content.
"""

import hashlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from anonymize.policy import LSD
from pipeline.errors import KeyFileError
from pipeline.keyed import Key
from pipeline.private import read_secret, write_new

DEMONSTRATION_PHRASE = "silt demonstration key: public, protects nothing"

DEMONSTRATION_KEY = Key(hashlib.sha256(DEMONSTRATION_PHRASE.encode()).digest())
"""Known to everybody: with it every pseudonym can be undone, so that only the generated corpus is built with it."""

KEY_LINE = re.compile(rb"[0-9a-f]{64}\n?")

FORMAT = "a key file holds one line of 64 lower-case hexadecimal digits"

_MOST = 128
"""Bytes that are read, in case the file is no key: a key has 65."""


@dataclass(frozen=True, kw_only=True)
class ReleaseKey:
    """The key of a build under one policy."""

    master: Key
    """The key in the file. Its fingerprint names it, and it seals the curator's files; nothing published is drawn by it."""
    policy: str
    file: Path | None = None
    """Where the key stands; None for the demonstration key, which needs no file."""
    is_new: bool = field(default=False, compare=False)
    """Whether it was made just now, since nobody gave any."""

    @property
    def key(self) -> Key:
        """Return the key from which everything published is drawn: pseudonyms, digits, dates, orders, noise."""
        return of_policy(self.master, self.policy)

    @property
    def is_demonstration(self) -> bool:
        """Say whether it is the public key."""
        return self.master == DEMONSTRATION_KEY


def of_policy(master: Key, policy: str) -> Key:
    """Return the key of a build under a policy. Builds under two policies share nothing, even with one key file.

    The paper's policy takes the key itself, every other policy a subkey by HKDF, from which the key cannot be computed.
    """
    return master if policy == LSD.name else master.derive("policy", policy)


def release_key(path: Path | None, *, default: Path, is_generated: bool, policy: str) -> ReleaseKey:
    """Return the key that a build under a policy uses.

    A given `path` must exist. Without one the generated corpus takes the demonstration key, and real tables take the
    key at `default`, which is made on first use.

    Raises:
        KeyFileError: The file cannot be used, or real tables were to be built with the demonstration key.
    """
    if path is None and is_generated:
        return ReleaseKey(master=DEMONSTRATION_KEY, policy=policy)
    file, is_new = path or default, path is None and not os.path.lexists(default)
    master = make_key(file) if is_new else read_key(file)
    release = ReleaseKey(master=master, policy=policy, file=file, is_new=is_new)
    if release.is_demonstration and not is_generated:
        raise KeyFileError(
            f"{release.file} holds the public demonstration key, which protects nothing; only the generated corpus "
            "takes it. Give another key file with --key-file (KEY)."
        )
    return release


def read_key(path: Path) -> Key:
    """Read a key file.

    Raises:
        KeyFileError: It is missing, not a regular file, unreadable, open to group or others, or not of the format.
    """
    try:
        content = read_secret(path, KEY_LINE, f"is not a key file (its content is not shown): {FORMAT}", most=_MOST)
    except OSError as error:
        raise KeyFileError(f"cannot read the key file {path}: {error.strerror}; {FORMAT}") from error
    return Key(bytes.fromhex(content.decode()))


def make_key(path: Path) -> Key:
    """Make a key file with mode 0600, in one step; a folder made for it has mode 0700.

    Raises:
        KeyFileError: Something stands there already, or the place cannot be written.
    """
    key = Key(os.urandom(32))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_new(path, key.secret.hex().encode() + b"\n")
    except OSError as error:
        raise KeyFileError(
            f"cannot make the key file {path}: {error.strerror}; give a free path in a place that you may write to"
        ) from error
    return key
