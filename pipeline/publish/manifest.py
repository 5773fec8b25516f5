"""The manifest: what a variant consists of and what it was built from, the same bytes for the same inputs.

Nothing that differs between two builds of the same inputs belongs in it: no clock, run, machine or outside path.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pipeline.disk import reporting_disk
from pipeline.errors import GateError
from pipeline.publish.files import FileRecord
from pipeline.publish.links import Digests

MANIFEST = "manifest.json"

LIBRARIES = ("faker", "polars", "polars-hash", "scipy")
"""Libraries whose version can change published bytes."""

DATA_FOLDERS = ("database", "ideal")
"""Folders of a variant in which every file must be listed."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """One variant, described."""

    environment: str
    variant: str
    source: str
    """The corpus with its version, or "user tables"."""
    scale: float | None
    """Records relative to the paper; None for tables that are not generated."""
    policy: str
    key_fingerprint: str
    is_demonstration_key: bool
    specs: Mapping[str, str]
    """SHA-256 of each specification by name."""
    versions: Mapping[str, str]
    files: tuple[FileRecord, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Why a declared file, or a part of it, is missing, by its path."""
    column_treatments: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """What became of published columns, by table: treatment -> columns, as far as lineage and declaration say."""
    budget: float | None = None
    """Rho that a release of sampled records spends; absent under a policy that bounds nothing."""
    treated: Sequence[Mapping[str, str | int]] = ()
    """What conforming treated in the raw tables: table, column, cause, treatment, count."""

    def to_bytes(self) -> bytes:
        """Return the manifest as JSON: fields in their order, files and mappings sorted."""
        content = {"format": 1} | asdict(self)
        content["files"] = [asdict(file) for file in sorted(self.files, key=lambda file: file.path)]
        for name in ("specs", "versions", "left_out"):
            content[name] = dict(sorted(content[name].items()))
        if self.budget is None:
            del content["budget"]
        return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


@cache
def software_versions(silt: str) -> Mapping[str, str]:
    """Return the versions on which published bytes depend, Silt's own being given; to read them takes 40 ms."""
    return {"silt": silt} | {library: version(library) for library in LIBRARIES}


def treatments_in(manifest: Mapping[str, Any]) -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return the column treatments that a manifest states; earlier versions called them `fates`."""
    found: Mapping[str, Mapping[str, Sequence[str]]] = manifest.get("column_treatments", manifest.get("fates", {}))
    return found


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest into a variant's folder. It comes last, since it lists all other files."""
    with reporting_disk(folder):
        (folder / MANIFEST).write_bytes(manifest.to_bytes())


def verify_files(folder: Path, digests: Digests | None = None) -> None:
    """Compare a variant's files with its manifest: every listed file must be there unchanged, and every data file be listed.

    `digests` remembers files that stand in other variants, too, so that they are read once.

    Raises:
        GateError: They differ; it names every file concerned.
    """
    digests = digests or Digests()
    listed = {file["path"]: file["sha256"] for file in json.loads((folder / MANIFEST).read_bytes())["files"]}
    there = (path for part in DATA_FOLDERS for path in (folder / part).rglob("*") if path.is_file())
    found = {path.relative_to(folder).as_posix() for path in there}
    missing = sorted(path for path in listed if not (folder / path).is_file())
    changed = sorted(path for path in listed.keys() - set(missing) if digests.of(folder / path) != listed[path])
    unlisted = sorted(found - listed.keys())
    if missing or changed or unlisted:
        raise GateError(
            f"the files of {folder.name!r} are not those of its manifest: missing {missing}, changed {changed}, "
            f"not listed {unlisted}; build again"
        )
