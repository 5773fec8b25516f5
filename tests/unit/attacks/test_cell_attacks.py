"""Attacks on cells find single firms where they are published, and nobody where cells are suppressed or figures are others."""

from pathlib import Path

import polars as pl
import pytest

from anonymize.figures import perturb_figures
from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.derive import derive_aggregate
from pipeline.environment.model import Aggregate, Entities, Environment, Frames, Measure, Panel
from pipeline.environment.us_listed import US_LISTED
from pipeline.keyed import Key
from pipeline.suppression import CellRule, suppress, suppressed_cells
from validation.attacks import Attack
from validation.attacks.cells import cell_attacks

KEY = Key(b"k" * 32)
ONE, TWO, LARGEST, DOMINATED, DIFFERENCE = (
    "cell of one firm",
    "cell of two firms, asked by one of them",
    "largest figure of a cell",
    "dominated cell",
    "differencing",
)
STATES = Aggregate(name="states", by=("state",), total_over="state", total_label="all")
TRADES = Aggregate(name="trades", by=("state", "trade"))
RULE = CellRule(minimum_count=3, largest_share=0.8)
Firm = tuple[str, str, int]
"""State, trade and sales."""


def declared(*aggregates: Aggregate) -> Environment:
    return Environment(
        name="e",
        title="e",
        raw_tables=(),
        entities=Entities(
            tables=("firms",),
            code="code",
            name="name",
            industry="trade",
            sub_industry="trade",
            language="en",
            code_mention="",
        ),
        panel=Panel(tables=("figures",), measures=(Measure(name="sales", unit="USD", decimals=2),)),
        aggregates=aggregates,
        tables=(),
    )


def frames(firms: list[Firm]) -> tuple[pl.DataFrame, pl.DataFrame]:
    whole = pl.DataFrame(
        [(f"c{i}", state, trade, 2022, sales) for i, (state, trade, sales) in enumerate(firms)],
        schema={"code": pl.String, "state": pl.String, "trade": pl.String, "year": pl.Int64, "sales": pl.Int64},
        orient="row",
    )
    return whole.select("code", "state", "trade"), whole.select("code", "year", "sales")


def attacked(
    environment: Environment,
    entities: pl.DataFrame,
    originals: pl.DataFrame,
    *,
    figures: pl.DataFrame | None = None,
    suppressed: pl.DataFrame | None = None,
) -> dict[tuple[str, str], Attack]:
    """Return each attack by its name and the tables that it names, on statistics of the figures (the originals by default)."""
    panel = originals if figures is None else figures
    published: Frames = {
        aggregate.name: derive_aggregate(environment, aggregate, entities, panel)[aggregate.name]
        for aggregate in environment.aggregates
    }
    if suppressed is not None:
        published = {a.name: suppress(published[a.name], a, suppressed) for a in environment.aggregates}
    found = cell_attacks(environment, published, entities, originals)
    return {
        (a.attack, a.knowledge.removeprefix("which firms are in each cell of ").removesuffix(", and their figures")): a
        for a in found
    }


def results(found: dict[tuple[str, str], Attack]) -> dict[str, tuple[int, int]]:
    """Return successes and records of the attacks on the states' own cells."""
    return {attack: (a.successes, a.records) for (attack, tables), a in found.items() if tables == "states"}


FIRMS: list[Firm] = [
    *(("alone", "x", sales) for sales in (123_456,)),
    *(("pair", "x", sales) for sales in (40_000, 70_000)),
    *(("ruled", "x", sales) for sales in (9_000_000, 1_000, 2_000)),
    *(("many", "x", sales) for sales in (50_000, 60_000, 70_000, 80_000)),
]


def test_published_small_and_dominated_cells_give_firms_away() -> None:
    """A lone firm, either of two, every maximum and the firm that makes a sum by itself are all found; a fair cell is not."""
    environment = declared(Aggregate(name="states", by=("state",)))
    assert results(attacked(environment, *frames(FIRMS))) == {
        ONE: (1, 1),
        TWO: (2, 2),
        LARGEST: (2, 2),
        DOMINATED: (1, 2),
    }


def test_suppressed_cells_give_nobody_away() -> None:
    """Where small and dominated cells are suppressed, and extremes with them, none of the four attacks finds a firm."""
    environment = declared(Aggregate(name="states", by=("state",)))
    entities, originals = frames(FIRMS)
    rule = CellRule(minimum_count=3, largest_share=0.8, keeps_extremes=False)
    suppressed = suppressed_cells(environment, entities, originals, rule)
    found = results(attacked(environment, entities, originals, suppressed=suppressed))
    assert found == {ONE: (0, 1), TWO: (0, 2), LARGEST: (0, 2), DOMINATED: (0, 2)}


