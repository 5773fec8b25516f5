"""Each raw column has a treatment that follows from the declaration; what has none is refused by name, all of it at once."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from anonymize.policy import GUARDED, LSD, Policy
from anonymize.pseudonyms import pseudonyms
from anonymize.tables import anonymised_figures
from anonymize.treatments import MADE, NOT_DECLARED, columns_of, published_treatments
from pipeline.conform import conform
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import (
    PERIOD,
    Aggregate,
    Column,
    Environment,
    GivenAggregate,
    QuasiIdentifier,
    QuasiIdentifiers,
    RawTable,
    Role,
)
from pipeline.model.refused.contradictions import refuse_unready
from pipeline.model.schema.fields import TableLineage
from pipeline.model.treatments import Treatment, quasi_identifiers, treatments
from silt.commands.check.columns import ColumnInWords, described, together
from silt.definitions import build_defs
from silt.environments.registry import ENVIRONMENTS, find_environment
from tests.anonymised import anonymise_tables
from tests.integration.readme import write_example
from tests.leaks.bakers import ACCOUNTS, BAKERS, SHOPS, raw_tables, with_table

KEY = Key(b"f" * 32)


@pytest.mark.parametrize("environment", [*ENVIRONMENTS.values(), BAKERS], ids=lambda each: each.name)
def test_everything_shipped_is_decided(environment: Environment) -> None:
    """No shipped environment publishes anything that nobody decided on, and every column has a treatment."""
    refuse_unready(environment)
    for table in environment.raw_tables:
        assert treatments(environment, table).keys() == {column.name for column in (*table.columns, *table.adds)}


def test_treatments_follow_from_roles() -> None:
    """Each role has its treatment; an attribute of an entity is a quasi-identifier by itself."""
    assert treatments(BAKERS, SHOPS) == {
        "shop": Treatment.PSEUDONYM,
        "name": Treatment.PSEUDONYM,
        "trade": Treatment.QUASI_IDENTIFIER,
        "town": Treatment.QUASI_IDENTIFIER,
        "opened": Treatment.DATE,
        "licence": Treatment.WITHHELD,
        "loaded": Treatment.WITHHELD,
    }
    assert treatments(BAKERS, BAKERS.raw_table("stories"))["story"] is Treatment.PROSE
    assert set(treatments(BAKERS, BAKERS.raw_table("weather")).values()) == {Treatment.PUBLIC}


def test_of_a_table_of_the_panel_only_the_panel_is_published() -> None:
    """Whatever else stands in it, attributes and measures that the panel does not have, is withheld."""
    columns = (*ACCOUNTS.columns, Column(name="union"), Column(name="debt", role=Role.MEASURE, type="decimal"))
    table = replace(ACCOUNTS, columns=columns)
    found = treatments(with_table(BAKERS, table), table)
    assert (found[PERIOD], found["sales"]) == (Treatment.PERIOD, Treatment.FIGURE)
    assert found["union"] is found["debt"] is Treatment.WITHHELD


def test_what_is_only_compared_with_is_withheld() -> None:
    """The originals' own aggregates are never published, whatever their columns are."""
    given = RawTable(name="given", key=("trade",), columns=(Column(name="trade"), Column(name="mean", type="float")))
    aggregate = Aggregate(
        name="by_trade",
        by=("trade",),
        given=GivenAggregate(table="given", by={"trade": "trade"}, statistics=(("sales", "mean", "mean"),)),
    )
    environment = replace(with_table(BAKERS, given), aggregates=(aggregate,))
    assert set(treatments(environment, given).values()) == {Treatment.WITHHELD}
    refuse_unready(environment)


def test_attributes_and_dates_are_quasi_identifiers_undeclared() -> None:
    """What is declared comes first, in its order; every other attribute and date of the table follows, a public one never."""
    assert quasi_identifiers(BAKERS).columns == ("trade", "town", "opened")
    told = QuasiIdentifiers(kept=("trade",), dealt=(QuasiIdentifier(column="opened"),))
    assert quasi_identifiers(replace(BAKERS, quasi_identifiers=told)).columns == ("trade", "opened", "town")
    public = tuple(replace(c, public="no secret") if c.name == "town" else c for c in SHOPS.columns)
    assert quasi_identifiers(with_table(BAKERS, replace(SHOPS, columns=public))).columns == ("trade", "opened")


