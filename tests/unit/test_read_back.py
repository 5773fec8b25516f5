"""Reading back: exactly what was written, whatever the notation; noise is undone where the text tells, and never stops it."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.conform.read_back import ReadBack, pairs_of, read_back
from pipeline.errors import InputError
from pipeline.model import (
    PERIOD,
    Column,
    Entities,
    EntityView,
    Environment,
    LongFigures,
    Measure,
    NameList,
    Panel,
    PublishedDocument,
    RawTable,
    Role,
    Views,
    Vocabulary,
    WideFigures,
)
from pipeline.noise.kinds.units import plain_text
from pipeline.numerals import decimal_text
from tests.bare import published

UNITS = {"EUR": 1, "thousand EUR": 1_000, "million EUR": 1_000_000}
SALES, STAFF, MARGIN = MEASURES = (
    Measure(name="sales", unit="EUR", decimals=2),
    Measure(name="staff", unit="people"),
    Measure(name="margin", unit="%", decimals=1, additive=False),
)

SHOPS = RawTable(
    name="shops",
    key=("shop",),
    columns=(
        Column(name="shop", role=Role.CODE),
        Column(name="name", role=Role.NAME),
        Column(name="trade"),
        Column(name="opened", role=Role.DATE, type="date"),
        Column(name="area", type="decimal", decimals=1),
        Column(name="register", role=Role.IDENTIFIER),
    ),
)
SCHEMA = pl.Schema(
    {
        "shop": pl.String(),
        "name": pl.String(),
        "trade": pl.String(),
        "opened": pl.Date(),
        "area": pl.Int64(),
        "register": pl.String(),
        "decade": pl.Int64(),
    }
)
"""As conformed: the last column completes the table."""

LONG = LongFigures(
    table="figures", code="code", year="year", measure="measure", unit="unit", value="value", vocabulary="measures"
)
CODED = LongFigures(table="coded", code="code", year="year", measure="key", value="value", labels={"K1": "sales"})
WIDE = WideFigures(table="wide", code="code", year="year", columns={"Sales": "sales", "Staff": "staff"})
ENTITIES = EntityView(
    table="profile",
    columns={"code": "shop", "name": "name", "kind": "trade", "opened": "opened", "area": "area", "decade": "decade"},
    vocabularies={"kind": "trades"},
)


def environment(*figures: LongFigures | WideFigures, english: NameList | None = None) -> Environment:
    return Environment(
        name="shops",
        title="",
        raw_tables=(SHOPS,),
        entities=Entities(
            tables=("shops",),
            code="shop",
            name="name",
            industry="trade",
            sub_industry="trade",
            language="en",
            code_mention="(A)",
        ),
        panel=Panel(tables=(), measures=MEASURES),
        aggregates=(),
        tables=(
            published("profile", ("code", "name", "kind", "opened", "area", "decade")),
            published("figures", ("code", "year", "measure", "unit", "value")),
            published("coded", ("code", "year", "key", "value")),
            published("wide", ("code", "year", "Sales", "Staff")),
        ),
        documents=(PublishedDocument(path="names.json", needs=(), render=lambda _: ""),),
        vocabularies=(
            Vocabulary(name="measures", aliases={"sales": ("turnover", "income"), "staff": ("heads", "income")}),
            Vocabulary(name="trades", aliases={"Bakery": ("Baker", "Bicycles"), "Bicycles": ("Bikes",)}),
        ),
        units={"EUR": UNITS},
        views=Views(entities=ENTITIES, figures=figures or (LONG,), english=english),
    )


def text(rows: list[tuple[str | None, ...]], *columns: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


PROFILE = text(
    [("B1", "Wheel and Co.", "Bicycles", "", "7.5", "1990"), ("A1", "Loaf", "Bakery", "3/4/1998", None, "2000")],
    "code",
    "name",
    "kind",
    "opened",
    "area",
    "decade",
)


def figures(*rows: tuple[str | None, ...]) -> pl.DataFrame:
    return text(list(rows), "code", "year", "measure", "unit", "value")


def read(*rows: tuple[str | None, ...], profile: pl.DataFrame = PROFILE) -> ReadBack:
    return read_back(environment(), {"profile": profile, "figures": figures(*rows)}, {}, SCHEMA)


def cell(found: ReadBack, measure: str) -> list[int | None]:
    return found.figures[measure].to_list()


# figures --------------------------------------------------------------------------------------------------------------

QUANTA = st.integers(-(2**63) + 1, 2**63 - 1)


@given(quanta=QUANTA, least=st.integers(0, 3))
def test_text_in_the_own_unit_is_read_exactly(quanta: int, least: int) -> None:
    """What is written from any 64-bit count of hundredths is read as that count."""
    written = pl.select(decimal_text(pl.lit(quanta, pl.Int64), 2, least=least)).item()
    assert cell(read(("A1", "2022", "sales", "EUR", written)), "sales") == [quanta]


@given(quanta=st.integers(-(10**14), 10**14), unit=st.sampled_from(sorted(UNITS)))
def test_figure_in_another_unit_comes_back_to_the_last_digit(quanta: int, unit: str) -> None:
    """As noise states it: a float in fewest digits, its binary residue with it."""
    written = pl.select(plain_text(pl.lit(float(Decimal(quanta) / 100)) * 1.0 / UNITS[unit])).item()
    assert cell(read(("A1", "2022", "sales", unit, written)), "sales") == [quanta]


@pytest.mark.parametrize(
    ("measure", "unit", "value", "quanta", "unread"),
    [
        ("sales", None, "12.5", 1250, 0),
        ("sales", " thousand EUR ", " 12.5 ", 1_250_000, 0),
        ("sales", "EUR", "1.2500e1", 1250, 0),
        ("sales", "EUR", "12.499999999999998", 1250, 0),
        ("turnover", "EUR", "12.5", 1250, 0),
        ("sales", "EUR", None, None, 0),
        ("sales", "EUR", "n/a", None, 1),
        ("sales", "EUR", "1,250", None, 1),
        ("sales", "EUR", "inf", None, 1),
        ("sales", "EUR", "1e300", None, 1),
        ("sales", "USD", "12.5", None, 1),
        ("income", "EUR", "12.5", None, 0),
        ("rent", "EUR", "12.5", None, 0),
        (None, "EUR", "12.5", None, 0),
    ],
)
def test_cell_is_read_as_far_as_its_text_tells(
    measure: str | None, unit: str | None, value: str | None, quanta: int | None, unread: int
) -> None:
    """Units, residues and aliases that mean one measure are undone; what cannot be told is passed over, and counted."""
    found = read(("A1", "2022", measure, unit, value), ("B1", "2022", "staff", "people", "7"))
    assert found.figures.filter(shop="A1")["sales"].to_list() == ([] if quanta is None else [quanta])
    assert found.unread == unread


@pytest.mark.parametrize(("code", "year"), [(None, "2022"), ("A1", None), ("A1", "soon")])
def test_figure_of_nobody_or_no_year_is_counted(code: str | None, year: str | None) -> None:
    """Without code or year a figure belongs nowhere."""
    found = read((code, year, "sales", "EUR", "1"))
    assert (found.figures.height, found.unread) == (0, 1)


def test_repeated_figure_counts_once_and_rows_come_sorted() -> None:
    """The first of several stands; records are sorted by code and year, measures without figures are there and null."""
    found = read(
        ("B1", "2022", "sales", "EUR", "1"),
        ("A1", "2022", "sales", "EUR", "2"),
        (" A1 ", "2021", "staff", "people", "3"),
        ("B1", "2022", "sales", "EUR", "9"),
    )
    assert found.figures.rows() == [
        ("A1", 2021, None, 3, None),
        ("A1", 2022, 200, None, None),
        ("B1", 2022, 100, None, None),
    ]
    assert found.figures.schema == {
        "shop": pl.String,
        PERIOD: pl.Int64,
        "sales": pl.Int64,
        "staff": pl.Int64,
        "margin": pl.Int64,
    }


def test_wide_and_coded_tables_are_read_alike() -> None:
    """One row a firm and year, or one a figure under a code: the same panel; rows under other codes are no figures."""
    wide = text([("A1", "2022", "12.5", "7"), ("B1", "2022", None, "x")], "code", "year", "Sales", "Staff")
    coded = text([("A1", "2022", "K1", "12.5"), ("A1", "2022", "K1_YOY", "99")], "code", "year", "key", "value")
    tables = {"profile": PROFILE, "wide": wide, "coded": coded}
    of_wide, of_coded = (read_back(environment(view), tables, {}, SCHEMA) for view in (WIDE, CODED))
    assert of_wide.figures.rows() == [("A1", 2022, 1250, 7, None)]
    assert of_coded.figures.rows() == [("A1", 2022, 1250, None, None)]
    assert (of_wide.unread, of_coded.unread) == (1, 0)


def test_tables_that_agree_make_one_panel_and_what_contradicts_is_kept_apart() -> None:
    """The first table's figure stands, the second fills gaps, and where it says otherwise that figure is given too."""
    coded = text(
        [("A1", "2021", "K1", "5"), ("A1", "2022", "K1", "6"), ("B1", "2022", "K1", "8")],
        "code",
        "year",
        "key",
        "value",
    )
    wide = text([("A1", "2022", "6", "7"), ("B1", "2022", "8.01", "3")], "code", "year", "Sales", "Staff")
    found = read_back(environment(CODED, WIDE), {"profile": PROFILE, "coded": coded, "wide": wide}, {}, SCHEMA)
    assert found.figures.rows() == [
        ("A1", 2021, 500, None, None),
        ("A1", 2022, 600, 7, None),
        ("B1", 2022, 800, 3, None),
    ]
    (contradiction,) = found.contradictions
    assert contradiction.table == "wide"
    assert contradiction.figures.rows() == [("B1", 2022, 801, None, None)]
    assert contradiction.instead_of.rows() == [("B1", 2022, 800, None, None)]


