"""Records that are sampled, not masked: what `guarded` publishes of firms.

A published firm has the industry of its owner, and nothing else of it. Only statistics pass from the originals to the release:
the model (`model.py`: distributions by industry and year, correlations over all, effects of categories) and the counts of
attributes by industry (`attributes.py`). Who reports for which years, what is zero or missing, which identities hold: all are
drawn (`sampling.py`).

Related: Gaussian copulas on margins (Kamthe et al. 2021; SDV's GaussianCopula), NORTA (Cario and Nelson 1997), data shuffling
(Muralidhar and Sarathy 2006), of which only the use of ranks is left: here no order of originals enters, and no value.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from anonymize.synthesis.firms import (
    FEWEST_OF_CATEGORY,
    REPORTS,
    YEARS,
    drawn_entities,
    drawn_rows,
    patterns_of,
)
from anonymize.synthesis.model import FEWEST_OF_POOL, Model, fit_model
from anonymize.synthesis.sampling import Drawn, sample_figures
from pipeline.environment.fates import quasi_identifiers
from pipeline.environment.model import PERIOD, Environment, Frames
from pipeline.errors import InputError
from pipeline.keyed import Key

__all__ = ["FEWEST_OF_CATEGORY", "Synthesis", "refuse_events", "synthesise"]


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
    if figures[keys.code].n_unique() < FEWEST_OF_POOL:
        raise InputError(
            f"{originals[keys.code].n_unique()} firms report figures: the policy 'guarded' samples records of years that "
            f"enough firms report, from statistics of {FEWEST_OF_POOL} firms or more; give more firms, or publish under 'lsd' "
            "and read what that is worth"
        )
    tables = [conformed[name] for name in keys.tables if name in conformed]
    patterns = patterns_of(tables[0], figures, code=keys.code, industry=keys.industry)
    entities = drawn_entities(environment, conformed, patterns, purpose)
    listed = tables[0].join(patterns, on=keys.code).filter(pl.col(REPORTS))
    attributes = [item.column for item in quasi_identifiers(environment).told]
    attributes = [column for column in attributes if listed.schema[column] != pl.Date]
    model = fit_model(
        figures, environment.panel, code=keys.code, industry=keys.industry, firms=listed, attributes=attributes
    )
    firms = entities[keys.tables[0]].filter(pl.col(REPORTS)).rename({YEARS: "years"})
    drawn = sample_figures(
        model.noised(purpose.derive("noise")),
        firms,
        environment.panel,
        code=keys.code,
        industry=keys.industry,
        key=purpose.derive("figures"),
    )
    return Synthesis(
        entities={name: frame.select(conformed[name].columns) for name, frame in entities.items()},
        drawn=drawn,
        rows=drawn_rows(environment, conformed, patterns, entities, purpose),
        model=model,
    )


def refuse_events(environment: Environment) -> None:
    """Refuse an environment with events: their rows would be the originals', which the policy promises they are not."""
    if environment.events:
        tables = ", ".join(repr(events.table) for events in environment.events)
        raise InputError(
            f"the policy 'guarded' samples what it publishes of entities, and cannot sample events yet ({tables}); leave these "
            "tables out of the declaration, or publish under 'lsd' and read what that is worth"
        )


def _in_common_years(figures: pl.DataFrame) -> pl.DataFrame:
    """Leave out the years that too few firms report: no statistic of them can be published."""
    return figures.filter(pl.len().over(PERIOD) >= FEWEST_OF_POOL)
