"""What the actions of `silt tasks` start from: the clean build, its families of questions, and the key."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.publish.variant import CLEAN
from silt.commands.options import add_built
from silt.environments.registry import ENVIRONMENTS, find_environment

FILE = "tasks.yaml"
"""The file of an environment's families, beside its declaration."""


@dataclass(frozen=True)
class TasksRequest:
    """A build, and where its families stand."""

    environment: Environment
    out: Path
    families: Path | None
    """None: those that follow from the declaration."""
    key_file: Path | None

    @property
    def folder(self) -> Path:
        """Return the environment's output folder."""
        return self.out / self.environment.name

    @property
    def database(self) -> Path:
        """Return the folder of the clean tables."""
        return self.folder / CLEAN / "database"


def add_options(command: argparse.ArgumentParser) -> None:
    """Declare where the build and the families are."""
    add_built(command, "key_file", "out")
    text = f"file of families (YAML); {FILE} beside the declaration if not given, or else what follows from the declaration"
    command.add_argument("--families", default="", help=text)


def requested(options: argparse.Namespace) -> TasksRequest:
    """Return what the options say."""
    environment = find_environment(options.environment)
    return TasksRequest(
        environment=environment,
        out=Path(options.out),
        families=Path(options.families) if options.families else default_families(environment),
        key_file=Path(options.key_file) if options.key_file else None,
    )


def default_families(environment: Environment) -> Path | None:
    """Return the file of families beside a declaration, if there is one."""
    import silt.environments  # noqa: PLC0415

    if environment.name in ENVIRONMENTS:
        folder = Path(silt.environments.__path__[0]) / environment.name.replace("-", "_")
    else:
        folder = Path(environment.declared_in.rpartition(":")[0]).parent
    return folder / FILE if (folder / FILE).is_file() else None


def key_of(request: TasksRequest) -> tuple[Key, Mapping[str, Any]]:
    """Return the key that draws tasks, and the manifest of the clean build."""
    from anonymize.keys.release_key import of_policy  # noqa: PLC0415
    from silt.commands.audit.request import AuditRequest, read_manifest, release_master  # noqa: PLC0415

    audited = AuditRequest(environment=request.environment, variant=CLEAN, out=request.out, key_file=request.key_file)
    manifest = read_manifest(audited)
    release = of_policy(release_master(audited, manifest), str(manifest["policy"]))
    return release.derive("tasks"), manifest
