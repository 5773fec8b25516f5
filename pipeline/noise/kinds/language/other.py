"""Other language: a name in a language that the column is not in. Wrong translations are other kinds."""

from typing import ClassVar

from pipeline.noise.kinds.interface import Family
from pipeline.noise.kinds.names.drift import NamingDrift


class OtherLanguage(NamingDrift):
    """Replaces names by their form in another language, so that a column mixes languages; the vocabulary translates."""

    name: ClassVar[str] = "other_language"
    family: ClassVar[Family] = Family.LANGUAGE
    recovery: ClassVar[str] = "Yes, by translating the name back, unless two names have one translation."
