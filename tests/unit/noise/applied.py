"""A kind of noise applied to a few columns: a table and an environment are made for them on the spot."""

from collections import defaultdict
from dataclasses import replace

import polars as pl

from pipeline.documents.document import YamlDocument, adapter
from pipeline.documents.reading import Reader
from pipeline.keyed import Key
from pipeline.model import Environment, PublishedTable
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from tests.bare import published
from tests.unit.noise.conftest import small_environment

Texts = list[str | None]

KEY = Key(bytes(range(32)))


def table_of(rows: pl.DataFrame, name: str = "table") -> PublishedTable:
    """Return the declaration of a table of these rows, whose key is `id`."""
    return published(name, rows.columns)


def environment_of(*tables: PublishedTable) -> Environment:
    """Return the small environment with other tables."""
    return replace(small_environment(), tables=tables)


def rows_of(columns: dict[str, Texts]) -> pl.DataFrame:
    """Return rows of texts, numbered by `id`."""
    size = len(next(iter(columns.values())))
    ids = [str(row) for row in range(size)]
    return pl.DataFrame({"id": ids} | columns, schema=dict.fromkeys(("id", *columns), pl.String))


def applied(kind: Kind, *, rate: float = 1.0, table: str = "table", release: Key = KEY, **columns: Texts) -> Noised:
    """Apply one rule of a kind to a table of the given columns."""
    rows = rows_of(columns)
    declared = table_of(rows, table)
    rule = Rule(name="rule", kind=kind, tables=(table,), mechanism=CompletelyAtRandom(rate=rate))
    return apply_noise(rows, declared, NoiseSpec(environment="small", rules=(rule,)), environment_of(declared), release)


def mended(kind: Kind, frame: pl.DataFrame) -> pl.DataFrame:
    """Return what a kind makes of a noisy table by itself."""
    table = table_of(frame)
    return kind.mended(frame, table, environment_of(table), {})


def problems(kind: YamlDocument, environment: Environment) -> list[tuple[str, str]]:
    """Return the fields that are refused when a kind stands in a file, and what is allowed; any name is known."""
    written = adapter(type(kind)).dump_python(kind, mode="json", by_alias=True, exclude_none=True)
    reader = Reader(names=defaultdict(lambda: None), environment=environment)
    reader.read(type(kind), written, ())
    return [(str(problem.place[0]) if problem.place else "", problem.allowed) for problem in reader.problems]


def refused(kind: Kind, environment: Environment | None = None) -> set[str]:
    """Return the fields that a kind refuses."""
    return {field for field, _ in problems(kind, environment or small_environment())}
