"""Tests as the page embeds them: short, right to their digits, found again by position; curves in two characters a point."""

import json
import re
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.report import findings
from tests.unit.report.findings import HOSTILE, INDUSTRIES, STATISTICS, TESTS, a_test, typed
from validation.distributions.law import critical_distance
from validation.report.html import render
from validation.report.labels import Labels
from validation.report.sections.distances import drawn_of, heat_maps, kind_of
from validation.report.sections.samples import (
    ALPHABET,
    APART,
    EXPONENTS,
    LOWEST,
    USUAL,
    VERDICTS,
    ReportedSamples,
    _runs,
    _statistic,
    packed,
    samples_of,
)

figures = st.floats(min_value=-1e30, max_value=1e30, allow_nan=False)


def data(*tests: dict[str, Any], **changes: Any) -> dict[str, Any]:
    made = {"ks": findings.ks(*tests, **changes), "distributions": findings.distributions(*tests)}
    return read(made | {"curves": findings.curves()})


def read(
    made: dict[str, Any], industries: dict[str, str] | None = None, labels: Labels | None = None
) -> dict[str, Any]:
    """Return what the page embeds, columns of tests and of small samples as the script spreads them."""
    found = json.loads(str(drawn_of(samples(made), industries or {}, labels or Labels())["data"]))
    for part in ("tests", "small"):
        columns = {name: spread(runs) for name, runs in found[part].items()}
        cells = [found["cells"][place] for place in accumulate(columns.pop("step"))]
        places = {name: [cell[i] for cell in cells] for i, name in enumerate(("level", "group", "year"))}
        found[part] = columns | places
    found["tests"]["statistic"] = [k / n for k, n in zip(found["tests"]["apart"], found["tests"]["n"], strict=True)]
    return dict(found)


def spread(runs: list[Any] | str) -> list[Any]:
    if isinstance(runs, str):
        return [None if pair == 2 * APART else unpacked(pair)[0] / 10**6 for pair in re.findall("..", runs)]
    return [value for run in runs for value in ([run[0]] * run[1] if isinstance(run, list) else [run])]


def samples(made: dict[str, Any]) -> ReportedSamples:
    found = typed(made)
    assert found.ks is not None
    return samples_of(found.ks, found.distributions, found.curves)


def drawn(industries: dict[str, str], **made: Any) -> str:
    maps = heat_maps(samples(made), industries)
    return "".join(render("heat_map.html", map=each, kind_of=kind_of) for each in maps)


def unpacked(text: str) -> list[float]:
    """Read points as the script does."""
    points: list[float] = []
    for first, second in zip(text[::2], text[1::2], strict=True):
        code = ALPHABET.index(first) - 1
        above = code // 2 + USUAL
        exponent = above if above < LOWEST + EXPONENTS else above - EXPONENTS
        size = (ALPHABET.index(second) + 10) * 10.0 ** (exponent - 1)
        points.append(0.0 if code < 0 else -size if code % 2 else size)
    return points


def test_embedded_tests_read_back() -> None:
    """Names by position, counts exact, figures to three digits, verdicts by rank, in the order of the report."""
    found = data()
    tests = found["tests"]
    for i, test in enumerate(TESTS):
        names = [found[f"{field}s"][tests[field][i]] for field in ("level", "measure", "group", "year")]
        assert names == [test["level"], test["measure"], test["group"], test["year"]]
        assert tests["n"][i] == test["n"]
        assert found["sizes"][f"{test['n']},{test['n_anonymised']}"][1] == test["detectable_shift"]
        assert tests["statistic"][i] == pytest.approx(test["statistic"], rel=5e-3)
    assert [VERDICTS[verdict] for verdict in tests["verdict"]] == [
        *("equivalent", "undecided", "different", "equivalent", "undecided", "equivalent")
    ]
    assert found["statistics"] == list(STATISTICS)
    assert tests["s0"][3] == pytest.approx(0.03)
    assert tests["s2"] == [None] * len(TESTS)
    assert found["rejected"] == [2]


