"""`silt tasks make`: draw tasks from a finished build, and write them with their answers."""

import argparse
from fractions import Fraction

from assets.settings import BuildSettings
from pipeline.errors import InputError
from silt.commands.options import Commands, add_command, add_settings
from silt.commands.saying import say
from silt.commands.tasks.request import add_options, key_of, requested


def add_to(actions: Commands) -> None:
    """Declare the action and its options."""
    command = add_command(actions, "make", run, "draw tasks from a finished build, and write them with their answers")
    add_options(command)
    command.add_argument(
        "--count", type=_count, default=0, help="tasks, dev and test together; as the families state if not given"
    )
    command.add_argument(
        "--dev", type=_share, default=Fraction(1, 10), help="share that comes with answers (default: %(default)s)"
    )
    command.add_argument(
        "--impact", action="store_true", help="also find out what the noise of the noisy variant does to each task"
    )
    add_settings(command, BuildSettings, only=("noise", "raw"))


def run(options: argparse.Namespace) -> int:
    """Make the set and say what is in it."""
    from pipeline.places import TASKS  # noqa: PLC0415
    from pipeline.publish.files import sha256  # noqa: PLC0415
    from pipeline.publish.manifest import MANIFEST, verify_files  # noqa: PLC0415
    from pipeline.publish.variant import CLEAN  # noqa: PLC0415
    from pipeline.tasks.generic import families_of  # noqa: PLC0415
    from pipeline.tasks.making import make_tasks  # noqa: PLC0415
    from pipeline.tasks.running.clean import Clean  # noqa: PLC0415
    from pipeline.tasks.writing import write_tasks  # noqa: PLC0415
    from silt.commands.tasks.impact import impact_of  # noqa: PLC0415
    from validation.tasks.impact import accounted  # noqa: PLC0415

    if (options.noise or options.raw) and not options.impact:
        raise InputError("--noise and --raw say of which noise the impact is looked at; give --impact, too, or neither")
    request = requested(options)
    key, manifest = key_of(request)
    verify_files(request.folder / CLEAN)
    families = families_of(request.environment, request.families)
    clean = Clean(request.environment, request.database, families.measured_tables)
    tasks = make_tasks(families, clean, key, wanted=options.count, dev=options.dev)
    found = impact_of(request, tasks, clean, options) if options.impact else {}
    made_of = {
        "environment": request.environment.name,
        "policy": manifest["policy"],
        "key_fingerprint": key.fingerprint(),
        "clean_manifest_sha256": sha256(request.folder / CLEAN / MANIFEST),
        "dev": len(tasks.dev),
        "test": len(tasks.test),
    }
    if found:
        made_of |= {"impact": (counts := accounted(found))}
        say(
            f"a naive reader gets {counts['tasks'] - counts['wrong']} of {counts['tasks']} right on noisy; "
            f"{counts['answerable']} can be answered from it"
        )
    impact = {name: each.record() for name, each in found.items()}
    write_tasks(tasks, families, clean, request.folder, key, made_of, impact)
    say(f"{len(tasks.dev)} tasks with answers and {len(tasks.test)} without are in {request.folder / TASKS}")
    return 0


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"not a number of tasks: {text!r}; give 1 or more")
    return int(text)


def _share(text: str) -> Fraction:
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"not a share: {text!r}; give a number from 0 to 1")
    return share
