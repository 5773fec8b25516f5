"""What a finished release says at its end: where it is, how large it is, what to do next."""

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.model import Environment
from pipeline.publish.draft import MAY_KNOW
from pipeline.release.layout import LINKS, OF_CURATOR, OTHER_LICENSE, archive_of
from pipeline.release.metadata.mounting import try_mount
from pipeline.release.provenance.signing_key import public_file
from pipeline.release.settings import ReleaseSettings
from silt.commands.diff import in_words


def summary(
    folder: Path,
    settings: ReleaseSettings,
    environment: Environment,
    *,
    inputs: Sequence[str],
    is_same: bool,
    safe: str,
    has_tasks: bool,
) -> str:
    """Return the lines for whoever releases.

    Args:
        inputs: The options that name raw tables and key.
        is_same: Whether what came out is what was there.
        safe: Whether the build is safe to publish, in words.
        has_tasks: Whether tasks were made of the build.
    """
    from validation.report.head.verdicts import says_yes  # noqa: PLC0415

    variants = settings.variants
    declared = ["--environment", environment.argument] if environment.declared_in else []
    signed = []
    if settings.sign and (public := public_file(Path(settings.sign))).is_file():
        signed = ["--public-key", str(public)]
    archives = [folder / archive_of(folder.name, variant) for variant in variants]
    lines = [
        ("unchanged" if is_same else "released", str(folder)),
        *(("archive", f"{archive}, {archive.stat().st_size / 1e6:.1f} MB") for archive in archives),
        ("tried", try_mount(folder / variants[0] / "database").outcome),
        *(("linkage", link) for link in _links(folder.with_name(folder.name + OF_CURATOR) / LINKS)),
        *(() if says_yes(safe) else [("warning", f"Safe to publish? {safe}. Others get it only {MAY_KNOW}.")]),
        *(("look at", line) for line in _not_given(settings, has_tasks=has_tasks)),
        ("next", shlex.join(["silt", "verify", str(folder), *declared, *signed])),
        ("rebuild", shlex.join(["silt", "rebuild", str(folder), *declared, *inputs])),
    ]
    return "\n".join(f"  {name:<10} {text}" for name, text in lines)


def left_open(settings: ReleaseSettings) -> Iterator[tuple[str, str]]:
    """Yield what to know before minutes go into a release: what it will lack, for want of which it would be made again."""
    if lacking := [f"no {option}" for option in _lacking(settings)]:
        yield "look at", f"this release will have {' and '.join(lacking)}; Ctrl-C ends it, to add what is missing"


def _lacking(settings: ReleaseSettings) -> dict[str, str]:
    """Return the options that any release should be given and this one is not, and what is so without each."""
    without = {
        "--license": "" if settings.license != OTHER_LICENSE else "nobody knows what may be done with the data",
        "--author": "" if settings.authors else "nobody knows whom to cite",
        "--sign": "" if settings.sign else "it is unsigned, and nobody can tell a forgery from it",
    }
    return {option: what for option, what in without.items() if what}


def _not_given(settings: ReleaseSettings, *, has_tasks: bool) -> Iterator[str]:
    for option, what in _lacking(settings).items():
        yield f"no {option}: give it (and --replace), or {what}"
    if has_tasks and not settings.tasks:
        yield "tasks were made of this build, and are not in the release: give --tasks (and --replace)"


def _links(file: Path) -> Iterator[str]:
    for earlier, entries in json.loads(file.read_bytes()).items() if file.is_file() else ():
        yield from (f"with {earlier}: {in_words(entry)}" for entry in entries)
