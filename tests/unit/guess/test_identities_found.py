"""Identities: those that are there are found, with how often they hold, and chance is not taken for one."""

import numpy as np
import polars as pl
import pytest

from pipeline.guess.identities import held
from pipeline.model import PERIOD, Difference, Growth, Identity, Measure, Measured, Product, Ratio, Sum
from pipeline.model.identities import stated_by

ROWS = 60

CASES: list[Identity] = [
    Sum(output="out", plus=("a", "b")),
    Sum(output="out", plus=("a", "b", "c")),
    Ratio(output="out", numerator=("a",), denominator="b"),
    Ratio(output="out", numerator=("a",), denominator="b", scale=1),
    Product(output="out", factors=("a", "b")),
    Growth(output="out", base="a"),
    Difference(output="out", base="a"),
]


def drawn(seed: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    figures = {name: random.integers(10_000, 900_000, ROWS) for name in ("a", "b", "c", "d")}
    codes = [f"C{row // 4}" for row in range(ROWS)]
    return pl.DataFrame({"code": codes, PERIOD: [2000 + row % 4 for row in range(ROWS)], **figures})


def measures(*names: str) -> tuple[Measure, ...]:
    return tuple(Measure(name=name, unit="", decimals=2) for name in names)


@pytest.mark.parametrize("identity", CASES, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_an_identity_that_holds_is_found(identity: Identity, seed: int) -> None:
    """It alone, with the number of rows in which it holds; a tenth of the outputs are mistakes."""
    names = measures("a", "b", "c", "d", "out")
    figures = drawn(seed).with_columns(pl.lit(0, pl.Int64).alias("out"))
    stated = stated_by(identity, Measured(measures=names), code="code")
    figures = figures.with_columns(pl.when(pl.int_range(pl.len()) % 10 == 7).then(7).otherwise(stated).alias("out"))
    (found,) = held(figures, names, "code")
    assert {*found.identity.inputs, found.identity.output} == {*identity.inputs, "out"}
    assert isinstance(found.identity, type(identity) | (Sum | Ratio | Product))
    assert 0.8 * found.rows <= found.holds <= found.rows


@pytest.mark.parametrize("seed", range(5))
def test_chance_is_no_identity(seed: int) -> None:
    """Figures that have nothing to do with each other have none."""
    assert held(drawn(seed), measures("a", "b", "c", "d"), "code") == ()


def test_identities_can_be_restored_in_their_order() -> None:
    """An output that another identity needs comes before it, and nothing goes round in a circle."""
    figures = drawn(1).with_columns(total=pl.col("a") + pl.col("b")).with_columns(all=pl.col("total") + pl.col("c"))
    found = held(figures, measures("a", "b", "c", "d", "total", "all"), "code")
    Measured(measures=measures("a", "b", "c", "d", "total", "all"), identities=tuple(each.identity for each in found))
    assert {each.identity.output for each in found} == {"total", "all"}
