"""Cases of the kinds of DEFINITIONS and of values in another language."""

from dataclasses import replace

import polars as pl

from pipeline.model import Environment, Vocabulary
from pipeline.noise.kinds.definitions.contradicted import ContradictedInProse
from pipeline.noise.kinds.definitions.figures import RatioOfSums, ScopeMismatch, StaleRevision
from pipeline.noise.kinds.definitions.rollups import DoubleCounting, StockAsFlow
from pipeline.noise.kinds.names.drift import OtherLanguage
from pipeline.noise.mechanisms import Condition
from tests.bare import published
from tests.unit.noise.conftest import MEASURES, small_environment
from tests.unit.noise.kind_case import KindCase

COLUMNS = ("id", "group", "year", "label", "value", "stamp")
PROVINCES = {"北京市": ("Beijing",), "上海市": ("Shanghai", "Shanghai Municipality"), "山西省": ("Shanxi",)}


def definitions_environment() -> Environment:
    """Return an environment with statistics, their periods, and prose that looks at statistics."""
    return replace(
        small_environment(),
        tables=(
            replace(published("statistics", COLUMNS), beside=("periods",)),
            published("periods", COLUMNS),
            replace(published("prose", ("id", "group", "text")), beside=("statistics",)),
        ),
        vocabularies=(
            Vocabulary(name="measures", aliases=MEASURES),
            Vocabulary(name="provinces_in_english", aliases=PROVINCES),
        ),
    )


ENVIRONMENT = definitions_environment()


def rows_of(*rows: tuple[str | None, ...]) -> pl.DataFrame:
    """Return rows of (group, year, label, value) as `statistics` has them, numbered, most with a stamp."""
    return pl.DataFrame(
        [(f"r{n}", *row, f"{n % 5 + 1}/9/2025" if n % 6 else None) for n, row in enumerate(rows)],
        schema=dict.fromkeys(COLUMNS, pl.String),
        orient="row",
    )


def _group(number: int) -> list[tuple[str | None, ...]]:
    """Return the statistics of one group: a mean of ratios, two sums, a total with two parts, an empty cell."""
    group = f"g{number}"
    parts = [3 * number + 1, 500]
    return [
        (group, "2022", "ratio mean", f"{7 + number}.25"),
        (group, "2022", "spending sum", f"{number * 1234 + 5}.7"),
        (group, "2022", "revenue sum", str(98765 + number)),
        (group, "2022", "all", str(sum(parts)) if number % 3 else f"{sum(parts) + 2}.0"),
        *((group, "2022", f"part {place}", str(part)) for place, part in enumerate(parts)),
        (group if number % 4 else None, None if number % 2 else "2022", None, None),
    ]


STATISTICS = rows_of(*(row for number in range(8) for row in _group(number)))
STOCKS = rows_of(
    *((f"g{n}", str(year), "unsold: total（year）", f"{year + n}.0") for n in range(7) for year in range(2019, 2022)),
    *(("g1", "2022", label, text) for label, text in (("sold", "5"), (None, "7"), ("unsold: total（year）", None))),
    (None, None, "unsold: total（year）", "8"),
)
PERIODS = rows_of(
    *(
        (f"g{n}", str(year), f"unsold: total（{month}）", f"{year + n - (12 - month) * 3}.0")
        for n in range(7)
        for year in range(2019, 2022)
        for month in (10, 11, 12)
        if (n + year) % 7
    ),
    ("g0", "2020", "sold（1）", None),
)
PROSE = pl.DataFrame(
    [
        (f"p{n}", f"g{n % 8}" if n % 7 else None, "营业稳定。客户众多。技术领先。"[: 2 + n % 14] if n % 5 else None)
        for n in range(40)
    ],
    schema=dict.fromkeys(("id", "group", "text"), pl.String),
    orient="row",
)
PLACES = rows_of(*(((*PROVINCES, "广东省", None)[n % 5], "2022", f"label {n}", str(n)) for n in range(40)))

SCOPE = ScopeMismatch(
    figure="value", same=("group", "year"), scope="label", instead={"part 0": "part 1", "part": "all"}
)
RATIO = RatioOfSums(
    figure="value",
    ratio=(Condition(column="label", equals="ratio mean"),),
    numerator=(Condition(column="label", equals="spending sum"),),
    denominator=(Condition(column="label", equals="revenue sum"),),
    same=("group", "year"),
)
STOCK = StockAsFlow(
    figure="value",
    stock=(Condition(column="label", matches="^unsold"),),
    closing=(Condition(column="label", matches="（12）$"),),
    same=("group", "year"),
    label="label",
    series="^(.*)（",
    table="periods",
)
TWICE = DoubleCounting(
    figure="value",
    total=(Condition(column="label", equals="all"),),
    parts=(Condition(column="label", matches="^part"),),
    same=("group", "year"),
)
PROSE_FIGURE = ContradictedInProse(
    prose="text",
    table="statistics",
    same=("group",),
    value="value",
    which={"label": "revenue sum"},
    templates=("营收{value}万元。", "营业收入为{value}。"),
    per=1000,
)


def _case(kind: object, rows: pl.DataFrame, table: str = "statistics", **more: object) -> KindCase:
    options = {"kind": kind, "environment": ENVIRONMENT, "published": ENVIRONMENT.table(table), "rows": rows, **more}
    return KindCase(**options)  # type: ignore[arg-type]


CASES_OF_DEFINITIONS = (
    _case(replace(SCOPE, position="prefix"), STATISTICS, grouped_by="group"),
    _case(
        ScopeMismatch(figure="value", same=("group", "year"), table="periods"),
        STOCKS,
        name="scope_mismatch, sibling beside",
        beside={"periods": PERIODS.filter(pl.col("label").str.contains("11")).with_columns(label=pl.lit("unsold"))},
    ),
    _case(RATIO, STATISTICS, grouped_by="group"),
    _case(STOCK, STOCKS, beside={"periods": PERIODS}),
    _case(
        replace(STOCK, closing=None, table=None, same=("group",), series="^(.*)"),
        STOCKS,
        name="stock_as_flow, in one table",
        grouped_by="group",
    ),
    _case(TWICE, STATISTICS, grouped_by="group"),
    _case(
        replace(TWICE, counted="all", total=STOCK.stock, parts=None, label="label", series="^(.*)（", table="periods"),
        STOCKS,
        name="double_counting of all",
        beside={"periods": PERIODS},
    ),
    _case(StaleRevision(columns=("value",), most=0.1, stamp="stamp", stamped="1/1/2025"), STATISTICS),
    _case(PROSE_FIGURE, PROSE, "prose", beside={"statistics": STATISTICS}),
    _case(
        ContradictedInProse(
            prose="text",
            table="statistics",
            same=("group",),
            value="label",
            which={"value": "500"},
            vocabulary="provinces_in_english",
            templates=("总部在{value}。",),
        ),
        PROSE,
        "prose",
        name="contradicted_in_prose, by a name",
        beside={"statistics": STATISTICS.with_columns(label=pl.lit("山西省"))},
    ),
    _case(OtherLanguage(columns=("group",), vocabulary="provinces_in_english"), PLACES),
)
