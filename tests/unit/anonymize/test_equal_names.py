"""Several codes with one name: an error that says which, one company with one invented name, or companies with one each."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.keys.identity_map import NAME_OF_CODE
from anonymize.names import pseudonymous_names
from anonymize.pseudonyms import Pseudonyms, _companies, _rows_of, pseudonyms
from pipeline.conform import conform
from pipeline.errors import WITHHELD, ContractError
from pipeline.keyed import Key
from pipeline.model import AliasSource, Column, Entities, Environment, Panel, RawTable, Role
from validation.escapes import Identifiers

KEY = Key(bytes(32))
ENTITIES = Entities(
    tables=("home", "abroad"),
    code="code",
    name="name",
    industry="trade",
    sub_industry="trade",
    language="en",
    code_mention=r"([A-Z]\d)",
    aliases=(AliasSource(table="products", code="code", alias="product", only_kind="product"),),
)
LISTED = (
    Column(name="code", role=Role.CODE, nullable=False),
    Column(name="name", role=Role.NAME),
    Column(name="trade"),
)
TABLES = (
    *(RawTable(name=name, key=("code",), columns=LISTED) for name in ENTITIES.tables),
    RawTable(name="products", key=("product",), columns=(LISTED[0], Column(name="product", role=Role.ALIAS))),
)
HOME = [("A1", "Zumbra Nolk"), ("A2", "Tarvik"), ("A3", "ZUMBRA-NOLK")]
ABROAD = [("B1", "Zúmbra  Nolk"), ("A1", "Zumbra Nolk"), ("B2", None)]


def named(rows: Sequence[tuple[str, str | None]]) -> pl.DataFrame:
    schema = {"code": pl.String, "name": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(trade=pl.lit("Tools"))


def made(entities: Entities, home: pl.DataFrame, abroad: pl.DataFrame, products: pl.DataFrame) -> Pseudonyms:
    panel = Panel(tables=(), measures=())
    environment = Environment(
        name="e", title="E", raw_tables=TABLES, entities=entities, panel=panel, aggregates=(), tables=()
    )
    return pseudonyms(environment, {"home": home, "abroad": abroad, "products": products}, KEY)


def of(same_name: str) -> Entities:
    return replace(ENTITIES, same_name=same_name)  # type: ignore[arg-type]


PRODUCTS = pl.DataFrame({"code": ["A1", "A3", "B1", "A2"], "product": ["Grob", "Prunt", "Sneld", "Lomb"]})


def test_listings_of_one_company_share_its_name() -> None:
    """However the name is written; other companies have others, and products of all its listings have different names."""
    map_ = made(of("one company"), named(HOME), named(ABROAD), PRODUCTS)
    of_company = {map_.names[code] for code in ("A1", "A3", "B1")}
    assert len(of_company) == 1
    assert len({map_.names[code] for code in ("A1", "A2", "B2")}) == 3
    assert {map_.legal[name] for name in ("Zumbra Nolk", "ZUMBRA-NOLK", "Zúmbra  Nolk")} == {map_.names["A1"].legal}
    assert len(set(map_.aliases.values())) == len(map_.aliases) == 4
    assert len(set(map_.codes.values())) == len(map_.codes)


def test_several_companies_of_one_name_have_one_each() -> None:
    """Prose, which says no code, has that of the smallest."""
    map_ = made(of("several companies"), named(HOME), named(ABROAD), PRODUCTS)
    assert len({name.legal for name in map_.names.values()}) == len(map_.codes) == 5
    assert map_.legal["Zumbra Nolk"] == map_.names["A1"].legal
    twice = made(of("several companies"), named([("A1", "Tarvik"), ("A2", "Tarvik")]), named([]), PRODUCTS.clear())
    assert twice.legal == {"Tarvik": twice.names["A1"].legal}


def test_who_has_no_equal_has_the_same_name_whatever_is_declared() -> None:
    """A declaration changes names of the codes alone that it is about, and of these not the smallest one's."""
    one, several = (
        made(of(what), named(HOME), named(ABROAD), PRODUCTS) for what in ("one company", "several companies")
    )
    assert {code for code in one.names if one.names[code] != several.names[code]} == {"A3", "B1"}


@pytest.mark.parametrize("same_name", ["one company", "several companies"])
def test_the_map_gives_the_invented_name_of_every_code(same_name: str) -> None:
    """Kind `name of code`; the search for what identifies does not take these codes for other identifiers."""
    map_ = made(of(same_name), named(HOME), named(ABROAD), PRODUCTS)
    links = dict(map_.frame().filter(kind=NAME_OF_CODE).select("original", "pseudonym").iter_rows())
    assert links == {code: name.legal for code, name in map_.names.items()}
    known = Identifiers.of_map(map_.frame(), code_mention=ENTITIES.code_mention)
    assert (known.codes, known.identifiers) == (tuple(sorted(map_.codes)), ())
    assert set(links.values()) <= set(known.invented)


