"""The registry of kinds: every kind of noise by its name in specifications.

A kind is one module in the folder of its family (or a few that are alike) and one line below. What every kind is stands in
`interface.py`, what several are made of in `parts/`.
"""

from collections.abc import Mapping

from pipeline.noise.kinds.dates.calendar import CalendarShift
from pipeline.noise.kinds.dates.formats import MixedDateFormats, SwappedDayMonth
from pipeline.noise.kinds.dates.periods import CollapsedPeriod, PartialYear
from pipeline.noise.kinds.dates.seconds import ImpossibleSeconds
from pipeline.noise.kinds.definitions.contradicted import ContradictedInProse
from pipeline.noise.kinds.definitions.ratio import RatioOfSums
from pipeline.noise.kinds.definitions.rollups import DoubleCounting, StockAsFlow
from pipeline.noise.kinds.definitions.scope import ScopeMismatch
from pipeline.noise.kinds.definitions.stale import StaleRevision
from pipeline.noise.kinds.files.dialect import OtherDialect
from pipeline.noise.kinds.files.merged import MergedColumns
from pipeline.noise.kinds.files.renamed import ForeignHeaders, RenamedColumns
from pipeline.noise.kinds.files.reordered import ReorderedColumns
from pipeline.noise.kinds.files.split import SplitColumns
from pipeline.noise.kinds.files.wide import LongToWide
from pipeline.noise.kinds.formats.numbers import DecimalPoint, ScientificNotation, ThousandsSeparators
from pipeline.noise.kinds.formats.percent import PercentAsFraction
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.keys.blanks import TrailingBlanks
from pipeline.noise.kinds.keys.reformatted import ReformattedKeys
from pipeline.noise.kinds.language.other import OtherLanguage
from pipeline.noise.kinds.language.translations import TranslationVariants
from pipeline.noise.kinds.missing.sentinels import Sentinels
from pipeline.noise.kinds.missing.values import MissingValues
from pipeline.noise.kinds.names.chinese_typos import ChineseTypos
from pipeline.noise.kinds.names.drift import NamingDrift
from pipeline.noise.kinds.names.glued import GluedNames
from pipeline.noise.kinds.names.latin_typos import LatinTypos
from pipeline.noise.kinds.names.other_script import OtherScript
from pipeline.noise.kinds.names.other_width import OtherWidth
from pipeline.noise.kinds.names.stray_blanks import StrayBlanks
from pipeline.noise.kinds.names.truncated import TruncatedNames
from pipeline.noise.kinds.names.wrong_category import WrongCategory
from pipeline.noise.kinds.prose.attributes import AttributeInProse
from pipeline.noise.kinds.prose.clipped import ClippedText
from pipeline.noise.kinds.prose.facts import FactInTextOnly
from pipeline.noise.kinds.prose.glyphs import LostGlyphs
from pipeline.noise.kinds.prose.markup import Markup
from pipeline.noise.kinds.prose.pdf import PdfResidue
from pipeline.noise.kinds.prose.shuffled import ShuffledSentences
from pipeline.noise.kinds.rows.decoys import DecoyRows
from pipeline.noise.kinds.rows.dropped import DroppedRows
from pipeline.noise.kinds.rows.duplicated import DuplicateRows
from pipeline.noise.kinds.rows.reordered import ReorderedRows
from pipeline.noise.kinds.units.mismatch import UnitMismatch
from pipeline.noise.kinds.units.scale_error import ScaleError
from pipeline.noise.kinds.units.synonyms import UnitSynonyms

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
