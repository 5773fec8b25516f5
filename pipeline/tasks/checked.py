"""Checks a set that was made: each answer is what its statement gives, and what its commitment binds to."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from pipeline.errors import GateError, InputError
from pipeline.places import CURATOR
from pipeline.small_files import REPORTED, content_of
from pipeline.tasks.drawing import UNANSWERABLE, answered
from pipeline.tasks.records import Commitments, Kept, Solved, bound
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.running.duck import DuckViews
from pipeline.tasks.running.statement import quoted
from pipeline.tasks.writing import COMMITMENTS, TASKS

Read = TypeVar("Read", bound=BaseModel)

_ALL_DIGITS = 30


def check_set(folder: Path, clean: Clean) -> int:
    """Return how many answers were checked; 0 if no set was made.

    Raises:
        GateError: An answer is another than that of its statement, or of its commitment; it names the task.
    """
    if not (folder / TASKS).is_dir():
        return 0
    answers: list[Solved | Kept] = [
        *_records(folder / TASKS / "dev.jsonl", Solved),
        *_records(folder / CURATOR / TASKS / "test_answers.jsonl", Kept),
    ]
    commitments = _read(Commitments, _content(folder / TASKS / COMMITMENTS), COMMITMENTS).answers
    views = DuckViews(clean)
    failing = {each.id: why for each in answers if (why := _fault(each, views, commitments))}
    if failing:
        raise GateError("answers of tasks are not what binds them; make the tasks again", failing)
    return len(answers)


def _fault(record: Solved | Kept, views: DuckViews, commitments: Mapping[str, str]) -> str:
    for table in views.clean.declared.tables:
        if quoted(views.clean.file(table).stem) in record.sql:
            views.name(table)
    found = answered(views.answer(record.sql), _ALL_DIGITS)
    if found != record.clean_answer:
        return f"its statement gives {found!r}"
    if record.answer not in (record.clean_answer, UNANSWERABLE):
        return "its answer is neither that of its statement nor that there is none"
    if isinstance(record, Solved):
        return ""
    is_bound = commitments.get(record.id) == bound(bytes.fromhex(record.salt), record.answer)
    return "" if is_bound else "its commitment is another"


def _records(file: Path, model: type[Read]) -> Iterator[Read]:
    for number, line in enumerate(_content(file).splitlines(), 1):
        yield _read(model, line, f"{file}, line {number},")


def _read(model: type[Read], content: bytes, what: str) -> Read:
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        place = ".".join(map(str, error.errors(include_input=False)[0]["loc"])) or "its JSON"
        raise InputError(f"{what} is not as it was made, at {place!r}; make the tasks again") from None


def _content(file: Path) -> bytes:
    try:
        return content_of(file, most=REPORTED)
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror}); make the tasks again") from error
