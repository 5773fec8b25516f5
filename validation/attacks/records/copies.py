"""Copies: does any published column repeat a raw one? This attack believes no declaration.

Each published column is compared with each raw one: cell by cell among the rows of one entity, and as sets of distinctive
values. The declaration is used only afterwards, for which columns are kept; anything else is a success. Belongs here: columns.
Unchanged measures are found in `unchanged.py`, single distinctive figures in `exact.py`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain

import numpy as np
import polars as pl

from anonymize.policy import Policy
from pipeline.keyed import SEPARATOR, Key
from pipeline.model import Environment, Growth, LazyFrames, Ratio, RawTable, Role
from pipeline.model.treatments import Treatment, is_withheld, quasi_identifiers, treatments
from pipeline.numerals import number_of
from validation.attacks import Attack
from validation.attacks.records.order import code_column, evenly_spaced, streamed
from validation.laws import exceeded

CELLS, VALUES = "copied columns, cell by cell", "copied columns, as sets of values"

MOST = 0.2
"""Share of equal cells or values that two columns may have beyond chance (our choice), of the smaller one's. In a copied column
nearly all are equal; a ratio of perturbed figures equals the original in up to one in ten, depending on its size."""

FEWEST = 3
"""Smallest group for which columns dealt out within groups are compared: in smaller ones many entities get their own."""

SHOWN = 3
"""Pairs of columns that the detail names."""

FAMILY_WISE = 0.001
"""Probability that chance puts any pair of columns over `MOST`."""

DIGITS, BYTES = 4, 8
"""Smallest number of significant digits, and of bytes of a text, of a distinctive value."""

FRESH, FRESH_OF_QUOTIENT = 2, 3
"""Digits beyond the kept ones from which a perturbed figure is compared: of two digits drawn anew, one figure in a hundred
recurs. Quotients need three, under any policy."""

_ENTITIES, _ROWS = 500, 10_000
"""Entities whose cells are compared, drawn by key, and rows of a published table whose values are: enough to see a share."""

_AT_A_TIME = 500_000
"""Cells of a raw table that are looked at together."""

_LAST = 9
"""The highest last digit."""

_KNOWLEDGE = "every column of the raw tables"
_PAIR = ["published", "raw"]


def copy_attacks(
    environment: Environment,
    raw: LazyFrames,
    published: LazyFrames,
    codes: pl.DataFrame,
    *,
    policy: Policy,
    key: Key,
    reported: Collection[str] = (),
) -> list[Attack]:
    """Compare every published column with every raw one, cell by cell and as sets of values.

    A record is a pair of columns that could be compared and should differ; it is a success if more than `MOST` of the cells
    (values) of either column occur in the other, beyond chance. Chance is measured by cells of another entity of the same
    group, numbers with another last digit, dates of another week. For distinctive texts, chance gives nothing.

    Left out are raw columns that are kept, or public, and tables that only give the originals' own aggregates:
    `consistency.json` compares with these. An entity may have thousands of events, so that cells are equal by chance: of events
    only values are compared, and figures only if they are sampled; otherwise figures, times and numbers are compared event by
    event (`events.py`).

    Args:
        environment: Only says which columns are kept.
        raw: Raw tables as text.
        published: Published tables as text.
        codes: `code` and `pseudonym` of each entity, and its `group`, as text: entities of one group may be alike.
        policy: Decides which columns are kept.
        key: Draws the entities whose cells are compared.
        reported: Measures that are reported as unchanged already.
    """
    originals = list(_originals(environment, raw, policy, reported))
    return [
        _attack(CELLS, _cells(originals, published, codes, key)),
        _attack(VALUES, _values(originals, published)),
    ]


@dataclass(frozen=True, kw_only=True)
class _Original:
    """A raw table, and the columns that could be copied."""

    rows: pl.LazyFrame
    """The columns that are compared, as text, named by table and column; and `_ENTITY`, the row's code, if there is one."""
    columns: tuple[str, ...]
    """The columns that are compared."""
    has_code: bool
    cells_only: frozenset[str]
    """Columns whose values are published under other entities: only their cells are compared."""
    digits: Mapping[str, int]
    """Significant digits from which a figure is distinctive, for columns with a rule of their own."""


