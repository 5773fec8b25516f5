"""Fields that several published tables of `dataclaw-18` have, each declared once.

Sets come from the vocabularies where rendering makes the cells of them, or where the environment stands on them; columns that
holders of raw tables may fill as they like (cities, boards) have no closed set. What raw columns say themselves is not said
again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from pipeline.model import PERIOD, Column, Field, PublishedTable
from raw.vocabulary.industries import INDUSTRIES, TOTAL_INDUSTRY
from silt.environments.dataclaw_18.raw_tables import CODE, FIRST_YEAR, LAST_YEAR, OF_THE_ROW, QUASI_IDENTIFIERS

LATEST_YEAR = 2022
"""The year that the environment is about; the years before stand in the detail tables."""

_DAY = "([1-9]|[12][0-9]|3[01])/([1-9]|1[0-2])/[12][0-9]{3}"
_TIME = f"{_DAY} [0-2][0-9]:[0-5][0-9]:[0-5][0-9]"

ID = Field("id", type="integer", minimum=1, unique=True, origins=())
STAMPS = (
    Field("createTime", pattern=_TIME, origins=(), meaning="when the row was loaded; invented"),
    Field("updateTime", pattern=_TIME, origins=(), meaning="when the row was last changed; invented"),
)
FIRM = Field(CODE, pattern="[0-9]{6}", refers_to=("company_profile", CODE))
YEAR = Field(PERIOD, type="integer", minimum=FIRST_YEAR, maximum=LAST_YEAR)
LATEST = Field(PERIOD, type="integer", allowed=(str(LATEST_YEAR),))
OF_LATEST = replace(LATEST, origins=(), meaning=OF_THE_ROW)
LABEL = Field("targetName", meaning="what the figure is, by name")
UNIT = Field("targetUnit", nullable=True, meaning="unit of the figure")
VALUE = Field("value", type="decimal")

_IDS = (*(str(industry.id) for industry in INDUSTRIES), TOTAL_INDUSTRY[0])
INDUSTRY_NAMES = tuple(industry.name for industry in INDUSTRIES)
INDUSTRY_ID = Field("industryId", type="integer", allowed=_IDS, meaning="number of the industry")
INDUSTRY = Field("industry", allowed=(*INDUSTRY_NAMES, TOTAL_INDUSTRY[1]), meaning="industry")


def followed(columns: Sequence[Column], *own: Field) -> tuple[Field, ...]:
    """Return fields for raw columns that are published as conforming leaves them, but for those that are declared here."""
    declared = {field.name: field for field in (ID, *STAMPS, *own)}
    drawn = {name for item in QUASI_IDENTIFIERS.dealt for name in item.columns}
    return tuple(
        declared.get(column.name)
        or Field(
            column.name,
            type="integer" if column.type == "integer" else "text",
            nullable=column.nullable or column.name in drawn,
            allowed=column.allowed,
            minimum=column.minimum if column.type == "integer" else None,
            maximum=column.maximum if column.type == "integer" else None,
            pattern=_DAY if column.type == "date" else "",
        )
        for column in columns
    )


def nullable(*fields: Field) -> tuple[Field, ...]:
    """Return fields whose cells may be empty."""
    return tuple(replace(field, nullable=True) for field in fields)


def as_text(fields: Iterable[Field]) -> tuple[Field, ...]:
    """Return fields of which only meaning and origins are declared: all cells of the ideal tables are text."""
    return tuple(Field(each.name, nullable=None, meaning=each.meaning, origins=each.origins) for each in fields)


def ideal(table: PublishedTable, description: str) -> PublishedTable:
    """Return a table of the database as it also stands beside it, in the paper's cleaned environment."""
    path, fields = PurePosixPath(table.path).name, as_text(table.fields)
    return replace(table, path=path, folder="ideal", fields=fields, beside=(), description=description)


def names(fields: Iterable[Field]) -> tuple[str, ...]:
    """Return the header of fields."""
    return tuple(field.name for field in fields)
