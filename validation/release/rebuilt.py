"""Explains why what was built again differs from a release: which input differs, or where the difference first shows.

Building belongs to the commands. A rebuild has no stages of the first build to compare with, only its public files: so the
stage is read from them. What is the same without noise and differs with it came with noise.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.conform.source import HEADER_ROWS
from pipeline.errors import Problem
from pipeline.model import Environment, PublishedTable
from pipeline.publish.variant import CLEAN, NOISY
from pipeline.release.layout import DEIDENTIFICATION, STATEMENTS, is_copy
from validation.release.checks.attested import envelopes
from validation.release.diff.differences import cause_of
from validation.release.opened import Release, ReleasedVariant

_STAGES = {"names": "anonymised", "prose": "anonymised", "figures": "anonymised or derived", "other": "rendered"}


_NOT_COMPARED = (
    "Compared: data, manifests and reports of the variants. Not compared: what `silt release` makes of them (pages, "
    "metadata, further formats, statements, archives), since the release does not say with which options."
)
_ALL_COMPARED = (
    "Compared: every file of the release, but for signatures, and for the provenance, whose inputs are compared."
)


@dataclass(frozen=True)
class Input:
    """Something that a release was built from: what it states of it, and what was given now."""

    what: str
    stated: object
    given: object

    @property
    def differs(self) -> bool:
        """Say whether the two are not the same."""
        return self.stated != self.given

    def __str__(self) -> str:
        return f"{self.what}: the release states {self.stated!r}, given now {self.given!r}"


def inputs(manifest: Mapping[str, Any], given: Mapping[str, Any]) -> list[Input]:
    """Compare what a manifest states of how it was made with what was given now: fields of manifests, nested ones as well."""
    found = []
    for name, value in given.items():
        stated = manifest.get(name)
        if isinstance(value, Mapping):
            listed = stated if isinstance(stated, Mapping) else {}
            found += [Input(f"{name} {part}", listed.get(part), each) for part, each in value.items()]
        else:
            found.append(Input(name.replace("_", " "), stated, value))
    return found


def differing_files(first: Release, again: Release) -> list[str]:
    """Return the files of a release that were not made again to the same bytes, data first.

    Where no release was made again, those of the variants are compared, without what releases add to them.
    """
    if again.is_release:
        paths = [path for path in first.tree.files if path not in STATEMENTS]
        said = [DEIDENTIFICATION] if _attested(first) not in {None, _attested(again)} else []
        # An archive has the files of one variant; a folder that has fewer than were made lacks some.
        said += [path for path in again.tree.files if path not in first.tree.files] if first.archive is None else []
    else:
        of_builds = ((path, path.removeprefix(each.prefix)) for each in first.variants for path in each.files)
        pages = ".html" if first.is_release else None
        paths = [path for path, inner in of_builds if not is_copy(inner) and Path(path).suffix != pages]
        said = []
    different = said + [
        path for path in paths if path not in again.tree.files or not first.tree.is_same(path, again.tree)
    ]
    return sorted(different, key=lambda path: (_rank(path), path))


def _attested(release: Release) -> bytes | None:
    """Return what is attested of how the release protects; None if nothing is."""
    envelope = envelopes(release).get(DEIDENTIFICATION)
    return envelope.payload if envelope else None


def first_difference(first: Release, again: Release) -> Problem | None:
    """Return the first file, row and column that differ, and by which stage they came to; None if all bytes are the same."""
    for path in differing_files(first, again):
        variant = next((each for each in first.variants if path in each.files), None)
        if path not in again.tree.files:
            return Problem(path, 0, "", "no such file", "expected the file that the release has (stage: published)")
        if path not in first.tree.files:
            return Problem(path, 0, "", "a file", "expected none, since the release has none (stage: released)")
        other = again.variant(variant.name) if variant else None
        if variant is None or other is None:
            return Problem(path, 0, "", "other bytes", "expected those of the release (stage: released)")
        table = variant.declared.get(path)
        found = _of_table(variant, other, path, table) if table is not None else None
        return found or Problem(path, 0, "", "other bytes", f"expected those of the release (stage: {_stage_of(path)})")
    return None


def _of_table(variant: ReleasedVariant, again: ReleasedVariant, path: str, table: PublishedTable) -> Problem | None:
    """Return the first cell that differs."""
    one, other = variant.read(path), again.read(path)
    if one is None or other is None or one.columns != other.columns:
        return None
    if one.height != other.height:
        expected = f"expected {one.height:,} records (stage: {_stage(variant, table, '')})"
        return Problem(path, 0, "", f"{other.height:,} records", expected)
    rows = {
        name: differing[0] for name in one.columns if (differing := one[name].ne_missing(other[name]).arg_true()).len()
    }
    if not rows:
        return Problem(path, 0, "", "the same cells", "expected the same bytes (stage: published)")
    column = min(rows, key=lambda name: rows[name])
    row = rows[column]
    found, expected = (frame[column][row] or "nothing" for frame in (other, one))
    stage = _stage(variant, table, column)
    return Problem(path, row + 1 + HEADER_ROWS, column, found, f"expected {expected!r} (stage: {stage})")


def _stage(variant: ReleasedVariant, table: PublishedTable, column: str) -> str:
    if variant.name != CLEAN:
        return "noisy"
    return (
        _STAGES.get(cause_of(variant.environment, table, column), "rendered") if column else "conformed or anonymised"
    )


def _rank(path: str) -> int:
    """Order files by how early what they hold is made: clean tables, noisy ones, reports, what is said of the release."""
    if "/" not in path:
        return 3
    is_data = "/database/" in f"/{path}" or "/ideal/" in f"/{path}"
    return (0 if not path.startswith(f"{NOISY}/") else 1) if is_data else 2


def _stage_of(path: str) -> str:
    return "reports" if "/reports/" in f"/{path}" else "published"


def explained(found: list[Input], first: Release, again: Release, environment: Environment) -> Iterator[str]:
    """Yield what differs and why, a line each; if all bytes are the same, that alone, and what was not compared."""
    different = differing_files(first, again)
    if first.is_release:
        yield _ALL_COMPARED if again.is_release else _NOT_COMPARED
    if not different:
        count = len(first.tree.files) if again.is_release else sum(len(variant.files) for variant in first.variants)
        yield f"Built again: all {count:,} files of {environment.name} are the same, byte for byte."
        return
    yield f"Built again with other bytes in {len(different):,} files."
    differing = [each for each in found if each.differs]
    yield from (f"  input    {each}" for each in differing)
    if not differing:
        yield "  No input is known to differ: see the raw tables, the code, or the machine."
    yield f"  first    {first_difference(first, again)}"
    yield from (f"  differs  {path}" for path in different)
