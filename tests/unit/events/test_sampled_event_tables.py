"""Tables of events of all kinds under `guarded`: what is refused, what is never drawn, and what noise leaves of few."""

import re
from dataclasses import replace

import polars as pl
import pytest
from scipy.stats import binom, chisquare

from anonymize.synthesis.entities.categories import PASSES
from anonymize.synthesis.needs import thin, unmet
from pipeline.errors import InputError
from pipeline.model import ALL_IN_ONE, PERIOD, CodesLike, Column, Entities, Panel, RawTable, Reference, Role
from tests.stats import ALPHA
from tests.unit.events.lines_declared import LINES, SAILINGS
from tests.unit.events.sampled_lines import BUDGET, KEY, NO_LIMIT, WITHOUT_PANEL, originals, released, with_sailings


def test_too_few_companies_are_refused() -> None:
    """Of nineteen companies no statistic of twenty can be taken."""
    known = originals()["companies"]["company"].head(19).implode()
    tables = {name: originals()[name].filter(pl.col("company").is_in(known)) for name in ("companies", "sailings")}
    with pytest.raises(InputError, match=r"19 entities have events in 'sailings': the policy"):
        released(WITHOUT_PANEL, tables)


def test_what_few_companies_can_do_is_said_before_anything_is_drawn() -> None:
    """How many are needed, that no budget helps, which column has enough values, and what is lost without the table."""
    few = originals()["companies"]["company"].head(16).implode()
    tables = {name: originals()[name].filter(pl.col("company").is_in(few)) for name in ("companies", "sailings")}
    ships = of_classes(tables["sailings"], 40)
    panel = pl.DataFrame(schema={WITHOUT_PANEL.entities.code: pl.String})
    (said,) = unmet(WITHOUT_PANEL, {**tables, "sailings": ships}, panel, budget=BUDGET)
    assert "16 entities have events in 'sailings'" in said
    assert "needs 20 or more, whatever the budget" in said
    assert "'class' (40 values)" in said
    assert f"loses {ships.height:,} rows of {len(WITHOUT_PANEL.events[0].measures)} measures" in said
    assert list(unmet(WITHOUT_PANEL, originals(), panel, budget=BUDGET)) == []


def test_a_column_that_noise_would_hide_is_named_with_the_budget_that_keeps_it() -> None:
    """Of twelve classes none has enough companies at a small budget; at one without a limit, each has."""
    tables = {**originals(), "sailings": of_classes(originals()["sailings"], 12)}
    panel = pl.DataFrame(schema={WITHOUT_PANEL.entities.code: pl.String})
    (said,) = unmet(WITHOUT_PANEL, tables, panel, budget=BUDGET / 100)
    assert re.search(
        "column 'class' .* none of its values has enough entities to be published, at a budget of 0.2;", said
    )
    assert re.search("or spend a budget of [0-9.]+, which keeps [0-9]+ values?", said)
    assert [*unmet(WITHOUT_PANEL, tables, panel, budget=NO_LIMIT), *thin(WITHOUT_PANEL, tables, budget=NO_LIMIT)] == []


@pytest.mark.parametrize("offers_budgets", [True, False])
def test_a_column_of_rare_values_is_worth_a_look(*, offers_budgets: bool) -> None:
    """Another budget is among what helps, unless trials showed that none does."""
    place = pl.int_range(pl.len())
    of_a_class = pl.when(place % 5 < 2).then(0).otherwise(1 + place % 8)
    sailings = originals()["sailings"].with_columns(pl.format("class {}", of_a_class).alias("class"))
    tables = {**originals(), "sailings": sailings}
    (said,) = thin(WITHOUT_PANEL, tables, budget=BUDGET, offers_budgets=offers_budgets)
    assert "1 of 9 values of 'class' in 'sailings'" in said
    assert ("or spend a budget of" in said) is offers_budgets


def of_classes(sailings: pl.DataFrame, count: int) -> pl.DataFrame:
    return sailings.with_columns(pl.concat_str(pl.lit("class "), pl.int_range(pl.len()) % count).alias("class"))


def test_a_period_of_few_is_not_sampled() -> None:
    """A year in which three companies sail is left out, whatever they did."""
    sailings = originals()["sailings"]
    few = sailings["company"].unique().sort().head(3).implode()
    kept = sailings.filter((pl.col("sailed").dt.year() != 2023) | pl.col("company").is_in(few))
    found = released(WITHOUT_PANEL, {"companies": originals()["companies"], "sailings": kept}).events["sailings"].rows
    assert set(found["sailed"].dt.year()) == {2022, 2024}


