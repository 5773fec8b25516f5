"""Laws of the engine: identity, composition, independence of order and other rows, rates within exact bounds."""

import polars as pl
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import ECB
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scipy import stats

from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.noise import steps
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.missing import MissingValues, Sentinels
from pipeline.noise.kinds.names.drift import NamingDrift
from pipeline.noise.kinds.units import UnitMismatch
from pipeline.noise.ledger import noise_report, replay, undo
from pipeline.noise.mechanisms import AtRandom, Band, CompletelyAtRandom, Condition, Mechanism, NotAtRandom
from pipeline.noise.spec import NoiseSpec, Rule

COLUMNS = ("id", "firm", "measure", "unit", "value")
KIND_EXAMPLES: dict[str, Kind] = {
    "missing_values": MissingValues(columns=("firm", "value")),
    "naming_drift": NamingDrift(columns=("measure",), vocabulary="measures", position="prefix", blank=("firm",)),
    "unit_mismatch": UnitMismatch(unit_column="unit", value_column="value"),
}
ALPHA = 1e-6
LAW = settings(max_examples=15, deadline=None)
"""Every example runs dozens of queries, and machines may be busy."""


def rule(kind: Kind, mechanism: Mechanism | float, name: str = "rule", **options: object) -> Rule:
    """Make a rule for `figures`; a number is a rate completely at random."""
    chosen = CompletelyAtRandom(rate=mechanism) if isinstance(mechanism, float) else mechanism
    return Rule(name=name, kind=kind, tables=("figures",), mechanism=chosen, **options)  # type: ignore[arg-type]


COMPOSED = (
    rule(KIND_EXAMPLES["unit_mismatch"], 0.7, "units"),
    rule(KIND_EXAMPLES["naming_drift"], 0.6, "names"),
    rule(KIND_EXAMPLES["missing_values"], 0.3, "gaps"),
    rule(KIND_EXAMPLES["unit_mismatch"], 0.5, "units again"),
    rule(NamingDrift(columns=("measure",), vocabulary="measures", consistent_by="firm"), 0.5, "names by firm"),
)


def noised(table: pl.DataFrame, environment: Environment, key: Key, *rules: Rule) -> Noised:
    """Apply rules to `figures`."""
    spec = NoiseSpec(environment="small", rules=rules)
    return apply_noise(table, environment.table("figures"), spec, environment, key)


def figures(size: int) -> pl.DataFrame:
    """Make a table without nulls whose measures, units, firms and values vary together with the row number."""
    row = pl.int_range(size)
    return pl.select(
        id=row.cast(pl.String),
        firm=(row % 977).cast(pl.String),
        measure=pl.when(row % 2 == 0).then(pl.lit("revenue")).otherwise(pl.lit("profit")),
        unit=pl.when(row % 3 == 0).then(pl.lit("ton")).otherwise(pl.lit("yuan")),
        value=((row * 7919) % 1000 - 500).cast(pl.String),
    )


CELL = {
    "firm": st.sampled_from(["A", "B", "C", None]),
    "measure": st.sampled_from(["revenue", "revenue total mean", "profit", "head count", "turnover", "other", None]),
    "unit": st.sampled_from(["yuan", "10k", "million", "ton", "kt", "heads", None]),
    "value": st.one_of(st.none(), st.sampled_from(["", "n/a"]), st.decimals(-(10**12), 10**12, places=2).map(str)).map(
        lambda text: text or None
    ),
}
TABLES = st.lists(st.fixed_dictionaries(CELL), max_size=30).map(
    lambda rows: pl.DataFrame(
        [{"id": f"r{index}", **row} for index, row in enumerate(rows)], schema=dict.fromkeys(COLUMNS, pl.String)
    )
)


def cells(frame: pl.DataFrame) -> dict[tuple[str, str], str]:
    """Return every cell's text ("" for null) by row key and column: the slow, obvious form."""
    return {(row["id"], name): row[name] or "" for row in frame.to_dicts() for name in frame.columns}


def test_table_that_no_rule_names_stays(environment: Environment, key: Key) -> None:
    """A rule acts on its own tables only."""
    table = figures(50).select("id", "firm", "measure", agencies=pl.lit("Bank"))
    spec = NoiseSpec(environment="small", rules=COMPOSED)
    result = apply_noise(table, environment.table("policies"), spec, environment, key)
    assert_frame_equal(result.frame, table)


