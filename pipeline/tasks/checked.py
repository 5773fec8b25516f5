"""Checks a set that was made: each answer is what its statement gives, and what its commitment binds to."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.errors import GateError, InputError
from pipeline.places import CURATOR
from pipeline.small_files import REPORTED, content_of, json_of
from pipeline.tasks.drawing import answered
from pipeline.tasks.records import bound
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.running.duck import Views
from pipeline.tasks.running.statement import quoted
from pipeline.tasks.writing import TASKS

_ALL_DIGITS = 30


def check_set(folder: Path, clean: Clean) -> int:
    """Return how many answers were checked; 0 if no set was made.

    Raises:
        GateError: An answer is another than that of its statement, or of its commitment; it names the task.
    """
    if not (folder / TASKS).is_dir():
        return 0
    answers = [*_records(folder / TASKS / "dev.jsonl"), *_records(folder / CURATOR / TASKS / "test_answers.jsonl")]
    commitments = json_of(folder / TASKS / "commitments.json")["answers"]
    views = Views(clean)
    failing = {each["id"]: why for each in answers if (why := _fault(each, views, commitments))}
    if failing:
        raise GateError("answers of tasks are not what binds them; make the tasks again", failing)
    return len(answers)


def _fault(record: Any, views: Views, commitments: Any) -> str:
    for table in views.clean.declared.tables:
        if quoted(views.clean.file(table).stem) in record["sql"]:
            views.name(table)
    found = answered(views.answer(record["sql"]), _ALL_DIGITS)
    if found != record["answer"]:
        return f"its statement gives {found!r}"
    if "salt" not in record:
        return ""
    digest = bound(bytes.fromhex(record["salt"]), record["answer"])
    return "" if commitments.get(record["id"]) == digest else "its commitment is another"


def _records(file: Path) -> Iterator[Any]:
    try:
        yield from map(json.loads, content_of(file, most=REPORTED).splitlines())
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read as JSON Lines; make the tasks again") from error
