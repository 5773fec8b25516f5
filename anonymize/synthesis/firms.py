"""Draws the tables about entities: who they are, the years that firms report, and the rows that further tables have of them.

All are dealt out within what is kept (`attributes.py`), each by its own key, so that no two lead to an owner together.
"""

from collections import Counter
from collections.abc import Sequence

import polars as pl

from anonymize.synthesis.attributes import deal, deal_into, sample_attributes
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import PERIOD, Entities, Environment, Frames, QuasiIdentifier, QuasiIdentifiers, RawTable, Role
from pipeline.model.fates import quasi_identifiers

FEWEST_OF_CATEGORY = 3
"""Firms that a category has at least to be published (threshold rule, Hundepool et al. 2012, section 4.2)."""

FEWEST = 5
"""Firms that a pattern of years has at least to be published."""

YEARS, REPORTS = "years reported", "reports figures"
"""Columns of the years that a firm reports, and whether it does at all."""

_HOME = "first table that lists it"


def patterns_of(listed: pl.DataFrame, figures: pl.DataFrame, *, code: str, industry: str) -> pl.DataFrame:
    """Return for each firm the years that it reports: code, `YEARS`, `REPORTS`.

    A pattern that too few firms have is replaced by its industry's commonest, or by the commonest of all; if none is common,
    every firm reports for all years.
    """
    of_firms = figures.group_by(code).agg(pl.col(PERIOD).sort().alias(YEARS))
    joined = listed.select(code, industry).join(of_firms, on=code, how="left", maintain_order="left")
    patterns = [tuple(years or ()) for years in joined[YEARS].to_list()]
    everywhere = Counter(patterns)
    common = {pattern for pattern, firms in everywhere.items() if firms >= FEWEST or not pattern}
    every_year = tuple(sorted(set().union(*everywhere)))
    fallback = max((p for p in common if p), key=lambda p: (everywhere[p], p), default=every_year)
    by_industry: dict[str | None, Counter[tuple[int, ...]]] = {}
    for label, pattern in zip(joined[industry], patterns, strict=True):
        if pattern in common and pattern:
            by_industry.setdefault(label, Counter())[pattern] += 1
    commonest = {label: max(found, key=lambda p: (found[p], p)) for label, found in by_industry.items()}
    kept = [
        pattern if pattern in common else commonest.get(label, fallback)
        for label, pattern in zip(joined[industry], patterns, strict=True)
    ]
    return pl.DataFrame(
        {
            code: joined[code],
            YEARS: pl.Series(kept, dtype=pl.List(pl.Int64)),
            REPORTS: [bool(pattern) for pattern in kept],
        }
    )


def drawn_entities(
    environment: Environment, kind: Entities, conformed: Frames, patterns: pl.DataFrame, key: Key
) -> dict[str, pl.DataFrame]:
    """Return a kind's tables with every attribute drawn, and in the first one `YEARS`, in all of them `REPORTS`.

    Which firms of the first table further ones list as well is dealt out with the years, and such a firm has the same
    attributes there.
    """
    code = kind.code
    first, *further = (name for name in kind.tables if name in conformed)
    lists = {name: f"listed in {name}" for name in further}
    held = conformed[first].join(patterns, on=code, how="left", maintain_order="left")
    held = held.with_columns(pl.col(code).is_in(conformed[name][code].implode()).alias(lists[name]) for name in further)
    drawn = {first: _drawn(environment, kind, first, held, [YEARS, REPORTS, *lists.values()], key.derive(first))}
    for name in further:
        again = pl.col(code).is_in(held[code].implode())
        others = conformed[name].filter(~again).with_columns(pl.lit(value=False).alias(REPORTS))
        alone = _drawn(environment, kind, name, others, [REPORTS], key.derive(name))
        shared = drawn[first].filter(pl.col(lists[name]))
        own = conformed[name].filter(again).select(code, pl.exclude(shared.columns))
        added = sample_attributes(
            own,
            QuasiIdentifiers(kept=(), dealt=tuple(QuasiIdentifier(column=each) for each in own.columns[1:])),
            targets=shared.select(code),
            strata=[],
            entity=code,
            fewest=FEWEST_OF_CATEGORY,
            key=key.derive(name, "shared"),
        )
        shared = shared.join(added, on=code).select(alone.columns)
        drawn[name] = pl.concat([alone, shared]).sort(key.mac(code))
    return drawn


