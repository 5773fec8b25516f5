"""Records that are sampled, not masked: what `guarded` publishes of firms, and of entities of further kinds.

A published firm has the industry of its owner, and nothing else of it. Only statistics pass from the originals to the release:
of figures (`statistics.py`: shapes of columns, location and spread by industry, correlations over all), and noised counts of
attributes, years and rows (`entities/categories.py`). All stand in an account (`account.py`). What is zero or missing and
which identities hold is drawn (`sampling.py`), and so are events, how many there are and what stands in each (`events/`).

Related: Gaussian copulas on margins (Kamthe et al. 2021; SDV's GaussianCopula), NORTA (Cario and Nelson 1997), data shuffling
(Muralidhar and Sarathy 2006), of which only the use of ranks is left: here no order of originals enters, and no value.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from anonymize.synthesis.account import BudgetAccount
from anonymize.synthesis.entities.categories import Allowance
from anonymize.synthesis.entities.firms import REPORTS, YEARS, Purpose, drawn_entities, patterns_of
from anonymize.synthesis.entities.rows import drawn_rows, refuse_unlisted
from anonymize.synthesis.events import ListedEntities, SampledEvents, sample_events
from anonymize.synthesis.model import understood
from anonymize.synthesis.needs import refuse_unmet
from anonymize.synthesis.records import records_of
from anonymize.synthesis.sampling import Drawn, sample_figures
from anonymize.synthesis.spending import spending, spent_on_an_attribute
from anonymize.synthesis.statistics import Statistics, grains_of, noised_statistics
from pipeline.keyed import Key
from pipeline.model import PERIOD, Entities, Environment, Frames
from pipeline.model.identities import with_totals

__all__ = ["Synthesis", "synthesise"]


@dataclass(frozen=True, kw_only=True)
class Synthesis:
    """Sampled records, under the codes of the originals, to which they have no other relation."""

    entities: Mapping[str, pl.DataFrame]
    """Entity tables of every kind: the code, and every attribute and date drawn; the originals' other columns."""
    drawn: Drawn
    rows: Mapping[str, pl.DataFrame]
    """Further tables about entities, every row drawn."""
    events: Mapping[str, SampledEvents]
    """Tables of events."""
    statistics: Statistics | None
    """Of the panel; None where no figures are declared."""
    account: BudgetAccount
    """What of the originals the release knows."""

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """Return all that takes the place of a conformed table but for the panel."""
        events = {name: each.rows for name, each in self.events.items()}
        return {**self.entities, **self.rows, **events}


def synthesise(
    environment: Environment,
    conformed: Frames,
    originals: pl.DataFrame,
    key: Key,
    *,
    budget: float,
    again: Synthesis | None = None,
    account: BudgetAccount | None = None,
) -> Synthesis:
    """Sample the records of every entity.

    Args:
        originals: The panel: code, year, measures.
        key: Release key.
        budget: What all statistics may spend together (rho).
        again: What was sampled before: then these are other draws from the same statistics.
        account: What statistics pass through, if not one with noise of this key.

    Raises:
        GateError: The noise of this key lets no year pass.
        InputError: There are too few firms with figures, rows about entities of a further kind that no table lists, or
            events that cannot be sampled (`events/`).
    """
    purpose = key.derive("synthesis")
    refuse_unmet(environment, conformed, originals, budget=budget)
    account = account or BudgetAccount(budget=budget, key=purpose.derive("noise", _digest(environment, conformed)))
    purpose = purpose.derive("again") if again else purpose
    spends = spending(environment, conformed, budget)
    rho = spent_on_an_attribute(environment, conformed, budget)
    allowance = Allowance(account=account, rho=rho, cells=0)
    kinds = _listed_kinds(environment, conformed)
    drawn = [_of_kind(environment, kind, conformed, originals, purpose, allowance) for kind in kinds]
    entities = {name: frame.select(conformed[name].columns) for each in drawn for name, frame in each.entities.items()}
    rows: dict[str, pl.DataFrame] = {}
    for each in drawn:
        rows |= drawn_rows(each.purpose, conformed, each.patterns, each.entities)
    figures = with_totals(_in_drawn_years(originals, drawn[0].entities), environment, conformed)
    statistics = (
        again.statistics if again else _statistics(environment, conformed, figures, account, spends.get("panel", 0.0))
    )
    return Synthesis(
        entities=entities,
        drawn=_figures(environment, figures, drawn[0], statistics),
        rows=rows,
        events=_events(environment, conformed, drawn, account, spends.get("events", 0.0)),
        statistics=statistics,
        account=account,
    )


def _events(
    environment: Environment, conformed: Frames, drawn: Sequence["_OfKind"], account: BudgetAccount, rho: float
) -> dict[str, SampledEvents]:
    """Sample every table of events that is there, each for so much of the budget."""
    of_kind = {each.kind.kind: each for each in drawn}
    sampled = {}
    for events in environment.events:
        if events.table in conformed:
            of = of_kind[environment.kind_of_events(events).kind]
            purpose, listed = of.purpose.key.derive("events", events.table), _listed(of, conformed)
            sampled[events.table] = sample_events(
                environment, events, conformed, listed, purpose, account=account, rho=rho
            )
    return sampled


