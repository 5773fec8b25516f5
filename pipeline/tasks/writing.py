"""Writes a set of tasks: public files beside the variants, answers of the test at the curator's, all of them or none.

tasks/manual.md            what questions need and no table says
tasks/dev.jsonl            tasks with answers
tasks/test.jsonl           tasks without
tasks/commitments.json     what binds whoever made them to the answers of the test
tasks/impact.json          what noise does to each task with answers, if it was looked at
tasks/index.html           all of these for people, if a page is asked for
tasks/manifest.json        the files with their digests, and what they were made of
curator/tasks/test_answers.jsonl
curator/tasks/test_impact.json
curator/tasks/index.html   the same page with all answers
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pipeline.keyed import Key
from pipeline.places import TASKS
from pipeline.publish.files import FileRecord, record_file
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.publication import publish_together, stage
from pipeline.report_json import report_json
from pipeline.tasks.families import Families, Language
from pipeline.tasks.making import TaskSet
from pipeline.tasks.names import COMMITMENTS, DEV, IMPACT, MANUAL, PAGE, TEST, TEST_ANSWERS, TEST_IMPACT
from pipeline.tasks.program.operators import Operand
from pipeline.tasks.records import (
    Commitments,
    Kept,
    Question,
    Record,
    Solved,
    TaskImpact,
    answer_of,
    canonical,
    commitment,
    question_of,
    solved,
)
from pipeline.tasks.running.clean import Clean

SCHEME = "SHA-256 of a salt of 32 bytes and the answer: JSON in UTF-8 without blanks"

MakePage = Callable[[Iterable[Solved], Iterable[Question], str], bytes]
"""Makes the page of a set: of tasks with answers, tasks of which it may show the question alone, and the way to the build."""


def write_tasks(
    tasks: TaskSet,
    families: Families,
    clean: Clean,
    folder: Path,
    key: Key,
    made_of: Mapping[str, Any],
    impact: Mapping[str, TaskImpact] | None = None,
    page: MakePage | None = None,
) -> None:
    """Put the files of a set in the place of an older one, in one step. The caller holds the folder.

    Args:
        families: What it was made of; the manual says what they state.
        made_of: What the manifest says of where the set comes from.
        impact: What noise does to each task, by its name, if it was looked at.
    """
    staging = stage(folder, TASKS)
    (staging.curator / TASKS).mkdir()
    salts = {task.name: commitment(key, task.name, task.draw.gold) for task in tasks.test}
    _write(staging.public / DEV, (solved(task, tasks, clean) for task in tasks.dev))
    _write(staging.public / TEST, (question_of(task, tasks) for task in tasks.test))
    kept = (Kept(salt=salts[task.name][0], **dict(answer_of(task, clean))) for task in tasks.test)
    _write(staging.curator / TASKS / TEST_ANSWERS, kept)
    commitments = Commitments(scheme=SCHEME, answers={name: digest for name, (_, digest) in salts.items()})
    (staging.public / COMMITMENTS).write_bytes(report_json(commitments.model_dump()))
    (staging.public / MANUAL).write_text(manual(families, tasks.manual), encoding="utf-8")
    if impact:
        dev, test = ({each.name: impact[each.name].model_dump() for each in part} for part in (tasks.dev, tasks.test))
        (staging.public / IMPACT).write_bytes(canonical(dev) + b"\n")
        (staging.curator / TASKS / TEST_IMPACT).write_bytes(canonical(test) + b"\n")
    if page:
        dev_answers, answers = (
            (solved(task, tasks, clean) for task in part) for part in (tasks.dev, [*tasks.dev, *tasks.test])
        )
        (staging.public / PAGE).write_bytes(page(dev_answers, (question_of(task, tasks) for task in tasks.test), ".."))
        (staging.curator / TASKS / PAGE).write_bytes(page(answers, (), "../.."))
    files = [record_file(file, staging.public) for file in sorted(staging.public.iterdir())]
    (staging.public / MANIFEST).write_bytes(report_json({**made_of, "files": [_listed(file) for file in files]}))
    publish_together(folder, [staging])


def manual(families: Families, values: Mapping[str, Operand]) -> str:
    """Return the manual: definitions, and rules with the values that the key drew."""
    said = {heading: _stated(families, values, language) for language, heading in _LANGUAGES.items()}
    parts = [f"## {heading}\n\n{lines}" for heading, lines in said.items() if lines]
    only = "".join(lines for lines in said.values() if lines) or "Every question can be answered from the tables.\n"
    return "# Manual\n\n" + ("\n".join(parts) if len(parts) > 1 else only)


_LANGUAGES: Mapping[Language, str] = {"en": "English", "zh": "中文"}


def _stated(families: Families, values: Mapping[str, Operand], language: Language) -> str:
    rules = (
        rule.text[language].format(value=values[name])
        for name, rule in families.manual.items()
        if language in rule.text
    )
    return "".join(f"- {text}\n" for text in (*families.definitions.get(language, ()), *rules))


def _listed(file: FileRecord) -> dict[str, object]:
    return {"path": file.path, "bytes": file.bytes, "sha256": file.sha256}


def _write(file: Path, records: Iterable[Record]) -> None:
    with file.open("wb") as lines:
        for record in records:
            lines.write(canonical(record.model_dump()) + b"\n")
