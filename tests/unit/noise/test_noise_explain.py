"""`silt noise explain`: what a specification does in words, and examples that are what the engine does."""

import ast
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.documents.document import YamlDocument, field_docs, summary
from pipeline.errors import InputError
from pipeline.model import Dialect, Environment, PublishedTable
from pipeline.noise.described.wording import (
    condition_text,
    in_order,
    level_of,
    mechanism_text,
    parameter_texts,
    value_text,
)
from pipeline.noise.engine import apply_noise
from pipeline.noise.kinds.interface import Draws, Family, FileKind, TextFile
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.names.drift import NamingDrift
from pipeline.noise.mechanisms import AtRandom, Band, CompletelyAtRandom, Condition, Mechanism, NotAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.publish.files import write_table
from silt.commands.noise.explain.examples import SHOWN, example_table, explain, shown_change
from silt.commands.noise.explain.noised import EXAMPLE_KEY
from tests.unit.noise.conftest import small_environment
from tests.unit.noise.kind_case import KindCase
from tests.unit.noise.kind_cases import CASES

ALWAYS = CompletelyAtRandom(rate=1.0)
FIGURES = pl.DataFrame(
    {
        "id": ["r1", "r2", "r3", "r4"],
        "firm": ["F1", "F2", None, "F2"],
        "measure": ["revenue", "profit", "revenue", "head count"],
        "unit": ["yuan", "yuan", "10k", "heads"],
        "value": ["1", "-2", "3", None],
    }
)


class LastColumnFirst(FileKind):
    """Moves the last column to the front and writes null as a dash."""

    name: ClassVar[str] = "last_column_first"
    family: ClassVar[Family] = Family.FORMAT
    recovery: ClassVar[str] = "Yes, by the header."
    is_recoverable: ClassVar[bool] = True

    def choices(self, table: PublishedTable) -> tuple[str, ...]:
        return (table.name,)

    def restructured(self, file: TextFile, _choice: str, _draws: Draws) -> TextFile:
        *others, last = file.frame.columns
        return TextFile(frame=file.frame.select(last, *others), dialect=replace(file.dialect, null="-"))


def rule(name: str, *, mechanism: Mechanism = ALWAYS, where: Sequence[Condition] = ()) -> Rule:
    """Return a rule that empties values."""
    kind = MissingValues(columns=("value",))
    return Rule(name=name, kind=kind, tables=("figures",), mechanism=mechanism, where=tuple(where), reason="A test.")


def explained(
    folder: Path, *rules: Rule, environment: Environment | None = None, frame: pl.DataFrame = FIGURES, rows: int = 10
) -> str:
    """Write the table `figures` and explain rules on it."""
    environment = environment or small_environment()
    write_table(frame, environment.table("figures"), folder)
    return explain(environment, NoiseSpec(environment="small", rules=rules), folder / "database", rows=rows)


def flat(text: str) -> str:
    """Return a text with its lines joined."""
    return " ".join(text.split())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_kind_is_explained(case: KindCase, tmp_path: Path) -> None:
    """Name, summary, parameters, recovery and examples of each kind are told, the same at every run."""
    for name, frame in {case.published.name: case.rows, **case.beside}.items():
        write_table(frame, case.environment.table(name), tmp_path)
    own = Rule(name="own", kind=case.kind, tables=(case.published.name,), mechanism=ALWAYS, reason="A test.")
    spec = NoiseSpec(environment=case.environment.name, rules=(own,))
    text = explain(case.environment, spec, tmp_path / "database", rows=4)
    assert text == explain(case.environment, spec, tmp_path / "database", rows=4)
    assert f"Rule 1: own ({case.kind.name}, family {case.kind.family})\n" in text
    assert f"RULES ON {level_of(type(case.kind)).upper()}\n" in text
    assert summary(type(case.kind)) in flat(text)
    assert case.kind.recovery in flat(text)
    for name, value, _doc in parameter_texts(case.kind):
        assert f"{name}: {flat(value)}" in flat(text)
    examples = text.split(f"  {case.published.name}, before -> after\n")[1]
    assert len(examples.splitlines()) >= 2


