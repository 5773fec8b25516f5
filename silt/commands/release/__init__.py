"""`silt release`: make a release of what is built, and the keys and proofs that belong to releases."""

import argparse
import os
import shlex
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from assets.settings import BuildSettings
from pipeline.errors import InputError, KeyFileError
from pipeline.publish.variant import CLEAN, VARIANTS
from pipeline.release.layout import OF_CURATOR, RELEASE, STAGING, STATEMENTS, name_of
from pipeline.release.provenance.source import release_date, source_of
from pipeline.release.settings import Asked, ReleaseSettings
from pipeline.release.tasks import are_of_build, refuse_no_tasks, refuse_other_tasks
from pipeline.settings import settings_from
from pipeline.wording import counted
from silt.commands.build import workspace_from
from silt.commands.options import Commands, add_command, add_settings, given, variant
from silt.commands.release.signing import add_signing, make, passphrase_of
from silt.commands.saying import say
from silt.commands.waiting import running
from silt.environments.registry import find_environment

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from pipeline.model import Environment


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "release", run)
    command.add_argument(
        "variants", nargs="*", type=variant, metavar="VARIANT", help="noisy, clean; both if none is named"
    )
    add_settings(command, ReleaseSettings)
    parquet = "the same as --format parquet"
    command.add_argument("--parquet", action="append_const", dest="formats", const="parquet", help=parquet)
    disclose = "print the proof that a row of a raw table (the header is row 1) went into the release, and end"
    command.add_argument("--disclose", nargs=2, default=(), metavar=("TABLE", "ROW"), help=disclose)
    add_signing(command)
    add_settings(command, BuildSettings)


def run(options: argparse.Namespace) -> int:
    """Do what the options say."""
    if options.make_signing_key:
        say(make(options))
        return 0
    variants = tuple(options.variants) or VARIANTS
    settings = settings_from(ReleaseSettings, vars(options) | {"variants": variants})
    environment = find_environment(options.environment)
    if options.disclose:
        _disclose(environment, options)
    else:
        _release(environment, settings, options)
    return 0


def _release(environment: "Environment", settings: ReleaseSettings, options: argparse.Namespace) -> None:
    running("loading what it needs")
    from assets.release import refuse_used_key  # noqa: PLC0415  (dagster takes seconds to import)
    from pipeline.conform import conform  # noqa: PLC0415
    from pipeline.release.assembling import refuse_other_tables  # noqa: PLC0415
    from silt.commands.build.recorded import run_release  # noqa: PLC0415
    from silt.commands.build.running import NO_RELEASE, requested, run_jobs  # noqa: PLC0415
    from silt.commands.build.summary import show  # noqa: PLC0415
    from silt.commands.release.summary import left_open, summary  # noqa: PLC0415
    from silt.engines import refuse_unknown  # noqa: PLC0415

    signer, workspace = _signer(options), workspace_from(options)
    built = VARIANTS if settings.tasks else settings.variants  # tasks are those of the clean tables
    # What would be refused at the end is refused before anything is built, or at least before anything is made of it.
    release_date(os.environ, source_of())
    refuse_unknown(workspace.engine)
    build, named = Path(options.out, environment.name), ["--environment", options.environment]
    make_tasks = shlex.join(["silt", "tasks", "make", *named, *_given(options, "out", "key_file")])
    if settings.tasks:
        refuse_no_tasks(build, make_tasks)
    request = requested(environment, built, workspace)
    if settings.tasks and (build / CLEAN).is_dir() and not request.replaced([CLEAN]):
        refuse_other_tasks(build, make_tasks)
    try:
        refuse_used_key(request, settings)
    except KeyFileError:
        # Whoever gives bad tables reads of these first; tables that are right take seconds here.
        conform(environment.raw_tables, request.raw, kinds=environment.kinds, panel=environment.panel)
        raise
    say(*(f"  {name:<10} {text}" for name, text in left_open(settings)), to=sys.stderr)
    outcome = run_jobs(environment, built, workspace=workspace)
    if settings.tasks:
        refuse_other_tasks(build, make_tasks)
    # What is next is said of the release, which is made here, whatever the key was used for.
    originals = [line for line in outcome.originals if NO_RELEASE not in line]
    show(outcome.model_copy(update={"next": "", "originals": originals}), sys.stderr)
    asked = Asked(**asdict(settings), date=release_date(os.environ, source_of()))
    refuse_other_tables(environment, build, Path(settings.releases), asked)
    say("  releasing  metadata, archives and statements, which are then verified", to=sys.stderr)
    running(partial(_so_far, Path(settings.releases), set()))
    head = Path(settings.releases, name_of(environment.name, settings.version), RELEASE)
    before = head.read_bytes() if head.is_file() else b""
    folder = run_release(environment, settings, workspace=workspace, signer=signer)
    safe, is_same = outcome.verdicts.get("safe", ""), before == head.read_bytes()
    inputs, has_tasks = _given(options, "raw", "key_file"), are_of_build(build)
    say(
        summary(folder, settings, environment, inputs=inputs, is_same=is_same, safe=safe, has_tasks=has_tasks),
        to=sys.stderr,
    )


def _given(options: argparse.Namespace, *names: str) -> list[str]:
    """Return some of the options of a build as they were given."""
    return given(settings_from(BuildSettings, {name: getattr(options, name) for name in names}))


def _so_far(releases: Path, seen: set[str]) -> str:
    """Return what of a release is made now, as its files show: a release of millions of records takes a minute.

    Args:
        releases: Folder below which it is staged.
        seen: Names of files that were there before, to which those that are there now are added.
    """
    files = [name for _, _, names in os.walk(releases / STAGING) for name in names]
    if RELEASE in seen and not files:
        return "finishing"  # it is whole, and was moved to its place
    seen.update(files)
    if {*STATEMENTS} & {*files}:
        return "verifying the release"
    return "packing archives" if RELEASE in files else f"releasing, {counted(len(files), 'file')} so far"


def _disclose(environment: "Environment", options: argparse.Namespace) -> None:
    curator = Path(options.releases) / (name_of(environment.name, options.version) + OF_CURATOR)
    raw = workspace_from(options).request(environment).raw
    sys.stdout.buffer.write(disclosed(environment, *options.disclose, raw=raw, curator=curator))


def disclosed(environment: "Environment", table: str, row: str, *, raw: Path, curator: Path) -> bytes:
    """Return the proof that a row of a raw table went into a release, as JSON.

    Raises:
        InputError: There is no such table, row or release, or the row is no longer what it was.
    """
    from pipeline.release.provenance.raw_tables import disclose  # noqa: PLC0415

    tables = {each.name: each for each in environment.raw_tables}
    if table not in tables:
        raise InputError.unknown("raw table", table, tables)
    if not (row.isascii() and row.isdigit()):
        raise InputError(f"found {row!r} for a row; expected its number in the file, of which the header is row 1")
    return disclose(tables[table], int(row), raw=raw, curator=curator).model_dump_json(indent=2).encode() + b"\n"


def _signer(options: argparse.Namespace) -> "Ed25519PrivateKey | None":
    from pipeline.release.provenance.signing_key import read_signing_key  # noqa: PLC0415

    return read_signing_key(Path(options.sign), passphrase_of(options, options.sign)) if options.sign else None
