"""`silt check`: say what is missing in a declaration or a noise specification; nothing is published."""

import argparse
import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from assets.settings import CHECKED, BuildSettings
from pipeline.errors import GateError, InputError
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
    following, refusal = _next(found, options), found.refusal()
    if options.json:
        print(json.dumps(_document(found, following, refusal), ensure_ascii=False, indent=1))  # noqa: T201
    else:
        _show(found, following)
    if refusal:
        raise refusal
    if found.refused:
        columns = counted(len(found.refused), "column")
        raise GateError(f"a build would refuse what stands in {columns}; the lines 'refused' say where and what to do")
    if found.are_most_refused:
        raise GateError("most trial builds are refused, so a build is likely to be; the lines 'look at' say why")
    return 0


def _next(found: "CheckResult", options: argparse.Namespace) -> str:
    """Return the command that builds what was looked at, with the budget that helps; of bad input the same again."""
    given = ("environment", "raw", "noise", *(("policy", "budget") if options.policy != "lsd" else ()))
    asked = ["check"] if found.problems else ["build"] if found.has_noise else ["build", "clean"]
    said = {name: getattr(options, name) for name in given}
    if found.needs_raw:
        said["raw"] = options.raw or "DIR"
    if found.better_budget:
        said["budget"] = f"{found.better_budget:g}"
    asked += [part for name, value in said.items() if value for part in (f"--{name}", str(value))]
    return shlex.join(["silt", *asked])


def _document(found: "CheckResult", following: str, refusal: InputError | None) -> dict[str, object]:
    """Return what a program gets: problems as a build has them; the lines are those that a person reads."""
    from validation.report.documents.outcome import MEND, listed  # noqa: PLC0415

    return {
        "outcome": "bad input" if refusal else "refused" if found.refused or found.are_most_refused else "ready",
        "columns": found.columns,
        "refused": found.refused,
        "look_at": found.hints,
        "problems": [asdict(each) for each in listed(refusal)] if refusal else [],
        "message": str(refusal or ""),
        "checked": found.summary,
        "is_doubtful": found.is_doubtful,
        "first": MEND if refusal else _first(found),
        "next": following,
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
