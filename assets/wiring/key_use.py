"""What the release key of a build is used for: found out with the raw tables, on record before anything is published.

A build that publishes nothing uses no key: whoever mends raw tables that were refused goes on with the same one.
"""

from collections.abc import Sequence
from pathlib import Path

from anonymize.keys.key_uses import Use, record_use, refuse_other_use
from anonymize.keys.release_key import ReleaseKey
from assets.wiring.keys import Stage, key
from assets.wiring.resources import Workspace
from assets.wiring.store import read_stage, write_stage
from pipeline.errors import InputError
from pipeline.model import Environment

KEY_USE = "key_use"
"""Where it is kept between the stages, beside the raw tables."""


def note_use(environment: Environment, workspace: Workspace) -> None:
    """Note for the stages to come what the key is used for.

    Raises:
        KeyFileError: It was used for anything else, and a further use was not asked for.
    """
    release, use = workspace.release_key(environment), workspace.key_use(environment)
    if use is not None and release.file is not None and not workspace.reuse_key:
        refuse_other_use(release.file, use)
    write_stage(Path(workspace.out), _place(environment), None if use is None else use.to_text())


def claim_key(environment: Environment, workspace: Workspace) -> None:
    """Put on record what the key is used for, now that something made with it will be published.

    Raises:
        KeyFileError: It was used for anything else, and a further use was not asked for; or there can be no record.
        InputError: The stages were made with another key, or under another policy.
    """
    release = workspace.release_key(environment)
    if release.is_demonstration or release.file is None:
        return
    noted = read_stage(Path(workspace.out), _place(environment))
    use = Use.of_text(noted) if isinstance(noted, str) else None
    if use is None or not _is_of(use, release):
        raise InputError("the tables between stages were made with another key or policy; build all stages again")
    record_use(release.file, use, is_wanted=workspace.reuse_key)


def _is_of(use: Use, release: ReleaseKey) -> bool:
    return (use.key, use.policy) == (release.master.fingerprint(), release.policy)


def _place(environment: Environment) -> Sequence[str]:
    return key(environment, Stage.RAW, KEY_USE).path
