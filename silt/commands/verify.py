"""`silt verify`: check a release from its public files alone."""

import argparse
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.addresses import is_address
from pipeline.conform.source import shortened
from pipeline.errors import InputError
from pipeline.small_files import content_of
from silt.commands.options import Commands
from silt.commands.released import add_released, declared_beside, opened_release
from silt.commands.saying import say
from silt.commands.waiting import running

if TYPE_CHECKING:
    from validation.release.all_checks import Check
    from validation.release.verifying import Verified


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_released(commands, "verify", run)
    command.add_argument("release", metavar="RELEASE", help="folder, archive (.tar.zst) or address of a release")
    command.add_argument("--public-key", type=Path, help="public key (PEM) of those who should have signed it")
    proof = "proof that a row of a raw table went into the release, as `silt release --disclose` prints it"
    command.add_argument("--proof", type=Path, help=proof)


def run(options: argparse.Namespace) -> int:
    """Verify what the options say, print what was checked, and return the exit status."""
    from validation.release.all_checks import CHECKS  # noqa: PLC0415
    from validation.release.verifying import verify  # noqa: PLC0415

    checks = (*CHECKS, _of_proof(options.proof)) if options.proof else CHECKS
    with opened_release(options.release, options.environment, options.public_key) as release:
        _refuse_unpacked(options, release.unpacked_of)
        verified = verify(release, checks, watch=running)
        say(verified.text())
        if verified.missing_options and not verified.problems:
            say(*_rest(options, verified))
    return 1 if verified.problems else 0


def _refuse_unpacked(options: argparse.Namespace, archives: Sequence[str]) -> None:
    """Refuse a folder into which archives were unpacked: what else they are held against is not in it."""
    given = options.release
    if not archives or is_address(given):
        return
    name = archives[0]
    places = (folder / name for folder in (Path(given).resolve().parent, Path.cwd()))
    there = next((place for place in places if place.is_file()), None)
    known = ["--public-key", str(options.public_key)] if options.public_key else []
    where = (
        f"it is here: {shlex.join(['silt', 'verify', str(there), *known])}" if there else f"{name}, which is not here"
    )
    raise InputError(
        f"{given} is what an archive of a release holds, unpacked, without the statements, and cannot be verified; verify the "
        f"archive instead, with the two statements beside it: {where}"
    )


def _rest(options: argparse.Namespace, verified: "Verified") -> Iterator[str]:
    """Yield what would let further checks be made, which only the reader has, and the command that makes them."""
    stated = verified.release.stated.get("environment")
    of = f" of {shortened(str(stated))!r}" if stated else ""
    known = declared_beside(options.release)
    meant = {
        "--environment": (known or "FILE.py:NAME", f"your declaration{of}"),
        "--public-key": ("KEY.pub", "the public key of whoever signed it"),
    }
    given = {"--environment": options.environment, "--public-key": options.public_key, "--proof": options.proof}
    asked = {option: str(value) for option, value in given.items() if value}
    asked |= {option: meant[option][0] for option in verified.missing_options}
    again = ["silt", "verify", str(options.release), *(word for pair in asked.items() for word in pair)]
    wanted = (
        what if placed == known else f"{what}, in the place of {placed}"
        for placed, what in map(meant.__getitem__, verified.missing_options)
    )
    yield f"  the rest   needs {'; '.join(wanted)}"
    yield f"  next       {shlex.join(again)}"


def _of_proof(file: Path) -> "Check":
    from pipeline.release.provenance.proofs import read_proof  # noqa: PLC0415
    from validation.release.all_checks import Check  # noqa: PLC0415
    from validation.release.checks.attested import row_went_in  # noqa: PLC0415

    try:
        proof = read_proof(content_of(file))
    except OSError as error:
        raise InputError(f"cannot read the proof {file}: {error.strerror}") from error
    return Check(says=f"row {proof.row} of the raw table {proof.table!r} went in", find=partial(row_went_in, proof))
