"""The tests of a variant as the page holds them: by columns, short, safe inside a script element.

Belongs here: joining `ks.json` with `distributions.json` and the curves, and writing them down. How a cell of the heat map
looks is `distances.py`'s, how a test looks when it is opened is `opened.js`'s. Points of curves have two characters each: sign
and exponent, then two significant digits, which is all that curves have; so a page of 18,000 pairs fits a phone.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Any
from unicodedata import category, is_normalized

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from validation.distributions.equivalence import DIFFERENT, EQUIVALENT, UNDECIDED
from validation.distributions.law import critical_distance
from validation.distributions.samples import KEYS
from validation.report.documents.distributions import Distributions, Ks, Sample, Test
from validation.report.labels import Labels

DIGITS = 3
"""Significant digits of an embedded figure; `ks.json` and `distributions.json` hold them all."""

STATISTIC_DIGITS = 2
"""The same of what stands beside the test: there are many of them."""

DISTANCE_DIGITS = 6
"""The same of D and its critical value, so that what is below it does not round to it."""

LEVELS = ("industry", "sub_industry")
"""The coarsest first."""

VERDICTS = (EQUIVALENT, UNDECIDED, DIFFERENT)
"""From best to worst."""

Place = tuple[str, str, str | None, int | str]
"""Level, measure, group and year: a sample."""

_FIGURES = ("n", "p_value", "p_holm")
"""Figures of a test in `ks.json`, beside `KEYS`, which name it; D, its second size and what follows from sizes stand apart."""

_OWN = (*KEYS, "n")
"""Columns of `distributions.json` that the tests have as well."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One test, as the heat map needs it."""

    place: Place
    share_of_critical: float
    """D over the D that would be significant: 1 or more is a rejection."""
    is_rejected: bool
    verdict: str | None
    """Of equivalence, where it was asked for."""


@dataclass(frozen=True, kw_only=True)
class ReportedSamples:
    """All samples of a variant, those too small for a test among them."""

    ks: Ks
    tests: tuple[Comparison, ...]
    too_small: tuple[Place, ...]
    statistics: Mapping[str, Sequence[float | None]]
    """What `distributions.json` says of each test: name of a statistic -> its value for each."""
    curves: Mapping[str, Any] | None


def samples_of(ks: Ks, distributions: Distributions | None, curves: Mapping[str, Any] | None) -> ReportedSamples:
    """Return the samples; without distributions or curves these parts of each stay empty."""
    shapes = _shapes(ks, distributions)
    return ReportedSamples(
        ks=ks,
        tests=_tests(ks, shapes.pop("verdict", None)),
        too_small=tuple(map(_place, ks.too_small)),
        statistics=shapes,
        curves=curves,
    )


def shares_of_critical(tests: Sequence[Test], alpha: float) -> list[float]:
    """Return of each test its D over the D that would be significant."""
    # D is the difference of two rounded shares: where it is the critical one, its share is 1.
    return [round(test.statistic / critical_distance(test.n, test.n_anonymised, alpha), 9) for test in tests]


def levels_of(samples: ReportedSamples) -> list[str]:
    """Return the levels at which samples were taken, the coarsest first."""
    return sorted({place[0] for place in _places(samples)}, key=LEVELS.index)


def embedded(samples: ReportedSamples, maps: Sequence[Mapping[str, Any]], labels: Labels) -> Markup:
    """Return everything that the script draws from, as JSON that no text in it can break out of, and so as HTML.

    Args:
        maps: each level's map: its columns and rows by names.
    """
    ks, names = samples.ks, _Names(samples)
    fields = {
        "alpha": ks.alpha,
        "others": ks.others,
        "language": labels.language,
        "english": labels.of((*names.measures, *names.groups)),
        "levels": names.levels,
        "measures": names.measures,
        "groups": names.groups,
        "years": names.years,
        "cells": names.cells,
        "verdicts": VERDICTS,
        "statistics": list(samples.statistics),
        "tests": {name: _runs(column) for name, column in _columns(samples, names).items()}
        | {f"s{i}": _statistic(column) for i, column in enumerate(samples.statistics.values())},
        "small": {name: _runs(column) for name, column in _small(samples, names).items()},
        "sizes": {f"{each.n},{each.n_anonymised}": _of_sizes(each, ks.alpha) for each in ks.tests},
        "rejected": [i for i, test in enumerate(samples.tests) if test.is_rejected],
        "maps": [names.of_map(each) for each in maps],
        "curves": _curves(samples.curves),
        "packing": {
            "alphabet": ALPHABET,
            "usual": USUAL,
            "lowest": LOWEST,
            "exponents": EXPONENTS,
            "enlarged": _ENLARGED,
        },
    }
    text = json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = _ESCAPED.sub(_unescaped, text)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


