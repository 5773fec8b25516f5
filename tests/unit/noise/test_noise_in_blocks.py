"""Noise block by block is the noise of the whole table: rows, ledger, opportunities and the bytes of the file."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import PublishedTable
from pipeline.noise.changes import merged
from pipeline.noise.engine import NoisedBlock, needs_whole_table, noised_blocks
from pipeline.noise.kinds.files import OtherDialect, RenamedColumns
from pipeline.noise.kinds.interface import CellKind
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.ledger import as_noised, explains
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.publish.files import FileRecord, write_blocks
from tests.unit.noise.kind_case import KindCase
from tests.unit.noise.kind_cases import CASES

KEYS = st.binary(min_size=32, max_size=32).map(Key)
CUTS = st.lists(st.integers(0, 60), max_size=6).map(lambda more: [7, 19, *more])
"""Where rows are cut: first examples are the simplest, which would be no cut at all."""


def cut(rows: pl.DataFrame, cuts: list[int]) -> list[pl.DataFrame]:
    """Return the rows as blocks that begin at some places; blocks may be empty."""
    places = [0, *sorted(min(place, rows.height) for place in cuts), rows.height]
    return [rows[start:stop] for start, stop in pairwise(places)]


def published(blocks: Sequence[NoisedBlock], table: PublishedTable) -> tuple[FileRecord, bytes]:
    """Return the file that is written block after block, and its bytes."""
    with TemporaryDirectory() as folder:
        declared = as_noised(table, blocks[0].changes.ledger)
        record = write_blocks((block.frame for block in blocks), declared, Path(folder))
        return record, (Path(folder) / record.path).read_bytes()


def assert_equal_in_blocks(case: KindCase, spec: NoiseSpec, key: Key, cuts: list[int]) -> None:
    """Compare the table in one block with the same in several, those beside it cut as well."""
    table = case.published
    beside = {name: cut(rows, cuts[1:]) for name, rows in case.beside.items()}
    (whole,) = noised_blocks(case.rows, table, spec, case.environment, key, beside=case.beside)
    blocks = list(noised_blocks(cut(case.rows, cuts), table, spec, case.environment, key, beside=beside))
    changes = merged([block.changes for block in blocks])
    assert_frame_equal(pl.concat([block.clean for block in blocks]), case.rows)
    assert_frame_equal(pl.concat([block.frame for block in blocks]), whole.frame)
    assert_frame_equal(changes.ledger, whole.changes.ledger)
    assert_frame_equal(changes.opportunities, whole.changes.opportunities)
    assert published(blocks, table) == published([whole], table)
    assert all(explains(block.changes.ledger, block.clean, block.frame, table) for block in blocks)
    assert len(blocks) == (1 if needs_whole_table(table, spec) else len(cuts) + 1)


@pytest.mark.parametrize("case", CASES, ids=str)
@settings(max_examples=2)
@given(key=KEYS, cuts=CUTS, rate=st.sampled_from([0.4, 1.0]))
def test_every_kind_is_the_same_in_blocks(case: KindCase, key: Key, cuts: list[int], rate: float) -> None:
    """Wherever the table and those beside it are cut: a kind that could not bear it says that it needs the whole table."""
    rule = Rule(name="rule", kind=case.kind, tables=(case.published.name,), mechanism=CompletelyAtRandom(rate=rate))
    assert_equal_in_blocks(case, NoiseSpec(environment=case.environment.name, rules=(rule,)), key, cuts)


OF_EACH = {type(case.kind): case for case in CASES if isinstance(case.kind, CellKind)}
"""One case of each kind on cells."""


@pytest.mark.parametrize("case", OF_EACH.values(), ids=str)
@settings(max_examples=1)
@given(key=KEYS, cuts=CUTS)
def test_rules_in_turn_are_the_same_in_blocks(case: KindCase, key: Key, cuts: list[int]) -> None:
    """Each rule's entries stand behind those of the rule before, whichever block they come from; so do those of the file."""
    table, column = case.published, case.published.columns[-1]
    kinds = (case.kind, MissingValues(columns=(column,)), case.kind, RenamedColumns(names={column: "another header"}))
    rules = tuple(
        Rule(name=str(place), kind=kind, tables=(table.name,), mechanism=CompletelyAtRandom(rate=0.5))
        for place, kind in enumerate((*kinds, OtherDialect(quote="all")))
    )
    assert_equal_in_blocks(case, NoiseSpec(environment=case.environment.name, rules=rules), key, cuts)


@pytest.mark.parametrize("first", [0, 5, 19])
def test_a_cell_in_the_way_is_found_in_its_line(first: int) -> None:
    """The line that an error names is that of the file, in whichever block it is."""
    case = next(case for case in CASES if isinstance(case.kind, MissingValues))
    table, column = case.published, case.published.columns[-1]
    is_here = pl.int_range(pl.len()) == first
    rows = case.rows.with_columns(pl.when(is_here).then(pl.lit("NULL")).otherwise(column).alias(column))
    rule = Rule(
        name="null", kind=OtherDialect(null_text="NULL"), tables=(table.name,), mechanism=CompletelyAtRandom(rate=1.0)
    )
    spec = NoiseSpec(environment=case.environment.name, rules=(rule,))
    with pytest.raises(InputError, match=rf"{table.path}\D+{first + 2}\b"):
        list(noised_blocks(cut(rows, [3, 5, 11]), table, spec, case.environment, Key(bytes(32))))
