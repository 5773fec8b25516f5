"""What stands in published tables: counts are those of a slow count, records that noise changed those of the ledger."""

import math
from collections import Counter
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pipeline.model import PublishedTable
from pipeline.noise.ledger import SCHEMA, replay
from pipeline.publish.variant import CLEAN
from silt.environments.us_listed import US_LISTED
from validation.profile import table_profile
from validation.profile.changed import CLIPPED, SHOWN, changed_rows, table_changes
from validation.profile.columns import COUNTED_UP_TO, MOST_VALUES, counted
from validation.profile.histograms import MOST_BINS, edges_of
from validation.profile.rows import CHANGED, FIRST, SHORT, shown_rows

texts = st.one_of(
    st.none(),
    st.sampled_from(
        [
            "a",
            "b",
            "1,000",
            "n/a",
            "NaN",
            "inf",
            "北京",
            "=1+1",
            "+49 30",
            "-",
            "@a",
            "\tx",
            "\r1",
            "-1e5",
            "+.5",
            "-1.",
            "--1",
            "-1,234.5",
            "-12,34",
            "-1,234%",
        ]
    ),
    st.integers(-(10**12), 10**12).map(str),
    st.decimals(-(10**6), 10**6, places=2).map(str),
    st.text(min_size=1, max_size=5),
)
finite = st.floats(-1e15, 1e15, allow_nan=False).map(lambda value: float(f"{value:.6g}"))


def figure(text: str) -> float | None:
    """Read a text as polars does, or not at all."""
    value = pl.Series([text]).cast(pl.Float64, strict=False)[0]
    return value if value is not None and math.isfinite(value) else None


def is_number(text: str) -> bool:
    """Say whether a spreadsheet takes a text for a number, or for a sign alone."""
    if not text.strip("+-"):
        return True
    plain = text.removesuffix("%").replace(",", "")
    whole, _, _ = text.removesuffix("%").lstrip("+-").partition(".")
    is_grouped = "," not in text or (whole.replace(",", "").isdigit() and f"{int(whole.replace(',', '')):,}" == whole)
    return is_grouped and set(plain) <= set("0123456789+-.eE") and figure(plain) is not None


def test_a_column_called_like_a_formula_counts() -> None:
    """Its header is a cell of the file, too."""
    assert counted(pl.LazyFrame({"=a": ["b"]}), {"=a": "text"}, ())[1]["=a"].formulas == 1


@given(st.lists(texts, max_size=60), st.sampled_from(["text", "integer", "number"]))
def test_counts_are_those_of_a_slow_count(cells: list[str | None], kind: str) -> None:
    """Empty cells, formulas and distinct texts, cell by cell, and every filled cell is in one bar or beside all of them."""
    frame = pl.DataFrame({"c": pl.Series(cells, dtype=pl.String)})
    records, columns = counted(frame.lazy(), {"c": kind}, ())
    found, filled = columns["c"], [cell for cell in cells if cell is not None]
    assert (records, found.missing, found.distinct) == (len(cells), cells.count(None), len(set(filled)))
    assert found.formulas == sum(cell[0] in "=+-@\t\r" and not is_number(cell) for cell in filled)
    if shown := found.histogram:
        assert sum(shown.counts) + shown.other == len(filled)
    assert list(found.examples) == list(dict.fromkeys(filled))[:3]


@given(st.lists(texts, min_size=1, max_size=60))
def test_bars_of_texts_are_the_most_frequent(cells: list[str | None]) -> None:
    """No text without a bar is more frequent than one with a bar, and each bar has its own count."""
    counts = Counter(cell for cell in cells if cell is not None)
    shown = counted(pl.LazyFrame({"c": cells}, schema={"c": pl.String}), {"c": "text"}, ())[1]["c"].histogram
    assert (shown is None) == (not counts)
    if shown is not None:
        assert dict(zip(shown.values, shown.counts, strict=True)).items() <= counts.items()
        assert sorted(shown.counts, reverse=True) == sorted(counts.values(), reverse=True)[:MOST_VALUES]


@given(st.lists(texts, min_size=20, max_size=60))
def test_bins_hold_the_figures_that_lie_in_them(cells: list[str | None]) -> None:
    """Counted one by one; what is no finite figure is beside them."""
    found = counted(pl.LazyFrame({"c": cells}, schema={"c": pl.String}), {"c": "number"}, ())[1]["c"]
    assume(found.histogram is not None and found.histogram.of == "numbers")
    assert found.histogram is not None
    figures = [value for cell in cells if cell is not None and (value := figure(cell)) is not None]
    slow = [sum(low <= value < high for value in figures) for low, high in pairwise(found.histogram.edges)]
    assert list(found.histogram.counts) == slow
    assert sum(slow) == len(figures)


@given(finite, finite)
@example(0.0, 0.0)
@example(-1.0, 1e15)
@example(0.1, 0.3)
@example(1000.0, 1000.0)
@example(1e18, 1e18)
@example(-1e15, 1e15)
def test_bins_reach_from_the_smallest_to_the_largest(one: float, other: float) -> None:
    """Few, rising, and both ends are inside."""
    low, high = sorted((one, other))
    edges = edges_of(low, high)
    assert edges[0] <= low
    assert high < edges[-1]
    assert all(start < end for start, end in pairwise(edges))
    assert len(edges) <= 2 * MOST_BINS + 1


