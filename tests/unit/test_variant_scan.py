"""Columns of codes are searched whatever noise made of the file's columns, and what it hides in a table is found in it."""

import html
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from pipeline.keyed import Key
from pipeline.noise.engine import apply_noise
from pipeline.noise.kinds.files import LongToWide, MergedColumns, RenamedColumns, SplitColumns
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.ledger import as_noised
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.publish.files import write_table
from pipeline.publish.refusal import KeptFindings
from tests.bare import bare, published
from validation.escapes.scan import Originals, Scanned, refusal, scan

KEY = Key(bytes(32))
FIGURES = published("figures", ("id", "code", "year", "value"))
ENVIRONMENT = bare("small", FIGURES, code_mention=r"(\d{6})")
ORIGINALS = Originals(
    identity_map=pl.DataFrame({"kind": ["code"], "original": ["600519.SH"], "pseudonym": ["707889"]}),
    identifiers=pl.DataFrame(schema={"kind": pl.String, "original": pl.String}),
    key=KEY,
)


@pytest.mark.parametrize(
    "kinds",
    [
        (),
        (RenamedColumns(names={"code": "firm"}),),
        (MergedColumns(columns=("code", "year"), into="firm_year", separator="-"),),
        (SplitColumns(column="code", layout="{head}5{tail}"),),
        (LongToWide(keys=("code",), names="year", values="value"),),
        (
            RenamedColumns(names={"code": "firm"}),
            LongToWide(keys=("firm", "id"), names="year", values="value"),
            MergedColumns(columns=("firm", "id"), into="firm_id", separator="/"),
        ),
    ],
    ids=["as it was", "renamed", "merged", "split", "wide", "renamed, wide, merged"],
)
@pytest.mark.parametrize(("code", "is_escape"), [("600519", True), ("707889", False)], ids=["original", "pseudonym"])
def test_a_bare_code_is_found_in_every_layout(
    kinds: tuple[Kind, ...], code: str, *, is_escape: bool, tmp_path: Path
) -> None:
    """Six digits are a figure anywhere but in a column of codes: they are found there, renamed, merged, split or kept."""
    rows = pl.DataFrame(
        {"id": ["1", "2"], "code": ["593565", code], "year": ["2021", "2022"], "value": [None, "600519"]},
        schema=dict.fromkeys(FIGURES.columns, pl.String),
    )
    rules = tuple(
        Rule(name=str(number), kind=kind, tables=("figures",), mechanism=CompletelyAtRandom(rate=1.0))
        for number, kind in enumerate(kinds)
    )
    noised = apply_noise(rows, FIGURES, NoiseSpec(environment="small", rules=rules), ENVIRONMENT, KEY)
    write_table(noised.frame, as_noised(FIGURES, noised.ledger), tmp_path)
    found = scan(tmp_path, ENVIRONMENT, ORIGINALS.search_terms(ENVIRONMENT), ledger=noised.ledger).escapes
    assert {(one.file, one.kind) for one in found} == ({("database/figures.csv", "bare code")} if is_escape else set())


NOTES = published("notes", ("id", "text"))


