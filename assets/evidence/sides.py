"""The two sides that reports compare: the originals as they were conformed, and the anonymised firms."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
import polars as pl

from anonymize.figures.events import published_order
from anonymize.tables import FIGURES
from assets.wiring.keys import Stage, key
from pipeline.keyed import Key
from pipeline.model import Environment, Frames


def both_sides(environment: Environment) -> dict[str, dg.AssetIn]:
    """Return inputs: the first entity table and the panel, of the originals and anonymised."""
    firms = environment.entities.tables[0]
    originals = {
        f"original_{name}": key(environment, Stage.CONFORMED, name) for name in (firms, *environment.panel.tables)
    }
    anonymised = {name: key(environment, Stage.ANONYMISED, name) for name in (firms, FIGURES)}
    return {name: dg.AssetIn(origin) for name, origin in (originals | anonymised).items()}


def sides(
    environment: Environment, tables: dict[str, Any]
) -> tuple[tuple[pl.DataFrame, pl.DataFrame], Frames, pl.DataFrame]:
    """Return the first entity table (original, anonymised), the original panel tables that are there, the figures."""
    firms = environment.entities.tables[0]
    conformed = {
        name: tables[f"original_{name}"] for name in environment.panel.tables if tables[f"original_{name}"] is not None
    }
    return (tables[f"original_{firms}"], tables[firms]), conformed, tables[FIGURES]


def both_events(environment: Environment) -> dict[str, dg.AssetIn]:
    """Return inputs: every table of events, of the originals and anonymised."""
    stages = {_THEN: Stage.CONFORMED, _NOW: Stage.ANONYMISED}
    return {
        f"{side}{events.table}": dg.AssetIn(key(environment, stage, events.table))
        for events in environment.events
        for side, stage in stages.items()
    }


def event_tables(environment: Environment, tables: Mapping[str, Any]) -> tuple[dict[str, pl.DataFrame], Frames]:
    """Return the tables of events that are there: the originals, and the anonymised ones, by name."""
    names = [events.table for events in environment.events if tables[f"{_THEN}{events.table}"] is not None]
    return {name: tables[f"{_THEN}{name}"] for name in names}, {name: tables[f"{_NOW}{name}"] for name in names}


def paired_events(
    environment: Environment, tables: Mapping[str, Any], release: Key
) -> dict[str, tuple[pl.DataFrame, pl.DataFrame]]:
    """Return the tables of events by name, original and anonymised, row i of both being the same event."""
    then, now = event_tables(environment, tables)
    return {
        name: (frame[published_order(environment.raw_table(name), frame, release)], now[name])
        for name, frame in then.items()
    }


_THEN, _NOW = "original_events__", "events__"


def coded(environment: Environment, entities: tuple[pl.DataFrame, pl.DataFrame]) -> pl.DataFrame:
    """Return the originals' entities under published codes.

    Anonymising leaves the order of rows as it is; rendering takes them out of it.
    """
    return entities[0].with_columns(entities[1][environment.entities.code])
