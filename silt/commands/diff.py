"""`silt diff`: what differs between two releases, and what somebody learns who has both."""

import argparse
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from anonymize.keys.identity_map import COLUMNS
from anonymize.policy import find_policy
from pipeline.conform.source import shortened
from pipeline.errors import GateError, InputError
from pipeline.legible import one_line
from pipeline.model import Environment
from pipeline.wording import percent
from silt.commands.options import Commands
from silt.commands.released import add_released, declared_beside, opened_release
from silt.commands.saying import say


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_released(commands, "diff", run)
    command.add_argument("first", metavar="FIRST", help="folder, archive or address of the earlier release")
    command.add_argument("second", metavar="SECOND", help="folder, archive or address of the later one")
    revealed = "what `silt reveal` printed of each, in two files: then the links are counted that are right"
    command.add_argument("--revealed", nargs=2, type=Path, default=(), metavar=("FIRST", "SECOND"), help=revealed)
    command.add_argument(
        "--allow-linkable", action="store_true", help="report links between the two, and refuse nothing"
    )


def run(options: argparse.Namespace) -> int:
    """Compare, print what differs, and raise `GateError` if the two together tell more than the policy allows."""
    from validation.attacks.limits import is_over, judged  # noqa: PLC0415
    from validation.release.diff.differences import differences  # noqa: PLC0415
    from validation.release.diff.gate import refusal  # noqa: PLC0415
    from validation.release.diff.linkage import linked  # noqa: PLC0415

    with (
        opened_release(options.first, options.environment) as first,
        opened_release(options.second, options.environment) as second,
    ):
        found = differences(first, second)
        say(*map(one_line, found.lines()))
        manifest = next((variant.manifest for variant in second.variants), {})
        if second.environment is None:
            stated = second.stated.get("environment")
            of = f" of {shortened(str(stated))!r}" if stated else ""
            known = declared_beside(options.second) or declared_beside(options.first)
            placed = "" if known else ", in the place of FILE.py:NAME"
            again = ["silt", "diff", str(options.first), str(options.second), "--environment", known or "FILE.py:NAME"]
            say(
                "look at  cells, noise and what both together reveal were not compared: this needs your declaration"
                f"{of}{placed}",
                f"next     {shlex.join(again)}",
            )
            return 0
        if not {"key_fingerprint", "policy"} & found.meaning.keys():
            if found.step in {"major", "minor"}:
                say("look at  both have the same pseudonyms: whoever has both joins them by code; no links are counted")
            return 0
        links = judged(
            linked(first, second, second.environment, _owners(second.environment, options.revealed)),
            find_policy(str(manifest.get("policy"))),
        )
    say("Whoever has both, with other pseudonyms in each:", *(f"linkage  {in_words(entry)}" for entry in links))
    over = [entry for entry in links if is_over(entry)]
    if over and not options.allow_linkable:
        raise GateError(refusal(str(options.first), over))
    return 0


def _owners(environment: Environment, revealed: Sequence[Path]) -> dict[str, str] | None:
    """Return code in the second release -> code of the same entity in the first, from both identity maps in clear."""
    from validation.release.diff.linkage import owners_of  # noqa: PLC0415

    return owners_of(environment, *map(_map, revealed)) if revealed else None


def _map(file: Path) -> pl.DataFrame:
    """Return an identity map as `silt reveal` prints it."""
    try:
        return pl.read_csv(file, infer_schema=False).select(COLUMNS)
    except (OSError, PolarsError) as error:
        raise InputError(f"{file} is not what `silt reveal` prints; give its output for each release") from error


def in_words(entry: Mapping[str, Any]) -> str:
    """Return what an attack on two releases found, its limit, and whether it keeps to it."""
    from validation.attacks.limits import NOTHING_TO_TRY, REPORTED_ONLY  # noqa: PLC0415

    asked = f"{entry['attack']} ({entry['knowledge']})"
    if entry["passed"] is None:
        return f"{asked}: {NOTHING_TO_TRY}. {entry['detail']}".rstrip()
    rate = (
        f"{entry['successes']:,} of {entry['records']:,} ({percent(entry['rate'])}, bound {percent(entry['upper_95'])})"
    )
    verdict = "" if entry["limit"] == REPORTED_ONLY else ": kept" if entry["passed"] else ": EXCEEDED"
    found = f"{asked}: {rate}, guessing {percent(entry['chance'])}"
    return f"{found}; {entry['limit']}{verdict}. {entry['detail']}".rstrip()
