"""Draws tasks by key: slots from what the clean tables hold, a phrasing, and the gold of the program by two routes.

A draw is a function of the key, the family, and the number of the draw; no draw depends on another. Whether a task is good
enough to be asked is decided in `gates.py`.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any

import polars as pl

from pipeline.errors import GateError
from pipeline.keyed import Key
from pipeline.tasks.families import DrawnValues, Families, Language, TaskFamily, filled, slots_of
from pipeline.tasks.program.checking import shapes_of
from pipeline.tasks.program.operators import SLOT, STEP, Operand, Steps, TableRows
from pipeline.tasks.program.shapes import Shape, Value, ValuesShape
from pipeline.tasks.running.arithmetic import NoAnswerError
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.running.duck import DuckViews
from pipeline.tasks.running.frames import Found, ProgramOutcome, rows_of, run
from pipeline.tasks.running.statement import statement

_DOUBLED = re.compile(r"\.(?=\.(\s|$))")
"""The full stop of a name, such as `Corp.`, before that of its sentence."""

UNANSWERABLE = "not answerable from this"
"""The answer of a task whose answer noise has taken away, where a set has such tasks."""

Part = int | float | str | bool
Plain = Part | list[Part]
"""An answer as JSON has it: one value, or a list of values."""


@dataclass(frozen=True)
class Draw:
    """A family with its slots filled, its phrasing chosen and its gold computed."""

    family: TaskFamily
    number: int
    language: Language
    slots: Mapping[str, Operand]
    shown: Mapping[str, str]
    """What stands in the question for each slot."""
    steps: Steps
    shapes: Mapping[str, Shape]
    outcome: ProgramOutcome
    sql: str
    answer: Plain
    """What the program gives on the clean tables."""
    question: str
    is_answerable: bool = True
    """Whether the noisy tables answer it, or nobody asked."""

    @property
    def gold(self) -> Plain:
        """Return the answer that is right."""
        return self.answer if self.is_answerable else UNANSWERABLE

    @cached_property
    def program(self) -> str:
        """Return the digest of the program, by which equal ones are found."""
        return sha256(json.dumps({name: asdict(step) for name, step in self.steps.items()}).encode()).hexdigest()

    @cached_property
    def subject(self) -> str:
        """Return family and slots, those that differ from each other in no order; nothing where none do.

        The answer for `a` beside `b` gives that for `b` beside `a` away.
        """
        slots = self.family.slots
        if not any(slot.differs_from for slot in slots.values()):
            return ""
        sides = sorted(((*slots[name].differs_from, name)[0], str(self.slots[name])) for name in slots)
        return json.dumps([self.family.name, sides])

    @property
    def exact(self) -> list[tuple[Value, Found]]:
        """Return each part of the answer before rounding, with its type."""
        found = []
        for name in self.family.answer.of:
            shape, made = self.shapes[name], self.outcome.made[name]
            if isinstance(shape, ValuesShape) and isinstance(made, list):
                found += [(shape.of, each) for each in made]
            elif isinstance(shape, Value) and isinstance(made, Found):
                found.append((shape, made))
        return found


class Drawer:
    """Draws tasks of the families of an environment; what the clean tables hold is looked up once."""

    def __init__(self, families: Families, clean: Clean, key: Key, *, views: DuckViews | None = None) -> None:
        self.families, self.clean, self.key = families, clean, key
        self.views = views or DuckViews(clean)
        self.stream = "draw"
        self.near: Mapping[str, Sequence[Collection[str]]] = {}
        self._held: dict[str, pl.DataFrame] = {}

    def about(self, rows: Mapping[str, Sequence[Collection[str]]]) -> "Drawer":
        """Return one that draws other tasks, each about one of these rows: a slot that may have one of its texts has it.

        Args:
            rows: The texts of some rows, by table; a family takes those of the tables that it reads.
        """
        other = Drawer(self.families, self.clean, self.key, views=self.views)
        other.stream, other.near = "about", rows
        return other

    @cached_property
    def manual(self) -> dict[str, Operand]:
        """Return the values of the manual's rules, one for all tasks."""
        key = self.key.derive("manual")
        return {name: _chosen(rule.choices, key, name) for name, rule in self.families.manual.items()}

    def draw(self, family: TaskFamily, number: int) -> Draw:
        """Return one draw of a family.

        Raises:
            NoAnswerError: A slot has no value, or the program no answer.
            GateError: The two evaluators disagree.
        """
        key = self.key.derive(self.stream)
        values, shown = self._slots(family, key, str(number))
        language: Language = _chosen(sorted(family.wording), key, family.name, str(number), "language")
        steps: Steps = filled(dict(family.steps), values)
        try:
            shapes, problems = shapes_of(steps, self.clean.known, {})
        except ValueError as error:
            raise NoAnswerError(str(error)) from None
        if problems:
            raise NoAnswerError(f"{problems[0].found}: {problems[0].allowed}")
        outcome = run(steps, self.clean, shapes)
        names = {
            name: family.slots[name].names.get(language, {}).get(str(shown[name]), shown[name]) for name in family.slots
        }
        phrasing = _chosen(family.wording[language], key, family.name, str(number), "phrasing")
        return Draw(
            family=family,
            number=number,
            language=language,
            slots=values,
            shown=names,
            steps=steps,
            shapes=shapes,
            outcome=outcome,
            sql=self._statement(family, steps, shapes),
            answer=answer_in_json([outcome.made[name] for name in family.answer.of], family.answer.decimals),
            question=_DOUBLED.sub("", phrasing.format(**self.manual | names)),
        )

    def refuse_disagreement(self, draw: Draw) -> None:
        """Raise `GateError` if the statement gives another answer than the program."""
        other = answered(self.views.answer(draw.sql), draw.family.answer.decimals)
        if other != draw.answer:
            raise GateError(
                f"family {draw.family.name!r}, draw {draw.number}: its two programs disagree; one of the evaluators is wrong",
                {draw.family.name: f"frames give {draw.answer!r}, SQL gives {other!r}"},
            )

    def _statement(self, family: TaskFamily, steps: Steps, shapes: Mapping[str, Shape]) -> str:
        answers = dict.fromkeys(family.answer.of, family.answer.decimals)
        return statement(steps, answers, self.clean.known, shapes, self.views.name)

    def _slots(self, family: TaskFamily, key: Key, number: str) -> tuple[dict[str, Operand], dict[str, str]]:
        values: dict[str, Operand] = dict(self.manual)
        shown: dict[str, str] = {}
        read = {step.table for step in family.steps.values() if isinstance(step, TableRows)}
        rows = [row for table in sorted(read) for row in self.near.get(table, ())]
        near = _chosen(rows, key, family.name, number, "row") if rows else ()
        for name, slot in slots_of(family, {}).items():
            taken = {values[other] for other in slot.differs_from}
            if slot.values is None:
                options = [(choice, str(choice)) for choice in slot.choices or ()]
            else:
                options = self._options(filled(slot.values, values))
            options = [option for option in options if option[0] not in taken]
            options = [option for option in options if str(option[0]) in near] or options
            if not options:
                raise NoAnswerError(f"the tables have nothing for slot {name!r}")
            values[name], shown[name] = _chosen(options, key, family.name, number, name)
        return values, shown

    def _options(self, drawn: DrawnValues) -> list[tuple[Operand, str]]:
        """Return the values that a slot may have, sorted, with what they are called."""
        cached = repr(drawn)
        if cached not in self._held:
            self._held[cached] = self._looked_up(drawn)
        held = self._held[cached]
        values = [_operand(value) for value in held["value"]]
        return list(zip(values, held["shown"].to_list(), strict=True))

    def _looked_up(self, drawn: DrawnValues) -> pl.DataFrame:
        rows = (
            rows_of(TableRows(table=drawn.table, where=drawn.where), self.clean)
            .select(value=drawn.column, shown=pl.col(drawn.shown or drawn.column).cast(pl.String))
            .drop_nulls()
        )
        held = rows.group_by("value").agg(pl.col("shown").min(), pl.len().alias("rows"))
        text = pl.col("value").cast(pl.String)
        usable = ~(text.str.starts_with(SLOT) | text.str.starts_with(STEP))
        return held.filter(usable, pl.col("rows") >= drawn.least).sort("value")


