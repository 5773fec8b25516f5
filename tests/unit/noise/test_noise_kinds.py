"""What each kind does to a cell, against slow and obvious versions of it."""

from decimal import Decimal
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.names.drift import NamingDrift
from pipeline.noise.kinds.units import UnitMismatch, plain_text
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from tests.unit.noise.conftest import MEASURES, UNITS

UNIT_MISMATCH = UnitMismatch(unit_column="unit", value_column="value")


def applied(
    environment: Environment, key: Key, *kinds: Kind, table: str = "figures", **columns: list[str | None]
) -> Noised:
    """Apply kinds at rate 1 to a table of the given columns; the others are constant."""
    size = len(next(iter(columns.values())))
    defaults = dict.fromkeys(environment.table(table).columns, ["x"] * size) | {"id": [str(row) for row in range(size)]}
    frame = pl.DataFrame(defaults | columns, schema=dict.fromkeys(defaults, pl.String))
    always = CompletelyAtRandom(rate=1.0)
    rules = tuple(Rule(name=str(n), kind=kind, tables=(table,), mechanism=always) for n, kind in enumerate(kinds))
    return apply_noise(frame, environment.table(table), NoiseSpec(environment="small", rules=rules), environment, key)


@given(number=st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: number != 0))
def test_plain_text_is_the_shortest_repr_without_exponent(number: float) -> None:
    """The digits are those of Python's shortest repr, written out."""
    text = pl.select(plain_text(pl.lit(number, pl.Float64))).item()
    assert float(text) == number
    assert "e" not in text
    assert Decimal(text) == Decimal(repr(number))
    assert not text.endswith(".0")


@given(values=st.lists(st.decimals(-(10**15), 10**15, places=2).map(str), min_size=1, max_size=20))
def test_value_and_label_move_together(values: list[str], environment: Environment, key: Key) -> None:
    """The new value is float(old) / factor of the new label, and a cell that keeps its label keeps its text."""
    frame = applied(environment, key, UNIT_MISMATCH, unit=["yuan"] * len(values), value=[*values]).frame
    for before, unit, after in zip(values, frame["unit"], frame["value"], strict=True):
        assert after == before if unit == "yuan" else float(after) == float(before) / UNITS["yuan"][unit]


@pytest.mark.parametrize(
    ("own", "family"), [("yuan", "yuan"), ("10k", "yuan"), ("million", "yuan"), ("ton", "ton"), ("kt", "ton")]
)
def test_units_are_uniform_over_the_own_family(own: str, family: str, environment: Environment, key: Key) -> None:
    """From any unit of a family each of its units comes up alike: chi-square over 20,000 rows, alpha 1e-6."""
    frame = applied(environment, key, UNIT_MISMATCH, unit=[own] * 20_000, value=["5"] * 20_000).frame
    counts = frame["unit"].value_counts()
    assert set(counts["unit"]) == set(UNITS[family])
    assert stats.chisquare(counts["count"].to_numpy()).pvalue > 1e-6


def test_units_may_be_limited(environment: Environment, key: Key) -> None:
    """With `units` only these are drawn, and only cells in these are moved."""
    kind = UnitMismatch(unit_column="unit", value_column="value", units=("yuan", "million"))
    frame = applied(environment, key, kind, unit=["yuan", "10k", "ton"] * 50, value=["7"] * 150).frame
    assert set(frame["unit"]) == {"yuan", "million", "10k", "ton"}
    assert frame.filter(pl.col("unit").is_in(["10k", "ton"])).height == 100


@pytest.mark.parametrize("value", [None, "n/a", "inf", "nan", "1e300", "1,234"])
def test_what_is_no_number_is_left(value: str | None, environment: Environment, key: Key) -> None:
    """Label and value stay where the value is empty, no finite number or too large to convert."""
    assert applied(environment, key, UNIT_MISMATCH, unit=["yuan"] * 50, value=[value] * 50).ledger.is_empty()


@pytest.mark.parametrize("unit", [None, "heads"])
def test_unknown_units_are_left(unit: str | None, environment: Environment, key: Key) -> None:
    """A unit of no family, or none, is left with its value."""
    assert applied(environment, key, UNIT_MISMATCH, unit=[unit] * 50, value=["5"] * 50).ledger.is_empty()


