"""The sides that reports compare: a reference, what is published, and that with noise.

The reference is the originals as they were conformed. Where records are sampled, published reports have another one: fresh
draws from the same statistics. The same comparisons with the originals are then made once more, for the curator.

A published record is found again by the identity map: by its code, and the period or the key of an event. In which order rows
lie in either table makes no difference.
"""

from collections.abc import Iterable, Iterator

import polars as pl

from anonymize.figures.events import moved, published_order
from anonymize.pseudonyms import codes_of
from anonymize.tables import FIGURES, original_figures
from assets.making.keys import ATTRIBUTES, CODES, FRESH_ATTRIBUTES, FRESH_FIGURES, Place, Stage, eligible, fresh
from assets.making.parameters import KEY, POLICY
from assets.making.results import Result
from assets.making.step import Run
from assets.wiring.gates import ELSEWHERE, verdict
from pipeline.keyed import SEPARATOR
from pipeline.model import Entities, Environment, Events, Frames, Role
from validation.pair import Side

_MADE_ANEW = (Role.DATE, Role.NAME, Role.ALIAS, Role.TEXT)
"""Roles of columns by whose originals a published row is not found."""


def of_both_sides(environment: Environment, *, with_events: bool = True) -> list[Place]:
    """Return what is read of both sides: entities and their attributes, the panel, events, and the map of codes between them.

    No names, and no texts: what is made of these is waited for by nothing that is about figures alone.
    """
    events = [events.table for events in environment.events if with_events]
    return [
        *of_originals(environment, with_events=with_events),
        *((Stage.ANONYMISED, name) for name in (FIGURES, *events)),
        *((Stage.IDENTITY, name) for name in (ATTRIBUTES, CODES, FRESH_FIGURES, FRESH_ATTRIBUTES, *map(fresh, events))),
    ]


def of_originals(environment: Environment, *, with_events: bool = True) -> list[Place]:
    """Return what is read of the originals."""
    firms, events = environment.entities.tables[0], [events.table for events in environment.events if with_events]
    return [(Stage.CONFORMED, name) for name in (firms, *environment.panel.tables, *events)]


def both_sides(run: Run, *, is_fresh: bool) -> tuple[Side, Side]:
    """Return firms and figures: the reference and what is published, without names.

    Originals are under their own codes, fresh draws under the published ones.
    """
    published = Side(entities=run.read(Stage.IDENTITY, ATTRIBUTES), figures=run.read(Stage.ANONYMISED, FIGURES))
    if is_fresh:
        entities, figures = (run.read(Stage.IDENTITY, name) for name in (FRESH_ATTRIBUTES, FRESH_FIGURES))
        return Side(entities=entities, figures=figures), published
    environment = run.environment
    firms = environment.entities.tables[0]
    panel = run.frames(Stage.CONFORMED, environment.panel.tables)
    return Side(entities=run.read(Stage.CONFORMED, firms), figures=original_figures(environment, panel)), published


def is_compared_with_fresh(run: Run, stage: str) -> bool:
    """Say whether a report of a stage compares with fresh draws: one that is published of sampled records does."""
    return stage == Stage.REPORTS and run.use(POLICY).samples_records


def absent(run: Run, stage: str, name: str, checks: Iterable[str]) -> Iterator[Result]:
    """Yield the outcome of a report of the curator's that is not made, since the published one compares with the originals."""
    elsewhere = {ELSEWHERE: "in the published reports, which compare with the originals"}
    yield run.made(stage, name, None, elsewhere)
    yield from (verdict(check, is_passed=True, facts=elsewhere) for check in checks)


def is_absent(run: Run, stage: str) -> bool:
    """Say whether a report of a stage is not made: the curator's, where no records are sampled."""
    return stage == Stage.CURATOR and not run.use(POLICY).samples_records


def published_codes(run: Run, kind: Entities) -> dict[str, str]:
    """Return original code -> pseudonym of a kind of entity."""
    return codes_of(run.unseal(Stage.IDENTITY, CODES), kind)


def both_events(run: Run, *, is_fresh: bool) -> tuple[Frames, Frames]:
    """Return the tables of events that are there, by name: of the reference, and the published ones."""
    names = [events.table for events in run.environment.events]
    if is_fresh:
        found = {name: run.read(Stage.IDENTITY, fresh(name)) for name in names}
        then = {name: frame for name, frame in found.items() if frame is not None}
    else:
        then = run.frames(Stage.CONFORMED, names)
    return then, run.frames(Stage.ANONYMISED, then)


def paired_events(run: Run, *, is_fresh: bool = False) -> tuple[Frames, Frames]:
    """Return the tables of events as `both_events` does, row i of both being the same event; sampled ones as they lie."""
    then, now = both_events(run, is_fresh=is_fresh)
    if run.use(POLICY).samples_records:  # none of them is anybody's
        return then, now
    pairs = {name: _paired(run, run.environment.events_of(name), then[name], now[name]) for name in then}
    return {name: first for name, (first, _) in pairs.items()}, {name: second for name, (_, second) in pairs.items()}


def of_noise(environment: Environment) -> list[Place]:
    """Return what is read of noise: tables without and with it, the ledger, and how many cells each rule could change."""
    names = [table.name for table in environment.noisy_tables()]
    places = [(stage, name) for stage in (Stage.RENDERED, Stage.NOISY, Stage.LEDGER) for name in names]
    return [*places, *((Stage.LEDGER, eligible(name)) for name in names)]


def opportunities(run: Run) -> pl.DataFrame:
    """Return how many cells of all tables each rule could change."""
    names = [eligible(table.name) for table in run.environment.noisy_tables()]
    return pl.concat(run.frames(Stage.LEDGER, names).values())


def _paired(run: Run, events: Events, then: pl.DataFrame, now: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Pair events by what names them: codes by the map, times and numbers as the key moves and draws them."""
    environment, key = run.environment, run.use(KEY)
    table = environment.raw_table(events.table)
    then = then[published_order(table, then, key)]
    expected = moved(events, table, then, key).with_columns(
        pl.col(column.name).replace_strict(published_codes(run, environment.kind(column.of)), return_dtype=pl.String)
        for column in table.of_role(Role.CODE)
    )
    unknown = {column.name for column in table.of_role(*_MADE_ANEW)} | set(expected.columns) - set(now.columns)
    by = [name for name in dict.fromkeys((events.entity, *table.key)) if name not in unknown]
    # Where part of the key is not published, what is left of it may name several events of one entity: those keep their order.
    nth = pl.int_range(pl.len()).over(by).alias(_NTH)
    first, second = (frame.select(*by, nth) for frame in (expected, now))
    places = first.join(
        second.with_row_index(_PLACE), on=[*by, _NTH], how="left", nulls_equal=True, maintain_order="left"
    )
    return then, now[places[_PLACE]]


_NTH, _PLACE = f"{SEPARATOR}nth", f"{SEPARATOR}place"
"""Columns beside those of raw tables, whose headers may be any others."""
