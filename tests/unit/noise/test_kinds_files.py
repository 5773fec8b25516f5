"""What kinds on files do, against slow obvious versions; the laws of all kinds are in `test_every_kind.py`."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Dialect
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.files import (
    ForeignHeaders,
    LongToWide,
    MergedColumns,
    OtherDialect,
    RenamedColumns,
    ReorderedColumns,
    SplitColumns,
)
from pipeline.noise.kinds.interface import FileKind
from pipeline.noise.ledger import as_noised, renamed_columns, replay, undo
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.publish.files import read_published, write_table
from tests.unit.noise.cases_files import FIGURES, ROWS
from tests.unit.noise.conftest import small_environment

ENVIRONMENT = small_environment()


def noised(rows: pl.DataFrame, *kinds: FileKind, key: Key, rate: float = 1.0) -> Noised:
    """Apply kinds to `figures`, each by a rule of its own."""
    rules = tuple(
        Rule(name=f"rule {number}", kind=kind, tables=("figures",), mechanism=CompletelyAtRandom(rate=rate))
        for number, kind in enumerate(kinds)
    )
    return apply_noise(rows, FIGURES, NoiseSpec(environment="small", rules=rules), ENVIRONMENT, key)


def rows_of(**columns: list[str | None]) -> pl.DataFrame:
    """Make rows of `figures` with some columns given."""
    size = len(next(iter(columns.values())))
    ids = {"id": [str(number) for number in range(size)]}
    return pl.DataFrame(
        {name: (ids | columns).get(name, [None] * size) for name in FIGURES.columns},
        schema=dict.fromkeys(FIGURES.columns, pl.String),
    )


def test_headers_are_renamed_one_by_one(key: Key) -> None:
    """Over 40 keys about half of the headers are others at rate 0.5, each on its own; the cells are as they were."""
    kind = RenamedColumns(names={"firm": "company", "value": "amount"})
    seen = {tuple(noised(ROWS, kind, key=key.derive(str(n)), rate=0.5).frame.columns) for n in range(40)}
    assert seen == {
        ("id", firm, "measure", "unit", value) for firm in ("firm", "company") for value in ("value", "amount")
    }
    assert noised(ROWS, kind, key=key).frame.rows() == ROWS.rows()


def test_a_header_that_another_column_has_is_refused(key: Key) -> None:
    """In the specification among the kind's own, at run time among those of the file."""
    for names in ({"firm": "value", "value": "amount"}, {"firm": "x", "value": "x"}):
        assert [refusal.field for refusal in RenamedColumns(names=names).refusals(ENVIRONMENT)] == ["names"]
    for kind in (
        RenamedColumns(names={"firm": "unit"}),
        SplitColumns(column="measure", layout="{value}-{rest}"),
        MergedColumns(columns=("firm", "measure"), into="unit", separator="|"),
    ):
        with pytest.raises(InputError, match=r"figures.csv, row 1, column '(unit|value)'.* no column has yet"):
            noised(ROWS, kind, key=key)


def test_foreign_headers_are_in_the_other_script() -> None:
    """Chinese for English and English for Chinese; the same script is refused."""
    assert not list(ForeignHeaders(names={"firm": "企业", "行业": "industry"}).refusals(ENVIRONMENT))
    assert list(ForeignHeaders(names={"firm": "company"}).refusals(ENVIRONMENT))
    assert list(ForeignHeaders(names={"行业": "产业"}).refusals(ENVIRONMENT))


def test_columns_stand_in_the_order_given_or_drawn(key: Key) -> None:
    """Those given come first; of four drawn orders no two are alike in all keys, and cells move with their headers."""
    assert noised(ROWS, ReorderedColumns(first=("value", "firm")), key=key).frame.columns == [
        "value",
        "firm",
        "id",
        "measure",
        "unit",
    ]
    drawn = [noised(ROWS, ReorderedColumns(), key=key.derive(str(n))).frame for n in range(10)]
    assert len({tuple(frame.columns) for frame in drawn}) > 5
    assert all(frame.select(FIGURES.columns).equals(ROWS) for frame in drawn)