_ESCAPED = re.compile(r"\\(?:u00([01].)|.)")
"""An escape of JSON: the digits of a control that a reader would not see, or anything else."""


def _unescaped(found: re.Match[str]) -> str:
    return f"U+00{found[1].upper()}" if found[1] else {"\\b": "U+0008", "\\f": "U+000C"}.get(found[0], found[0])


class _Names:
    """Positions of levels, measures, groups and years, so that each name is written once, and of places without a measure.

    Tests go through measure after measure, and through the places of each in one order: nearly every test stands one place
    after the one before, so that a column of such steps is short.
    """

    def __init__(self, samples: ReportedSamples) -> None:
        places = _places(samples)
        self.levels = levels_of(samples)
        self.measures = list(dict.fromkeys(place[1] for place in places))
        self.groups = list(dict.fromkeys(place[2] for place in places))
        self.years = list(dict.fromkeys(place[3] for place in places))
        names = (self.levels, self.measures, self.groups, self.years)
        self._at: list[dict[Any, int]] = [{name: i for i, name in enumerate(each)} for each in names]
        self.cells = sorted({self._cell(place) for place in places})
        """Level, group and year of each, by positions."""
        self._cells = {cell: i for i, cell in enumerate(self.cells)}

    def columns(self, places: Iterable[Place]) -> Mapping[str, list[int]]:
        """Return measures by positions, and by how many cells each place lies after the one before."""
        listed = list(places)
        cells = [0, *(self._cells[self._cell(place)] for place in listed)]
        measures = [self._at[1][measure] for _, measure, _, _ in listed]
        return {"measure": measures, "step": [after - before for before, after in pairwise(cells)]}

    def _cell(self, place: Place) -> tuple[int, int, int]:
        level, _, group, year = place
        return self._at[0][level], self._at[2][group], self._at[3][year]

    def of_map(self, drawn: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a map with its measures and groups by positions."""
        _, measures, groups, _ = self._at
        columns = [[groups[group], *([industry] if industry else [])] for group, industry in drawn["columns"]]
        return {**drawn, "columns": columns, "rows": [[measures[measure], cells] for measure, cells in drawn["rows"]]}


def _places(samples: ReportedSamples) -> list[Place]:
    return [*(test.place for test in samples.tests), *samples.too_small]


def _place(entry: Sample) -> Place:
    return entry.level, entry.measure, entry.group, entry.year


def _shapes(ks: Ks, distributions: Distributions | None) -> dict[str, list[Any]]:
    """Return the columns that `distributions.json` has beside those of the tests, in the order of the tests."""
    if distributions is None:
        return {}
    listed = distributions.samples
    columns = dict(zip(listed.columns, zip(*listed.rows, strict=True), strict=False))
    rows = {place: row for row, place in enumerate(zip(*(columns.get(name, ()) for name in KEYS), strict=True))}
    order = [rows.get(_place(entry)) for entry in ks.tests]
    return {
        name: [None if row is None else column[row] for row in order]
        for name, column in columns.items()
        if name not in _OWN
    }


def _tests(ks: Ks, verdicts: Sequence[str | None] | None) -> tuple[Comparison, ...]:
    entries = ks.tests
    shares = shares_of_critical(entries, ks.alpha)
    return tuple(
        Comparison(
            place=_place(entry),
            share_of_critical=share,
            is_rejected=entry.p_value <= ks.alpha,
            verdict=verdict,
        )
        for entry, share, verdict in zip(entries, shares, verdicts or [None] * len(entries), strict=True)
    )


def _columns(samples: ReportedSamples, names: _Names) -> Mapping[str, Any]:
    entries, tests = samples.ks.tests, samples.tests
    verdicts = {name: i for i, name in enumerate(VERDICTS)}
    return {
        **names.columns(test.place for test in tests),
        **{name: [_short(getattr(entry, name)) for entry in entries] for name in _FIGURES},
        # D in figures of the original sample: of two samples of one size, a small whole number.
        "apart": [_short(entry.statistic * entry.n, DISTANCE_DIGITS) for entry in entries],
        **(
            {"n_anonymised": sizes}
            if (sizes := [each.n_anonymised for each in entries]) != [each.n for each in entries]
            else {}
        ),
        "verdict": [None if test.verdict is None else verdicts[test.verdict] for test in tests],
    }


def _of_sizes(test: Test, alpha: float) -> tuple[float | None, float | None]:
    """Return what follows from the sizes of a test: its critical D, in figures of the original sample, and its shift."""
    critical = critical_distance(test.n, test.n_anonymised, alpha)
    return _short(critical * test.n, DISTANCE_DIGITS), _short(test.detectable_shift)


def _small(samples: ReportedSamples, names: _Names) -> Mapping[str, list[int]]:
    return {**names.columns(samples.too_small), "n": [entry.n for entry in samples.ks.too_small]}


def _runs(column: Iterable[Any]) -> list[Any]:
    """Return a column in which equal values that follow each other stand once, with their number."""
    counted = ((value, sum(1 for _ in run)) for value, run in groupby(column))
    return [value if count == 1 else [value, count] for value, count in counted]


def _statistic(column: Sequence[float | None]) -> list[Any] | str:
    """Return a column of statistics as runs, or as points if these are shorter: two characters each, `APART` twice for none."""
    runs = _runs(_short(value, STATISTIC_DIGITS) for value in column)
    points = packed([[] if value is None else [value * _ENLARGED] for value in column])
    text = "".join(point or 2 * APART for point in points)
    return text if len(text) < len(json.dumps(runs, separators=(",", ":"))) else runs


_ENLARGED = 10**6
"""Makes statistics as large as points usually are, whose characters take least room."""


def _curves(curves: Mapping[str, Any] | None) -> Mapping[str, str] | None:
    """Return the originals' curves and the others as one text each; a curve is empty where there is none, or no other one.

    A curve of k points has one for each of k blocks of the sample; what it leaves out between them is not shown.
    """
    if curves is None:
        return None
    originals, others = (
        packed([[point for point in pair[side] if point is not None] if pair else [] for pair in curves["curves"]])
        for side in (0, 1)
    )
    anonymised = ["" if other == original else other for original, other in zip(originals, others, strict=True)]
    return {"original": APART.join(originals), "anonymised": APART.join(anonymised)}


@lru_cache(maxsize=2**16, typed=True)
def _short(value: float | None, digits: int = DIGITS) -> float | None:
    """Return a number at so many significant digits, without a point where it is whole; counts are exact."""
    if value is None or isinstance(value, int):
        return value
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < _LONG else rounded


_LONG = 1e6
"""Whole numbers from here on are shorter with an exponent."""


# --- points of curves --------------------------------------------------------------------------------------------------

_ASCII = "".join(sign for code in range(32, 127) if not (sign := chr(code)).isalnum() and sign not in '"\\<>&%')

_FURTHER = "".join(
    sign for code in range(0x2C2, 0x300) if category(sign := chr(code)) == "Sk" and is_normalized("NFKC", sign)
)

ALPHABET = _ASCII + "\u00b7" + _FURTHER + "\u03f6\u0482" + "՚՛՜՝՞՟։֊֍֎֏" + "¡¤¦§¬°±¶»«¿÷"
"""As many characters as there are pairs of digits, 10 to 99, none of them a letter, a digit, or of a meaning in JSON, HTML or
an address: whatever follows whatever, no points spell a name or a code. The 28 that take least room come first, since they
stand for the powers of ten that figures have."""

APART = "%"
"""What stands between two curves."""

EXPONENTS = 44
"""Powers of ten that have a code, of either sign; one code is left for 0."""

USUAL = -1
"""The lowest of the 13 powers that figures usually have; they come first."""

LOWEST = -13
"""The lowest of all: what is nearer to 0 is drawn as 0."""

_ZERO, _FIRST = 0, 1
"""Codes of 0 and of the lowest usual power."""


def packed(sides: Sequence[Sequence[float]]) -> list[str]:
    """Return each curve's points as text, two characters a point.

    Raises:
        ValueError: A point is beyond 1e31, which no figure of 64 bits is.
    """
    lengths = [len(side) for side in sides]
    values = np.array([value for side in sides for value in side], dtype=np.float64)
    text = _coded(values).tobytes().decode("utf-32-le")
    ends = (2 * np.cumsum(lengths, dtype=np.int64)).tolist()
    return [text[end - 2 * length : end] for end, length in zip(ends, lengths, strict=True)]


def _coded(values: npt.NDArray[np.float64]) -> npt.NDArray[np.uint32]:
    """Return one row of two characters for each value."""
    is_zero = ~(np.abs(values) >= 10.0**LOWEST)
    sizes = np.where(is_zero, 1.0, np.abs(values))
    exponents = np.floor(np.log10(sizes)).astype(np.int64)
    digits = np.rint(sizes / 10.0 ** (exponents - 1)).astype(np.int64)
    is_carried = digits == 100  # noqa: PLR2004  # 9.96 has the digits of 10
    exponents, digits = exponents + is_carried, np.where(is_carried, 10, digits)
    if exponents.size and exponents.max() >= LOWEST + EXPONENTS:
        raise ValueError("a point of a curve is larger than any figure can be")
    first = _FIRST + 2 * ((exponents - USUAL) % EXPONENTS) + (values < 0)
    first = np.where(is_zero, _ZERO, first)
    letters = np.frombuffer(ALPHABET.encode("utf-32-le"), dtype="<u4")
    return np.asarray(letters[np.column_stack([first, digits - 10])])
