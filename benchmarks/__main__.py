"""`make bench`: measures builds beside their floor and beside the peers, and says which targets are met.

    python -m benchmarks                                     all parts but `scale` and `engines`: minutes
    python -m benchmarks cold unchanged                      some parts
    python -m benchmarks scale --scales 10 50                19 and 100 million records: up to an hour, and 20 GB of disk
    python -m benchmarks peer --peer-scales 0.1 1            the peers at full size: up to half an hour

Every figure is of this run and this machine; a ratio compares two figures of the same run. Targets are those of an idle machine
of two cores.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.builds import Builds
from benchmarks.targets import Row, table_of, verdicts

PARTS = ("import", "floor", "cold", "unchanged", "rate", "explain", "release", "peer", "scale", "engines")
LONG = ("scale", "engines")
"""Parts that are run only if they are named."""

_REAL = Path(__file__).parents[2] / "shared/real"
"""Where real tables lie beside the checkout, as for the tests."""


def main() -> None:
    """Run the parts that are asked for, and print what was measured and what of the targets was reached."""
    given = asked(sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        rows = []
        for row in measured_rows(Builds(Path(scratch), scale=given.scale, real=given.real), given):
            print(row.name, file=sys.stderr)
            rows.append(row)
    print(f"{table_of(rows)}\n\n{verdicts(rows)}")


def measured_rows(builds: Builds, given: argparse.Namespace) -> Iterator[Row]:
    """Yield what each part that is asked for measures."""
    parts: Mapping[str, Iterator[Row]] = {
        "import": builds.imports(),
        "floor": builds.floors(),
        "cold": builds.cold(),
        "unchanged": builds.unchanged(),
        "rate": builds.rate(),
        "explain": builds.explain(),
        "release": builds.release(),
        "peer": builds.peer(given.peer_scales),
        "scale": builds.scales(given.scales),
        "engines": builds.engines(given.scales),
    }
    for part in PARTS:
        if part in given.parts:
            yield from parts[part]


def asked(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all but the last two if none is named"
    )
    options.add_argument("--scale", type=float, default=1, help="size of the generated corpus, 1 being the paper's")
    options.add_argument(
        "--scales", type=float, nargs="+", default=[10], help="those of the parts scale and engines (default: 10)"
    )
    options.add_argument(
        "--peer-scales", type=float, nargs="+", default=[0.1], help="those of the peers (default: 0.1)"
    )
    beside = _REAL if _REAL.is_dir() else None
    real = os.environ.get("SILT_REAL_TABLES", beside)
    options.add_argument("--real", type=Path, default=real, help="folder of real tables, for us-listed")
    given = options.parse_args(arguments)
    if unknown := set(given.parts) - set(PARTS):
        options.error(f"unknown part: {', '.join(sorted(unknown))}")
    given.parts = given.parts or [part for part in PARTS if part not in LONG]
    return given


if __name__ == "__main__":
    main()
