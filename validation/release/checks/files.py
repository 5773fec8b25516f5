"""Every file of a release is there, none besides, and each has the bytes that the lists state."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.errors import Problem
from pipeline.places import TASKS
from pipeline.publish.manifest import DATA_FOLDERS, MANIFEST
from pipeline.publish.variant import README
from pipeline.release.layout import ARCHIVE, DESCRIBING, FORMER, RELEASE, SBOM, STATEMENTS, is_copy
from pipeline.release.tasks import OF_NOISE, PUBLIC
from validation.release.opened import Release, ReleasedVariant
from validation.release.tree import entries
from validation.report.documents import KINDS

_OF_TASKS = f"{TASKS}/{MANIFEST}"

_PAGES = ("report.html", "ks.html", "consistency.html", "privacy.html", "noise.html")


def no_links(release: Release) -> Iterator[Problem]:
    """Find what is neither a file nor a folder."""
    for path, what in release.tree.strange.items():
        yield Problem(path, 0, "", what, "expected a regular file: a release holds no links and no devices")


def none_missing(release: Release) -> Iterator[Problem]:
    """Find files that a list names and that are not there, and lists that cannot be read."""
    if release.is_release and not release.head:
        found = "no JSON object" if RELEASE in release.tree.files else "no such file"
        yield Problem(RELEASE, 0, "", found, "expected the list of all files of the release")
    for variant in release.variants:
        if not variant.manifest:
            path = variant.prefix + MANIFEST
            yield Problem(path, 0, "", "no JSON object", "expected the manifest of the variant")
    for list_, listed in _lists(release).items():
        for path in sorted(listed.keys() - release.tree.files.keys()):
            yield Problem(path, 0, "", "no such file", f"expected the file that {list_} names")


def none_besides(release: Release) -> Iterator[Problem]:
    """Find files that no list names."""
    lists = _lists(release)
    if release.head:
        known = {RELEASE, *STATEMENTS, *(path for path in lists[RELEASE] if _is_made(release, path))}
    else:
        known = {path for listed in lists.values() for path in listed}
        known |= {path for variant in release.variants for path in variant.files if _is_usual(variant, path)}
        known |= {variant.prefix + README for variant in release.variants}
    for variant in release.variants:
        listed = lists.get(variant.prefix + MANIFEST, {})
        known -= {path for path in variant.files if _is_data(variant, path) and path not in listed}
    known -= (
        {path for path in release.tree.files if path.startswith(f"{TASKS}/")}
        - lists.get(_OF_TASKS, {}).keys()
        - {_OF_TASKS}
    )
    for path in release.tree.empty if release.is_release else ():
        yield Problem(path, 0, "", "an empty folder", "expected nothing: a release has none")
    for path in sorted((release.tree.files.keys() | release.tree.strange.keys()) - known):
        if not (release.head and path.endswith(ARCHIVE) and "/" not in path):
            what = release.tree.strange.get(path, "a file")
            yield Problem(path, 0, "", what, "expected nothing: no list of the release names it")


def same_bytes(release: Release) -> Iterator[Problem]:
    """Find files with other bytes than a list states."""
    for list_, listed in _lists(release).items():
        for path in sorted(listed.keys() & release.tree.files.keys()):
            stated, size = listed[path], release.tree.files[path]
            try:
                # What is longer than it is listed is not even digested: that might take hours.
                digest = release.tree.digest(path) if release.tree.is_as_long(path) else None
            except OSError as error:
                yield Problem(path, 0, "", f"cannot be read: {error.strerror}", f"expected the file that {list_} names")
                continue
            if (stated.get("bytes"), stated.get("sha256")) != (size, digest):
                found = f"{size:,} bytes" + (f", SHA-256 {digest[:16]}" if digest else "")
                listed_size = stated.get("bytes")
                many = f"{listed_size:,}" if isinstance(listed_size, int) else listed_size
                expected = f"{list_} states {many} bytes, SHA-256 {str(stated.get('sha256'))[:16]}"
                yield Problem(path, 0, "", found, expected)


def _lists(release: Release) -> dict[str, Mapping[str, Mapping[str, Any]]]:
    """Return what each list states of files, by the path of the list; of variants that are not there, nothing."""
    lists = {variant.prefix + MANIFEST: variant.listed for variant in release.variants if variant.manifest}
    if tasks := release.tree.json(_OF_TASKS):
        lists[_OF_TASKS] = {f"{TASKS}/{each['path']}": each for each in entries(tasks)}
    if not release.head:
        return lists
    names = release.head.get("variants")
    here = {variant.name for variant in release.variants}
    elsewhere = set(map(str, names if isinstance(names, list) else [])) - here if release.archive else set()
    listed = {e["path"]: e for e in entries(release.head) if e["path"].partition("/")[0] not in elsewhere}
    return {RELEASE: listed} | lists


def _is_made(release: Release, path: str) -> bool:
    """Say whether a release of Silt can have a file of that name, whatever its head lists."""
    of_tasks = {MANIFEST, *PUBLIC, *(OF_NOISE if release.head.get("discloses_noise") else ())}
    return path in {*DESCRIBING, SBOM, *FORMER, *(f"{TASKS}/{name}" for name in of_tasks)} or any(
        _is_data(variant, path) or _is_usual(variant, path) or is_copy(path.removeprefix(variant.prefix))
        for variant in release.variants
        if path.startswith(variant.prefix)
    )


def _is_usual(variant: ReleasedVariant, path: str) -> bool:
    """Say whether a build writes a file of that name beside the data: manifest, reports and their pages."""
    inner = path.removeprefix(variant.prefix)
    reports = {f"reports/{file}" for file in (*_PAGES, *(f"{name}.json" for name in (*KINDS, "model")))}
    return inner == MANIFEST or inner in reports or _BESIDE_REPORTS.fullmatch(inner) is not None


_BESIDE_REPORTS = re.compile(r"reports/(?:data_docs/[^/]+\.html|tables/[^/]+\.js)")
"""Pages of expectations, and scripts with rows."""


def _is_data(variant: ReleasedVariant, path: str) -> bool:
    return path.removeprefix(variant.prefix).partition("/")[0] in DATA_FOLDERS