def test_examples_of_cells_are_what_the_engine_does(tmp_path: Path) -> None:
    """Each example's row has the clean text before and the noisy text after, of the example key, and no row is told twice."""
    frame = pl.concat([FIGURES.with_columns(pl.col("id") + f"-{n}") for n in range(20)])
    kind = NamingDrift(columns=("measure",), vocabulary="measures")
    own = Rule(name="own", kind=kind, tables=("figures",), mechanism=CompletelyAtRandom(rate=0.5), reason="A test.")
    environment = small_environment()
    text = explained(tmp_path, own, frame=frame)
    told = re.findall(r"^    id (\S+)\n      measure  ('.*') -> ('.*')$", text, re.MULTILINE)
    assert len({key for key, _, _ in told}) == len(told) == 10
    spec = NoiseSpec(environment="small", rules=(own,))
    noisy = apply_noise(frame, environment.table("figures"), spec, environment, EXAMPLE_KEY).frame
    clean_cells, noisy_cells = (dict(side.select("id", "measure").iter_rows()) for side in (frame, noisy))
    assert [(clean_cells[key], noisy_cells[key]) for key, _, _ in told] == [
        (ast.literal_eval(before), ast.literal_eval(after)) for _, before, after in told
    ]
    assert (noisy["measure"] != frame["measure"]).sum() > 10


def test_rule_says_where_how_often_and_why(tmp_path: Path) -> None:
    """Tables with columns, conditions, rates, reason, counts, and the cells by which a row was chosen stand in the text."""
    mechanism = AtRandom(column="unit", rates={"yuan": 1.0}, otherwise=0.0)
    own = rule("gaps", mechanism=mechanism, where=[Condition(column="measure", in_=("revenue", "profit"))])
    text = flat(explained(tmp_path, own))
    assert "tables figures (value)" in text
    assert "which rows `measure` is one of 'revenue', 'profit'" in text
    assert "a share of the eligible cells that depends on `unit`: 100% where it is 'yuan', 0% elsewhere" in text
    assert "why A test." in text
    assert "here figures: changes in value 2 of 3 eligible cells" in text
    assert "id r1 (measure 'revenue', unit 'yuan') value '1' -> (empty)" in text
    assert "Marked so are 0 of the 2 example changes" in text
    assert "r3" not in text


def test_a_fixed_key_draws_the_examples(tmp_path: Path) -> None:
    """The text says that no release draws like this."""
    assert "drawn with a fixed example key: a release draws other rows with a key of its own" in flat(
        explained(tmp_path, rule("gaps"))
    )


def test_rules_are_told_in_order_of_application(tmp_path: Path) -> None:
    """Cells before the file, each level under its heading, and the second rule sees what the first one left."""
    last = Rule(name="layout", kind=LastColumnFirst(), tables=("figures",), mechanism=ALWAYS, reason="A test.")
    text = explained(tmp_path, last, rule("gaps"))
    places = [text.index(part) for part in ("RULES ON CELLS", "Rule 1: gaps", "RULES ON FILE", "Rule 2: layout")]
    assert places == sorted(places)
    assert [own.name for own in in_order((last, rule("gaps")))] == ["gaps", "layout"]


def test_a_folder_of_examples_becomes_a_table(tmp_path: Path) -> None:
    """Each specification that is named after a kind gives its shortest change, in the order of the registry."""
    write_table(FIGURES, small_environment().table("figures"), tmp_path)
    for kind, parameters in (
        ("missing_values", "{columns: [value]}"),
        ("stray_blanks", "{columns: [firm], where: [trailing], signs: [space], most: 1}"),
        ("dropped_rows", "{}"),
        ("reordered_columns", "{first: [value]}"),
    ):
        rules = f"[{{name: r, kind: {kind}, tables: [figures], parameters: {parameters}, reason: a test, mechanism: "
        text = f"environment: small\nrules: {rules}{{type: completely_at_random, rate: 1.0}}}}]\n"
        (tmp_path / f"{kind}.yaml").write_text(text)
    assert example_table(small_environment(), tmp_path, tmp_path / "database").splitlines() == [
        "| kind | before | after |",
        "|---|---|---|",
        "| `stray_blanks` | `'F1'` | `'F1 '` |",
        "| `missing_values` | `'1'` | `(empty)` |",
        "| `dropped_rows` | `r3, , revenue, 10k, 3` | `(gone)` |",
        "| `reordered_columns` | `id, firm, measure, unit, value` | `value, id, firm, measure, unit` |",
    ]


