"""What the kinds that spoil dates, times and periods do, against slow and obvious versions of it."""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.noise.kinds.dates import (
    CalendarShift,
    CollapsedPeriod,
    ImpossibleSeconds,
    MixedDateFormats,
    PartialYear,
    SwappedDayMonth,
)
from pipeline.noise.kinds.interface import Kind
from tests.stats import check_shares
from tests.unit.noise.applied import KEY, Texts, applied, mended, refused, rows_of

OWN = "%-d/%-m/%Y"
OTHERS = ("%m/%d/%Y", "%Y-%m-%d", "%d/%m/%y", "%B %-d, %Y", "%Y年%-m月%-d日", "%d.%m.%Y")
MIXED = MixedDateFormats(columns=("day",), format=OWN, formats=OTHERS)
DAYS = st.lists(st.dates(date(1900, 1, 1), date(2099, 12, 31)), min_size=1, max_size=20)


def own(day: date) -> str:
    return f"{day.day}/{day.month}/{day.year}"


def written(day: date, form: str) -> str:
    """Return a date as Python writes it; `%-d` is the day without its zero."""
    plain = form.replace("%-d", str(day.day)).replace("%-m", str(day.month))
    return day.strftime(plain)


def readings(text: str, forms: Sequence[str]) -> set[date]:
    """Return every date that a text can be, as Python reads it; but 69 is 2069, as polars has it, and not 1969."""
    found = set()
    for form in forms:
        try:
            day = datetime.strptime(text, form.replace("%-", "%")).date()  # noqa: DTZ007
        except ValueError:
            continue
        found.add(day.replace(year=2069) if "%y" in form and day.year == 1969 else day)
    return found


@given(days=DAYS)
@example(days=[date(2000, 1, 1)] * 7 + [date(1969, 1, 1), date(2069, 1, 1)])
def test_dates_come_back_where_they_can_be_read_in_one_way(days: list[date]) -> None:
    """A date is written in one of the formats, and recoverable if all formats read the same date from that text."""
    noised = applied(MIXED, day=[own(day) for day in days])
    cleaned = mended(MIXED, noised.frame)["day"]
    recoverable = dict(noised.ledger.select("row_key", "recoverable").iter_rows())
    for row, (day, text) in enumerate(zip(days, noised.frame["day"], strict=True)):
        assert text in {written(day, form) for form in OTHERS}
        is_clear = readings(text, (OWN, *OTHERS)) == {day}
        assert recoverable.get(str(row), is_clear) == is_clear
        assert (cleaned[row] == own(day)) == (is_clear or text == own(day))


@pytest.mark.parametrize(
    ("form", "text", "back"),
    [
        ("%m/%d/%Y", "10/26/1991", "26/10/1991"),
        ("%m/%d/%Y", "07/02/1987", None),
        ("%m/%d/%Y", "05/05/2020", "5/5/2020"),
        ("%Y-%m-%d", "1987-07-02", "2/7/1987"),
        ("%d %b %Y", "02 Jul 1987", "2/7/1987"),
        ("%d/%m/%y", "02/07/87", "2/7/1987"),
        ("%d/%m/%y", "02/07/51", None),
        ("%Y-%m-%d %H:%M:%S", "1987-07-02 00:00:00", "2/7/1987"),
    ],
)
def test_what_is_one_date_only_comes_back(form: str, text: str, back: str | None) -> None:
    """Days past 12, the year first and month names tell the date; day and month that fit each other's place do not."""
    kind = MixedDateFormats(columns=("day",), format=OWN, formats=(form,))
    truth = back or ("2/7/1987" if text.startswith("07") else "2/7/1951")
    noised = applied(kind, day=[truth])
    assert noised.frame["day"].to_list() == [text]
    assert noised.ledger["recoverable"].to_list() == [back is not None]
    if back or "y" not in form:
        assert mended(kind, noised.frame)["day"].to_list() == [back or text]


@given(days=DAYS)
def test_clean_dates_are_left_by_the_cleaner(days: list[date]) -> None:
    """A date in the clean format is what it is, or ambiguous: both stay."""
    frame = rows_of({"day": [own(day) for day in days]})
    assert mended(MIXED, frame).equals(frame)


