"""What a search comes to: escapes counted, exemptions by their numbers, and words of the tables."""

from dataclasses import replace

import polars as pl

from pipeline.model import Aggregate, Exemption, RawTable
from tests.unit.test_variant_scan import ENVIRONMENT
from validation.escapes import Escape
from validation.escapes.exemptions import LEFT, declared_otherwise, grouping_by, proposed_word
from validation.escapes.scan import Scanned, _applied, _words, extent, with_escapes
from validation.report.head.gates import _found_in
from validation.report.sections.attacked import places_in_words

OAK, MILL = "Old Oak", "Red Mill"

DECLARED = replace(
    ENVIRONMENT,
    raw_tables=(RawTable(name="Harbour", key=(), columns=()),),
    exemptions=(
        Exemption(token=OAK, reason="a tree", table="figures", column="value"),
        Exemption(token=MILL, reason="a colour"),
    ),
)
HEADERS = {"database/figures.csv": {"value": "amount"}}


def test_exemptions_have_the_numbers_of_their_declaration() -> None:
    """From 1; one of a column stands under its present header, one of no column under none."""
    assert Scanned.nothing(DECLARED).unused == (1, 2)
    applied = [(each.number, each.file, each.column) for each in _applied(DECLARED, HEADERS)]
    figures = "database/figures.csv"
    before = (1, f"{figures} (before noise)", "value")
    assert applied == [(1, figures, "amount"), before, (1, "reports/", ""), (2, "", "")]


def test_what_is_exempted_in_several_folders_adds_up() -> None:
    """By kind; the report says how many were declared, and how many excuse nothing."""
    parts = {
        name: Scanned(declared=2, exempted={"name": 1}, unused=unused) for name, unused in (("a", (1, 2)), ("b", (2,)))
    }
    both = Scanned.of_parts(parts)
    assert (both.exempted, both.unused) == ({"name": 2}, (2,))
    told = with_escapes({"passed": True, "policy": "lsd"}, both)
    assert (told["passed"], told["exemptions"]["declared"], told["exemptions"]["unused"]) == (True, 2, 1)
    assert told["exemptions"]["places"]["name"] == 2
    escaped = replace(both, escapes=(Escape("a.csv", 2, "text", "name", 1),))
    assert with_escapes({"passed": True, "policy": "lsd"}, escaped)["passed"] is False
    counts = {"not_searched": {"of": 40, "short": 3, "numbers": 2, "ordinary": 1}}
    searched = with_escapes({"passed": True, "policy": "lsd", **counts}, both, [70, 30])["searched"]
    assert searched == {"terms": 34, "files": 2, "bytes": 100}
    assert with_escapes({"passed": True, "policy": "guarded"}, both)["exemptions"] == {"declared": 2}


def test_names_of_raw_tables_are_words() -> None:
    """As those of published ones and their columns are."""
    assert {"harbour", "figures", "value"} <= _words(DECLARED, {"database/figures.csv": {}}).declared


def test_places_are_counted_by_what_was_found_there() -> None:
    """An escape is a kind in a column of a file, with several rows; findings say each."""
    escapes = tuple(Escape("a.csv", row, "text", "name", 3) for row in (2, 9))
    findings = pl.DataFrame({"file": "a.csv", "row": [2, 3, 4, 9, 10, 11], "column": "text"})
    assert extent(Scanned(declared=0, escapes=escapes, findings=findings)) == "6 rows in 1 column"
    hidden = replace(escapes[0], file="a.csv (before noise)")
    assert extent(Scanned(declared=0, escapes=(*escapes, hidden), findings=findings)) == "6 rows in 1 column"
    renamed = (*escapes, replace(hidden, column="note"))
    named = {("a.csv", "text"): "note"}
    assert extent(Scanned(declared=0, escapes=renamed, findings=findings, columns=named)) == "6 rows in 1 column"
    assert extent(Scanned(declared=0, escapes=renamed, findings=findings)) == "6 rows in 2 columns"


def test_a_heading_names_a_table_once_whether_before_noise_or_not() -> None:
    """With every kind that was found there; a table that holds it before noise alone says so."""
    before = Escape("a.csv (before noise)", 3, "text", "name", 1)
    escapes = (Escape("a.csv", 2, "text", "code", 1), before)
    assert _found_in(escapes) == "A company's code and name stand in a.csv"
    assert _found_in(escapes[1:]) == "A company's name stands in a.csv (before noise)"
    assert _found_in((*escapes, Escape("b.csv", 2, "", "name", 1))).endswith(" in a.csv and 1 further file")
    assert places_in_words(escapes) == "1 column"


def test_a_finding_says_whose_it_is_and_where_that_was_learnt() -> None:
    """With one line that answers it, or the row that a report repeats; an audit, which learnt nothing, leaves them."""
    places = [
        ("database/a.csv", "note", "Old Soup", "a name"),
        ("database/a.csv", "note", "Soup", ""),
        ("k.html", "", "Kyoto", "x"),
        ("reports/k.html", "", "Soup", ""),
    ]
    keys = ("file", "column", "token", "objection")
    rows = [dict(zip(keys, place, strict=True), row=row) for row, place in enumerate(places, 2)]
    findings = pl.concat([LEFT.to_frame(), pl.DataFrame(rows)], how="diagonal")
    learnt = pl.DataFrame(
        {
            "kind": ["origin", "name"],
            "original": ["Old Soup", "Soup"],
            "whose": ["7.HK", None],
            "learnt": ["told", None],
        }
    )
    found = Scanned(declared=0, findings=findings)
    explained = found.explained(learnt).findings
    assert explained["whose"].to_list() == ["7.HK", None, None, None]
    assert explained["learnt"].to_list() == ["told", None, None, None]
    assert [answer.split()[0] for answer in explained["answer"]] == ["mend", "add", "if", "follows"]
    assert explained["answer"][3] == "follows from database/a.csv, row 3; mend that"
    word = Scanned(declared=0, findings=findings, proposed=(proposed_word("Old Soup"),))
    answer, *others = word.explained(learnt).findings["answer"]
    assert answer.startswith("if it names nobody there, add its line of exemptions.py to the declaration; else mend")
    assert others == explained["answer"].to_list()[1:]
    assert found.explained(learnt.drop("learnt")).findings.equals(findings)
    grouped = replace(found, grouping={"note": "`aggregates`"}).explained(learnt).findings["answer"]
    assert grouped[0] == f"{explained['answer'][0]}; for any of these roles take note out of `aggregates`"
    renamed = replace(found, columns={("database/a.csv", "note"): "remark"}).explained(learnt).findings["answer"]
    assert renamed[0] == explained["answer"][0].replace("declare note:", "declare remark:")


def test_what_groups_by_a_column_is_named() -> None:
    """Nothing groups by what is left out or is prose, so the column has to be taken out there, too."""
    entities = replace(ENVIRONMENT.entities, industry="trade", sub_industry="branch")
    by = (Aggregate(name="by_trade", by=("trade",)), Aggregate(name="by_trade_and_town", by=("trade", "town")))
    grouping = grouping_by(replace(ENVIRONMENT, entities=entities, aggregates=by))
    trade = "`industry` of the entities and `aggregates`"
    assert grouping == {"trade": trade, "branch": "`sub_industry` of the entities", "town": "`aggregates`"}
    said = declared_otherwise(["trade", "notes", "branch"], grouping)
    assert "or declare trade and notes and branch: role=Role.IDENTIFIER" in said
    assert said.endswith(f" take trade out of {trade} and branch out of `sub_industry` of the entities")
