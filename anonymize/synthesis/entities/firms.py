"""Draws the tables about entities: who they are, the years that firms report, and which further tables list them.

Known to everybody are which table lists an entity first, and its industry. All else is drawn from noised counts
(`categories.py`), each by its own key, so that no two lead to an owner together. What further tables say of entities belongs to
`rows.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt

import polars as pl

from anonymize.policy import UNDER_LSD
from anonymize.synthesis.entities.attributes import sample_attributes
from anonymize.synthesis.entities.categories import (
    MOST_OF_CATEGORIES,
    SENSITIVITY,
    WEIGHT,
    Allowance,
    Categories,
    counted,
    draw_categories,
    passing,
    threshold,
)
from pipeline.errors import GateError, InputError
from pipeline.keyed import SEPARATOR, Key
from pipeline.model import PERIOD, Entities, Environment, Frames, QuasiIdentifier, QuasiIdentifiers, Role
from pipeline.model.treatments import Treatment, quasi_identifiers, treatments

YEARS, REPORTS = "years reported", "reports figures"
"""Columns of the years that a firm reports, and whether it does at all."""

_PATTERN = f"{SEPARATOR}pattern"
_BLANK = ""
"""The pattern of a firm that does not report."""

_MOST_YEARS = 4096
"""A panel has fewer periods."""

_OF_YEARS = 0.25
"""Part of what an attribute spends that goes to counts of firms in each year, where no pattern of years is common."""

_MOST_GAINED = 3.0
"""Standard deviations of noise by which a count gains under one key of 740."""


@dataclass(frozen=True, kw_only=True)
class Purpose:
    """What entities of a kind are drawn with."""

    environment: Environment
    kind: Entities
    allowance: Allowance
    key: Key

    @property
    def code(self) -> str:
        """Return the column that identifies them."""
        return self.kind.code


def too_few(rho: float, years: int) -> str:
    """Return that firms are too few, how many are enough, and whether a larger budget helps.

    Args:
        rho: What an attribute may spend.
        years: As many as a firm reports at most.
    """
    budget = "fewer with a larger --budget, BUDGET" if rho < MOST_OF_CATEGORIES else "a larger budget does not help"
    return f"too few firms for 'guarded'; about {firms_enough(rho, years):,} are enough (an estimate; {budget})"


def firms_enough(rho: float, years: int) -> int:
    """Return about how many firms are enough for the years of all to pass, each by itself."""
    sigma = SENSITIVITY / sqrt(2 * _OF_YEARS * rho)
    return ceil(threshold(sigma, _MOST_YEARS) * sqrt(max(years, 1)))


def patterns_of(listed: pl.DataFrame, figures: pl.DataFrame, *, code: str) -> pl.DataFrame:
    """Return for each listed firm the years that it reports: code, `YEARS`, `REPORTS`."""
    of_firms = figures.group_by(code).agg(pl.col(PERIOD).sort().alias(YEARS))
    years = listed.select(code).join(of_firms, on=code, how="left", maintain_order="left")
    return years.with_columns(pl.col(YEARS).fill_null([])).with_columns((pl.col(YEARS).list.len() > 0).alias(REPORTS))


def drawn_entities(purpose: Purpose, conformed: Frames, patterns: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return a kind's tables with every attribute drawn, `YEARS` and `REPORTS`.

    Which firms of the first table further ones list as well is drawn with the years, and such a firm has the same attributes
    there. A firm that further tables alone list reports nothing.

    Args:
        patterns: Of `patterns_of`, for the first table.
    """
    code = purpose.code
    first, *further = (name for name in purpose.kind.tables if name in conformed)
    lists = [f"listed in {name}" for name in further]
    held = (
        conformed[first]
        .join(patterns, on=code, how="left", maintain_order="left")
        .with_columns(
            pl.col(code).is_in(conformed[name][code].implode()).alias(mark)
            for name, mark in zip(further, lists, strict=True)
        )
    )
    drawn = {first: _drawn(purpose, first, held, _with_years(purpose, first, held, lists), [REPORTS, *lists])}
    for name, mark in zip(further, lists, strict=True):
        again = pl.col(code).is_in(held[code].implode())
        others = conformed[name].filter(~again)
        alone = _drawn(purpose, name, others, _silent(_kept(purpose, name, others)), [])
        shared = drawn[first].filter(pl.col(mark))
        added = _with_own_columns(purpose, name, conformed[name].filter(again), shared, held.height)
        drawn[name] = pl.concat([alone, added.select(alone.columns)]).sort(purpose.key.derive(name).mac(code))
    return drawn