def test_every_format_is_drawn_alike() -> None:
    """Over 12,000 rows of one date each format comes up as often as the others."""
    texts = applied(MIXED, day=["26/11/1991"] * 12_000).frame["day"]
    counts = dict(texts.value_counts().iter_rows())
    check_shares([counts.pop(written(date(1991, 11, 26), form)) for form in OTHERS])
    assert not counts


@pytest.mark.parametrize("text", ["02/07/1987", "1987-07-02", "31/2/1987", "1/1/87", "soon", "2/7/1987 ", None])
def test_what_the_clean_format_would_not_write_is_left(text: str | None) -> None:
    """Padded dates, other formats, days that are none, and words stay as they are."""
    assert applied(MIXED, day=[text]).ledger.is_empty()
    assert applied(SwappedDayMonth(columns=("day",), format=OWN), day=[text]).ledger.is_empty()


def test_times_come_back_with_their_dates() -> None:
    """A time of the day is kept by formats that tell it, and comes back."""
    clean = "%-d/%-m/%Y %H:%M:%S"
    kind = MixedDateFormats(columns=("at",), format=clean, formats=("%Y-%m-%dT%H:%M:%S", "%-d %b %Y %I:%M:%S %p"))
    texts: Texts = ["7/9/2025 11:59:09", "23/3/2026 23:32:16", None] * 10
    noised = applied(kind, at=texts)
    assert set(noised.frame["at"]) == {
        *("2025-09-07T11:59:09", "7 Sep 2025 11:59:09 AM", None),
        *("2026-03-23T23:32:16", "23 Mar 2026 11:32:16 PM"),
    }
    assert noised.ledger["recoverable"].all()
    assert mended(kind, noised.frame)["at"].to_list() == texts


@given(days=DAYS)
def test_day_and_month_are_exchanged_where_both_fit(days: list[date]) -> None:
    """2/7/1987 becomes 7/2/1987; a day past 12, or like its month, is not even counted."""
    noised = applied(SwappedDayMonth(columns=("day",), format=OWN), day=[own(day) for day in days])
    swapped = [f"{day.month}/{day.day}/{day.year}" if day.day <= 12 else own(day) for day in days]
    assert noised.frame["day"].to_list() == swapped
    assert noised.opportunities["eligible"].to_list() == [sum(day.day <= 12 and day.day != day.month for day in days)]
    assert not noised.ledger["recoverable"].any()


def test_times_stay_when_day_and_month_are_exchanged() -> None:
    """Only day and month move, in whatever format."""
    kind = SwappedDayMonth(columns=("at",), format="%Y-%m-%d %H:%M:%S")
    assert applied(kind, at=["2025-09-07 11:59:09"]).frame["at"].to_list() == ["2025-07-09 11:59:09"]


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (MixedDateFormats(columns=("day",), format="%d/%m", formats=("%Y-%m-%d",)), "format"),
        (MixedDateFormats(columns=("day",), format="%Q", formats=("%Y-%m-%d",)), "format"),
        (MixedDateFormats(columns=("day",), format="no format", formats=("%Y-%m-%d",)), "format"),
        (MixedDateFormats(columns=("day",), format=OWN, formats=("%Y-%m",)), "formats"),
        (MixedDateFormats(columns=("day",), format=OWN, formats=("%Y-%m-%d", OWN)), "formats"),
        (MixedDateFormats(columns=("day",), format=f"{OWN} %H:%M", formats=("%Y-%m-%d",)), "formats"),
        (MixedDateFormats(columns=("day",), format=f"{OWN} %H:%M", formats=("%Y-%m-%d %I:%M",)), "formats"),
        (SwappedDayMonth(columns=("day",), format="%H:%M"), "format"),
        (CalendarShift(columns=("year",), years=0, consistent_by="firm"), "years"),
        (CalendarShift(columns=("year",), years=1, consistent_by="label", series="^[^（]*"), "series"),
    ],
)
def test_bad_parameters_are_refused(kind: Kind, field: str) -> None:
    """Formats that are none or that lose something, a shift by nothing, and a series without a name are refused."""
    assert refused(kind) == {field}


