"""`python -m benchmarks.frontier`: what every mechanism protects and costs, as a table and a picture.

All do the same work (`work.py`), are attacked by the same adaptive attackers, who know the mechanism and have the originals
(those of an audit, and `shadows.py`), and are compared with the originals by what needs no owner (`judged.py`). Mechanisms are
in `foils.py`, synthesizers of others, whose records have no owner, in `synthesizers.py`, the drawing in `picture.py`.
"""

import argparse
import os
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

from benchmarks.frontier.foils import Mechanism, mechanisms
from benchmarks.frontier.judged import KEYS, JudgedMechanism, cells, judged, legend, markdown
from benchmarks.frontier.picture import Point, picture
from benchmarks.frontier.synthesizers import synthesizers
from benchmarks.frontier.work import Work, asked_work

AT_ONCE = 2
"""Mechanisms that are judged at a time."""


def judged_of(work: Work, mechanism: Mechanism) -> JudgedMechanism:
    """Judge a mechanism, and say when it is done."""
    started = perf_counter()
    found = judged(work, mechanism.make, is_of_panel=mechanism.is_of_panel, stated=mechanism.stated)
    print(f"{mechanism.name}, {mechanism.strength}: {perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return found


def row(mechanism: Mechanism, found: JudgedMechanism) -> Mapping[str, str]:
    """Return a row of the table."""
    return {"mechanism": mechanism.name, "strength": mechanism.strength, **cells(found)}


def point(mechanism: Mechanism, found: JudgedMechanism) -> Point:
    """Return a mark of the picture."""
    return Point(
        mechanism=mechanism.name,
        strength=mechanism.strength,
        named=found.named.rate,
        named_in_panel=None if found.named_in_panel is None else found.named_in_panel.rate,
        inferred=max(each.rate for each in (found.differenced, *(found.stated or ())[:1])),
        members=max(each.rate for each in (found.members, *(found.stated or ())[1:])),
        lost=found.correlations,
    )


def main() -> None:
    """Judge every mechanism, print the table and draw the picture."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.frontier", description=__doc__)
    options.add_argument("--raw", type=Path, default=os.environ.get("SILT_REAL_TABLES"), help="folder of real tables")
    options.add_argument("--picture", type=Path, default=Path("frontier.svg"), help="where the SVG goes")
    given = options.parse_args()
    work = asked_work(given.raw)
    with ExitStack() as opened, ThreadPoolExecutor(AT_ONCE) as pool:
        every = [*mechanisms(work), *synthesizers(opened)]
        found = dict(zip(every, pool.map(lambda each: judged_of(work, each), every), strict=True))
    first = next(iter(found.values()))
    print(
        f"{work.title}, means of {KEYS} keys\n\n{markdown([row(*each) for each in found.items()])}\n\n{legend(first)}"
    )
    drawn = picture([point(*each) for each in found.items()], title=work.title, chance=first.named.chance)
    given.picture.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
