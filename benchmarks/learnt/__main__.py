"""Measures what is learnt from what a build has published, beside a control; the raw tables are needed to count by.

    python -m benchmarks.learnt BUILD RAW --environment us-listed

BUILD is an environment's output folder, with both variants. `--also BUILD` adds builds of the same originals under other keys:
all are attacked as one. `--replaced BUILD` counts the published numbers that differ in a build in which one company is another.
Of sampled records the published statistics are attacked, too (`likelihood.py`).
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.learnt.account.figures import TARGETS
from benchmarks.learnt.counts import counts
from benchmarks.learnt.guesses import HEADER, Guesses
from benchmarks.learnt.likelihood import has_model, likelihoods, models_of
from benchmarks.learnt.moves import moves
from benchmarks.learnt.others import FIGURES, from_the_others
from benchmarks.learnt.reports import extremes, stated_cells, stranger
from benchmarks.learnt.sides import cells, originals, published
from benchmarks.targets import markdown
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.publish.variant import VARIANTS
from silt.environments.registry import find_environment

KEY = Key(bytes(32))
"""Decides which figures are asked for."""


def learnt(environment: Environment, builds: list[Path], raw: Path, *, figures: int = FIGURES) -> Iterator[Guesses]:
    """Yield what each attack on builds of the same originals finds."""
    known, seen = originals(environment, raw), [published(build, environment) for build in builds]
    there, stated = cells(known, environment), [stated_cells(each, environment) for each in seen]
    yield from stranger(there, stated)
    for statistic in ("max", "min"):
        yield from extremes(environment, known, seen, statistic)
    yield from from_the_others(there, stated, KEY, figures=figures)
    yield from counts(known, seen[0].population)


def moved(first: Path, second: Path) -> list[tuple[str, str]]:
    """Return how many numbers of each published file differ in two builds."""
    found = [Counter(f"{v}/{move.file}" for move in moves(first / v, second / v)) for v in VARIANTS]
    return [(file, f"{count:,}") for each in found for file, count in sorted(each.items())]


def main() -> None:
    """Print the tables as Markdown."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.learnt", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("build", type=Path, metavar="BUILD")
    options.add_argument("raw", type=Path, metavar="RAW", help="folder of the raw tables")
    options.add_argument("--environment", default="us-listed")
    options.add_argument("--also", type=Path, nargs="+", default=[], metavar="BUILD", help="builds under other keys")
    options.add_argument("--replaced", type=Path, metavar="BUILD", help="a build in which one company is another")
    options.add_argument(
        "--figures", type=int, default=FIGURES, help="how many figures those who know all others ask for"
    )
    given = options.parse_args()
    environment = find_environment(given.environment)
    found = learnt(environment, [given.build, *given.also], given.raw, figures=given.figures)
    print(markdown(HEADER, [guesses.row for guesses in found]))
    if has_model(given.build):
        conformed = conform(environment.raw_tables, given.raw).frames
        models = models_of([given.build, *given.also])
        print("", *likelihoods(environment, conformed, models, targets=TARGETS), sep="\n\n")
    if given.replaced:
        print(f"\n{markdown(('file', 'moved'), moved(given.build, given.replaced))}")


if __name__ == "__main__":
    main()
