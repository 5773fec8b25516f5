"""Says whether an answer is right, and why: the rules of docs/tasks.md, "Scoring an answer".

A reason names a form that nobody asked for, or says that something differs. It never says what is right, nor which part of an
answer is: whoever sees the verdicts of a test learns no answer from the reasons.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Literal

from pipeline.tasks.drawing import UNANSWERABLE, Part, Plain
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
        is_right = (
            _is_list_right(asked, gold, given) if asked.answer_type.endswith("list") else _are_right(asked, gold, given)
        )
    except NotAsAskedError as error:
        return "wrong", str(error)
    if_right, if_wrong = _REASONS[asked.answer_type]
    return ("right", if_right) if is_right else ("wrong", if_wrong)


def _are_right(asked: Question, gold: Plain, given: object) -> bool:
    """Say whether one value, or each part of a record, is right."""
    if asked.answer_type == "record":
        kinds, parts = values_stated(asked.guideline), entries_of(given)
        if len(parts) != len(kinds):
            raise NotAsAskedError(f"it has another number of parts than the {len(kinds)} that are asked for")
        mine = [
            read_value(part, *kind, called=f"part {i}")
            for i, (part, kind) in enumerate(zip(parts, kinds, strict=True), 1)
        ]
    else:
        kinds = [(_kind(asked.answer_type), asked.unit)]
        mine = [read_value(given, *kinds[0])]
    if gold == UNANSWERABLE:
        return False
    return _agree(
        mine, [read_value(part, *kind) for part, kind in zip(_parts(gold), kinds, strict=True)], asked.tolerance
    )


def _is_list_right(asked: Question, gold: Plain, given: object) -> bool:
    """Say whether a list has the same members: in the same order if it is ranked, else in any."""
    are_numbers = all(isinstance(part, int | float) for part in _parts(gold))
    kind: Kind = "number" if are_numbers else "text"
    mine, right = (
        [read_value(each, kind, asked.unit, called=f"entry {i}") for i, each in enumerate(entries, 1)]
        for entries in (entries_of(given), _parts(gold))
    )
    if asked.answer_type == "list":
        mine, right = sorted(mine), sorted(right)
    return _agree(mine, right, asked.tolerance)


def _agree(mine: Sequence[Value], right: Sequence[Value], tolerance: float) -> bool:
    """Say whether there are as many values, and each is the same: a number within the tolerance, in its unit."""
    return len(mine) == len(right) and all(
        abs(a - b) <= Decimal(str(tolerance)) if isinstance(a, Decimal) and isinstance(b, Decimal) else a == b
        for a, b in zip(mine, right, strict=True)
    )


def _parts(gold: Plain) -> list[Part]:
    return gold if isinstance(gold, list) else [gold]


def _kind(answer_type: AnswerType) -> Kind:
    match answer_type:
        case "number" | "date" | "yes or no":
            return answer_type
        case _:
            return "text"
