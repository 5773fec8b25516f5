"""What the kinds of noise about units do, and what a reader can take back of it, against slow and obvious versions."""

from decimal import Decimal

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.noise.kinds.units import ScaleError, UnitMismatch
from pipeline.noise.ledger import undo
from tests.unit.noise.applied import applied, mended, refused
from tests.unit.noise.cases_units import UNITS
from tests.unit.noise.conftest import UNITS as FAMILIES

UNIT_MISMATCH = UnitMismatch(unit_column="unit", value_column="value")
FIFTEEN_DIGITS = st.integers(-(10**15) + 1, 10**15 - 1)


def plain(number: Decimal) -> str:
    """Return a decimal without exponent and without zeros that say nothing."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@given(digits=FIFTEEN_DIGITS, places=st.integers(0, 20), unit=st.sampled_from(["10k", "million"]))
def test_fifteen_digits_come_back_exactly(digits: int, places: int, unit: str) -> None:
    """Whatever has up to 15 significant digits is read out of its conversion by a float division, from 1e-7 up."""
    truth = Decimal(digits).scaleb(-places)
    assume(digits == 0 or abs(truth) >= Decimal("1e-7"))
    text = plain(truth)
    converted = plain(Decimal(repr(float(text) / FAMILIES["yuan"][unit])))
    frame = pl.DataFrame({"id": ["1"], "unit": [unit], "value": [converted]})
    assert mended(UNIT_MISMATCH, frame).rows() == [("1", "yuan", text)]


@given(number=st.floats(-1e30, 1e30, allow_nan=False).filter(lambda number: abs(number) > 1e-11))
def test_any_float_comes_back_to_what_converts_to_it(number: float) -> None:
    """What is read is the figure in 15 digits if that converts to what stands there, else one that does if any is found."""
    factor = FAMILIES["yuan"]["10k"]
    frame = pl.DataFrame({"id": ["1"], "unit": ["10k"], "value": [plain(Decimal(repr(number)))]})
    found = Decimal(mended(UNIT_MISMATCH, frame)["value"][0])
    fifteen, *longer = (Decimal(f"{number * factor:.{digits}g}") for digits in (15, 16, 17))
    if float(fifteen) / factor == number:
        assert found == fifteen
    elif any(float(text) / factor == number for text in longer):
        assert float(found) / factor == number


def test_recoverable_is_what_comes_back() -> None:
    """The ledger says for label and value apart whether `mended` gives the clean text, also where digits are lost."""
    values = ["5", "5.0", "0.10", "96846733943.6381", "123456789012345678", "0", "-0.003", "99999999999999.98"] * 40
    noised = applied(UNIT_MISMATCH, unit=["yuan", "10k"] * 160, value=[*values])
    after = {row["id"]: row for row in mended(UNIT_MISMATCH, noised.frame).iter_rows(named=True)}
    seen = set()
    for entry in noised.ledger.iter_rows(named=True):
        is_clean = after[entry["row_key"]][entry["column"]] == entry["before"]
        assert is_clean or not entry["recoverable"], entry
        assert entry["recoverable"] == (is_clean and int(entry["row_key"]) % 2 == 0), entry
        seen.add((entry["column"], entry["recoverable"]))
    assert seen == {("unit", True), ("unit", False), ("value", True), ("value", False)}


def test_figures_without_a_base_unit_are_left() -> None:
    """Where the base unit cannot be drawn nobody knows the unit of the truth: nothing is taken back or called recoverable."""
    kind = UnitMismatch(unit_column="unit", value_column="value", units=("10k", "million"))
    noised = applied(kind, unit=["10k"] * 50, value=["7"] * 50)
    assert noised.ledger.height > 0
    assert not noised.ledger["recoverable"].any()
    assert mended(kind, noised.frame).equals(noised.frame)


@pytest.mark.parametrize(("value", "unit"), [(None, "yuan"), ("n/a", "10k"), ("5", "yuan")])
def test_labels_come_back_where_nothing_contradicts(value: str | None, unit: str) -> None:
    """A label beside an emptied value comes back, one beside text stays, and one beside a figure goes with it."""
    frame = pl.DataFrame({"id": ["1"], "unit": ["10k"], "value": [value]}, schema_overrides={"value": pl.String})
    assert mended(UNIT_MISMATCH, frame)["unit"].to_list() == [unit]


def test_a_shared_synonym_is_not_recoverable() -> None:
    """亿千瓦小时 is a unit of its own series as well, so a reader cannot know that 亿千瓦时 stood there."""
    case = next(case for case in UNITS if case.kind.name == "unit_synonyms")
    rows = case.rows.with_columns(unit=pl.lit("亿千瓦时"))
    noisy = {"亿kWh": True, "亿度": True, "亿千瓦小时": False}
    frame = rows.with_columns(unit=pl.Series([list(noisy)[row % 3] for row in range(rows.height)]))
    after = case.kind.mended(frame, case.published, case.environment, {})
    assert dict(zip(frame["unit"], after["unit"] == "亿千瓦时", strict=True)) == noisy


@given(
    digits=FIFTEEN_DIGITS.filter(lambda digits: digits != 0),
    places=st.integers(0, 12),
    factor=st.sampled_from([1e-7, 0.0001, 0.1, 10.0, 1000.0, 1e9]),
)
def test_scale_is_exact_in_decimals(digits: int, places: int, factor: float) -> None:
    """The new figure is the old one times the power of ten, in decimals, and is written without needless zeros."""
    text = plain(Decimal(digits).scaleb(-places))
    after = applied(ScaleError(columns=("value",), factors=(factor,)), value=[text]).frame["value"][0]
    assert after == plain(Decimal(text) * Decimal(repr(factor)))


@pytest.mark.parametrize(
    ("before", "factor", "after"),
    [
        ("29022.0", 10.0, "290220.0"),
        ("29022.0", 0.1, "2902.2"),
        ("21706", 0.01, "217.06"),
        ("2170", 0.1, "217"),
        ("0.02", 100.0, "2"),
        ("-3.5", 0.001, "-0.0035"),
        ("+3.5", 10.0, "+35"),
        ("29022.50", 10.0, "290225"),
    ],
)
def test_scale_keeps_the_way_figures_are_written(before: str, factor: float, after: str) -> None:
    """A column of floats keeps its `.0`, signs stay, no exponent appears."""
    assert applied(ScaleError(columns=("value",), factors=(factor,)), value=[before]).frame["value"].to_list() == [
        after
    ]


@pytest.mark.parametrize("text", ["0", "0.000", "n/a", "1e5", "1,234", "５", "", ".5", "5."])
def test_scale_leaves_what_it_cannot_change(text: str) -> None:
    """Zero and what is no plain figure is not eligible."""
    noised = applied(ScaleError(columns=("value",), factors=(10.0,)), value=[text or None])
    assert noised.ledger.is_empty()
    assert noised.opportunities["eligible"].to_list() == [0]


def test_every_factor_comes_up() -> None:
    """Each factor is drawn alike, and the ledger takes every change back."""
    noised = applied(ScaleError(columns=("value",), factors=(10.0, 0.1, 1000.0)), value=["7"] * 3000)
    counts = noised.frame["value"].value_counts()
    assert set(counts["value"]) == {"70", "0.7", "7000"}
    assert counts["count"].min() > 900  # type: ignore[operator]
    table = UNITS[0].published
    assert undo(noised.frame, noised.ledger.with_columns(table=pl.lit(table.name)), table)[
        "value"
    ].unique().to_list() == ["7"]


@pytest.mark.parametrize("factor", [1.0, 0.0, -10.0, 20.0, 1e40, float("inf"), float("nan")])
def test_factors_are_powers_of_ten(factor: float) -> None:
    """Anything but a power of ten within reach is refused, and 1."""
    assert refused(ScaleError(columns=("value",), factors=(10.0, factor))) == {"factors"}
    assert not refused(ScaleError(columns=("value",), factors=(10.0, 0.001)))
