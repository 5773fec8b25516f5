"""`silt audit`: attack the published files of a variant, with the originals in hand."""

import argparse
from pathlib import Path

from pipeline.publish.variant import NOISY
from silt.commands.options import Commands, add_built, add_command, variant
from silt.commands.saying import say
from silt.commands.waiting import begun
from silt.environments.registry import find_environment


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


def run(options: argparse.Namespace) -> int:
    """Audit what the options say, print the report, and raise `GateError` if it found more than is allowed."""
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
    audited = audit_variant(request, announce=begun)
    say(audited.text(with_all=options.all))
    audited.refuse()
    return 0
