"""What an audit starts from: the variant's manifest, the key, the identity map and the raw tables, all of one build."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonymize.keys.identity_map import unseal
from anonymize.keys.key_uses import own_key
from anonymize.keys.release_key import DEMONSTRATION_KEY, read_key
from pipeline.conform.files.fetching import local_folder
from pipeline.errors import InputError, KeyFileError
from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from pipeline.places import CURATOR, STORE, landing
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.variant import IDENTITY_MAP
from pipeline.small_files import REPORTED, content_of, json_of
from raw.landing import land


@dataclass(frozen=True, kw_only=True)
class AuditRequest:
    """What is to be audited, and with what in hand."""

    environment: Environment
    variant: str
    out: Path
    """Folder below which environments were built."""
    raw: str = ""
    """Folder or address of the raw tables; empty for the generated corpus."""
    key_file: Path | None = None
    """File of the release key; None for the environment's own."""
    scale: float | None = None
    """Scale of the generated corpus; None for that of the manifest."""

    @property
    def folder(self) -> Path:
        """Return the environment's output folder."""
        return self.out / self.environment.name

    @property
    def public(self) -> Path:
        """Return the variant's folder."""
        return self.folder / self.variant


def read_manifest(request: AuditRequest) -> Mapping[str, Any]:
    """Return the variant's manifest, or raise `InputError`."""
    file = request.public / MANIFEST
    try:
        content = json_of(file)
    except OSError as error:
        raise InputError(
            f"no {request.variant} variant at {request.public}; build it first, or say where it is with --out (OUT)"
        ) from error
    except ValueError as error:
        raise InputError(f"{file} is no manifest; build again") from error
    if not isinstance(content, dict) or not {"policy", "scale", "key_fingerprint", "is_demonstration_key"} <= set(
        content
    ):
        raise InputError(f"{file} is not a manifest of this version; build again")
    return content


def release_master(request: AuditRequest, manifest: Mapping[str, Any]) -> Key:
    """Return the release key, or raise `KeyFileError`; one is never made, for whoever audits has that of the build."""
    if request.key_file is None and manifest["is_demonstration_key"]:
        return DEMONSTRATION_KEY
    own = own_key(request.environment.name, str(manifest["policy"]))
    if request.key_file is None and not own.exists():
        raise KeyFileError(
            f"there is no key at {own}; run this in the folder in which the build was run, or give --key-file (KEY)"
        )
    return read_key(request.key_file or own)


def read_identity_map(request: AuditRequest, key: Key, manifest: Mapping[str, Any]) -> pl.DataFrame:
    """Return the identity map of the build of the manifest, or raise `InputError`."""
    file = request.folder / CURATOR / IDENTITY_MAP
    if not file.is_file():
        raise InputError(f"no identity map at {file}, without which nobody can count who was found; build again")
    map_ = unseal(content_of(file, most=REPORTED), key)
    if manifest["key_fingerprint"] != key.fingerprint():
        raise InputError(
            f"{request.public} was built with the key of fingerprint {manifest['key_fingerprint']}, the identity map with "
            f"{key.fingerprint()}: they are not of one build; build both variants again"
        )
    return map_


def raw_folder(request: AuditRequest, manifest: Mapping[str, Any]) -> Path:
    """Return the folder of the raw tables, generating the corpus on first use; raise `InputError` if nobody can say which."""
    corpus, name = request.environment.corpus, request.environment.name
    if request.raw:
        store = request.folder / CURATOR / STORE
        return local_folder(request.raw, request.environment.raw_tables, within=store)
    if corpus is None:
        raise InputError(
            f"environment {name!r} has no generated corpus; give the folder of its tables with --raw (RAW)"
        )
    scale = request.scale if request.scale is not None else manifest["scale"]
    if scale is None:
        raise InputError(f"{request.public} was built from tables of your own; give their folder with --raw (RAW)")
    return land(corpus, landing(name), scale)


def refuse_strange_originals(request: AuditRequest, conformed: Frames, codes: Mapping[str, str]) -> None:
    """Refuse raw tables of another build: attacks would count nothing, and pass."""
    keys = request.environment.entities
    known = pl.concat([conformed[table].select(keys.code) for table in keys.tables if table in conformed])[keys.code]
    strange = known.n_unique() - known.filter(known.is_in(list(codes))).n_unique()
    if strange or known.n_unique() == 0:
        raise InputError(
            f"these are not the raw tables of the build: {strange:,} of {known.n_unique():,} codes are not in its identity "
            "map; give its raw tables with --raw (RAW), or its scale with --scale (SCALE)"
        )