def test_a_number_is_one_if_it_is_declared() -> None:
    """An integer of an entity table that is declared as a quasi-identifier is dealt with as one."""
    table = replace(SHOPS, columns=(*SHOPS.columns, Column(name="founded", type="integer")))
    told = QuasiIdentifiers(kept=("trade",), dealt=(QuasiIdentifier(column="founded"),))
    environment = replace(with_table(BAKERS, table), quasi_identifiers=told)
    refuse_unready(environment)
    assert treatments(environment, table)["founded"] is Treatment.QUASI_IDENTIFIER


def test_all_problems_are_told_at_once() -> None:
    """Each is named with its table and column, and says what to do."""
    table = replace(
        SHOPS,
        columns=(*SHOPS.columns, Column(name="heads", type="integer"), Column(name="debt", role=Role.MEASURE)),
        complete=lambda shops: shops.with_columns(ref=pl.col("licence")),
        adds=(Column(name="gone"),),
    )
    with pytest.raises(InputError, match="4 problem") as refused:
        refuse_unready(with_table(BAKERS, table))
    lines = str(refused.value).splitlines()
    assert [line.split("column ")[1].split(":")[0] for line in lines[1:]] == ["'heads'", "'debt'", "'ref'", "'gone'"]
    assert "`Panel.tables`" in lines[2]
    assert "`adds` does not declare it" in lines[3]


def test_a_complete_that_cannot_be_run_is_refused() -> None:
    """A `complete` over columns that are not there is named while the environment is loaded."""
    table = replace(SHOPS, complete=lambda shops: shops.with_columns(ref=pl.col("no such column")))
    with pytest.raises(InputError, match="raw table 'shops': `complete` cannot be run"):
        refuse_unready(with_table(BAKERS, table))


def test_what_nobody_decided_on_is_dropped_where_tables_are_anonymised(tmp_path: Path) -> None:
    """Even where nobody asked first, a column without a treatment does not pass."""
    columns = (*SHOPS.columns, Column(name="debt", role=Role.MEASURE, type="decimal", decimals=2))
    environment = with_table(BAKERS, replace(SHOPS, columns=columns))
    for name, rows in raw_tables().items():
        told = rows.with_columns(debt=pl.lit("12.34")) if name == "shops" else rows
        told.write_csv(tmp_path / f"{name}.csv")
    conformed = conform(environment.raw_tables, tmp_path).frames
    map_, figures = pseudonyms(environment, conformed, KEY), anonymised_figures(environment, conformed, KEY).figures
    shops = anonymise_tables(environment, conformed, map_, KEY, figures=figures)["shops"]
    assert "debt" in conformed["shops"].columns
    assert shops.columns == ["shop", "name", "trade", "town", "opened"]


def test_the_manifest_says_what_became_of_each_column() -> None:
    """By treatment, in each policy's words; a column without lineage is not declared, one that is made is said to be."""
    lineage = dict(BAKERS.lineage) | {
        "weather": TableLineage(columns={"day": (("weather", "day"),), "rain": ()}),
        "accounts": TableLineage(columns={"sales": (("figures", "sales"), ("figures", PERIOD))}),
    }
    found = published_treatments(replace(BAKERS, lineage=lineage), LSD)
    assert found["shops"] == {
        "pseudonym": ["shop", "name"],
        "kept, a quasi-identifier": ["trade", "town"],
        "redrawn within its year": ["opened"],
    }
    assert found["weather"] == {"kept, public: measured by the state; about no shop": ["day"], MADE: ["rain"]}
    assert found["accounts"]["perturbed; kept, the year of the record"] == ["sales"]
    assert found["stories"] == {NOT_DECLARED: ["shop", "story", "teller"]}
    guarded = published_treatments(BAKERS, GUARDED)["shops"]
    assert guarded["kept, a quasi-identifier"] == ["trade"]
    assert guarded["drawn anew within what is kept"] == ["town"]


