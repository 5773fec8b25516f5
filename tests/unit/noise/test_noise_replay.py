"""Clean files plus ledger give the noisy ones, noisy plus ledger the clean ones, byte for byte, with noise on every level."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Dialect, Environment, PublishedTable
from pipeline.noise.engine import apply_noise
from pipeline.noise.kinds.decoys import DecoyRows
from pipeline.noise.kinds.files import (
    LongToWide,
    MergedColumns,
    OtherDialect,
    RenamedColumns,
    ReorderedColumns,
    SplitColumns,
)
from pipeline.noise.kinds.interface import FileKind, Kind
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.rows import DroppedRows, DuplicateRows, ReorderedRows
from pipeline.noise.ledger import as_noised, explains
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.publish.files import write_table
from pipeline.publish.replay import Direction, transform
from tests.unit.noise.cases_rows import ENVIRONMENT, POLICIES, ROWS

KINDS: dict[str, tuple[Kind, ...]] = {
    "figures": (
        MissingValues(columns=("value",)),
        ReorderedRows(order="shuffled"),
        DuplicateRows(alter={"measure": "case"}, place="anywhere"),
        DroppedRows(),
        DecoyRows(keys=("firm",), id_offset=100),
        RenamedColumns(names={"id": 'the "id"', "firm": "企业"}),
        SplitColumns(column="unit", layout="{day}/{rest}"),
        MergedColumns(columns=("measure", "value"), into="figure", separator=" | "),
        ReorderedColumns(),
        OtherDialect(quote="all", null_text="NULL"),
    ),
    "policies": (LongToWide(keys=("firm",), names="id", values="agencies"),),
}
QUOTED = replace(
    ENVIRONMENT, tables=tuple(replace(table, dialect=Dialect(quote="non_empty")) for table in ENVIRONMENT.tables)
)


@pytest.fixture(params=[ENVIRONMENT, QUOTED], ids=["minimal", "non-empty"])
def declared(request: pytest.FixtureRequest) -> Environment:
    """Give the environment, with tables declared in either dialect."""
    assert isinstance(request.param, Environment)
    return request.param


@pytest.mark.parametrize("kind", KINDS["figures"], ids=lambda kind: type(kind).__name__)
def test_a_ledger_that_lacks_a_text_explains_nothing(kind: Kind, key: Key) -> None:
    """Of columns that are gone, replay needs no text; undo does, and says that the ledger is not of this table."""
    table, rows = ENVIRONMENT.tables[0], ROWS
    rule = Rule(name="rule", kind=kind, tables=(table.name,), mechanism=CompletelyAtRandom(rate=_rate(kind)))
    noised = apply_noise(rows, table, NoiseSpec(environment="small", rules=(rule,)), ENVIRONMENT, key)
    assert explains(noised.ledger, rows, noised.frame, table)
    for side in ("before", "after"):
        for number in (noised.ledger[side] != "").arg_true():
            emptied = pl.when(pl.int_range(pl.len()) != number).then(pl.col(side)).otherwise(pl.lit(""))
            assert not explains(noised.ledger.with_columns(emptied.alias(side)), rows, noised.frame, table)


@pytest.fixture
def build(declared: Environment, key: Key, tmp_path: Path) -> Path:
    """Write both variants, and the ledger, as a build does."""
    ledgers = []
    for table, rows in zip(declared.tables, (ROWS, POLICIES), strict=True):
        rules = tuple(
            Rule(name=str(number), kind=kind, tables=(table.name,), mechanism=CompletelyAtRandom(rate=_rate(kind)))
            for number, kind in enumerate(KINDS[table.name])
        )
        noised = apply_noise(rows, table, NoiseSpec(environment="small", rules=rules), declared, key)
        ledgers.append(noised.ledger)
        write_table(rows, table, tmp_path / "clean")
        write_table(noised.frame, as_noised(table, noised.ledger), tmp_path / "noisy")
    pl.concat(ledgers).write_parquet(tmp_path / "ledger.parquet")
    return tmp_path


def _rate(kind: Kind) -> float:
    return 1.0 if isinstance(kind, FileKind) else 0.4


def contents(folder: Path, tables: tuple[PublishedTable, ...]) -> dict[str, bytes]:
    """Return the bytes of every table."""
    return {table.path: (folder / "database" / table.path).read_bytes() for table in tables}


@pytest.mark.parametrize(("direction", "start", "end"), [("replay", "clean", "noisy"), ("undo", "noisy", "clean")])
def test_files_are_transformed_byte_for_byte(
    direction: Direction, start: str, end: str, build: Path, declared: Environment
) -> None:
    """Rows added, dropped and moved, columns renamed, split, merged and moved, long made wide, another dialect."""
    transform(declared, build / start, build / "ledger.parquet", build / "made", direction=direction)
    assert contents(build / "made", declared.tables) == contents(build / end, declared.tables)
    assert contents(build / "clean", declared.tables) != contents(build / "noisy", declared.tables)


def test_files_of_another_environment_are_refused(build: Path, declared: Environment) -> None:
    """What is not this environment's would be copied as it is: the manifest tells, or the ledger, or the files."""
    other = replace(declared, name="other", tables=tuple(replace(t, path=f"other/{t.path}") for t in declared.tables))
    renamed = replace(declared, tables=tuple(replace(t, path=f"{Path(t.path).stem}s.csv") for t in declared.tables))
    (build / "clean/manifest.json").write_text('{"environment": "small"}', encoding="utf-8")
    for environment, says in (
        (replace(declared, name="other"), r"is of environment 'small', and not of 'other': .*--environment"),
        (other, r"is of environment 'small', and not of 'other'"),
    ):
        with pytest.raises(InputError, match=says):
            transform(environment, build / "clean", build / "ledger.parquet", build / "made", direction="replay")
    (build / "clean/manifest.json").unlink()
    with pytest.raises(InputError, match=r"the ledger is of tables .*, and not of"):
        transform(renamed, build / "clean", build / "ledger.parquet", build / "made", direction="replay")
    with pytest.raises(InputError, match=r"has other tables, and not of"):
        transform(other, build / "clean", build / "ledger.parquet", build / "made", direction="replay")
    assert not (build / "made").exists()


@pytest.mark.parametrize(("direction", "start"), [("undo", "clean"), ("replay", "noisy")])
def test_the_wrong_side_is_refused(direction: Direction, start: str, build: Path, declared: Environment) -> None:
    """Undoing what has no noise, or making noise twice, is refused, and nothing is made."""
    with pytest.raises(InputError, match=r"ledger is not of this table 'figures'|in the noise ledger"):
        transform(declared, build / start, build / "ledger.parquet", build / "made", direction=direction)
    assert not (build / "made").exists()
