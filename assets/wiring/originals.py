"""What identifies a company in the originals, read from the curator's stages; where it must not be is said by who asks."""

import pickle
from threading import Lock

import polars as pl

from assets.making.keys import IDENTIFIERS, IDENTITY_MAP, SEARCH_TERMS, Place, Stage
from assets.making.parameters import MASTER
from assets.making.step import Run
from pipeline.model import PublishedTable
from pipeline.noise.spec import NoiseSpec
from validation.escapes.code_columns import reserved_codes
from validation.escapes.files import SearchTerms
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


def prepare(run: Run) -> None:
    """Keep what is searched for, as its sealed pickle: to prepare it takes longer than most searches."""
    pickled = [pickle.dumps(originals(run).search_terms(run.environment))]
    run.seal(*SEARCH_TERMS, pl.DataFrame({"pickled": pickled}))


def search_terms(run: Run) -> SearchTerms:
    """Return what is searched for, as it was prepared; the last is kept in memory, since many steps of a build ask for it."""
    name = str(run.given[SEARCH_TERMS])
    with _READING:
        if name not in _READ:
            _READ.clear()
            # NOTE: nobody without the release key can have sealed it.
            _READ[name] = pickle.loads(run.unseal(*SEARCH_TERMS)["pickled"].item())  # noqa: S301
        return _READ[name]


_READING = Lock()
_READ: dict[str, SearchTerms] = {}
"""What is searched for in the build at work, by its name in the store."""
