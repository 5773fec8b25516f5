"""Tasks as records of their files: what is asked, and what answers it with steps, milestones, statement and evidence."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pipeline.keyed import Key
from pipeline.tasks.drawing import Draw, Plain, plain
from pipeline.tasks.families import Language, Level
from pipeline.tasks.making import Task, TaskSet
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.wording import AnswerType, answer_type, guideline, in_words, unit

MILESTONE_DIGITS = 4
"""Digits after the point of a milestone, at least: enough to be recognised in what an agent prints."""


class _Strict(BaseModel):
    """The fields that are declared and no others, each of its type."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Record(_Strict):
    """One line of a file of tasks."""

    id: str
    """Names the task in its set."""


class Question(Record):
    """A task as everybody gets it: a line of `test.jsonl`."""

    family: str
    """The form of the question."""
    category: str
    level: Level
    language: Language
    question: str
    guideline: str
    """What the answer depends on and the question does not say."""
    answer_type: AnswerType
    """A `record` is a list of parts, in the order that the guideline states."""
    unit: str
    """Of the number that is asked for, empty if it has none."""
    tolerance: float
    """By how much a number may differ."""
    variant: Literal["noisy", "clean"]
    """The variant in whose files the answer is looked for."""


class EvidenceCell(_Strict):
    """A cell that the answer depends on."""

    file: str
    """Path below `database/`."""
    row_key: str
    """Key of the row in the clean file."""
    column: str


class Answered(Record):
    """What answers a task."""

    answer: Plain
    """What is right; of a task whose answer noise has taken away, a fixed text that says so."""
    clean_answer: Plain
    """What the program gives on the clean tables: the answer, unless that is that there is none."""
    steps: list[str]
    """The program in words, a step each."""
    milestones: dict[str, Plain]
    """What each step gives on the clean tables: a value or a list, or the number of its rows."""
    sql: str
    """One statement of DuckDB over views that are named as the clean files are, all columns text; it gives the clean answer."""
    evidence: list[EvidenceCell]


class Solved(Answered, Question):
    """A task with its answer: a line of `dev.jsonl`."""


class Shown(Question):
    """A task with its answer alone: a line of `dev.jsonl` in a release that shows neither clean tables nor noise."""

    answer: Plain


class Kept(Answered):
    """The answer of a task of the test: a line of the curator's `test_answers.jsonl`."""

    salt: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """Goes before the answer into its commitment, as 32 bytes in hexadecimal."""


class Commitments(_Strict):
    """What binds whoever made a test to its answers: `commitments.json`."""

    scheme: str
    answers: dict[str, str]
    """Task -> SHA-256 of salt and answer, in hexadecimal."""


class TouchedBy(_Strict):
    """A rule of noise that changed cells which a task reads."""

    rule: str
    cells: int


Cause = Literal["", "one", "any", "several"]
"""Why a task is answered wrongly: one rule, several of which any may be taken out, or several of which each is enough."""


class TaskImpact(_Strict):
    """What noise does to a task: an entry of `impact.json`, by the task's id."""

    touched: list[TouchedBy]
    naive: dict[str, Plain | None]
    """Variant -> what a naive reader answers on it; None where the program has no answer."""
    mended: Plain | None
    """What it answers on the tables that the reference cleaner made."""
    cause: Cause
    """Empty if the naive reader is right on `noisy`."""
    broken_by: list[str]
    """The rules of the cause."""
    answerable: bool | None
    """Whether the right answer can be had from the noisy tables: by the cleaner, or as they stand. Null if nobody could
    try: no file says how the tables are cleaned."""


def question_of(task: Task, tasks: TaskSet) -> Question:
    """Return what everybody gets of a task of a set."""
    draw = task.draw
    return Question(
        id=task.name,
        family=draw.family.name,
        category=draw.family.category,
        level=draw.family.how_hard,
        language=draw.language,
        question=draw.question,
        guideline=guideline(draw, may_lack_answers=tasks.may_lack_answers),
        answer_type=answer_type(draw),
        unit=unit(draw),
        tolerance=tolerance(draw),
        variant="noisy",
    )


def answer_of(task: Task, clean: Clean) -> Answered:
    """Return what answers a task: for the test, the curator's alone."""
    draw, digits = task.draw, max(task.draw.family.answer.decimals, MILESTONE_DIGITS)
    return Answered(
        id=task.name,
        answer=draw.gold,
        clean_answer=draw.answer,
        steps=[in_words(name, step) for name, step in draw.steps.items()],
        milestones={name: plain(made, digits) for name, made in draw.outcome.made.items()},
        sql=draw.sql,
        evidence=list(_evidence(draw, clean)),
    )


def solved(task: Task, tasks: TaskSet, clean: Clean) -> Solved:
    """Return a task of a set with its answer."""
    return Solved(**dict(question_of(task, tasks)) | dict(answer_of(task, clean)))


def tolerance(draw: Draw) -> float:
    """Return by how much a number may differ: half a unit of its last digit if it is rounded, else nothing."""
    digits = draw.family.answer.decimals
    is_rounded = any(value.kind == "number" and value.scale != 0 for value, _ in draw.exact)
    return 0.5 * 10**-digits if is_rounded else 0


def commitment(key: Key, name: str, answer: Plain) -> tuple[str, str]:
    """Return salt and commitment of an answer: SHA-256 of both, so that one answer can be shown without the others."""
    salt = key.derive("commitments to answers").digest(name)
    return salt.hex(), bound(salt, answer)


def bound(salt: bytes, answer: Plain) -> str:
    """Return the commitment to an answer with a salt."""
    return sha256(salt + canonical(answer)).hexdigest()


def canonical(value: object) -> bytes:
    """Return JSON without blanks, to which commitments bind."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _evidence(draw: Draw, clean: Clean) -> Iterator[EvidenceCell]:
    for (table, column), keys in sorted(draw.outcome.read.items()):
        file = clean.environment.table(table).path
        yield from (EvidenceCell(file=file, row_key=key, column=column) for key in sorted(keys, key=_natural))


def _natural(key: str) -> tuple[int, str]:
    return len(key), key