def _originals(
    environment: Environment, raw: LazyFrames, policy: Policy, reported: Collection[str]
) -> Iterator[_Original]:
    dealt = {column for item in quasi_identifiers(environment).dealt for column in item.columns}
    for table in environment.raw_tables:
        if table.name not in raw or is_withheld(environment, table):
            continue
        rows, code = raw[table.name], table.of_role(Role.CODE)
        left_out = {
            *reported,
            *(column.name for column in table.columns if column.public),
            *_of_events(environment, table, policy),
        }
        decided = treatments(environment, table).items()
        there = rows.collect_schema()
        compared = {name: treatment for name, treatment in decided if name in there and name not in left_out}
        cells_only = {n for n, treatment in compared.items() if treatment is Treatment.QUASI_IDENTIFIER and n in dealt}
        names = [
            n for n, treatment in compared.items() if not _is_expected(treatment, policy, is_dealt=n in cells_only)
        ]
        is_of_events = any(events.table == table.name for events in environment.events)
        has_code = bool(code) and code[0].name in there and not is_of_events
        entity = [pl.col(code[0].name).str.strip_chars().alias(_ENTITY)] if has_code else []
        yield _Original(
            rows=rows.select(*entity, *(pl.col(name).alias(_named(table, name)) for name in names)),
            columns=tuple(_named(table, name) for name in names),
            has_code=has_code,
            cells_only=frozenset(_named(table, name) for name in cells_only),
            digits=_digits(environment, table, policy),
        )


def _of_events(environment: Environment, table: RawTable, policy: Policy) -> list[str]:
    """Return the columns of a table of events that `events.py` compares."""
    is_of_events = any(events.table == table.name for events in environment.events)
    figures = () if policy.samples_records else (Role.MEASURE,)
    compared = table.of_role(*figures, Role.TIME, Role.NUMBER)
    return [column.name for column in table.columns if is_of_events and (column in compared or column.follows)]


def _is_expected(treatment: Treatment, policy: Policy, *, is_dealt: bool) -> bool:
    """Say whether a column is kept, so that the published one equals it by design."""
    if policy.samples_records:
        return treatment in {Treatment.PUBLIC, Treatment.PERIOD} or (
            treatment is Treatment.QUASI_IDENTIFIER and not is_dealt
        )
    return treatment in {
        Treatment.PUBLIC,
        Treatment.PERIOD,
        Treatment.QUASI_IDENTIFIER,
        Treatment.PROSE,
    }


def _digits(environment: Environment, table: RawTable, policy: Policy) -> dict[str, int]:
    """Return how many digits a distinctive figure must have: enough fresh ones, and more for a quotient.

    Quotients of small numbers are few (33.33 %, 66.67 %), so that equal ones, or ones with another last digit, say little.
    """
    quotients = {each.output for each in environment.panel.identities if isinstance(each, Ratio | Growth)}
    fresh = {
        measure.name: FRESH_OF_QUOTIENT if measure.name in quotients else 0 if policy.samples_records else FRESH
        for measure in environment.panel.measures
    }
    kept = {measure.name: measure.significant_digits for measure in environment.panel.measures}
    figures = [column.name for column in table.of_role(Role.MEASURE) if fresh.get(column.name)]
    return {_named(table, name): kept[name] + fresh[name] for name in figures}


def _named(table: RawTable, column: str) -> str:
    return f"{table.name}.{column}"


# ----------------------------------------------------------------------------------------------------------------------


