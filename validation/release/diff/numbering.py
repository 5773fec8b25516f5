"""The number that a later release needs at least, by the step at which it follows an earlier one."""

from typing import Literal

from pipeline.release.layout import VERSION

Step = Literal["none", "patch", "minor", "major"]

_LONGEST = 100
"""Characters of a version that is read (our choice): a stranger's may be of any length."""


def least(version: str, step: Step) -> str:
    """Return the lowest number of a release that follows another; empty if the other has none, or nothing differs."""
    numbers = _numbers(version)
    if numbers is None or step == "none":
        return ""
    major, minor, patch = numbers
    if "-" in version:  # 1.1.0-rc.1 promises nothing yet
        return f"{major}.{minor}.{patch}"
    return {"major": f"{major + 1}.0.0", "minor": f"{major}.{minor + 1}.0", "patch": f"{major}.{minor}.{patch + 1}"}[
        step
    ]


def in_words(versions: tuple[str, str], step: Step) -> str:
    """Return the number that the second of two needs, and whether its own is enough; empty where one has none."""
    needed, given = least(versions[0], step), _numbers(versions[1])
    if not needed or given is None:
        return ""
    is_enough = given >= (_numbers(needed) or ())
    return f"at least {needed}: {versions[1]} is {'enough' if is_enough else 'too low'}"


def _numbers(version: str) -> tuple[int, ...] | None:
    found = VERSION.fullmatch(version) if len(version) <= _LONGEST else None
    return tuple(map(int, found.group(1, 2, 3))) if found else None
