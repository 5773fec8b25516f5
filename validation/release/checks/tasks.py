"""Tasks of a release: each line is what its schema says, they agree with their manifest and commitments, and answers follow.

An answer follows if its own statement gives it over the clean tables of the release. Statements are those of whoever made it,
so they are run apart (`pipeline/tasks/running/apart.py`). That one is what its question asks for is for people to judge.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pipeline.conform.source import shortened
from pipeline.errors import Problem
from pipeline.places import TASKS
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.variant import CLEAN
from pipeline.release.reading import read_as
from pipeline.release.tasks import STATED
from pipeline.tasks.names import COMMITMENTS, DEV, TEST
from validation.release.opened import Release
from validation.release.tree import LINE

if TYPE_CHECKING:
    from pipeline.tasks.records import Record

_MANIFEST, _COMMITMENTS = f"{TASKS}/{MANIFEST}", f"{TASKS}/{COMMITMENTS}"

_AS_VARIANTS = ("environment", "policy")
"""What the manifest of tasks and those of variants both state."""


def has_tasks(release: Release) -> bool:
    """Say whether anything in a release belongs to tasks."""
    return any(path.startswith(f"{TASKS}/") for path in release.tree.files)


def tasks_agree(release: Release) -> Iterator[Problem]:
    """Find lines that are no tasks, names that occur twice, and what manifest or commitments say otherwise."""
    counts, names = Counter[str](), dict[str, str]()
    for file in (DEV, TEST):
        for each in tasks_in(release, file):
            counts[file] += 1
            if isinstance(each, Problem):
                yield each
            elif each.id in names:
                expected = "expected a name that no other task has"
                yield Problem(f"{TASKS}/{file}", counts[file], "id", shortened(each.id), expected)
            else:
                names[each.id] = file
    yield from _of_manifest(release, counts)
    yield from _of_commitments(release, {name for name, file in names.items() if file == TEST})


def answers_follow(release: Release) -> Iterator[Problem]:
    """Find answers that are not what their statements give over the clean tables, which may be read whole."""
    from pipeline.tasks.checked import wrong_answers  # noqa: PLC0415  (it takes what releases without tasks do not need)
    from pipeline.tasks.records import Solved  # noqa: PLC0415
    from pipeline.tasks.running.clean import Clean  # noqa: PLC0415

    assert release.environment is not None and release.clean is not None  # noqa: S101, PT018  (the check needs both)
    if any(path.startswith(release.clean.prefix) for path in release.tree.strange):
        return  # no link is followed; another check names it
    for path in release.clean.declared.keys() & release.tree.files.keys():
        release.tree.table(path)
    clean = Clean(release.environment, release.tree.folder / release.clean.prefix / "database")
    solved = {row: each for row, each in enumerate(tasks_in(release, DEV), 1) if isinstance(each, Solved)}
    rows = {each.id: row for row, each in solved.items()}
    for name, found in wrong_answers(list(solved.values()), clean):
        yield Problem(f"{TASKS}/{DEV}", rows[name], "answer", shortened(name), f"expected another: {shortened(found)}")


def tasks_in(release: Release, name: str) -> Iterator["Record | Problem"]:
    """Yield each line of a file as a task, without its evidence, which is most of it; or what is wrong with it."""
    from pipeline.tasks.records import Question, Shown, Solved  # noqa: PLC0415

    is_whole = release.head.get("discloses_noise") or CLEAN in release.head.get("variants", ())
    model = Question if name == TEST else Solved if is_whole else Shown
    path = f"{TASKS}/{name}"
    for row, line in enumerate(release.tree.content(path).splitlines(), 1):
        if len(line) > LINE:
            yield Problem(path, row, "", f"{len(line):,} bytes", "expected a task, which no line of that length is")
            continue
        try:
            read = model.model_validate_json(line)
            yield read.model_copy(update={"evidence": []}) if isinstance(read, Solved) else read
        except ValidationError as error:
            wrong = error.errors(include_input=False)[0]
            place = ".".join(map(str, wrong["loc"])) or "its JSON"
            yield Problem(path, row, shortened(place), "", f"expected a task of {name}: {wrong['msg']}")


def _of_manifest(release: Release, counts: Mapping[str, int]) -> Iterator[Problem]:
    manifest, variants = release.tree.json(_MANIFEST), [each.manifest for each in release.variants if each.manifest]
    stated: dict[str, Any] = {"dev": counts[DEV], "test": counts[TEST]}
    stated |= {name: variants[0].get(name) for name in _AS_VARIANTS if variants}
    if release.clean:
        stated["clean_manifest_sha256"] = release.tree.digest(release.clean.prefix + MANIFEST)
    for name, expected in stated.items():
        if manifest.get(name) != expected:
            found = shortened(str(manifest.get(name)))
            yield Problem(_MANIFEST, 0, name, found, f"expected {expected!r}, as the release has it")
    if release.head.get("discloses_noise") is False:
        for name in sorted(manifest.keys() - set(STATED)):
            yield Problem(_MANIFEST, 0, shortened(name), "", "expected nothing that counts what noise does")


def _of_commitments(release: Release, names: set[str]) -> Iterator[Problem]:
    from pipeline.tasks.records import Commitments  # noqa: PLC0415

    content = release.tree.content(_COMMITMENTS)
    bound = read_as(Commitments.model_validate_json, content, f"commitments ({_COMMITMENTS})").answers
    for name in sorted(bound.keys() ^ names):
        found = "no commitment" if name in names else "a commitment"
        yield Problem(_COMMITMENTS, 0, shortened(name), found, "expected one for each task of the test, and no other")
