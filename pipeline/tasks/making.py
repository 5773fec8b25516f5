"""Makes a set of tasks: how many of each category and family, drawn until all gates pass, divided into dev and test by key."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from typing import Final, Literal, Protocol

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.tasks.drawing import Draw, Drawer
from pipeline.tasks.families import Families, TaskFamily
from pipeline.tasks.gates import Accepted
from pipeline.tasks.program.operators import Operand
from pipeline.tasks.running.arithmetic import NoAnswerError
from pipeline.tasks.running.clean import Clean
from pipeline.wording import counted

TRIES = 60
"""Draws of a family without a task after which it counts as exhausted (our choice: a gate that refuses 19 of 20 is passed)."""

SEARCHES = 12
"""Draws of a family, made where answers are gone, without a task that has none, after which no more are made (our choice)."""

FEW: Final = 3
"""At most one of so many tasks of a family has no answer (our choice: who knows the family does not know the answer)."""

NONE: Final = Fraction(0)

Refused = Counter[tuple[str, str]]
"""Draws that were refused, by family and by the sentence that says why."""

DEV: Final = Fraction(1, 10)
"""Share of the tasks that come with answers (DABstep: 10 of 460; the paper: all)."""

DEFAULT_SIZE = 30
"""Tasks of families without stated proportions, if there are as many."""


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
    refused: Counter[str] = field(default_factory=Counter)
    """How many draws were refused, by reason in plain words (`gates.py`)."""
    wanted: int = 0
    """How many were to be made; there are fewer where nobody said how many, and the tables give no more."""
    may_lack_answers: bool = False
    """Whether tasks without an answer were asked for; then each guideline says what to answer if there is none."""


Answerability = Literal["answerable", "lost", "unclear"]
"""What noise makes of a task: its answer can be had, is gone for everybody to see, or is somewhere in between."""


class Noisy(Protocol):
    """The noisy tables, of which tasks have to be answered."""

    def answerability(self, draw: Draw) -> Answerability:
        """Say what noise makes of a task."""

    def lost_rows(self) -> Mapping[str, Sequence[Collection[str]]]:
        """Return the texts of clean rows in which something is gone, by table."""


def make_tasks(
    families: Families,
    clean: Clean,
    key: Key,
    *,
    wanted: int = 0,
    dev: Fraction = DEV,
    noisy: Noisy | None = None,
    unanswerable: Fraction = NONE,
    watch: Callable[[str], None] = lambda _how_far: None,
) -> TaskSet:
    """Make a set of tasks.

    Args:
        key: The key of tasks: a new one makes a new set.
        wanted: Tasks, dev and test together; 0 for as many as the families state, or as there are.
        dev: Share of them that come with answers.
        noisy: What each task is tried on; None if nobody can tell what can be answered.
        unanswerable: Share of tasks, at most, whose answer noise has taken away.
        watch: Called with how far it is.

    Raises:
        GateError: The two programs of a task disagree.
        InputError: There are not as many tasks as wanted.
    """
    drawer = Drawer(families, clean, key)
    is_asked = wanted > 0
    wanted = wanted or sum(families.tasks.values()) or DEFAULT_SIZE

    def filled(size: int) -> _Filling:
        filling = _Filling(
            drawer, Accepted(size), noisy, unanswerable, lambda drawn: watch(f"drawing tasks, {drawn} of {size}")
        )
        for (category, level), count in shares(families, wanted).items():
            members = [
                family
                for family in families.families
                if category in ("", family.category) and level in ("any", family.how_hard)
            ]
            filling.fill(members, f"{category} {level}".removesuffix(" any"), count, least=count if is_asked else 0)
        return filling

    filling = filled(wanted)
    while filling.accepted.pays_to_guess:  # there are fewer than wanted: what few of those were is many of these
        filling = filled(len(filling.accepted.draws))
    accepted = filling.accepted
    if not accepted.draws:
        raise InputError(f"no task can be made of any family{_most_often(filling.refused)}; declare others")
    draws = sorted(accepted.draws, key=lambda draw: drawer.key.digest("order", draw.program))
    first = round(dev * len(draws))
    dev_tasks, test_tasks = _named("dev", draws[:first]), _named("test", draws[first:])
    return TaskSet(
        dev=dev_tasks,
        test=test_tasks,
        manual=drawer.manual,
        refused=_by_reason(filling.refused),
        wanted=wanted,
        may_lack_answers=unanswerable > 0,
    )


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


@dataclass
class _Filling:
    """A set while it is filled."""

    drawer: Drawer
    accepted: Accepted
    noisy: Noisy | None
    unanswerable: Fraction
    watch: Callable[[int], None]
    """Called before each draw with how many are accepted."""
    refused: Refused = field(default_factory=Refused)

    def fill(self, members: Sequence[TaskFamily], category: str, count: int, *, least: int) -> None:
        """Accept so many draws of a category, one of each family in turn; raise `InputError` if there are too few."""
        refused = Refused()
        made = self._fill_without_answers(members, count)
        made += _in_turn([self._good(self.drawer, family, refused) for family in members], count - made)
        self.refused.update(refused)
        if made < least:
            of = f" of category {category!r}" if category else ""
            raise InputError(
                f"of {counted(count, 'task')}{of} that are asked for, {made} can be made"
                f"{_most_often(refused)}; leave out --count for as many as there are, or declare further families"
            )

    def _fill_without_answers(self, members: Sequence[TaskFamily], count: int) -> int:
        """Accept as many draws without answers as the set may have by now, and return how many these are."""
        draws = self.accepted.draws
        most = int(self.unanswerable * (len(draws) + count)) - sum(not draw.is_answerable for draw in draws)
        if self.noisy is None or most <= 0 or not members:
            return 0
        near, each = self.drawer.about(self.noisy.lost_rows()), max(1, count // (FEW * len(members)))
        return _in_turn([islice(self._good(near, family, Refused(), lost=True), each) for family in members], most)

    def _good(self, drawer: Drawer, family: TaskFamily, refused: Refused, *, lost: bool = False) -> Iterator[Draw]:
        """Yield draws of a family that pass all gates, accepted already, until a number of them in a row do not."""
        number, failed = 0, 0
        while failed < (SEARCHES if lost else TRIES):
            self.watch(len(self.accepted.draws))
            number, failed = number + 1, failed + 1
            try:
                draw = replace(drawer.draw(family, number - 1), is_answerable=not lost)
                why = self.accepted.refusal(draw) or self._unfit(draw)
            except NoAnswerError as error:
                why = f"the clean tables have no answer to it: {error}"
            if why is None:
                drawer.refuse_disagreement(draw)
                self.accepted.add(draw)
                failed = 0
                yield draw
            else:
                refused[family.name, why] += 1

    def _unfit(self, draw: Draw) -> str | None:
        """Say why a draw is not asked of the noisy tables; None if it may be."""
        found = self.noisy.answerability(draw) if self.noisy else "answerable"
        if found == ("answerable" if draw.is_answerable else "lost"):
            return None
        return "the noisy tables do not give its answer" if draw.is_answerable else "its answer is not gone"


def _most_often(refused: Refused) -> str:
    """Return the commonest reason for which draws were refused, in brackets; nothing if none was."""
    return f" (most often refused: {': '.join(refused.most_common(1)[0][0])})" if refused else ""


def _by_reason(refused: Refused) -> Counter[str]:
    """Count by the reason alone, which stands before the colon of each sentence."""
    reasons = Counter[str]()
    for (_, why), times in refused.items():
        reasons[why.partition(": ")[0]] += times
    return reasons


def _in_turn(streams: list[Iterator[Draw]], count: int) -> int:
    """Take so many draws, one of each stream in turn, or all that there are; return how many were taken."""
    taken = 0
    while streams and taken < count:
        for stream in streams[:]:
            if taken == count:
                break
            if next(stream, None) is None:
                streams.remove(stream)
            else:
                taken += 1
    return taken
