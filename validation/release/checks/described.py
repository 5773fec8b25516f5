"""What a release says of itself is what follows from its files: metadata, bill of materials, archives.

Metadata are made again, as the release made them, from the verifier's declaration. What only its makers chose, licence and
authors, is taken from one of them, and the others have to say the same.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256

from pipeline.errors import InputError, Problem
from pipeline.model import Environment
from pipeline.places import TASKS
from pipeline.publish.formats import FORMATS
from pipeline.publish.manifest import MANIFEST
from pipeline.release.archive import Bounds, digests_of
from pipeline.release.describing import describe, metadata
from pipeline.release.layout import ARCHIVE, CROISSANT, DESCRIBING, DOCUMENTED, RELEASE, SBOM, ReleaseHead, archive_of
from pipeline.release.metadata.croissant import asked_in
from pipeline.release.provenance.requirements import PROJECT, REQUIREMENTS, at_run_time, pinned, read_requirements
from pipeline.release.provenance.sbom import sbom
from pipeline.release.provenance.source import FILES
from pipeline.release.reading import read_as
from pipeline.release.settings import Asked
from validation.release.checks.attested import provenance_of
from validation.release.opened import Release


def metadata_follow(release: Release) -> Iterator[Problem]:
    """Find metadata that say something else than follows from the files, or that should not be there."""
    environment = release.environment
    if environment is None:
        return
    made = metadata_of(release, environment)
    for path in DESCRIBING:
        yield from _differing(release, path, made.get(path))


def metadata_of(release: Release, environment: Environment) -> Mapping[str, bytes]:
    """Return the metadata that follow from the files of a release.

    Raises:
        InputError: Head, licence or authors are none, or a file cannot be read.
    """
    asked, tree = asked_of(release), release.tree
    for variant in release.variants:
        tree.content(variant.prefix + MANIFEST)
        for path in variant.listed:
            tree.table(path)
    if asked.tasks:
        tree.content(f"{TASKS}/{MANIFEST}")
    return metadata(describe(environment, tree.folder, asked))


def asked_of(release: Release) -> Asked:
    """Return what a release says was asked of it, all but the time of its day.

    Raises:
        InputError: It cannot be read, or nobody asks for such a thing.
    """
    head = read_as(ReleaseHead.model_validate_json, release.tree.content(RELEASE), "the head of a release")
    licence, authors = asked_in(release.tree.json(CROISSANT))
    return Asked(
        version=head.version,
        date=int(datetime.fromisoformat(f"{head.released}T00:00:00+00:00").timestamp()),
        documented=head.mode == DOCUMENTED,
        disclose_noise=head.discloses_noise,
        formats=tuple(name for name in FORMATS if any(f"/{name}/" in path for path in release.tree.files)),
        tasks=f"{TASKS}/{MANIFEST}" in release.tree.files,
        license=licence,
        authors=authors,
        variants=head.variants,
    )


def materials_follow(release: Release) -> Iterator[Problem]:
    """Find a bill of materials that is another than the requirements give."""
    date = date_of(release)
    if date is None:
        yield Problem(SBOM, 0, "metadata.timestamp", "", "expected a time of the day that the head names")
        return
    libraries = pinned(read_requirements(FILES))
    needed = at_run_time(libraries, (FILES / PROJECT).read_bytes())
    yield from _differing(release, SBOM, sbom(libraries, needed, silt=release.silt, date=date))


def date_of(release: Release) -> int | None:
    """Return when a release says that it was made, in seconds since 1970; None if it says no time of the day of its head."""
    stated = release.tree.json(SBOM).get("metadata")
    try:
        date = datetime.fromisoformat(str(stated["timestamp"])) if isinstance(stated, dict) else None
    except (KeyError, ValueError):
        return None
    is_of_day = date is not None and date.astimezone(UTC).date().isoformat() == release.head.get("released")
    return int(date.timestamp()) if date is not None and is_of_day else None


def has_own_requirements(release: Release) -> bool:
    """Say whether a release was made with the requirements of whoever verifies it, as far as it says."""
    provenance = provenance_of(release)
    stated = (
        {each.name: each.digest for each in provenance.build_definition.resolved_dependencies} if provenance else {}
    )
    return (stated.get(REQUIREMENTS) or {}).get("sha256") == sha256(read_requirements(FILES)).hexdigest()


def archives_hold_the_same(release: Release) -> Iterator[Problem]:
    """Find archives beside the files of a release that hold something else, and variants that have none."""
    head = read_as(ReleaseHead.model_validate_json, release.tree.content(RELEASE), "the head of a release")
    listed: dict[str, tuple[int, str]] = {each.path: (each.bytes, each.sha256) for each in head.files}
    listed[RELEASE] = (release.tree.files[RELEASE], release.tree.digest(RELEASE))
    expected = {archive_of(head.name, variant): head.paths_of(variant) for variant in head.variants}
    found = {path for path in release.tree.files if path.endswith(ARCHIVE) and "/" not in path}
    for path in sorted(found ^ expected.keys()):
        is_there = path in found
        yield Problem(path, 0, "", "an archive" if is_there else "no such file", "expected one of each variant")
    for path in sorted(found & expected.keys()):
        yield from _of_archive(release, path, {f"{head.name}/{each}": listed[each] for each in expected[path]})


def _of_archive(release: Release, path: str, expected: Mapping[str, tuple[int, str]]) -> Iterator[Problem]:
    if release.tree.files[path] > Bounds().bytes:
        yield Problem(path, 0, "", f"{release.tree.files[path]:,} bytes", "expected no more than an archive may hold")
        return
    try:
        held = digests_of(release.tree.folder / path)
    except InputError as error:
        yield Problem(path, 0, "", str(error), "expected an archive of the files beside it")
        return
    for each in sorted(held.keys() | expected.keys()):
        if held.get(each) != expected.get(each):
            what = "no such file" if each not in held else f"{held[each][0]:,} bytes, SHA-256 {held[each][1][:16]}"
            yield Problem(path, 0, each, what, "expected what the head lists")


def _differing(release: Release, path: str, made: bytes | None) -> Iterator[Problem]:
    if path not in release.tree.files or made is None:
        if (path in release.tree.files) != (made is not None):
            found = "a file" if made is None else "no such file"
            yield Problem(
                path, 0, "", found, f"expected {'nothing' if made is None else 'what follows from the files'}"
            )
        return
    found_lines, expected = release.tree.content(path).splitlines(), made.splitlines()
    if release.tree.content(path) != made:
        pairs = enumerate(zip(found_lines, expected, strict=False), 1)
        line = next((number for number, (one, other) in pairs if one != other), min(len(found_lines), len(expected)))
        yield Problem(path, line, "", "", "expected what follows from the files of the release")
