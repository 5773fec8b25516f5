"""The independent opinion: Anonymeter's attacks on one release, in the form of our own attacks.

Belongs here: what it is asked about, and the reason where it is not asked. The attacks are in `records/anonymeter_opinion.py`.
Builds do not ask, because the package takes seconds to import and to compile; `silt audit` does.
"""

from importlib.util import find_spec

import polars as pl

from pipeline.keyed import Key
from validation.attacks import Attack
from validation.attacks.records.anonymeter_opinion import opinion
from validation.attacks.records.linkage import fullest_year
from validation.attacks.suite import Sides

NOT_INSTALLED = "Not asked: anonymeter is not installed (make setup-audit)."
NOTHING_KNOWN = "Not asked: the environment declares no two figures that an outsider may know together."

_FEWEST = 2
"""Number of figures that Anonymeter needs: one that is known, one to be linked or inferred."""


def independent_opinion(sides: Sides, key: Key) -> list[Attack]:
    """Return Anonymeter's attacks on the year with the most records, by the longest set of known figures.

    If it is not asked, one attack without records says why.

    Args:
        sides: What the auditor holds; the truth is not used.
        key: Decides which targets and queries are tried.
    """
    measures = max(sides.environment.panel.known, key=len, default=())
    if len(measures) < _FEWEST:
        return [_not_asked(NOTHING_KNOWN)]
    if find_spec("anonymeter") is None:
        return [_not_asked(NOT_INSTALLED)]
    conformed = sides.conformed[sides.environment.entities.tables[0]]
    originals = _grouped(sides, sides.pair.originals.figures, conformed)
    return opinion(
        originals,
        _grouped(sides, sides.figures, sides.entities),
        group=sides.environment.entities.industry,
        year=fullest_year(originals),
        named=sides.environment.panel.period.name,
        measures=measures,
        key=key,
    )


def _not_asked(why: str) -> Attack:
    return Attack(attack="Anonymeter", knowledge="the published records", records=0, successes=0, detail=why)


def _grouped(sides: Sides, figures: pl.DataFrame, entities: pl.DataFrame) -> pl.DataFrame:
    """Return the figures with the industry of their company, as text."""
    code, industry = sides.environment.entities.code, sides.environment.entities.industry
    return figures.join(entities.select(code, pl.col(industry).cast(pl.String)), on=code, how="left")
