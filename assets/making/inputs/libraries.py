"""Which libraries that are installed a step may run: all but those that only an extra of Silt's brings that no step imports.

Belongs here: reading what libraries need, as they say in their metadata. A library that nothing needs counts: another one may
use it unasked where it is there, as pandas does numexpr.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

_ASIDE = frozenset({"audit", "dev", "setup", "site", "web"})
"""The extras of which no step imports anything: what an audit asks besides, what tests need, the documentation's site, and the
web server."""

_NEEDED = re.compile(r"^Requires-Dist: ([\w.-]+)(?:\[([\w, .-]*)\])?(.*)", re.MULTILINE)

_EXTRA = re.compile(r"extra == ['\"]([\w.-]+)['\"]")

_Needed = tuple[str, Collection[str], str]
"""A library that another one needs: its name, its extras that are needed, and for which extra of the other one, if for one."""


def counting(folders: Iterable[Path]) -> set[str]:
    """Return the names and versions of libraries that are installed in folders and count, as their metadata are called."""
    found = {path.name: path for folder in folders for path in folder.glob("*.*-info")}
    needs = {_name(name): list(_needed(path)) for name, path in found.items()}
    extras = {extra for _, _, extra in needs.get("silt", ()) if extra}
    aside = _reached(needs, extras) - _reached(needs, extras - _ASIDE)
    return {name for name in found if _name(name) not in aside}


def _reached(needs: Mapping[str, Sequence[_Needed]], extras: Collection[str]) -> set[str]:
    """Return what Silt needs with some of its extras, and what that needs."""
    reached, left = set[tuple[str, str]](), [("silt", extra) for extra in ("", *extras)]
    while left:
        if (here := left.pop()) not in reached:
            reached.add(here)
            name, asked = here
            left += [
                (other, extra)
                for other, further, of_extra in needs.get(name, ())
                if of_extra == asked
                for extra in ("", *further)
            ]
    return {name for name, _ in reached}


def _needed(metadata: Path) -> Iterator[_Needed]:
    try:
        text = (metadata / "METADATA").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for name, extras, marker in _NEEDED.findall(text.partition("\n\n")[0]):
        further = [extra.strip() for extra in extras.split(",") if extra.strip()]
        yield from ((_name(name), further, extra) for extra in _EXTRA.findall(marker) or [""])


def _name(name: str) -> str:
    """Return the name of a library, however it is spelt (PEP 503), without its version."""
    return re.sub(
        "[_.]+", "-", name.removesuffix(".dist-info").partition("-")[0] if name.endswith("-info") else name
    ).lower()
