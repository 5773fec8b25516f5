"""Silt's face, and the one public module: what a declaration of one's own tables needs, `build`, and `open`.

`from silt import Column, Environment, Measure` declares, `silt.build("shops.py:SHOPS", raw="shops")` builds, and
`silt.open("environments/shops/noisy", environment="shops.py:SHOPS")` reads what was published. Everything else is inside.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING

# NOTE: before numpy is imported. With more threads of linear algebra the last bits of a product are others, and so are the
# records that `guarded` samples by it; matrices here are small, and no slower for it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pipeline.model
from pipeline.derive import STATISTICS
from pipeline.derive.event_statistics import event_statistics
from pipeline.errors import GateError, InputError, SiltError
from pipeline.model import *  # noqa: F403  (all of its public names)
from pipeline.model.claims.documented import (
    Documented,
    DocumentedCounts,
    DocumentedExamples,
    DocumentedNumber,
    DocumentedRange,
    DocumentedShare,
)
from pipeline.model.claims.domains import Domains, NamedElsewhere, StatedCounts, StatedRecount, StatedStatistics
from pipeline.model.claims.facts import ColumnFacts, TableFacts
from pipeline.model.claims.lineage import Origin, TableLineage, made, origins, taken
from pipeline.model.periods import Period, WithPeriod, period_of
from pipeline.numerals import decimal_text
from pipeline.render.as_raw import as_raw

if TYPE_CHECKING:
    from silt.commands.build import build
    from silt.opening import open_variant as open  # noqa: A004

__all__ = [
    "STATISTICS",
    "ColumnFacts",
    "Documented",
    "DocumentedCounts",
    "DocumentedExamples",
    "DocumentedNumber",
    "DocumentedRange",
    "DocumentedShare",
    "Domains",
    "GateError",
    "InputError",
    "NamedElsewhere",
    "Origin",
    "Period",
    "SiltError",
    "StatedCounts",
    "StatedRecount",
    "StatedStatistics",
    "TableFacts",
    "TableLineage",
    "WithPeriod",
    "as_raw",
    "build",
    "decimal_text",
    "event_statistics",
    "made",
    "open",
    "origins",
    "period_of",
    "taken",
]
__all__ += pipeline.model.__all__

_ON_USE = {"build": ("silt.commands.build", "build"), "open": ("silt.opening", "open_variant")}
"""What is imported when it is asked for: a declaration needs neither, and both need the stages."""


def __getattr__(name: str) -> object:
    """Return what is imported on use."""
    if name not in _ON_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _ON_USE[name]
    return getattr(import_module(module), attribute)
