"""`silt ablate`: build and publish every ablation variant of an environment."""

import argparse
from collections.abc import Sequence
from multiprocessing.connection import Connection

from pipeline.model import Environment
from silt.commands.build.workers import started
from silt.commands.options import Commands, add_command, add_settings
from silt.environments.registry import find_environment


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "ablate", run)
    add_settings(command, noise="ablation plan; the environment's ladder.yaml if not given")


def run(options: argparse.Namespace) -> int:
    """Build what the options say."""
    environment = find_environment(options.environment)
    with started(environment) as pipes:
        _ablate(environment, options, pipes)
    return 0


def _ablate(environment: Environment, options: argparse.Namespace, pipes: Sequence[Connection]) -> None:
    from assets.wiring.resources import Workspace  # noqa: PLC0415  (dagster takes seconds to import)
    from pipeline.publish.ablations import ABLATIONS  # noqa: PLC0415
    from silt.commands.build.running import run_jobs  # noqa: PLC0415

    shared = ("raw", "out", "key_file", "reuse_key", "policy", "budget", "scale", "store", "store_size", "fresh")
    workspace = Workspace(plan=options.noise, **{name: getattr(options, name) for name in shared})
    run_jobs(environment, [ABLATIONS], workspace=workspace, pipes=pipes)
