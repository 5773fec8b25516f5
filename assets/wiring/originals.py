"""What identifies a company in the originals, read from the curator's stages; where it must not be is said by who asks."""

from pathlib import Path

import polars as pl

from assets.anonymised import IDENTIFIERS, IDENTITY_MAP
from assets.wiring.keys import Stage, key
from assets.wiring.resources import Workspace
from assets.wiring.store import read_sealed
from pipeline.model import Environment, PublishedTable
from pipeline.noise.spec import NoiseSpec
from validation.escapes.code_columns import reserved_codes
from validation.escapes.scan import Originals


def originals(environment: Environment, workspace: Workspace) -> Originals:
    """Return what no published byte may hold."""
    release = workspace.release_key(environment).master
    map_, identifiers = (
        read_sealed(Path(workspace.out), key(environment, Stage.IDENTITY, name).path, release)
        for name in (IDENTITY_MAP, IDENTIFIERS)
    )
    return Originals(identity_map=map_, identifiers=identifiers, key=release)


def reserved(
    environment: Environment, workspace: Workspace, spec: NoiseSpec, table: PublishedTable
) -> pl.Series | None:
    """Return what no made-up code may equal; None if noise in the table makes up no codes."""
    if not any(rule.kind.invents_codes and table.name in rule.tables for rule in spec.rules):
        return None
    return reserved_codes(originals(environment, workspace).tokens(environment))
