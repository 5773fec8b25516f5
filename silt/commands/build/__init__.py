"""`silt build`, and `silt.build`: build and publish variants of an environment."""

import argparse
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

from pipeline.errors import InputError
from pipeline.model import Environment
from pipeline.publish.variant import VARIANTS
from silt.commands.options import DEFAULT, Commands, add_command, add_settings, variant
from silt.environments.registry import find_environment

if TYPE_CHECKING:
    from assets.wiring.resources import Workspace

_StrPath = str | os.PathLike[str]


class Settings(TypedDict, total=False):
    """The settings of a build, as the command's options have them (`docs/reference.md`)."""

    raw: _StrPath
    noise: _StrPath
    policy: str
    key_file: _StrPath
    reuse_key: bool
    out: _StrPath
    scale: float
    store: _StrPath
    store_size: float
    fresh: bool


def build(
    environment: Environment | str = DEFAULT, variants: Sequence[str] = VARIANTS, **settings: Unpack[Settings]
) -> Path:
    """Build and publish variants of an environment, and return its folder.

    Args:
        environment: The declaration, or what names it on the command line.
        variants: Names of variants: `noisy`, `clean`, or both.
        settings: The options of `silt build`: `raw`, `noise`, `policy`, `key_file`, `reuse_key`, `out`,
            `scale`, `store`, `store_size` and `fresh`. One that
            is not given is as the command has it.

    Raises:
        GateError: A gate refused. Nothing is published; the reports are kept with the curator.
        InputError: Bad settings or bad input, a full or closed disk, or another build at work in the same folder.
        SiltError: A defect in Silt.
    """
    return _build(environment, variants, settings)


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "build", run)
    command.add_argument(
        "variants", nargs="*", type=variant, metavar="VARIANT", help="noisy, clean; both if none is named"
    )
    add_settings(command, noise="noise specification; the environment's noisy.yaml if not given")


def run(options: argparse.Namespace) -> int:
    """Build what the options say."""
    _build(options.environment, options.variants or VARIANTS, settings_of(options))
    return 0


def _build(environment: Environment | str, variants: Sequence[str], settings: Settings) -> Path:
    from silt.commands.build.running import run_jobs  # noqa: PLC0415  (dagster takes seconds to import)

    _refuse_unknown(variants, "variant", VARIANTS)
    declared = find_environment(environment) if isinstance(environment, str) else environment
    return run_jobs(declared, variants, workspace=workspace_of(settings))


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings of a build that options say."""
    return cast("Settings", {name: getattr(options, name) for name in Settings.__annotations__})


def workspace_of(settings: Settings) -> "Workspace":
    """Return settings as the assets take them, or raise `InputError`."""
    from pydantic import ValidationError  # noqa: PLC0415

    from assets.wiring.resources import Workspace  # noqa: PLC0415

    _refuse_unknown(settings, "setting", Settings.__annotations__)
    texts = {name: os.fspath(one) if isinstance(one, os.PathLike) else one for name, one in settings.items()}
    try:
        return Workspace.model_validate(texts)
    except ValidationError as error:
        wrong = error.errors()[0]
        # A key that was given in the place of its file must not be printed.
        found = "what may be a key" if wrong["loc"] == ("key_file",) else repr(wrong["input"])
        raise InputError(f"setting {wrong['loc'][0]!r}: found {found}; {wrong['msg']}") from None


def _refuse_unknown(given: Iterable[str], what: str, known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            raise InputError.unknown(what, name, known)