def test_it_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each table and each rule is counted while somebody waits."""
    said = list[str]()
    monkeypatch.setattr("silt.commands.noise.explain.examples.running", said.append)
    explained(tmp_path, rule("one"), rule("two"))
    assert said == [
        "adding noise to table 1 of 1, figures",
        "looking at what rule 1 of 2 changes",
        "looking at what rule 2 of 2 changes",
    ]


def test_it_is_said_what_is_explained_before_anything_large_is_loaded() -> None:
    """The command alone loads no tables: that takes longer than anybody should wait for a first word."""
    loaded = "import sys, silt.commands.noise; sys.exit('polars' in sys.modules)"
    subprocess.run([sys.executable, "-c", loaded], check=True)


def test_rule_on_the_file_shows_the_file_before_and_after(tmp_path: Path) -> None:
    """Header, dialect and first records are shown as they stand in the two files."""
    last = Rule(name="layout", kind=LastColumnFirst(), tables=("figures",), mechanism=ALWAYS, reason="A test.")
    lines = explained(tmp_path, last, rows=2).splitlines()
    assert [line.strip() for line in lines[lines.index("  figures, before -> after") + 1 :]] == [
        "order of columns: id, firm, measure, unit, value -> value, id, firm, measure, unit",
        "null: '' -> '-'",
        "- id,firm,measure,unit,value",
        "- r1,F1,revenue,yuan,1",
        "- r2,F2,profit,yuan,-2",
        "+ value,id,firm,measure,unit",
        "+ 1,r1,F1,revenue,yuan",
        "+ -2,r2,F2,profit,yuan",
    ]
    assert "which rows   the whole file" in "\n".join(lines)


def test_nothing_is_shown_where_nothing_is_asked_for(tmp_path: Path) -> None:
    """With no example rows the rule is told all the same."""
    text = explained(tmp_path, rule("gaps"), rows=0)
    assert "changes in value 3 of 3 eligible cells" in text
    assert "->" not in text


def test_rows_are_shared_among_tables_and_spread(tmp_path: Path) -> None:
    """Of two tables each gets its part, the first the larger one; rows come from the whole of a table."""
    environment = small_environment()
    frame = pl.concat([FIGURES.with_columns(pl.col("id") + f"-{n}") for n in range(20)])
    for name in ("figures", "policies"):
        table = environment.table(name)
        rows = frame.select(pl.col(c) if c in frame.columns else pl.lit("Bank").alias(c) for c in table.columns)
        write_table(rows, table, tmp_path)
    kind = MissingValues(columns=("measure",))
    own = Rule(name="gaps", kind=kind, tables=("figures", "policies"), mechanism=ALWAYS, reason="A test.")
    text = explain(environment, NoiseSpec(environment="small", rules=(own,)), tmp_path / "database", rows=5)
    figures, policies = (re.findall(r"^    id (\S+)", part, re.MULTILINE) for part in text.split("  policies, before"))
    assert figures == ["r1-0", "r3-6", "r2-13"]
    assert policies == ["r1-0", "r1-10"]


def test_specification_without_rules_needs_no_database() -> None:
    """It says that nothing happens."""
    text = explain(small_environment(), NoiseSpec(environment="small"), Path("nowhere"))
    assert text == "small: no rules, so nothing happens and every file stays as it is.\n"


def test_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A database may lack a table; the others are explained."""
    both = replace(rule("gaps"), kind=MissingValues(columns=("measure",)), tables=("figures", "policies"))
    text = explained(tmp_path, both)
    assert "figures (measure); policies (not in this database)" in text
    assert "policies, before" not in text


def test_unusable_databases_are_refused(tmp_path: Path) -> None:
    """No folder, none of the tables, other columns and repeated row keys are told with the file and what to do."""
    build = "silt build clean --environment small --raw FOLDER"
    with pytest.raises(InputError, match=rf"no clean database at .*database; build it with `{build}`, or say"):
        explain(small_environment(), NoiseSpec(environment="small", rules=(rule("gaps"),)), tmp_path / "database")
    (tmp_path / "database").mkdir()
    for text, says in UNUSABLE.items():
        if text:
            (tmp_path / "database" / "figures.csv").write_text(text, "latin-1")
        with pytest.raises(InputError, match=says):
            explain(small_environment(), NoiseSpec(environment="small", rules=(rule("gaps"),)), tmp_path / "database")


UNUSABLE = {
    "": r"database holds none of the tables that the rules name \(figures\.csv\); give a clean database",
    "id,firm\n1,2\n": r"figures\.csv: found the columns id, firm; declared: id, firm, measure, unit, value; give the",
    "id,firm,measure,unit,value\n1,,,,\n1,,,,\n": r"figures\.csv: column 'id' is not unique; give the database of a clean",
    "id,firm\n1,2,3,4\n": r"figures\.csv is no published table; give the database of a clean variant",
    "id,firm,measure,unit,valué\n": r"figures\.csv is no published table; give the database of a clean variant",
}


# --- texts -------------------------------------------------------------------------------------------------------------


@given(before=st.text(min_size=1), after=st.text(min_size=1), around=st.sampled_from(["", "x" * 100, "ab" * 300]))
@example(before="a", after="a b", around="")
def test_what_differs_is_always_in_sight(before: str, after: str, around: str) -> None:
    """However long the texts are, what is shown of them is short, and differs where they do."""
    shown = shown_change(around + before + around, around + after + around)
    assert (shown[0] == shown[1]) == (before == after)
    for text in shown:
        part = ast.literal_eval(text.strip("…")) if text.strip("…")[0] in "'\"" else ""
        assert 0 < len(part) <= SHOWN


