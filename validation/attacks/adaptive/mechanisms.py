"""The policies' own mechanisms as callables, for adaptive attackers, who know the code and lack only the key."""

from functools import partial

import polars as pl

from anonymize.policy import Policy
from anonymize.synthesis import synthesise
from anonymize.tables import anonymised_figures, original_figures, sampled_figures
from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from pipeline.model.budget import Budget
from validation.attacks.adaptive.populations import CODE, AttackedRelease, Make, Population, population_of


def mechanism(environment: Environment, conformed: Frames, policy: Policy, *, budget: float | None = None) -> Make:
    """Return a function that makes a policy's release of any of the originals' firms, under any key.

    Args:
        budget: What the statistics of sampled records spend (rho); if None, what the environment declares, or the default.
    """
    spent = (environment.budget or Budget()).of_a_release if budget is None else budget
    made = partial(_sampled, budget=spent) if policy.samples_records else _perturbed

    def make(population: Population, key: Key) -> AttackedRelease:
        tables = _of_firms(environment, conformed, population)
        entities, figures = made(environment, tables, key)
        firms = population.entities.select(CODE, published=key.derive("codes").mac(CODE))
        truth = dict(firms.iter_rows())
        code = environment.entities.code
        renamed = (frame.with_columns(pl.col(code).replace_strict(truth)) for frame in (entities, figures))
        return AttackedRelease(population=population_of(environment, *renamed), truth=truth)

    return make


def _sampled(environment: Environment, tables: Frames, key: Key, *, budget: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    sampled = synthesise(environment, tables, original_figures(environment, tables), key, budget=budget)
    return sampled.entities[environment.entities.tables[0]], sampled_figures(environment, sampled, key).figures


def _perturbed(environment: Environment, tables: Frames, key: Key) -> tuple[pl.DataFrame, pl.DataFrame]:
    return tables[environment.entities.tables[0]], anonymised_figures(environment, tables, key).figures


def _of_firms(environment: Environment, conformed: Frames, population: Population) -> dict[str, pl.DataFrame]:
    """Return the first entity table, the panel's tables and the events in its totals, with the rows of these firms only."""
    keys, codes = environment.entities, population.entities[CODE].implode()
    columns = dict.fromkeys((keys.tables[0], *environment.panel.tables), keys.code)
    columns |= {total.events: environment.events_of(total.events).entity for total in environment.panel.totals}
    return {
        name: conformed[name].filter(pl.col(column).is_in(codes))
        for name, column in columns.items()
        if name in conformed
    }
