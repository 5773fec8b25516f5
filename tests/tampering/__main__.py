"""Tampers with a release at random and prints what was noticed: `python -m tests.tampering --n 200`.

The table stands on standard output. It ends with status 1 if a change was not noticed, or not with its place. `--second-hand`
makes the changes of `second_hand.yaml` besides, of the tutorial's example, and prints those that were not noticed.
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from silt.cli import main as main_of_silt
from silt.commands.build import build
from tests.integration.readme import example_command, write_example
from tests.tampering.laboratory import Outcome, laboratory, outcome
from tests.tampering.mutations import KINDS, Bench
from tests.tampering.second_hand import listed, tried


def main() -> int:
    """Print the table, kind by kind, then each change that was missed; return the exit status."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="silt-tampering-") as working:
        built, declaration = _built(Path(working), options)
        release = Path(working, "made")
        release.mkdir()
        with laboratory(built, declaration, working=release) as bench:
            found: dict[str, list[tuple[int, Outcome]]] = {kind: [] for kind in KINDS}
            for seed in range(options.n):
                kind = list(KINDS)[seed % len(KINDS)]
                found[kind].append((seed, outcome(bench, KINDS[kind], seed)))
            unnoticed = list(_of_second_hand(bench, release)) if options.second_hand else []
    print("| change | made | noticed | with its place | found by |\n|---|---:|---:|---:|---|")  # noqa: T201
    for kind, outcomes in found.items():
        print(_line(kind, [each for _, each in outcomes]))  # noqa: T201
    missed = [(seed, kind, each) for kind, list_ in found.items() for seed, each in list_ if not each.is_placed]
    for seed, kind, each in missed:
        print(f"seed {seed}, {kind}: {each.place}, said {each.lines[:3]}")  # noqa: T201
    noticed = sum(each.is_noticed for list_ in found.values() for _, each in list_)
    print(f"\n{noticed} of {options.n} noticed, {options.n - len(missed)} with the right place")  # noqa: T201
    print(*unnoticed, sep="\n")  # noqa: T201
    return int(bool(missed or unnoticed))


def _of_second_hand(bench: Bench, working: Path) -> Iterator[str]:
    """Make the changes of the list, and yield those that were not noticed, with and without the makers' key."""
    for change in listed():
        for anew in (False, True) if change.later else (False,):
            with tempfile.TemporaryDirectory(dir=working) as scratch:
                folder = Path(shutil.copytree(bench.release, Path(scratch, bench.release.name)))
                said = tried(bench, change, folder, anew=anew)
            is_known = change.unsigned or (anew and change.passes)
            if not said.with_key or not (said.without_key or is_known):
                yield f"not noticed: {change.what}{', all made anew' if anew else ''}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.tampering", description=__doc__)
    parser.add_argument("--n", type=int, default=200, help="changes (default: %(default)s)")
    parser.add_argument("--second-hand", action="store_true", help="make the changes of the list, too")
    parser.add_argument(
        "--build", type=Path, help="output folder of an environment; the tutorial's example if not given"
    )
    parser.add_argument("--environment", default="", help="declaration of the environment of that build")
    return parser.parse_args()


def _built(working: Path, options: argparse.Namespace) -> tuple[Path, str]:
    """Return a build and what names its declaration; the tutorial's example is built if none is given."""
    if options.build:
        return options.build, options.environment or options.build.name
    os.chdir(working)
    write_example(working)
    command = example_command()
    declaration = command[command.index("--environment") + 1]
    settings = {name: command[command.index(f"--{name}") + 1] for name in ("raw", "noise") if f"--{name}" in command}
    built = build(declaration, **settings)
    assert main_of_silt(["tasks", "make", "--environment", declaration, "--count", "30", "--dev", "0.5"]) == 0
    return built, declaration


def _line(kind: str, outcomes: list[Outcome]) -> str:
    checks = Counter(name for each in outcomes for name in {line.partition(":")[0] for line in each.lines})
    told = ", ".join(f"{name} {n}" for name, n in checks.most_common())
    noticed, placed = (sum(getattr(each, name) for each in outcomes) for name in ("is_noticed", "is_placed"))
    return f"| {kind} | {len(outcomes)} | {noticed} | {placed} | {told} |"


if __name__ == "__main__":
    sys.exit(main())
