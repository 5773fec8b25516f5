"""What the kinds that take values away do, against slow and obvious versions of it."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pipeline.errors import SpecError
from pipeline.model import Truth
from pipeline.noise.engine import apply_noise
from pipeline.noise.kinds.missing import MissingValues, Repetition, Sentinels
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule, load_spec
from pipeline.render import render_table
from raw.vocabulary.indicators import INDICATORS
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.bare import published
from tests.stats import check_shares
from tests.unit.noise.applied import KEY, applied, environment_of

STATUS, DETAIL = "company_operation_status", "company_operation_status_detail"
REPEATED = Repetition(
    table=DETAIL, joined_on={"bmCode": "bmCode", "year": "year", "targetCode": "targetCode"}, value="value"
)


def test_every_text_stands_for_missing_alike() -> None:
    """Over 20,000 cells each of the texts comes up as often as the others; empty cells stay empty."""
    texts = ("0", "-1", "9999", "无", "N/A")
    frame = applied(Sentinels(columns=("value",), texts=texts), value=["12.5"] * 20_000 + [None] * 5).frame
    counts = dict(frame["value"].value_counts().iter_rows())
    check_shares([counts.pop(text) for text in texts])
    assert counts == {None: 5}


def test_a_value_that_is_a_sentinel_anyway_is_left() -> None:
    """A true 0 is no missing value, so it is neither changed nor counted."""
    noised = applied(Sentinels(columns=("value",), texts=("0", "9999")), value=["0", "9999"] * 20)
    assert noised.ledger.is_empty()
    assert noised.opportunities["eligible"].to_list() == [0]


@pytest.fixture(scope="module")
def operation() -> dict[str, pl.DataFrame]:
    """Give the rendered clean tables of 12 firms and two years, with figures that some do not report."""
    measures = {
        measure.name: pl.Series(
            [None if (row + rank) % 7 == 0 else (row * 7919 + rank * 104_729) % 10_000_019 for row in range(24)]
        )
        for rank, measure in enumerate(INDICATORS)
    }
    figures = pl.DataFrame({"bmCode": [str(100_000 + row // 2) for row in range(24)], **measures}).with_columns(
        year=pl.Series([2021 + row % 2 for row in range(24)], dtype=pl.Int64)
    )
    truth = Truth(tables={"figures": figures}, order=KEY)
    return {name: render_table(DATACLAW_18.table(name), truth) for name in (STATUS, DETAIL)}


def noisy_values(operation: dict[str, pl.DataFrame], kind: MissingValues) -> tuple[pl.DataFrame, pl.DataFrame]:
    rule = Rule(name="gaps", kind=kind, tables=(STATUS,), mechanism=CompletelyAtRandom(rate=0.5))
    spec = NoiseSpec(environment=DATACLAW_18.name, rules=(rule,))
    noised = apply_noise(
        operation[STATUS], DATACLAW_18.table(STATUS), spec, DATACLAW_18, KEY, beside={DETAIL: operation[DETAIL]}
    )
    return noised.frame, noised.ledger


def test_clean_tables_of_firms_hold_no_gap_that_the_detail_fills(operation: dict[str, pl.DataFrame]) -> None:
    """In dataclaw-18 an unreported figure is an absent row in both tables, so there is nothing to mend in clean ones."""
    kind = MissingValues(columns=("value",), repeated_in=REPEATED)
    clean = kind.mended(operation[STATUS], DATACLAW_18.table(STATUS), DATACLAW_18, {DETAIL: operation[DETAIL]})
    assert operation[STATUS]["value"].null_count() == 0
    assert_frame_equal(clean, operation[STATUS])


def test_what_the_detail_repeats_comes_back(operation: dict[str, pl.DataFrame]) -> None:
    """Figures of the last year come back from the table of all years, rates over the year before do not stand there."""
    kind = MissingValues(columns=("value",), repeated_in=REPEATED)
    frame, ledger = noisy_values(operation, kind)
    after = kind.mended(frame, DATACLAW_18.table(STATUS), DATACLAW_18, {DETAIL: operation[DETAIL]})
    told = {
        (code, year, target): value
        for _, code, year, target, value in operation[DETAIL].select("id", *REPEATED.joined_on, "value").iter_rows()
    }
    clean = {row["id"]: row for row in operation[STATUS].iter_rows(named=True)}
    recoverable = dict(ledger.select("row_key", "recoverable").iter_rows())
    assert set(recoverable.values()) == {True, False}
    for row in after.iter_rows(named=True):
        truth = clean[row["id"]]
        repeated = told.get((truth["bmCode"], truth["year"], truth["targetCode"]))
        expected = truth["value"] if row["id"] not in recoverable else repeated
        assert row["value"] == expected
        assert recoverable.get(row["id"], True) == (expected == truth["value"])


def test_without_a_table_beside_nothing_comes_back(operation: dict[str, pl.DataFrame]) -> None:
    """The kind says so itself, and a noisy table whose columns are gone is left as it is."""
    frame, ledger = noisy_values(operation, MissingValues(columns=("value",)))
    assert not ledger["recoverable"].any()
    assert (
        MissingValues(columns=("value",)).mended(frame, DATACLAW_18.table(STATUS), DATACLAW_18, operation).equals(frame)
    )
    kind = MissingValues(columns=("value",), repeated_in=REPEATED)
    for source in ({}, {DETAIL: operation[DETAIL].drop("value")}):
        assert kind.mended(frame, DATACLAW_18.table(STATUS), DATACLAW_18, source).equals(frame)
    assert kind.mended(frame.drop("year"), DATACLAW_18.table(STATUS), DATACLAW_18, operation).equals(frame.drop("year"))


def test_figures_that_were_converted_before_are_not_the_same_text() -> None:
    """A cell whose text another rule has changed is lost: the other table repeats the clean text, not that one."""
    rows = pl.DataFrame({"id": ["1", "2"], "code": ["a", "b"], "value": ["5", "6"]})
    figures = replace(published("figures", rows.columns), beside=("detail",))
    environment = environment_of(figures, published("detail", rows.columns))
    kind = MissingValues(
        columns=("value",), repeated_in=Repetition(table="detail", joined_on={"code": "code"}, value="value")
    )
    always = CompletelyAtRandom(rate=1.0)
    rules = tuple(
        Rule(name=each.name, kind=each, tables=("figures",), mechanism=always)
        for each in (Sentinels(columns=("value",), texts=("5",)), kind)
    )
    noised = apply_noise(
        rows, figures, NoiseSpec(environment="small", rules=rules), environment, KEY, beside={"detail": rows}
    )
    gaps = noised.ledger.filter(pl.col("kind") == kind.name)
    assert dict(gaps.select("row_key", "recoverable").iter_rows()) == {"1": True, "2": False}


def test_what_the_other_table_says_twice_must_agree() -> None:
    """Two rows there that give the same text are as good as one; two different ones, or one that is empty, tell nothing."""
    rows = pl.DataFrame({"id": ["1", "2", "3"], "code": ["a", "b", "c"], "value": ["5", "5", "5"]})
    detail = pl.DataFrame({"id": list("123456"), "code": list("aabbcc"), "value": ["5", "5", "5", "6", "5", None]})
    figures = replace(published("figures", rows.columns), beside=("detail",))
    environment = environment_of(figures, published("detail", rows.columns))
    kind = MissingValues(
        columns=("value",), repeated_in=Repetition(table="detail", joined_on={"code": "code"}, value="value")
    )
    rule = Rule(name="gaps", kind=kind, tables=("figures",), mechanism=CompletelyAtRandom(rate=1.0))
    beside = {"detail": detail}
    noised = apply_noise(rows, figures, NoiseSpec(environment="small", rules=(rule,)), environment, KEY, beside=beside)
    assert noised.ledger["recoverable"].to_list() == [True, False, False]
    assert kind.mended(noised.frame, figures, environment, beside)["value"].to_list() == ["5", None, None]


SPECIFICATION = """
environment: dataclaw-18
rules:
  - name: gaps
    kind: missing_values
    tables: [{table}]
    mechanism: {{type: completely_at_random, rate: 0.1}}
    parameters: {{columns: [{columns}], repeated_in: {{table: {beside}, joined_on: {{{on}}}, value: {value}}}}}
    reason: A test.