def _cells(originals: Sequence[_Original], published: LazyFrames, codes: pl.DataFrame, key: Key) -> pl.DataFrame:
    """Count the cells of entities that equal one of their own, and those that equal one of another entity of the group."""
    # Whole groups are drawn, so that each entity can be compared with others of its group.
    drawn = codes.sort(key.mac(pl.col("group").fill_null("")), key.mac("code")).head(_ENTITIES)
    released = pl.concat(_formed(_published_cells(published, drawn, codes["pseudonym"]), "published"))
    known = _distinctive(pl.concat(_formed(_original_cells(originals, drawn), "raw")), originals)
    known = known.join(_kept_by_few(originals, drawn), on=["raw", "entity"], how="anti")
    sides = [released.select("published", "entity", "form").unique(), known.select("raw", "entity", "form").unique()]
    equal = _counted(sides[0].join(sides[1], on=["entity", "form"]), "equal")
    chance = pl.concat([sides[0].join(_moved(sides[1], drawn, by), on=["entity", "form"]) for by in (1, 2)])
    sizes = [_sizes(side, name) for side, name in zip(sides, _PAIR, strict=True)]
    return _compared(equal, _counted(chance, "by_chance"), sizes)


def _published_cells(published: LazyFrames, drawn: pl.DataFrame, codes: pl.Series) -> Iterator[pl.DataFrame]:
    for name, rows in published.items():
        code = code_column(rows, codes)
        if code is not None:
            owners = drawn.select(pl.col("pseudonym").alias(code), pl.col("code").alias(_ENTITY))
            owned = streamed(rows.filter(pl.col(code).is_in(owners[code].implode()))).join(owners, on=code)
            yield owned.select(_ENTITY, pl.exclude(_ENTITY, code).name.prefix(f"{name}."))


def _original_cells(originals: Iterable[_Original], drawn: pl.DataFrame) -> Iterator[pl.DataFrame]:
    for original in originals:
        if original.has_code:
            yield streamed(original.rows.filter(pl.col(_ENTITY).is_in(drawn["code"].implode())))


def _kept_by_few(originals: Sequence[_Original], drawn: pl.DataFrame) -> pl.DataFrame:
    """Return `raw, entity` of cells that are dealt out within a group so small that many entities get their own back."""
    columns = sorted(column for original in originals for column in original.cells_only)
    few = drawn.filter(pl.len().over("group") < FEWEST).select(entity="code")
    return pl.DataFrame({"raw": columns}, schema={"raw": pl.Categorical()}).join(few, how="cross")


def _moved(known: pl.DataFrame, drawn: pl.DataFrame, by: int) -> pl.DataFrame:
    """Give the cells of each entity to the entity `by` places further in its group; if the group is too small, in all."""
    next_one = pl.col("code").gather((pl.int_range(pl.len()) + by) % pl.len())
    others = drawn.with_columns(everywhere=next_one, in_group=next_one.over("group"))
    to = pl.when(pl.len().over("group") > by).then("in_group").otherwise("everywhere")
    return known.join(others.select(entity="code", to=to), on="entity").select("raw", "form", entity="to")


def _values(originals: Sequence[_Original], published: LazyFrames) -> pl.DataFrame:
    """Count the equal distinctive values, and those that would be equal with another last digit or week."""
    some = (evenly_spaced(rows, _ROWS).select(pl.all().name.prefix(f"{name}.")) for name, rows in published.items())
    distinctive = (cells.filter("is_distinctive").unique(["published", "form"]) for cells in _formed(some, "published"))
    released = pl.concat(_neighboured(cells).select("published", "form", "up", "down") for cells in distinctive)
    # A few raw columns after the other, of which there may be millions of values; where there is none, one without values.
    columns = chain([pl.DataFrame()], _original_values(originals))
    found = [_values_of(some, originals, released) for some in columns]
    equal, chance, sizes = (pl.concat(parts) for parts in zip(*found, strict=True))
    return _compared(equal, chance, [_sizes(released, "published"), sizes])


