"""Stages variants, publishes them together with their curator files, and recovers after a kill. Callers write the staged files.

A folder of variants with an index is published whole, like a single variant.

    <environment>/.lock                                  held (flock) by the one build or audit at work; says who it is
    <environment>/.staging/<variant>                     being built; mode 0700 above it, since no gate has seen it
    <environment>/.staging/.journal                      which variants are being swapped in; none before the first of them
    <environment>/.retired/<variant>                     the old variant between two renames, if nothing can exchange folders
    <environment>/<variant>                              published
    <environment>/.staging/.scratch-<variant>            needed while it is being built
    <environment>/curator/.staging/<variant>             its curator files being built
    <environment>/curator/.staging/.scratch-<variant>    needed meanwhile, and for the curator alone
    <environment>/curator/refused/<variant>              the last build in which something escaped: what would be published
    <environment>/curator/refused/reports                of the last build that another gate refused (`refusal.py`)

When everything staged is on the disk, the journal is written: from then on the new build is the one that counts. Its variants
are swapped in, and its curator files move into place. `recover` goes on from wherever a killed build stopped; without a
journal it removes what was staged.
"""

import fcntl
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pipeline.disk import reporting_disk, sync_folder, sync_tree
from pipeline.errors import InputError
from pipeline.places import CURATOR
from pipeline.private import make_private, private_folder, private_lock, replace_file
from pipeline.publish.files import digest_of_tree
from pipeline.publish.index import INDEX, verify_index
from pipeline.publish.manifest import MANIFEST, verify_files
from pipeline.publish.swap import put_in_place

LOCK = ".lock"
STAGING = ".staging"
RETIRED = ".retired"
REFUSED = "refused"
WOULD_BE_PUBLISHED = "would_be_published"
JOURNAL = f"{STAGING}/.journal"

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
def exclusive(environment: Path, *, holder: str = "") -> Iterator[None]:
    """Hold an environment's folder (made if it is missing), and recover it at the start and at the end.

    Whatever makes, publishes or reads variants happens inside; leftovers in staging are removed.

    Args:
        holder: Who the refusal of others says is at work; by default the command of this process.

    Raises:
        InputError: Somebody else holds it, or it cannot be written.
    """
    with locked(environment, holder=holder):
        recover(environment)
        try:
            yield
        finally:
            recover(environment)


@contextmanager
def locked(folder: Path, *, holder: str = "") -> Iterator[None]:
    """Hold a folder's lock (the folder is made if missing), or raise `InputError`. A killed process releases it."""
    with reporting_disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
        # The lock file is never removed: another build could hold a lock on the removed one.
        lock = private_lock(folder / LOCK)
    with lock:
        _take(lock, folder, holder or f"{' '.join([Path(sys.argv[0]).name, *sys.argv[1:2]])} (process {os.getpid()})")
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


def publish_together(environment: Path, staged: Sequence[Staging]) -> Mapping[str, str]:
    """Replace published variants and their curator files by the staged ones, all or none; return each one's digest.

    A kill at any moment leaves each variant old or new, and `recover` makes all of them and the curator's files match.

    Raises:
        GateError: The staged files are not those of the staged manifest.
        InputError: The disk is full or read-only; the old variants are untouched.
    """
    with reporting_disk(environment):
        for staging in staged:
            _verify(staging.public)
            make_private(staging.curator)
            # On the disk before any rename: after a power cut a renamed folder must have its content.
            sync_tree(staging.public)
            sync_tree(staging.curator)
        digests = {staging.variant: digest_of_tree(staging.public) for staging in staged}
        _write_journal(environment, digests)
        _complete(environment)
        for staging in staged:
            _remove(staging.refused)
    return digests


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
        shutil.move(staging.public, staging.refused / WOULD_BE_PUBLISHED)
        shutil.move(staging.curator, staging.refused / CURATOR)
    return staging.refused


def recover(environment: Path) -> None:
    """Complete or undo the publishing of a killed build, and remove its staging. Never call it while a build is at work.

    Raises:
        InputError: The folder cannot be written.
    """
    with reporting_disk(environment):
        if (environment / JOURNAL).is_file():
            _complete(environment)
        for left in (RETIRED, STAGING, f"{CURATOR}/{STAGING}"):
            _remove(environment / left)


def _take(lock: BinaryIO, folder: Path, holder: str) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(
            f"{_holder(folder / LOCK)} is at work in {folder}; wait for its end, or build into another folder with --out (OUT)"
        ) from error
    with reporting_disk(folder):
        lock.truncate(0)
        lock.write(holder.encode())
        lock.flush()


def _holder(lock: Path) -> str:
    """Return who holds a lock. The holder writes that just after taking it, so wait up to a second for it."""
    for _ in range(20):
        if holder := lock.read_text(encoding="utf-8"):
            return holder
        time.sleep(0.05)
    return "another build"


def _verify(folder: Path) -> None:
    if _head(folder).name == INDEX:
        verify_index(folder)
    else:
        verify_files(folder)


def _head(folder: Path) -> Path:
    """Return the file whose digest covers everything else in a published folder: manifest or index."""
    index = folder / INDEX
    return index if index.is_file() else folder / MANIFEST


def _write_journal(environment: Path, digests: Mapping[str, str]) -> None:
    """Write down which variants are swapped in, and by what one sees that they are in place."""
    sync_folder(environment / CURATOR / STAGING)
    sync_folder(environment / CURATOR)
    replace_file(environment / JOURNAL, json.dumps(digests).encode())
    sync_folder(environment)


def _complete(environment: Path) -> None:
    """Swap in what the journal names and is not in place yet; then nothing is left of the journal."""
    journal = environment / JOURNAL
    staged = {Staging(environment, variant): digest for variant, digest in json.loads(journal.read_bytes()).items()}
    (environment / RETIRED).mkdir(exist_ok=True)
    for staging, digest in staged.items():
        if staging.public.exists() and digest_of_tree(staging.target) != digest:
            put_in_place(staging.public, staging.target, environment / RETIRED / staging.variant)
    for staging in staged:
        if staging.curator.exists():
            _move_in(staging.curator, environment / CURATOR)
    journal.unlink()
    sync_folder(journal.parent)


def _move_in(staged: Path, folder: Path) -> None:
    """Replace each entry by the staged one of its name. A folder goes in whole, so that nothing of the old one remains."""
    for entry in sorted(staged.iterdir()):
        target = folder / entry.name
        if entry.is_dir():
            _remove(target)
        entry.replace(target)
    sync_folder(folder)


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
