"""Families of questions as they are written in YAML: slots, steps, answer, wording; and the loader that checks a file of them.

Belongs here: the documents. Operators are in `program/`, drawing in `drawing.py`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, fields, is_dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast

from pydantic import Field

from pipeline.documents.document import YamlDocument
from pipeline.documents.fields import NOT_EMPTY, KnownName, Many, Name, Some, Text, Within
from pipeline.documents.problems import Place, one_of
from pipeline.documents.reading import Reader
from pipeline.model import Environment
from pipeline.noise.spec import read_file
from pipeline.tasks.program.checking import shapes_of
from pipeline.tasks.program.operators import Constant, FilterRows, Operand, Step, Steps, TableRows, Where, is_slot
from pipeline.tasks.program.shapes import FigureTable, Kind, KnownTables, RowsShape, ValuesShape, declared

T = TypeVar("T")

Language = Literal["en", "zh"]
Level = Literal["easy", "medium", "hard"]

PHRASINGS = 4
"""Phrasings of a family in each of its languages, at least."""

Phrasings = Annotated[Some[Text], Field(min_length=PHRASINGS)]


class DrawnValues(YamlDocument):
    """The values of a column of a clean table, of rows that meet all conditions; these may name slots that stand before."""

    table: Name
    column: Name
    where: Many[Where] = ()
    least: Annotated[int, Within(1)] = 1
    """Rows that a value must have."""
    shown: Name | None = None
    """Column of the same rows that says in words what the value is."""


class Slot(YamlDocument):
    """A place in question and program that the key fills."""

    choices: Some[Operand] | None = None
    """What it may be: literals, or names of columns."""
    values: DrawnValues | None = None
    """Where it is drawn from."""
    differs_from: Many[Name] = ()
    """Slots before it that have another value."""
    names: Mapping[Language, Mapping[str, str]] = field(default_factory=dict)
    """What values are called in a question."""

    exactly_one_of: ClassVar[tuple[str, ...]] = ("choices", "values")


class Answer(YamlDocument):
    """What is asked for: one step, or several, which make a list in this order."""

    of: Some[Name]
    decimals: Annotated[int, Within(0, 12)] = 2
    """Digits after the point to which numbers are rounded, half away from zero."""


class TaskFamily(YamlDocument):
    """Questions of one form."""

    name: Name
    """Unique in its file; what is drawn hangs on it."""
    category: Name
    steps: Annotated[Mapping[str, Step], NOT_EMPTY]
    answer: Answer
    wording: Annotated[Mapping[Language, Phrasings], NOT_EMPTY]
    """Phrasings by language; `{sector}` is a slot."""
    slots: Mapping[str, Slot] = field(default_factory=dict)
    """In the order of drawing."""
    conventions: Mapping[Language, str] = field(default_factory=dict)
    """What the answer depends on and its type does not say; a sentence of the guideline."""
    level: Level | None = None
    """How hard it is, where people judged; otherwise it follows from the number of steps."""

    @property
    def how_hard(self) -> Level:
        """Return the level by the steps (the paper's section 2.3); finding rows is part of the step that uses them."""
        steps = sum(not isinstance(step, TableRows | FilterRows | Constant) for step in self.steps.values())
        return self.level or ("easy" if steps <= 3 else "medium" if steps <= 5 else "hard")  # noqa: PLR2004


class ManualRule(YamlDocument):
    """A rule that the manual states and questions need: its value is drawn once for a set, and is a slot of every program."""

    choices: Some[Operand]
    text: Annotated[Mapping[Language, Text], NOT_EMPTY]
    """What the manual says; `{value}` stands for the value."""


class MeasuredTable(YamlDocument):
    """A published table with one row for each figure, that no view of the declaration names."""

    label: Name
    value: Name
    unit: Name = ""


class Proportion(YamlDocument):
    """How many tasks of all are of a category: of each level, or of any."""

    easy: Annotated[int, Within(0)] = 0
    medium: Annotated[int, Within(0)] = 0
    hard: Annotated[int, Within(0)] = 0
    any: Annotated[int, Within(0)] = 0
    """Tasks of whatever level."""


class Families(YamlDocument):
    """The families of an environment, what the manual says, and how many tasks each category has of all."""

    environment: Annotated[str, KnownName("environment")]
    families: Many[TaskFamily]
    categories: Mapping[str, Proportion] = field(default_factory=dict)
    """Category -> tasks, in proportion; their sum is the size of a set by default."""
    manual: Mapping[str, ManualRule] = field(default_factory=dict)
    definitions: Mapping[Language, Many[Text]] = field(default_factory=dict)
    """Paragraphs of the manual."""
    measured: Mapping[str, MeasuredTable] = field(default_factory=dict)

    @property
    def tasks(self) -> dict[tuple[str, str], int]:
        """Return how many tasks are stated for each category and level."""
        stated = {(name, level): count for name, each in self.categories.items() for level, count in vars(each).items()}
        return {which: count for which, count in stated.items() if count}

    @property
    def measured_tables(self) -> dict[str, FigureTable]:
        """Return the measured tables by name."""
        return {name: FigureTable(each.label, each.value, each.unit) for name, each in self.measured.items()}


def load_families(path: Path, environment: Environment) -> Families:
    """Read the families of an environment, or raise `SpecError` with all their problems, each with its place."""
    return read_file(path, environment, _families, what="file of task families")


def filled(part: T, values: Mapping[str, Operand]) -> T:
    """Return a part of a program with these slots filled: `$measure` alone, or `{measure}` within a text."""
    if isinstance(part, str):
        found = values.get(part[1:], part) if is_slot(part) else _PLACE.sub(lambda place: _shown(place, values), part)
        return cast("T", found)
    if isinstance(part, tuple):
        return cast("T", tuple(filled(each, values) for each in part))
    if isinstance(part, Mapping):
        return cast("T", {filled(name, values): filled(each, values) for name, each in part.items()})
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{each.name: filled(getattr(part, each.name), values) for each in fields(part)})
    return part


