"""Charts: complete SVG with a title and an alternative text, the same bytes again, and nothing that is fetched or runs."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from benchmarks.frontier import picture
from tests.pages import text_of
from tests.unit.report.findings import HOSTILE, an_attack, distributions, expectations, noise, privacy
from validation.attacks import Attack
from validation.attacks.limits import (
    AtMost,
    AtMostOrGuessing,
    Limit,
    Never,
    NoBetterThanGuessing,
    ShareLimit,
    highest_kept,
)
from validation.distributions.equivalence import MARGINS
from validation.report.charts import frontier
from validation.report.charts.frontier import frontier_chart
from validation.report.charts.plot import _SHAPES
from validation.report.documents import read
from validation.report.documents.distributions import Distributions
from validation.report.documents.noise import Expectations, Noise
from validation.report.documents.privacy import Privacy
from validation.report.sections.attacked import attack_dots
from validation.report.sections.beyond_ks import beyond_ks, margins_strip
from validation.report.sections.noise import noise_by_kind, rates
from validation.report.sections.recovery import ladder_chart, recovery

SVG = "{http://www.w3.org/2000/svg}"


def dots(**changes: object) -> Markup:
    found = privacy()
    found["attacks"] = [attack | {"successes": max(attack["successes"], 1), **changes} for attack in found["attacks"]]
    return attack_dots(read(Privacy, found).attacks)


def by_kind() -> Markup:
    cleaner = read(Noise, noise()).cleaner
    assert cleaner is not None
    return noise_by_kind(cleaner.kinds)


CHARTS: dict[str, Callable[[], Markup]] = {
    "attacks": dots,
    "noise by kind": by_kind,
    "rates": lambda: rates(read(Expectations, expectations()).rules),
    "margins": lambda: margins_strip(read(Distributions, distributions()), [0.1, 0.5, 1.2]),
    "ladder": lambda: ladder_chart({"one record": [0.5, 1.0], "two groups": [0.25, 1.0]}),
    "frontier": lambda: frontier_chart(0.98, 0.01),
}


@pytest.mark.parametrize("name", CHARTS)
def test_chart_is_told_and_complete(name: str) -> None:
    """It parses, says what it is and what is seen, and asks for nothing: no script, style, font, link or identifier."""
    drawn = CHARTS[name]()
    root = ET.fromstring(drawn)  # noqa: S314  # our own
    assert root.attrib["role"] == "img"
    title, told = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text
    assert told is not None
    assert len(told.text or "") > 20
    tags = {each.tag.removeprefix(SVG) for each in root.iter()}
    assert tags <= {
        "svg",
        "title",
        "desc",
        "g",
        "path",
        "text",
        "tspan",
        "line",
        "rect",
        "circle",
        "polyline",
        "polygon",
    }
    names = {attribute for each in root.iter() for attribute in each.attrib}
    assert not {"id", "href", "style", "class"} & names - {"class"}
    assert "url(" not in drawn


@pytest.mark.parametrize("name", CHARTS)
def test_chart_has_the_same_bytes_again(name: str) -> None:
    """Whoever makes a release again gets its pages again."""
    assert CHARTS[name]() == CHARTS[name]()


@pytest.mark.parametrize("name", [name for name in CHARTS if name != "frontier"])
def test_chart_takes_its_colours_from_the_page(name: str) -> None:
    """Light or dark: each ink is a variable, with what stands for it elsewhere."""
    inks = set(re.findall(r'(?:fill|stroke)="([^"]*)"', CHARTS[name]()))
    assert {ink for ink in inks if not ink.startswith("var(--")} <= {"none"}


def test_labels_are_escaped() -> None:
    """A name of an attack may hold anything."""
    drawn = dots(attack=HOSTILE, family=HOSTILE)
    assert "<script" not in drawn
    ET.fromstring(drawn)  # noqa: S314  # our own


def test_labels_that_begin_alike_are_told_apart() -> None:
    """None is cut off, its lines are one text; and of attacks of one name, the one that found most stands for all."""
    found = privacy()
    start = "nearest neighbour, found by whoever knows all of the figures of every year and the industry"
    attacks = {f"{start}, {rate}": rate for rate in (0.25, 0.5)}
    found["attacks"] = [
        an_attack(attack=name, rate=found_of * rate, successes=20)
        for name, rate in attacks.items()
        for found_of in (1, 0.5)
    ]
    drawn = attack_dots(read(Privacy, found).attacks)
    texts = ["".join(text.itertext()) for text in ET.fromstring(drawn).iter(f"{SVG}text")]  # noqa: S314
    assert [text for text in texts if "linkage" in text] == [f"linkage: {start}, 0.5", f"linkage: {start}, 0.25"]
    assert texts[:2] == ["0%", "0%"], "labels of the scale stand below and above"


def test_the_attack_nearest_its_limit_stands_first() -> None:
    """And is marked, though others of its family found more; those with a limit are drawn before those without."""
    limited = {"limit": "no better than guessing", "family": "linkage"}
    near = an_attack(attack="near", rate=0.04, successes=4, **limited) | {"highest_kept": 0.05}
    kept = an_attack(attack="kept", rate=0.03, successes=3, **limited) | {"highest_kept": 0.5}
    free = [an_attack(attack=f"free {each}", rate=0.5 + each / 10, successes=5) for each in range(3)]
    found = privacy(attacks=[*free, kept, near])
    drawn = attack_dots(read(Privacy, found).attacks)
    texts = ["".join(text.itertext()) for text in ET.fromstring(drawn).iter(f"{SVG}text")]  # noqa: S314
    assert [text for text in texts if "linkage" in text] == [
        *("nearest its limit: linkage: near", "linkage: kept", "linkage: free 2"),
    ]


def test_an_attack_over_its_limit_is_marked_by_shape() -> None:
    """Colour alone would not be seen by everyone."""
    over, kept = dots(passed=False), dots(passed=True, limit="no success")
    assert "--bad" in over
    assert "--bad" not in kept
    shapes = [{each.attrib["d"] for each in ET.fromstring(drawn).iter(f"{SVG}path")} for drawn in (over, kept)]  # noqa: S314
    assert shapes[0] != shapes[1]


def held(successes: int, records: int, chance: float, limit: Limit) -> dict[str, Any]:
    """Return the entry of an attack under a limit, as the suite judges it."""
    tried = Attack(attack="tried", knowledge="k", records=records, successes=successes, chance=chance)
    most = highest_kept(tried, limit)
    judged = {"family": "codes", "limit": str(limit), "highest_kept": most, "passed": limit.is_kept(tried)}
    return tried.published() | judged


@given(
    st.integers(1, 300),
    st.floats(0.001, 0.9),
    st.sampled_from([AtMost(0.15), AtMostOrGuessing(0.05), ShareLimit(0.01), NoBetterThanGuessing(), Never()]),
    st.data(),
)
def test_the_mark_of_a_limit_stands_where_the_test_fails(
    records: int, chance: float, limit: Limit, data: st.DataObject
) -> None:
    """Nothing filled lies beyond it, and every cross does; there is none where whatever is found is too much to say."""
    entry = held(data.draw(st.integers(1, records)), records, chance, limit)
    root = ET.fromstring(attack_dots(read(Privacy, privacy(attacks=[entry])).attacks))  # noqa: S314  # our own
    at = {
        shape: [
            float(found[1]) for each in root.iter(f"{SVG}path") if (found := re.match(START[shape], each.attrib["d"]))
        ]
        for shape in START
    }
    assert len(at["circle"]) + len(at["cross"]) == 1
    assert len(at["below"]) == (entry["highest_kept"] is not None) >= len(at["circle"])
    assert all(x <= mark for x in at["circle"] for mark in at["below"])
    assert all(x > mark for x in at["cross"] for mark in at["below"])


START = {shape: rf"M([-\d.]+) [-\d.]+{re.escape(path)}$" for shape, path in _SHAPES.items()}
"""How the path of a mark begins, with its place across."""


def test_what_found_nothing_has_no_chart() -> None:
    """The tables say it in one line."""
    found = privacy()
    found["attacks"] = [attack | {"successes": 0, "rate": 0.0} for attack in found["attacks"]]
    assert attack_dots(read(Privacy, found).attacks) == ""
    assert noise_by_kind(()) == rates(()) == ladder_chart({}) == ""


def test_strip_counts_every_sample() -> None:
    """As many in the alternative text as there are, those beyond the margin apart."""
    told = margins_strip(read(Distributions, distributions()), [0.1, 0.5, 1.2])
    assert "KS: D: 3 comparisons" in told
    assert "1 beyond it" in told


@pytest.mark.parametrize("criterion", MARGINS)
def test_strip_of_rounded_statistics_has_no_gaps(criterion: str) -> None:
    """A sample at every step of the rounding up to the margin: all fields before the line are filled."""
    margin = MARGINS[criterion].margin
    steps = {"factor": range(80, 126), "spread": range(100, 126), "order": range(70, 101)}
    found = distributions()
    found["margins"] = {criterion: vars(MARGINS[criterion])}
    rows = [[step / 100] for step in steps.get(criterion, range(round(100 * margin) + 1))]
    found["samples"] = {"columns": [criterion], "rows": rows}
    drawn = ET.fromstring(margins_strip(read(Distributions, found)))  # noqa: S314
    fields = [(float(each.attrib["x"]), float(each.attrib["width"])) for each in drawn.iter(f"{SVG}rect")]
    assert len(fields) > 1
    assert all(x + width == pytest.approx(following, abs=0.01) for (x, width), (following, _) in pairwise(fields))


@pytest.mark.parametrize("is_sampled", [True, False])
def test_judged_samples_stand_before_all(*, is_sampled: bool) -> None:
    """All are in a fold; where figures are drawn, with the reason why small samples differ and nobody judges them."""
    found = distributions()
    if not is_sampled:
        found["margins"] |= {"order": {"margin": 0.7, "why": "companies keep their ranks"}}
    text = text_of(f"<body>{beyond_ks(read(Distributions, found))}".encode())
    judged, _, every = text.partition("All 6 comparisons ")
    assert "comparisons 5 equivalent 3 undecided 2 different 0" in judged
    assert "comparisons 6 equivalent 3 undecided 2 different 1" in every
    assert ("compared rank by rank" in judged) is is_sampled
    assert ("Small sets of one distribution often differ; samples of narrower groups" in every) is is_sampled
    assert ("Each at its own level." in judged) is not is_sampled
    explained, _, tables = text.partition("How far off figures are")[2].partition("where the comparisons lie")
    assert all(name in explained for name in ("5 of 100", "95 of 100", "skewness", "kurtosis", "decile"))
    assert "95 of 100 below farthest from the median where n" in tables


def test_this_release_stands_where_the_frontier_has_its_axes() -> None:
    """Corner, size and ends of the plot are those by which the picture is drawn."""
    panel = picture._PANELS[0]
    assert (panel.left, picture._TOP, picture._PLOT) == (frontier.LEFT, frontier.TOP, frontier.PLOT)
    assert frontier.FARTHEST == picture._FARTHEST
    drawn = frontier_chart(0.25, 0.05)
    assert f'cx="{panel.x(0.05):.1f}" cy="{panel.y(0.25):.1f}"' in drawn


def test_ladder_shows_its_chart_once() -> None:
    """The section has the chart, and the table with the same shares."""
    steps = read(Noise, noise()).ladder
    assert recovery(steps, None).count("<desc>") == 1


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_names_of_the_ladders_lines_lie_apart_and_on_no_line(starts: list[float]) -> None:
    """However near to each other lines begin: names stand above the plot, each with room for itself."""
    names = ("one record", "one group", "two groups")
    drawn = ladder_chart({name: [start, 1.0] for name, start in zip(names, starts, strict=True)})
    texts = {each.text: each for each in ET.fromstring(drawn).iter(f"{SVG}text")}  # noqa: S314
    places = [(float(texts[name].attrib["x"]), float(texts[name].attrib["y"])) for name in names]
    top = float(texts["100%"].attrib["y"])
    assert all(y < top - 15 for _, y in places)
    assert all(after - before > 150 for (before, _), (after, _) in pairwise(places))
