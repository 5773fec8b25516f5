"""Tables of any shape: what `silt init` makes of them is published, refused or bad input under either policy, never a defect.

There may be no register, no figures, no times, no numbers, and a second kind of entity; cells may be empty anywhere but in
codes. Columns may be called as the stages call what they work on. Files may be what spreadsheets write, or Parquet.
"""

import ast
import csv
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import polars as pl

from tests.fuzz.commands import refuse_defect
from tests.integration.readme import ROOT

_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jetty", "knoll", "larch")
_PERIODS: Mapping[str, Sequence[str]] = {
    "year": [str(year) for year in range(2021, 2024)],
    "quarter": [f"{year}Q{quarter}" for year in (2022, 2023) for quarter in range(1, 5)],
    "month": [f"2023-{month:02}" for month in range(1, 13)],
    "week": [f"2023-W{week:02}" for week in range(1, 11)],
}
_WRITTEN = (("utf-8", ","), ("utf-8", ","), ("utf-8-sig", ";"), ("cp1252", ";"), ("utf-16", "\t"), None)
"""Encodings and separators of files: with a semicolon decimals have a comma. None stands for Parquet."""

_GAPS, _RENAMED = 0.04, 0.15
"""Parts of the cells that are empty, and of the columns that have a name of the stages'."""

_STAGES = ("anonymize", "assets", "pipeline", "validation")
_NAMING = ("agg", "alias", "col", "over", "select", "with_columns", "with_row_index")
"""Calls whose texts and keywords are names of columns."""

Draw = Callable[[random.Random], object]
_CLERKS: Mapping[str, Draw] = {
    "clerk_name": lambda source: f"{source.choice(_WORDS).title()} {source.choice(_WORDS).title()}son",
    "born": lambda source: source.randint(1950, 2005),
}
_REGISTER: Mapping[str, Draw] = {
    "name": lambda source: (
        " ".join(word.title() for word in source.sample(_WORDS, 2)) + source.choice((" Ltd", "", " Group"))
    ),
    "kind": lambda source: source.choice(("retail", "food", "metal", "energy")),
    "city": lambda source: source.choice(("Lyon", "Graz", "Cork")),
    "founded": lambda source: source.randint(1950, 2015),
    "opened": lambda source: _moment(source).date(),
    "website": lambda source: f"www.{source.choice(_WORDS)}{source.randint(1, 999)}.com",
    "about": lambda source: (
        f"Makes {source.choice(_WORDS)} and {source.choice(_WORDS)}, with {source.randint(2, 90)} people since 1990."
    ),
}
_FIGURES: Mapping[str, Draw] = {
    "sales": lambda source: f"{source.lognormvariate(11, 1):.2f}",
    "staff": lambda source: source.randint(1, 500),
    "margin": lambda source: f"{source.uniform(-20, 40):.1f}",
}
_OF_EVENTS: Mapping[str, Draw] = {
    "amount": lambda source: f"{source.lognormvariate(4, 1):.2f}",
    "items": lambda source: source.randint(1, 9),
    "stars": lambda source: source.randint(1, 5),
    "minutes": lambda source: source.randint(0, 600),
    "clerk": lambda source: f"P{source.randint(1, 25):02}",
    "paid": lambda source: source.choice(("yes", "no")),
    "country": lambda source: source.choice(("FR", "AT", "IE")),
    "remark": lambda source: (
        f"The {source.choice(_WORDS)} was {source.choice(('late', 'early'))} again, they said of it."
    ),
}


def with_any_tables(source: random.Random) -> None:
    """Write tables, declare them as guessed, look at them and build them under both policies."""
    (folder := Path("any")).mkdir()
    for name, rows in _tables(source):
        _write(folder / name, rows, source.choice(_WRITTEN))
    if refuse_defect(["init", "any"]):
        return
    for policy in ("lsd", "guarded"):
        noise = source.choice(("any.yaml", "any-mild.yaml", "any-harsh.yaml"))
        settings = ["--environment", "any.py:ANY", "--raw", "any", "--noise", noise, "--policy", policy]
        for command in (["check"], ["build"], ["release", "--version", "1.0.0"]):
            refuse_defect([*command, *settings])
        for command in (["tasks", "make"], ["tasks", "make", "--impact"], ["audit", "noisy", "--raw", "any"]):
            refuse_defect([*command, "--environment", "any.py:ANY"])