def _shown(place: re.Match[str], values: Mapping[str, Operand]) -> str:
    return str(values.get(place[1], place[0]))


def slots_of(family: TaskFamily, manual: Mapping[str, ManualRule]) -> dict[str, Slot]:
    """Return the slots of a family, with those of the manual."""
    return {name: Slot(choices=rule.choices) for name, rule in manual.items()} | dict(family.slots)


# --- checks ------------------------------------------------------------------------------------------------------------


def _families(reader: Reader, document: Any) -> Families | None:
    made = reader.read(Families, document, ())
    if made is None:
        return None
    known = declared(reader.environment, made.measured_tables)
    _refuse_measured(reader, made, known)
    names = [family.name for family in made.families]
    for index, family in enumerate(made.families):
        place = ("families", index)
        if names.index(family.name) < index:
            reader.refuse((*place, "name"), family.name, "a name that no other family has")
        if made.categories and family.category not in made.categories:
            reader.refuse((*place, "category"), family.category, one_of(made.categories, family.category))
        refuse_misfits(reader, family, made.manual, known, place)
    return made


def _refuse_measured(reader: Reader, made: Families, known: KnownTables) -> None:
    for name, table in made.measured.items():
        columns = known.tables.get(name)
        if columns is None:
            reader.refuse(("measured", name), name, one_of(sorted(known.tables), name))
        for part, column in vars(table).items():
            if columns is not None and column and column not in columns:
                reader.refuse(("measured", name, part), column, one_of(columns, column))


def refuse_misfits(
    reader: Reader, family: TaskFamily, manual: Mapping[str, ManualRule], known: KnownTables, place: Place
) -> None:
    """Note what does not fit together in a family: slots, steps, answer and wording."""
    slots = slots_of(family, manual)
    kinds = {name: kind for name, slot in slots.items() if (kind := _kind(reader, name, slot, slots, known, place))}
    if set(kinds) != set(slots):
        return
    for values in _choices(slots):
        steps: Steps = filled(dict(family.steps), values)
        shapes, problems = shapes_of(steps, known, kinds)
        reader.problems.extend(one.at((*place, "steps", *one.place)) for one in problems)
        if problems:
            return
        for name in family.answer.of:
            shape = shapes.get(name)
            if (
                shape is None
                or isinstance(shape, RowsShape)
                or (isinstance(shape, ValuesShape) and len(family.answer.of) > 1)
            ):
                allowed = "steps that give one value each, or one that gives a list"
                reader.refuse((*place, "answer", "of"), name, allowed)
    _refuse_wording(reader, family, slots, place)


def _kind(
    reader: Reader, name: str, slot: Slot, slots: Mapping[str, Slot], known: KnownTables, place: Place
) -> Kind | None:
    """Return what a slot holds; None if the reader refused it."""
    here, before = (*place, "slots", name), list(slots)[: list(slots).index(name)]
    for other in slot.differs_from:
        if other not in before:
            reader.refuse((*here, "differs_from"), other, f"a slot that stands before: {one_of(before, other)}")
            return None
    if slot.values is None:
        numbers = [isinstance(choice, int | float) for choice in slot.choices or ()]
        return "number" if all(numbers) else "text"
    drawn = slot.values
    if drawn.table not in known.tables:
        reader.refuse((*here, "values", "table"), drawn.table, one_of(sorted(known.tables), drawn.table))
        return None
    columns = known.tables[drawn.table]
    wanted = {"column": drawn.column, **({"shown": drawn.shown} if drawn.shown else {})}
    wanted |= {f"where[{index}].column": where.column for index, where in enumerate(drawn.where)}
    for at, column in wanted.items():
        if column not in columns and not is_slot(column):
            reader.refuse((*here, "values", at), column, one_of(columns, column))
            return None
    for operand in chain.from_iterable(where.test[1] for where in drawn.where):
        if is_slot(operand) and str(operand)[1:] not in before:
            reader.refuse((*here, "values", "where"), operand, f"a slot that stands before: {one_of(before, operand)}")
            return None
    return columns[drawn.column].kind


def _choices(slots: Mapping[str, Slot]) -> Iterator[dict[str, Operand]]:
    """Yield values for the slots of choices, so that each choice occurs."""
    given = {name: slot.choices for name, slot in slots.items() if slot.choices}
    for index in range(max((len(choices) for choices in given.values()), default=1)):
        yield {name: choices[index % len(choices)] for name, choices in given.items()}


_PLACE = re.compile(r"\{(\w+)\}")
_IDENTIFIER = re.compile(r"\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b")
"""What looks like the name of a column rather than a word."""


def _refuse_wording(reader: Reader, family: TaskFamily, slots: Mapping[str, Slot], place: Place) -> None:
    for language, texts in family.wording.items():
        for index, text in enumerate(texts):
            here = (*place, "wording", language, index)
            for name in _PLACE.findall(text):
                if name not in slots:
                    reader.refuse(here, f"{{{name}}}", f"slots: {one_of(slots, name)}")
            if given_away := _IDENTIFIER.findall(_PLACE.sub("", text)):
                reader.refuse(here, given_away[0], "words; a question does not name columns")
            silent = [name for name in family.slots if f"{{{name}}}" not in text]
            if silent:
                reader.refuse(here, text, f"a phrasing with all slots: {', '.join(silent)} is missing")