def test_a_column_is_taken_apart(key: Key) -> None:
    """A date becomes day, month and year (reference 1.3); what is laid out otherwise stands whole in the first."""
    rows = rows_of(unit=["26/10/1991", "unknown", None, "7//2025", "1/2/3/4", "\n/2/3"])
    frame = noised(rows, SplitColumns(column="unit", layout="{day}/{month}/{year}"), key=key).frame
    assert frame.columns == ["id", "firm", "measure", "day", "month", "year", "value"]
    assert frame.select("day", "month", "year").rows() == [
        ("26", "10", "1991"),
        ("unknown", None, None),
        (None, None, None),
        ("7//2025", None, None),
        ("1", "2", "3/4"),
        ("\n", "2", "3"),
    ]


@pytest.mark.parametrize("layout", ["whole", "{one}", "{a}{b}", "{a}-{a}", "{a}-{b}{c}"])
def test_layouts_that_take_nothing_apart_are_refused(layout: str) -> None:
    """Two headers at least, each once, with something between them."""
    assert [one.field for one in SplitColumns(column="unit", layout=layout).refusals(ENVIRONMENT)] == ["layout"]


def test_columns_are_merged_and_empty_cells_leave_nothing(key: Key) -> None:
    """Province, city and district as one (reference 2.6); no cell at all leaves an empty one."""
    rows = rows_of(
        firm=["广东省", "香港", None, None], measure=["深圳市", None, "x", None], unit=["南山区", "无", None, None]
    )
    kind = MergedColumns(columns=("firm", "measure", "unit"), into="firm", separator=",")
    frame = noised(rows, kind, key=key).frame
    assert frame.columns == ["id", "firm", "value"]
    assert frame["firm"].to_list() == ["广东省,深圳市,南山区", "香港,,无", ",x,", None]


@pytest.mark.parametrize(
    ("firm", "measure", "message"),
    [
        (["a", "b|c"], ["x", "y"], r"figures.csv, row 3, column 'firm': found 'b\|c'; no '\|\|?' in cells"),
        (["a", "b|"], ["x", "y"], r"figures.csv, row 3, column 'firm': found 'b\|'"),
    ],
)
@pytest.mark.parametrize("separator", ["|", "||"])
def test_cells_that_could_not_be_told_apart_are_refused(
    firm: list[str | None], measure: list[str | None], message: str, separator: str, key: Key
) -> None:
    """A separator that stands in a cell, or arises between a cell and its end; a longer one does no harm inside."""
    rows, kind = (
        rows_of(firm=firm, measure=measure),
        MergedColumns(columns=("firm", "measure"), into="m", separator=separator),
    )
    if separator == "||" and firm[1] == "b|c":
        assert_frame_equal(undo((made := noised(rows, kind, key=key)).frame, made.ledger, FIGURES), rows)
        return
    with pytest.raises(InputError, match=message):
        noised(rows, kind, key=key)


def test_long_becomes_wide(key: Key) -> None:
    """One row for each combination of keys, empty keys among them, as a slow version makes it; nameless rows are lost."""
    rows = ROWS.unique(["firm", "unit", "measure"], keep="first", maintain_order=True)
    frame = noised(rows, LongToWide(keys=("firm", "unit"), names="measure", values="value"), key=key).frame
    wide: dict[tuple[str | None, str | None], dict[str, str | None]] = {}
    for row in rows.to_dicts():
        if row["measure"] is not None:
            wide.setdefault((row["firm"], row["unit"]), {})[row["measure"]] = row["value"]
    names = sorted({name for cells in wide.values() for name in cells})
    assert frame.columns == ["firm", "unit", *names]
    assert frame.rows() == [(*keys, *(cells.get(name) for name in names)) for keys, cells in wide.items()]


