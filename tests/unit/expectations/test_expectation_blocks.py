"""Tables that are judged block by block: whatever the blocks, findings are those of the whole table."""

from dataclasses import asdict, replace

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.noise.engine import apply_noise
from pipeline.noise.kinds.files import RenamedColumns
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.rows import DroppedRows, DuplicateRows
from pipeline.noise.mechanisms import AtRandom
from pipeline.noise.spec import NoiseSpec
from tests.unit.expectations.guild_tables import DUES, ENVIRONMENT, FACTS, KEY, clean_tables, rule
from tests.unit.expectations.test_expectation_observing import SUITE, TEXTS
from validation.expectations.deviations import Deviation, deviations
from validation.expectations.judging import NoisyTable, clean_table, noisy_table
from validation.expectations.observing import are_apart, ends_of, observed

SIZE = 60
CLEAN = {"guilds": clean_tables()["guilds"], "dues": clean_tables()["dues"].head(SIZE)}
REFERRED = {("guilds", "code"): CLEAN["guilds"]["code"]}
BY_NOTE = AtRandom(column="note", rates={"late": 0.5}, otherwise=0.1)
SPECS = {
    "cells": [rule(MissingValues(columns=("value",)), BY_NOTE, "gaps")],
    "cells after cells": [
        rule(MissingValues(columns=("value", "note")), 0.4),
        rule(MissingValues(columns=("value",)), BY_NOTE, "gaps"),
    ],
    "rows": [rule(DroppedRows(), BY_NOTE, "gone"), rule(DuplicateRows(id_offset=10), 0.2, "twice")],
    "file": [rule(RenamedColumns(names={"value": "amount"}), 1.0, "renamed")],
}

cuts = st.lists(st.integers(0, SIZE), max_size=6).map(sorted)
cells = st.lists(
    st.tuples(*[st.one_of(st.none(), st.sampled_from(TEXTS), st.integers(0, 40).map(str))] * 2), max_size=SIZE
)


def cut(table: pl.DataFrame, at: list[int]) -> list[pl.DataFrame]:
    """Return a table as blocks, some maybe without rows."""
    return [table[start:end] for start, end in zip([0, *at], [*at, table.height], strict=True)]


def shown(table: pl.DataFrame | list[pl.DataFrame]) -> list[dict[str, object]]:
    """Return what Great Expectations is told of a table."""
    return [{name: value for name, value in seen.items() if name != "ends"} for seen in observed(SUITE, table)]


@given(rows=cells, at=cuts)
@example(rows=[(str(number), str(number % 7)) for number in range(SIZE)], at=[10, 10, 40])
@example(rows=[(str(number), None) for number in (1, 2, 3, 3, 4, 5)], at=[3])
def test_blocks_show_what_the_table_shows(rows: list[tuple[str | None, str | None]], at: list[int]) -> None:
    """Every count, bound and unexpected value; of texts that are hardly numbers, repeated within blocks or across."""
    table = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    assert shown(cut(table, at)) == shown(table)


@given(blocks=st.lists(st.lists(st.sampled_from([*TEXTS, "3", "12", "9007199254740993", "9007199254740992"]))))
def test_parts_that_are_apart_repeat_nothing(blocks: list[list[str]]) -> None:
    """It may be unknown whether a text stands twice; if it is said that none does, it is so."""
    if are_apart([ends_of(pl.Series(block, dtype=pl.String)) for block in blocks]):
        texts = [text for block in blocks for text in block]
        assert len(set(texts)) == len(texts)


def test_numbers_in_order_are_known_to_be_apart() -> None:
    """So rows that are counted through need never be held together."""
    assert are_apart([ends_of(pl.Series(map(str, range(start, start + 10)))) for start in range(1, 50, 10)])