def test_unit_rules_compose(environment: Environment, key: Key) -> None:
    """After two unit rules label and value still agree."""
    frame = applied(environment, key, UNIT_MISMATCH, UNIT_MISMATCH, unit=["yuan"] * 500, value=["1234567"] * 500).frame
    truth = frame.select(pl.col("value").cast(pl.Float64) * pl.col("unit").replace_strict(UNITS["yuan"]))
    assert truth.to_series().is_between(1234566.99, 1234567.01).all()


def test_value_that_lost_its_label_is_not_recoverable(environment: Environment, key: Key) -> None:
    """A conversion whose label another rule has emptied is marked as lost."""
    gone = MissingValues(columns=("unit",))
    ledger = applied(environment, key, gone, UNIT_MISMATCH, unit=["yuan"] * 50, value=["7"] * 50).ledger
    conversions = ledger.filter(pl.col("kind") == "unit_mismatch")
    assert conversions["column"].unique().to_list() == ["value"]
    assert not conversions["recoverable"].any()


def longest_prefix(text: str) -> str | None:
    """Return the longest canonical measure that begins a text, if it has aliases: the obvious way."""
    fitting = [name for name in MEASURES if text.startswith(name)]
    longest = max(fitting, key=len, default=None)
    return longest if longest and MEASURES[longest] else None


@given(
    texts=st.lists(
        st.tuples(
            st.sampled_from([*MEASURES, "other", "turnover"]), st.sampled_from(["", " mean", "/total", " total"])
        ),
        min_size=1,
        max_size=20,
    ).map(lambda parts: ["".join(part) for part in parts])
)
def test_prefix_gives_way_to_an_alias_of_the_longest_name(texts: list[str], environment: Environment, key: Key) -> None:
    """What begins with a canonical name begins with one of its aliases then; everything else stays."""
    kind = NamingDrift(columns=("measure",), vocabulary="measures", position="prefix")
    for before, after in zip(texts, applied(environment, key, kind, measure=[*texts]).frame["measure"], strict=True):
        name = longest_prefix(before)
        rest = before.removeprefix(name or "")
        assert after in ([alias + rest for alias in MEASURES[name]] if name else [before])


def test_whole_needs_the_whole_cell(environment: Environment, key: Key) -> None:
    """At position `whole` a longer text is left."""
    kind = NamingDrift(columns=("measure",), vocabulary="measures")
    frame = applied(environment, key, kind, measure=["profit", "profit mean", "head count"]).frame
    assert frame["measure"].to_list() == ["income", "profit mean", "head count"]


def test_contains_replaces_the_first_occurrence(environment: Environment, key: Key) -> None:
    """At position `contains` the leftmost name goes, the rest of the text stays, regex signs are nothing special."""
    kind = NamingDrift(columns=("measure",), vocabulary="agencies", position="contains")
    before = ["by Bank for Treasury.", "Mint of Bank"] * 20
    frame = applied(environment, key, kind, measure=[*before]).frame
    assert set(frame["measure"]) == {"by HMT for Treasury.", "by BoE for Treasury.", "Mint of Bank"}


def test_list_items_drift_each_on_its_own(environment: Environment, key: Key) -> None:
    """In a list every item is drawn for, and signs of the alias are kept as they are."""
    kind = NamingDrift(columns=("agencies",), vocabulary="agencies", position="list", separator="，")
    before = ["Treasury，Mint，Bank", "Mint", "Bankers"] * 40
    frame = applied(environment, key, kind, table="policies", agencies=[*before]).frame
    expected = {f"{treasury}，Mint，{bank}" for treasury in ("HMT", "T$1") for bank in ("HMT", "BoE")}
    assert set(frame["agencies"]) == {*expected, "Mint", "Bankers"}


def test_alias_of_two_names_is_not_recoverable(environment: Environment, key: Key) -> None:
    """An alias that could mean two names is marked as lost, cell by cell."""
    kind = NamingDrift(columns=("measure",), vocabulary="agencies")
    ledger = applied(environment, key, kind, measure=["Bank"] * 50).ledger
    assert dict(ledger.select("after", "recoverable").unique().iter_rows()) == {"HMT": False, "BoE": True}


def test_alias_that_is_another_name_is_not_recoverable(environment: Environment, key: Key) -> None:
    """An alias that is itself a canonical name is marked as lost."""
    kind = NamingDrift(columns=("measure",), vocabulary="agencies")
    ledger = applied(environment, key, kind, measure=["City"]).ledger
    assert ledger.select("after", "recoverable").rows() == [("Mint", False)]


