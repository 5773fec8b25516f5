"""Drawings: they are SVG, small, the same for the same input, and show what they are given by shape as well as colour."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.report.charts.drawings import bar, bars, heat_map, histogram

LARGEST = 20_000
"""Bytes of a picture, which is kept for good."""

OVER, UNKNOWN = 'stroke="url(#over)"', 'stroke="url(#none)"'

cells = st.one_of(st.none(), st.floats(0, 2, allow_nan=False))
shares = st.floats(0, 1, allow_nan=False)


def opened(picture: str) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314  # our own


def numbers(picture: str, tag: str, name: str) -> list[float]:
    """Return an attribute of all elements of a picture by that name."""
    return [
        float(each.attrib[name]) for each in opened(picture).iter() if each.tag.endswith(tag) and name in each.attrib
    ]


@pytest.mark.parametrize(("rows", "columns"), [(48, 44), (76, 11), (1, 1), (3, 200)])
@settings(max_examples=10)
@given(data=st.data())
def test_map_of_any_size_is_small_and_the_same_again(rows: int, columns: int, data: st.DataObject) -> None:
    """As many rows as there are measures and as many columns as industries fit into 20 kB, in the same bytes each time."""
    some = data.draw(st.lists(cells, min_size=7, max_size=7))
    values = [[some[(3 * row + 5 * column + row * column) % 7] for column in range(columns)] for row in range(rows)]
    picture = heat_map(values, limit=1.0)
    assert picture == heat_map(values, limit=1.0)
    assert len(picture.encode()) < LARGEST
    assert float(opened(picture).attrib["width"]) <= 640


@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=5))
def test_map_shows_every_cell_once(values: list[list[float | None]]) -> None:
    """Runs of one shade cover each place, and no place twice."""
    runs = re.findall(r"M(\d+) (\d+)\.5h(\d+)", heat_map(values, limit=1.0))
    covered = [(int(row), int(start) + i) for start, row, length in runs for i in range(int(length))]
    assert sorted(covered) == [(row, column) for row in range(len(values)) for column in range(3)]


def test_map_shades_what_is_larger_darker() -> None:
    """Brightness falls from 0 to the limit."""
    inks = re.findall(
        r'd="M(\d) [^"]*" fill="none" stroke="#(..)(..)(..)"', heat_map([[0.0, 0.25, 0.5, 0.75, 1.0]], limit=1.0)
    )
    brightness = [sum(int(part, 16) for part in ink) for _, *ink in sorted(inks)]
    assert brightness == sorted(brightness, reverse=True)
    assert len(set(brightness)) == 5


def test_map_marks_what_is_over_the_limit_and_hatches_what_is_unknown() -> None:
    """Neither is told by colour alone: a cross stands in the one, lines across the other."""
    over, within, unknown = (heat_map([[value]], limit=0.5) for value in (0.6, 0.5, None))
    assert [OVER in each for each in (over, within, unknown)] == [True, False, False]
    assert [UNKNOWN in each for each in (over, within, unknown)] == [False, False, True]
    assert {"over", "none"} == {each.attrib["id"] for each in opened(over).iter() if each.tag.endswith("pattern")}


@given(st.dictionaries(st.text("abcdefghij <&klmnop", max_size=90), shares, max_size=25), st.data())
def test_bars_are_small_and_the_same_again(rates: dict[str, float], data: st.DataObject) -> None:
    """Two dozen attacks fit, whatever they are called."""
    limits = {name: data.draw(shares) for name in list(rates)[::2]}
    picture = bars(rates, limits=limits)
    assert picture == bars(rates, limits=limits)
    assert opened(picture).attrib["width"] == "640"
    assert len(picture.encode()) < LARGEST


def test_bar_over_its_limit_is_hatched() -> None:
    """Only there are lines across, and the longer bar has more ink."""
    over, within = (bars({"rate": share}, limits={"rate": 0.5}) for share in (0.6, 0.5))
    assert "<path" in over
    assert "<path" not in within
    assert max(numbers(bars({"rate": 0.6}), "rect", "width")[2:]) > max(
        numbers(bars({"rate": 0.5}), "rect", "width")[2:]
    )


@given(shares, shares, shares)
def test_bar_of_a_rate_keeps_to_its_frame(rate: float, upper: float, chance: float) -> None:
    """Nothing is drawn left of 0 or right of 100, and the tick stands where guessing does."""
    picture = bar(rate, upper=max(rate, upper), chance=chance)
    places, widths = numbers(picture, "rect", "x"), numbers(picture, "rect", "width")
    assert all(x >= 0 and width >= 0 and x + width <= 100.01 for x, width in zip(places, widths, strict=True))
    assert places[-1] == pytest.approx(min(100 * chance, 99), abs=0.01)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=24).filter(any))
def test_histogram_shows_each_bar_that_stands_for_anything(counts: list[int]) -> None:
    """As high as its count, and never so low that it is not seen."""
    picture = histogram(counts, label="<most>")
    assert picture == histogram(counts, label="<most>")
    bars = re.findall(r"M(\d+) 24v-([\d.]+)", opened(picture)[0].attrib["d"])
    assert [int(place) // 4 for place, _ in bars] == [place for place, count in enumerate(counts) if count]
    assert all(1 <= float(height) <= 24 for _, height in bars)
    highest = max(counts)
    assert {int(place) // 4 for place, height in bars if float(height) == 22} >= {counts.index(highest)}
    assert opened(picture).attrib["aria-label"] == "<most>"