def test_columns_that_noise_took_away_are_blank() -> None:
    """A file without its value column, and one without its name column, is read as far as it goes."""
    tables = {"profile": PROFILE.drop("name"), "figures": figures(("A1", "2022", "sales", "EUR", "1")).drop("value")}
    found = read_back(environment(), tables, {}, SCHEMA)
    assert (found.figures.height, found.unread) == (0, 0)
    assert found.names["legal"].to_list() == ["", ""]


# entities and names ---------------------------------------------------------------------------------------------------


def test_entities_are_typed_as_the_raw_table() -> None:
    """Dates, quanta and completed columns have their types, identifiers are left out, rows are sorted by code."""
    found = read().entities
    assert found.schema == pl.Schema({name: dtype for name, dtype in SCHEMA.items() if name != "register"})
    assert found.rows() == [
        ("A1", "Loaf", "Bakery", date(1998, 4, 3), None, 2000),
        ("B1", "Wheel and Co.", "Bicycles", None, 75, 1990),
    ]


@pytest.mark.parametrize("written", ["3/4/1998", "03/04/1998", "1998-04-03"])
def test_date_is_read_as_the_raw_table_writes_it_or_in_iso(written: str) -> None:
    """Both are what a rendering may write."""
    found = read(profile=PROFILE.with_columns(opened=pl.lit(written))).entities
    assert found["opened"].dt.to_string("iso").to_list() == ["1998-04-03"] * 2


