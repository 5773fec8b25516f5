"""Gates: what a draw must pass to become a task, alone and beside those that were accepted before it.

Each gate says in a sentence why a draw is refused: a reason, by which refusals are counted, and after a colon what was found. A
refused draw is drawn anew. Limits are stated here, with their reasons.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from pipeline.tasks.drawing import Draw, Part, Plain
from pipeline.tasks.program.operators import COUNTS, AggregateRows, Compare, Compute, is_step
from pipeline.tasks.running.arithmetic import DIVISIONS
from pipeline.tasks.running.frames import NEAREST
from pipeline.tasks.settings import MAJORITY
from pipeline.wording import counted

LEAST_MARGIN = 0.001
"""Relative distance between competitors at a cut (our choice: what noise in the fourth digit of a figure cannot bridge)."""

SUREST = 1e-13
"""Relative error that doubles may gather in a statistic (our choice: five hundred times their precision)."""

FEWEST = 3
"""Values of which a statistic or a share is asked: of two, the median is the mean."""

LONGEST = 10
"""Entries of the longest list that is asked for: what a reader writes without slips (our choice)."""

DIGITS = 15
"""Significant digits that a number in JSON is sure to keep."""

MOST_CELLS = 20_000
"""Cells of evidence of a task: a file of 492 tasks stays readable (our choice)."""

Gate = Callable[[Draw], str | None]


def is_tied(draw: Draw) -> str | None:
    """Refuse ties and near ties where rows or sides compete, and limits that a float cannot tell from a value."""
    for cut in draw.outcome.cuts:
        least = LEAST_MARGIN if cut.is_choice else NEAREST
        if cut.margin < least:
            return f"it is too close to call: step {cut.step!r} is decided by {cut.margin:.2g}, less than {least:g}"
    return None


def is_near_rounding(draw: Draw) -> str | None:
    """Refuse a number that lies where it is rounded up or down, nearer than a float can tell."""
    digits = draw.family.answer.decimals
    for value, found in draw.exact:
        if isinstance(found, Fraction):
            scaled = abs(found) * 10**digits
            margin = 0 if value.scale is not None else max(float(scaled) * SUREST, NEAREST)
            if abs(scaled % 1 - Fraction(1, 2)) <= margin:
                return f"it is too close to call: {float(found)!r} lies on the edge of rounding"
    return None


def is_trivial(draw: Draw) -> str | None:
    """Refuse answers that say nothing, choices that leave nothing out, and statistics and shares of too few."""
    parts = _flat(draw.answer)
    if len(parts) > LONGEST:
        return f"it is too long to write or to check: the answer has {len(parts)} entries"
    if not parts or any(part in ("", 0) and not isinstance(part, bool) for part in parts):
        return "its answer says nothing: an entry is empty or zero"
    if len(set(map(str, parts))) < len(parts):
        return "its answer says nothing: it repeats itself"
    if draw.outcome.fewest < FEWEST:
        return f"it rests on too few values: a statistic of {draw.outcome.fewest} values"
    if not draw.outcome.passed_over:
        return "its answer says nothing: as many rows are asked for as there are"
    return next(
        (f"it rests on too few values: a share of {whole} rows" for whole in _wholes(draw) if whole < FEWEST), None
    )


def _wholes(draw: Draw) -> Iterator[Fraction]:
    """Yield the counts that something is divided by."""
    for step in draw.steps.values():
        if isinstance(step, Compute) and step.how in DIVISIONS and is_step(step.second):
            name = str(step.second)[1:]
            counted, whole = draw.steps[name], draw.outcome.made[name]
            if isinstance(counted, AggregateRows) and counted.statistic in COUNTS and isinstance(whole, Fraction):
                yield whole


def is_unreadable(draw: Draw) -> str | None:
    """Refuse numbers that JSON does not keep, and evidence that nobody could look through."""
    for part in _flat(draw.answer):
        if isinstance(part, int | float) and len(_digits(part)) > DIGITS:
            return f"it is too long to write or to check: {part!r} has more than {DIGITS} digits"
    cells = sum(map(len, draw.outcome.read.values()))
    return f"it is too long to write or to check: it reads {cells:,} cells" if cells > MOST_CELLS else None


def is_given_away(draw: Draw) -> str | None:
    """Refuse a question with the answer in its words, unless it names the sides to choose from."""
    options = {str(label) for step in draw.steps.values() if isinstance(step, Compare) for label in step.labels}
    options |= {draw.shown[name] for name, value in draw.slots.items() if name in draw.shown and str(value) in options}
    for part in _flat(draw.answer):
        is_word = isinstance(part, str) and part not in options and part in draw.question
        if is_word or (len(_digits(part)) >= FEWEST and _stands_in(part, draw.question)):
            return f"a question gives its answer away: the question says {part!r}"
    return None


ALONE: tuple[Gate, ...] = (is_tied, is_near_rounding, is_trivial, is_unreadable, is_given_away)
"""The gates that look at one draw."""


@dataclass
class Accepted:
    """The draws that were accepted, and the gates that compare with them."""

    wanted: int
    """Tasks that there will be."""
    draws: list[Draw] = field(default_factory=list)
    _programs: set[str] = field(default_factory=set)
    _subjects: set[str] = field(default_factory=set)
    _answers: Counter[str] = field(default_factory=Counter)
    _sides: dict[str, Counter[bool]] = field(default_factory=dict)
    _questions: set[str] = field(default_factory=set)
    _said: set[str] = field(default_factory=set)
    _answered: set[str] = field(default_factory=set)
    """Long numbers that questions say, and that are answers."""

    def refusal(self, draw: Draw) -> str | None:
        """Return why a draw is refused; None if it may be accepted."""
        return next((why for gate in ALONE if (why := gate(draw))), None) or next(self._beside(draw), None)

    def add(self, draw: Draw) -> None:
        """Accept a draw."""
        self.draws.append(draw)
        self._programs.add(draw.program)
        self._subjects.add(draw.subject)
        self._questions.add(draw.question)
        self._said |= _said(draw)
        self._answered |= _answered(draw)
        self._answers[json.dumps(draw.gold)] += 1
        if (side := side_of(draw)) is not None:
            self._sides.setdefault(draw.family.name, Counter())[side] += 1

    @property
    def pays_to_guess(self) -> bool:
        """Say whether an answer is that of more of the tasks than may have it, as there are fewer than there were to be."""
        return max(self._answers.values(), default=0) > most_alike(len(self.draws))

    def _beside(self, draw: Draw) -> Iterator[str]:
        if draw.program in self._programs or draw.question in self._questions:
            yield "another task asks the same: it has the same program or question"
        if draw.subject and draw.subject in self._subjects:
            yield "another task asks the same: it has the same program with its sides exchanged"
        most = most_alike(self.wanted)
        if self._answers[json.dumps(draw.gold)] >= most:
            yield f"guessing its answer would pay: it is the answer of {counted(most, 'task')} already"
        if leaks := (_said(draw) & self._answered) | (_answered(draw) & self._said):
            leak = f"{min(leaks)} is the answer of one task and stands in the question of another"
            yield f"a question gives its answer away: {leak}"
        side, sides = side_of(draw), self._sides.get(draw.family.name, Counter())
        if side is not None and sides[side] > sides[not side]:
            yield "guessing its answer would pay: this side has won more often than the other"


def most_alike(tasks: int) -> int:
    """Return how many of so many tasks may have one answer."""
    return max(1, int(MAJORITY * tasks))


def side_of(draw: Draw) -> bool | None:
    """Say whether the first side wins the comparison of a program; None if it has none, or neither side is the answer."""
    if not draw.is_answerable:
        return None
    for name, step in draw.steps.items():
        if isinstance(step, Compare):
            made = draw.outcome.made[name]
            return bool(made == step.labels[0]) if step.labels else bool(made)
    return None


def _said(draw: Draw) -> set[str]:
    return set(re.findall(r"-?\d+(?:\.\d+)?", draw.question))


def _answered(draw: Draw) -> set[str]:
    return {str(part) for part in _flat(draw.answer) if len(_digits(part)) > FEWEST + 1}


def _flat(answer: Plain) -> list[Part]:
    return answer if isinstance(answer, list) else [answer]


def _digits(part: Part) -> str:
    is_number = isinstance(part, int | float) and not isinstance(part, bool)
    return re.sub(r"e.*|\D", "", repr(part)).strip("0") if is_number else ""


def _stands_in(part: Part, text: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(str(part))}(?![\d.]*\d)", text) is not None
