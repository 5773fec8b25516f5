"""`silt check`: say what is missing in a declaration or a noise specification, without building."""

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from assets.settings import CHECKED, BuildSettings
from pipeline.errors import GateError
from pipeline.wording import counted
from silt.commands.options import Commands, add_command, add_settings
from silt.commands.saying import say

if TYPE_CHECKING:
    from silt.commands.check.checking import CheckResult


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "check", run)
    raw = "folder of the raw tables, or their address; without it they are not looked at"
    add_settings(command, BuildSettings, only=CHECKED, raw=raw)
    command.add_argument("--json", action="store_true", help="print what was found as one JSON document, for programs")


def run(options: argparse.Namespace) -> int:
    """Print what is worth a look; raise `InputError` with every problem, else `GateError` if a build would refuse."""
    from silt.commands.check.checking import checked  # noqa: PLC0415  (reading tables takes polars)

    found = checked(
        options.environment,
        raw=options.raw,
        noise=Path(options.noise) if options.noise else None,
        with_cells=sys.stdout.isatty() and not options.json,
        policy=options.policy,
        budget=options.budget,
        show=lambda line: None if options.json else say(f"  column     {line}"),
    )
    build = _build(found, options)
    if options.json:
        print(json.dumps(_document(found, build), ensure_ascii=False, indent=1))  # noqa: T201
    else:
        _show(found, build)
    found.refuse()
    if found.refused:
        columns = counted(len(found.refused), "column")
        raise GateError(f"a build would refuse what stands in {columns}; the lines 'refused' say where and what to do")
    if found.are_all_refused:
        raise GateError("all trial builds are refused, so a build is likely to be; the lines 'look at' say why")
    return 0


def _build(found: "CheckResult", options: argparse.Namespace) -> str:
    """Return the command that builds what was looked at."""
    given = ("environment", "raw", "noise", *(("policy", "budget") if options.policy != "lsd" else ()))
    asked = [] if found.has_noise else ["clean"]
    said = {name: getattr(options, name) for name in given}
    if found.better_budget:
        said["budget"] = f"{found.better_budget:g}"
    asked += [part for name, value in said.items() if value for part in (f"--{name}", str(value))]
    return f"silt build {shlex.join(asked)}"


def _document(found: "CheckResult", build: str) -> dict[str, object]:
    """Return what a program gets; the lines are those that a person reads."""
    return {
        "outcome": "bad input" if found.problems else "refused" if found.refused or found.are_all_refused else "ready",
        "columns": found.columns,
        "refused": found.refused,
        "look_at": found.hints,
        "problems": found.problems,
        "checked": found.summary,
        "is_doubtful": found.is_doubtful,
        "next": "" if found.problems else build,
    }


def _show(found: "CheckResult", build: str) -> None:
    for name, hints in {"refused": found.refused, "look at": found.hints}.items():
        say(*(f"  {name:<10} {hint}" for hint in hints))
    if found.problems:
        return
    say(f"  checked    {found.summary}")
    if found.refused:
        say("  first      mend what a build would refuse, then:")
    elif found.is_doubtful:
        say("  first      do what may help, or a build is likely to be refused; then:")
    say(f"  next       {build}")
