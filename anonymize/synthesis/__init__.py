"""Records that are sampled, not masked: what `guarded` publishes of firms.

A published firm has the industry of its owner, and nothing else of it. Only statistics pass from the originals to the release:
the model (`model.py`: distributions by industry and year, correlations over all, effects of categories) and the counts of
attributes by industry (`attributes.py`). Who reports for which years, what is zero or missing, which identities hold: all are
drawn (`sampling.py`).

Related: Gaussian copulas on margins (Kamthe et al. 2021; SDV's GaussianCopula), NORTA (Cario and Nelson 1997), data shuffling
(Muralidhar and Sarathy 2006), of which only the use of ranks is left: here no order of originals enters, and no value.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from anonymize.synthesis.attributes import deal, deal_into, sample_attributes
from anonymize.synthesis.marginal import FEWEST
from anonymize.synthesis.model import FEWEST_OF_POOL, Model, fit_model
from anonymize.synthesis.sampling import Drawn, sample_figures
from pipeline.environment.model import PERIOD, Environment, Frames, QuasiIdentifier, QuasiIdentifiers, Role
from pipeline.keyed import Key

FEWEST_OF_CATEGORY = 3
"""Firms that a category has at least to be published (threshold rule, Hundepool et al. 2012, section 4.2)."""

_YEARS, _REPORTS = "years reported", "reports figures"


@dataclass(frozen=True, kw_only=True)
class Synthesis:
    """Sampled records, under the codes of the originals, to which they have no other relation."""

    entities: Mapping[str, pl.DataFrame]
    """Entity tables: the code, and every attribute and date drawn; the originals' other columns."""
    drawn: Drawn
    rows: Mapping[str, pl.DataFrame]
    """Further tables about firms: the originals' rows, dealt out to other firms."""
    model: Model


def synthesise(environment: Environment, conformed: Frames, originals: pl.DataFrame, key: Key) -> Synthesis:
    """Sample the records of every firm.

    Args:
        environment: Declares roles, panel and quasi-identifiers.
        conformed: Conformed tables by name.
        originals: The panel: code, year, measures.
        key: Release key.

    Raises:
        InputError: There are too few firms with figures.
    """
    keys, purpose = environment.entities, key.derive("synthesis")
    figures = _in_common_years(originals)
    tables = [conformed[name] for name in keys.tables if name in conformed]
    patterns = _patterns(tables[0], figures, code=keys.code, industry=keys.industry)
    entities = {
        name: _entities(environment, name, conformed[name], patterns, purpose.derive(name))
        for name in keys.tables
        if name in conformed
    }
    listed = tables[0].join(patterns, on=keys.code).filter(pl.col(_REPORTS))
    attributes = [item.column for item in declared_for(environment, keys.tables[0], tables[0]).told]
    attributes = [column for column in attributes if listed.schema[column] != pl.Date]
    model = fit_model(
        figures, environment.panel, code=keys.code, industry=keys.industry, firms=listed, attributes=attributes
    )
    firms = entities[keys.tables[0]].filter(pl.col(_REPORTS)).rename({_YEARS: "years"})
    drawn = sample_figures(
        model.noised(purpose.derive("noise")),
        firms,
        environment.panel,
        code=keys.code,
        industry=keys.industry,
        key=purpose.derive("figures"),
    )
    return Synthesis(
        entities={name: frame.drop(_YEARS, _REPORTS) for name, frame in entities.items()},
        drawn=drawn,
        rows=_rows(environment, conformed, entities[keys.tables[0]], purpose),
        model=model,
    )


