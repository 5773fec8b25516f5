"""The two sides that reports compare: the originals as they were conformed, and the anonymised firms."""

from typing import Any

import dagster as dg
import polars as pl

from anonymize.tables import FIGURES
from assets.keys import Stage, key
from pipeline.environment.model import Environment, Frames


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


def coded(environment: Environment, entities: tuple[pl.DataFrame, pl.DataFrame]) -> pl.DataFrame:
    """Return the originals' entities under published codes.

    Anonymising leaves the order of rows as it is; rendering takes them out of it.
    """
    return entities[0].with_columns(entities[1][environment.entities.code])
