"""The registry of kinds: every kind of noise by its name in specifications.

A kind is one module here and one line below; what all have in common stands in `interface.py`.
"""

from collections.abc import Mapping

from pipeline.noise.kinds.dates_calendar import CalendarShift
from pipeline.noise.kinds.dates_formats import MixedDateFormats, SwappedDayMonth
from pipeline.noise.kinds.dates_periods import CollapsedPeriod, PartialYear
from pipeline.noise.kinds.dates_seconds import ImpossibleSeconds
from pipeline.noise.kinds.definitions_prose import ContradictedInProse
from pipeline.noise.kinds.definitions_ratio import RatioOfSums
from pipeline.noise.kinds.definitions_rollups import DoubleCounting, StockAsFlow
from pipeline.noise.kinds.definitions_scope import ScopeMismatch
from pipeline.noise.kinds.definitions_stale import StaleRevision
from pipeline.noise.kinds.files_dialect import OtherDialect
from pipeline.noise.kinds.files_merged import MergedColumns
from pipeline.noise.kinds.files_renamed import ForeignHeaders, RenamedColumns
from pipeline.noise.kinds.files_reordered import ReorderedColumns
from pipeline.noise.kinds.files_split import SplitColumns
from pipeline.noise.kinds.files_wide import LongToWide
from pipeline.noise.kinds.formats_numbers import DecimalPoint, ScientificNotation, ThousandsSeparators
from pipeline.noise.kinds.formats_percent import PercentAsFraction
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.keys_blanks import TrailingBlanks
from pipeline.noise.kinds.keys_reformatted import ReformattedKeys
from pipeline.noise.kinds.language_other import OtherLanguage
from pipeline.noise.kinds.language_translations import TranslationVariants
from pipeline.noise.kinds.missing_sentinels import Sentinels
from pipeline.noise.kinds.missing_values import MissingValues
from pipeline.noise.kinds.names_chinese_typos import ChineseTypos
from pipeline.noise.kinds.names_glued import GluedNames
from pipeline.noise.kinds.names_latin_typos import LatinTypos
from pipeline.noise.kinds.names_other_script import OtherScript
from pipeline.noise.kinds.names_other_width import OtherWidth
from pipeline.noise.kinds.names_stray_blanks import StrayBlanks
from pipeline.noise.kinds.names_truncated import TruncatedNames
from pipeline.noise.kinds.names_wrong_category import WrongCategory
from pipeline.noise.kinds.naming_drift import NamingDrift
from pipeline.noise.kinds.prose_clipped import ClippedText
from pipeline.noise.kinds.prose_facts import FactInTextOnly
from pipeline.noise.kinds.prose_glyphs import LostGlyphs
from pipeline.noise.kinds.prose_markup import Markup
from pipeline.noise.kinds.prose_pdf import PdfResidue
from pipeline.noise.kinds.prose_shuffled import ShuffledSentences
from pipeline.noise.kinds.prose_told import ToldInProse
from pipeline.noise.kinds.rows_decoys import DecoyRows
from pipeline.noise.kinds.rows_dropped import DroppedRows
from pipeline.noise.kinds.rows_duplicated import DuplicateRows
from pipeline.noise.kinds.rows_reordered import ReorderedRows
from pipeline.noise.kinds.unit_mismatch import UnitMismatch
from pipeline.noise.kinds.units_scale_error import ScaleError
from pipeline.noise.kinds.units_synonyms import UnitSynonyms

_KINDS: tuple[type[Kind], ...] = (
    UnitMismatch,
    UnitSynonyms,
    ScaleError,
    NamingDrift,
    TruncatedNames,
    GluedNames,
    StrayBlanks,
    WrongCategory,
    ChineseTypos,
    LatinTypos,
    OtherScript,
    OtherWidth,
    MissingValues,
    Sentinels,
    ReformattedKeys,
    TrailingBlanks,
    MixedDateFormats,
    SwappedDayMonth,
    ImpossibleSeconds,
    CollapsedPeriod,
    PartialYear,
    CalendarShift,
    ThousandsSeparators,
    ScientificNotation,
    PercentAsFraction,
    DecimalPoint,
    ScopeMismatch,
    RatioOfSums,
    StockAsFlow,
    DoubleCounting,
    StaleRevision,
    ContradictedInProse,
    OtherLanguage,
    TranslationVariants,
    ToldInProse,
    FactInTextOnly,
    Markup,
    PdfResidue,
    LostGlyphs,
    ClippedText,
    ShuffledSentences,
    DroppedRows,
    DuplicateRows,
    DecoyRows,
    ReorderedRows,
    RenamedColumns,
    ForeignHeaders,
    ReorderedColumns,
    SplitColumns,
    MergedColumns,
    LongToWide,
    OtherDialect,
)

KINDS: Mapping[str, type[Kind]] = {kind.name: kind for kind in _KINDS}
