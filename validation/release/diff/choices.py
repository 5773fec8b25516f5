"""What makers of two releases chose otherwise, as the releases say, and which files differ because of it.

Belongs here: choices that change no data. What gives data another meaning stands in `differences.py`. A build states none.
"""

from collections.abc import Collection, Mapping

from pipeline.places import TASKS
from pipeline.publish.formats import FORMATS
from pipeline.publish.variant import NOISY, VARIANTS
from pipeline.release import layout
from pipeline.release.metadata.croissant import licence_in
from pipeline.wording import counted
from validation.release.checks.tasks import has_tasks
from validation.release.opened import Release

Choices = Mapping[str, tuple[str, str]]
"""What was chosen otherwise, and both sides of it."""

_NOISE, _COLUMNS, _TASKS, _VERSION = "noise disclosed", "columns explained", "tasks published", "version"
_FORMATS = "further formats"

_FOLLOWS: Mapping[str, tuple[str, ...]] = {
    _TASKS: (f"{TASKS}/",),
    _COLUMNS: (layout.DICTIONARY_CSV, layout.DICTIONARY_PAGE),
    _NOISE: (f"{NOISY}/{layout.REPORTS}/",),
    _FORMATS: tuple(f"{variant}/{each}/" for variant in VARIANTS for each in FORMATS),
}
"""Choice -> the files that follow from it, or the folder below which all do."""

OTHER_BYTES = "with other bytes"
"""How files differ that are in both."""

_STATE = (layout.RELEASE, *layout.DESCRIBING, *layout.STATEMENTS)
"""Files that state what was chosen."""


def choices(first: Release, second: Release) -> Choices:
    """Return what was chosen otherwise; nothing where one of them is no release."""
    if not (first.head and second.head):
        return {}
    one, other = _chosen(first), _chosen(second)
    return {name: (one[name], other[name]) for name in one if one[name] != other[name]}


def folded(
    chosen: Choices, sides: Mapping[str, Collection[str]], *, is_same_data: bool
) -> tuple[list[str], Mapping[str, list[str]]]:
    """Return what is said of files that follow from choices, counted, and the paths of all others.

    Args:
        sides: How files differ -> their paths.
        is_same_data: Whether reports in both cannot differ because of what they report on.
    """
    said, left = [], {side: list(paths) for side, paths in sides.items()}
    for choice, starts in {**_FOLLOWS, "": _STATE}.items():
        if not (choice in chosen or (chosen and not choice)):
            continue
        of_choice = {side: [path for path in paths if path.startswith(starts)] for side, paths in left.items()}
        if choice == _NOISE and not is_same_data:
            of_choice[OTHER_BYTES] = []
        left = {side: [path for path in paths if path not in of_choice[side]] for side, paths in left.items()}
        counts = ", ".join(f"{len(paths):,} {side}" for side, paths in of_choice.items() if paths)
        which = ", ".join(f"{each}*" if each.endswith("/") else each for each in starts if _is_in(each, of_choice))
        if counts:
            said.append(f"{f'by {choice!r}' if choice else 'stating these choices'}: {counts} ({which})")
    archives = [path for paths in left.values() for path in paths if _is_archive(path)]
    if _VERSION in chosen and archives:
        left = {side: [path for path in paths if path not in archives] for side, paths in left.items()}
        said.append(f"by {_VERSION!r}: {counted(len(archives), 'archive')}, whose names hold it")
    return said, left


def _chosen(release: Release) -> Mapping[str, str]:
    head, card = release.head, release.tree.json(layout.CROISSANT)
    creators = card.get("creator")
    licence = licence_in(card)
    names = [str(each.get("name")) for each in creators if isinstance(each, dict)] if isinstance(creators, list) else []
    formats = [each for each in FORMATS if any(path.split("/")[1:2] == [each] for path in release.tree.files)]
    return {
        _NOISE: _yes(head.get("discloses_noise")),
        _COLUMNS: _yes(head.get("mode") == layout.DOCUMENTED),
        _TASKS: _yes(has_tasks(release)),
        _FORMATS: ", ".join(formats) or "none",
        "licence": "none stated" if licence == layout.OTHER_LICENSE else licence,
        "authors": "; ".join(names) or "none",
        _VERSION: str(head.get("version")),
        "day": str(head.get("released")),
        "Silt": release.silt,
    }


def _yes(given: object) -> str:
    return "yes" if given else "no"


def _is_in(start: str, sides: Mapping[str, Collection[str]]) -> bool:
    return any(path.startswith(start) for paths in sides.values() for path in paths)


def _is_archive(path: str) -> bool:
    return "/" not in path and path.endswith(layout.ARCHIVE)
