"""Whether Dagster keeps a record of a build, and where; nothing here waits for its import."""

import os
from pathlib import Path

from pipeline.errors import InputError

DAGSTER_HOME = "DAGSTER_HOME"

_NO_HOME = (
    "is not the full path of a folder that exists, and Dagster keeps its records there; make the folder, or unset it"
)


def is_recorded() -> bool:
    """Say whether there is a place for records; a checkout's own `dagster.yaml` becomes it."""
    if not os.environ.get(DAGSTER_HOME) and Path("dagster.yaml").is_file():
        os.environ[DAGSTER_HOME] = str(Path.cwd())
    return bool(os.environ.get(DAGSTER_HOME))


def left_off(environment: str) -> Path:
    """Return the file that stands while the last run of an environment has not passed, so that the graph shows it as failed.

    It holds what names the environment on the command line.
    """
    return Path(os.environ[DAGSTER_HOME]).expanduser() / ".dagster" / f"{environment}.left-off"


def refuse_no_home() -> None:
    """Refuse a `DAGSTER_HOME` that is no folder, and settings in it that are no file, before anything is at work."""
    home = os.environ.get(DAGSTER_HOME)
    if home and not (Path(home).expanduser().is_absolute() and Path(home).expanduser().is_dir()):
        raise InputError(f"{DAGSTER_HOME}={home} {_NO_HOME}")
    settings = Path(home or ".", "dagster.yaml").expanduser()
    if settings.exists() and not settings.is_file():
        raise InputError(f"{settings} is no regular file, so it is not read; write the settings of Dagster into a file")
