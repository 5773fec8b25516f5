"""The registry of kinds: every kind of noise by its name in specifications.

A kind is a class in the module of those that are alike, and one name below. What every kind is stands in `interface.py`, what
several are made of in `parts/`.
"""

from collections.abc import Mapping

from pipeline.noise.kinds import attributes, dates, decoys, files, formats, keys, missing, prose, rows, units
from pipeline.noise.kinds.definitions import contradicted, figures, rollups
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.names import damaged, drift, spelling, translations, typos

_KINDS: tuple[type[Kind], ...] = (
    *(units.UnitMismatch, drift.UnitSynonyms, units.ScaleError),
    *(drift.NamingDrift, damaged.TruncatedNames, damaged.GluedNames, spelling.StrayBlanks, damaged.WrongCategory),
    *(typos.ChineseTypos, typos.LatinTypos, spelling.OtherScript, spelling.OtherWidth),
    *(missing.MissingValues, missing.Sentinels),
    *(keys.ReformattedKeys, keys.TrailingBlanks),
    *(dates.MixedDateFormats, dates.SwappedDayMonth, dates.ImpossibleSeconds, dates.CollapsedPeriod),
    *(dates.PartialYear, dates.CalendarShift),
    *(formats.ThousandsSeparators, formats.ScientificNotation, formats.PercentAsFraction, formats.DecimalPoint),
    *(figures.ScopeMismatch, figures.RatioOfSums, rollups.StockAsFlow, rollups.DoubleCounting, figures.StaleRevision),
    *(contradicted.ContradictedInProse,),
    *(drift.OtherLanguage, translations.TranslationVariants),
    *(attributes.AttributeInProse, prose.FactInTextOnly, prose.Markup, prose.PdfResidue, prose.LostGlyphs),
    *(prose.ClippedText, prose.ShuffledSentences),
    *(rows.DroppedRows, rows.DuplicateRows, decoys.DecoyRows, rows.ReorderedRows),
    *(files.RenamedColumns, files.ForeignHeaders, files.ReorderedColumns, files.SplitColumns, files.MergedColumns),
    *(files.LongToWide, files.OtherDialect),
)
"""In the order in which the schema and the table of kinds have them."""

KINDS: Mapping[str, type[Kind]] = {kind.name: kind for kind in _KINDS}

EARLIER_NAMES: Mapping[str, str] = {"told_in_prose": attributes.AttributeInProse.name}
"""What earlier versions called kinds; read for one more version."""
