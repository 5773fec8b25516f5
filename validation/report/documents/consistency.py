"""Types of `consistency.json`: do aggregates, totals, identities and domains agree?"""

from pydantic import Field

from validation.consistency.aggregates import Offset, Structure
from validation.consistency.given import Agreement
from validation.consistency.residuals import Residual
from validation.consistency.totals import CheckedTotal
from validation.report.documents.base import Cell, Comparing, Document


class Link(Document):
    """What published tables of two domains say of each other."""

    source: str = Field(alias="from")
    """Domain, or table."""
    to: str
    what: str
    cells: int
    disagreeing: int
    worst_cell: Cell
    passed: bool


class BrokenIdentity(Document):
    """Records that break an identity."""

    identity: str
    originals: int
    published: int
    only_published: int
    """Published records that break it and may not."""


class Consistency(Comparing):
    """`consistency.json`: do aggregates, totals, identities and domains agree?"""

    passed: bool
    alpha: float
    aggregates: tuple[Offset, ...]
    structures: tuple[Structure, ...]
    identities: tuple[Residual, ...]
    totals: tuple[CheckedTotal, ...]
    chain: tuple[Link, ...]
    broken: tuple[BrokenIdentity, ...]
    given: tuple[Agreement, ...]
