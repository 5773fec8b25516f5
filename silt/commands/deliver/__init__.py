"""`silt deliver`: put a variant or a release at an address."""

import argparse
import shlex
from pathlib import Path

from pipeline.addresses import is_address
from pipeline.errors import InputError
from pipeline.wording import counted
from silt.commands.options import Commands, add_plain
from silt.commands.saying import say

_OF_DRAFT = (
    "  look at    this is a draft, for your own agents: others get a release (silt release), and that can be delivered",
)


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_plain(commands, "deliver", run)
    command.add_argument("folder", metavar="FOLDER", type=Path, help="folder of a variant or of a release")
    to = "address that holds it from then on: what fsspec knows, as s3://BUCKET/FOLDER"
    command.add_argument("--to", metavar="ADDRESS", required=True, help=to)


def run(options: argparse.Namespace) -> int:
    """Deliver, and say what was sent."""
    from pipeline.delivery.sending import deliver  # noqa: PLC0415  (the stages take a second to import)

    if not is_address(options.to):
        raise InputError(
            f"found {options.to!r} for an address; give s3://BUCKET/FOLDER, file:///FOLDER for a folder of this machine, or "
            "another one that fsspec knows (--to, TO)"
        )
    found = deliver(options.folder, options.to)
    size = sum(file.bytes for file in found.listing.files)
    say(
        f"  delivered  {found.listing.what}: {counted(len(found.listing.files), 'file')}, {size / 1e6:.1f} MB",
        f"  sent       {found.sent} parts, the others were there; {found.removed} of earlier deliveries are removed",
        f"  next       {shlex.join(['silt', 'verify', options.to])}",
        *(_OF_DRAFT if found.listing.variant else ()),
    )
    return 0
