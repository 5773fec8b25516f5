"""How commands open a release: folder or archive, with the verifier's own declaration of its environment."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pipeline.release.provenance.signing_key import read_public_key
from silt.commands.options import Commands, Run
from silt.environments.registry import ENVIRONMENTS, find_environment
from validation.release.opened import Release, environment_of, opened


def add_released(commands: Commands, name: str, run: Run, text: str) -> argparse.ArgumentParser:
    """Declare a command on releases, which say themselves of which environment they are."""
    command = commands.add_parser(name, help=text, description=text)
    known = f"{', '.join(ENVIRONMENTS)}, or FILE.py:NAME for your own"
    declared = f"your declaration of the environment: {known}; the shipped one that the release names if not given"
    command.add_argument("--environment", default="", help=declared)
    command.set_defaults(run=run)
    return command


@contextmanager
def opened_release(path: Path, environment: str, public_key: Path | None = None) -> Iterator[Release]:
    """Give a release with the declaration of its environment: a shipped one by the name that it states, or the given one.

    Raises:
        InputError: It is no release, or of another environment.
    """
    name = environment_of(path)
    declared = find_environment(environment) if environment else ENVIRONMENTS.get(name)
    key = read_public_key(public_key) if public_key else None
    yield replace(opened(path, declared), public_key=key)
