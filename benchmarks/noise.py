"""Noise with its ledger: over the full environment, and beside tab_err on one table, both in this run."""

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

from anonymize.keys.release_key import DEMONSTRATION_KEY
from pipeline.model import Entities, Environment, Panel, PublishedTable
from pipeline.noise.engine import apply_noise
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.missing.values import MissingValues
from pipeline.noise.kinds.names.latin_typos import LatinTypos
from pipeline.noise.kinds.units.mismatch import UnitMismatch
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule, load_spec
from pipeline.places import default_specification
from pipeline.publish.replay import read_published
from silt.environments.registry import ENVIRONMENTS

Row = tuple[str, str, str, str]

PEERS = Path(".venv-peers/bin/python")
"""The interpreter that has tab_err (`make bench` sets it up)."""

_ROWS = 1_000_000
_REPEATS = 3
_LETTERS = dict(zip("0123456789", ("al", "be", "ca", "do", "el", "fi", "go", "ha", "is", "ju"), strict=True))


def over_the_environment(clean: Path) -> list[Row]:
    """Time specifications over all tables of a clean database of dataclaw-18, read beforehand; the best of three."""
    environment = ENVIRONMENTS["dataclaw-18"]
    tables = {
        table.name: read_published(clean / table.path, table)
        for table in environment.tables
        if table.folder == "database"
    }
    default = Path(default_specification(environment.name))
    specs = {
        "dense": Path(__file__).with_name("dense.yaml"),
        "harsh": default.with_name("harsh.yaml"),
        "noisy": default,
    }
    return [_timed(name, load_spec(path, environment), tables, environment) for name, path in specs.items()]


def beside_tab_err() -> Row:
    """Make the errors that both know on the same table at the same rates; a cell that ours changes is in its ledger.

    The mix is that of the peers' comparison: 10 % of three columns missing, 5 % of the figures in another unit, 5 % of two
    columns of text mistyped.
    """
    row = pl.int_range(_ROWS)
    table = pl.select(
        id=row.cast(pl.String),
        name=pl.format("Northern Widget Holdings {}", row % 997),
        town=pl.format("New {} on the River", (row % 61).cast(pl.String).str.replace_many(_LETTERS)),
        value=(row * 7_919 % 1_000_003 + 1).cast(pl.String),
        unit=pl.lit("yuan"),
    )
    rules = (
        _rule("gaps", MissingValues(columns=("value", "name", "town")), 0.1),
        _rule("units", UnitMismatch(unit_column="unit", value_column="value"), 0.1),  # half of the draws keep the unit
        _rule("typos", LatinTypos(columns=("name", "town"), means=("keyboard",)), 0.05),
    )
    spec, published = NoiseSpec(environment="peers", rules=rules), _PEERS.tables[0]
    ours, cells = _best(lambda: apply_noise(table, published, spec, _PEERS, DEMONSTRATION_KEY).ledger.height)
    if not PEERS.is_file():
        return (f"noise: {_ROWS:,} rows, six models", f"{ours:.3f}", "", "tab_err is not set up (make bench)")
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "table.csv"
        table.write_csv(file)
        gaps = [f"missing:{column}:0.1" for column in ("value", "name", "town")]
        errors = [*gaps, "unit:value:0.05", "typo:name:0.05", "typo:town:0.05"]
        command = [str(PEERS), str(Path(__file__).parent / "peers/tab_err.py"), str(file), *errors]
        theirs, changed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return (
        f"noise: {_ROWS:,} rows, six models, {cells:,} cells",
        f"{ours:.3f}",
        "",
        f"{float(theirs) / ours:.1f} x as fast as tab_err ({theirs[:5]} s for {int(changed):,} cells, no ledger)",
    )


def _timed(name: str, spec: NoiseSpec, tables: dict[str, pl.DataFrame], environment: Environment) -> Row:
    def applied() -> int:
        return sum(
            apply_noise(
                tables[table.name],
                table,
                spec,
                environment,
                DEMONSTRATION_KEY,
                beside={other: tables[other] for other in table.beside},
            ).ledger.height
            for table in environment.tables
            if table.name in tables
        )

    seconds, cells = _best(applied)
    rows = sum(table.height for table in tables.values())
    return (
        f"noise: {name}.yaml over {rows:,} records, {cells:,} changes",
        f"{seconds:.2f}",
        "",
        f"{cells / seconds / 1e6:.2f} million changes/s, ledger counted in",
    )


_PEERS = Environment(
    name="peers",
    title="One table",
    raw_tables=(),
    entities=Entities(
        tables=(), code="id", name="name", industry="", sub_industry="", language="en", code_mention="()"
    ),
    panel=Panel(tables=(), measures=()),
    aggregates=(),
    tables=(
        PublishedTable(
            path="table.csv",
            columns=("id", "name", "town", "value", "unit"),
            needs=(),
            render=lambda _: pl.DataFrame(),
        ),
    ),
    units={"yuan": {"yuan": 1, "10k": 10_000}},
)


def _rule(name: str, kind: Kind, rate: float) -> Rule:
    return Rule(name=name, kind=kind, tables=("table",), mechanism=CompletelyAtRandom(rate=rate))


def _best(action: Callable[[], int]) -> tuple[float, int]:
    times, result = [], 0
    for _ in range(_REPEATS):
        started = time.perf_counter()
        result = action()
        times.append(time.perf_counter() - started)
    return min(times), result