@LAW
@given(table=TABLES)
def test_ledger_is_the_diff_both_ways(table: pl.DataFrame, environment: Environment, key: Key) -> None:
    """Noisy plus ledger is clean, and clean plus ledger is noisy, with cells that several rules touched.

    Walking the ledger row by row over the clean cells gives the noisy cells, too; no row leaves a text as it was.
    """
    published = environment.table("figures")
    result = noised(table, environment, key, *COMPOSED)
    assert_frame_equal(undo(result.frame, result.ledger, published), table)
    assert_frame_equal(replay(table, result.ledger, published), result.frame)
    walked = cells(table)
    for change in result.ledger.to_dicts():
        place = (change["row_key"], change["column"])
        assert walked[place] == change["before"] != change["after"]
        walked[place] = change["after"]
    assert walked == cells(result.frame)


@LAW
@given(table=TABLES, data=st.data())
def test_order_batches_and_other_rows_do_not_matter(
    table: pl.DataFrame, data: st.DataObject, environment: Environment, key: Key
) -> None:
    """Shuffled, split and with rows appended, every row comes out the same."""
    whole = noised(table, environment, key, *COMPOSED).frame
    order = data.draw(st.permutations(range(table.height)))
    assert_frame_equal(noised(table[order], environment, key, *COMPOSED).frame, whole[order])
    cut = data.draw(st.integers(0, table.height))
    halves = [noised(part, environment, key, *COMPOSED).frame for part in (table[:cut], table[cut:])]
    assert_frame_equal(pl.concat(halves), whole)
    more = pl.concat([figures(20), table])
    assert_frame_equal(noised(more, environment, key, *COMPOSED).frame[20:], whole)


@LAW
@given(table=TABLES)
def test_cells_that_a_removed_rule_did_not_touch_stay(table: pl.DataFrame, environment: Environment, key: Key) -> None:
    """Switching any one rule off leaves every cell that it did not touch as it was."""
    full = noised(table, environment, key, *COMPOSED)
    before = cells(full.frame)
    for removed in COMPOSED:
        kept = [rule for rule in COMPOSED if rule is not removed]
        fewer = cells(noised(table, environment, key, *kept).frame)
        touched = {(row["row_key"], row["column"]) for row in full.ledger.to_dicts() if row["rule"] == removed.name}
        assert {place for place, text in before.items() if fewer[place] != text} <= touched, removed.name


