"""Mutants of the anonymised figures: what a mechanism could do wrong to them.

Market values are changed where nothing else is meant: no identity takes them in.
"""

import polars as pl

from anonymize.tables import FIGURES, original_figures
from assets.making.keys import Stage
from assets.making.store import Value
from pipeline.model import PERIOD
from tests.mutants.mutant import Made, Mutant, Place

FREE, OTHER = "公司市值", "累计中国专利申请数"
"""Two measures that no identity takes in."""

SUM_OF_PARTS = "总负债"
RATIO = "资产负债率"

_FOLLOW = "aggregates are derived from the figures, and move with them"
_TESTED = "the suite of the published figures holds the tests of their distributions"


def _figures(made: Made, *changed: pl.Expr) -> dict[Place, Value]:
    """Return the figures, beside which expressions find industry and sub-industry of the firm."""
    entities, figures = made.environment.entities, made.table(Stage.ANONYMISED, FIGURES)
    firms = made.table(Stage.ANONYMISED, entities.tables[0]).select(entities.code, "industry", "secondIndustry")
    beside = figures.join(firms, on=entities.code, how="left", maintain_order="left")
    return {(Stage.ANONYMISED, FIGURES): beside.with_columns(*changed).select(figures.columns)}


def _largest_industry(made: Made) -> str:
    firms = made.table(Stage.ANONYMISED, made.environment.entities.tables[0])
    counted = firms["industry"].drop_nulls().value_counts().sort("count", "industry", descending=[True, False])
    return str(counted["industry"][0])


def _raised(made: Made) -> dict[Place, Value]:
    is_there = pl.col("industry") == _largest_industry(made)
    return _figures(made, pl.when(is_there).then(pl.col(FREE) * 3 // 2).otherwise(FREE).alias(FREE))


def _narrowed(made: Made) -> dict[Place, Value]:
    centre = pl.col(FREE).log().median().over("industry", PERIOD)
    halfway = ((pl.col(FREE).log() + centre) / 2).exp().round().cast(pl.Int64)
    return _figures(made, pl.when(pl.col(FREE) > 0).then(halfway).otherwise(FREE).alias(FREE))


def _swapped(made: Made) -> dict[Place, Value]:
    return _figures(made, pl.col(FREE).alias(OTHER), pl.col(OTHER).alias(FREE))


def _unperturbed(made: Made) -> dict[Place, Value]:
    environment = made.environment
    code = environment.entities.code
    conformed = {name: made.table(Stage.CONFORMED, name) for name in environment.panel.tables}
    codes = made.sealed(Stage.IDENTITY, "identity_map").filter(pl.col("kind") == "code")
    originals = original_figures(environment, conformed).select(
        pl.col(code).replace_strict(codes["original"], codes["pseudonym"]), PERIOD, original=FREE
    )
    figures = made.table(Stage.ANONYMISED, FIGURES)
    beside = figures.join(originals, on=[code, PERIOD], how="left", maintain_order="left")
    disclosed = beside.with_columns(pl.col("original").alias(FREE)).select(figures.columns)
    return {(Stage.ANONYMISED, FIGURES): disclosed}


def _off_by_one_digit(made: Made) -> dict[Place, Value]:
    is_first = (
        pl.int_range(pl.len()) == pl.arg_where(pl.col(RATIO).is_not_null() & pl.col(SUM_OF_PARTS).is_not_null()).first()
    )
    return _figures(made, pl.when(is_first).then(pl.col(RATIO) + 1).otherwise(RATIO).alias(RATIO))


def _left_out(made: Made) -> dict[Place, Value]:
    code, figures = made.environment.entities.code, made.table(Stage.ANONYMISED, FIGURES)
    names = [measure.name for measure in made.environment.panel.measures]
    is_first = pl.col(code) == figures[code][0]
    empty = figures.with_columns(pl.when(~is_first).then(pl.col(name)).alias(name) for name in names)
    return {(Stage.ANONYMISED, FIGURES): empty}


def _exchanged(made: Made) -> dict[Place, Value]:
    """Give each firm of a sub-industry the market value of the one before it, the last one's to the first."""
    previous = pl.col(FREE).gather((pl.int_range(pl.len()) + pl.len() - 1) % pl.len())
    return _figures(made, previous.over("secondIndustry", PERIOD, pl.col(FREE).is_null()).alias(FREE))


FIGURE_MUTANTS = (
    Mutant(
        name="raised industry",
        does="The market values of one industry are half as high again.",
        change=_raised,
        meant="distributions_are_equivalent",
        also={"aggregates_agree": _FOLLOW},
    ),
    Mutant(
        name="narrowed spread",
        does="Every market value is moved halfway, on logs, to the median of its industry.",
        change=_narrowed,
        meant="distributions_are_equivalent",
        also={"aggregates_agree": _FOLLOW},
    ),
    Mutant(
        name="exchanged firms",
        does="Firms of each sub-industry have each other's market values.",
        change=_exchanged,
        meant="distributions_are_equivalent",
        also={"aggregates_agree": "firms of other provinces enter the regional aggregates"},
    ),
    Mutant(
        name="swapped measures",
        does="Market values stand as counts of patents, and the counts as market values.",
        change=_swapped,
        meant="no_distribution_differs",
        also={
            "distributions_are_equivalent": "what the test of distributions sees moves mean and spread as well",
            "aggregates_agree": _FOLLOW,
            "clean_meets_its_suite": _TESTED,
        },
    ),
    Mutant(
        name="unperturbed measure",
        does="Market values stand as they are in the originals.",
        change=_unperturbed,
        meant="attacks_stay_within_limits",
    ),
    Mutant(
        name="identity off by one",
        does="One ratio of liabilities to assets is off by one unit of its last digit.",
        change=_off_by_one_digit,
        meant="identities_hold",
        also={"clean_meets_its_suite": "the suite of the published figures holds their identities"},
    ),
    Mutant(
        name="figures left out",
        does="All figures of one firm are empty.",
        change=_left_out,
        meant="no_distribution_differs",
        also={"aggregates_agree": "each aggregate is over one firm fewer"},
    ),
)