def test_second_sizes_stand_where_they_differ() -> None:
    """They are left out if all are equal, as the script takes them to be."""
    assert "n_anonymised" not in data()["tests"]
    assert data(a_test(), a_test(year=2021, n_anonymised=30))["tests"]["n_anonymised"] == [34, 30]


@given(st.lists(st.sampled_from([None, 0, 1, 0.5])))
def test_columns_are_spread_again(column: list[float | None]) -> None:
    """Runs of equal values read back, however they fall."""
    assert spread(_runs(column)) == column


def test_rejection_is_told_from_the_exact_p() -> None:
    """A p that rounds to alpha is not a rejection, for the page must say what the report says."""
    found = data(a_test(p_value=0.0500001), a_test(year=2021, p_value=0.05))
    assert found["tests"]["p_value"] == [0.05, 0.05]
    assert found["rejected"] == [1]


def test_samples_too_small_are_found_by_position() -> None:
    """A sample that was not tested stands with its size."""
    found = data()
    small = {name: column[0] for name, column in found["small"].items()}
    assert [found[f"{field}s"][small[field]] for field in ("level", "measure", "group", "year")] == [
        *("sub_industry", "staff", "银行"),
        2020,
    ]
    assert small["n"] == 3


def test_variant_without_tests() -> None:
    """Nothing to test is no error."""
    found = read({"ks": findings.ks(tests=[], too_small=[])})
    assert found["tests"]["n"] == found["small"]["n"] == []
    assert found["curves"] is None


@given(st.text(), st.text())
def test_names_cannot_leave_the_script(measure: str, group: str) -> None:
    """No character that HTML knows stands in the JSON, and names read back, with controls made visible."""
    made = {"ks": findings.ks(a_test(measure=measure, group=group), too_small=[])}
    labels = Labels(language="zh", english={measure: group})
    text = str(drawn_of(samples(made), {group: measure}, labels)["data"])
    assert not set(text) & set("<>&")
    measure, group = (re.sub(r"[\0-\x08\x0b\x0c\x0e-\x1f]", _code_point, name) for name in (measure, group))
    assert (json.loads(text)["measures"], json.loads(text)["groups"]) == ([measure], [group])
    assert json.loads(text)["english"][measure] == group


def _code_point(found: re.Match[str]) -> str:
    return f"U+{ord(found[0]):04X}"


@given(st.one_of(figures, st.floats(min_value=-1, max_value=1)))
def test_figures_keep_three_digits(value: float) -> None:
    """An embedded figure is the figure at three significant digits, however it is spelt."""
    assert data(a_test(statistic=value))["tests"]["statistic"] == [pytest.approx(value, rel=5.01e-3)]


@given(st.lists(st.lists(figures)))
def test_points_read_back(sides: list[list[float]]) -> None:
    """A point is the figure at two significant digits; what is nearer to 0 than 1e-13 is 0."""
    read = [unpacked(text) for text in packed(sides)]
    assert read == [[pytest.approx(value, rel=0.0501, abs=1e-13) for value in side] for side in sides]


@given(st.integers(10, 99), st.integers(-12, 28), st.sampled_from([1, -1]))
def test_points_of_two_digits_are_exact(digits: int, exponent: int, sign: int) -> None:
    """What has two digits already comes back as it was."""
    value = sign * float(f"{digits}e{exponent}")
    assert unpacked(packed([[value]])[0]) == [pytest.approx(value, rel=1e-12)]


@given(st.lists(figures))
def test_points_do_not_read_like_words(side: list[float]) -> None:
    """There is no letter or digit, so that no name, code or ticker arises by chance, whatever stands in between."""
    assert not any(map(str.isalnum, packed([side])[0]))


@given(st.lists(st.none() | st.floats(-1e5, 1e5).filter(lambda value: value == 0 or abs(value) > 1e-6)))
def test_statistics_read_back(column: list[float | None]) -> None:
    """At two digits, whichever way they are written; the shorter one is taken."""
    read = spread(_statistic(column))
    assert read == [None if value is None else pytest.approx(value, rel=0.0501) for value in column]


