"""Unit synonyms: a unit's label gives way to another way to write the same unit. Other units are another kind."""

from typing import ClassVar

from pipeline.noise.kinds.interface import Family
from pipeline.noise.kinds.names.drift import NamingDrift


class UnitSynonyms(NamingDrift):
    """Writes a unit's label in another way that means the same unit, so that figures stay as they are."""

    name: ClassVar[str] = "unit_synonyms"
    family: ClassVar[Family] = Family.UNITS
    recovery: ClassVar[str] = "Yes, from the other labels of the same series, unless two units share the synonym."