def test_values_that_would_be_lost_are_refused(key: Key) -> None:
    """Two values for the same keys and name, or a name that is a key's header; the same value twice is no loss."""
    kind = LongToWide(keys=("firm",), names="measure", values="value")
    twice = rows_of(firm=["F", "F", "F"], measure=["m", "m", "m"], value=["1", None, "1"])
    assert noised(twice, kind, key=key).frame.rows() == [("F", "1")]
    other = rows_of(firm=[None, None, None], measure=["m", "m", "m"], value=["1", None, "2"])
    with pytest.raises(InputError, match=r"figures.csv, row 4, column 'value': found '2'; one value for the same keys"):
        noised(other, kind, key=key)
    with pytest.raises(InputError, match=r"figures.csv, row 2, column 'measure': found 'firm'; names other than"):
        noised(rows_of(firm=["F"], measure=["firm"], value=["1"]), kind, key=key)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (OtherDialect(quote="all"), '"id","firm","measure","unit","value"\n"0","F","","",""\n'),
        (OtherDialect(quote="non_empty"), '"id","firm","measure","unit","value"\n"0","F",,,\n'),
        (OtherDialect(null_text="\\N"), "id,firm,measure,unit,value\n0,F,\\N,\\N,\\N\n"),
        (OtherDialect(quote="all", null_text="NA"), '"id","firm","measure","unit","value"\n"0","F","NA","NA","NA"\n'),
    ],
    ids=["all", "non-empty", "backslash N", "all, NA"],
)
def test_the_file_is_written_in_the_other_dialect(kind: OtherDialect, text: str, key: Key, tmp_path: Path) -> None:
    """The bytes are as the dialect says, and the file reads back as it was."""
    rows = rows_of(firm=["F"])
    result = noised(rows, kind, key=key)
    table = as_noised(FIGURES, result.ledger)
    write_table(result.frame, table, tmp_path)
    file = tmp_path / "database/figures.csv"
    assert file.read_text("utf-8") == text
    assert_frame_equal(read_published(file, table), rows)


def test_a_text_for_null_that_a_cell_holds_is_refused(key: Key) -> None:
    """File, row, column and value are named."""
    with pytest.raises(
        InputError, match=r"figures.csv, row 3, column 'firm': found 'NA'; an empty field or another text"
    ):
        noised(rows_of(firm=["F", "NA"]), OtherDialect(null_text="NA"), key=key)


def test_rules_on_one_file_follow_each_other(key: Key) -> None:
    """Renamed, merged, split and moved in turn, under another dialect; what a rule took away is not done twice."""
    kinds = (
        RenamedColumns(names={"firm": "company"}),
        RenamedColumns(names={"firm": "house"}),
        MergedColumns(columns=("measure", "value"), into="figure", separator="\u2063"),
        SplitColumns(column="value", layout="{a}-{b}"),
        SplitColumns(column="unit", layout="{day}/{month}/{year}"),
        ReorderedColumns(),
        OtherDialect(quote="all", null_text="NULL"),
    )
    result = noised(ROWS, *kinds, key=key)
    assert set(result.frame.columns) == {"id", "company", "figure", "day", "month", "year"}
    assert result.dialect == as_noised(FIGURES, result.ledger).dialect == Dialect(quote="all", null="NULL")
    assert renamed_columns(FIGURES, result.ledger) == {"id": "id", "firm": "company"}
    assert_frame_equal(replay(ROWS, result.ledger, FIGURES), result.frame)
    assert_frame_equal(undo(result.frame, result.ledger, FIGURES), ROWS)


def test_keys_of_a_wide_table_keep_their_names(key: Key) -> None:
    """So that columns of codes are found in a file whose rows were made anew."""
    rows = ROWS.unique(["firm", "unit", "measure"], keep="first", maintain_order=True)
    kinds = (
        RenamedColumns(names={"firm": "company"}),
        LongToWide(keys=("firm", "unit"), names="measure", values="value"),
        LongToWide(keys=("company", "unit"), names="measure", values="value"),
    )
    ledger = noised(rows, *kinds, key=key).ledger
    assert renamed_columns(FIGURES, ledger) == {"firm": "company", "unit": "unit"}


@pytest.mark.parametrize("kind", [RenamedColumns(names={"firm": "company"}), OtherDialect(quote="all")], ids=str)
def test_ledger_of_another_file_is_refused(kind: FileKind, key: Key) -> None:
    """Other columns, or other texts in a column that the change took away, show that ledger and table are strangers."""
    result = noised(ROWS, kind, key=key)
    with pytest.raises(InputError, match="its columns are id, company, measure"):
        undo(ROWS.rename({"firm": "company", "value": "amount"}), result.ledger, FIGURES)


def test_ledger_of_other_texts_is_refused(key: Key) -> None:
    """The cells of a column that is put back or taken away are compared."""
    kind = SplitColumns(column="unit", layout="{day}/{month}/{year}")
    ledger = noised(ROWS, kind, key=key).ledger
    with pytest.raises(InputError, match="its column 'unit' holds other texts"):
        replay(ROWS.with_columns(unit=pl.lit("x")), ledger, FIGURES)
