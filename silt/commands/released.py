"""How commands open a release: folder or archive, with the verifier's own declaration of its environment."""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipeline.addresses import is_address
from pipeline.errors import GateError, InputError, near_path
from pipeline.release.archive import open_archive
from pipeline.release.layout import OF_CURATOR, OPTIONS
from pipeline.release.provenance.signing_key import read_public_key
from pipeline.small_files import json_of
from silt.commands.options import Commands, Run, add_plain
from silt.environments.registry import ENVIRONMENTS, find_environment
from validation.release.opened import Release, declared_as, opened


def add_released(commands: Commands, name: str, run: Run) -> argparse.ArgumentParser:
    """Declare a command on releases, which say themselves of which environment they are."""
    command = add_plain(commands, name, run)
    known = f"{', '.join(ENVIRONMENTS)}, or FILE.py:NAME for your own"
    declared = f"your declaration of the environment: {known}; the shipped one that the release names if not given"
    command.add_argument("--environment", default="", help=declared)
    return command


@contextmanager
def opened_release(given: str | Path, environment: str, public_key: Path | None = None) -> Iterator[Release]:
    """Give a release with the declaration of its environment: a shipped one by the name that it states, or the given one.

    An archive is unpacked into a folder that goes away, and so is what was delivered to an address.

    Raises:
        InputError: It is no release, or of another environment.
    """
    path, key = Path(given), read_public_key(public_key) if public_key else None
    if not is_address(given) and not path.exists():
        raise InputError(f"{given} is not there; give the folder or archive of a release{near_path(path)}")
    with tempfile.TemporaryDirectory(prefix="silt-release-") as scratch:
        is_archive = not is_address(given) and path.is_file()
        folder = _unpacked(path, Path(scratch)) if is_archive else path
        if is_address(given):
            folder = _fetched(given, Path(scratch))
        release = opened(folder, archive=path if is_archive else None)
        stated = str(release.stated.get("environment", ""))
        declared = find_environment(environment) if environment else ENVIRONMENTS.get(stated)
        if declared is not None and stated and declared.name != stated:
            raise InputError(
                f"{given} is of environment {stated!r}, and not of {declared.name!r}; give its declaration"
            )
        yield declared_as(release, declared, key)


def curators_half(given: str | Path) -> Path:
    """Return where the curator's half of a release would lie: beside its folder, which may be named, or an archive in it."""
    path = Path(given).resolve()
    folder = path if path.is_dir() else path.parent
    return folder.with_name(folder.name + OF_CURATOR)


def declared_beside(given: str | Path) -> str:
    """Return what names the declaration, as the curator's half says; nothing where there is no such half, or no such file.

    It is named to the reader, and not run: whoever made the release may be somebody else.
    """
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        named = json_of(curators_half(given) / OPTIONS)["environment"]
        return str(named) if Path(named.rpartition(":")[0]).is_file() else ""
    return ""


def _fetched(address: str, into: Path) -> Path:
    from pipeline.delivery.fetching import DeliveredFiles  # noqa: PLC0415

    return DeliveredFiles.at(address).fetch(into / "delivered")


_ZSTANDARD = b"\x28\xb5\x2f\xfd"
"""With what a frame of zstd begins (RFC 8878, section 3.1.1)."""


def _unpacked(archive: Path, into: Path) -> Path:
    """Unpack an archive; one that is damaged or holds what it must not is a release that was tampered with."""
    try:
        with archive.open("rb") as file:
            is_packed = file.read(len(_ZSTANDARD)) == _ZSTANDARD
    except OSError as error:
        raise InputError(
            f"{archive} cannot be read ({error.strerror}); give the folder or archive of a release"
        ) from error
    try:
        return open_archive(archive, into)
    except InputError as error:
        if is_packed:
            raise GateError(str(error)) from error
        raise