def test_seconds_are_impossible() -> None:
    """Seconds from 60 to 105 take the place of the true ones, each as often as the others; nothing else moves."""
    frame = applied(ImpossibleSeconds(columns=("at",)), at=["11/9/2025 10:16:25"] * 23_000).frame
    found = [re.fullmatch(r"11/9/2025 10:16:(\d+)", text) for text in frame["at"]]
    seconds = [int(match[1]) for match in found if match]
    assert len(seconds) == 23_000
    assert set(seconds) == set(range(60, 106))
    check_shares([seconds.count(second) for second in range(60, 106)])


@pytest.mark.parametrize("text", ["11/9/2025", "10:16", "10:16:93", "at 110:16:251", "1:2:3", None])
def test_what_holds_no_time_is_left(text: str | None) -> None:
    """Dates alone, times without seconds, and seconds that are impossible already stay."""
    assert applied(ImpossibleSeconds(columns=("at",)), at=[text]).ledger.is_empty()


def test_a_time_alone_is_a_time() -> None:
    """The first time of a text gets other seconds, with or without a date."""
    after = applied(ImpossibleSeconds(columns=("at",)), at=["9:05:07", "9:05:07 to 9:06:07"]).frame["at"].to_list()
    assert re.fullmatch(r"9:05:(6\d|[789]\d|10[0-5])", after[0])
    assert re.fullmatch(r"9:05:(6\d|[789]\d|10[0-5]) to 9:06:07", after[1])


def test_periods_collapse_to_one() -> None:
    """As in the release: whatever the month, the label says `1974年1月`; other text stays, so do later periods."""
    kind = CollapsedPeriod(columns=("label",), pattern="[0-9]{4}年[0-9]{1,2}月", period="1974年1月")
    labels: Texts = [
        "民航客运量:当月值（2011年7月）",
        "民航客运量（1999年12月）",
        "（年度）",
        None,
        "1974年1月",
        "2000年1月-2001年1月",
    ]
    noised = applied(kind, label=labels)
    expected = [
        "民航客运量:当月值（1974年1月）",
        "民航客运量（1974年1月）",
        "（年度）",
        None,
        "1974年1月",
        "1974年1月-2001年1月",
    ]
    assert noised.frame["label"].to_list() == expected
    assert noised.opportunities["eligible"].to_list() == [3]
    assert not noised.ledger["recoverable"].any()


def test_a_period_is_taken_literally() -> None:
    """Signs that mean something in a pattern mean nothing in a period."""
    kind = CollapsedPeriod(columns=("label",), pattern="(b)", period=r"$1${1}\1")
    assert applied(kind, label=["abc"]).frame["label"].to_list() == [r"a$1${1}\1c"]


def test_a_month_passes_for_the_year() -> None:
    """As in the release: `（2022年5月）` becomes `（年度）`; a group of the pattern may be kept."""
    kind = PartialYear(columns=("label",), pattern="（[0-9]{4}年[0-9]{1,2}月）", replacement="（年度）")
    labels: Texts = ["公路客运量:当月值（2022年5月）", "公路客运量（年度）", None]
    after = applied(kind, label=labels).frame["label"].to_list()
    assert after == ["公路客运量:当月值（年度）", "公路客运量（年度）", None]
    kept = PartialYear(columns=("label",), pattern="([0-9]{4}年)[0-9]{1,2}月", replacement="${1}")
    assert applied(kept, label=labels).frame["label"].to_list() == [
        "公路客运量:当月值（2022年）",
        "公路客运量（年度）",
        None,
    ]


def test_a_label_never_becomes_empty() -> None:
    """Where nothing would be left of a label it stays."""
    kind = PartialYear(columns=("label",), pattern="^(x?).*", replacement="${1}")
    noised = applied(kind, label=["abc", "xyz"])
    assert noised.frame["label"].to_list() == ["abc", "x"]
    assert noised.opportunities["eligible"].to_list() == [1]


SHIFT = CalendarShift(
    columns=("year", "label"), years=4, consistent_by="label", series="^(.*)（", pattern="（[0-9]{4}|^[0-9]{4}$"
)


