"""The tests of a variant as the page holds them: by columns, short, safe inside a script element.

Belongs here: joining `ks.json` with `distributions.json` and the curves, and writing them down. How a cell of the heat map
looks is `heat_map.py`'s, how a test looks when it is opened is `report.js`'s.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.special import kolmogi

from validation.distributions.power import critical_distance
from validation.report.charts.points import ALPHABET, EXPONENTS, LOWEST, USUAL, packed
from validation.report.documents.distributions import Distributions, Ks, Sample

DIGITS = 3
"""Significant digits of an embedded figure; `ks.json` and `distributions.json` hold them all."""

STATISTIC_DIGITS = 2
"""The same of what stands beside the test: there are many of them."""

LEVELS = ("industry", "sub_industry")
"""The coarsest first."""

VERDICTS = ("equivalent", "undecided", "different")
"""From best to worst."""

Place = tuple[str, str, str | None, int | str]
"""Level, measure, group and year: a sample."""

_KEYS = ("level", "measure", "group", "year")
_FIGURES = ("n", "n_anonymised", "statistic", "p_value", "p_holm", "detectable_shift")
"""Fields of a test in `ks.json`: what names it, and its figures."""

_OWN = (*_KEYS, "n")
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
class Samples:
    """All samples of a variant, those too small for a test among them."""

    ks: Ks
    tests: tuple[Comparison, ...]
    too_small: tuple[Place, ...]
    statistics: Mapping[str, Sequence[float | None]]
    """What `distributions.json` says of each test: name of a statistic -> its value for each."""
    curves: Mapping[str, Any] | None


def samples_of(ks: Ks, distributions: Distributions | None, curves: Mapping[str, Any] | None) -> Samples:
    """Return the samples; without distributions or curves these parts of each stay empty."""
    shapes = _shapes(ks, distributions)
    return Samples(
        ks=ks,
        tests=_tests(ks, shapes.pop("verdict", None)),
        too_small=tuple(map(_place, ks.too_small)),
        statistics=shapes,
        curves=curves,
    )


def levels_of(samples: Samples) -> list[str]:
    """Return the levels at which samples were taken, the coarsest first."""
    return sorted({place[0] for place in _places(samples)}, key=LEVELS.index)


def embedded(samples: Samples) -> Markup:
    """Return everything that the script draws from, as JSON that no text in it can break out of, and so as HTML."""
    tests, ks = samples.tests, samples.ks
    names = _Names(samples)
    fields = {
        "alpha": _text(ks.alpha),
        "limit": _figure(float(kolmogi(ks.alpha))),
        "levels": _text(names.levels),
        "measures": _text(names.measures),
        "groups": _text(names.groups),
        "verdicts": _text(VERDICTS),
        "statistics": _text(list(samples.statistics)),
        "tests": _object(_columns(samples, names)),
        "rejected": _text([i for i, test in enumerate(tests) if test.is_rejected]),
        "small": _text([[*names.of(_place(each)), each.n] for each in ks.too_small]),
        "curves": _curves(samples.curves),
        "packing": _text({"alphabet": ALPHABET, "usual": USUAL, "lowest": LOWEST, "exponents": EXPONENTS}),
    }
    safe = _object(fields).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return Markup(safe)


class _Names:
    """Positions of levels, measures and groups, so that each name is written once."""

    def __init__(self, samples: Samples) -> None:
        places = _places(samples)
        self.levels = levels_of(samples)
        self.measures = list(dict.fromkeys(place[1] for place in places))
        self.groups = list(dict.fromkeys(place[2] for place in places))
        self._at = [{name: i for i, name in enumerate(names)} for names in (self.levels, self.measures, self.groups)]

    def of(self, place: Place) -> tuple[int, int, int, int | str]:
        """Return a place by positions."""
        level, measure, group, year = place
        levels, measures, groups = self._at
        return levels[level], measures[measure], groups[group], year


def _places(samples: Samples) -> list[Place]:
    return [*(test.place for test in samples.tests), *samples.too_small]


def _place(entry: Sample) -> Place:
    return entry.level, entry.measure, entry.group, entry.year


def _shapes(ks: Ks, distributions: Distributions | None) -> dict[str, list[Any]]:
    """Return the columns that `distributions.json` has beside those of the tests, in the order of the tests."""
    if distributions is None:
        return {}
    listed = distributions.samples
    columns = dict(zip(listed.columns, zip(*listed.rows, strict=True), strict=False))
    rows = {place: row for row, place in enumerate(zip(*(columns.get(name, ()) for name in _KEYS), strict=True))}
    order = [rows.get(_place(entry)) for entry in ks.tests]
    return {
        name: [None if row is None else column[row] for row in order]
        for name, column in columns.items()
        if name not in _OWN
    }


def _tests(ks: Ks, verdicts: Sequence[str | None] | None) -> tuple[Comparison, ...]:
    entries = ks.tests
    n, m = (np.array([getattr(entry, side) for entry in entries], dtype=np.float64) for side in ("n", "n_anonymised"))
    critical = critical_distance(np.round(n * m / (n + m)), ks.alpha).tolist()
    return tuple(
        Comparison(
            place=_place(entry),
            share_of_critical=entry.statistic / limit,
            is_rejected=entry.p_value <= ks.alpha,
            verdict=verdict,
        )
        for entry, limit, verdict in zip(entries, critical, verdicts or [None] * len(entries), strict=True)
    )


def _columns(samples: Samples, names: _Names) -> Mapping[str, str]:
    entries, tests = samples.ks.tests, samples.tests
    places = [names.of(test.place) for test in tests]
    keys = {name: _array(map(str, column)) for name, column in zip(_KEYS, zip(*places, strict=True), strict=False)}
    figures = {name: _figures(getattr(entry, name) for entry in entries) for name in _FIGURES}
    verdicts = {name: i for i, name in enumerate(VERDICTS)}
    return {
        **keys,
        **figures,
        "verdict": _text([None if test.verdict is None else verdicts[test.verdict] for test in tests]),
        **{f"s{i}": _array(map(_statistic, column)) for i, column in enumerate(samples.statistics.values())},
    }


def _curves(curves: Mapping[str, Any] | None) -> str:
    """Return pairs of curves; a second one equal to the first is left out."""
    if curves is None:
        return "null"
    sides = [side for pair in curves["curves"] if pair is not None for side in pair]
    short = iter(packed(sides))
    pairs = (None if pair is None else list(dict.fromkeys((next(short), next(short)))) for pair in curves["curves"])
    return _object({"probabilities": _text(curves["probabilities"]), "pairs": _text(list(pairs))})


def _figures(values: Iterable[float | None]) -> str:
    return _array(map(_figure, values))


def _short(digits: int) -> Callable[[float | None], str]:
    @lru_cache(maxsize=_REMEMBERED, typed=True)
    def text(value: float | None) -> str:
        """Return a number at so many significant digits, in the shorter of its two spellings; counts are exact."""
        if value is None or isinstance(value, int):
            return _text(value)
        plain = f"{float(f'{value:.{digits}g}'):.12g}"
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        whole, _, fraction = mantissa.partition(".")
        fraction = fraction.rstrip("0")
        scientific = f"{int(whole + fraction)}e{int(exponent) - len(fraction)}"
        return plain if len(plain) <= len(scientific) else scientific

    return text


_REMEMBERED = 2**16
"""Spellings kept: figures of many samples are equal."""

_figure, _statistic = _short(DIGITS), _short(STATISTIC_DIGITS)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _array(items: Iterable[str]) -> str:
    return f"[{','.join(items)}]"


def _object(fields: Mapping[str, str]) -> str:
    return f"{{{','.join(f'{_text(name)}:{value}' for name, value in fields.items())}}}"
