"""Tables of figures: the panel by entity and period, events of any time, aggregates, and other derived tables."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from pipeline.errors import InputError
from pipeline.model.measures import Formula, Identity, Measure, Product, Ratio, Sum, Total, refuse_unordered
from pipeline.model.periods import YEARS, Frequency, Period

Frames = Mapping[str, pl.DataFrame]
"""Tables by name."""

LazyFrames = Mapping[str, pl.LazyFrame]
"""Lazy tables by name: only what is asked for is read."""


def lazy(frames: Frames) -> dict[str, pl.LazyFrame]:
    """Return tables in memory as lazy tables."""
    return {name: frame.lazy() for name, frame in frames.items()}


PERIOD = "year"
"""The column of every panel and aggregate that holds the period (Int64): a year, or what `periods.py` counts."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Rows of figures, and the identities that bind the figures of a row."""

    measures: tuple[Measure, ...] = ()
    identities: tuple[Identity, ...] = ()

    def __post_init__(self) -> None:
        refuse_unordered(self.identities, {measure.name for measure in self.measures})

    def __bool__(self) -> bool:
        return bool(self.measures)

    def measure(self, name: str) -> Measure:
        """Return the measure of that name."""
        return next(measure for measure in self.measures if measure.name == name)


_NAMES_OF_AGGREGATES = """
    additive aggregate anonymised breakdown cell count decimals is_hidden is_total largest len line magnitude mantissa max
    mean measure min n offset original reason sample scale statistic sum total twice_median value
"""


TAKEN_BY_AGGREGATES = frozenset(_NAMES_OF_AGGREGATES.split())
"""Columns of aggregates and of tables made from them. No code or group column may have one of these names."""


@dataclass(frozen=True, kw_only=True)
class Panel(Measured):
    """The figures: one wide row for each entity and period, spread over one or more raw tables of the same measures.

    The defaults declare that there are no figures.
    """

    tables: tuple[str, ...] = ()
    period: Period = YEARS
    known: tuple[tuple[str, ...], ...] = ()
    """Sets of measures that an outsider may know, from annual reports for example; each is tried in a linkage attack."""
    may_stay: frozenset[str] | None = None
    """Measures whose figures may stay what they were under `lsd`, though an entity is alone in its period by them. Any other
    such figure moves by one unit of its last decimal, and an attack counts what is left. None: all may, as in the paper."""

    def __post_init__(self) -> None:
        if unknown := sorted((self.may_stay or frozenset()) - {measure.name for measure in self.measures}):
            raise InputError(f"`may_stay` of the panel names {', '.join(unknown)}: none of its measures")
        if self.tables and not self.measures:
            raise InputError(
                f"the panel of {', '.join(self.tables)} has no measures; leave it out where there are no figures"
            )
        super().__post_init__()

    def moves(self, measure: str) -> bool:
        """Say whether a figure moves that an entity alone has in its period."""
        return self.may_stay is not None and measure not in self.may_stay

    @property
    def totals(self) -> tuple[Total, ...]:
        """Return the measures that are totals over events."""
        return tuple(identity for identity in self.identities if isinstance(identity, Total))

    @property
    def without_events(self) -> "Panel":
        """Return the panel with the identities that hold within it: without the totals over events."""
        return replace(self, identities=tuple(each for each in self.identities if not isinstance(each, Total)))


@dataclass(frozen=True, kw_only=True)
class Events(Measured):
    """Records of entities that can come at any time: flights, payments, filings. One raw table has one row for each event.

    The raw table's key names a row; its times and numbers are the columns of roles `TIME` and `NUMBER`. Identities bind figures
    of one row.
    """

    table: str
    entity: str
    """Column with the code of the entity."""
    time: str = ""
    """Column of the time that decides to which period an event belongs; empty if there is none."""
    stay_within: Frequency | None = None
    """The period that an event stays in when its time is moved: a time pushed out at one end comes in at the other. None: a
    time may leave every period, and all events of an entity keep their order."""
    sums: tuple[Total, ...] = ()
    """Measures that are counts or sums over the rows of another table of events that refer to this row: an order's total over
    its lines. Where one held in the originals, it is computed from the published rows. No sums over sums."""
    may_stay: frozenset[str] = frozenset()
    """Measures that may keep their values even in rows that are unique by them, weekday and hour. No attack counts them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        named = self.may_stay | {total.output for total in self.sums}
        if unknown := sorted(named - {measure.name for measure in self.measures}):
            raise InputError(f"`may_stay` or `sums` of {self.table!r} name {', '.join(unknown)}: none of its measures")
        of_rows = Sum | Ratio | Product | Formula
        for identity in self.identities:
            if not isinstance(identity, of_rows):
                raise InputError(
                    f"the identity of {identity.output!r} in {self.table!r} looks beyond the row of an event"
                )
        if self.stay_within in ("week", "day"):
            raise InputError(f"events of {self.table!r} cannot be moved by whole weeks within a {self.stay_within}")


@dataclass(frozen=True, kw_only=True)
class GivenAggregate:
    """A wide raw table of the same statistics, by the publisher of the originals. It is compared with, but never published."""

    table: str
    by: Mapping[str, str]
    """Column of the aggregate -> column of the raw table."""
    statistics: tuple[tuple[str, str, str], ...]
    """Measure, statistic and the raw column (of type float) that holds it."""


@dataclass(frozen=True, kw_only=True)
class Aggregate:
    """A table of statistics and counts over groups of entities. It is always computed from the anonymised entities."""

    name: str
    by: tuple[str, ...]
    """Columns of the first entity table that make the groups."""
    domain: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Values of a `by` column: these groups exist even if they are empty, and there are no statistics for others."""
    total_over: str = ""
    """The `by` column over which a total is taken as well, if any."""
    total_label: str = ""
    """The value of that column in rows of the total."""
    years: tuple[int, ...] | None = None
    """Years that it covers; every year of the panel if None."""
    counts: tuple[tuple[str, ...], ...] = ()
    """Breakdowns by which the entities of each group are counted, `()` being the group itself."""
    members: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda entities: entities
    """Selects the rows of the entity table that are counted."""
    given: GivenAggregate | None = None

    @property
    def counts_name(self) -> str:
        """Return the name of the table of counts."""
        return f"{self.name}_counts"

    def __post_init__(self) -> None:
        for column in (*self.by, *(column for breakdown in self.counts for column in breakdown)):
            refuse_taken(f"aggregate {self.name!r}", column, TAKEN_BY_AGGREGATES)

    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables that it gives: statistics, and counts if any are declared."""
        return (self.name, self.counts_name) if self.counts else (self.name,)


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """A further table that is computed from anonymised tables, as counts of policies are from texts of policies."""

    name: str
    needs: tuple[str, ...]
    derive: Callable[[Frames], pl.DataFrame]


def refuse_taken(where: str, name: str, taken: Collection[str]) -> None:
    """Refuse a name of a column or table that Silt uses itself."""
    if name in taken:
        raise InputError(
            f"{where}: {name!r} is what Silt calls a column or a table of its own; give it another name in the raw table "
            f"and in the declaration. Taken: {', '.join(sorted(taken))}"
        )
