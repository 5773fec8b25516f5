"""A list of names as rows and back: nothing is lost, each translation has one place, and other documents are refused."""

import json

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.model import Environment, PublishedDocument
from silt.environments.dataclaw_18.name_list import json_text, name_list_rows
from silt.environments.registry import ENVIRONMENTS

FIELDS = ("companies", "policies")
LIST = name_list_rows(*FIELDS)

NAMES = st.text(alphabet='京东 ~/01\n"\\', max_size=6) | st.text(max_size=6)
ONE = st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
FIELD = st.dictionaries(NAMES, ONE | st.lists(ONE, min_size=1, max_size=4), max_size=6)
LISTINGS = st.tuples(FIELD, FIELD).map(lambda fields: dict(zip(FIELDS, fields, strict=True)))


@given(listing=LISTINGS)
@example(listing={"companies": {}, "policies": {}})
@example(listing={"companies": {"a": ["b"], "a/0": "c", "a~10": "d", "a~0": ["e", None]}, "policies": {"a": "b"}})
def test_text_of_rows_is_the_text(listing: dict[str, dict[str, str | list[str | None] | None]]) -> None:
    """Byte for byte: fields without names, names that look like places, one translation and a list of one."""
    text = json_text(listing)
    rows = LIST.rows(text)
    assert LIST.text(rows) == text
    assert rows.schema == dict.fromkeys(LIST.columns, pl.String)
    assert rows[LIST.row_key].is_unique().all()
    assert rows[LIST.row_key].null_count() == 0


@given(listing=LISTINGS, translation=ONE)
def test_rows_of_text_are_the_rows(
    listing: dict[str, dict[str, str | list[str | None] | None]], translation: str | None
) -> None:
    """What is written into a translation, or leaves it empty, is read again."""
    rows = LIST.rows(json_text(listing)).with_columns(translation=pl.lit(translation, pl.String))
    assert LIST.rows(LIST.text(rows)).equals(rows)


def test_a_row_says_where_it_stands() -> None:
    """Field and name, and the place where a name has several translations."""
    rows = LIST.rows(json_text({"companies": {"京东方": "BOE", "美/的": ["Midea", "Mei Di"]}, "policies": {}}))
    assert rows.rows() == [
        ("companies/京东方", "BOE"),
        ("companies/美~1的/0", "Midea"),
        ("companies/美~1的/1", "Mei Di"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("id,name\n", "Expecting value"),
        ("[]", "no mapping of companies, policies"),
        ('{"companies": {}}', "no mapping of companies, policies"),
        ('{"companies": {}, "policies": {}, "more": {}}', "no mapping of companies, policies"),
        ('{"companies": [], "policies": {}}', "field 'companies' is no mapping"),
        ('{"companies": {"京": 1}, "policies": {}}', "companies/京 is no translation"),
        ('{"companies": {"京": ""}, "policies": {}}', "companies/京 is no translation"),
        ('{"companies": {"京": []}, "policies": {}}', "companies/京 is no translation"),
        ('{"companies": {"京": ["a", {}]}, "policies": {}}', "companies/京/1 is no translation"),
    ],
)
def test_another_document_is_refused(text: str, problem: str) -> None:
    """What is no name list of these fields is an error that says what is wrong."""
    with pytest.raises(ValueError, match=problem):
        LIST.rows(text)


def test_a_document_is_a_table_for_noise() -> None:
    """The table has the document's name and path; one without rows is none, and has no noise."""
    document = PublishedDocument(path="names.json", needs=("firms",), render=lambda _: "", rows=LIST)
    table = document.table
    assert table is not None
    assert (table.name, table.path, table.needs) == ("names", "names.json", ("firms",))
    assert (table.columns, table.row_key, table.document) == (("item", "translation"), "item", LIST)
    assert PublishedDocument(path="names.json", needs=(), render=lambda _: "").table is None


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=list(ENVIRONMENTS))
def test_noisy_tables_are_those_of_the_database(environment: Environment) -> None:
    """Tables and documents' rows are found by name, each once; what stands beside the database is not among them."""
    tables = environment.noisy_tables()
    documents = [document.name for document in environment.documents if document.rows]
    assert [table.name for table in tables if table.document] == documents
    assert all(
        table.folder == "database" and environment.table(table.name) == table for table in tables if not table.document
    )
    assert all(environment.table(name).document is not None for name in documents)
    assert len({table.name for table in tables}) == len(tables)


def test_json_keeps_characters() -> None:
    """Chinese characters stand as they are."""
    assert json.loads(json_text({"名": "a"})) == {"名": "a"}
    assert json_text({"名": "a"}) == '{\n    "名": "a"\n}\n'
