"""`silt check`: say what is missing in a declaration or a noise specification; nothing is published."""

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
from silt.commands.waiting import begun

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
    begun(f"checking {options.environment}, policy {options.policy}")
    from silt.commands.check.checking import checked  # noqa: PLC0415  (reading tables takes polars)

    found = checked(
        options.environment,
        raw=options.raw,
        noise=Path(options.noise) if options.noise else None,
        with_cells=sys.stdout.isatty() and not options.json,
        policy=options.policy,
        budget=options.budget,
        show=lambda line: None if options.json else say(f"  {line}"),
    )
    following = _next(found, options)
    if options.json:
        print(json.dumps(_document(found, following), ensure_ascii=False, indent=1))  # noqa: T201
    else:
        _show(found, following)
    found.refuse()
    if found.refused:
        columns = counted(len(found.refused), "column")
        raise GateError(f"a build would refuse what stands in {columns}; the lines 'refused' say where and what to do")
    if found.are_most_refused:
        raise GateError("most trial builds are refused, so a build is likely to be; the lines 'look at' say why")
    return 0


def _next(found: "CheckResult", options: argparse.Namespace) -> str:
    """Return the command that builds what was looked at, with the budget that helps."""
    given = ("environment", "raw", "noise", *(("policy", "budget") if options.policy != "lsd" else ()))
    asked = ["build"] if found.has_noise else ["build", "clean"]
    said = {name: getattr(options, name) for name in given}
    if found.better_budget:
        said["budget"] = f"{found.better_budget:g}"
    asked += [part for name, value in said.items() if value for part in (f"--{name}", str(value))]
    return shlex.join(["silt", *asked])


def _document(found: "CheckResult", following: str) -> dict[str, object]:
    """Return what a program gets; the lines are those that a person reads."""
    return {
        "outcome": "bad input" if found.problems else "refused" if found.refused or found.are_most_refused else "ready",
        "columns": found.columns,
        "refused": found.refused,
        "look_at": found.hints,
        "problems": found.problems,
        "checked": found.summary,
        "is_doubtful": found.is_doubtful,
        "first": "" if found.problems else _first(found),
        "next": "" if found.problems else following,
    }


def _first(found: "CheckResult") -> str:
    """Return what to do before the next command; nothing if there is nothing."""
    if found.refused:
        return "mend what a build would refuse, then:"
    if found.change:
        return f"{found.change}; then:"
    is_likely = "is likely to" if found.are_most_refused else "may"
    return f"do what may help, or a build {is_likely} be refused; then:" if found.is_doubtful else ""


def _show(found: "CheckResult", following: str) -> None:
    for name, hints in {"refused": found.refused, "look at": found.hints}.items():
        say(*(f"  {name:<10} {hint}" for hint in hints))
    if found.problems:
        return
    say(f"  checked    {found.summary}")
    if first := _first(found):
        say(f"  first      {first}")
    say(f"  next       {following}")