def _listed(of: "_OfKind", conformed: Frames) -> ListedEntities:
    """Return the entities of a kind on both sides."""
    code = of.kind.code
    first = next(iter(of.entities))
    originals = {name: conformed[name] for name in of.entities}
    originals[first] = originals[first].join(of.patterns, on=code, how="left", maintain_order="left")
    every, drawn = (_every(side, of.kind) for side in (originals, of.entities))
    return ListedEntities(kind=of.kind, originals=every, drawn=drawn)


def _every(tables: Frames, kind: Entities) -> pl.DataFrame:
    """Return every entity once: code, industry, the years that it reports, and whether it reports."""
    columns = pl.Schema(
        {kind.code: pl.String(), kind.industry: pl.String(), YEARS: pl.List(pl.Int64()), REPORTS: pl.Boolean()}
    )
    frames = [
        frame.select(
            (pl.col(name) if name in frame.columns else pl.lit(None)).cast(dtype).alias(name)
            for name, dtype in columns.items()
        ).with_columns(pl.col(REPORTS).fill_null(value=False), pl.col(YEARS).fill_null([]))
        for frame in tables.values()
    ]
    return pl.concat(frames).unique(kind.code, keep="first", maintain_order=True).sort(kind.code)


@dataclass(frozen=True, kw_only=True)
class _OfKind:
    """What is drawn of one kind of entity."""

    purpose: Purpose
    patterns: pl.DataFrame
    """The years that each entity reports, of the originals and of those that are drawn."""
    entities: dict[str, pl.DataFrame]
    """Its tables, of `drawn_entities`."""

    @property
    def kind(self) -> Entities:
        """Return the kind."""
        return self.purpose.kind


def _listed_kinds(environment: Environment, conformed: Frames) -> list[Entities]:
    """Return the kinds that a table lists, the main one first; refuse rows about others."""
    for kind in environment.further:
        refuse_unlisted(environment, kind, conformed)
    return [kind for kind in environment.kinds if any(name in conformed for name in kind.tables)]


def _of_kind(
    environment: Environment,
    kind: Entities,
    conformed: Frames,
    originals: pl.DataFrame,
    key: Key,
    allowance: Allowance,
) -> _OfKind:
    key = key.derive("kind", kind.kind) if kind.kind else key
    purpose = Purpose(environment=environment, kind=kind, allowance=allowance, key=key)
    first = next(conformed[name] for name in kind.tables if name in conformed)
    reported = originals.clear().rename({environment.entities.code: kind.code}) if kind.kind else originals
    entities = drawn_entities(purpose, conformed, patterns_of(first, reported, code=kind.code))
    patterns = patterns_of(first, _in_drawn_years(reported, entities), code=kind.code)
    return _OfKind(purpose=purpose, patterns=patterns, entities=entities)


def _statistics(
    environment: Environment, conformed: Frames, figures: pl.DataFrame, account: BudgetAccount, rho: float
) -> Statistics | None:
    """Take the statistics of the panel; none where no figures are declared."""
    kind, panel = environment.entities, environment.panel
    if not panel:
        return None
    entities = conformed[kind.tables[0]]
    records = records_of(figures, panel, entities=entities, code=kind.code, industry=kind.industry)
    return noised_statistics(records, grains_of(panel), account, rho=rho)


def _figures(environment: Environment, figures: pl.DataFrame, main: _OfKind, statistics: Statistics | None) -> Drawn:
    """Draw every figure; nothing where no figures are declared."""
    if statistics is None:
        return Drawn(figures=figures.clear(), broken=pl.DataFrame(), missing=pl.DataFrame())
    kind = main.kind
    return sample_figures(
        understood(statistics),
        main.entities[kind.tables[0]].filter(pl.col(REPORTS)).rename({YEARS: "years"}),
        environment.panel,
        key=main.purpose.key.derive("figures"),
        code=kind.code,
        industry=kind.industry,
    )


def _digest(environment: Environment, conformed: Frames) -> str:
    """Return a digest of the originals, whatever the order of their rows.

    Noise is another one where they are others: two releases under one key would differ in what differs in them otherwise.
    """
    digest = hashlib.sha256()
    for table in environment.raw_tables:
        if table.name in conformed:
            digest.update(conformed[table.name].sort(pl.all()).write_csv().encode())
    return digest.hexdigest()


def _in_drawn_years(figures: pl.DataFrame, entities: Frames) -> pl.DataFrame:
    """Leave out the years that no drawn firm reports: too few of the originals do."""
    years = next(iter(entities.values()))[YEARS].explode().unique()
    return figures.filter(pl.col(PERIOD).is_in(years.implode()))
