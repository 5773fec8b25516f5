"""The gate of a second release: of raw tables that were released before under another key, only if the policy allows it.

Which raw tables a release was made of, and who is who in it, stands in the half of the curator alone. So the links that are
right are counted here; `silt diff` counts what an outsider can count.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonymize.keys.identity_map import unseal
from anonymize.policy import Policy
from pipeline.errors import GateError, InputError, KeyFileError
from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.places import CURATOR
from pipeline.publish.variant import IDENTITY_MAP
from pipeline.release.layout import OF_CURATOR, OPTIONS
from pipeline.small_files import json_of
from pipeline.wording import percent
from validation.attacks.limits import is_over, judged
from validation.release.diff.linkage import linked, owners_of
from validation.release.opened import opened

Links = dict[str, list[dict[str, Any]]]
"""Earlier release -> what whoever has it, too, links, as entries of `privacy.json`."""


@dataclass(frozen=True, kw_only=True)
class MadeOf:
    """What a build was made of, by which earlier releases are found that can be linked to it."""

    raw: Mapping[str, str]
    """SHA-256 of the raw files, by name."""
    key: Key
    policy: Policy


def refuse_linkable(
    build: Path, releases: Path, environment: Environment, made_of: MadeOf, *, keys: Sequence[Key] = ()
) -> Links:
    """Refuse what is built if whoever has an earlier release, too, would learn more than the policy allows.

    Args:
        releases: The folder below which releases stand, with their curator's halves.
        keys: Those of earlier releases, with which their identity maps are opened.

    Returns:
        What is learnt, within the limits.

    Raises:
        GateError: It would; the message names the earlier release and what it shares with the build.
        InputError: What an earlier release was made with cannot be read, or its key is not given.
    """
    found: Links = {}
    for earlier, key in _of_same_tables(releases, made_of, (made_of.key, *keys)):
        curator = earlier.with_name(earlier.name + OF_CURATOR)
        maps = (_identity_map(curator, key), _identity_map(build / CURATOR, made_of.key))
        owners = owners_of(environment, *maps)
        links = linked(opened(earlier, environment), opened(build, environment), environment, owners)
        found[earlier.name] = judged(links, made_of.policy)
        if over := [entry for entry in found[earlier.name] if is_over(entry)]:
            raise GateError(refusal(earlier.name, over))
    return found


def refuse_unknown_keys(releases: Path, made_of: MadeOf, keys: Sequence[Key]) -> None:
    """Refuse, before anything is built, what could not be compared with an earlier release for want of its key.

    Raises:
        InputError: What an earlier release was made with cannot be read, or its key is not given.
    """
    for _ in _of_same_tables(releases, made_of, (made_of.key, *keys)):
        pass


def refusal(earlier: str, over: list[dict[str, Any]]) -> str:
    """Return in words why a second release is refused."""
    counts = "; ".join(
        f"{e['attack']}: {e['successes']:,} of {e['records']:,} ({percent(e['rate'])}, guessing {percent(e['chance'])}), "
        f"{e['limit']}"
        for e in over
    )
    return (
        f"whoever has {earlier} as well links its records to these ({counts}). Release these raw tables under the key of "
        "that release, or say that you accept it: --allow-linkable"
    )


def earlier_releases(releases: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the curator's half of each release in a folder, and what the release was made with; or raise `InputError`."""
    for curator in sorted(releases.glob(f"*{OF_CURATOR}")):
        yield curator, _options(curator / OPTIONS)


def _of_same_tables(releases: Path, made_of: MadeOf, keys: Sequence[Key]) -> Iterator[tuple[Path, Key]]:
    """Yield the earlier releases of any of the same raw tables, but those with the same pseudonyms, each with its key."""
    known = {key.fingerprint(): key for key in keys}
    own = (made_of.key.fingerprint(), made_of.policy.name)
    for curator, options in earlier_releases(releases):
        public = curator.with_name(curator.name.removesuffix(OF_CURATOR))
        made_with = (options.get("key_fingerprint"), options.get("policy"))
        if (
            made_with == own
            or not public.is_dir()
            or not set(made_of.raw.items()) & set(options.get("raw", {}).items())
        ):
            continue
        if made_with[0] not in known:
            raise KeyFileError(
                f"{public.name} is of the same raw tables under another key, of fingerprint {made_with[0]}. Give it with "
                "--earlier-key FILE, so that links between the two are counted, or accept them unseen: --allow-linkable"
            )
        yield public, known[made_with[0]]


def _options(file: Path) -> Mapping[str, Any]:
    """Return what an earlier release was made with; nothing where no file says it."""
    try:
        return dict(json_of(file)) if file.is_file() else {}
    except (TypeError, ValueError):
        raise unreadable(file) from None


def _identity_map(folder: Path, key: Key) -> Any:
    try:
        return unseal((folder / IDENTITY_MAP).read_bytes(), key)
    except OSError:
        raise unreadable(folder / IDENTITY_MAP) from None


def unreadable(file: Path) -> InputError:
    """Return the error about a file that an earlier release did not write."""
    return InputError(f"{file} is not what an earlier release wrote; put it back, or move that release away")
