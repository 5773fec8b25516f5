"""Says whether an answer is right, and why: the rules of docs/tasks.md, "Scoring an answer".

A reason names a form that nobody asked for, or says that something differs. It never says what is right, nor which part of an
answer is: whoever sees the verdicts of a test learns no answer from the reasons.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Literal

from pipeline.tasks.drawing import UNANSWERABLE, Plain
from pipeline.tasks.program.shapes import Kind
from pipeline.tasks.records import Question
from pipeline.tasks.scoring.reading import NotAsAskedError, Value, entries_of, folded, read_value
from pipeline.tasks.wording import AnswerType, values_stated

Verdict = Literal["right", "wrong", "missing"]

_REASONS: Mapping[AnswerType, tuple[str, str]] = {
    "number": ("the number is within the tolerance", "the number differs by more than the tolerance"),
    "text": ("the text is the same", "it is another text"),
    "date": ("the day is the same", "it is another day"),
    "yes or no": ("it is the same", "it is the opposite"),
    "list": ("the members are the same", "the members are not the same"),
    "ranked list": ("members and order are the same", "the members or their order are not the same"),
    "record": ("every part is right", "at least one part is not right"),
}
"""Of each type of answer: what is said if it is right, and if it is not."""


def judge(asked: Question, gold: Plain, given: object) -> tuple[Verdict, str]:
    """Return the verdict on an answer, and the reason in plain English.

    Args:
        asked: The task; its guideline says of which kinds and units the parts of a record are.
        gold: What is right.
        given: The answer as JSON holds it; null or a blank text is none.
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        return "missing", "no answer was given"
    is_answerable = gold != UNANSWERABLE
    if isinstance(given, str) and folded(given) == UNANSWERABLE:
        if is_answerable:
            return "wrong", "it says that the tables do not answer this"
        return "right", "the tables do not answer this"
    try:
        is_right = _is_right(asked, gold, given)
    except NotAsAskedError as error:
        return "wrong", str(error)
    if_right, if_wrong = _REASONS[asked.answer_type]
    return ("right", if_right) if is_right else ("wrong", if_wrong)


def _is_right(asked: Question, gold: Plain, given: object) -> bool:
    """Read each value by its kind and unit, then compare; a list without ranks is compared in the order of its values."""
    right = gold if isinstance(gold, list) else [gold]
    values: Sequence[object] = [given]
    kinds: Sequence[tuple[Kind, str]]
    match asked.answer_type:
        case "record":
            values, kinds = entries_of(given), values_stated(asked.guideline)
            if len(values) != len(kinds):
                raise NotAsAskedError(f"it has another number of parts than the {len(kinds)} that are asked for")
        case "list" | "ranked list":
            values = entries_of(given)
            of_numbers = all(isinstance(each, int | float) for each in right)
            kinds = [("number" if of_numbers else "text", asked.unit)] * len(values)
        case kind:
            kinds = [(kind, asked.unit)]
    called = [f"part {place}" if len(values) > 1 else "it" for place in range(1, len(values) + 1)]
    mine = [read_value(each, *kind, called=name) for each, kind, name in zip(values, kinds, called, strict=True)]
    if gold == UNANSWERABLE or len(mine) != len(right):
        return False
    ours = [read_value(each, *kind) for each, kind in zip(right, kinds, strict=True)]
    if asked.answer_type == "list":
        mine, ours = sorted(mine), sorted(ours)
    return all(_is_same(a, b, asked.tolerance) for a, b in zip(mine, ours, strict=True))


def _is_same(a: Value, b: Value, tolerance: float) -> bool:
    if isinstance(a, Decimal) and isinstance(b, Decimal):
        return abs(a - b) <= Decimal(str(tolerance))
    return a == b
