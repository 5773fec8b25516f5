"""The tasks of a build in its release: which of their files are public, and what their manifest says then.

Without `--disclose-noise` nothing is public that says what noise does to tasks, by name or by count. If the clean variant is
not in the release either, whatever shows clean tables shows the noise to whoever compares: programs with types and formats of
columns, milestones that count rows, evidence that lists keys. So tasks of dev then have their answer, and nothing besides.
Which noise there is does not depend on the policy, and neither does this.
"""

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.errors import InputError
from pipeline.model import Environment
from pipeline.places import CURATOR, TASKS
from pipeline.publish.files import record_file, sha256
from pipeline.publish.manifest import MANIFEST, verify_files
from pipeline.publish.variant import CLEAN
from pipeline.report_json import report_json
from pipeline.small_files import json_of
from pipeline.tasks.names import COMMITMENTS, DEV, IMPACT, MANUAL, PAGE, TEST

PUBLIC = (COMMITMENTS, DEV, MANUAL, TEST)
"""Files of tasks that every release with tasks has; others say what noise does to them."""

OF_NOISE = (IMPACT, PAGE)

STATED = (
    *("environment", "policy", "key_fingerprint", "clean_manifest_sha256", "families_sha256", "settings"),
    *("dev", "test", "files"),
)
"""What the manifest of tasks says in every release; the rest counts what noise does to them."""


def take_tasks(
    environment: Environment, build: Path, public: Path, curator: Path, *, discloses_noise: bool, has_clean: bool
) -> None:
    """Copy the tasks of a build into both halves of a release; a page that is not public stays in the build.

    Raises:
        GateError: A file is not as it was made, or an answer is not that of its statement or commitment.
        InputError: There are no tasks, or they are of another clean build.
    """
    manifest = _manifest(environment, build)
    made, target = build / TASKS, public / TASKS
    for folder in (target, curator / TASKS):
        folder.mkdir(parents=True)
    for name in (each["path"] for each in manifest["files"] if discloses_noise or each["path"] != PAGE):
        shutil.copyfile(made / name, (target if discloses_noise or name in PUBLIC else curator / TASKS) / name)
    for file in (build / CURATOR / TASKS).glob("*.json*"):
        shutil.copyfile(file, curator / TASKS / file.name)
    shutil.copyfile(made / MANIFEST, (target if discloses_noise else curator / TASKS) / MANIFEST)
    if not discloses_noise:
        if not has_clean:
            shutil.move(target / DEV, curator / TASKS / DEV)
            _leave_answers(curator / TASKS / DEV, target / DEV)
        files = [record_file(file, target) for file in sorted(target.iterdir())]
        listed = [{"path": each.path, "bytes": each.bytes, "sha256": each.sha256} for each in files]
        stated = {name: manifest[name] for name in STATED if name in manifest} | {"files": listed}
        (target / MANIFEST).write_bytes(report_json(stated))


def refuse_no_tasks(build: Path, make: str) -> None:
    """Raise `InputError` of a release with tasks if its build has none; `make` is the command that makes them."""
    if not (build / TASKS / MANIFEST).is_file():
        raise InputError(f"{build} holds no tasks and --tasks asks for them; make them of a build: {make}")


def refuse_other_tasks(build: Path, make: str) -> None:
    """Raise `InputError` of a release with tasks if there are none, or they are not of the clean variant there."""
    refuse_no_tasks(build, make)
    if not (build / CLEAN / MANIFEST).is_file():
        raise InputError(
            f"{build} holds no clean variant, of which tasks are, and --tasks asks for them; make them again: {make}"
        )
    refuse_outdated(build, make)


def refuse_outdated(build: Path, make: str) -> None:
    """Raise `InputError` if a clean variant stands beside tasks, and they are of another."""
    clean, again = build / CLEAN, f"make them again: {make}"
    if not ((build / TASKS / MANIFEST).is_file() and (clean / MANIFEST).is_file()):
        return
    try:
        manifest: Mapping[str, Any] = json_of(build / TASKS / MANIFEST)
        is_of_build = manifest["clean_manifest_sha256"] == sha256(clean / MANIFEST)
        _ = [each["path"] for each in manifest["files"]]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{build / TASKS / MANIFEST} is no manifest of tasks; {again}") from error
    if not is_of_build:
        raise InputError(f"the tasks in {build / TASKS} are of another clean build than {clean}; {again}")


def are_of_build(build: Path) -> bool:
    """Say whether there are tasks, made of the clean variant that stands there now."""
    try:
        return bool(json_of(build / TASKS / MANIFEST)["clean_manifest_sha256"] == sha256(build / CLEAN / MANIFEST))
    except (OSError, ValueError, TypeError, KeyError):
        return False


def _manifest(environment: Environment, build: Path) -> Mapping[str, Any]:
    """Return the manifest of tasks that are of this build, and as they were made."""
    from pipeline.tasks.checked import check_set  # noqa: PLC0415  (DuckDB belongs to releases with tasks alone)
    from pipeline.tasks.running.clean import Clean  # noqa: PLC0415

    named = ["--environment", environment.argument, "--out", str(build.parent)]
    refuse_other_tasks(build, shlex.join(["silt", "tasks", "make", *named]))
    verify_files(build / TASKS)
    check_set(build, Clean(environment, build / CLEAN / "database"))
    manifest: Mapping[str, Any] = json_of(build / TASKS / MANIFEST)
    return manifest


def _leave_answers(whole: Path, left: Path) -> None:
    """Write each task with its answer, and with nothing besides that answers it."""
    from pipeline.tasks.records import Shown, Solved, canonical  # noqa: PLC0415

    with whole.open("rb") as lines, left.open("wb") as target:
        for line in lines:
            shown = Shown(**Solved.model_validate_json(line).model_dump(include=set(Shown.model_fields)))
            target.write(canonical(shown.model_dump()) + b"\n")