def test_long_texts_are_cut_around_the_change() -> None:
    """Some of what stands before the change is kept, and dots say where something is left out."""
    long = "0123456789" * 20
    assert shown_change(long, long[:100] + "X" + long[101:]) == (
        "…'" + long[80:140] + "'…",
        "…'" + long[80:100] + "X" + long[101:140] + "'…",
    )
    assert shown_change("short", "") == ("'short'", "(empty)")


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (Condition(column="c", in_=("a", "b")), "`c` is one of 'a', 'b'"),
        (Condition(column="c", not_in=("a",)), "`c` is none of 'a'"),
        (Condition(column="c", equals=""), "`c` is ''"),
        (Condition(column="c", matches="^a"), "in `c` the pattern ^a finds something"),
        (Condition(column="c", is_null=True), "`c` is empty"),
        (Condition(column="c", is_null=False), "`c` is not empty"),
    ],
)
def test_conditions_in_words(condition: Condition, told: str) -> None:
    """Each test has its words."""
    assert condition_text(condition) == told


SHARE = "a share of the eligible cells that depends on"
TO_SEVEN = ", ".join(f"{n}0% where it is 't{n}'" for n in range(1, 8))
BANDS = (Band(below=-0.5, rate=0.5), Band(below=1000000.0, rate=0.0001))


@pytest.mark.parametrize(
    ("mechanism", "told"),
    [
        (ALWAYS, "every eligible cell"),
        (CompletelyAtRandom(rate=0.0), "0% of the eligible cells, all alike"),
        (CompletelyAtRandom(rate=0.002), "0.2% of the eligible cells, all alike"),
        (
            AtRandom(column="c", rates={f"t{n}": n / 10 for n in range(10)}),
            f"{SHARE} `c`: 0% where it is 't0', {TO_SEVEN}, other rates for 2 more texts, 0% elsewhere",
        ),
        (
            NotAtRandom(bands=BANDS, otherwise=0.1),
            f"{SHARE} the cell itself: 50% below -0.5, 0.01% below 1000000, 10% otherwise",
        ),
        (NotAtRandom(rates={"a": 1.0}), f"{SHARE} the cell itself: 100% where it is 'a', 0% elsewhere"),
    ],
)
def test_mechanisms_in_words(mechanism: Mechanism, told: str) -> None:
    """Each mechanism has its words, with rates in percent."""
    assert mechanism_text(mechanism, MissingValues(columns=("value",))) == told


def test_mechanism_of_files_in_words() -> None:
    """A file kind has choices."""
    told = mechanism_text(CompletelyAtRandom(rate=0.25), LastColumnFirst())
    assert told == "25% of the choices there are (a column, or the whole file), all alike"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (True, "yes"),
        ("plain text", "plain text"),
        (" ends", "' ends'"),
        ("\u3000", r"'\u3000'"),
        ("", "''"),
        (("a", "b "), "a, 'b '"),
        ((), "none"),
        ({"a": 1.5}, "a: 1.5"),
        (BANDS, "(below: -0.5, rate: 0.5), (below: 1000000.0, rate: 0.0001)"),
        (Condition(column="c", in_=("x", "y")), "column: c, in: x, y"),
    ],
)
def test_values_in_words(value: object, told: str) -> None:
    """Lists have commas, texts are quoted where their ends would not show, what is not given is left out."""
    assert value_text(value) == told


def test_docstrings_of_fields_are_read_through_inheritance() -> None:
    """What stands under a field counts, of the class and of those above it; the nearest one wins."""

    class Upper(YamlDocument):
        """Upper."""

        one: int = 1
        """The first."""
        two: int = 2
        """The second."""

    class Lower(Upper):
        """Lower.

        Another paragraph.
        """

        two: int = 3
        """The second,
        on two lines."""
        three: int = 3

    assert field_docs(Lower) == {"one": "The first.", "two": "The second, on two lines."}
    assert summary(Lower) == "Lower."


def test_dialects_are_told_by_what_changes(tmp_path: Path) -> None:
    """Only fields of the dialect that differ are named."""
    own = Rule(name="layout", kind=LastColumnFirst(), tables=("figures",), mechanism=ALWAYS, reason="A test.")
    environment = small_environment()
    dashed = replace(environment.table("figures"), dialect=Dialect(null="-"))
    tables = tuple(dashed if table.name == "figures" else table for table in environment.tables)
    text = explained(tmp_path, own, environment=replace(environment, tables=tables))
    assert "null:" not in text
