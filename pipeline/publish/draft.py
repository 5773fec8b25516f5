"""What a build's folder is for: the one sentence that says it, and the command that makes of it what others may get."""

import shlex
from collections.abc import Sequence

MAY_KNOW = "if they may know which company is which"

OTHERS = f'others get a release if the report answers "Safe to publish?" with yes, or {MAY_KNOW}'
"""The one condition for passing anything on."""

TERMS = "--license and --author to it: what others may do with the data, and whom they cite"
"""What only the makers know, so that no command can be printed with it; said as what to add."""

DRAFT = (
    "This folder is a draft, for whoever built it. Do not pass it on: two drafts under one key, before and after a "
    f"correction, show together more than one does (docs/privacy.md, Drafts). {OTHERS[0].upper()}{OTHERS[1:]}. It is made by"
)
"""It ends before a command (`release_command`)."""

REFUSED = """# Refused, not published

Something in these files identifies a company, or may. Nothing was published. These files must not leave your machine, and no
release can be made of them. `reports/report.html` opens with what was found and what to do. `../../findings.csv` has each
place.
"""
"""The page of a variant that was refused, in place of a draft's."""


def release_command(settings: Sequence[str] = (), *, variants: Sequence[str] = ()) -> str:
    """Return the command that makes a release of a build, given the options of the build, and its variants if not all."""
    return shlex.join(["silt", "release", *variants, "--version", "1.0.0", *settings])
