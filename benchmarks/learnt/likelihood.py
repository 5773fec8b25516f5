"""What the statistics of a sampled release disclose of one company to whoever has all others, this code, and no key.

Every statistic is a sum over companies with normal noise. Less the contributions of all others it is what the company
contributes, with that noise. The control is the same attack on the statistics as they would be with another company of the
industry in its place. What is attacked is read from `model.json`: of finished builds, or of releases made for the purpose.

    python -m benchmarks.learnt.likelihood --environment us-listed --raw path/to/tables --keys 4
    python -m benchmarks.learnt.likelihood --environment us-listed --raw path/to/tables --build build/us-listed
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anonymize.synthesis import synthesise
from anonymize.tables import original_figures
from benchmarks.learnt.account.events import learnt_of_events
from benchmarks.learnt.account.figures import TARGETS, Attacked
from benchmarks.learnt.account.replayed import NOBODYS, of_panel
from benchmarks.learnt.guesses import HEADER
from benchmarks.targets import markdown
from pipeline.conform import conform
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from pipeline.model.budget import Budget
from pipeline.places import landing
from pipeline.publish.variant import VARIANTS
from raw.landing import land
from silt.environments.registry import find_environment
from validation.attacks.adaptive.findings import Auc

Model = Mapping[str, Any]
"""The content of a `model.json`."""

_MODEL = "reports/model.json"

_SEPARATED = ("attack", "releases", "games", "area", "95 % bound")


def models_of(builds: Sequence[Path]) -> list[Model]:
    """Return what builds, or releases, publish of their statistics.

    Raises:
        InputError: A build has no `model.json`: its records are not sampled.
    """
    for build in builds:
        if not has_model(build):
            raise InputError(f"no {_MODEL} in {build}; build it under the policy 'guarded'")
    return [json.loads(_files(build)[0].read_text(encoding="utf-8")) for build in builds]


def has_model(build: Path) -> bool:
    """Say whether a build publishes statistics of which records are sampled."""
    return bool(_files(build))


def _files(build: Path) -> list[Path]:
    """Return what the variants publish of the statistics: the same."""
    return [file for variant in VARIANTS if (file := build / variant / _MODEL).is_file()]


def released(environment: Environment, conformed: Frames, keys: Sequence[Key], *, budget: float) -> list[Model]:
    """Return what releases under keys would publish of the statistics of figures and events."""
    originals = original_figures(environment, conformed)
    made: list[Model] = []
    for key in keys:
        sampled = synthesise(environment, conformed, originals, key, budget=budget)
        panel = {"panel": sampled.statistics.described()} if sampled.statistics else {}
        made.append({"account": sampled.account.described()} | panel)
    return made


def likelihoods(environment: Environment, conformed: Frames, models: Sequence[Model], *, targets: int) -> Iterator[str]:
    """Yield tables, as Markdown, of what each release discloses, and two and all of them as one."""
    together = [[place] for place in range(len(models))]
    together += [list(range(count)) for count in sorted({2, len(models)}) if 1 < count <= len(models)]
    rows: list[tuple[str, ...]] = []
    separated: list[tuple[str, Auc]] = []
    if environment.panel:
        attacked = Attacked([of_panel(environment, conformed, each) for each in models], NOBODYS)
        rows += _rows((some, attacked.learnt(some, targets=targets)) for some in together)
        separated += [(_named(some), attacked.membership(some, targets=targets)) for some in together]
    for events in environment.events:
        if events.table in conformed:
            of_table = learnt_of_events(environment, events, conformed, models)
            rows += _rows((some, of_table.learnt(some, targets=targets)) for some in together)
            separated += [(_named(some), of_table.membership(some, targets=targets)) for some in together]
    yield markdown(("attack", "who has all others, and", *HEADER[2:]), rows)
    areas = [
        (each.attack, some, f"{each.records:,}", f"{each.area:.2f}", f"{each.upper_95:.2f}") for some, each in separated
    ]
    yield markdown(_SEPARATED, areas)


def _rows(found: Iterator[tuple[list[int], Iterator[Any]]]) -> list[tuple[str, ...]]:
    return [(each.row[0], _named(some), *each.row[2:]) for some, guesses in found for each in guesses]


def _named(some: Sequence[int]) -> str:
    return f"release {some[0] + 1}" if len(some) == 1 else f"{len(some)} releases as one"


def main() -> None:
    """Print what is learnt from one release, under each key, and from all of them together."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learnt.likelihood",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--environment", default="us-listed")
    parser.add_argument("--raw", type=Path, help="folder of the raw tables; without it the generated ones")
    parser.add_argument(
        "--build", type=Path, nargs="+", default=[], metavar="BUILD", help="builds under keys of their own"
    )
    parser.add_argument("--keys", type=int, default=4, help="releases that are made where no build is given")
    parser.add_argument("--budget", type=float, default=Budget().of_a_release)
    parser.add_argument("--targets", type=int, default=TARGETS, help="companies that are asked for")
    asked = parser.parse_args()
    environment = find_environment(asked.environment)
    if asked.raw:
        raw = asked.raw
    elif environment.corpus:
        raw = land(environment.corpus, landing(environment.name), 1.0)
    else:
        parser.error(f"environment {environment.name!r} has no generated tables; give --raw")
    conformed = conform(environment.raw_tables, raw).frames
    keys = [Key(bytes([number + 1]) * 32) for number in range(asked.keys)]
    models = models_of(asked.build) or released(environment, conformed, keys, budget=asked.budget)
    print("\n\n".join(likelihoods(environment, conformed, models, targets=asked.targets)))


if __name__ == "__main__":
    main()