def declared_for(environment: Environment, table: str, frame: pl.DataFrame) -> QuasiIdentifiers:
    """Return the declared quasi-identifiers, and after them every other attribute and date of an entity table."""
    declared = environment.quasi_identifiers or QuasiIdentifiers(kept=(environment.entities.industry,), told=())
    roles = {column.name: column.role for column in environment.raw_table(table).columns}
    others = [
        column
        for column in frame.columns
        if column not in declared.columns
        and roles.get(column, Role.ATTRIBUTE) in {Role.ATTRIBUTE, Role.DATE, Role.MEASURE}
    ]
    return QuasiIdentifiers(
        kept=declared.kept, told=(*declared.told, *(QuasiIdentifier(column=column) for column in others))
    )


def _in_common_years(figures: pl.DataFrame) -> pl.DataFrame:
    """Leave out the years that too few firms report: no statistic of them can be published."""
    return figures.filter(pl.len().over(PERIOD) >= FEWEST_OF_POOL)


def _patterns(listed: pl.DataFrame, figures: pl.DataFrame, *, code: str, industry: str) -> pl.DataFrame:
    """Return for each firm the years that it reports: `code`, `years reported`, `reports figures`.

    A pattern that too few firms have is replaced by its industry's commonest, or by the commonest of all.
    """
    of_firms = figures.group_by(code).agg(pl.col(PERIOD).sort().alias(_YEARS))
    joined = listed.select(code, industry).join(of_firms, on=code, how="left", maintain_order="left")
    patterns = [tuple(years or ()) for years in joined[_YEARS].to_list()]
    everywhere = Counter(patterns)
    common = {pattern for pattern, firms in everywhere.items() if firms >= FEWEST or not pattern}
    fallback = max((p for p in common if p), key=lambda p: (everywhere[p], p), default=max(everywhere, default=()))
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
            _YEARS: pl.Series(kept, dtype=pl.List(pl.Int64)),
            _REPORTS: [bool(pattern) for pattern in kept],
        }
    )


def _entities(
    environment: Environment, name: str, frame: pl.DataFrame, patterns: pl.DataFrame, key: Key
) -> pl.DataFrame:
    """Return an entity table with every attribute drawn, and which years are reported, dealt out within industries."""
    code = environment.entities.code
    declared = declared_for(environment, name, frame)
    held = frame.join(patterns, on=code, how="left", maintain_order="left").with_columns(
        pl.col(_REPORTS).fill_null(value=False)
    )
    years = deal(held, [_YEARS, _REPORTS], within=declared.kept, entity=code, key=key.derive("years"))
    strata = [*declared.kept, _REPORTS]
    targets = frame.select(code, *declared.kept).join(years.select(code, _REPORTS), on=code, maintain_order="left")
    drawn = sample_attributes(
        held, declared, targets=targets, strata=strata, entity=code, fewest=FEWEST_OF_CATEGORY, key=key
    )
    kept = frame.drop([column for column in drawn.columns if column in frame.columns and column != code])
    return kept.join(drawn, on=code, maintain_order="left").join(years.select(code, _YEARS), on=code)


def _rows(environment: Environment, conformed: Frames, firms: pl.DataFrame, key: Key) -> dict[str, pl.DataFrame]:
    """Deal out the rows of every further table about firms, all those of one firm to another one of its industry."""
    keys = environment.entities
    others = {
        table.name: [column.name for column in table.of_role(Role.CODE)]
        for table in environment.raw_tables
        if table.name in conformed
        and table.name not in (*keys.tables, *environment.panel.tables)
        and not table.of_role(Role.ALIAS)
    }
    dealt = {}
    for name, codes in others.items():
        if codes:
            frame, code = conformed[name], codes[0]
            original = firms.select(pl.col(keys.code), keys.industry)
            moved = deal_into(
                original,
                original.with_columns(pl.col(keys.code).alias("owner")),
                entity=keys.code,
                key=key.derive(name, "rows"),
            )
            dealt[name] = (
                frame.rename({code: "owner"})
                .join(moved.rename({keys.code: code}), on="owner", how="left", maintain_order="left")
                .with_columns(pl.coalesce(code, "owner").alias(code))
                .select(frame.columns)
            )
    return dealt
