"""`silt score`: compare answers with what is right, and write how many are."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assets.settings import BuildSettings
from pipeline.errors import InputError
from pipeline.settings import DEFAULT
from silt.commands.options import Commands, add_command, add_settings
from silt.commands.saying import say
from silt.commands.tasks import make_again
from silt.commands.waiting import running

if TYPE_CHECKING:
    from validation.tasks.scores import Results

RESULTS, PAGE = "results.json", "results.html"
"""Names of the files that are written."""


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "score", run)
    answers = 'answers to tasks, a line each (JSON Lines): {"id": "dev-0001", "answer": 12.5}'
    command.add_argument("answers", type=Path, metavar="ANSWERS", help=answers)
    out = f"output folder of the build{DEFAULT}, or folder of a release"
    add_settings(command, BuildSettings, only=("out",), out=out)
    where = "folder in which results.json and results.html are written; that of ANSWERS if not given"
    command.add_argument("--to", type=Path, metavar="FOLDER", help=where)


def run(options: argparse.Namespace) -> int:
    """Score the answers, write the results, and say what they are.

    Raises:
        GateError: The tasks are not as they were made.
        InputError: There are none, or they are of another clean build; the answers cannot be used, or nothing can be written.
    """
    from pipeline.disk import reporting_disk  # noqa: PLC0415  (polars takes a while to import)
    from pipeline.places import TASKS  # noqa: PLC0415
    from pipeline.private import replace_file  # noqa: PLC0415
    from pipeline.publish.files import sha256  # noqa: PLC0415
    from pipeline.publish.manifest import MANIFEST  # noqa: PLC0415
    from pipeline.release.layout import RELEASE  # noqa: PLC0415
    from pipeline.release.tasks import refuse_outdated  # noqa: PLC0415
    from pipeline.report_json import report_json  # noqa: PLC0415
    from pipeline.tasks.scoring.files import read_answers, tasks_with_gold  # noqa: PLC0415
    from silt.environments.registry import find_environment  # noqa: PLC0415
    from validation.report.tasks.scores import scores_page  # noqa: PLC0415
    from validation.tasks.scores import scores_of  # noqa: PLC0415

    file, to = options.answers, options.to or options.answers.parent
    running(f"comparing {file} with the answers of the tasks")
    for name in (RESULTS, PAGE):
        if file.resolve() == (to / name).resolve():
            raise InputError(f"the results would be written over the answers in {file}; name another folder with --to")
    environment = find_environment(options.environment)
    out = Path(options.out)
    folder = out if (out / RELEASE).is_file() else out / environment.name
    tasks = tasks_with_gold(folder)
    refuse_outdated(folder, make_again(options))
    asked = {task.asked.id: task.asked for task in tasks}
    answers = read_answers(file, asked)
    scores = scores_of(
        tasks,
        answers,
        environment=environment.name,
        tasks_sha256=sha256(folder / TASKS / MANIFEST),
        answers_sha256=sha256(file),
    )
    running("writing a page")
    page = scores_page(scores, asked, environment.title)
    with reporting_disk(to, otherwise="name another folder with --to"):
        to.mkdir(parents=True, exist_ok=True)
        replace_file(to / RESULTS, report_json(scores.model_dump()))
        replace_file(to / PAGE, page)
    say(*(f"  {name:<10} {text}" for name, text in _summary(scores, to)))
    return 0


def _summary(scores: "Results", to: Path) -> Iterator[tuple[str, str]]:
    """Yield what is said of the results, each with its name."""
    from pipeline.wording import counted, percent  # noqa: PLC0415
    from validation.report.tasks.scores import interval  # noqa: PLC0415

    every = scores.accuracy
    parts = " and ".join(f"{each.tasks:,} of {each.name}" for each in scores.by_part)
    yield "scored", f"{counted(every.tasks, 'task')}: {parts}"
    for part, why in scores.left_out.items():
        yield "left out", f"{part}: {why}"
    yield "right", f"{every.right:,}, which is {percent(every.accuracy)} (95% interval {interval(every)})"
    if every.missing:
        yield "missing", f"{counted(every.missing, 'task')} without an answer, which count as wrong"
    yield "results", str(to / RESULTS)
    yield "page", str(to / PAGE)
