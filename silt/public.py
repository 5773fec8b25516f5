"""The public names of `silt` for declaring tables of your own; `silt` loads them when one is used."""

import pipeline.model
from pipeline.derive import STATISTICS
from pipeline.derive.event_statistics import event_statistics
from pipeline.errors import GateError, InputError, SiltError
from pipeline.model import *  # noqa: F403  (all of its public names)
from pipeline.model.periods import Period, WithPeriod, period_of
from pipeline.model.schema.domains import Domains, NamedElsewhere, StatedCounts, StatedRecount, StatedStatistics
from pipeline.model.schema.fields import ColumnFacts, TableFacts, TableLineage, made, taken
from pipeline.numerals import decimal_text
from pipeline.render.as_raw import as_raw

__all__ = [
    "STATISTICS",
    "ColumnFacts",
    "Domains",
    "GateError",
    "InputError",
    "NamedElsewhere",
    "Period",
    "SiltError",
    "StatedCounts",
    "StatedRecount",
    "StatedStatistics",
    "TableFacts",
    "TableLineage",
    "WithPeriod",
    "as_raw",
    "decimal_text",
    "event_statistics",
    "made",
    "period_of",
    "taken",
]
__all__ += pipeline.model.__all__
