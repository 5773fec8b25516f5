"""What a published column is. Everything else that is said of it follows from its field, which `complete.py` completes.

Belongs here: the declaration of one column, and how declarations of a version ago are read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Final

from pipeline.model.schema.types import ColumnType

Origin = tuple[str, str]
"""An anonymised or derived table and one of its columns."""

FORMS: Final[Mapping[ColumnType, str]] = {"integer": "-?(0|[1-9][0-9]*)", "decimal": r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"}
"""How a number is written, as a regular expression of the whole text; any text is a text."""


@dataclass(frozen=True)
class Field:
    """One column of a published table. By default it holds text and is never empty.

    What is declared of its cells must hold before noise, and becomes an expectation.
    """

    name: str = ""
    _: KW_ONLY
    type: ColumnType = "text"
    """The type as which it is opened. A text may be what the environment's views say."""
    unit: str = ""
    unit_in: str = ""
    """The column that says of each row which unit its figure has, or which measure it is of. Empty: all rows have one unit."""
    meaning: str = ""
    """What it holds, in words. If empty, the words of the view, the raw column or the measure are used."""
    origins: tuple[Origin, ...] | None = None
    """The columns of which its values are made; none if rendering makes them (ids, load times, labels). None: not declared."""
    nullable: bool | None = False
    """Whether a cell may be empty. None: nothing is declared of its cells, and what follows from the views holds."""
    allowed: tuple[str, ...] | None = None
    """The closed set of texts, if there is one."""
    minimum: int | None = None
    maximum: int | None = None
    """Inclusive bounds of a number."""
    unique: bool = False
    refers_to: tuple[str, str] | None = None
    """Published table and column in which every text of this one occurs."""
    pattern: str | None = ""
    """A regular expression of the whole text, for texts that are no numbers (days, times, codes). None: any text will do."""
    date_format: str = "%d/%m/%Y"
    """How a date or a timestamp is written."""

    @property
    def unit_in_words(self) -> str:
        """Return the unit, or which column says it of each row."""
        return self.unit or (f"see {self.unit_in}" if self.unit_in else "")

    @property
    def words(self) -> str:
        """Return in words what it holds, and in which unit."""
        return ", ".join(filter(None, (self.meaning, self.unit and f"in {self.unit}")))

    @property
    def form(self) -> str:
        """Return the regular expression that the whole text must match; empty if any text will do."""
        return "" if self.pattern is None else self.pattern or FORMS.get(self.type, "")


def origins(table: str, columns: Iterable[str]) -> tuple[Origin, ...]:
    """Return several columns of one table as origins."""
    return tuple((table, column) for column in columns)


def all_fields(columns: tuple[str, ...], fields: tuple[Field, ...], source: str) -> tuple[Field, ...]:
    """Return a field for each column of a table, given those that are declared, and their names if they are all.

    Args:
        columns: The names, empty if the fields have them.
        source: The table of the columns whose fields name no origins; empty if that is not declared.
    """
    known = {field.name: field for field in fields}
    every = tuple(known.get(name, Field(name, nullable=None)) for name in columns) or fields
    return tuple(
        replace(field, origins=((source, field.name),)) if source and field.origins is None else field
        for field in every
    )


# --- declarations of a version ago -------------------------------------------------------------------------------------

ColumnFacts = Field
"""What `Environment.facts` has for a column; a field says it now."""

TableFacts = Mapping[str, Field]
"""Facts by column."""


@dataclass(frozen=True, kw_only=True)
class TableLineage:
    """The older form of a table's origins (`Environment.lineage`); use its fields and `rows_from`."""

    columns: Mapping[str, tuple[Origin, ...]]
    rows: tuple[Origin, ...] = ()


def taken(table: str, columns: Iterable[str]) -> dict[str, tuple[Origin, ...]]:
    """Return the lineage of published columns that repeat the columns of the same names of one table."""
    return {column: ((table, column),) for column in columns}


def made(columns: Iterable[str]) -> dict[str, tuple[Origin, ...]]:
    """Return the lineage of published columns that rendering makes."""
    return dict.fromkeys(columns, ())


def with_former(fields: Iterable[Field], facts: TableFacts | None, lineage: TableLineage | None) -> tuple[Field, ...]:
    """Return fields with what a declaration of a version ago says of them."""
    of = lineage.columns if lineage else {}
    others = Field(nullable=True)
    return tuple(
        replace(
            facts.get(field.name, others) if facts else field,
            name=field.name,
            meaning=field.meaning,
            origins=of.get(field.name, field.origins),
        )
        for field in fields
    )