def test_list_with_an_ambiguous_item_is_not_recoverable(environment: Environment, key: Key) -> None:
    """One ambiguous item makes the list's cell lost."""
    kind = NamingDrift(columns=("agencies",), vocabulary="agencies", position="list", separator=";")
    ledger = applied(environment, key, kind, table="policies", agencies=["Treasury;Bank"] * 60).ledger
    assert set(ledger.select("after", "recoverable").iter_rows()) == {
        ("HMT;HMT", False),
        ("HMT;BoE", False),
        ("T$1;HMT", False),
        ("T$1;BoE", True),
    }


@pytest.mark.parametrize(("choice", "weights"), [("uniform", [1, 1, 1, 1]), ("ranked", [1, 1 / 2, 1 / 3, 1 / 4])])
def test_aliases_come_up_by_their_weights(
    choice: str, weights: list[float], environment: Environment, key: Key
) -> None:
    """Over 20,000 rows the aliases' counts fit their weights: chi-square, alpha 1e-6."""
    kind = NamingDrift(columns=("measure",), vocabulary="measures", choice=choice)  # type: ignore[arg-type]
    drawn = applied(environment, key, kind, measure=["revenue"] * 20_000).frame["measure"].to_list()
    counts = [drawn.count(alias) for alias in MEASURES["revenue"]]
    expected = [20_000 * weight / sum(weights) for weight in weights]
    assert stats.chisquare(counts, expected).pvalue > 1e-6


def test_consistent_by_decides_once_for_an_entity(environment: Environment, key: Key) -> None:
    """Every entity keeps to one alias of a name, and entities differ."""
    kind = NamingDrift(columns=("measure",), vocabulary="measures", consistent_by="firm")
    firms = [f"firm {row % 30}" for row in range(300)]
    frame = applied(environment, key, kind, firm=[*firms], measure=["revenue"] * 300).frame
    by_firm = frame.group_by("firm").agg(pl.col("measure").n_unique().alias("forms"), pl.col("measure").first())
    assert by_firm["forms"].max() == 1
    assert by_firm["measure"].n_unique() > 1


def test_list_may_be_consistent_by_an_entity(environment: Environment, key: Key) -> None:
    """In a list as elsewhere, an entity keeps to one alias of a name."""
    kind = NamingDrift(
        columns=("agencies",), vocabulary="agencies", position="list", separator=";", consistent_by="firm"
    )
    frame = applied(environment, key, kind, table="policies", firm=["a", "b"] * 20, agencies=["Bank;Mint"] * 40).frame
    assert frame.group_by("firm").agg(pl.col("agencies").n_unique())["agencies"].to_list() == [1, 1]


def test_rows_without_the_entity_are_left(environment: Environment, key: Key) -> None:
    """Where the entity is empty nothing is decided."""
    kind = NamingDrift(columns=("measure",), vocabulary="measures", consistent_by="firm", blank=("unit",))
    assert applied(environment, key, kind, firm=[None] * 5, measure=["revenue"] * 5).ledger.is_empty()


def test_blank_empties_the_sibling_of_a_drifted_name(environment: Environment, key: Key) -> None:
    """The sibling is emptied in the rows whose name drifts, and nowhere else."""
    kind = NamingDrift(columns=("measure",), vocabulary="measures", blank=("firm",))
    frame = applied(environment, key, kind, measure=["profit", "other"]).frame
    assert frame["firm"].to_list() == [None, "x"]


def test_missing_columns_are_drawn_for_apart(environment: Environment, key: Key) -> None:
    """Two columns of one rule do not go missing together."""
    table = environment.table("figures")
    frame = pl.select(id=pl.int_range(10_000).cast(pl.String)).with_columns(
        pl.lit("x").alias(name) for name in table.columns[1:]
    )
    rule = Rule(
        name="gaps",
        kind=MissingValues(columns=("firm", "value")),
        tables=("figures",),
        mechanism=CompletelyAtRandom(rate=0.5),
    )
    gone = apply_noise(frame, table, NoiseSpec(environment="small", rules=(rule,)), environment, key).frame
    both = gone.select((pl.col("firm").is_null() & pl.col("value").is_null()).sum()).item()
    assert stats.binomtest(both, 10_000, 0.25).pvalue > 1e-6


def test_measures_of_the_fixture_nest() -> None:
    """The vocabulary of these tests has a name that begins another: the longest-first law is really tried."""
    assert any(longer.startswith(shorter) for longer, shorter in pairwise(MEASURES))