@pytest.mark.parametrize(
    ("kind", "trade"), [("Baker", "Bakery"), ("Bikes", "Bicycles"), ("Bicycles", "Bicycles"), ("Bank", "Bank")]
)
def test_alias_of_one_name_is_undone(kind: str, trade: str) -> None:
    """A name that is also another's alias stays, as does what no vocabulary has."""
    found = read(profile=PROFILE.with_columns(kind=pl.lit(kind))).entities
    assert found["trade"].to_list() == [trade] * 2


def test_rows_without_a_code_and_repeated_ones_are_left_out() -> None:
    """One row a code, the first."""
    rows = pl.concat(
        [PROFILE, PROFILE.with_columns(name=pl.lit("again")), PROFILE.with_columns(code=pl.lit(None, pl.String))]
    )
    found = read(profile=rows).entities
    assert found.select("shop", "name").rows() == [("A1", "Loaf"), ("B1", "Wheel and Co.")]


def test_english_names_come_from_the_document() -> None:
    """By legal name; a name that is not in the list is empty."""
    tables = {"profile": PROFILE, "figures": figures()}
    found = read_back(environment(english=NameList(document="names")), tables, {"Loaf": "The Loaf"}, SCHEMA)
    assert found.names.rows() == [("A1", "Loaf", "The Loaf"), ("B1", "Wheel and Co.", "")]