@pytest.mark.parametrize(("first", "last"), [(1957.0, 2014.0), (2014.0, 2015.0), (-2014.0, -1957.0)])
def test_years_have_bins_of_one_width(first: float, last: float) -> None:
    """They begin far from 0, and do not reach far from each other: two bins from 1,000 to 5,000 would say nothing."""
    widths = {round(end - start, 9) for start, end in pairwise(edges_of(first, last))}
    assert len(widths) == 1
    assert widths.pop() <= (last - first) / 10


def test_key_has_no_histogram_and_too_many_records_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both would say nothing, or take memory without end."""
    frame = pl.LazyFrame({"id": ["1", "2"], "c": ["x", "x"]})
    columns = counted(frame, {"id": "integer", "c": "text"}, {"id"})[1]
    assert columns["id"].histogram is None
    assert columns["c"].histogram is not None
    assert COUNTED_UP_TO > 781_772  # records of the longest table of dataclaw-18
    monkeypatch.setattr("validation.profile.columns.COUNTED_UP_TO", 1)
    assert counted(frame, {"c": "text"}, ())[1]["c"].distinct is None


@pytest.mark.parametrize("name", ["company_figures", "sector_aggregates"])
def test_figures_of_several_units_have_no_histogram(name: str) -> None:
    """Shares and dollars have no common scale, whether a view names the column of units or the table does."""
    table = US_LISTED.table(name)
    rows = pl.LazyFrame({column: ["1", "2", "3"] for column in table.columns})
    found = {each.column: each for each in table_profile(US_LISTED, table, rows, variant=CLEAN).columns}
    assert (found["value"].unit_in, found["value"].histogram) == ("unit", None)
    assert found["year"].histogram is not None


# --- records that noise changed ----------------------------------------------------------------------------------------

TABLE = PublishedTable(path="t.csv", columns=("id", "a", "b"), needs=(), render=lambda _: pl.DataFrame())
ROWS = pl.DataFrame({"id": [str(i) for i in range(12)], "a": [f"a{i}" for i in range(12)], "b": [None, *"bcdefghijkl"]})

changes = st.lists(
    st.tuples(
        st.integers(0, 11), st.sampled_from("ab"), st.sampled_from(["one", "two", "three"]), st.text("xyz", max_size=3)
    ),
    max_size=20,
    unique_by=lambda change: change[:2],
)


def ledger_of(made: list[tuple[int, str, str, str]]) -> pl.DataFrame:
    rows = [
        ("t", str(i), column, "kind", rule, ROWS[column][i] or "", after, True)
        for i, column, rule, after in made
        if after != (ROWS[column][i] or "")
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


@given(changes)
def test_changed_cells_are_those_of_the_ledger(made: list[tuple[int, str, str, str]]) -> None:
    """Of each record that is shown all changed cells are, as they stand in the table with noise, and no others."""
    ledger = ledger_of(made)
    noisy = replay(ROWS, ledger, TABLE)
    shown = changed_rows(TABLE, ROWS.lazy(), ledger)
    assert len(shown) == min(SHOWN, ledger["row_key"].n_unique())
    for row in shown:
        place = int(row.row[0] or "")
        without, with_noise = ROWS.row(place, named=True), noisy.row(place, named=True)
        differing = {name for name in TABLE.columns if without[name] != with_noise[name]}
        assert {cell.column for cell in row.cells} == differing
        for cell in row.cells:
            assert (cell.before, cell.after) == (without[cell.column] or "", with_noise[cell.column] or "")
        assert row.row == tuple(without.values())


def differing(noisy: pl.DataFrame) -> set[tuple[int, int]]:
    """Return the places of the cells in which a table differs from the one without noise, found cell by cell."""
    pairs = enumerate(zip(ROWS.rows(), noisy.rows(), strict=True))
    return {(i, k) for i, sides in pairs for k, (was, now) in enumerate(zip(*sides, strict=True)) if was != now}


@given(changes)
def test_counted_and_marked_is_what_differs(made: list[tuple[int, str, str, str]]) -> None:
    """Rows and cells are counted as a comparison of both tables counts them, and the same cells are marked, with both texts."""
    ledger = ledger_of(made)
    noisy = replay(ROWS, ledger, TABLE)
    found, counts = differing(noisy), table_changes(ROWS.lazy(), ledger)
    assert (counts.rows, counts.of_rows, counts.cells) == (len({i for i, _ in found}), ROWS.height, len(found))
    shown = shown_rows(TABLE, noisy.lazy(), ledger)
    assert [tuple(row) for row in shown.rows] == noisy.rows()
    assert {(i, k) for i, k, _, _ in shown.changed} == found
    assert all((was, now) == (ROWS.item(i, k) or "", noisy.item(i, k) or "") for i, k, was, now in shown.changed)


def test_rows_that_come_and_go_are_counted_apart() -> None:
    """What a rule changed in a row that another one took out shows nowhere."""
    rows = [("t", "3", "", "dropped_rows", "gone", "{}", "", True), ("t", "5", "", "k", "again", "", "{}", True)]
    ledger = pl.concat([ledger_of([(3, "a", "one", "x")]), pl.DataFrame(rows, schema=SCHEMA, orient="row")])
    found = table_changes(ROWS.lazy(), ledger)
    assert (found.rows, found.cells, found.removed, found.added) == (0, 0, 1, 1)


@pytest.mark.parametrize(("height", "shown"), [(SHORT - 1, SHORT - 1), (SHORT, FIRST)])
def test_of_a_long_table_the_first_rows_are_shown(height: int, shown: int) -> None:
    """All of a short one."""
    rows = pl.LazyFrame(
        {"id": map(str, range(height)), "a": ["x"] * height, "b": [None] * height}, schema_overrides={"b": pl.String}
    )
    found = shown_rows(TABLE, rows)
    assert (found.records, len(found.rows), found.rows[-1][0]) == (height, shown, str(shown - 1))


def test_of_a_long_table_with_noise_further_rows_are_shown_that_it_changed() -> None:
    """In the order of the file, each once, and with both texts; of the first rows none stands twice."""
    made = [str(i) for i in (*range(SHORT - 1, 0, -7), 3)]
    noisy = pl.DataFrame({"id": [str(i) for i in range(SHORT)], "b": ["y"] * SHORT}).select(
        "id", pl.when(pl.col("id").is_in(made)).then(pl.lit("x")).otherwise(pl.lit("one")).alias("a"), "b"
    )
    changed = [("t", key, "a", "kind", "typos", "one", "x", True) for key in made]
    found = shown_rows(TABLE, noisy.lazy(), pl.DataFrame(changed, schema=SCHEMA, orient="row"))
    keys = [row[0] for row in found.rows]
    assert keys[:FIRST] == [str(i) for i in range(FIRST)]
    assert (found.first, len(keys)) == (FIRST, FIRST + CHANGED)
    assert keys == sorted({*keys}, key=lambda key: int(key or ""))
    assert {*keys[FIRST:]} <= {*made}
    assert {place for place, _, _, _ in found.changed} == {place for place, key in enumerate(keys) if key in made}


@given(changes)
def test_few_records_show_every_rule_they_can(made: list[tuple[int, str, str, str]]) -> None:
    """Three rules always fit into five records."""
    ledger = ledger_of(made)
    shown = {rule for row in changed_rows(TABLE, ROWS.lazy(), ledger) for cell in row.cells for rule in cell.rules}
    assert shown == set(ledger["rule"])


def test_a_record_that_was_dropped_is_not_shown_with_noise() -> None:
    """It has none: it is not in the noisy table."""
    dropped = pl.DataFrame([("t", "3", "", "dropped_rows", "gone", "{}", "", True)], schema=SCHEMA, orient="row")
    ledger = pl.concat([ledger_of([(3, "a", "one", "x"), (4, "a", "one", "x")]), dropped])
    assert [row.row[0] for row in changed_rows(TABLE, ROWS.lazy(), ledger)] == ["4"]


def test_long_texts_are_clipped_around_the_change() -> None:
    """Nobody reads a page of prose to find one character."""
    rows = pl.DataFrame({"id": ["1"], "a": ["x" * 500], "b": ["y"]})
    ledger = pl.DataFrame(
        [("t", "1", "a", "k", "r", "x" * 500, "x" * 250 + "!" + "x" * 249, True)], schema=SCHEMA, orient="row"
    )
    (row,) = changed_rows(TABLE, rows.lazy(), ledger)
    assert "!" in row.cells[0].after
    assert all(len(text or "") <= CLIPPED for text in (*row.row, row.cells[0].before, row.cells[0].after))


@pytest.mark.parametrize("variant", ["clean", "noisy"])
def test_columns_say_what_they_mean_and_where_they_come_from(variant: str) -> None:
    """Types, meanings and origins are those of the declaration; a key is one where no row is repeated."""
    table = US_LISTED.table("company_figures")
    rows = pl.LazyFrame([["1", "AAAAA", "2014", "revenue", "USD", "7.50"]], schema=list(table.columns), orient="row")
    profile = table_profile(US_LISTED, table, rows, variant=variant)
    by_name = {column.column: column for column in profile.columns}
    assert tuple(by_name) == table.columns == profile.declared
    assert by_name["id"].is_key == (variant == "clean")
    assert (by_name["value"].type, by_name["value"].meaning) == ("number", "the figure")
    assert any(origin.startswith("figures.") for origin in by_name["value"].made_of)
    assert profile.first == (("1", "AAAAA", "2014", "revenue", "USD", "7.50"),)


def test_a_column_that_noise_made_has_its_name_alone() -> None:
    """Nothing is declared of it."""
    table = US_LISTED.table("company_figures")
    (column,) = table_profile(US_LISTED, table, pl.LazyFrame({"valeur": ["1"]}), variant="noisy").columns
    assert (column.type, column.meaning, column.made_of) == ("text", "", ())
