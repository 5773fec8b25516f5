"""Checks a set that was made: each answer is what its statement gives, and what its commitment binds to."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from pipeline.errors import GateError, InputError
from pipeline.places import CURATOR, TASKS
from pipeline.small_files import REPORTED, content_of
from pipeline.tasks.drawing import UNANSWERABLE
from pipeline.tasks.names import COMMITMENTS, DEV, TEST_ANSWERS
from pipeline.tasks.records import Commitments, Kept, Solved, bound
from pipeline.tasks.running.apart import TableFile, run_apart
from pipeline.tasks.running.clean import Clean
from pipeline.tasks.running.statement import quoted

Read = TypeVar("Read", bound=BaseModel)


def check_set(folder: Path, clean: Clean) -> int:
    """Return how many answers were checked; 0 if no set was made.

    Raises:
        GateError: An answer is another than that of its statement, or of its commitment; it names the task.
    """
    if not (folder / TASKS).is_dir():
        return 0
    kept = kept_answers(folder)
    answers: list[Solved | Kept] = [*records_of(folder / TASKS / DEV, Solved), *kept]
    _refuse(dict(wrong_answers(answers, clean)))
    return len(answers)


def kept_answers(folder: Path) -> list[Kept]:
    """Return the answers of the test.

    Raises:
        GateError: One is another than that of its commitment, or lacks one; it names the task.
        InputError: A file cannot be read, or a line is not as it was made.
    """
    kept = list(records_of(folder / CURATOR / TASKS / TEST_ANSWERS, Kept))
    commitments = _read(Commitments, _content(folder / TASKS / COMMITMENTS), COMMITMENTS).answers
    own = {each.id: bound(bytes.fromhex(each.salt), each.answer) for each in kept}
    unbound = [name for name in own.keys() | commitments.keys() if own.get(name) != commitments.get(name)]
    _refuse(dict.fromkeys(sorted(unbound), "its commitment is another"))
    return kept


def _refuse(failing: Mapping[str, str]) -> None:
    if failing:
        raise GateError("answers of tasks are not what binds them; make the tasks again", failing)


def wrong_answers(records: Sequence[Solved | Kept], clean: Clean) -> Iterator[tuple[str, str]]:
    """Yield the tasks whose answer is not what their statement gives, with what that gives instead.

    Statements may be a stranger's. Where one is out of bounds, those after it are not run.
    """
    named = {table: quoted(clean.file(table).stem) for table in clean.declared.tables}
    read = [table for table, name in named.items() if any(name in record.sql for record in records)]
    tables = [
        TableFile(clean.file(table).stem, clean.file(table), clean.environment.table(table).dialect.null)
        for table in read
        if clean.file(table).is_file()
    ]
    for record, given in zip(records, run_apart(tables, [each.sql for each in records]), strict=False):
        if given.refusal or given.answer != record.clean_answer:
            yield record.id, f"its statement gives {given.refusal or repr(given.answer)}"
        elif record.answer not in (record.clean_answer, UNANSWERABLE):
            yield record.id, "its answer is neither that of its statement nor that there is none"


def records_of(file: Path, model: type[Read]) -> Iterator[Read]:
    """Yield the lines of a file of tasks.

    Raises:
        InputError: The file cannot be read, or a line is not as it was made.
    """
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
