"""Stages a variant, publishes it whole with its curator files, and recovers after a kill. Callers write the staged files.

A folder of variants with an index is published whole, like a single variant.

    <environment>/.build.lock                            held (flock) by the one build at work, from its first stage on
    <environment>/.lock                                  held (flock) while a variant is published
    <environment>/.staging/<variant>                     being built; mode 0700 above it, since no gate has seen it
    <environment>/.retired/<variant>                     the old variant between two renames, if nothing can exchange folders
    <environment>/<variant>                              published
    <environment>/.staging/.scratch-<variant>            needed while it is being built
    <environment>/curator/.staging/<variant>             its curator files being built
    <environment>/curator/.staging/.scratch-<variant>    needed meanwhile, and for the curator alone
    <environment>/curator/.pending-<variant>-<sha256>    ... finished, for the variant whose manifest (index) has that digest
    <environment>/curator/refused/<variant>              the last build in which something escaped
    <environment>/curator/refused/reports                of the last build that another gate refused (`refusal.py`)

The names are the journal, and every step is one rename: curator files become pending, the variant is swapped in, pending files
move into place. Whenever a build is killed, `recover` reads from the names and the published manifest how far it came.
"""

import fcntl
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pipeline.disk import reporting_disk
from pipeline.errors import InputError
from pipeline.places import CURATOR
from pipeline.private import make_private, private_folder, private_lock
from pipeline.publish.files import sha256
from pipeline.publish.index import INDEX, verify_index
from pipeline.publish.manifest import MANIFEST, verify_files
from pipeline.publish.swap import put_in_place, sync_folder, sync_tree

BUILD_LOCK = ".build.lock"
LOCK = ".lock"
STAGING = ".staging"
RETIRED = ".retired"
REFUSED = "refused"

PENDING = re.compile(r"\.pending-(.+)-([0-9a-f]{64})")

VARIANT = re.compile(r"[a-z0-9][a-z0-9_-]*")


@dataclass(frozen=True)
class Staging:
    """A variant being built: the folders of its files until they are published or refused."""

    environment: Path
    variant: str

    @property
    def public(self) -> Path:
        """Return the folder that becomes the variant's."""
        return self.environment / STAGING / self.variant

    @property
    def curator(self) -> Path:
        """Return the folder of curator files. On publishing, each replaces the curator's entry of the same name."""
        return self.environment / CURATOR / STAGING / self.variant

    @property
    def scratch(self) -> Path:
        """Return a folder for files that are needed until the variant is published, and that others may read."""
        return self.public.with_name(f".scratch-{self.variant}")

    @property
    def curator_scratch(self) -> Path:
        """Return a folder for files that are needed until the variant is published, and that the curator alone may read."""
        return self.curator.with_name(f".scratch-{self.variant}")

    @property
    def target(self) -> Path:
        """Return where the variant is published."""
        return self.environment / self.variant

    @property
    def refused(self) -> Path:
        """Return where a refused build is kept."""
        return self.environment / CURATOR / REFUSED / self.variant


@contextmanager
def exclusive(environment: Path) -> Iterator[None]:
    """Hold an environment's folder (made if it is missing), and recover it at the start and at the end.

    Everything from `stage` to `publish_variant` or `refuse_variant` happens inside; leftovers in staging are removed.

    Raises:
        InputError: Another build holds it, or it cannot be written.
    """
    with locked(environment, LOCK):
        recover(environment)
        try:
            yield
        finally:
            recover(environment)


@contextmanager
def locked(environment: Path, name: str) -> Iterator[None]:
    """Hold the lock of that name in an environment's folder (made if it is missing). A killed process releases it.

    Raises:
        InputError: Another build holds it, or it cannot be written.
    """
    with reporting_disk(environment):
        environment.mkdir(parents=True, exist_ok=True)
        # The lock file is never removed: another build could hold a lock on the removed one.
        lock = private_lock(environment / name)
    with lock:
        _take(lock, environment)
        yield


