"""Small pictures: they are PNG, small, the same for the same input, and show what they are given by shape as well as colour."""

from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from validation.report.charts.drawings import Line
from validation.report.charts.pictures import bars, curves, heat_map

LARGEST = 20_000
"""Bytes of a picture, which is kept for good."""

VERMILION = (166, 58, 0)

cells = st.one_of(st.none(), st.floats(0, 2, allow_nan=False))
shares = st.floats(0, 1, allow_nan=False)


def opened(picture: bytes) -> Image.Image:
    image = Image.open(BytesIO(picture))
    assert image.format == "PNG"
    return image.convert("RGB")


def colours(picture: bytes) -> set[tuple[int, int, int]]:
    image = opened(picture)
    return {image.getpixel((x, y)) for x in range(image.width) for y in range(image.height)}  # type: ignore[misc]  # RGB


@pytest.mark.parametrize(("rows", "columns"), [(48, 44), (76, 11), (1, 1), (3, 200)])
@settings(max_examples=10)
@given(data=st.data())
def test_map_of_any_size_is_small_and_the_same_again(rows: int, columns: int, data: st.DataObject) -> None:
    """As many rows as there are measures and as many columns as industries fit into 20 kB, in the same bytes each time."""
    some = data.draw(st.lists(cells, min_size=7, max_size=7))
    values = [[some[(3 * row + 5 * column + row * column) % 7] for column in range(columns)] for row in range(rows)]
    picture = heat_map(values, limit=1.0)
    assert picture == heat_map(values, limit=1.0)
    assert len(picture) < LARGEST
    assert opened(picture).width <= 640


def test_map_shades_what_is_larger_darker() -> None:
    """Brightness falls from 0 to the limit."""
    image = opened(heat_map([[0.0, 0.25, 0.5, 0.75, 1.0]], limit=1.0))
    side = image.width // 5
    brightness = [sum(image.getpixel((side * place + 5, 5))) for place in range(5)]  # type: ignore[arg-type]  # RGB
    assert brightness == sorted(brightness, reverse=True)
    assert len(set(brightness)) == 5


def test_map_marks_what_is_over_the_limit_and_hatches_what_is_unknown() -> None:
    """Neither is told by colour alone: a cross stands in the one, lines across the other."""
    over, within, unknown = (colours(heat_map([[value]], limit=0.5)) for value in (0.6, 0.5, None))
    assert VERMILION in over
    assert (255, 255, 255) in over
    assert VERMILION not in within | unknown
    assert len(unknown) == 2


@settings(max_examples=25)
@given(st.dictionaries(st.text("abcdefghij klmnop", max_size=90), shares, max_size=25), st.data())
def test_bars_are_small_and_the_same_again(rates: dict[str, float], data: st.DataObject) -> None:
    """Two dozen attacks fit, whatever they are called."""
    limits = {name: data.draw(shares) for name in list(rates)[::2]}
    picture = bars(rates, limits=limits)
    assert picture == bars(rates, limits=limits)
    assert len(picture) < LARGEST


def test_bar_over_its_limit_is_hatched() -> None:
    """Only there is vermilion, and the longer bar has more ink."""
    assert VERMILION in colours(bars({"rate": 0.6}, limits={"rate": 0.5}))
    assert VERMILION not in colours(bars({"rate": 0.5}, limits={"rate": 0.5}))
    assert bars({"rate": 0.6}) != bars({"rate": 0.5})


@settings(max_examples=25)
@given(st.lists(st.lists(shares, min_size=1, max_size=12), max_size=4))
def test_curves_are_small_and_the_same_again(values: list[list[float]]) -> None:
    """Four lines at most, each with a dash of its own."""
    lines = [Line(name=f"line {number}", values=value) for number, value in enumerate(values)]
    picture = curves(lines)
    assert picture == curves(lines)
    assert len(picture) < LARGEST


def test_curves_tell_lines_of_the_same_values_apart_by_their_place() -> None:
    """A higher line is drawn higher: the picture follows the values."""
    assert curves([Line(name="a", values=[0.2, 0.2])]) != curves([Line(name="a", values=[0.2, 0.3])])