@settings(max_examples=10)
@given(clean_at=cuts, noisy_at=cuts, what=st.sampled_from(sorted(SPECS)))
def test_a_noisy_table_is_judged_in_blocks_as_it_is_whole(clean_at: list[int], noisy_at: list[int], what: str) -> None:
    """Rows, rates, deviations, verdicts and the page; the sides need not be cut alike."""
    spec = NoiseSpec(environment=ENVIRONMENT.name, rules=tuple(SPECS[what]))
    result = apply_noise(CLEAN["dues"], DUES, spec, ENVIRONMENT, KEY)
    judged = [
        noisy_table(
            ENVIRONMENT, spec, DUES, NoisyTable(rows, result.ledger, result.opportunities), clean, KEY, alpha=1e-3
        )
        for rows, clean in (
            (result.frame, CLEAN),
            (cut(result.frame, noisy_at), {name: cut(table, clean_at) for name, table in CLEAN.items()}),
        )
    ]
    assert asdict(judged[0]) == asdict(judged[1])


@settings(max_examples=10)
@given(
    at=cuts, row=st.integers(0, SIZE - 1), column=st.sampled_from(DUES.columns), text=st.sampled_from(["7", "x", None])
)
def test_a_clean_table_is_judged_in_blocks_as_it_is_whole(
    at: list[int], row: int, column: str, text: str | None
) -> None:
    """Also with a cell that is wrong, or that stands in another block, too."""
    damaged = CLEAN | {"dues": CLEAN["dues"].with_columns(CLEAN["dues"][column].clone().scatter(row, text))}
    blocks = {name: cut(table, at) for name, table in damaged.items()}
    whole, parts = (clean_table(ENVIRONMENT, DUES, tables, entities=50, found=()) for tables in (damaged, blocks))
    assert asdict(whole) == asdict(parts)


@given(
    clean_at=cuts,
    noisy_at=cuts,
    damage=st.lists(
        st.tuples(st.integers(0, SIZE - 1), st.sampled_from(DUES.columns), st.sampled_from(["7", "x", None])),
        max_size=12,
    ),
)
def test_deviations_of_blocks_are_those_of_the_table(
    clean_at: list[int], noisy_at: list[int], damage: list[tuple[int, str, str | None]]
) -> None:
    """Counts and the first row keys, also of ids that stand twice, and of rows that are others."""
    noisy = CLEAN["dues"]
    for row, column, text in damage:
        noisy = noisy.with_columns(noisy[column].clone().scatter(row, text))
    assert found(noisy, CLEAN["dues"]) == found(cut(noisy, noisy_at), cut(CLEAN["dues"], clean_at))


def test_a_value_that_a_rule_repeats_is_no_deviation() -> None:
    """Neither where it was changed, nor where it stood before; without the ledger, both are."""
    noisy = CLEAN["dues"].with_columns(CLEAN["dues"]["year"].clone().scatter(7, "1403"))
    entry = {"table": "dues", "row_key": "8", "column": "year", "rule": "misread", "before": "1407", "after": "1403"}
    explained, unexplained = found(noisy, CLEAN["dues"], entry), found(noisy, CLEAN["dues"])
    assert explained is not None
    assert unexplained is not None
    years = [{each.column: each for each in side}["year"] for side in (explained, unexplained)]
    assert [(year.deviating, year.breaking, year.row_keys) for year in years] == [(1, 2, ()), (1, 2, ("8", "4"))]


def found(
    noisy: pl.DataFrame | list[pl.DataFrame], clean: pl.DataFrame | list[pl.DataFrame], *entries: dict[str, str]
) -> tuple[Deviation, ...] | None:
    """Return the deviations of `dues` with a ledger; None if the rows are others. Its year may be no year twice."""
    facts = FACTS["dues"] | {"year": replace(FACTS["dues"]["year"], unique=True)}
    ledger = apply_noise(
        CLEAN["dues"], DUES, NoiseSpec(environment=ENVIRONMENT.name, rules=()), ENVIRONMENT, KEY
    ).ledger
    ledger = pl.concat([ledger, pl.DataFrame(entries, schema_overrides=ledger.schema)], how="diagonal")
    try:
        return deviations(DUES, facts, clean, noisy, ledger, REFERRED)
    except InputError:
        return None


@pytest.mark.parametrize("rows", [SIZE - 1, SIZE + 1], ids=["a row less", "a row more"])
def test_blocks_of_other_rows_are_refused(rows: int) -> None:
    """Where one side ends before the other, too."""
    noisy = pl.concat([CLEAN["dues"], CLEAN["dues"].tail(1)]).head(rows)
    assert found(cut(noisy, [20, 40]), cut(CLEAN["dues"], [30])) is None
