"""The gate of a second release: of raw tables that were released before under another key, only if the policy allows the links.

Which raw tables a release was made of stands in the curator's half alone.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anonymize.policy import Policy
from pipeline.errors import GateError, InputError
from pipeline.model import Environment
from pipeline.release.layout import OF_CURATOR, OPTIONS
from validation.attacks.limits import is_over
from validation.release.diff.linkage import entries, linked
from validation.release.opened import opened


def refuse_linkable(
    build: Path,
    releases: Path,
    environment: Environment,
    *,
    raw: Mapping[str, str],
    fingerprint: str,
    policy: Policy,
) -> None:
    """Refuse what is built if whoever has an earlier release, too, would learn more than the policy allows.

    Args:
        build: The output folder of the build.
        releases: The folder below which releases stand, with their curator's halves.
        environment: The declaration.
        raw: SHA-256 of the raw files that the build was made of, by name.
        fingerprint: That of the build's release key.
        policy: The policy of the build.

    Raises:
        GateError: It would; the message names the earlier release and what it shares with the build.
        InputError: What an earlier release was made with cannot be read.
    """
    for earlier in _of_same_tables(releases, raw, fingerprint):
        found = linked(opened(earlier, environment), opened(build, environment), environment)
        if over := [entry for entry in entries(found, policy) if is_over(entry)]:
            raise GateError(refusal(earlier.name, over))


def refusal(earlier: str, over: list[dict[str, Any]]) -> str:
    """Return in words why a second release is refused."""
    told = "; ".join(f"{e['attack']}: {e['successes']:,} of {e['records']:,}, {e['limit']}" for e in over)
    return (
        f"whoever has {earlier} as well links its records to these ({told}). Release these raw tables under the key of "
        "that release, or say that you accept it: --allow-linkable"
    )


def _of_same_tables(releases: Path, raw: Mapping[str, str], fingerprint: str) -> Iterator[Path]:
    """Yield the earlier releases of any of the same raw tables under another key."""
    for curator in sorted(releases.glob(f"*{OF_CURATOR}")):
        options = _options(curator / OPTIONS)
        public = curator.with_name(curator.name.removesuffix(OF_CURATOR))
        is_other_key = options.get("key_fingerprint") != fingerprint
        if is_other_key and public.is_dir() and set(raw.items()) & set(options.get("raw", {}).items()):
            yield public


def _options(file: Path) -> Mapping[str, Any]:
    """Return what an earlier release was made with; nothing where no file says it."""
    try:
        return dict(json.loads(file.read_bytes())) if file.is_file() else {}
    except (TypeError, ValueError):
        raise InputError(
            f"{file} is not what an earlier release wrote; put it back, or move that release away"
        ) from None
