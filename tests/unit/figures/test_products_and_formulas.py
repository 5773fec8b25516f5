"""Products and formulas: exact whole numbers, restored where they held, against a slow version row by row."""

from fractions import Fraction
from math import floor

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.figures import perturb_figures
from anonymize.figures.closure import breaks
from pipeline.keyed import Key
from pipeline.model import Formula, Identity, Measure, Panel, Product
from pipeline.model.identities import stated_by
from validation.consistency.residuals import identity_residuals

DECIMALS = {"amount": 0, "price": 2, "rate": 3, "turnover": 2, "share": 1}
MEASURES = tuple(Measure(name=name, unit="", decimals=places) for name, places in DECIMALS.items())
SCALES: tuple[int | Fraction, ...] = (1, -3, Fraction(1, 100), Fraction(7, 3))
FIGURES = st.one_of(st.none(), st.integers(-(10**11), 10**11), st.sampled_from([0, 1, -1, 5, -5]))
ROWS = st.lists(st.tuples(FIGURES, FIGURES, FIGURES), min_size=1, max_size=8)


def spread(amount: pl.Expr, price: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return (3 * amount - price) / (price + 7), in quanta."""
    return 3 * amount - price, price + 7


def product(factors: tuple[str, ...], scale: int | Fraction) -> Product:
    return Product(output="turnover", factors=factors, scale=scale)


def formula(rounding: str) -> Formula:
    return Formula(output="share", inputs=("amount", "price"), compute=spread, rounding=rounding)  # type: ignore[arg-type]


IDENTITIES: tuple[Identity, ...] = (
    *(product(("amount", "price"), scale) for scale in SCALES),
    product(("amount", "price", "rate"), 1),
    formula("half away from zero"),
    formula("down"),
)

KINDS = [f"{type(identity).__name__} {place}" for place, identity in enumerate(IDENTITIES)]


def panel_of(identity: Identity) -> Panel:
    return Panel(tables=("t",), measures=MEASURES, identities=(identity,))


def frame(rows: list[tuple[int | None, int | None, int | None]]) -> pl.DataFrame:
    """Return a panel with the inputs, one firm a row."""
    inputs = pl.DataFrame(rows, schema=dict.fromkeys(("amount", "price", "rate"), pl.Int64), orient="row")
    return inputs.with_columns(code=pl.int_range(pl.len()).cast(pl.String), year=pl.lit(2020, pl.Int64))


def slowly(identity: Identity, row: dict[str, int | None]) -> int | None:
    """Return what an identity says of one row, by exact fractions; None where it says nothing or does not fit."""
    known = [row[name] for name in identity.inputs]
    if any(value is None for value in known):
        return None
    quanta = [value for value in known if value is not None]
    match identity:
        case Product(factors=factors, scale=scale):
            exact = Fraction(scale) * 10 ** DECIMALS["turnover"]
            for name, value in zip(factors, quanta, strict=True):
                exact *= Fraction(value, 10 ** DECIMALS[name])
        case _:
            amount, price = quanta
            if price + 7 == 0:
                return None
            exact = Fraction(3 * amount - price, price + 7)
    is_down = isinstance(identity, Formula) and identity.rounding == "down"
    whole = floor(exact) if is_down else floor(abs(exact) + Fraction(1, 2)) * (1 if exact >= 0 else -1)
    return whole if abs(whole) < 2**63 else None


@pytest.mark.parametrize("identity", IDENTITIES, ids=KINDS)
@given(rows=ROWS)
def test_what_is_stated_equals_a_slow_version(
    identity: Identity, rows: list[tuple[int | None, int | None, int | None]]
) -> None:
    """In each row the output is that of exact fractions, rounded as it is declared."""
    figures = frame(rows)
    stated = figures.select(stated_by(identity, panel_of(identity), code="code")).to_series().to_list()
    assert stated == [slowly(identity, row) for row in figures.to_dicts()]


@pytest.mark.parametrize("identity", IDENTITIES, ids=KINDS)
@given(rows=ROWS, off=st.integers(-3, 3))
def test_residuals_are_the_distance_from_a_slow_version(
    identity: Identity, rows: list[tuple[int | None, int | None, int | None]], off: int
) -> None:
    """The test of consistency, which shares no arithmetic, finds k units where the output is k units off."""
    figures, panel = frame(rows), panel_of(identity)
    told = [slowly(identity, row) for row in figures.to_dicts()]
    shifted = pl.Series(identity.output, [None if each is None else each + off for each in told], dtype=pl.Int64)
    found = identity_residuals(figures.with_columns(shifted), panel, code="code")[0]
    assert found.records == shifted.count()
    assert found.max_residual == (abs(off) if shifted.count() else 0)


@pytest.mark.parametrize("identity", IDENTITIES, ids=KINDS)
@given(rows=ROWS, wrong=st.integers(0, 7))
def test_identities_are_restored_where_they_held(
    identity: Identity, rows: list[tuple[int | None, int | None, int | None]], wrong: int
) -> None:
    """After a mechanism they hold again, but in the row in which they did not: its figure is one of its own."""
    figures, panel = frame(rows), panel_of(identity)
    output = pl.col(identity.output)
    figures = figures.with_columns(pl.lit(None, pl.Int64).alias(name) for name in ("turnover", "share"))
    figures = figures.with_columns(stated_by(identity, panel, code="code").alias(identity.output))
    figures = figures.with_columns(pl.when(pl.int_range(pl.len()) == wrong).then(output + 1_000).otherwise(output))
    after = perturb_figures(figures, panel, code="code", key=Key(b"k" * 32))
    held = breaks(figures, panel, code="code").select(~pl.all())
    assert identity_residuals(after, panel, code="code", held=held)[0].max_residual == 0
    assert figures[identity.output].is_null().equals(after[identity.output].is_null())


def test_a_product_that_does_not_fit_says_nothing() -> None:
    """Three figures of 10**18 have a product of 180 bits: no output, no residual, no overflow in silence."""
    identity = product(("amount", "price", "rate"), 1)
    figures = frame([(10**18, 10**18, 10**18)]).with_columns(turnover=pl.lit(5, pl.Int64))
    assert figures.select(stated_by(identity, panel_of(identity), code="code")).item() is None
    assert identity_residuals(figures, panel_of(identity), code="code")[0].records == 0


def test_an_original_may_round_a_product_otherwise() -> None:
    """A product that is cut where we round counts as one that holds; a formula must be rounded as it says."""
    figures = frame([(1, 150, 1)]).with_columns(turnover=pl.lit(1, pl.Int64), share=pl.lit(0, pl.Int64))
    cut, down = product(("amount", "price"), Fraction(1, 100)), formula("half away from zero")
    assert not breaks(figures, panel_of(cut), code="code").item()
    assert breaks(figures, panel_of(down), code="code").item()


def test_identities_are_told_by_their_formula() -> None:
    """A reader of the report sees what was tested."""
    figures = frame([(1, 1, 1)]).with_columns(turnover=pl.lit(0, pl.Int64), share=pl.lit(0, pl.Int64))
    names = [
        identity_residuals(figures, panel_of(i), code="code")[0].identity for i in (IDENTITIES[0], *IDENTITIES[-3:-1])
    ]
    assert names == ["turnover = amount * price", "turnover = amount * price * rate", "share = f(amount, price)"]