@pytest.mark.parametrize("is_hidden", [True, False], ids=["hidden", "as it was"])
def test_what_noise_hides_and_reports_show_is_found_in_its_column(tmp_path: Path, *, is_hidden: bool) -> None:
    """The table before noise says where it stands. Only what stands in no table is proposed as a word of reports."""
    rows = pl.DataFrame({"id": ["1", "2"], "text": ["by the sea", "Zandvoort Koffie"]})
    gaps = Rule(
        name="gaps",
        kind=MissingValues(columns=("text",)),
        tables=("notes",),
        mechanism=CompletelyAtRandom(rate=float(is_hidden)),
    )
    environment = bare("small", NOTES)
    noised = apply_noise(rows, NOTES, NoiseSpec(environment="small", rules=(gaps,)), environment, KEY)
    write_table(noised.frame, as_noised(NOTES, noised.ledger), tmp_path)
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/noise.json").write_text('"Zandvoort Koffie, Elsewhere"', encoding="utf-8")
    names = pl.DataFrame({"kind": "name", "original": ["Zandvoort Koffie", "Elsewhere"], "pseudonym": ["A", "B"]})
    terms = replace(ORIGINALS, identity_map=names).search_terms(environment)
    scanned = scan(tmp_path, environment, terms, ledger=noised.ledger)
    table = "database/notes.csv (before noise)" if is_hidden else "database/notes.csv"
    assert [(one.file, one.row, one.column) for one in scanned.in_tables().escapes] == [(table, 3, "text")]
    assert [one.token for one in scanned.proposed] == ["Elsewhere"]
    said = refusal(scanned, Path("noisy"), KeptFindings(findings=Path("findings.csv"), left_out=0, exemptions=None))
    rows = "before noise, 1 row in 1 column" if is_hidden else "1 row of the noisy variant in 1 column"
    assert f": {rows} would identify a company, so nothing is published: {table} column 'text'" in said


def test_what_to_do_names_the_declared_column_of_a_renamed_one(tmp_path: Path) -> None:
    """The place has the header of the file; the advice has the column of the declaration, in a set of variants, too."""
    headers = Rule(
        name="headers",
        kind=RenamedColumns(names={"text": "remark"}),
        tables=("notes",),
        mechanism=CompletelyAtRandom(rate=1.0),
    )
    environment = bare("small", NOTES)
    rows = pl.DataFrame({"id": ["1"], "text": ["Zandvoort Koffie"]})
    noised = apply_noise(rows, NOTES, NoiseSpec(environment="small", rules=(headers,)), environment, KEY)
    write_table(noised.frame, as_noised(NOTES, noised.ledger), tmp_path)
    names = pl.DataFrame({"kind": "name", "original": ["Zandvoort Koffie"], "pseudonym": ["A"]})
    terms = replace(ORIGINALS, identity_map=names).search_terms(environment)
    scanned = scan(tmp_path, environment, terms, ledger=noised.ledger)
    learnt = pl.DataFrame({"kind": ["name"], "original": [""], "whose": [""], "learnt": [""]})
    for each in (scanned, Scanned.of_parts({"one": scanned})):
        kept = KeptFindings(findings=Path("findings.csv"), left_out=0, exemptions=None)
        said = refusal(each.explained(learnt), Path("noisy"), kept)
        assert "database/notes.csv column 'remark'" in said
        assert "or declare text: role=" in said


@pytest.mark.parametrize(
    ("name", "cells", "proposed"),
    [
        ("Miller & Daughter", ["Miller & Daughter"], []),
        ("China ITS", ["in China, its home", "China ITS"], []),
        ("China ITS", ["in China, its home", "in China; its sea"], [("notes", "text")]),
    ],
    ids=["as HTML has it", "a name beside a false alarm", "false alarms"],
)
def test_what_may_name_a_company_anywhere_is_never_proposed(
    tmp_path: Path, name: str, cells: list[str], proposed: list[tuple[str, str]]
) -> None:
    """One objection is one to the name everywhere, in all variants together; what repeats a cell proposes nothing."""
    environment = bare("small", NOTES)
    names = pl.DataFrame({"kind": ["name"], "original": [name], "pseudonym": ["A"]})
    terms, parts = replace(ORIGINALS, identity_map=names).search_terms(environment), {}
    for part, own in {"one": cells, "other": cells[:1]}.items():
        rows = pl.DataFrame({"id": [str(number) for number in range(len(own))], "text": own})
        write_table(rows, NOTES, tmp_path / part)
        (tmp_path / part / "reports").mkdir()
        shown = "".join(f"<td>by the sea</td><td>{html.escape(cell)}</td>\n" for cell in own)
        (tmp_path / part / "reports/report.html").write_text(shown, encoding="utf-8")
        parts[part] = scan(tmp_path / part, environment, terms)
    found = Scanned.of_parts(parts)
    assert any(escape.file.endswith("report.html") for escape in found.escapes)
    assert [(one.table, one.column) for one in found.proposed] == proposed
