"""What identifies a company in the originals, read from the curator's stages; where it must not be is said by who asks."""

from threading import Lock

import polars as pl

from assets.making.aspects import MASTER
from assets.making.identity import identity
from assets.making.keys import IDENTIFIERS, IDENTITY_MAP, Place, Stage
from assets.making.step import Run
from pipeline.model import PublishedTable
from pipeline.noise.spec import NoiseSpec
from validation.escapes.code_columns import reserved_codes
from validation.escapes.files import Sought
from validation.escapes.scan import Originals

OF_ORIGINALS: tuple[Place, ...] = ((Stage.IDENTITY, IDENTITY_MAP), (Stage.IDENTITY, IDENTIFIERS))
"""What a step reads that looks for originals."""


def originals(run: Run) -> Originals:
    """Return what no published byte may hold."""
    map_, identifiers = (run.unseal(*place) for place in OF_ORIGINALS)
    return Originals(identity_map=map_, identifiers=identifiers, key=run.use(MASTER))


def reserved(run: Run, spec: NoiseSpec, table: PublishedTable) -> pl.Series | None:
    """Return what no made-up code may equal; None if noise in the table makes up no codes."""
    if not any(rule.kind.invents_codes and table.name in rule.tables for rule in spec.rules):
        return None
    return reserved_codes(originals(run).tokens(run.environment))


def sought(run: Run) -> Sought:
    """Return what is searched for, prepared once for all steps: preparing takes longer than most searches."""
    known = (identity(run.environment.kinds), *(str(run.given[place]) for place in OF_ORIGINALS))
    with _PREPARING:
        if known not in _PREPARED:
            _PREPARED.clear()
            _PREPARED[known] = Sought.of(originals(run).tokens(run.environment))
        return _PREPARED[known]


_PREPARING = Lock()
_PREPARED: dict[tuple[str, ...], Sought] = {}
"""What is searched for in the build at work, by the environment and the names of the originals in the store."""