def test_statistics_of_many_kinds_are_points() -> None:
    """Runs are longer where hardly two that follow each other are equal."""
    told = _statistic([0.013 * i for i in range(1, 200)])
    assert isinstance(told, str)
    assert not any(map(str.isalnum, told))


def test_points_refuse_what_they_cannot_tell() -> None:
    """A figure that no table can hold is a defect, not a point at the edge."""
    with pytest.raises(ValueError, match="larger than any figure"):
        packed([[1e31]])


def test_equal_curves_stand_once() -> None:
    """The second of two equal curves is left out, and so is what a curve does not tell."""
    original, anonymised = (data()["curves"][side].split(APART) for side in ("original", "anonymised"))
    assert [list(map(len, pair)) for pair in zip(original, anonymised, strict=True)] == [
        *([6, 6], [4, 0], [6, 6], [0, 0], [6, 6], [4, 0])
    ]


def test_page_of_many_tests_stays_small() -> None:
    """A test takes at most 28 bytes with a curve of nine points: 18,001 of them half a megabyte."""
    places = [(measure, group, year) for measure in range(20) for group in range(20) for year in range(3)]
    tests = [
        a_test(measure=f"measure {measure}", group=f"group {group}", year=year, n=i, n_anonymised=i, statistic=1 / i)
        for i, (measure, group, year) in enumerate(places, start=1_000)
    ]
    curve = [1.5 * 10**i for i in range(9)]
    made = {"ks": findings.ks(*tests, too_small=[]), "curves": {"curves": [[curve, curve]] * len(tests)}}
    found = json.loads(str(drawn_of(samples(made), {}, Labels())["data"]))
    size = len(json.dumps([found["tests"], found["curves"]], ensure_ascii=False, separators=(",", ":")).encode())
    assert size <= 28 * len(tests)


def test_heat_map_shows_the_worst_year() -> None:
    """A cell says the largest D over its critical value in tenths, the worst verdict, rejections and small samples."""
    made = drawn(INDUSTRIES, ks=findings.ks(), distributions=findings.distributions())
    industry, sub_industry = made.split('<div class="wide map"')[1:]
    assert 'data-level="sub_industry"' in sub_industry
    assert '<td class="over v2">\u2715</td>' in sub_industry
    assert '<td class="small">/</td>' in sub_industry
    share = 0.2 / critical_distance(34, 34, 0.05)
    assert f'<td class="d{int(10 * share)} v2">' not in industry
    assert f'<td class="d{int(10 * share)} v0">{int(10 * share)}</td>' in industry


def test_heat_map_names_industries_of_sub_industries() -> None:
    """A column of a sub-industry knows its industry, so that one industry's can be looked at alone."""
    made = read({"ks": findings.ks()}, {"银行": HOSTILE})
    (of_banks,) = [each for each in made["maps"] if each["level"] == "sub_industry"]
    assert [made["groups"].index("银行"), HOSTILE] in of_banks["columns"]


def test_maps_are_embedded_as_they_are_drawn() -> None:
    """Every level stands in the data, each cell in two characters, measures and groups by position."""
    made = read({"ks": findings.ks(), "distributions": findings.distributions()})
    industries, sub_industries = made["maps"]
    assert [each["level"] for each in made["maps"]] == ["industry", "sub_industry"]
    rows = {made["measures"][measure]: cells for measure, cells in sub_industries["rows"]}
    assert rows == {"revenue": "\u27152", "profit": "20", "staff": "/ "}
    assert all(len(cells) == 2 * len(industries["columns"]) for _, cells in industries["rows"])


def test_only_a_test_that_rejected_is_marked() -> None:
    """The report's p decides, also where the D of a report does not go with it."""
    made = drawn({}, ks=findings.ks(a_test(statistic=0.99, p_value=0.06)))
    assert '<td class="d9">9</td>' in made
    assert "\u2715" not in made