@pytest.mark.parametrize(
    ("content", "field"), [({"L": "E"}, ""), ({"firms": {"L": "E", "M": 1}, "policies": {"P": "Q"}}, "firms")]
)
def test_pairs_are_the_texts_of_the_field(content: object, field: str) -> None:
    """Whatever else stands in the document is passed over."""
    assert pairs_of(content, NameList(document="names", field=field)) == {"L": "E"}


@pytest.mark.parametrize("content", [[], None, {"firms": ["L"]}])
def test_document_without_pairs_has_none(content: object) -> None:
    """A list of something else is no list of names."""
    assert pairs_of(content, NameList(document="names", field="firms")) == {}


# declarations ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("views", "says"),
    [
        (None, "environment 'shops' does not declare how its published files are read back; give it `views="),
        (Views(entities=replace(ENTITIES, table="profil"), figures=(LONG,)), "unknown published table 'profil'"),
        (
            Views(entities=replace(ENTITIES, columns={"cod": "shop"}), figures=(LONG,)),
            "unknown column of the published table 'profile' in the views 'cod'",
        ),
        (
            Views(entities=replace(ENTITIES, columns={"code": "shop", "name": "nam"}), figures=(LONG,)),
            "unknown column of 'shops' in the views 'nam'",
        ),
        (
            Views(entities=replace(ENTITIES, columns={"name": "name"}), figures=(LONG,)),
            "no published column of 'profile' holds 'shop'",
        ),
        (
            Views(entities=replace(ENTITIES, vocabularies={"kind": "trade"}), figures=(LONG,)),
            "unknown vocabulary 'trade'",
        ),
        (Views(entities=ENTITIES, figures=(replace(LONG, unit="units"),)), "table 'figures' in the views 'units'"),
        (Views(entities=ENTITIES, figures=(replace(LONG, vocabulary="x"),)), "unknown vocabulary 'x'"),
        (
            Views(entities=ENTITIES, figures=(replace(CODED, labels={"K1": "sale"}),)),
            "measure in the views of 'coded' 'sale'",
        ),
        (
            Views(entities=ENTITIES, figures=(replace(WIDE, columns={"Sale": "sales"}),)),
            "table 'wide' in the views 'Sale'",
        ),
        (
            Views(entities=ENTITIES, figures=(LONG,), english=NameList(document="name")),
            "unknown published document 'name'",
        ),
    ],
)
def test_views_of_what_is_not_declared_are_refused(views: Views | None, says: str) -> None:
    """Each is told with what is declared."""
    with pytest.raises(InputError, match=says):
        read_back(replace(environment(), views=views), {"profile": PROFILE, "figures": figures()}, {}, SCHEMA)
