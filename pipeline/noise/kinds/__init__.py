"""The registry of kinds: every kind of noise by its name in specifications.

A kind is one module here and one line below; what all have in common stands in `interface.py`.
"""

from collections.abc import Mapping

from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.missing_values import MissingValues
from pipeline.noise.kinds.naming_drift import NamingDrift
from pipeline.noise.kinds.unit_mismatch import UnitMismatch

_KINDS: tuple[type[Kind], ...] = (
    UnitMismatch,
    NamingDrift,
    MissingValues,
)

KINDS: Mapping[str, type[Kind]] = {kind.name: kind for kind in _KINDS}
