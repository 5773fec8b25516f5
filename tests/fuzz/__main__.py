"""Fuzzes every reader: random bytes, made of valid files by libFuzzer, which looks for those that reach further code.

Every outcome is right that is a success, or an error of Silt that names the file. Any other exception, too many seconds or too
much memory is a defect: what was read then stays in a file, and the command that reads it again is printed.
"""

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz import TRYING, UNGUIDED, keep
from tests.integration.readme import ROOT, example_command, write_example

SLOWEST, LARGEST = 300, 3_000
"""Seconds for one file or command, and megabytes of the process that reads it. A build takes four seconds, the first eleven,
and sixty where twelve others want the same processor: what never ends is found all the same."""


def main() -> int:
    """Fuzz what the arguments say; return 1 if anything was found."""
    options = _options()
    found = options.found.absolute() / "fuzz-"
    # What is slow is told, and not kept as if it were a defect: ten seconds are nothing where others want the processor.
    limits = [f"-timeout={SLOWEST}", f"-report_slow_units={SLOWEST}", f"-rss_limit_mb={LARGEST}"]
    limits += [f"-seed={options.seed}", f"-artifact_prefix={found}"]
    groups = [options.targets] if options.targets or options.file else [[], list(UNGUIDED)]
    # Seconds of a machine say nothing about which bytes were tried; for a test, numbers of them are given.
    bounds = [[f"-runs={runs}"] for runs in options.runs or ()] or [
        [f"-max_total_time={max(options.seconds // len(groups), 1)}"] for _ in groups
    ]
    files = [str(options.file.absolute())] if options.file else ["seeds"]
    known = set(found.parent.glob(f"{found.name}*"))
    print(f"seed {options.seed}", flush=True)  # noqa: T201
    with TemporaryDirectory(prefix="silt-fuzz-") as folder:
        built = options.built.absolute() if options.built else _built(Path(folder))
        worker = [sys.executable, "-m", "tests.fuzz.worker", str(built)]
        status = 0
        for group, bound in zip(groups, bounds, strict=True):
            working = Path(folder, "-".join(["at", *group]))
            working.mkdir()
            done = subprocess.run(
                [*worker, ",".join(group), "-verbosity=0", "-print_final_stats=1", *limits, *bound, *files],
                cwd=working,
                env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": str(options.seed % 2**32)},
                check=False,
            )
            if (working / TRYING).is_file():
                keep((working / TRYING).read_bytes(), str(found))
            status = status or done.returncode
            for file in sorted(set(found.parent.glob(f"{found.name}*")) - known):
                again = " ".join([*group, f"--seed {options.seed} --file {file}"])
                print(f"a defect; to see it again: python -m tests.fuzz {again}")  # noqa: T201
                known.add(file)
    return int(status != 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="as tests/fuzz/targets.py calls them; else all")
    parser.add_argument("--seconds", type=int, default=120, help="for all targets together (default: %(default)s)")
    parser.add_argument(
        "--runs",
        type=int,
        nargs="+",
        help="in place of seconds: how many are tried with guidance, and how many without",
    )
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().randrange(1, 2**31), help="if not a fresh one"
    )
    parser.add_argument("--file", type=Path, help="read this file, which showed a defect, and nothing else")
    parser.add_argument("--built", type=Path, help="the tutorial's environment, if it is built already")
    parser.add_argument("--found", type=Path, default=Path(), help="folder for files that show a defect")
    return parser.parse_args()


def _built(folder: Path) -> Path:
    """Build the tutorial's example, and return the folder of its environment."""
    write_example(folder)
    program = Path(sys.executable).with_name("silt")
    subprocess.run([program, *example_command(), "--quiet"], cwd=folder, check=True)
    return folder / "environments" / "shops"


if __name__ == "__main__":
    sys.exit(main())
