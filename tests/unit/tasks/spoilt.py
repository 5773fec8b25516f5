"""Ways to write an answer so that it stays right, and ways to spoil it: what a scorer has to accept and to refuse.

They follow from what others' scorers got wrong: signs that did not count, labels that were not compared, hedges that passed.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from pipeline.tasks.drawing import UNANSWERABLE
from pipeline.tasks.records import Question
from pipeline.tasks.scoring.files import tasks_with_gold
from pipeline.tasks.scoring.matching import judge
from pipeline.tasks.wording import values_stated

Change = Callable[[Question, Any], Any]
"""Makes another answer of gold; None where there is none of the kind."""


def is_number(part: object) -> bool:
    return isinstance(part, int | float) and not isinstance(part, bool)


def of_parts(change: Callable[[Any, str, float], Any]) -> Change:
    """Return what changes each part of an answer, given its unit and the tolerance; None where no part is changed."""

    def changed(asked: Question, gold: Any) -> Any:
        units = [unit for _, unit in values_stated(asked.guideline)] if asked.answer_type == "record" else [asked.unit]
        parts = gold if isinstance(gold, list) else [gold]
        made = [change(part, unit, asked.tolerance) for part, unit in zip(parts, units * len(parts), strict=False)]
        if made == parts and list(map(type, made)) == list(map(type, parts)):
            return None
        return made if isinstance(gold, list) else made[0]

    return changed


def _listed(change: Callable[[list[Any]], Any]) -> Change:
    return lambda _, gold: change(gold) if isinstance(gold, list) else None


def _with_commas(part: Any, _unit: str, _tolerance: float) -> Any:
    return f"{Decimal(str(part)):,}" if is_number(part) else part


def _with_unit(part: Any, unit: str, _tolerance: float) -> Any:
    return f"{part} {unit}" if is_number(part) and unit else part


def _farther(part: Any, _unit: str, tolerance: float) -> Any:
    if not is_number(part):
        return part
    return str(Decimal(str(part)) + (Decimal(str(tolerance)) * Decimal("1.01") or 1))


def _nearer(part: Any, _unit: str, tolerance: float) -> Any:
    return (
        str(Decimal(str(part)) - Decimal(str(tolerance)) * Decimal("0.99")) if is_number(part) and tolerance else part
    )


def _in_other_letters(part: Any, _unit: str, _tolerance: float) -> Any:
    return f" {part.upper()} " if isinstance(part, str) else str(part).upper() if isinstance(part, bool) else part


RIGHT: Mapping[str, Change] = {
    "gold": lambda _, gold: gold,
    "a text of each part": of_parts(lambda part, *_: str(part)),
    "commas between thousands": of_parts(_with_commas),
    "the unit behind the number": of_parts(_with_unit),
    "zeros at the end": of_parts(
        lambda part, *_: f"{Decimal(str(part)):f}" + ("0" if "." in str(part) else ".00") if is_number(part) else part
    ),
    "more decimals": of_parts(_nearer),
    "a sign of minus": of_parts(lambda part, *_: str(part).replace("-", "\N{MINUS SIGN}") if is_number(part) else part),
    "blanks and capitals": of_parts(_in_other_letters),
    "a JSON array in a text": _listed(lambda gold: json.dumps(gold, ensure_ascii=False)),
    "semicolons": _listed(lambda gold: "; ".join(map(str, gold))),
    "lines": _listed(lambda gold: "\n".join(map(str, gold))),
    "as Python prints it": _listed(str),
}

WRONG: Mapping[str, Change] = {
    "flipped signs": of_parts(lambda part, *_: -part if is_number(part) else part),
    "beyond the tolerance": of_parts(_farther),
    "another text": of_parts(lambda part, *_: f"{part} Other" if isinstance(part, str) else part),
    "the opposite": of_parts(lambda part, *_: not part if isinstance(part, bool) else part),
    "gold or another": of_parts(lambda part, *_: f"{part} or {part}1"),
    "another or gold": of_parts(lambda part, *_: f"no, or {part}"),
    "about gold": of_parts(lambda part, *_: f"about {part}"),
    "a sentence around it": of_parts(lambda part, *_: f"The answer is {part}."),
    "another unit": of_parts(lambda part, *_: f"{part} kg" if is_number(part) else part),
    "an entry more": _listed(lambda gold: [*gold, "more"]),
    "an entry twice": _listed(lambda gold: [*gold, gold[0]]),
    "an entry less": _listed(lambda gold: gold[1:]),
    "one entry in the place of another": _listed(
        lambda gold: [gold[0], *gold[:-1]] if len(gold) > 1 and gold[0] != gold[1] else None
    ),
    "no entries": _listed(lambda _: []),
    "entries in entries": _listed(lambda gold: [gold]),
    "a refusal": lambda *_: "No relevant data found",
    "no answer from these": lambda *_: UNANSWERABLE,
    "an object": lambda _, gold: {"answer": gold},
    "both": lambda _, gold: [gold, gold],
    "the other order": lambda asked, gold: (
        gold[::-1] if asked.answer_type in {"ranked list", "record"} and gold[::-1] != gold else None
    ),
}


def answers(changes: Mapping[str, Change], asked: Question, gold: Any) -> Iterator[tuple[str, Any]]:
    """Yield each changed answer that there is, with what was done."""
    if gold == UNANSWERABLE:
        return
    for what, change in changes.items():
        if (made := change(asked, gold)) is not None:
            yield what, made


def misjudged(folder: Path) -> list[tuple[str, str, Any]]:
    """Return each answer to a task of a build of which the verdict is another one: task, what was done, the answer."""
    return [
        (task.asked.id, what, made)
        for task in tasks_with_gold(folder)
        for verdict, changes in (("right", RIGHT), ("wrong", WRONG))
        for what, made in answers(changes, task.asked, task.gold)
        if judge(task.asked, task.gold, made)[0] != verdict
    ]
