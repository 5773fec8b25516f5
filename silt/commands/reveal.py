"""`silt reveal`: print the identity map in clear, for the curator alone."""

import argparse
import sys
from contextlib import suppress
from pathlib import Path

import polars as pl

from anonymize.policy import POLICIES
from pipeline.errors import InputError, KeyFileError
from pipeline.model import Environment
from pipeline.places import CURATOR
from pipeline.publish.variant import IDENTITY_MAP
from pipeline.small_files import REPORTED, content_of
from silt.commands.options import Commands, add_built, add_command
from silt.commands.waiting import running
from silt.environments.registry import find_environment


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "reveal", run)
    add_built(command, "key_file", "out")


def run(options: argparse.Namespace) -> int:
    """Open the identity map with the key, and print it."""
    environment = find_environment(options.environment)
    sealed = Path(options.out) / environment.name / CURATOR / IDENTITY_MAP
    if not sealed.is_file():
        raise InputError(f"no identity map at {sealed}; build the environment first, or say where it is with --out")
    running(f"opening {sealed}")
    sys.stdout.write(_opened(content_of(sealed, most=REPORTED), environment, options.key_file).write_csv())
    return 0


def _opened(sealed: bytes, environment: Environment, key_file: str) -> pl.DataFrame:
    from anonymize.keys.identity_map import unseal  # noqa: PLC0415
    from anonymize.keys.key_uses import own_key  # noqa: PLC0415
    from anonymize.keys.release_key import DEMONSTRATION_KEY, read_key  # noqa: PLC0415

    if key_file:
        return unseal(sealed, read_key(Path(key_file)))
    if environment.corpus is not None:
        with suppress(KeyFileError):  # then it is of a user's tables, which have a key of their own
            return unseal(sealed, DEMONSTRATION_KEY)
    own = list(dict.fromkeys(own_key(environment.name, policy) for policy in POLICIES))
    there = [file for file in own if file.exists()] or own[:1]
    for file in there[:-1]:
        with suppress(KeyFileError):  # then it was built under another policy
            return unseal(sealed, read_key(file))
    return unseal(sealed, read_key(there[-1]))