def test_blocks_give_what_one_block_gives(environment: Environment, key: Key, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frame, ledger and counts do not hang on into how many blocks of rows a table is cut, nor on what ids look like."""
    table = figures(400).with_columns(id=pl.when(pl.int_range(pl.len()) < 120).then("id").otherwise("r" + pl.col("id")))
    whole = noised(table, environment, key, *COMPOSED)
    for records in (13, 119, 160):
        monkeypatch.setattr(steps, "RECORDS", records)
        parts = noised(table, environment, key, *COMPOSED)
        assert_frame_equal(parts.frame, whole.frame)
        assert_frame_equal(parts.ledger, whole.ledger)
        assert_frame_equal(parts.opportunities, whole.opportunities)


def test_which_cells_change_is_the_documented_function(environment: Environment, key: Key) -> None:
    """A cell is chosen if AES-256(key of rule, table, column; row key) as a fraction is under the rate."""
    table = figures(2000)
    result = noised(table, environment, key, rule(MissingValues(columns=("value",)), 0.25, "gaps"))
    secret = key.derive("noise", "gaps").derive("figures", "value", "whether").derive("blocks", "1").secret
    encryptor = Cipher(AES256(secret), ECB()).encryptor()  # noqa: S305 - the oracle of a block
    chosen = [
        row_key
        for row_key in table["id"]
        if int.from_bytes(encryptor.update(int(row_key).to_bytes(16, "little"))[:8], "little") < 0.25 * 2**64
    ]
    assert result.ledger["row_key"].to_list() == chosen


def test_another_key_chooses_other_cells(environment: Environment, key: Key) -> None:
    """Two keys agree on no more cells than chance: 100,000 cells at rate 0.1 share 1 %."""
    table, one = figures(100_000), rule(MissingValues(columns=("value",)), 0.1)
    first, second = (
        set(noised(table, environment, chosen, one).ledger["row_key"]) for chosen in (key, key.derive("other"))
    )
    assert stats.binomtest(len(first & second), 100_000, 0.01).pvalue > ALPHA


def test_rules_draw_independently(environment: Environment, key: Key) -> None:
    """Two rules that differ in name only agree on no more cells than chance."""
    table, kind = figures(100_000), MissingValues(columns=("value",))
    first, second = (
        set(noised(table, environment, key, rule(kind, 0.1, name)).ledger["row_key"]) for name in ("one", "two")
    )
    assert stats.binomtest(len(first & second), 100_000, 0.01).pvalue > ALPHA


def test_tables_draw_independently(environment: Environment, key: Key) -> None:
    """One rule in two tables with the same row keys chooses cells on its own in each."""
    one = Rule(
        name="gaps",
        kind=MissingValues(columns=("firm",)),
        tables=("figures", "policies"),
        mechanism=CompletelyAtRandom(rate=0.1),
    )
    table, spec = figures(100_000), NoiseSpec(environment="small", rules=(one,))
    first, second = (
        set(apply_noise(table, environment.table(name), spec, environment, key).ledger["row_key"])
        for name in one.tables
    )
    assert stats.binomtest(len(first & second), 100_000, 0.01).pvalue > ALPHA


@pytest.mark.parametrize("rate", [0.001, 0.05, 0.5, 0.999])
def test_rate_completely_at_random_is_exact(rate: float, environment: Environment, key: Key) -> None:
    """Of 100,000 cells the share changed is within exact binomial bounds of the rate."""
    changed = noised(figures(100_000), environment, key, rule(MissingValues(columns=("value",)), rate)).ledger.height
    assert stats.binomtest(changed, 100_000, rate).pvalue > ALPHA


@pytest.mark.parametrize(
    ("mechanism", "expected"),
    [
        (AtRandom(column="unit", rates={"ton": 0.3}, otherwise=0.02), {"ton": 0.3, "yuan": 0.02}),
        (AtRandom(column="unit", rates={"yuan": 0.4}), {"ton": 0.0, "yuan": 0.4}),
    ],
)
def test_rate_at_random_follows_the_other_column(
    mechanism: Mechanism, expected: dict[str, float], environment: Environment, key: Key
) -> None:
    """In each group of the other column the share changed is within exact binomial bounds of the group's rate."""
    result = noised(figures(100_000), environment, key, rule(MissingValues(columns=("value",)), mechanism))
    for unit, rate in expected.items():
        group = result.frame.filter(pl.col("unit") == unit)
        assert stats.binomtest(group["value"].null_count(), group.height, rate).pvalue > ALPHA


@pytest.mark.parametrize(
    ("mechanism", "of_low", "of_high"),
    [
        (NotAtRandom(bands=(Band(below=-100, rate=0.6), Band(below=0, rate=0.2)), otherwise=0.01), 0.6, 0.01),
        (NotAtRandom(bands=(Band(below=-500, rate=1.0), Band(below=0, rate=0.2))), 0.2, 0.0),
    ],
)
def test_rate_not_at_random_follows_the_own_value(
    mechanism: Mechanism, of_low: float, of_high: float, environment: Environment, key: Key
) -> None:
    """Below -100 and from 0 on, the share changed is within exact binomial bounds of the band's rate."""
    table = figures(100_000)
    result = noised(table, environment, key, rule(MissingValues(columns=("value",)), mechanism))
    value = table["value"].cast(pl.Int64)
    for mask, rate in ((value < -100, of_low), (value >= 0, of_high)):
        gaps = result.frame.filter(mask)["value"]
        assert stats.binomtest(gaps.null_count(), len(gaps), rate).pvalue > ALPHA


def test_what_one_rule_emptied_stays_empty(environment: Environment, key: Key) -> None:
    """A rule that writes the same into every cell leaves those alone that an earlier one emptied."""
    rules = (
        rule(MissingValues(columns=("value",)), 0.5, "gaps"),
        rule(Sentinels(columns=("value",), texts=("-",)), 1.0, "signs"),
    )
    result = noised(figures(40), environment, key, *rules)
    gaps = result.ledger.filter(pl.col("rule") == "gaps")["row_key"]
    assert 0 < len(gaps) < 40
    assert result.frame.filter(pl.col("value").is_null())["id"].to_list() == gaps.to_list()


@pytest.mark.parametrize("stated", [True, False, None])
def test_a_rule_may_say_what_can_be_mended(stated: bool | None, environment: Environment, key: Key) -> None:  # noqa: FBT001
    """What it says holds for all its changes; if it says nothing, its kind does."""
    changed = noised(
        figures(20), environment, key, rule(KIND_EXAMPLES["unit_mismatch"], 1.0, recoverable=stated)
    ).ledger
    by_kind = noised(figures(20), environment, key, rule(KIND_EXAMPLES["unit_mismatch"], 1.0)).ledger["recoverable"]
    assert by_kind.any()
    assert changed["recoverable"].to_list() == (by_kind.to_list() if stated is None else [stated] * changed.height)


def test_a_band_ends_below_its_bound(environment: Environment, key: Key) -> None:
    """A value equal to the bound is in no band."""
    table = figures(3).with_columns(value=pl.Series(["-1", "0", "1"]))
    mechanism = NotAtRandom(bands=(Band(below=0, rate=1.0),))
    result = noised(table, environment, key, rule(MissingValues(columns=("value",)), mechanism))
    assert result.frame["value"].to_list() == [None, "0", "1"]


def test_not_at_random_by_text(environment: Environment, key: Key) -> None:
    """Rates by text apply to the cell's own text."""
    mechanism = NotAtRandom(rates={"revenue": 1.0})
    result = noised(figures(100), environment, key, rule(MissingValues(columns=("measure",)), mechanism))
    assert set(result.ledger["before"]) == {"revenue"}
    assert result.frame["measure"].drop_nulls().unique().to_list() == ["profit"]


@pytest.mark.parametrize(
    ("condition", "matching"),
    [
        (Condition(column="unit", in_=("yuan", "ton")), {"b", "c"}),
        (Condition(column="unit", not_in=("yuan",)), {"a", "c"}),
        (Condition(column="unit", equals="ton"), {"c"}),
        (Condition(column="unit", matches="^t.n"), {"c"}),
        (Condition(column="unit", is_null=True), {"a"}),
        (Condition(column="unit", is_null=False), {"b", "c"}),
    ],
    ids=lambda value: "".join(sorted(value)) if isinstance(value, set) else str(value)[:60],
)
def test_conditions_select_rows(condition: Condition, matching: set[str], environment: Environment, key: Key) -> None:
    """Each test of a condition holds for the rows that it says."""
    table = figures(3).with_columns(id=pl.Series(["a", "b", "c"]), unit=pl.Series([None, "yuan", "ton"]))
    result = noised(table, environment, key, rule(MissingValues(columns=("value",)), 1.0, where=(condition,)))
    assert set(result.ledger["row_key"]) == matching


def test_all_conditions_must_hold(environment: Environment, key: Key) -> None:
    """Several conditions are joined by and."""
    where = (Condition(column="unit", equals="ton"), Condition(column="measure", equals="profit"))
    result = noised(figures(60), environment, key, rule(MissingValues(columns=("value",)), 1.0, where=where))
    assert result.ledger.height == 10


def test_opportunities_count_what_could_change(environment: Environment, key: Key) -> None:
    """Eligible are the clean, non-empty cells of the rows that the conditions and the kind admit."""
    table = figures(60).with_columns(firm=pl.when(pl.int_range(60) < 30).then("firm"))
    where = (Condition(column="unit", equals="ton"),)
    result = noised(table, environment, key, rule(KIND_EXAMPLES["missing_values"], 0.5, where=where))
    assert dict(result.opportunities.select("column", "eligible").iter_rows()) == {"firm": 10, "value": 20}


def test_report_gives_rates_in_the_order_of_the_rules(environment: Environment, key: Key) -> None:
    """`noise.json` has cells changed over cells eligible, for every rule, table and column."""
    rules = (rule(KIND_EXAMPLES["unit_mismatch"], 1.0, "z"), rule(MissingValues(columns=("firm",)), 0.0, "a"))
    result = noised(figures(3000), environment, key, *rules)
    report = noise_report(result.ledger, NoiseSpec(environment="small", rules=rules), result.opportunities)["rules"]
    moved = result.ledger.filter(pl.col("column") == "value").height
    assert [(row["rule"], row["column"], row["kind"]) for row in report] == [
        ("z", "unit", "unit_mismatch"),
        ("z", "value", "unit_mismatch"),
        ("a", "firm", "missing_values"),
    ]
    assert (report[1]["cells"], report[1]["rate"], report[1]["recoverable"]) == (moved, moved / 3000, True)
    assert (report[2]["cells"], report[2]["rate"]) == (0, 0.0)
