"""What is true of every column of the published tables of `us-listed`, before noise."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipeline.derive import STATISTICS
from pipeline.model import PERIOD, Measure
from pipeline.model.claims.facts import ColumnFacts, TableFacts

_ID = ColumnFacts(type="integer", minimum=1, unique=True)
_CODE = ColumnFacts(pattern="[A-Z]{5}")
_YEAR = ColumnFacts(type="integer", minimum=1990, maximum=2030)


def facts_of(measures: Sequence[Measure]) -> Mapping[str, TableFacts]:
    """Return the facts by table, given the measures."""
    figures: TableFacts = {
        "id": _ID,
        PERIOD: _YEAR,
        "measure": ColumnFacts(allowed=tuple(measure.name for measure in measures)),
        "unit": ColumnFacts(allowed=tuple(dict.fromkeys(measure.unit for measure in measures))),
        "value": ColumnFacts(type="decimal"),
    }
    statistic = {"statistic": ColumnFacts(allowed=STATISTICS)}
    return {
        "company_profile": {
            "id": _ID,
            "code": replace(_CODE, unique=True),
            "name": ColumnFacts(),
            "sector": ColumnFacts(),
            "sub_industry": ColumnFacts(nullable=True),
            "state": ColumnFacts(nullable=True),
            "country": ColumnFacts(nullable=True),
            "year_added": ColumnFacts(type="integer", minimum=1900, maximum=2030, nullable=True),
        },
        "company_figures": {**figures, "code": replace(_CODE, refers_to=("company_profile", "code"))},
        "sector_aggregates": {**figures, **statistic, "sector": ColumnFacts(refers_to=("company_profile", "sector"))},
        "state_aggregates": {**figures, **statistic, "state": ColumnFacts(nullable=True)},
        "metric_definitions": {"id": _ID, "definition": ColumnFacts(unique=True)},
    }