def test_a_figure_of_zero_is_nobodys() -> None:
    """That a firm has no sales is no figure of its own, so such cells are not counted."""
    environment = declared(Aggregate(name="states", by=("state",)))
    firms: list[Firm] = [("alone", "x", 0), *(("many", "x", 0) for _ in range(3))]
    assert {records for _, records in results(attacked(environment, *frames(firms))).values()} == {0}


MANY: list[Firm] = [(f"state {i % 30:02}", "x", 1_000 * 7 ** (i % 10) + i) for i in range(75)]
"""Thirty states of two or three firms, those of a state of much the same size."""


def test_low_digits_hide_no_firm_of_a_small_cell() -> None:
    """Digit noise keeps three digits, and a cell of two firms gives both away, as a maximum does the largest."""
    environment = declared(Aggregate(name="states", by=("state",)))
    entities, originals = frames(MANY)
    noisy = perturb_figures(originals, environment.panel, code="code", key=KEY)
    found = attacked(environment, entities, originals, figures=noisy)
    assert found[TWO, "states"].rate > 0.8
    assert found[LARGEST, "states"].rate == 1


def test_strongly_changed_figures_give_nobody_away() -> None:
    """Where every firm carries the figures of one ten times as large or small, nothing that is published is its own."""
    environment = declared(Aggregate(name="states", by=("state",)))
    entities, originals = frames(MANY)
    changed = originals.with_columns(pl.col("sales") * pl.Series([10, 13, 17] * 25))
    found = results(attacked(environment, entities, originals, figures=changed))
    assert {successes for successes, _ in found.values()} == {0}


FAIR: list[Firm] = [(state, trade, 100_000) for state in "ab" for trade in "xyz" for _ in range(3)]


@pytest.mark.parametrize(
    ("lone", "tables"),
    [(("c", "x", 654_321), "states"), (("a", "w", 654_321), "states and trades")],
    ids=["in a total of its own table", "in a coarser table"],
)
def test_differences_give_a_suppressed_cell_away(lone: Firm, tables: str) -> None:
    """If only the cells that break the rule are left out, the total less the others is the lone firm."""
    environment = declared(STATES, TRADES)
    entities, originals = frames([*FAIR, lone])
    primary = suppressed_cells(environment, entities, originals, RULE).filter(pl.col("reason") != "complementary")
    protected = suppressed_cells(environment, entities, originals, RULE)
    found = attacked(environment, entities, originals, suppressed=primary)[DIFFERENCE, tables]
    assert (found.successes, found.records) == (1, 1)
    assert attacked(environment, entities, originals, suppressed=protected)[DIFFERENCE, tables].successes == 0


def test_without_suppression_there_is_nothing_to_subtract() -> None:
    """Where every part is published a total holds nothing more, and no difference is counted."""
    assert attacked(declared(STATES, TRADES), *frames(FAIR))[DIFFERENCE, "states and trades"].records == 0


def test_attacks_name_no_firm() -> None:
    """Nothing that is said of an attack holds a code or a group."""
    found = attacked(declared(STATES, TRADES), *frames(FIRMS))
    texts = " ".join(f"{attack.published()}" for attack in found.values())
    assert not [text for text in ("c0", "alone", "pair", "ruled", "many") if text in texts]


@pytest.mark.real
def test_real_small_cells_are_given_away_unless_suppressed(real_tables: Path) -> None:
    """Of cells with one real firm 99 % are found under digit noise, maxima likewise; with the rule none, and few dominated."""
    conformed = conform(US_LISTED.raw_tables, real_tables / "us_listed").frames
    originals = original_figures(US_LISTED, conformed)
    noisy = perturb_figures(originals, US_LISTED.panel, code=US_LISTED.entities.code, key=KEY)
    entities = conformed["securities"]
    before = attacked(US_LISTED, entities, originals, figures=noisy)
    rule = CellRule(minimum_count=3, largest_share=0.85, keeps_extremes=False)
    suppressed = suppressed_cells(US_LISTED, entities, noisy, rule)
    after = attacked(US_LISTED, entities, originals, figures=noisy, suppressed=suppressed)
    assert before[ONE, "state_aggregates"].records > 2_000
    assert before[ONE, "state_aggregates"].rate > 0.98
    assert before[TWO, "state_aggregates"].rate > 0.9
    assert before[LARGEST, "sector_aggregates"].rate > 0.98
    for table in ("sector_aggregates", "state_aggregates"):
        assert [after[attack, table].successes for attack in (ONE, TWO, LARGEST)] == [0, 0, 0]
        # What is left is where figures of both signs cancel, so that the sum meets the largest of them by chance.
        assert after[DOMINATED, table].rate < 0.01 < before[DOMINATED, table].rate