def test_a_company_that_no_table_lists_is_refused() -> None:
    """Nobody knows its industry."""
    listed = originals()["companies"].filter(pl.col("company") != "L007")
    tables = {"companies": listed, "sailings": originals()["sailings"]}
    count = tables["sailings"].filter(pl.col("company") == "L007").height
    with pytest.raises(
        InputError, match=rf"{count} rows of the events 'sailings' have no code in 'company' that a table"
    ):
        released(WITHOUT_PANEL, tables)


def test_a_category_of_nobody_else_is_refused() -> None:
    """A column of which each value is one company's cannot be drawn, and the message says what to do."""
    environment = with_sailings(Column(name="ship", nullable=False))
    tables = dict(originals())
    tables["sailings"] = tables["sailings"].with_columns(ship=pl.col("company"))
    with pytest.raises(
        InputError, match=r"column 'ship' of the events 'sailings' may not be empty, and none of its values has enough"
    ):
        released(environment, tables)


def test_rare_categories_are_not_drawn() -> None:
    """A value that one company alone has is drawn under no more keys than is said (`PASSES`); what many have always is."""
    environment = with_sailings(Column(name="flag"))
    environment = replace(
        environment, panel=Panel(), raw_tables=environment.raw_tables[:1] + environment.raw_tables[-1:]
    )
    tables = {name: originals()[name] for name in ("companies", "sailings")}
    first = tables["sailings"]["company"].min()
    flags = pl.when(company=first).then(pl.lit("Malta")).otherwise(pl.lit("Eire"))
    tables["sailings"] = tables["sailings"].with_columns(flags.alias("flag"))
    seen = [
        set(released(environment, tables, KEY.derive(str(number))).events["sailings"].rows["flag"].drop_nulls())
        for number in range(20)
    ]
    assert all("Eire" in each for each in seen)
    # Of 20 keys, each with probability `PASSES` at most: more in one of 10,000 runs.
    assert sum("Malta" in each for each in seen) <= binom.ppf(1 - 1e-4, 20, PASSES)


@pytest.mark.parametrize("name", ["entity", "industry", PERIOD])
def test_a_column_may_be_called_as_owners_and_periods_are(name: str) -> None:
    """It is drawn as if it had another name, and so are the periods."""
    tables = dict(originals())
    tables["sailings"] = tables["sailings"].with_columns(pl.lit("Eire").alias(name))
    found = released(with_sailings(Column(name=name)), tables).events["sailings"].rows
    assert (found[name] == "Eire").sum() > 0.9 * found.height
    assert found["sailed"].dt.year().n_unique() > 1


def test_declared_values_are_drawn_however_few_have_them() -> None:
    """A column with a declared vocabulary is drawn from it where no value stands out of noise."""
    environment = with_sailings(Column(name="flag", nullable=False, allowed=("Eire", "Malta", "Norway")))
    tables = dict(originals())
    tables["sailings"] = tables["sailings"].with_columns(pl.lit("Eire").alias("flag"))
    found = released(environment, tables).events["sailings"].rows["flag"].value_counts(normalize=True)
    shares = dict(found.iter_rows())
    assert set(shares) <= {"Eire", "Malta", "Norway"}
    assert shares["Eire"] > 0.7


def test_references_to_sampled_rows_are_refused() -> None:
    """A table that refers to vouchers would refer to nothing."""
    tickets = RawTable(
        name="tickets",
        key=("ticket",),
        columns=(
            Column(name="ticket", public="a number of ours"),
            Column(name="company", role=Role.CODE),
            Column(name="sailing", public="a number of ours"),
        ),
        references=(Reference(columns=("company", "sailing"), to_table="sailings", to_columns=("company", "voucher")),),
    )
    environment = replace(LINES, raw_tables=(*LINES.raw_tables, tickets))
    with pytest.raises(InputError, match=r"'tickets' refers by 'company', 'sailing' to rows of the events 'sailings'"):
        released(environment, originals())


