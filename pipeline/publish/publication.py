"""Staging a variant, publishing it whole with its curator files, recovering after a kill; callers write what is staged.

A folder of variants with an index is published like one variant, whole.

    <environment>/.build.lock                            held (flock) by the one build at work, from its first stage on
    <environment>/.lock                                  held (flock) while a variant is published
    <environment>/.staging/<variant>                     being built; mode 0700 above it, since no gate has seen it
    <environment>/.retired/<variant>                     the old variant, between two renames where nothing can exchange
    <environment>/<variant>                              published
    <environment>/.staging/.scratch-<variant>            of use while it is being built
    <environment>/curator/.staging/<variant>             its curator files being built
    <environment>/curator/.staging/.scratch-<variant>    of use meanwhile, and for the curator alone
    <environment>/curator/.pending-<variant>-<sha256>    ... finished, for the variant whose manifest (index) has that digest
    <environment>/curator/refused/<variant>              the last build in which something escaped
    <environment>/curator/refused/reports                of the last build that another gate refused (`refusal.py`)

The names are the journal, and every step is one rename: curator files become pending, the variant is swapped in,
pending files move into place. Whenever a build is killed, the names and the published manifest tell `recover` how far
it came.
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
    """A variant being built: where its files go until they are published or refused."""

    environment: Path
    variant: str

    @property
    def public(self) -> Path:
        """Return the folder that becomes the variant's."""
        return self.environment / STAGING / self.variant

    @property
    def curator(self) -> Path:
        """Return the folder whose entries replace those of their names in the curator's when the variant is published."""
        return self.environment / CURATOR / STAGING / self.variant

    @property
    def scratch(self) -> Path:
        """Return a folder for what is needed until the variant is published, and may be seen by who may see it."""
        return self.public.with_name(f".scratch-{self.variant}")

    @property
    def curator_scratch(self) -> Path:
        """Return a folder for what is needed until the variant is published, and is the curator's alone."""
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
    """Hold an environment's folder (made if it is not there), recovered at the start and at the end.

    Everything from `stage` to `publish_variant` or `refuse_variant` happens inside; what is staged after is removed.

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
    """Hold the lock of that name in an environment's folder (made if it is not there); a kill lets go of it.

    Raises:
        InputError: Another build holds it, or it cannot be written.
    """
    with reporting_disk(environment):
        environment.mkdir(parents=True, exist_ok=True)
        lock = private_lock(environment / name)
    with lock:
        _take(lock, environment)
        yield


def stage(environment: Path, variant: str) -> Staging:
    """Make fresh, empty folders for a variant.

    Raises:
        InputError: The variant's name is none, its place is taken by something else, or the folder cannot be written.
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
    """Replace the published variant by the staged one, whole, and the curator files with it; then remove the old one.

    Killed at any moment it leaves the old variant or the new one, and `recover` brings the curator files in line.

    Raises:
        GateError: The staged files are not those of the staged manifest.
        InputError: The disk is full or closed; the old variant is untouched.
    """
    with reporting_disk(staging.environment):
        _verify(staging.public)
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
        InputError: The disk is full or closed.
    """
    with reporting_disk(staging.environment):
        _remove(staging.refused)
        private_folder(staging.environment / CURATOR, REFUSED, staging.variant)
        make_private(staging.public)
        make_private(staging.curator)
        # NOTE: the curator's folder may be a link to another file system, so a rename is not enough.
        shutil.move(staging.public, staging.refused / "public")
        shutil.move(staging.curator, staging.refused / CURATOR)
    return staging.refused


def recover(environment: Path) -> None:
    """Complete or undo what a killed build left, and remove its staging; never while a build is at work.

    Raises:
        InputError: The folder cannot be written.
    """
    with reporting_disk(environment):
        for retired in sorted((environment / RETIRED).glob("*")):
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
    """Return the file on whose digest everything else in a published folder hangs."""
    index = folder / INDEX
    return index if index.is_file() else folder / MANIFEST


def _finish_curator(staging: Staging) -> Path:
    make_private(staging.curator)
    sync_tree(staging.curator)
    pending = staging.environment / CURATOR / f".pending-{staging.variant}-{sha256(_head(staging.public))}"
    staging.curator.rename(pending)
    sync_folder(pending.parent)
    return pending


def _settle(pending: Path) -> None:
    """Move pending files in if the published manifest or index is the one that they wait for, else discard them."""
    name = PENDING.fullmatch(pending.name)
    head = _head(pending.parent.parent / name.group(1)) if name else None
    if name and head and head.is_file() and sha256(head) == name.group(2):
        _move_in(pending)
    _remove(pending)


def _move_in(pending: Path) -> None:
    """Put each entry in the place of the one of its name; a folder goes in whole, so that nothing of an old one is left."""
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
