"""`silt check`: say what is missing in a declaration or a noise specification, without building."""

import argparse
import shlex
import sys
from pathlib import Path

from assets.settings import BuildSettings
from pipeline.errors import GateError
from pipeline.wording import counted
from silt.commands.options import Commands, add_command, add_settings
from silt.commands.saying import say


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "check", run)
    raw = "folder of the raw tables, or their address; without it they are not looked at"
    add_settings(command, BuildSettings, only=("raw", "noise", "policy", "budget"), raw=raw)


def run(options: argparse.Namespace) -> int:
    """Print what is worth a look; raise `InputError` with every problem, else `GateError` if a build would refuse."""
    from silt.commands.check.checking import checked  # noqa: PLC0415  (reading tables takes polars)

    found = checked(
        options.environment,
        raw=options.raw,
        noise=Path(options.noise) if options.noise else None,
        with_cells=sys.stdout.isatty(),
        policy=options.policy,
        budget=options.budget,
    )
    for line in found.columns:
        say(f"  column     {line}")
    for name, hints in {"refused": found.refused, "look at": found.hints}.items():
        say(*(f"  {name:<10} {hint}" for hint in hints))
    found.refuse()
    given = ("environment", "raw", "noise", *(("policy", "budget") if options.policy != "lsd" else ()))
    asked = [] if found.has_noise else ["clean"]
    asked += [part for name in given if getattr(options, name) for part in (f"--{name}", str(getattr(options, name)))]
    say(f"  checked    {found.summary}")
    if found.refused:
        say("  first      mend what a build would refuse, then:")
    elif found.is_doubtful:
        say("  first      do what may help, or a build is likely to be refused; then:")
    say(f"  next       silt build {shlex.join(asked)}")
    if found.refused:
        columns = counted(len(found.refused), "column")
        raise GateError(f"a build would refuse what stands in {columns}; the lines 'refused' say where and what to do")
    return 0
