"""A pair: rows of both sides under the codes of one, in one order, and none that says by its absence whose it is."""

import polars as pl

from pipeline.model import PERIOD
from validation.pair import Pair, Side

PAIR = Pair(
    code="code",
    originals=Side(
        entities=pl.DataFrame({"code": ["B", "A", "B", "C"], "town": ["Ulm", "Bonn", "Kiel", "Trier"]}),
        figures=pl.DataFrame({"code": ["B", "A", "A"], PERIOD: [2020, 2021, 2020], "sales": [3, 2, 1]}),
    ),
    published=Side(
        entities=pl.DataFrame({"code": ["x", "p", "q"], "town": ["Oslo", "Rome", "Nice"]}),
        figures=pl.DataFrame({"code": ["p", "q", "q"], PERIOD: [2021, 2019, 2020], "sales": [20, 30, 10]}),
    ),
    codes={"B": "p", "A": "q", "C": "r"},
)


def test_figures_are_those_of_either_side() -> None:
    """In one order, under the original codes; a record that a side lacks is empty there."""
    assert [side.rows() for side in PAIR.figures] == [
        [("A", 2019, None), ("A", 2020, 1), ("A", 2021, 2), ("B", 2020, 3), ("B", 2021, None)],
        [("A", 2019, 30), ("A", 2020, 10), ("A", 2021, None), ("B", 2020, None), ("B", 2021, 20)],
    ]


def test_entities_are_those_of_both_sides() -> None:
    """In the order of the original codes, each side under its own; strangers and who is not published are left out."""
    register, released = PAIR.entities
    assert register["code"].unique(maintain_order=True).to_list() == ["A", "B"]
    assert released.select("code", "town").unique(maintain_order=True).rows() == [("q", "Nice"), ("p", "Rome")]


def test_figures_have_what_their_entity_is_called_first() -> None:
    """Once, however often it is asked for and listed; figures stay in their order."""
    assert PAIR.originals.labelled("code", ["town", "town"]).rows() == [
        ("B", 2020, 3, "Ulm"),
        ("A", 2021, 2, "Bonn"),
        ("A", 2020, 1, "Bonn"),
    ]