def answer_in_json(made: Sequence[object], digits: int) -> Plain:
    """Return the parts of an answer as they are published: of one part the part itself."""
    return plain(made[0], digits) if len(made) == 1 else [_part(each, digits) for each in made]


def _chosen(options: Any, key: Key, *label: str) -> Any:
    return options[int.from_bytes(key.digest(*label)[:8], "big") % len(options)]


def _operand(value: object) -> Operand:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)


def answered(row: Sequence[object], digits: int) -> Plain:
    """Return the row that a statement gave as an answer: of one part the part itself."""
    return answer_in_json([of_sql(cell) for cell in row], digits)


def of_sql(cell: object) -> Found | list[Found] | None:
    """Return what DuckDB gave as a value of a program."""
    if cell is None:
        return None
    if isinstance(cell, list):
        return [of_sql(each) for each in cell]  # type: ignore[misc]
    if isinstance(cell, bool):
        return cell
    return Fraction(str(cell)) if isinstance(cell, int | float | Decimal) else str(cell)


def plain(found: object, digits: int) -> Plain:
    """Return a value or a list as it is published: numbers rounded half away from zero."""
    return [_part(each, digits) for each in found] if isinstance(found, list) else _part(found, digits)


def _part(found: object, digits: int) -> Part:
    if isinstance(found, Fraction):
        rounded = rounded_to(found, digits)
        return int(rounded) if digits == 0 or rounded == rounded.to_integral_value() else float(rounded)
    return found if isinstance(found, str | bool | int) else ""


def rounded_to(value: Fraction, digits: int) -> Decimal:
    """Return a number rounded half away from zero."""
    whole, rest = divmod(abs(value) * 10**digits, 1)
    size = int(whole) + (rest >= Fraction(1, 2))
    return (Decimal(size if value >= 0 else -size)).scaleb(-digits)
