"""What reads each kind of input in a build, given the changed example in the working folder."""

import io
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import silt
from anonymize.keys.identity_map import unseal
from anonymize.keys.key_uses import Use, refuse_other_use
from anonymize.keys.release_key import DEMONSTRATION_KEY, read_key, release_key
from pipeline.conform import conform
from pipeline.errors import SiltError
from pipeline.model import Environment
from pipeline.noise.ablation import load_ablation_plan
from pipeline.noise.cleaning_plan import load_plan
from pipeline.noise.spec import load_spec
from pipeline.publish.replay import transform
from pipeline.release.layout import read_head
from pipeline.release.provenance.signing_key import read_public_key, read_signing_key
from silt.cli import main
from silt.commands.audit.request import AuditRequest, read_identity_map, read_manifest
from silt.commands.build.recorded import opened_instance
from silt.environments.registry import find_environment
from tests.terminal import UNFOLDED

Changes = Sequence[Mapping[str, Any]]

SHOPS = "shops.py:SHOPS"


def said_of(kind: str, changes: Changes) -> tuple[int, str]:
    """Return the exit status with which a command would end, and what it would say."""
    try:
        return READERS[kind](changes) or (0, "")
    except SiltError as error:
        return error.exit_status, str(error)


# ----------------------------------------------------------------------------------------------------------------------

_Said = tuple[int, str] | None
"""What a command said itself; None for nothing."""


def _shops() -> Environment:
    return _declared_by(Path("shops.py").read_bytes())


@cache
def _declared_by(_declaration: bytes) -> Environment:
    """Load the declaration of the working folder: many cases change something else and have the same."""
    return find_environment(SHOPS)


def _raw_tables(_changes: Changes) -> _Said:
    shops = _shops()
    conform(shops.raw_tables, Path("shops"), kinds=shops.kinds, panel=shops.panel)
    return None


def _declarations(_changes: Changes) -> _Said:
    find_environment(SHOPS)
    return None


def _specifications(_changes: Changes) -> _Said:
    load_spec(Path("shops.yaml"), _shops())
    return None


def _plans(changes: Changes) -> _Said:
    path = Path(changes[0]["file"])
    load = load_plan if path.name == "cleaning.yaml" else load_ablation_plan
    load(path, _shops())
    return None


def _keys(changes: Changes) -> _Said:
    path = Path(changes[0]["file"])
    match path.suffix:
        case ".pem":
            read_signing_key(path, lambda: b"a passphrase")
        case ".pub":
            read_public_key(path)
        case ".json":
            use = Use(key="0" * 16, environment="shops", policy="lsd", originals="1" * 16)
            refuse_other_use(path.with_name(path.name.removesuffix(".used.json")), use)
        case ".enc":
            unseal(path.read_bytes(), DEMONSTRATION_KEY)
        case _:
            read_key(path)
            release_key(path, default=Path("none.key"), is_generated=False, policy="lsd")
    return None


def _settings(changes: Changes) -> _Said:
    """Run the command of the last change; what is wrong with its settings ends it before anything is made."""
    arguments: list[str] = changes[-1]["command"].split(" ")
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", UNFOLDED)
        try:
            status = main(arguments)
        except SystemExit as ended:  # the parser's
            status = int(ended.code or 0)
    said = [line for line in err.getvalue().splitlines() if ": at work, " not in line]
    return status, "\n".join([*said, out.getvalue()])


def _dagster(changes: Changes) -> _Said:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", changes[-1]["home"].replace("{here}", os.fspath(Path.cwd())))
        opened_instance()
    return None


def _read_back(changes: Changes) -> _Said:
    """Read what an earlier build or release wrote, as the command does that needs it first."""
    request = AuditRequest(environment=_shops(), variant="noisy", out=Path())
    match changes[-1]["by"]:
        case "open":
            silt.open("shops/noisy", environment=SHOPS)
        case "audit":
            read_manifest(request)
        case "map":
            read_identity_map(request, DEMONSTRATION_KEY, {"key_fingerprint": "0"})
        case "release":
            read_head(Path("shops"))
        case "undo":
            transform(_shops(), Path("shops/noisy"), Path("shops/ledger.parquet"), Path("mended"), direction="undo")
        case command:
            return _settings([{"command": command}])
    return None


READERS: Mapping[str, Callable[[Changes], _Said]] = {
    "raw_tables": _raw_tables,
    "declarations": _declarations,
    "specifications": _specifications,
    "plans": _plans,
    "keys": _keys,
    "settings": _settings,
    "dagster": _dagster,
    "read_back": _read_back,
}
"""By kind of input."""
