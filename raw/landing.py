"""The folder of the generated corpus: written once for each version and scale, whole or not at all, then reused."""

import shutil
import tempfile
from math import inf
from pathlib import Path

from pipeline.disk import reporting_disk
from pipeline.errors import InputError
from pipeline.model import Corpus


def land(corpus: Corpus, root: Path, scale: float) -> Path:
    """Return the folder of the corpus at a scale, generating it if it is not there.

    Raises:
        InputError: The scale is invalid, or the folder cannot be written.
    """
    refuse_bad_scale(scale)
    folder = root / f"v{corpus.version}-scale-{str(scale).removesuffix('.0')}"
    if folder.is_dir():
        return folder
    with reporting_disk(root, otherwise="work in another folder: the generated corpus lands below it"):
        root.mkdir(parents=True, exist_ok=True)
        # A killed run leaves an unfinished folder under another name, never half a corpus under this one.
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=root))
        try:
            corpus.generate(unfinished, scale)
            _move(unfinished, folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def refuse_bad_scale(scale: float) -> None:
    """Raise `InputError` if a corpus cannot have that scale."""
    if not 0 < scale < inf:
        raise InputError(
            f"scale {scale:g} is not a number above 0; 1 is the size of the paper, 0.01 a hundredth of it (--scale, SCALE)"
        )


def _move(unfinished: Path, folder: Path) -> None:
    """Rename into place; another build that was faster has written the same tables."""
    try:
        unfinished.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
