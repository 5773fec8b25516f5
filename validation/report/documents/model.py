"""Types of `model.json`: what `guarded` knows of the originals, and publishes."""

from collections.abc import Mapping

from validation.report.documents.base import Document, Period

_Row = tuple[float, ...]

Sums = _Row | tuple[_Row, ...] | tuple[tuple[_Row, ...], ...]
"""Numbers, or a row of them for each industry or column, or bins of each column."""


class Statistic(Document):
    """A statistic of the account: a sum over companies, with noise."""

    statistic: str
    numbers: int
    sensitivity: float
    """The most by which the sum moves, in Euclidean norm, when one company is replaced by another of its industry."""
    rho: float
    """What it spends of the budget."""
    sigma: float
    """Standard deviation of the noise of each number."""
    values: Sums
    """The noised sums."""


class Account(Document):
    """All statistics, and what they spend together."""

    budget: float
    spent: float
    epsilon: float
    """Of approximate differential privacy, at `delta`, that the budget implies."""
    delta: float
    statistics: tuple[Statistic, ...]


class OfFigures(Document):
    """What the statistics of figures are of."""

    years: tuple[Period, ...]
    industries: Mapping[str, float]
    """How many entities with figures each has."""
    columns: tuple[str, ...]
    """Columns of numbers with a histogram."""
    drawn: tuple[str, ...]
    """Those whose histogram shows any number."""
    states: tuple[str, ...]
    """Gaps and breaks that occur."""
    grains: Mapping[str, int]
    """Measure -> of how many quanta its figures are multiples."""


class Seen(Document):
    """A value that enough entities have."""

    value: str
    entities: float
    """How many have it, with noise."""


class OfCategories(Document):
    """What passes of a column of categories."""

    statistic: str
    values: tuple[Seen, ...]


class OfEvents(Document):
    """What the statistics of a table of events are of."""

    periods: tuple[Period, ...]
    counts: OfFigures
    rows: OfFigures
    values: tuple[OfCategories, ...]


class Model(Document):
    """What a release under `guarded` knows of the originals: the account, and what its statistics are of."""

    account: Account
    panel: OfFigures | None = None
    events: Mapping[str, OfEvents] = {}
    """By table."""