def test_the_output_of_an_identity_is_worked_out_again() -> None:
    """Its inputs are named, and what many figures share is not; a promise still speaks of real digits, as some stay."""
    apart = published_treatments(ENVIRONMENTS["dataclaw-18"], LSD)
    wide, long = apart["ideal_company_operation_status"], apart["company_operation_status"]
    words = "worked out again from 总负债 and 总资产; perturbed where that did not hold"
    assert wide[words] == ["资产负债率"]
    assert {"总负债", "总资产"} <= set(wide["perturbed"])
    assert long["perturbed; worked out again from others, where an identity gives it"] == ["value"]
    assert published_treatments(ENVIRONMENTS["dataclaw-18"], GUARDED)["company_operation_status"]["sampled"] == [
        "value"
    ]
    assert columns_of({"log": {words: ["ratio"]}}, Treatment.FIGURE) == ["ratio"]


def test_an_environment_of_ones_own_is_refused_while_it_is_loaded(tmp_path: Path) -> None:
    """Whichever command names it, an environment with such a column ends there, before any table is read."""
    file = tmp_path / "bakers.py"
    file.write_text(
        "from tests.leaks.bakers import BAKERS, Column, Role, with_columns\n"
        "MORE = with_columns(BAKERS, 'shops', Column(name='debt', role=Role.MEASURE, type='decimal'))\n",
        encoding="utf-8",
    )
    debt = Column(name="debt", role=Role.MEASURE, type="decimal")
    assert find_environment(f"{file}:BAKERS").name == "bakers"
    with pytest.raises(InputError, match="raw table 'shops', column 'debt': nothing would protect this figure"):
        find_environment(f"{file}:MORE")
    with pytest.raises(InputError, match="column 'debt'"):
        build_defs(with_table(BAKERS, replace(SHOPS, columns=(*SHOPS.columns, debt))))


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (
            LSD,
            [
                "kept as it is",
                "kept, with names and codes in it replaced",
                "keeps 3 leading digits, the others are drawn; a shorter figure stays",
                "worked out again from costs and profit; perturbed where that did not hold",
            ],
        ),
        (
            GUARDED,
            ["drawn anew within what is kept, blank where too few share a value", "left blank", "sampled", "sampled"],
        ),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_a_check_says_what_its_policy_does(policy: Policy, said: list[str], tmp_path: Path) -> None:
    """Of the tutorial's shops: a category that is not the industry, a text that nobody writes anew, a figure, and a sum."""
    write_example(tmp_path)
    declared = find_environment(f"{tmp_path / 'shops.py'}:SHOPS")
    lines = map(str, described(declared, tmp_path / "shops", policy=policy, with_cells=False))
    found = {line.partition(":")[0]: line.partition(" -> ")[2] for line in lines}
    assert [found[name] for name in ("shops.town", "shops.about", "accounts.costs", "accounts.sales")] == said
    assert (found["shops.trade"].split(",")[0][:4], found["shops.name"]) == ("kept", "a pseudonym: an invented name")


def test_columns_of_which_the_same_is_said_share_a_line() -> None:
    """Those of one table, with the cells of each; others, a column without a name and a file stay by themselves."""
    columns = [
        ColumnInWords("shops", "sales", "a figure", " (as in 1, 2)"),
        ColumnInWords("shops", "town", "kept"),
        ColumnInWords("shops", "costs", "a figure", " (as in 3)"),
        ColumnInWords("calls", "", "kept"),
        ColumnInWords("notes.csv", None, "not published"),
    ]
    assert list(together(columns)) == [
        "columns    shops: sales (as in 1, 2), costs (as in 3): a figure",
        "column     shops.town: kept",
        "column     calls.: kept",
        "column     notes.csv: not published",
    ]
