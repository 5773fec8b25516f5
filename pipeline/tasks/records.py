"""Tasks as records of their files: what is asked, and what answers it with steps, milestones, statement and evidence."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from pipeline.keyed import Key
from pipeline.tasks.drawing import Draw, Plain, plain
from pipeline.tasks.families import Level
from pipeline.tasks.making import Task
from pipeline.tasks.program.operators import Constant, Table
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.wording import answer_type, guideline, in_words, unit

Record = dict[str, Any]

MILESTONE_DIGITS = 4
"""Digits after the point of a milestone, at least: enough to be recognised in what an agent prints."""


def question_of(task: Task) -> Record:
    """Return what everybody gets of a task."""
    draw = task.draw
    return {
        "id": task.name,
        "family": draw.family.name,
        "category": draw.family.category,
        "level": draw.family.level or level(draw),
        "language": draw.language,
        "question": draw.question,
        "guideline": guideline(draw),
        "answer_type": answer_type(draw),
        "unit": unit(draw),
        "tolerance": tolerance(draw),
        "variant": "noisy",
    }


def answer_of(task: Task, clean: Clean) -> Record:
    """Return what answers a task: for the test, the curator's alone."""
    draw, digits = task.draw, max(task.draw.family.answer.decimals, MILESTONE_DIGITS)
    return {
        "answer": draw.answer,
        "steps": [in_words(name, step) for name, step in draw.steps.items()],
        "milestones": {name: plain(made, digits) for name, made in draw.outcome.made.items()},
        "sql": draw.sql,
        "evidence": list(_evidence(draw, clean)),
    }


def level(draw: Draw) -> Level:
    """Return how hard a program is by its steps (the paper's section 2.3); finding rows is part of the step that uses them."""
    steps = sum(not isinstance(step, Table | Constant) for step in draw.steps.values())
    return "easy" if steps <= 3 else "medium" if steps <= 5 else "hard"  # noqa: PLR2004


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


def _evidence(draw: Draw, clean: Clean) -> Iterator[Record]:
    for (table, column), keys in sorted(draw.outcome.read.items()):
        file = clean.environment.table(table).path
        yield from ({"file": file, "row_key": key, "column": column} for key in sorted(keys, key=_natural))


def _natural(key: str) -> tuple[int, str]:
    return len(key), key
