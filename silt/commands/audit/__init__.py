"""`silt audit`: attack the published files of a variant, with the originals in hand."""

import argparse
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from pipeline.errors import InputError
from pipeline.publish.variant import NOISY
from pipeline.report_json import report_json
from silt.commands.options import Commands, add_built, add_command, variant
from silt.commands.saying import say
from silt.commands.waiting import begun
from silt.environments.registry import find_environment

if TYPE_CHECKING:
    from silt.commands.audit.auditing import Audited


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "audit", run)
    command.add_argument(
        "variant",
        nargs="?",
        default=NOISY,
        type=variant,
        metavar="VARIANT",
        help="noisy or clean (default: %(default)s)",
    )
    add_built(command, "raw", "key_file", "out")
    command.add_argument("--scale", type=float, help="size of the generated corpus; that of the build if not given")
    command.add_argument("--all", action="store_true", help="print every attack, not the best of each family")
    command.add_argument("--json", action="store_true", help="print the report as one JSON document, for programs")


def run(options: argparse.Namespace) -> int:
    """Audit what the options say, print the report, and raise `GateError` if it found more than is allowed."""
    began = monotonic()
    try:
        audited = _audited(options)
    except InputError as error:
        if options.json:
            print(_not_made(error, options.environment, monotonic() - began))  # noqa: T201
        raise
    if options.json:
        sys.stdout.write(report_json(audited.report).decode())
    else:
        say(audited.text(with_all=options.all))
    audited.refuse()
    return 0


def _audited(options: argparse.Namespace) -> "Audited":
    from silt.commands.audit.auditing import audit_variant  # noqa: PLC0415
    from silt.commands.audit.request import AuditRequest  # noqa: PLC0415

    request = AuditRequest(
        environment=find_environment(options.environment),
        variant=options.variant,
        out=Path(options.out),
        raw=options.raw,
        key_file=Path(options.key_file) if options.key_file else None,
        scale=options.scale,
    )
    return audit_variant(request, announce=begun)


def _not_made(error: InputError, environment: str, seconds: float) -> str:
    """Return the outcome of an audit that could not be made, as `silt build --json` has it."""
    from validation.report.documents.outcome import Outcome, listed  # noqa: PLC0415

    outcome = Outcome(
        outcome="bad input",
        environment=environment.rpartition(":")[2],
        seconds=round(seconds, 1),
        problems=listed(error),
        message=str(error),
    )
    return outcome.model_dump_json(indent=1)
