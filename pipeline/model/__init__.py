"""What an environment is: the typed objects in which one is declared.

A declaration states everything that the stages need to know about somebody's tables: columns, types, units, roles and keys;
the identities between measures; the aggregates; the published tables with their dialect. The stages read declarations and
know nothing of any one environment; code of one environment (a rendering, a derived table) belongs to its declaration.

Figures are integers. A measure with `decimals=2` is held as a signed 64-bit count of hundredths of its unit (its
*quantum*), so that perturbing, summing and comparing are exact. Text with a decimal point is read first and written last.
"""

from pipeline.model.budget import Budget
from pipeline.model.columns import (
    Cause,
    CellTreatment,
    CodeShape,
    CodesLike,
    Column,
    CsvDialect,
    Numerals,
    RawTable,
    Reference,
    Repeats,
    Reshape,
    Role,
    RowRule,
)
from pipeline.model.entities import (
    ALL_IN_ONE,
    AliasSource,
    Decoys,
    Entities,
    Exemption,
    Prose,
    QuasiIdentifier,
    QuasiIdentifiers,
    Subjects,
)
from pipeline.model.environment import Corpus, Environment
from pipeline.model.figures import (
    PERIOD,
    Aggregate,
    Derivation,
    Events,
    Frames,
    GivenAggregate,
    LazyFrames,
    Measured,
    Panel,
    lazy,
)
from pipeline.model.measures import Difference, Formula, Growth, Identity, Measure, Product, Ratio, Sum, Total
from pipeline.model.published import (
    Dialect,
    DocumentRows,
    EntityView,
    EventView,
    LongFigures,
    NameList,
    Parts,
    PublishedDocument,
    PublishedTable,
    Truth,
    Views,
    Vocabulary,
    WideFigures,
)
from pipeline.model.schema.fields import Field, Origin, origins
from pipeline.model.schema.types import ColumnType

__all__ = [
    "ALL_IN_ONE",
    "PERIOD",
    "Aggregate",
    "AliasSource",
    "Budget",
    "Cause",
    "CellTreatment",
    "CodeShape",
    "CodesLike",
    "Column",
    "ColumnType",
    "Corpus",
    "CsvDialect",
    "Decoys",
    "Derivation",
    "Dialect",
    "Difference",
    "DocumentRows",
    "Entities",
    "EntityView",
    "Environment",
    "EventView",
    "Events",
    "Exemption",
    "Field",
    "Formula",
    "Frames",
    "GivenAggregate",
    "Growth",
    "Identity",
    "LazyFrames",
    "LongFigures",
    "Measure",
    "Measured",
    "NameList",
    "Numerals",
    "Origin",
    "Panel",
    "Parts",
    "Product",
    "Prose",
    "PublishedDocument",
    "PublishedTable",
    "QuasiIdentifier",
    "QuasiIdentifiers",
    "Ratio",
    "RawTable",
    "Reference",
    "Repeats",
    "Reshape",
    "Role",
    "RowRule",
    "Subjects",
    "Sum",
    "Total",
    "Truth",
    "Views",
    "Vocabulary",
    "WideFigures",
    "lazy",
    "origins",
]
