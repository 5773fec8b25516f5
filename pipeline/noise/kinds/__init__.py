"""The registry of kinds: every kind of noise by its name in specifications.

A kind is a class in the module of those that are alike, and one name below. What every kind is stands in `interface.py`, what
several are made of in `parts/`.
"""

from collections.abc import Mapping

from pipeline.noise.kinds.attributes import AttributeInProse
from pipeline.noise.kinds.dates import (
    CalendarShift,
    CollapsedPeriod,
    ImpossibleSeconds,
    MixedDateFormats,
    PartialYear,
    SwappedDayMonth,
)
from pipeline.noise.kinds.decoys import DecoyRows
from pipeline.noise.kinds.definitions.contradicted import ContradictedInProse
from pipeline.noise.kinds.definitions.figures import RatioOfSums, ScopeMismatch, StaleRevision
from pipeline.noise.kinds.definitions.rollups import DoubleCounting, StockAsFlow
from pipeline.noise.kinds.files import (
    ForeignHeaders,
    LongToWide,
    MergedColumns,
    OtherDialect,
    RenamedColumns,
    ReorderedColumns,
    SplitColumns,
)
from pipeline.noise.kinds.formats import DecimalPoint, PercentAsFraction, ScientificNotation, ThousandsSeparators
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.keys import ReformattedKeys, TrailingBlanks
from pipeline.noise.kinds.missing import MissingValues, Sentinels
from pipeline.noise.kinds.names.damaged import GluedNames, TruncatedNames, WrongCategory
from pipeline.noise.kinds.names.drift import NamingDrift, OtherLanguage, UnitSynonyms
from pipeline.noise.kinds.names.spelling import OtherScript, OtherWidth, StrayBlanks
from pipeline.noise.kinds.names.translations import TranslationVariants
from pipeline.noise.kinds.names.typos import ChineseTypos, LatinTypos
from pipeline.noise.kinds.prose import ClippedText, FactInTextOnly, LostGlyphs, Markup, PdfResidue, ShuffledSentences
from pipeline.noise.kinds.rows import DroppedRows, DuplicateRows, ReorderedRows
from pipeline.noise.kinds.units import ScaleError, UnitMismatch

_KINDS: tuple[type[Kind], ...] = (
    *(UnitMismatch, UnitSynonyms, ScaleError),
    *(NamingDrift, TruncatedNames, GluedNames, StrayBlanks, WrongCategory),
    *(ChineseTypos, LatinTypos, OtherScript, OtherWidth),
    *(MissingValues, Sentinels),
    *(ReformattedKeys, TrailingBlanks),
    *(MixedDateFormats, SwappedDayMonth, ImpossibleSeconds, CollapsedPeriod, PartialYear, CalendarShift),
    *(ThousandsSeparators, ScientificNotation, PercentAsFraction, DecimalPoint),
    *(ScopeMismatch, RatioOfSums, StockAsFlow, DoubleCounting, StaleRevision, ContradictedInProse),
    *(OtherLanguage, TranslationVariants),
    *(AttributeInProse, FactInTextOnly, Markup, PdfResidue, LostGlyphs, ClippedText, ShuffledSentences),
    *(DroppedRows, DuplicateRows, DecoyRows, ReorderedRows),
    *(RenamedColumns, ForeignHeaders, ReorderedColumns, SplitColumns, MergedColumns, LongToWide, OtherDialect),
)
"""In the order in which the schema and the table of kinds have them."""

KINDS: Mapping[str, type[Kind]] = {kind.name: kind for kind in _KINDS}

EARLIER_NAMES: Mapping[str, str] = {"told_in_prose": AttributeInProse.name}
"""What earlier versions called kinds; read for one more version."""