def test_whom_an_event_names_says_nothing_of_it() -> None:
    """All harbours that are listed are named about as often, however busy they are; one event in five names none, as before."""
    harbours = pl.DataFrame({"harbour": [f"H{place:02d}" for place in range(30)], ALL_IN_ONE: ALL_IN_ONE})
    kind = Entities(kind="harbour", tables=("harbours",), code="harbour", code_shape=CodesLike("H00"))
    column = Column(name="to", role=Role.CODE, of="harbour")
    environment = with_sailings(column, further=(replace(kind, tables=()),))
    listing = RawTable(name="harbours", key=("harbour",), columns=(replace(column, name="harbour"),))
    environment = replace(environment, raw_tables=(*environment.raw_tables, listing), further=(kind,))
    tables = dict(originals()) | {"harbours": harbours}
    place = pl.int_range(pl.len())
    named = pl.when(place % 5 > 0).then(pl.when(place % 2 == 0).then(pl.lit("H00")).otherwise(pl.lit("H01")))
    tables["sailings"] = tables["sailings"].with_columns(named.alias("to"))
    found = released(environment, tables, budget=NO_LIMIT).events["sailings"].rows["to"]
    assert found.null_count() / len(found) == pytest.approx(0.2, abs=0.02)
    counts = found.drop_nulls().value_counts()
    assert set(counts["to"]) == set(harbours["harbour"])
    assert chisquare(counts["count"]).pvalue > ALPHA


def test_events_without_time_number_or_category_are_sampled() -> None:
    """Events that have figures alone, keyed by what is not published, are sampled as one period."""
    claims = RawTable(
        name="claims",
        key=("file",),
        columns=(
            Column(name="file", role=Role.IDENTIFIER),
            Column(name="company", role=Role.CODE),
            *(measure.column() for measure in SAILINGS.measures[:2]),
        ),
    )
    events = replace(SAILINGS, table="claims", time="", stay_within=None, measures=SAILINGS.measures[:2], identities=())
    kept = tuple(table for table in LINES.raw_tables if table.name == "companies")
    environment = replace(LINES, raw_tables=(*kept, claims), panel=Panel(), events=(events,), tables=(), views=None)
    tables = {
        "companies": originals()["companies"],
        "claims": originals()["sailings"].select("company", "passengers", "fare", file="voucher"),
    }
    found = released(environment, tables, budget=NO_LIMIT).events["claims"].rows
    assert found["file"].null_count() == found.height
    assert found.height == pytest.approx(tables["claims"].height, rel=0.2)
    assert found["fare"].mean() == pytest.approx(tables["claims"]["fare"].mean(), rel=0.15)


def test_rows_of_one_key_are_one_row() -> None:
    """Where the key is company and time alone, no two sampled rows have both."""
    table = LINES.raw_table("sailings")
    unnumbered = tuple(column for column in table.columns if column.role is not Role.NUMBER)
    table = replace(table, columns=unnumbered, key=("company", "sailed"))
    others = tuple(each for each in LINES.raw_tables if each.name != "sailings")
    environment = replace(LINES, raw_tables=(*others, table), tables=(), views=None)
    tables = dict(originals())
    tables["sailings"] = (
        tables["sailings"]
        .drop("voucher")
        .with_columns(pl.col("sailed").dt.truncate("1mo"))
        .unique(["company", "sailed"], keep="first", maintain_order=True)
    )
    found = released(environment, tables).events["sailings"].rows
    assert found.height > 500
    assert not found.select("company", "sailed").is_duplicated().any()


@pytest.mark.parametrize("companies", [20, 40])
@pytest.mark.parametrize("budget", [0.5, BUDGET])
def test_few_companies_are_sampled_coarsely(companies: int, budget: float) -> None:
    """Where next to nothing can be said of so few, rows are drawn all the same: of periods that there are, identities exact."""
    environment = replace(
        WITHOUT_PANEL,
        raw_tables=tuple(
            replace(
                table,
                columns=tuple(replace(each, nullable=True) if each.name == "class" else each for each in table.columns),
            )
            for table in WITHOUT_PANEL.raw_tables
        ),
    )
    known = originals()["companies"]["company"].head(companies).implode()
    tables = {name: originals()[name].filter(pl.col("company").is_in(known)) for name in ("companies", "sailings")}
    found = released(environment, tables, budget=budget).events["sailings"]
    assert found.rows.schema == tables["sailings"].schema
    held = found.rows.drop_nulls(["passengers", "fare", "takings"])
    if "takings" in found.holding:
        assert (held["takings"] == held["passengers"] * held["fare"]).all()