def _drawn(
    environment: Environment, kind: Entities, name: str, held: pl.DataFrame, dealt: Sequence[str], key: Key
) -> pl.DataFrame:
    """Return an entity table with some columns dealt out together within what is kept, and within those every attribute."""
    code = kind.code
    marks = [column for column in dealt if column != YEARS]
    declared = quasi_identifiers(environment, name)
    around = deal(held, dealt, within=declared.kept, entity=code, key=key.derive("years"))
    targets = held.select(code, *declared.kept).join(around.select(code, *marks), on=code, maintain_order="left")
    drawn = sample_attributes(
        held,
        declared,
        targets=targets,
        strata=[*declared.kept, *marks],
        entity=code,
        fewest=FEWEST_OF_CATEGORY,
        key=key,
    )
    kept = held.select(code, pl.exclude(*drawn.columns, *dealt))
    years = around.drop(marks)
    return kept.join(drawn, on=code, maintain_order="left").join(years, on=code, maintain_order="left")


def drawn_rows(
    environment: Environment,
    kind: Entities,
    conformed: Frames,
    patterns: pl.DataFrame,
    entities: Frames,
    rows: Frames,
    key: Key,
) -> dict[str, pl.DataFrame]:
    """Deal out the rows of every further table about a kind: all those of one entity to another one of its industry.

    One that reports figures gets those of one that does. Tables of names are not dealt out: the names in them are invented.

    Args:
        environment: Declares roles and kinds.
        kind: The kind of entity.
        conformed: Conformed tables by name.
        patterns: Of `patterns_of`.
        entities: The kind's tables, of `drawn_entities`.
        rows: Tables by name, as they are dealt out so far.
        key: Key of this purpose.
    """
    first = next(iter(entities))
    strata = [*quasi_identifiers(environment, first).kept, REPORTS]
    listed = {name: conformed[name] for name in entities}
    listed[first] = listed[first].join(patterns, on=kind.code, how="left")
    sources, targets = _everybody(listed, kind.code, strata), _everybody(entities, kind.code, strata)
    dealt = {}
    for table in tables_beside(environment, kind, conformed):
        owners = sources.with_columns(pl.col(kind.code).alias("owner"))
        moved = deal_into(targets, owners, entity=kind.code, key=key.derive(table.name, "rows"))
        new = dict(moved.select("owner", kind.code).iter_rows())
        codes = pl.col(column.name for column in table.of_role(Role.CODE, of=kind.kind))
        dealt[table.name] = rows[table.name].with_columns(codes.replace(new))
    return dealt


def tables_beside(environment: Environment, kind: Entities, conformed: Frames) -> list[RawTable]:
    """Return the tables with rows about a kind, besides those that list it, give its figures or names, or are its events."""
    return [
        table
        for table in environment.raw_tables
        if table.name in conformed
        and table.name not in (*kind.tables, *environment.panel.tables)
        and table.name not in (events.table for events in environment.events)
        and table.of_role(Role.CODE, of=kind.kind)
        and not table.of_role(Role.ALIAS, of=kind.kind)
    ]


def refuse_unlisted(environment: Environment, kind: Entities, conformed: Frames) -> None:
    """Refuse rows about entities of a further kind that no table of it lists: they could be dealt out to nobody.

    Raises:
        InputError: There are such rows.
    """
    listed = pl.concat(
        [pl.Series("code", [], pl.String), *(conformed[name][kind.code] for name in kind.tables if name in conformed)]
    )
    for table in tables_beside(environment, kind, conformed):
        for column in table.of_role(Role.CODE, of=kind.kind):
            codes = conformed[table.name][column.name].drop_nulls()
            if missing := codes.filter(~codes.is_in(listed.implode())).n_unique():
                raise InputError(
                    f"{missing:,} codes in column {column.name!r} of {table.name!r} are in no table that lists {kind.called}: "
                    "the policy 'guarded' deals out what stands in their rows to others of the kind, and could not; list "
                    "them (`Entities.tables`), leave the rows out, or publish under 'lsd' and read what that is worth"
                )


def _everybody(entities: Frames, code: str, strata: Sequence[str]) -> pl.DataFrame:
    """Return every firm once, with its strata and the first table that lists it."""
    frames = [
        frame.select(
            code, *(column if column in frame.columns else pl.lit(value=False).alias(column) for column in strata)
        ).with_columns(pl.lit(name).alias(_HOME))
        for name, frame in entities.items()
    ]
    return pl.concat(frames).unique(code, keep="first", maintain_order=True)
