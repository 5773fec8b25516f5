"""Reads what is scored: a file of answers, one JSON object a line, and the tasks of a set with the answers that are right.

A file of answers is somebody else's. If a line cannot be used, the file is refused whole: no answer is lost in silence.
"""

import codecs
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NoReturn

from pydantic import RootModel, ValidationError

from pipeline.errors import InputError, near_path
from pipeline.places import CURATOR, TASKS
from pipeline.publish.manifest import MANIFEST, verify_files
from pipeline.small_files import REPORTED, content_of, refuse_key
from pipeline.tasks.checked import kept_answers, records_of
from pipeline.tasks.drawing import Plain
from pipeline.tasks.names import DEV, IMPACT, TEST, TEST_ANSWERS, TEST_IMPACT
from pipeline.tasks.records import Question, Shown, TaskImpact
from pipeline.tasks.wording import values_stated

TaskPart = Literal["dev", "test"]

_SHOWN, _LONGEST = 10, 60
"""Lines that an error lists, and characters of a value in it (our choice: they fit on a screen)."""


@dataclass(frozen=True, kw_only=True)
class GoldTask:
    """A task, with its answer if that is at hand."""

    asked: Question
    part: TaskPart
    gold: Plain | None
    """None for a task of the test where the curator's file is not there, or closed to us."""
    broken_by: tuple[str, ...] | None
    """Rules of noise without which a naive reader is right; None if nobody looked at the noise."""


def tasks_with_gold(folder: Path) -> list[GoldTask]:
    """Return the tasks of a build, those of dev first.

    Args:
        folder: The environment's output folder, in which `tasks/` and the curator's folder are.

    Raises:
        GateError: A file is not as it was made, or an answer is not what its commitment binds to.
        InputError: There are no tasks, or a file cannot be read.
    """
    if not (folder / TASKS / MANIFEST).is_file():
        raise InputError(f"{folder} holds no tasks; make them (silt tasks make), or say where they are with --out")
    try:
        verify_files(folder / TASKS)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{folder / TASKS / MANIFEST} is no manifest of tasks; make the tasks again") from error
    impact, kept = _impact(folder / TASKS / IMPACT), dict[str, Plain]()
    if os.access(folder / CURATOR / TASKS / TEST_ANSWERS, os.R_OK):
        impact |= _impact(folder / CURATOR / TASKS / TEST_IMPACT)
        kept = {each.id: each.answer for each in kept_answers(folder)}
    made = [
        GoldTask(asked=each, part="dev", gold=each.answer, broken_by=impact.get(each.id))
        for each in records_of(folder / TASKS / DEV, _Shown)
    ] + [
        GoldTask(asked=each, part="test", gold=kept.get(each.id), broken_by=impact.get(each.id))
        for each in records_of(folder / TASKS / TEST, Question)
    ]
    for task in made:
        parts = task.gold if task.asked.answer_type == "record" and isinstance(task.gold, list) else []
        if parts and len(values_stated(task.asked.guideline)) != len(parts):
            raise InputError(
                f"task {task.asked.id} in {folder / TASKS} has a guideline of another version; make the tasks again"
            )
    return made


def read_answers(file: Path, known: Collection[str]) -> dict[str, Any]:
    """Return the answers of a file, by task: of each what its JSON holds.

    Args:
        file: JSON Lines in UTF-8, of objects with `id` and `answer`; other fields are not read, nor are blank lines.
        known: Tasks that there are.

    Raises:
        InputError: The file cannot be read, or a line cannot be used; it names line, field and value of the first ten.
        KeyFileError: The file may hold a key.
    """
    try:
        content = content_of(file, most=REPORTED)
    except OSError as error:
        raise InputError(
            f"cannot read the answers in {file}: {error.strerror}; give the file of answers{near_path(file)}"
        ) from error
    refuse_key(file, content)
    answers: dict[str, Any] = {}
    problems: list[str] = []
    for number, line in enumerate(content.removeprefix(codecs.BOM_UTF8).splitlines(), 1):
        try:
            answers |= _read(line, known, answers) if line.strip() else {}
        except _UnusableError as error:
            problems.append(f"  {file}, line {number}{error}")
        if len(problems) == _SHOWN:
            problems.append("  Further lines were not read.")
            break
    if problems:
        raise InputError("\n".join(["these answers cannot be scored, and nothing was written:", *problems]))
    return answers


class _UnusableError(ValueError):
    """A line that cannot be used; the message goes on after its number."""


def _read(line: bytes, known: Collection[str], before: Mapping[str, Any]) -> dict[str, Any]:
    try:
        record = json.loads(line.decode(), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise _UnusableError(f": found the byte 0x{line[error.start]:02x}; write the file in UTF-8") from None
    except json.JSONDecodeError as error:
        raise _UnusableError(f": no JSON at character {error.pos + 1} ({error.msg}); {_FORM}") from None
    except (ValueError, RecursionError):
        raise _UnusableError(f": a number that JSON does not have, or lists nested too deeply; {_FORM}") from None
    if not isinstance(record, dict):
        raise _UnusableError(f": no JSON object; {_FORM}")
    for field in ("id", "answer"):
        if field not in record:
            raise _UnusableError(
                f", field {field!r}: it is missing, found {_shown(', '.join(record))}; give id and answer"
            )
    name = record["id"]
    if not isinstance(name, str) or name not in known:
        there = ", ".join(_ranges(known))
        raise _UnusableError(f", field 'id': found {_shown(name)}; give the id of a task of this set: {there}")
    if name in before:
        raise _UnusableError(f", field 'id': found {_shown(name)} a second time; give one answer to each task")
    return {name: record["answer"]}


def _ranges(known: Collection[str]) -> Iterator[str]:
    """Yield the first and the last id of each part of a set, and how many it has."""
    for _, part in groupby(sorted(known), lambda name: name.partition("-")[0]):
        first, *others = part
        yield f"{first} to {others[-1]} ({len(others) + 1:,})" if others else first


_FORM = 'give one JSON object, as {"id": "dev-0001", "answer": 12.5}'
"""The line itself is not shown: somebody may have given a raw table."""


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)  # NaN and infinities are Python's, not JSON's


def _shown(value: object) -> str:
    """Return a value for an error: its beginning, without what may be a key."""
    text = _KEY.sub("(withheld)", repr(value)) if isinstance(value, str | int | float | None) else "a list or an object"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


_KEY = re.compile("[0-9a-fA-F]{16,}")
"""A quarter of a release key, or more."""


class _Shown(Shown, extra="ignore"):
    """A task with its answer, which is all that some releases have of it."""


class _Impacts(RootModel[dict[str, TaskImpact]]):
    """What `impact.json` holds: for each task what noise does to it."""


def _impact(file: Path) -> dict[str, tuple[str, ...]]:
    """Return the rules that break each task; nothing if nobody looked at the noise."""
    try:
        found = _Impacts.model_validate_json(content_of(file, most=REPORTED)).root
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        raise InputError(f"{file} is not as it was made; make the tasks again") from error
    return {name: tuple(each.broken_by) for name, each in found.items()}