def monthly(series: Sequence[str], first: date, months: int) -> dict[str, Texts]:
    """Return the columns `year` and `label` of monthly series."""
    days = [first + timedelta(days=31 * month) for month in range(months)]
    labels: Texts = [f"{name}（{day.year}年{day.month}月）" for name in series for day in days]
    return {"year": [str(day.year) for _ in series for day in days], "label": labels}


def test_series_move_as_a_whole() -> None:
    """Every row of a series moves by four years in year and label, or none does, the same in every table of the rule."""
    names = [f"series {number}:2000=100" for number in range(60)]
    moved: set[frozenset[str]] = set()
    for table, first in (("one", date(2018, 1, 1)), ("two", date(1951, 6, 1))):
        columns = monthly(names, first, 20)
        frame = applied(SHIFT, rate=0.5, table=table, **columns).frame
        by_name: dict[str, set[int]] = {name: set() for name in names}
        for before, label, year in zip(columns["label"], frame["label"], frame["year"], strict=True):
            name, was = re.fullmatch(r"(.*)（(\d+)年\d+月）", str(before)).groups()  # type: ignore[union-attr]
            assert label == str(before).replace(f"（{was}", f"（{year}")
            by_name[name].add(int(year) - int(was))
        assert all(shifts in ({0}, {4}) for shifts in by_name.values())
        moved.add(frozenset(name for name, shifts in by_name.items() if shifts == {4}))
    assert len(moved) == 1
    assert 15 < len(moved.pop()) < 45


def test_how_many_series_move_is_the_rate() -> None:
    """Over 4,000 series of one row each a rate of 0.3 moves 0.3 of them."""
    columns = monthly([f"series {number}" for number in range(4_000)], date(2018, 1, 1), 1)
    is_moved = applied(SHIFT, rate=0.3, **columns).frame["year"] == "2022"
    check_shares([int(is_moved.sum()), int((~is_moved).sum())], [0.3, 0.7])


def test_a_series_may_be_a_whole_column() -> None:
    """Without `series` the text of `consistent_by` is the name: an entity's code."""
    kind = CalendarShift(columns=("year",), years=-1, consistent_by="firm")
    firms: Texts = [f"f{row % 50}" for row in range(500)]
    frame = applied(kind, rate=0.5, firm=firms, year=["2015"] * 500).frame
    by_firm = frame.group_by("firm").agg(pl.col("year").unique())
    assert set(by_firm["year"].explode(empty_as_null=False)) == {"2014", "2015"}
    assert by_firm["year"].list.len().to_list() == [1] * 50


def test_what_has_no_year_or_no_series_is_left() -> None:
    """The first column must have a year that stays within four digits, and the label a series; other columns move along."""
    columns: dict[str, Texts] = {
        "year": ["2018", None, "soon", "9998", "2018", "2018", "2018"],
        "label": [
            "a（2018年1月）",
            "b（2018年1月）",
            "c（2018年1月）",
            "d（9998年1月）",
            "no series 2018",
            "e（年度）",
            "f（9998年1月）",
        ],
    }
    noised = applied(SHIFT, **columns)
    assert noised.frame["year"].to_list() == ["2022", None, "soon", "9998", "2018", "2022", "2022"]
    assert noised.frame["label"].to_list() == ["a（2022年1月）", *columns["label"][1:]]
    assert noised.ledger["row_key"].unique().sort().to_list() == ["0", "5", "6"]


def test_only_the_year_that_is_meant_moves() -> None:
    """Of what the pattern finds the first four digits move, wherever else they stand in the text."""
    kind = CalendarShift(columns=("label",), years=1, consistent_by="label", pattern="Q[1-4] [0-9]{4}")
    after = applied(kind, label=["2018 index, Q4 2018", "$1 of Q1 2019 and Q1 2019"]).frame["label"].to_list()
    assert after == ["2018 index, Q4 2019", "$1 of Q1 2020 and Q1 2019"]


def test_another_key_moves_other_series() -> None:
    """Which series move is drawn."""
    columns = monthly([f"series {number}" for number in range(60)], date(2018, 1, 1), 1)
    years = [applied(SHIFT, rate=0.5, release=KEY.derive(name), **columns).frame["year"].to_list() for name in "ab"]
    assert years[0] != years[1]
