"""Noise with its ledger: over the full environment, and beside tab_err on one table, both in this run."""

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

from anonymize.release_key import DEMONSTRATION_KEY
from pipeline.environment.model import Entities, Environment, Panel, PublishedTable
from pipeline.environment.registry import ENVIRONMENTS
from pipeline.noise.engine import apply_noise
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.missing_values import MissingValues
from pipeline.noise.kinds.names_latin_typos import LatinTypos
from pipeline.noise.kinds.names_wrong_category import WrongCategory
from pipeline.noise.kinds.unit_mismatch import UnitMismatch
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule, load_spec
from pipeline.places import default_specification
from pipeline.replay import read_published

Row = tuple[str, str, str, str]

PEERS = Path(".venv-peers/bin/python")
"""The interpreter that has tab_err (`make bench` sets it up)."""

_ROWS = 1_000_000
_REPEATS = 3
_CATEGORIES = ("steel", "coal", "paper", "glass")


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
    """Make the errors that both know on the same table at the same rates; a cell that ours changes is in its ledger."""
    names = pl.format("Northern Widget Holdings {}", pl.int_range(_ROWS) % 997)
    category = (pl.int_range(_ROWS) % len(_CATEGORIES)).replace_strict(dict(enumerate(_CATEGORIES)))
    value = (pl.int_range(_ROWS) * 7_919 % 1_000_003 + 1).cast(pl.String)
    table = pl.select(pl.int_range(_ROWS).cast(pl.String).alias("id"), name=names, category=category, value=value)
    table = table.with_columns(unit=pl.lit("yuan"))
    rules = (
        _rule("gaps of figures", MissingValues(columns=("value",)), 0.1),
        _rule("units", UnitMismatch(unit_column="unit", value_column="value"), 0.1),  # half of the draws keep the unit
        _rule("typos", LatinTypos(columns=("name",), means=("keyboard",)), 0.05),
        _rule("gaps of names", MissingValues(columns=("name",)), 0.1),
        _rule("categories", WrongCategory(columns=("category",), values=_CATEGORIES), 0.05),
    )
    spec, published = NoiseSpec(environment="peers", rules=rules), _PEERS.tables[0]
    ours, cells = _best(lambda: apply_noise(table, published, spec, _PEERS, DEMONSTRATION_KEY).ledger.height)
    if not PEERS.is_file():
        return (f"noise: {_ROWS:,} rows, five kinds", f"{ours:.3f}", "", "tab_err is not set up (make bench)")
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "table.csv"
        table.write_csv(file)
        errors = [
            "missing:value:0.1",
            "unit:value:0.05",
            "typo:name:0.05",
            "missing:name:0.1",
            "category:category:0.05",
        ]
        command = [str(PEERS), str(Path(__file__).with_name("tab_err_peer.py")), str(file), *errors]
        theirs, changed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return (
        f"noise: {_ROWS:,} rows, five kinds, {cells:,} cells",
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
            columns=("id", "name", "category", "value", "unit"),
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
