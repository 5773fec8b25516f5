"""The foils of the frontier are what they are called, and its picture is well-formed and has every mechanism."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from benchmarks.frontier import Foil, _assignment, _mdav, _microaggregation, _one_neighbour, _plain_mixture, _shuffling
from benchmarks.picture import Point, picture


def figures() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return 50 firms with three figures that go together."""
    rng = np.random.default_rng(2)
    return np.exp(rng.normal(10, 2, (50, 1)) + rng.normal(0, 0.3, (50, 3)))


@pytest.mark.parametrize("foil", [_shuffling(0.3), _microaggregation(4), _assignment(2), _plain_mixture(4)])
def test_mapped_foils_keep_distributions(foil: Foil) -> None:
    """What maps onto sorted figures, or hands them on one to one, keeps each measure's values and moves most of them."""
    new, _ = foil(figures(), np.random.default_rng(1))
    assert np.array_equal(np.sort(new, axis=0), np.sort(figures(), axis=0))
    assert (new != figures()).mean() > 0.5


@pytest.mark.parametrize("foil", [_assignment(2), _plain_mixture(4), _one_neighbour(3)])
def test_nobody_is_made_of_itself(foil: Foil) -> None:
    """The firm that a record mostly is is another one."""
    _, mostly = foil(figures(), np.random.default_rng(1))
    assert mostly is not None
    assert (mostly != np.arange(50)).all()


@pytest.mark.parametrize("size", [5, 9, 10, 50])
def test_microaggregates_have_enough_firms(size: int) -> None:
    """MDAV puts every firm into one group, each of k to 2k - 1."""
    groups = list(_mdav(figures()[:size], 5))
    assert sorted(np.concatenate(groups)) == list(range(size))
    assert all(5 <= len(group) < 10 for group in groups)


def point(mechanism: str, owner: float, contributor: float | None) -> Point:
    rates = {"owner": owner, "largest contributor": contributor, "Spearman": 0.9, "drift": 0.05}
    return Point(mechanism=mechanism, strength="1", figures=rates)


def test_whoever_is_named_more_often_counts() -> None:
    """A mechanism that gives the contributor away stands where that puts it."""
    assert point("a", 0.1, 0.8).named == 0.8
    assert point("a", 0.1, None).named == 0.1


def test_the_picture_is_well_formed() -> None:
    """The picture parses as XML, names every mechanism and is the same each time."""
    points = [point("one & two", 0.1, 0.8), point("three", 0.5, None)]
    drawn = picture(points, title="a < b")
    texts = [element.text for element in ET.fromstring(drawn).iter() if element.text]  # noqa: S314  (our own text)
    assert {"one & two", "three", "a < b"} <= set(texts)
    assert picture(points, title="a < b") == drawn
