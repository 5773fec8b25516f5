"""The signing key of `silt release`: its options, making it, and opening it with its passphrase."""

import argparse
import re
import sys
from collections.abc import Callable
from getpass import getpass
from pathlib import Path

from pipeline.errors import InputError, KeyFileError
from pipeline.private import read_secret

_MOST = 1024
"""Bytes of a passphrase's file that are read."""

_LINE = re.compile(rb"[^\n]*\n?")


def add_signing(command: argparse.ArgumentParser) -> None:
    """Declare the options on making a key that signs, and on passphrases."""
    make = "make a key that signs releases, and its public key beside it (FILE.pub), and end"
    command.add_argument("--make-signing-key", default="", metavar="FILE", help=make)
    ask = "ask for a passphrase that encrypts the key that is made"
    command.add_argument("--passphrase", action="store_true", help=ask)
    of = "file with the key's passphrase, its owner's alone; it is asked for if not given"
    command.add_argument("--passphrase-file", default="", metavar="FILE", help=of)


def make(options: argparse.Namespace) -> str:
    """Make the key that the options ask for; return what to tell of it."""
    from pipeline.release.provenance.signing_key import key_id, make_signing_key, read_public_key  # noqa: PLC0415

    path = Path(options.make_signing_key)
    public = make_signing_key(path, _new_passphrase(options))
    return f"{path}: signs releases, keep it; {public}: publish it; its name is {key_id(read_public_key(public))}"


def passphrase_of(options: argparse.Namespace, key: str) -> Callable[[], bytes]:
    """Return what gives the passphrase of a key: its file, or whoever sits at the terminal."""
    return lambda: _from_file(options) if options.passphrase_file else _asked(f"passphrase of {key}: ")


def _new_passphrase(options: argparse.Namespace) -> bytes | None:
    if options.passphrase_file:
        return _from_file(options)
    if not options.passphrase:
        return None
    given = _asked("passphrase of the new key: ")
    if given != _asked("once more: "):
        raise InputError("the two passphrases differ; nothing was made")
    return given


def _from_file(options: argparse.Namespace) -> bytes:
    path = Path(options.passphrase_file)
    try:
        content = read_secret(
            path, _LINE, "holds no passphrase, which is one line (its content is not shown)", most=_MOST
        )
    except OSError as error:
        raise KeyFileError(f"cannot read the passphrase's file {path}: {error.strerror}") from error
    return content.removesuffix(b"\n").removesuffix(b"\r")


def _asked(question: str) -> bytes:
    if not sys.stdin.isatty():
        raise KeyFileError("there is no terminal to ask for the passphrase; give --passphrase-file FILE")
    return getpass(question, sys.stderr).encode()
