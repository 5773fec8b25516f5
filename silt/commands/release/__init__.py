"""`silt release`: make a release of what is built, and the keys and proofs that belong to releases."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.publish.formats import refuse_unsteady
from pipeline.publish.variant import VARIANTS
from pipeline.release.layout import (
    OF_CURATOR,
    OTHER_LICENSE,
    name_of,
    refuse_no_author,
    refuse_no_license,
    refuse_no_version,
)
from silt.commands.build import settings_of, workspace_of
from silt.commands.build.workers import started
from silt.commands.options import Commands, add_command, add_settings, variant
from silt.commands.release.disclosing import disclosed
from silt.commands.release.signing import add_signing, make, passphrase_of
from silt.commands.saying import say
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
    command.add_argument("--version", default="", help="MAJOR.MINOR.PATCH, as in 1.0.0")
    command.add_argument("--releases", default="releases", help="folder of releases (default: %(default)s)")
    documented = "explain every column, beside the data; without it agents get names of columns alone"
    command.add_argument("--documented", action="store_true", help=documented)
    command.add_argument("--disclose-noise", action="store_true", help="publish which noise there is, and how much")
    further = "add every table in this format, too, with declared types (parquet); may be repeated"
    command.add_argument("--format", action="append", default=[], metavar="FORMAT", help=further)
    parquet = "the same as --format parquet"
    command.add_argument("--parquet", action="append_const", dest="format", const="parquet", help=parquet)
    command.add_argument(
        "--license", default=OTHER_LICENSE, type=str.lower, help="SPDX identifier of the data's licence"
    )
    command.add_argument("--author", action="append", default=[], help="whom to cite; may be given several times")
    command.add_argument("--replace", action="store_true", help="replace another release of this version")
    linkable = "release what whoever has an earlier release of these tables under another key links to it"
    command.add_argument("--allow-linkable", action="store_true", help=linkable)
    earlier = (
        "release key of an earlier release of these tables, with which right links to it are counted; may be repeated"
    )
    command.add_argument("--earlier-key", action="append", default=[], metavar="FILE", help=earlier)
    disclose = "print the proof that a row of a raw table (the header is row 1) went into the release, and end"
    command.add_argument("--disclose", nargs=2, default=(), metavar=("TABLE", "ROW"), help=disclose)
    add_signing(command)
    add_settings(command, noise="noise specification; the environment's noisy.yaml if not given")


def run(options: argparse.Namespace) -> int:
    """Do what the options say."""
    if options.make_signing_key:
        say(make(options))
        return 0
    refuse_no_version(options.version)
    refuse_no_license(options.license)
    for author in options.author:
        refuse_no_author(author)
    environment = find_environment(options.environment)
    for name in options.format:
        refuse_unsteady(name)  # after the declaration, which may register formats
    if options.disclose:
        _disclose(environment, options)
    else:
        _release(environment, options)
    return 0


def _release(environment: "Environment", options: argparse.Namespace) -> None:
    from assets.release import ReleaseSettings  # noqa: PLC0415
    from silt.commands.build.running import run_jobs, run_release  # noqa: PLC0415  (dagster takes seconds to import)
    from silt.commands.release.told import told  # noqa: PLC0415

    signer, variants = _signer(options), options.variants or list(VARIANTS)
    settings = ReleaseSettings(
        version=options.version,
        releases=options.releases,
        variants=variants,
        documented=options.documented,
        disclose_noise=options.disclose_noise,
        formats=options.format,
        license=options.license,
        authors=options.author,
        replace=options.replace,
        allow_linkable=options.allow_linkable,
        earlier_keys=options.earlier_key,
    )
    workspace = workspace_of(settings_of(options))
    with started(environment) as pipes:
        run_jobs(environment, variants, workspace=workspace, pipes=pipes)
    folder = run_release(environment, settings, workspace=workspace, signer=signer)
    say(told(folder, variants), to=sys.stderr)


def _disclose(environment: "Environment", options: argparse.Namespace) -> None:
    table, row = options.disclose
    curator = Path(options.releases) / (name_of(environment.name, options.version) + OF_CURATOR)
    raw = workspace_of(settings_of(options)).request(environment).raw
    sys.stdout.buffer.write(disclosed(environment, table, row, raw=raw, curator=curator))


def _signer(options: argparse.Namespace) -> "Ed25519PrivateKey | None":
    from pipeline.release.provenance.signing_key import read_signing_key  # noqa: PLC0415

    return read_signing_key(Path(options.sign), passphrase_of(options, options.sign)) if options.sign else None
