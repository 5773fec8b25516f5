"""Noise in a document: told as rows, only its cells change, and ledger and files lead from clean to noisy and back."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import yaml

from pipeline.errors import InputError, SpecError
from pipeline.keyed import Key
from pipeline.model import Environment, PublishedDocument, PublishedTable
from pipeline.noise.engine import apply_noise
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import FileKind, RowKind
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.names.translations import TranslationVariants
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule, load_spec
from pipeline.publish.files import read_published, write_document, write_table
from pipeline.publish.replay import Direction, transform
from pipeline.render import RenderingError, rows_of
from silt.commands.noise.explain.examples import explain
from silt.environments.dataclaw_18.name_list import json_text, name_list_rows
from tests.unit.noise.conftest import small_environment

NAMES = PublishedDocument(path="names.json", needs=(), render=lambda _: "", rows=name_list_rows("firms", "policies"))
WITHOUT = PublishedDocument(path="notes.txt", needs=(), render=lambda _: "")
ENVIRONMENT = replace(small_environment(), documents=(NAMES, WITHOUT))
TABLE = ENVIRONMENT.table("names")
TEXT = json_text(
    {
        "firms": {"三三达腾": "San San Da Teng Co., Ltd.", "长/桥": ["Chang Qiao Company", "Chang Qiao"], "锌锗": None},
        "policies": {},
    }
)
ROWS = name_list_rows("firms", "policies").rows(TEXT)
VARIANTS = TranslationVariants(columns=("translation",), chinese="item")
RULES = tuple(
    Rule(name=kind.name, kind=kind, tables=("names",), mechanism=CompletelyAtRandom(rate=rate))
    for kind, rate in ((VARIANTS, 1.0), (MissingValues(columns=("translation",)), 0.3))
)


def specification(tmp_path: Path, kind: str, parameters: dict[str, object], table: str = "names") -> Path:
    """Write a specification with one rule."""
    mechanism = {"type": "completely_at_random", "rate": 1.0}
    rule = {"name": "rule", "kind": kind, "tables": [table], "mechanism": mechanism, "parameters": parameters}
    path = tmp_path / "noise.yaml"
    path.write_text(yaml.safe_dump({"environment": "small", "rules": [rule | {"reason": "A test."}]}), "utf-8")
    return path


@pytest.fixture(params=range(6))
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Write both variants and the ledger, as a build does, with one key or another."""
    key = Key(bytes(32)).derive(str(request.param))
    noised = apply_noise(ROWS, TABLE, NoiseSpec(environment="small", rules=RULES), ENVIRONMENT, key)
    noised.ledger.write_parquet(tmp_path / "ledger.parquet")
    write_document(TEXT, NAMES, tmp_path / "clean")
    write_table(noised.frame, TABLE, tmp_path / "noisy")
    return tmp_path


def test_specification_may_name_a_document(tmp_path: Path) -> None:
    """Its rows are a table whose translations may change; a rule may ask where they stand."""
    path = specification(tmp_path, "translation_variants", {"columns": ["translation"], "chinese": "item"})
    assert load_spec(path, ENVIRONMENT).rules[0].kind == VARIANTS


def test_where_a_row_stands_never_changes(tmp_path: Path) -> None:
    """The row key is no column to change."""
    path = specification(tmp_path, "missing_values", {"columns": ["item"]})
    with pytest.raises(SpecError, match=r"columns\[0\]: found 'item'; allowed: one of translation"):
        load_spec(path, ENVIRONMENT)


def test_document_without_rows_is_no_table(tmp_path: Path) -> None:
    """It cannot be named."""
    path = specification(tmp_path, "missing_values", {"columns": ["translation"]}, table="notes")
    with pytest.raises(SpecError, match=r"tables\[0\]: found 'notes'; allowed: one of figures, names, policies"):
        load_spec(path, ENVIRONMENT)


