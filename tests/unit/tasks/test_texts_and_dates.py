"""What is taken from texts and dates: both evaluators take the same, and it is what Python's own library says."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from pipeline.errors import SpecError
from pipeline.tasks.drawing import Drawer, Plain
from pipeline.tasks.families import Families, load_families
from pipeline.tasks.program.patterns import fault_of
from pipeline.tasks.running.arithmetic import NoAnswerError
from pipeline.tasks.running.clean import Clean
from silt.environments.us_listed import US_LISTED
from tests.unit.tasks.small import KEY, PHRASINGS, database, drawn, family
from tests.unit.tasks.test_families_file import write

PARTS = ["a", "b", "1", "2", "é", "家", "٣", "４", " ", "\n", ".", "-", "&"]
"""Characters of texts: letters, digits of three scripts, what patterns treat as special."""

ATOMS = [
    "a",
    "1",
    "家",
    "é",
    ".",
    "^",
    "$",
    "|",
    "-",
    "&",
    r"\.",
    "[a-c]",
    "[^a]",
    "[0-9]",
    "[[:alpha:]]",
    "[]a]",
    "(?:a|1b?|)",
]
TIMES = ["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}"]
PATTERNS = st.lists(st.tuples(st.sampled_from(ATOMS), st.sampled_from(TIMES)).map("".join), max_size=4).map("".join)
"""Parts of patterns, of which nearly all can be used."""


def agreed(texts: list[str], steps: dict[str, Any], tmp: Path, of: str = "answer") -> Plain:
    """Return the answer of both evaluators about companies with these names."""
    companies = [(f"AAAA{number}", text, "X") for number, text in enumerate(texts)]
    table = {"rows": {"type": "table", "table": "company_profile"}}
    made = family(table | steps, of)
    folder = database(tmp, [], companies)
    drawer = Drawer(Families(environment="us-listed", families=(made,)), Clean(US_LISTED, folder), KEY)
    draw = drawer.draw(made, 0)
    drawer.refuse_disagreement(draw)
    return draw.answer


def extract(pattern: str, **further: object) -> dict[str, Any]:
    return {"type": "extract", "of": "rows", "column": "name", "pattern": pattern, "into": "taken", **further}


@given(st.lists(st.text(PARTS, min_size=1), min_size=1, max_size=6, unique=True), PATTERNS, PATTERNS, PATTERNS)
@example(["٣"], "", r"\d", "")
@example(["a&b"], "", "[a&&b]+", "")
@example(["b"], "", "a*", "")
def test_both_evaluators_take_the_same(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], before: str, group: str, after: str
) -> None:
    pattern = f"{before}({group}){after}"
    assume(not pattern.startswith("$") and not fault_of(pattern))  # a slot
    steps = {"found": extract(pattern), "answer": {"type": "list", "of": "found", "column": "taken"}}
    agreed(texts, steps, tmp_path_factory.mktemp("clean"))


@given(
    st.lists(st.decimals(-1000, 1000, places=2).map(str) | st.integers().map(str) | st.just("no number"), min_size=1)
)
def test_numbers_in_texts_are_exact(tmp_path_factory: pytest.TempPathFactory, numbers: list[str]) -> None:
    steps = {
        "found": extract("makes (-?[0-9.]+) of", gives="number", unit="USD", decimals=2),
        "answer": {"type": "aggregate", "of": "found", "statistic": "sum", "column": "taken"},
    }
    written = [number for number in numbers if number != "no number"]
    assume(written and all(len(number) < 20 for number in written))
    found = agreed(
        [f"It makes {number} of {i}" for i, number in enumerate(numbers)], steps, tmp_path_factory.mktemp("c")
    )
    assert found == pytest.approx(float(sum(map(float, written))), abs=1e-2)


@given(st.lists(st.dates(date(1900, 1, 1), date(2100, 1, 1)), min_size=1), st.dates(date(1950, 1, 1), date(2050, 1, 1)))
def test_parts_and_distances_of_dates_are_those_of_a_calendar(
    tmp_path_factory: pytest.TempPathFactory, days: list[date], limit: date
) -> None:
    written = [f"founded on {day.day}/{day.month}/{day.year} as {number}" for number, day in enumerate(days)]
    late = [day for day in days if day >= limit]
    assume(late)
    steps: dict[str, Any] = {
        "dated": extract("([0-9]+/[0-9]+/[0-9]{4})", gives="date", date_format="%d/%m/%Y"),
        "late": {"type": "filter", "of": "dated", "where": [{"column": "taken", "at_least": limit.isoformat()}]},
        "first": {"type": "rank", "of": "late", "column": "taken", "order": "lowest", "top": 1},
        "start": {"type": "lookup", "of": "first", "column": "taken"},
        "aged": {
            "type": "derive",
            "of": "late",
            "how": "difference",
            "first": "taken",
            "second": "@start",
            "into": "age",
        },
        "answer": {"type": "aggregate", "of": "aged", "statistic": "sum", "column": "age"},
    }
    tmp = tmp_path_factory.mktemp("clean")
    assert agreed(written, steps, tmp) == sum((day - min(late)) // timedelta(1) for day in late)
    parts: dict[str, Callable[[date], int]] = {
        "year": lambda day: day.year,
        "quarter": lambda day: (day.month + 2) // 3,
        "month": lambda day: day.month,
    }
    for part, of_day in parts.items():
        counted = {
            "dated": steps["dated"],
            "parted": {"type": "date_part", "of": "dated", "column": "taken", "part": part, "into": "part"},
            "answer": {"type": "aggregate", "of": "parted", "statistic": "sum", "column": "part"},
        }
        assert agreed(written, counted, tmp) == sum(map(of_day, days))


def test_what_is_no_number_of_the_form_has_no_answer(tmp_path: Path) -> None:
    steps = {
        "found": extract("([0-9.]+) %", gives="number", unit="%"),
        "answer": {"type": "aggregate", "of": "found", "statistic": "max", "column": "taken"},
    }
    with pytest.raises(NoAnswerError, match="takes from a text is no number of the form"):
        agreed(["12 %", "12.5 %"], steps, tmp_path)


def test_evidence_is_the_texts_that_were_read(tmp_path: Path) -> None:
    steps = {
        "rows": {"type": "table", "table": "company_profile"},
        "found": extract("Company ([A-C])"),
        "answer": {"type": "list", "of": "found", "column": "taken"},
    }
    assert drawn(database(tmp_path, []), family(steps, "answer")).outcome.read == {
        ("company_profile", "name"): {"1", "2", "3"}
    }


@pytest.mark.parametrize(
    ("pattern", "allowed"),
    [
        (r"(\d+)", r"a pattern without '\\d', which polars and DuckDB read differently; write [0-9]"),
        ("(?i)(a)", "without '(?'"),
        ("([a&&b])", "without '&&'"),
        ("(a", "a regular expression of the syntax of RE2"),
        ("(?=a)(b)", "without '(?'"),
        ("(a{1001})", "a regular expression of the syntax of RE2"),
        ("[0-9]+", "a pattern with one group in parentheses; this one has 0"),
        ("([0-9]+)-([0-9]+)", "this one has 2"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused(tmp_path: Path, pattern: str, allowed: str) -> None:
    with pytest.raises(SpecError, match=rf"steps\.found\.pattern: found .*allowed: .*{re.escape(allowed)}"):
        load_families(write(tmp_path, document({"found": extract(pattern)}, "taken")), US_LISTED)


def test_every_pattern_that_a_slot_may_be_is_looked_at(tmp_path: Path) -> None:
    made = document({"found": extract("$form")}, "taken")
    made["families"][0] |= {
        "slots": {"form": {"choices": ["(Inc)", "(Corp"]}},
        "wording": {"en": [f"{{form}} {text}" for text in PHRASINGS]},
    }
    with pytest.raises(SpecError, match=r"steps\.found\.pattern: found '\(Corp'; allowed: a regular expression"):
        load_families(write(tmp_path, made), US_LISTED)


MISFITS: dict[str, tuple[dict[str, object], str]] = {
    "a text from a number": (extract("(a)", column="year_added"), r"steps\.found\.column: .*a column of texts"),
    "a unit of a text": (extract("(a)", unit="USD"), r"steps\.found\.unit: .*only numbers have one"),
    "a format of dates in words": (
        extract("(a)", gives="date", date_format="%d %B %Y"),
        r"steps\.found\.date_format: .*allowed: %Y, %m and %d",
    ),
    "a name that is taken": (extract("(a)", into="name"), r"steps\.found\.into: .*a new name"),
    "a year of a text": (
        {"type": "date_part", "of": "rows", "column": "name", "part": "year", "into": "taken"},
        r"steps\.found\.column: .*a column of dates; `extract` reads dates from texts",
    ),
}


@pytest.mark.parametrize("mistake", MISFITS)
def test_a_misfit_has_place_and_remedy(tmp_path: Path, mistake: str) -> None:
    step, message = MISFITS[mistake]
    with pytest.raises(SpecError, match=message):
        load_families(write(tmp_path, document({"found": step}, "taken")), US_LISTED)


@pytest.mark.parametrize("limit", ["2022-02-30", "20220228", "28/2/2022", "2022"])
def test_a_limit_that_is_no_day_is_refused(tmp_path: Path, limit: str) -> None:
    steps = {
        "dated": extract("(a)", gives="date"),
        "found": {"type": "filter", "of": "dated", "where": [{"column": "taken", "above": limit}]},
    }
    with pytest.raises(SpecError, match=rf"where\[0\]\.above: found '{limit}'; allowed: a day as YYYY-MM-DD"):
        load_families(write(tmp_path, document(steps, "taken")), US_LISTED)


def document(steps: dict[str, Any], column: str) -> dict[str, Any]:
    """Return a file with one family, whose answer is a list of a column of the step `found`."""
    rows = {"rows": {"type": "table", "table": "company_profile"}}
    made = {
        "name": "tested",
        "category": "tested",
        "steps": rows | steps | {"answer": {"type": "list", "of": "found", "column": column}},
        "answer": {"of": ["answer"]},
        "wording": {"en": list(PHRASINGS)},
    }
    return {"environment": "us-listed", "families": [made]}
