"""What the release key of a build is used for: found out with the raw tables, on record before anything is published.

A build that publishes nothing uses no key: whoever mends raw tables that were refused goes on with the same one.
"""

from collections.abc import Sequence

from anonymize.keys.key_uses import Use, digest_of, record_use, refuse_other_use
from assets.wiring.keys import Stage
from assets.wiring.request import Request
from assets.wiring.store import read_stage, write_stage
from pipeline.conform.reading import files_of
from pipeline.errors import InputError

KEY_USE = "key_use"
"""Where it is kept between the stages, beside the raw tables."""


def note_use(request: Request) -> None:
    """Note for the stages to come what the key is used for.

    Raises:
        KeyFileError: It was used for anything else, and a further use was not asked for.
    """
    release, use = request.release, _use(request)
    if use is not None and release.file is not None and not request.reuse_key:
        refuse_other_use(release.file, use)
    write_stage(request.out, _place(request), None if use is None else use.to_text())


def claim_key(request: Request) -> None:
    """Put on record what the key is used for, now that something made with it will be published.

    Raises:
        KeyFileError: It was used for anything else, and a further use was not asked for; or there can be no record.
        InputError: The stages were made with another key, or under another policy.
    """
    release = request.release
    if release.is_demonstration or release.file is None:
        return
    noted = read_stage(request.out, _place(request))
    use = Use.of_text(noted) if isinstance(noted, str) else None
    if use is None or (use.key, use.policy) != (release.master.fingerprint(), release.policy):
        raise InputError("the tables between stages were made with another key or policy; build all stages again")
    record_use(release.file, use, is_wanted=request.reuse_key)


def _use(request: Request) -> Use | None:
    """Return what the key is used for, by the raw files as they are; None for the key that everybody has."""
    environment, release = request.environment, request.release
    if release.is_demonstration:
        return None
    files = [request.raw / name for table in environment.raw_tables for name in files_of(table, request.raw)]
    return Use(
        key=release.master.fingerprint(),
        environment=environment.name,
        policy=release.policy,
        originals=digest_of(files, release.master),
    )


def _place(request: Request) -> Sequence[str]:
    return request.environment.name, Stage.RAW, KEY_USE