def written(folder: Path, home: pl.DataFrame, abroad: pl.DataFrame) -> Path:
    for name, table in {"home": home, "abroad": abroad}.items():
        table.write_csv(folder / f"{name}.csv")
    pl.DataFrame({"code": ["A1"], "product": ["Grob"]}).write_csv(folder / "products.csv")
    return folder


def test_equal_names_are_an_error_that_says_which(tmp_path: Path) -> None:
    """File and row of each further code, and the row that has the name first; the name is withheld."""
    folder = written(tmp_path, named(HOME), named(ABROAD))
    with pytest.raises(ContractError) as error:
        conform(TABLES, folder, kinds=(ENTITIES,))
    places = [(problem.file, problem.row, problem.column, problem.value) for problem in error.value.problems]
    assert places == [("abroad.csv", 2, "name", WITHHELD), ("home.csv", 4, "name", WITHHELD)]
    assert all("row 2 of home.csv has the same" in problem.expected for problem in error.value.problems)
    assert "Entities(same_name=...)" in str(error.value)
    for declared in ("one company", "several companies"):
        assert conform(TABLES, folder, kinds=(of(declared),)).frames.keys() == {"home", "abroad", "products"}


NAMES = st.sampled_from(["Zumbra", "zumbra", "Zum-bra", "Tarvik", "TARVIK", "Nolk", "中国电", "中國電"])


@given(names=st.lists(NAMES, min_size=1, max_size=7))
def test_names_are_equal_just_if_they_read_the_same(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    """There are as many errors as codes beyond the first of each name, and as many invented names as names."""
    plain = {"zumbra": 0, "zum-bra": 0, "tarvik": 1, "nolk": 2, "中国电": 3, "中國電": 3}
    distinct = {plain[name.lower()] for name in names}
    home = named([(f"A{place}", name) for place, name in enumerate(names)])
    folder = written(tmp_path_factory.mktemp("raw"), home, named([]))
    try:
        errors = len(conform(TABLES[:2], folder, kinds=(ENTITIES,)).absent)
    except ContractError as error:
        errors = len(error.problems)
    assert errors == len(names) - len(distinct)
    map_ = made(of("one company"), home, named([]), PRODUCTS.clear())
    assert len({name.legal for name in map_.names.values()}) == len(distinct)


def test_names_of_signs_alone_are_of_no_one_company() -> None:
    """What is left of two names is nothing, which makes nobody equal."""
    rows = [("A1", "!!"), ("A2", "??"), ("A3", "Zumbra"), ("A4", "ZUMBRA")]
    assert _companies(of("one company"), named(rows)) == {"A3": "A3", "A4": "A3"}


def test_aliases_may_be_listed_by_name() -> None:
    """Each belongs to the code that has the name; one of a name that nobody has belongs to nobody."""
    listed = {"marks": pl.DataFrame({"owner": ["Tarvik", "Nobody"], "mark": ["Tarvo", "None"]})}
    source = AliasSource(table="marks", alias="mark", name="owner", only_kind="product")
    assert _rows_of(source, named(HOME), listed).rows() == [("A2", "Tarvo", "product")]


def test_codes_of_digits_alone_are_no_words_of_prose() -> None:
    """They are quantities more often than codes; codes with a letter are replaced, and short ones are not, but for names."""
    codes = ("1900", "600519", "N19000", "N19", "Yaz", "Now", "KEY", "AbC")
    home = named([(code, f"Tarvik {code}") for code in codes])
    entities = replace(of("error"), code_mention="")
    assert made(entities, home, named([]), PRODUCTS.clear()).code_mentions.keys() == {"N19000", "Yaz"}


def test_former_names_are_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    """They avoid every listed name and alias, and every present invented name."""
    avoided: list[set[str]] = []

    def noted(*given: object, avoid: Sequence[str], **settings: object) -> object:
        avoided.append(set(avoid))
        return pseudonymous_names(*given, avoid=avoid, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr("anonymize.pseudonyms.pseudonymous_names", noted)
    former = replace(of("error"), aliases=(replace(ENTITIES.aliases[0], only_kind="former"),))
    map_ = made(former, named(HOME[:2]), named([]), PRODUCTS.head(1))
    assert avoided[-1] >= {"Zumbra Nolk", "Tarvik", "Grob"} | {name.legal for name in map_.names.values()}