def unsaid(environment: Environment, table: str, schema: pl.Schema, code: str) -> list[pl.Expr]:
    """Return the columns of which nothing is drawn: null, but for names, which the code stands for until they are invented."""
    names = {column.name for column in environment.raw_table(table).of_role(Role.NAME)}
    return [
        (pl.col(code) if column in names else pl.lit(None)).cast(dtype).alias(column)
        for column, dtype in schema.items()
    ]


def _kept(purpose: Purpose, table: str, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(purpose.code, *quasi_identifiers(purpose.environment, table).kept)


def _silent(entities: pl.DataFrame) -> pl.DataFrame:
    return entities.with_columns(pl.lit([], pl.List(pl.Int64)).alias(YEARS), pl.lit(value=False).alias(REPORTS))


def _with_years(purpose: Purpose, table: str, held: pl.DataFrame, lists: Sequence[str]) -> pl.DataFrame:
    """Return the entities with what is kept, `YEARS`, `REPORTS` and the marks of further tables, drawn together.

    A pattern that does not pass is nobody's. If too few firms have one that does, every firm that reports does so for the years
    that pass by themselves.
    """
    has_figures = bool(purpose.environment.panel) and not purpose.kind.kind
    targets = _kept(purpose, table, held)
    columns = [*([_PATTERN] if has_figures else []), *lists]
    if not columns:
        return _silent(targets)
    pattern = pl.col(YEARS).cast(pl.List(pl.String)).list.join(",").alias(_PATTERN)
    originals = held.with_columns(pattern, pl.lit(1.0).alias(WEIGHT))
    of = Categories(
        name=f"{table}: years and tables",
        columns=tuple(columns),
        within=tuple(targets.columns[1:]),
        leaves_blank=False,
    )
    drawn = _draw(purpose, of, originals, targets, 0.5)
    if not has_figures:
        return _silent(drawn).with_columns(pl.col(lists).fill_null(value=False))
    every = ""
    if drawn[_PATTERN].fill_null(_BLANK).eq(_BLANK).all():
        every = ",".join(map(str, _common_years(purpose, held, of)))
        same = pl.when(pl.col(REPORTS)).then(pl.lit(every)).otherwise(pl.lit(_BLANK)).alias(_PATTERN)
        again = replace(of, name=f"{of.name}, in common years")
        drawn = _draw(purpose, again, originals.with_columns(same), targets, 0.25)
    filled = drawn.with_columns(pl.col(_PATTERN).fill_null(every), pl.col(lists).fill_null(value=False))
    years = pl.col(_PATTERN).str.split(",").list.eval(pl.element().filter(pl.element() != _BLANK))
    return filled.with_columns(
        years.cast(pl.List(pl.Int64)).alias(YEARS), (pl.col(_PATTERN) != _BLANK).alias(REPORTS)
    ).drop(_PATTERN)


def _draw(
    purpose: Purpose, of: Categories, originals: pl.DataFrame, targets: pl.DataFrame, share: float
) -> pl.DataFrame:
    part = replace(purpose.allowance, rho=purpose.allowance.rho * share, cells=originals.height)
    return draw_categories(of, originals, targets, part, entity=[purpose.code], key=purpose.key)[0]


def _common_years(purpose: Purpose, held: pl.DataFrame, patterns: Categories) -> list[int]:
    """Return the years that pass by themselves, of which a firm's contribution has a norm of 1.

    Args:
        patterns: What was drawn before, and is nobody's.

    Raises:
        InputError: There are none, under hardly any key.
        GateError: There are none under this one, whose noise decides.
    """
    each = held.filter(REPORTS).with_columns((1 / pl.col(YEARS).list.len().sqrt()).alias(WEIGHT))
    counts = counted(each.explode(YEARS).select(YEARS, WEIGHT), [YEARS])
    part = replace(purpose.allowance, cells=_MOST_YEARS)
    years = passing(part, "years", counts, _OF_YEARS * purpose.allowance.rho)[YEARS].to_list()
    if not years:
        raise _no_year(part, each, counts, patterns)
    return years


def _no_year(
    allowance: Allowance, reporting: pl.DataFrame, counts: pl.DataFrame, patterns: Categories
) -> GateError | InputError:
    """Return why no year passes: a refusal where some other key may pass one, or a pattern of years."""
    alike = reporting.group_by(YEARS, *patterns.columns[1:]).len()
    known = {line.statistic: line for line in allowance.account.lines}
    tried = ((known[patterns.name], alike), (known["years"], counts))
    is_drawn = any(
        max(counted[counted.columns[-1]], default=0) + _MOST_GAINED * line.sigma > threshold(line.sigma, line.numbers)
        for line, counted in tried
    )
    another = (
        "As the last resort another key may let one pass, by chance" if is_drawn else "Hardly any key lets one pass"
    )
    message = (
        f"{too_few(allowance.rho, max(reporting[YEARS].list.len(), default=1))}. No year is reported by so many that their "
        f"number stands out from its noise. Give more firms (attacks may ask for still more), or {UNDER_LSD}. {another}"
    )
    return GateError(message, is_drawn=True) if is_drawn else InputError(message)


def _drawn(
    purpose: Purpose, table: str, held: pl.DataFrame, targets: pl.DataFrame, marks: Sequence[str]
) -> pl.DataFrame:
    """Return an entity table with every attribute drawn, and what of its columns stays."""
    code, kind = purpose.code, purpose.kind
    drawn = sample_attributes(
        held,
        quasi_identifiers(purpose.environment, table),
        targets=targets,
        marks=marks,
        nested=kind.sub_industry if kind.sub_industry != kind.industry else "",
        called=table,
        allowance=replace(purpose.allowance, cells=held.height),
        key=purpose.key.derive(table),
    )
    return held.select(code, pl.exclude(drawn.columns)).join(drawn, on=code, maintain_order="left")


def _with_own_columns(
    purpose: Purpose, table: str, listed: pl.DataFrame, shared: pl.DataFrame, entities: int
) -> pl.DataFrame:
    """Return the entities of the first table that a further one lists as well, with the columns that it alone has."""
    own = [column for column in listed.columns if column not in shared.columns]
    decided = treatments(purpose.environment, purpose.environment.raw_table(table))
    published = [
        column
        for column in own
        if decided.get(column) in {Treatment.QUASI_IDENTIFIER, Treatment.DATE, Treatment.PUBLIC}
    ]
    drawn = sample_attributes(
        listed,
        QuasiIdentifiers(kept=(), dealt=tuple(QuasiIdentifier(column=column) for column in published)),
        targets=shared.select(purpose.code),
        called=f"{table}, of those listed before",
        allowance=replace(purpose.allowance, cells=entities),
        key=purpose.key.derive(table, "shared"),
    )
    left = pl.Schema({column: listed.schema[column] for column in own if column not in published})
    nothing = unsaid(purpose.environment, table, left, purpose.code)
    return shared.join(drawn, on=purpose.code, maintain_order="left").with_columns(nothing)