def stage(environment: Path, variant: str) -> Staging:
    """Make fresh, empty folders for a variant.

    Raises:
        InputError: The variant's name is no folder's name, its place is taken by something else, or nothing can be written.
    """
    if VARIANT.fullmatch(variant) is None or variant == CURATOR:
        raise InputError(
            f"{variant!r} cannot name a variant; use lower-case letters, digits, '-' and '_', and not {CURATOR!r}"
        )
    staging = Staging(environment, variant)
    if staging.target.is_symlink() or (staging.target.exists() and not staging.target.is_dir()):
        raise InputError(f"{staging.target} is not a folder; move it away, since a build replaces it whole")
    with reporting_disk(environment):
        private_folder(staging.public.parent)
        private_folder(environment / CURATOR, STAGING)
        for folder in (staging.public, staging.curator, staging.scratch, staging.curator_scratch):
            _remove(folder)
            folder.mkdir()
        private_folder(staging.curator)
        private_folder(staging.curator_scratch)
    return staging


def publish_variant(staging: Staging) -> None:
    """Replace the published variant and its curator files by the staged ones, whole; then remove the old variant.

    A kill at any moment leaves the old variant or the new one, and `recover` makes the curator files match it.

    Raises:
        GateError: The staged files are not those of the staged manifest.
        InputError: The disk is full or read-only; the old variant is untouched.
    """
    with reporting_disk(staging.environment):
        _verify(staging.public)
        # On the disk before any rename: after a power cut a renamed folder must have its content.
        sync_tree(staging.public)
        pending = _finish_curator(staging)
        retired = staging.environment / RETIRED / staging.variant
        retired.parent.mkdir(exist_ok=True)
        put_in_place(staging.public, staging.target, retired)
        _move_in(pending)
        for old in (staging.public, retired.parent, staging.refused):
            _remove(old)


def refuse_variant(staging: Staging) -> Path:
    """Keep a staged variant in the curator's area instead of publishing it; return where its files and reports are.

    Raises:
        InputError: The disk is full or read-only.
    """
    with reporting_disk(staging.environment):
        _remove(staging.refused)
        private_folder(staging.environment / CURATOR, REFUSED, staging.variant)
        make_private(staging.public)
        make_private(staging.curator)
        # The curator's folder may be a link to another file system, where a rename would fail.
        shutil.move(staging.public, staging.refused / "public")
        shutil.move(staging.curator, staging.refused / CURATOR)
    return staging.refused


def recover(environment: Path) -> None:
    """Complete or undo the publishing of a killed build, and remove its staging. Never call it while a build is at work.

    Raises:
        InputError: The folder cannot be written.
    """
    with reporting_disk(environment):
        for retired in sorted((environment / RETIRED).glob("*")):
            # Killed between the two renames: the old variant goes back.
            if not (environment / retired.name).exists():
                retired.rename(environment / retired.name)
        for pending in sorted((environment / CURATOR).glob(".pending-*")):
            _settle(pending)
        for left in (RETIRED, STAGING, f"{CURATOR}/{STAGING}"):
            _remove(environment / left)


def _take(lock: BinaryIO, environment: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(
            f"another build is at work in {environment}; wait for its end or give another folder with --out (OUT)"
        ) from error


def _verify(folder: Path) -> None:
    if _head(folder).name == INDEX:
        verify_index(folder)
    else:
        verify_files(folder)


def _head(folder: Path) -> Path:
    """Return the file whose digest covers everything else in a published folder: manifest or index."""
    index = folder / INDEX
    return index if index.is_file() else folder / MANIFEST


def _finish_curator(staging: Staging) -> Path:
    make_private(staging.curator)
    sync_tree(staging.curator)
    # The digest in the name binds the curator files to one published manifest, for recovery.
    pending = staging.environment / CURATOR / f".pending-{staging.variant}-{sha256(_head(staging.public))}"
    staging.curator.rename(pending)
    sync_folder(pending.parent)
    return pending


def _settle(pending: Path) -> None:
    """Move pending files into place if they belong to the published manifest or index, else discard them."""
    name = PENDING.fullmatch(pending.name)
    head = _head(pending.parent.parent / name.group(1)) if name else None
    if name and head and head.is_file() and sha256(head) == name.group(2):
        _move_in(pending)
    _remove(pending)


def _move_in(pending: Path) -> None:
    """Replace each entry by the pending one of its name. A folder goes in whole, so that nothing of the old one remains."""
    for entry in sorted(pending.iterdir()):
        target = pending.parent / entry.name
        if entry.is_dir():
            _remove(target)
        entry.replace(target)
    sync_folder(pending.parent)
    _remove(pending)


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
