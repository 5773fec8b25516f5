"""The folder of the generated corpus: written once for each version and scale, whole or not at all, then reused as it was."""

import json
import shutil
import tempfile
from pathlib import Path

from pipeline.disk import reporting_disk
from pipeline.errors import InputError
from pipeline.model import Corpus
from pipeline.publish.files import sha256
from raw.scale import refuse_bad_scale

_NOTE = ".generated.json"
"""The file beside the tables that holds the digest of each as it was generated."""


def land(corpus: Corpus, root: Path, scale: float) -> Path:
    """Return the folder of the corpus at a scale, generating it if it is not there.

    Raises:
        InputError: The scale is invalid, the folder cannot be written, or what lies there is not what was generated.
    """
    refuse_bad_scale(scale)
    folder = root / f"v{corpus.version}-scale-{str(scale).removesuffix('.0')}"
    if not (folder / _NOTE).is_file():
        _generate(corpus, root, folder, scale)
    _refuse_changed(folder)
    return folder


def _generate(corpus: Corpus, root: Path, folder: Path, scale: float) -> None:
    """Generate the corpus; where an earlier version of Silt did and made no note, only the note is new."""
    with reporting_disk(root, otherwise="work in another folder: the generated corpus lands below it"):
        root.mkdir(parents=True, exist_ok=True)
        # A killed run leaves an unfinished folder under another name, never half a corpus under this one.
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=root))
        try:
            corpus.generate(unfinished, scale)
            (unfinished / _NOTE).write_text(json.dumps(_digests(unfinished), indent=1), encoding="utf-8")
            if folder.is_dir():
                (unfinished / _NOTE).replace(folder / _NOTE)
            else:
                _move(unfinished, folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def _refuse_changed(folder: Path) -> None:
    noted, found = json.loads((folder / _NOTE).read_text(encoding="utf-8")), _digests(folder)
    other = sorted(name for name in {*noted, *found} if noted.get(name) != found.get(name))
    if other:
        raise InputError(
            f"{folder} holds a generated corpus, and is not as it was generated: {', '.join(other)}; remove the folder, and it "
            "is generated again, or give tables of your own with --raw (RAW)"
        )


def _digests(folder: Path) -> dict[str, str]:
    """Return the digest of each file of a folder that is not hidden."""
    return {path.name: sha256(path) for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] != "."}


def _move(unfinished: Path, folder: Path) -> None:
    """Rename into place; another build that was faster has written the same tables."""
    try:
        unfinished.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
