"""The clean tables that a specification names, and what the specification makes of them with a key for examples."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.described.wording import in_order
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.publish.files import read_published

EXAMPLE_KEY = Key(hashlib.sha256(b"silt example key: for examples alone").digest())
"""What examples are drawn with; no build uses it."""


@dataclass(frozen=True, kw_only=True)
class NoisedTable:
    """A clean table, and what the whole specification makes of it."""

    published: PublishedTable
    environment: Environment
    spec: NoiseSpec
    clean: pl.DataFrame
    beside: Frames
    noised: Noised

    def entries(self, rule: Rule) -> pl.DataFrame:
        """Return the ledger's entries of a rule."""
        return self.noised.ledger.filter(pl.col("rule") == rule.name)

    def up_to(self, rule: Rule, *, included: bool) -> Noised:
        """Return the table after the rules that go before one on the file, or after that one as well."""
        rules = in_order(self.spec.rules)
        first = rules[: rules.index(rule) + included]
        return _noised(
            self.published, replace(self.spec, rules=tuple(first)), self.environment, self.clean, self.beside
        )


def noised_tables(
    environment: Environment,
    spec: NoiseSpec,
    database: Path,
    *,
    watch: Callable[[str], None] = lambda _how_far: None,
) -> dict[str, NoisedTable]:
    """Return by name the tables that rules name and that are there.

    Args:
        watch: Called with how far it is.

    Raises:
        InputError: There is no such folder, none of the tables is in it, or a file in it is no clean table.
    """
    if not database.is_dir():
        raw = "" if environment.corpus else " --raw FOLDER"
        build = f"silt build clean --environment {environment.argument}{raw}"
        raise InputError(
            f"no clean database at {database}; build it with `{build}`, or say where one is with --out or --data"
        )
    named = [table for table in environment.noisy_tables() if any(table.name in rule.tables for rule in spec.rules)]
    read = {table.name for table in named} | {name for table in named for name in table.beside}
    frames = {name: frame for name in read if (frame := _clean_table(environment.table(name), database)) is not None}
    if not frames.keys() & {table.name for table in named}:
        paths = ", ".join(table.path for table in named)
        raise InputError(f"{database} holds none of the tables that the rules name ({paths}); give a clean database")
    there = [table for table in named if table.name in frames]
    for table in there:
        _refuse_repeated_keys(table, frames[table.name], database)
    found = dict[str, NoisedTable]()
    for table in there:
        watch(f"adding noise to table {len(found) + 1} of {len(there)}, {table.name}")
        found[table.name] = _noised_table(table, environment, spec, frames)
    return found


def _noised_table(table: PublishedTable, environment: Environment, spec: NoiseSpec, frames: Frames) -> NoisedTable:
    clean, beside = frames[table.name], {name: frames[name] for name in table.beside if name in frames}
    noised = _noised(table, spec, environment, clean, beside)
    return NoisedTable(published=table, environment=environment, spec=spec, clean=clean, beside=beside, noised=noised)


def _clean_table(table: PublishedTable, database: Path) -> pl.DataFrame | None:
    file = database / table.path
    if not file.is_file():
        return None
    try:
        frame = read_published(file, table)
    except InputError as error:
        raise InputError(f"{file} is no published table; give the database of a clean variant") from error
    if tuple(frame.columns) != table.columns:
        raise InputError(
            f"{file}: found the columns {', '.join(frame.columns)}; declared: {', '.join(table.columns)}; "
            "give the database of a clean variant"
        )
    return frame


def _refuse_repeated_keys(table: PublishedTable, frame: pl.DataFrame, database: Path) -> None:
    keys = frame[table.row_key]
    if keys.null_count() or not keys.is_unique().all():
        file = database / table.path
        raise InputError(f"{file}: column {table.row_key!r} is not unique; give the database of a clean variant")


def _noised(
    table: PublishedTable, spec: NoiseSpec, environment: Environment, clean: pl.DataFrame, beside: Frames
) -> Noised:
    return apply_noise(clean, table, spec, environment, EXAMPLE_KEY, beside=beside)
