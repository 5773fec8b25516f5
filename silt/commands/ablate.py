"""`silt ablate`: build and publish every ablation variant of an environment."""

import argparse
import sys
from dataclasses import replace

from assets.settings import BuildSettings
from silt.commands.build import workspace_from
from silt.commands.options import Commands, add_command, add_settings
from silt.environments.registry import find_environment


def add_to(commands: Commands) -> None:
    """Declare the command and its options."""
    command = add_command(commands, "ablate", run)
    add_settings(command, BuildSettings, noise="ablation plan; the environment's ladder.yaml if not given")


def run(options: argparse.Namespace) -> int:
    """Build what the options say."""
    from pipeline.publish.ablations import ABLATIONS  # noqa: PLC0415
    from silt.commands.build.running import run_jobs  # noqa: PLC0415  (the stages take a second to import)
    from silt.commands.build.summary import show  # noqa: PLC0415

    environment = find_environment(options.environment)
    workspace = replace(workspace_from(options), noise="", plan=options.noise)
    show(run_jobs(environment, [ABLATIONS], workspace=workspace), sys.stderr)
    return 0