def _tables(source: random.Random) -> Iterator[tuple[str, list[list[object]]]]:
    codes = [f"{source.choice('ABC')}{number:04}" for number in range(source.choice((12, 40, 120)))]
    if source.random() < 0.8:
        yield "firms", _rows(source, _REGISTER, [[code] for code in codes], ["code"])
    if source.random() < 0.7:
        period = source.choice([*_PERIODS])
        rows = [[code, each] for code in codes for each in _PERIODS[period] if source.random() < 0.9]
        yield "books", _rows(source, _FIGURES, rows, ["code", period])
    if source.random() < 0.3:
        yield "clerks", _rows(source, _CLERKS, [[f"P{number:02}"] for number in range(1, 26)], ["clerk"])
    for table in range(source.choice((0, 1, 1, 2))):
        has_number, times = source.random() < 0.7, source.choice((("day",), ("began",), ("began", "ended"), ()))
        firsts = [
            [*([f"N{number:06}"] if has_number else []), source.choice(codes), *_times(source, times)]
            for number in range(source.choice((50, 400, 1_500)))
        ]
        yield f"orders{table}", _rows(source, _OF_EVENTS, firsts, [*(["number"] if has_number else []), "code", *times])


def _write(place: Path, rows: Sequence[Sequence[object]], written: tuple[str, str] | None) -> None:
    if written is None:
        header, *others = rows
        cells = [[None if cell == "" else cell for cell in row] for row in others]
        frame = pl.DataFrame(cells, schema=[str(name) for name in header], orient="row", infer_schema_length=None)
        frame.write_parquet(place.with_suffix(".parquet"))
        return
    encoding, separator = written
    with place.with_suffix(".csv").open("w", newline="", encoding=encoding) as file:
        cells = ([_with_comma(cell) if separator == ";" else cell for cell in row] for row in rows)
        csv.writer(file, delimiter=separator).writerows(cells)


def _with_comma(cell: object) -> object:
    return cell.replace(".", ",") if isinstance(cell, str) and cell.replace(".", "").lstrip("-").isdigit() else cell


def _rows(
    source: random.Random, columns: Mapping[str, Draw], firsts: Sequence[Sequence[object]], header: Sequence[str]
) -> list[list[object]]:
    """Return a header and rows that begin as given, with some of the columns behind."""
    taken = [name for name in columns if source.random() < 0.5]
    cells = ([*first, *(_cell(source, columns[name]) for name in taken)] for first in firsts)
    others = iter(source.sample(names_of_stages(), len(header) + len(taken)))
    named = (next(others) if source.random() < _RENAMED else name for name in (*header, *taken))
    return [[*named], *cells]


def _cell(source: random.Random, draw: Draw) -> object:
    return "" if source.random() < _GAPS else draw(source)


def _moment(source: random.Random) -> datetime:
    return datetime(2023, 1, 1) + timedelta(minutes=source.randrange(365 * 24 * 60))  # noqa: DTZ001  (a table's)


def _times(source: random.Random, names: Sequence[str]) -> list[str]:
    began = _moment(source)
    if names == ("day",):
        return [began.date().isoformat()]
    ends = (began, began + timedelta(minutes=source.randint(5, 900)))
    return [moment.isoformat(sep=" ") for moment in ends[: len(names)]]


@cache
def names_of_stages() -> list[str]:
    """Return what the stages call their columns, as far as it stands in the code."""
    found: set[str] = set()
    for file in (file for package in _STAGES for file in (ROOT / package).rglob("*.py")):
        for call in (each for each in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(each, ast.Call)):
            if isinstance(call.func, ast.Attribute) and call.func.attr in _NAMING:
                found |= {each.arg for each in call.keywords if each.arg}
                found |= {
                    each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
    return sorted(name for name in found if name.strip() and name.isprintable())