def _original_values(originals: Iterable[_Original]) -> Iterator[pl.DataFrame]:
    for original in originals:
        columns = [column for column in original.columns if column not in original.cells_only]
        at_a_time = max(1, _AT_A_TIME // max(1, original.rows.select(pl.len()).collect().item()))
        for first in range(0, len(columns), at_a_time):
            yield streamed(original.rows.select(columns[first : first + at_a_time]))


def _values_of(
    columns: pl.DataFrame, originals: Sequence[_Original], released: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the equal values of raw columns, those that would be equal by chance, and how many values each has."""
    values = pl.concat(cells.filter("is_distinctive") for cells in _formed([columns], "raw"))
    known = _distinctive(values, originals).select("raw", "form").unique()
    equal = _counted(released.join(known, on="form"), "equal")
    chance = pl.concat([released.join(known, left_on=moved, right_on="form").select(_PAIR) for moved in ("up", "down")])
    return equal, _counted(chance, "by_chance"), _sizes(known, "raw")


def _distinctive(known: pl.DataFrame, originals: Iterable[_Original]) -> pl.DataFrame:
    """Leave out figures with too few fresh digits."""
    least = {name: digits for original in originals for name, digits in original.digits.items()}
    return known.filter(pl.col("digits") >= pl.col("raw").replace_strict(least, default=0, return_dtype=pl.Int64))


def _counted(pairs: pl.DataFrame, name: str) -> pl.DataFrame:
    return pairs.group_by(_PAIR).agg(pl.len().cast(pl.Int64).alias(name))


def _sizes(side: pl.DataFrame, name: str) -> pl.DataFrame:
    return side.group_by(name).agg(n=pl.len().cast(pl.Int64))


def _compared(equal: pl.DataFrame, chance: pl.DataFrame, sizes: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return every pair of columns with `equal`, `n` (cells or values of the smaller column) and `chance`, a share of `n`.

    Chance comes from two trials for each cell or value, with one success and one failure added, because three values say
    nothing about chance.
    """
    pairs = sizes[0].join(sizes[1], how="cross", suffix="_raw")
    found = pairs.join(equal, on=_PAIR, how="left").join(chance, on=_PAIR, how="left")
    n, by_chance = pl.min_horizontal("n", "n_raw"), pl.col("by_chance").fill_null(0)
    return found.select(*_PAIR, pl.col("equal").fill_null(0), n=n, chance=((by_chance + 1) / (2 * n + 2)).clip(0, 1))


def _attack(name: str, pairs: pl.DataFrame) -> Attack:
    beyond = pl.col("equal") / pl.col("n") - pl.col("chance")
    suspects = pairs.filter(beyond > MOST).sort(beyond, *_PAIR, descending=True)
    equal, of, chance = (suspects[name].to_numpy() for name in ("equal", "n", "chance"))
    tails = exceeded(equal - 1, of, chance)
    over = suspects.filter(pl.Series(np.asarray(tails)) < FAMILY_WISE / max(pairs.height, 1))
    return Attack(
        attack=name, knowledge=_KNOWLEDGE, records=pairs.height, successes=over.height, detail=_in_words(over)
    )


def _in_words(over: pl.DataFrame) -> str:
    shown = [
        f"{row['published']} has {row['equal']:,} of {row['n']:,} in common with the raw {row['raw']}"
        for row in over.head(SHOWN).iter_rows(named=True)
    ]
    return f"{'; '.join(shown)}{' ...' if over.height > len(shown) else ''}." if shown else ""


# ----------------------------------------------------------------------------------------------------------------------

_ENTITY = f"entity{SEPARATOR}"

_CELL = pl.Schema({"column": pl.Categorical(), "entity": pl.String(), "text": pl.String()})


def _formed(frames: Iterable[pl.DataFrame], name: str) -> Iterator[pl.DataFrame]:
    """Yield the distinct cells that are not empty: the column's name as `name`, `entity`, and the columns of `_forms`.

    Columns of the frames are text; one is `_ENTITY`, where cells belong to entities. Frame by frame, after one without cells.
    """
    for frame in chain([pl.DataFrame()], frames):
        cells = [_column(frame, column) for column in frame.columns if column != _ENTITY]
        yield _forms(pl.concat([_CELL.to_frame(), *cells])).drop("text").rename({"column": name})


def _column(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    if _ENTITY in frame.columns:
        cells = frame.select(pl.col(_ENTITY).alias("entity"), pl.col(column).alias("text")).drop_nulls("text").unique()
    else:  # several times as fast as the distinct pairs of a text and nothing
        texts = frame[column].drop_nulls().unique()
        cells = pl.select(entity=pl.lit(None, pl.String), text=texts)
    return cells.select(pl.lit(column, pl.Categorical).alias("column"), "entity", "text")


def _forms(cells: pl.DataFrame) -> pl.DataFrame:
    """Add `form`, equal for a value however it is written, its number of `digits`, and whether it `is_distinctive`.

    The form of a number is its sign and digits, whatever its unit; of a date its day; of anything else its text.
    """
    text = pl.col("text")
    plain = pl.when(text.str.len_bytes() <= _LONGEST_NUMBER).then(text).str.replace_all(",", "", literal=True)
    is_number = number_of(plain).is_finite()
    digits = plain.str.strip_chars_start("+-").str.replace(".", "", literal=True).str.strip_chars("0")
    read = cells.with_columns(text.str.strip_chars()).with_columns(
        core=pl.when(is_number).then(digits), day=_day(text), is_negative=text.str.starts_with("-")
    )
    length = pl.col("core").str.len_bytes().cast(pl.Int64)
    return read.with_columns(
        digits=length.fill_null(_ANY),
        is_distinctive=pl.coalesce(length >= DIGITS, text.str.len_bytes() >= BYTES),
        form=pl.coalesce(_number(pl.col("core")), _of_day(pl.col("day")), text.hash(_TEXT)),
    )


_ANY = 99
"""Digits of a value that is no number: more than any limit."""

_TEXT, _NUMBER, _DAY = 1, 2, 3
"""Codes that distinguish the forms of texts, numbers and days."""

_DATES = {"%Y-%m-%d": r"^\d{4}-", "%d/%m/%Y": r"^\d+/", "%m/%d/%Y": r"^\d+/"}
"""Forms of dates, the first that fits is used, and how they begin; a date that fits two is read alike on both sides."""

_LONGEST, _LONGEST_NUMBER = 10, 100
"""Characters of the longest date, and of the longest number."""


def _day(text: pl.Expr) -> pl.Expr:
    short = pl.when(text.str.len_bytes() <= _LONGEST).then(text)
    return pl.coalesce(
        pl.when(short.str.contains(start)).then(short).str.to_date(form, strict=False) for form, start in _DATES.items()
    )


def _number(digits: pl.Expr) -> pl.Expr:
    return pl.when(digits.is_not_null()).then(pl.struct(digits.alias("core"), "is_negative").hash(_NUMBER))


def _of_day(day: pl.Expr) -> pl.Expr:
    return pl.when(day.is_not_null()).then(day.hash(_DAY))


def _neighboured(values: pl.DataFrame) -> pl.DataFrame:
    """Add the forms `up` and `down`: the number with another last digit other than 0, the day one week later or earlier."""
    whole = pl.col("core").cast(pl.Int64, strict=False)
    return values.with_columns(whole=whole, last=whole % 10).with_columns(
        pl.coalesce(
            _number((pl.col("whole") + pl.when(pl.col("last") == edge).then(far).otherwise(step)).cast(pl.String)),
            _of_day(pl.col("day") + timedelta(weeks=step)),
        ).alias(name)
        for name, edge, far, step in _STEPS
    )


_STEPS = (("up", _LAST, 1 - _LAST, 1), ("down", 1, _LAST - 1, -1))
"""How a last digit moves up and down: the digit at which it wraps, the step there, the step elsewhere."""
