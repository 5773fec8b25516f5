"""Makes a set of tasks: how many of each category and family, drawn until all gates pass, divided into dev and test by key."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Final

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.tasks.drawing import Draw, Drawer
from pipeline.tasks.families import Families, TaskFamily
from pipeline.tasks.gates import Accepted
from pipeline.tasks.program.operators import Operand
from pipeline.tasks.running.arithmetic import NoAnswerError
from pipeline.tasks.running.clean import Clean

TRIES = 60
"""Draws of a family without a task after which it counts as exhausted (our choice: a gate that refuses 19 of 20 is passed)."""

DEV: Final = Fraction(1, 10)
"""Share of the tasks that come with answers (DABstep: 10 of 460; the paper: all)."""

DEFAULT_SIZE = 30
"""Tasks of families without stated proportions."""


@dataclass(frozen=True)
class Task:
    """A draw that passed all gates, and the name by which answers refer to it."""

    name: str
    draw: Draw


@dataclass(frozen=True)
class TaskSet:
    """A set of tasks."""

    dev: list[Task]
    """Tasks that come with answers."""
    test: list[Task]
    manual: Mapping[str, Operand]
    """The values of the manual's rules."""


def make_tasks(families: Families, clean: Clean, key: Key, *, wanted: int = 0, dev: Fraction = DEV) -> TaskSet:
    """Make a set of tasks.

    Args:
        families: What is asked.
        clean: The clean tables as published.
        key: The key of tasks: a new one makes a new set.
        wanted: Tasks, dev and test together; 0 for as many as the families state.
        dev: Share of them that come with answers.

    Raises:
        GateError: The two programs of a task disagree.
        InputError: There are not as many tasks as wanted.
    """
    drawer = Drawer(families, clean, key)
    wanted = wanted or sum(families.tasks.values()) or DEFAULT_SIZE
    accepted = Accepted(wanted)
    for (category, level), count in shares(families, wanted).items():
        members = [
            family
            for family in families.families
            if category in ("", family.category) and level in ("any", family.how_hard)
        ]
        _fill(drawer, members, f"{category} {level}".removesuffix(" any"), count, accepted)
    draws = sorted(accepted.draws, key=lambda draw: drawer.key.digest("order", draw.program))
    first = round(dev * len(draws))
    return TaskSet(dev=_named("dev", draws[:first]), test=_named("test", draws[first:]), manual=drawer.manual)


def shares(families: Families, wanted: int) -> dict[tuple[str, str], int]:
    """Return how many tasks category and level get: in proportion, the largest rests first; without proportions, all of any."""
    weights = families.tasks or {("", "any"): 1}
    total = sum(weights.values())
    exact = {name: Fraction(wanted * weight, total) for name, weight in weights.items()}
    whole = {name: int(share) for name, share in exact.items()}
    by_rest = sorted(exact, key=lambda name: (whole[name] - exact[name], name))
    return {name: whole[name] + (name in by_rest[: wanted - sum(whole.values())]) for name in exact}


def _named(part: str, draws: Sequence[Draw]) -> list[Task]:
    return [Task(f"{part}-{number:04}", draw) for number, draw in enumerate(draws, 1)]


def _fill(drawer: Drawer, members: Sequence[TaskFamily], category: str, count: int, accepted: Accepted) -> None:
    """Accept so many draws of a category, one of each family in turn, or raise `InputError`."""
    refused = Counter[str]()
    streams = {family.name: _good(drawer, family, accepted, refused) for family in members}
    before = len(accepted.draws)
    while len(accepted.draws) - before < count:
        made = [name for name in list(streams) if len(accepted.draws) - before < count and _next(streams[name])]
        if not made:
            why = refused.most_common(1)[0][0] if refused else "no family is declared"
            of = f" of category {category!r}" if category else ""
            raise InputError(
                f"{count} tasks{of} are asked for, and {len(members)} families give {len(accepted.draws) - before} "
                f"(most often refused: {why}); ask for fewer, or declare further families"
            )
        streams = {name: streams[name] for name in made}


def _next(stream: Iterator[Draw]) -> bool:
    return bool(list(islice(stream, 1)))


def _good(drawer: Drawer, family: TaskFamily, accepted: Accepted, refused: Counter[str]) -> Iterator[Draw]:
    """Yield draws of a family that pass all gates, accepted already, until `TRIES` in a row do not."""
    number, failed = 0, 0
    while failed < TRIES:
        try:
            draw = drawer.draw(family, number)
            why = accepted.refusal(draw)
        except NoAnswerError as error:
            why = str(error)
        number, failed = number + 1, failed + 1
        if why is None:
            drawer.refuse_disagreement(draw)
            accepted.add(draw)
            failed = 0
            yield draw
        else:
            refused[f"{family.name}: {why}"] += 1
