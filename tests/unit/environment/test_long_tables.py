"""The long tables of `dataclaw-18` are what one writes down firm by firm, year by year, whatever the size of blocks."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import floor

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.keyed import Key
from pipeline.model import Measure, Truth
from pipeline.render import render_table, rendered
from raw.vocabulary.indicators import INDICATORS, TARGET_CODES
from silt.environments.dataclaw_18 import DATACLAW_18

KEY = Key(b"l" * 32)
DETAIL, YEARLY, STATUS = (f"company_operation_{name}" for name in ("status_detail", "yearly_status", "status"))
MEASURES = [
    next(measure for measure in INDICATORS if measure.decimals and measure.additive),
    next(measure for measure in INDICATORS if not measure.additive),
    next(measure for measure in INDICATORS if not measure.decimals),
]
"""Those that the firms report; the other ones are empty."""
Figures = dict[tuple[str, int], dict[str, int | None]]
figures_of_firms = st.dictionaries(
    st.tuples(st.sampled_from(["600001", "600002", "00700"]), st.integers(2019, 2022)),
    st.fixed_dictionaries({m.name: st.none() | st.integers(-(10**12), 10**12) | st.just(0) for m in MEASURES}),
)


def truth_of(figures: Figures) -> Truth:
    """Return the wide table, in whatever order the figures were drawn."""
    schema = {"bmCode": pl.String, "year": pl.Int64} | {measure.name: pl.Int64 for measure in INDICATORS}
    rows = [{"bmCode": code, "year": year, **values} for (code, year), values in figures.items()]
    return Truth(tables={"figures": pl.DataFrame(rows, schema=schema)}, order=KEY)


def plain(number: Fraction | int, decimals: int) -> str:
    """Return a number of quanta as text, after Python's decimals."""
    text = f"{Decimal(int(number)).scaleb(-decimals):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rate(now: int, before: int) -> int:
    """Return the change in hundredths of a percent, rounded half away from zero."""
    exact = Fraction(now - before, abs(before)) * 10_000
    return (1 if exact >= 0 else -1) * floor(abs(exact) + Fraction(1, 2))


def told(figures: Figures, table: str) -> Iterator[tuple[str, int, Measure, int, int | None]]:
    """Give every figure in the published order, and that of the year before."""
    order = {"company_operation_status_detail": "detail", "company_operation_yearly_status": "yearly"}.get(
        table, "status"
    )
    for code, year in sorted(figures, key=lambda row: (KEY.digest(order, row[0]), row[1])):
        for measure in sorted(MEASURES, key=INDICATORS.index):
            now = figures[code, year][measure.name]
            before = figures.get((code, year - 1), {}).get(measure.name)
            if now is not None:
                yield code, year, measure, now, before


def changes(figures: Figures) -> Iterator[tuple[str, ...]]:
    """Give the records of the yearly table without their numbers."""
    for code, year, measure, now, before in told(figures, YEARLY):
        target = TARGET_CODES[measure.name]
        if before is not None:
            yield code, f"{year}", f"{target}_CHG", plain(now - before, measure.decimals)
        if before and measure.additive:
            yield code, f"{year}", f"{target}_YOY", plain(rate(now, before), 2)


def latest(figures: Figures) -> Iterator[tuple[str, ...]]:
    """Give code, target code, name, unit and value of the records of the last year: figures first, then rates."""
    rows = [row for row in told(figures, STATUS) if row[1] == 2022]
    for code, _, m, now, _ in rows:
        yield code, TARGET_CODES[m.name], m.name, m.unit, plain(now, m.decimals)
    for code, _, m, now, before in rows:
        if before and m.additive:
            yield code, f"{TARGET_CODES[m.name]}_YOY", f"{m.name}同比", "%", plain(rate(now, before), 2)


@given(figures=figures_of_firms)
def test_the_tables_are_those_written_down_one_by_one(figures: Figures) -> None:
    """Every figure, difference and rate stands once, in keyed order of firms, with its number."""
    truth = truth_of(figures)
    detail, yearly, status = (render_table(DATACLAW_18.table(name), truth) for name in (DETAIL, YEARLY, STATUS))
    assert detail.drop("id").rows() == [
        (code, f"{year}", TARGET_CODES[m.name], plain(now, m.decimals))
        for code, year, m, now, _ in told(figures, DETAIL)
    ]
    assert yearly.drop("id").rows() == list(changes(figures))
    assert status.select("bmCode", "targetCode", "targetName", "targetUnit", "value").rows() == list(latest(figures))
    for table in (detail, yearly, status):
        assert table["id"].to_list() == [f"{number}" for number in range(1, table.height + 1)]


@pytest.mark.parametrize("name", [DETAIL, YEARLY, STATUS])
@settings(max_examples=20)
@given(figures=figures_of_firms, records=st.integers(1, 20))
def test_blocks_of_any_size_are_the_table(name: str, figures: Figures, records: int) -> None:
    """Blocks in a row are the table; none is longer than asked for, unless it is a single firm's year."""
    table, truth = DATACLAW_18.table(name), truth_of(figures)
    blocks = list(rendered(table, truth, records=records))
    assert pl.concat(blocks).equals(render_table(table, truth))
    assert blocks
    assert all(block.height <= max(records, 2 * len(MEASURES)) for block in blocks)
