"""Makes a set of tasks: how many of each category and family, drawn until all gates pass, divided into dev and test by key."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import islice
from typing import Any, Final

from pipeline.errors import GateError, InputError
from pipeline.keyed import Key
from pipeline.tasks.drawing import Draw, Drawer, Plain, plain
from pipeline.tasks.families import Families, Family, Level
from pipeline.tasks.gates import Accepted, leaks
from pipeline.tasks.program.operators import Constant, Operand, Table
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.running.frames import NoAnswerError, Outcome
from pipeline.tasks.wording import answer_type, guideline, in_words, unit

TRIES = 60
"""Draws of a family without a task after which it counts as exhausted (our choice: a gate that refuses 19 of 20 is passed)."""

DEV: Final = Fraction(1, 10)
"""Share of the tasks that come with answers (DABstep: 10 of 460; the paper: all)."""

DEFAULT_SIZE = 30
"""Tasks of families without stated proportions."""

Record = dict[str, Any]


@dataclass(frozen=True)
class TaskSet:
    """A set of tasks: what is published of each, and what answers it."""

    dev: list[tuple[Record, Record]]
    """Each task, and its answer with steps, milestones, statement and evidence."""
    test: list[tuple[Record, Record]]
    manual: Mapping[str, Operand]
    refused: Mapping[str, int]
    """How many draws each reason refused, for whoever writes families."""


def make_tasks(families: Families, clean: Clean, key: Key, *, wanted: int = 0, dev: Fraction = DEV) -> TaskSet:
    """Make a set of tasks.

    Args:
        families: What is asked.
        clean: The clean tables as published.
        key: The key of tasks: a new one makes a new set.
        wanted: Tasks, dev and test together; 0 for as many as the families state.
        dev: Share of them that come with answers.

    Raises:
        GateError: The two programs of a task disagree, or one task gives another's answer away.
        InputError: There are not as many tasks as wanted.
    """
    drawer = Drawer(families, clean, key)
    wanted = wanted or sum(families.categories.values()) or DEFAULT_SIZE
    accepted = Accepted(wanted)
    refused: dict[str, int] = {}
    for category, count in shares(families, wanted).items():
        members = [family for family in families.families if category in ("", family.category)]
        _fill(drawer, members, category, count, accepted, refused)
    if found := next(leaks(accepted.draws), None):
        raise GateError("a task gives away the answer of another; word the family otherwise", {"leaks": found})
    draws = sorted(accepted.draws, key=lambda draw: drawer.key.digest("order", draw.program))
    first = round(dev * len(draws))
    return TaskSet(
        dev=[record(draw, f"dev-{number:04}", clean) for number, draw in enumerate(draws[:first], 1)],
        test=[record(draw, f"test-{number:04}", clean) for number, draw in enumerate(draws[first:], 1)],
        manual=drawer.manual,
        refused=refused,
    )


def shares(families: Families, wanted: int) -> dict[str, int]:
    """Return how many tasks each category gets: in proportion, the largest rests first; without proportions, all of any."""
    weights = dict(families.categories) or {"": 1}
    total = sum(weights.values())
    exact = {name: Fraction(wanted * weight, total) for name, weight in weights.items()}
    whole = {name: int(share) for name, share in exact.items()}
    by_rest = sorted(exact, key=lambda name: (whole[name] - exact[name], name))
    return {name: whole[name] + (name in by_rest[: wanted - sum(whole.values())]) for name in exact}


def commitment(key: Key, number: str, answer: bytes) -> tuple[str, str]:
    """Return salt and commitment of an answer: SHA-256 of both, so that one answer can be shown without the others."""
    salt = key.derive("commitments to answers").digest(number)
    return salt.hex(), sha256(salt + answer).hexdigest()


def record(draw: Draw, number: str, clean: Clean) -> tuple[Record, Record]:
    """Return what is published of a task, and its answer."""
    digits = draw.family.answer.decimals
    kind = answer_type(draw)
    is_rounded = kind == "number" and draw.exact[0][0].scale != 0
    task = {
        "id": number,
        "family": draw.family.name,
        "category": draw.family.category,
        "level": draw.family.level or level(draw),
        "language": draw.language,
        "question": draw.question,
        "guideline": guideline(draw),
        "answer_type": kind,
        "unit": unit(draw),
        "tolerance": 0.5 * 10**-digits if is_rounded else 0,
        "variant": "noisy",
    }
    answer = {
        "answer": draw.answer,
        "steps": [in_words(name, step) for name, step in draw.steps.items()],
        "milestones": {name: _milestone(made, digits) for name, made in draw.outcome.made.items()},
        "sql": draw.sql,
        "evidence": list(_evidence(draw.outcome, clean)),
    }
    return task, answer


def level(draw: Draw) -> Level:
    """Return how hard a program is by its steps (the paper's section 2.3); finding rows is part of the step that uses them."""
    steps = sum(not isinstance(step, Table | Constant) for step in draw.steps.values())
    return "easy" if steps <= 3 else "medium" if steps <= 5 else "hard"  # noqa: PLR2004


def _fill(
    drawer: Drawer, members: Sequence[Family], category: str, count: int, accepted: Accepted, refused: dict[str, int]
) -> None:
    """Accept so many draws of a category, one of each family in turn, or raise `InputError`."""
    streams = {family.name: _good(drawer, family, accepted, refused) for family in members}
    before = len(accepted.draws)
    while len(accepted.draws) - before < count:
        made = [name for name in list(streams) if len(accepted.draws) - before < count and _next(streams[name])]
        if not made:
            why = max(refused, key=lambda reason: refused[reason]) if refused else "no family is declared"
            of = f" of category {category!r}" if category else ""
            raise InputError(
                f"{count} tasks{of} are asked for, and {len(members)} families give {len(accepted.draws) - before} "
                f"(most often refused: {why}); ask for fewer, or declare further families"
            )
        streams = {name: streams[name] for name in made}


def _next(stream: Iterator[Draw]) -> bool:
    return bool(list(islice(stream, 1)))


def _good(drawer: Drawer, family: Family, accepted: Accepted, refused: dict[str, int]) -> Iterator[Draw]:
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
            reason = f"{family.name}: {why}"
            refused[reason] = refused.get(reason, 0) + 1


def _milestone(made: object, digits: int) -> Plain:
    """Return the result of a step: a value or a list, or the number of its rows."""
    return made.height if hasattr(made, "height") else plain(made, max(digits, 4))


def _evidence(outcome: Outcome, clean: Clean) -> Iterator[Record]:
    for (table, column), keys in sorted(outcome.read.items()):
        file = clean.environment.table(table).path
        yield from ({"file": file, "row_key": key, "column": column} for key in sorted(keys, key=_natural))


def _natural(key: str) -> tuple[int, str]:
    return len(key), key