"""
GOOD = {"table": STATUS, "columns": "value", "beside": DETAIL, "on": "bmCode: bmCode", "value": "value"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"table": "internal_metrics", "columns": "interal_knowladge"},
            r"repeated_in\.table: .* no table beside is declared",
        ),
        ({"beside": "company_core"}, rf"repeated_in\.table: .* allowed: one of {DETAIL}"),
        ({"beside": "nowhere"}, r"repeated_in\.table: found 'nowhere'"),
        ({"value": "targetName"}, r"repeated_in\.value: found 'targetName'; allowed: a column of"),
        ({"on": "bmCode: code"}, r"repeated_in\.joined_on: found 'code'; allowed: a column of"),
        ({"on": "code: bmCode"}, r"repeated_in\.joined_on\.code: found 'code'; allowed: one of"),
        ({"on": ""}, r"repeated_in\.joined_on: found \{\}; allowed: at least one"),
        ({"columns": "value, targetUnit"}, r"parameters\.columns: found 'value, targetUnit'; allowed: one column"),
    ],
)
def test_a_repetition_that_is_none_is_refused(change: dict[str, str], problem: str, tmp_path: Path) -> None:
    """The table must be declared beside the rule's tables, and the columns must be there."""
    path = tmp_path / "noise.yaml"
    path.write_text(SPECIFICATION.format(**GOOD), "utf-8")
    assert load_spec(path, DATACLAW_18).rules[0].kind == MissingValues(
        columns=("value",), repeated_in=Repetition(table=DETAIL, joined_on={"bmCode": "bmCode"}, value="value")
    )
    path.write_text(SPECIFICATION.format(**GOOD | change), "utf-8")
    with pytest.raises(SpecError, match=problem):
        load_spec(path, DATACLAW_18)
