"""What `silt tasks make` starts from: a finished build, as its manifest says that it was asked for."""

import argparse
from dataclasses import replace
from pathlib import Path

from anonymize.keys.release_key import ReleaseKey
from assets.making.request import Request
from assets.wiring.resources import Workspace
from pipeline.model import Environment
from pipeline.publish.variant import CLEAN
from pipeline.settings import settings_from
from silt.commands.audit.request import AuditRequest, read_manifest, release_master


def requested(environment: Environment, options: argparse.Namespace) -> Request:
    """Return the request of the build that options name.

    Raises:
        InputError: There is no clean variant, or a setting cannot be used.
        KeyFileError: The key cannot be read.
    """
    given = settings_from(Workspace, vars(options))
    key_file = Path(given.key_file) if given.key_file else None
    built = AuditRequest(environment=environment, variant=CLEAN, out=Path(given.out), key_file=key_file)
    manifest = read_manifest(built)
    policy, source = str(manifest["policy"]), str(manifest["source"])
    release = ReleaseKey(master=release_master(built, manifest), policy=policy, file=key_file)
    asked = replace(given, policy=policy, budget=manifest.get("budget"))
    return asked.of_built(environment, release, source=source, scale=manifest["scale"])