@pytest.mark.parametrize(
    ("kind", "parameters"), [("dropped_rows", {}), ("reordered_rows", {"order": "shuffled"}), ("reordered_columns", {})]
)
def test_rows_and_file_of_a_document_are_refused(kind: str, parameters: dict[str, object], tmp_path: Path) -> None:
    """A kind on rows or files says that a document keeps its rows and its form."""
    assert issubclass(KINDS[kind], RowKind | FileKind)
    with pytest.raises(
        SpecError, match=rf"rules\[0\]\.kind: found '{kind}'; allowed: a kind on cells: names is a document"
    ):
        load_spec(specification(tmp_path, kind, parameters), ENVIRONMENT)
    load_spec(specification(tmp_path, kind, parameters, table="figures"), ENVIRONMENT)


@pytest.mark.parametrize(("direction", "start", "end"), [("replay", "clean", "noisy"), ("undo", "noisy", "clean")])
def test_document_is_transformed_byte_for_byte(direction: Direction, start: str, end: str, build: Path) -> None:
    """Changed and emptied translations, one of several among them."""
    transform(ENVIRONMENT, build / start, build / "ledger.parquet", build / "made", direction=direction)
    made = (build / "made/database/names.json").read_bytes()
    assert made == (build / end / "database/names.json").read_bytes()
    assert made != (build / start / "database/names.json").read_bytes()


@pytest.mark.parametrize(("direction", "start"), [("undo", "clean"), ("replay", "noisy")])
def test_the_wrong_side_is_refused(direction: Direction, start: str, build: Path) -> None:
    """Undoing what has no noise, or making noise twice, is refused, and nothing is made."""
    with pytest.raises(InputError, match="ledger is not of this table 'names'"):
        transform(ENVIRONMENT, build / start, build / "ledger.parquet", build / "made", direction=direction)
    assert not (build / "made").exists()


def test_rate_zero_is_the_identity_on_bytes(tmp_path: Path) -> None:
    """Written from its rows, the document has the bytes of its text, and is counted as no table."""
    rules = (replace(RULES[0], mechanism=CompletelyAtRandom(rate=0.0)),)
    spec = NoiseSpec(environment="small", rules=rules)
    noised = apply_noise(ROWS, TABLE, spec, ENVIRONMENT, Key(bytes(32)))
    record = write_table(noised.frame, TABLE, tmp_path)
    assert (tmp_path / "database/names.json").read_bytes() == TEXT.encode()
    assert record == write_document(TEXT, NAMES, tmp_path)
    assert noised.ledger.is_empty()


def test_rules_are_explained_on_a_document(tmp_path: Path) -> None:
    """The example rows say where in the document they stand."""
    write_document(TEXT, NAMES, tmp_path)
    told = explain(ENVIRONMENT, NoiseSpec(environment="small", rules=RULES[:1]), tmp_path / "database")
    assert "item firms/三三达腾" in told
    assert "'San San Da Teng Co., Ltd.' -> " in told


@pytest.mark.parametrize("content", [b"id,name\n", b"[]", b"\xff\xfe"])
def test_file_that_is_not_the_document_is_refused(content: bytes, tmp_path: Path) -> None:
    """Whoever reads it is told which file it is."""
    file = tmp_path / "names.json"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"names\.json cannot be read as the document that it was"):
        read_published(file, TABLE)


def test_rendered_content_as_rows(environment: Environment) -> None:
    """A document's text is read, a table's rows are themselves, what is not there stays so; a table as text is a defect."""
    table: PublishedTable = environment.table("figures")
    frame = pl.DataFrame({"id": ["1"]})
    assert rows_of(table, frame) is frame
    assert rows_of(TABLE, None) is None
    rows = rows_of(TABLE, TEXT)
    assert rows is not None
    assert rows["item"].to_list() == ["firms/三三达腾", "firms/长~1桥/0", "firms/长~1桥/1", "firms/锌锗"]
    with pytest.raises(RenderingError, match=r"rendering of figures\.csv: a text instead of rows"):
        rows_of(table, TEXT)
