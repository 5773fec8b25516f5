"""How `database/` is mounted: alone, read-only, at /database, in a container without a network. And a trial that it is so."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.release.metadata.pages import page

PLACE = "/database"
IMAGE = "docker.io/library/python:3.13-slim"

_WRITING = f"test -r {PLACE} && ! touch {PLACE}/.written && ! touch {PLACE}/*"
"""What a shell runs in the container; it succeeds if everything can be read and nothing written."""

_SECONDS = 30


@dataclass(frozen=True)
class Mounted:
    """What a trial came to."""

    is_read_only: bool | None
    """None if it could not be made here."""
    outcome: str


def compose(variants: Sequence[str]) -> bytes:
    """Return a file for `docker compose run --rm VARIANT`."""
    return page("compose.yaml", variants=variants, image=IMAGE, place=PLACE)


def commands(variant: str) -> Mapping[str, str]:
    """Return one line for each program that can mount a variant."""
    source = f'"$PWD/{variant}/database"'
    container = f"run --rm -it --network none --read-only --tmpfs /tmp -v {source}:{PLACE}:ro -w {PLACE} {IMAGE} sh"
    isolated = " ".join(_bubblewrap(source))
    return {"docker": f"docker {container}", "podman": f"podman {container}", "bubblewrap": f"{isolated} sh"}


def try_mount(database: Path) -> Mounted:
    """Mount a database as the line for bubblewrap does, and try to write."""
    program = shutil.which("bwrap")
    if program is None:
        return Mounted(None, "no sandbox, since there is no bubblewrap (bwrap) here")
    command = [program, *_bubblewrap(str(database.resolve()))[1:], "sh", "-c", "true"]
    if subprocess.run(command, check=False, capture_output=True, timeout=_SECONDS).returncode:  # noqa: S603  (our own line)
        return Mounted(None, "no sandbox, since bubblewrap (bwrap) may not make namespaces here")
    done = subprocess.run([*command[:-1], _WRITING], check=False, capture_output=True, timeout=_SECONDS)  # noqa: S603
    held = done.returncode == 0
    does = "reads database/ and can write nothing" if held else "CAN WRITE FILES"
    return Mounted(held, f"an agent in a sandbox (bubblewrap) {does}")


def _bubblewrap(source: str) -> list[str]:
    system = "--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64"
    around = f"bwrap --unshare-all --die-with-parent {system} --proc /proc --dev /dev --tmpfs /tmp"
    return [*around.split(), "--ro-bind", source, PLACE, "--chdir", PLACE]
