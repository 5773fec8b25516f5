"""The section “Size, spread, tails”: equivalence within stated margins, statistic by statistic, and correlations.

Belongs here: words and order; every figure stands in `distributions.json`.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
from markupsafe import Markup

from pipeline.wording import counted, exact_percent, percent
from validation.distributions.equivalence import DECIMALS
from validation.fidelity.report import Fidelity
from validation.report.charts.plot import BAD, BLUE, INK, Axis, Plot, rows
from validation.report.documents.distributions import Columns, Distributions, Verdicts
from validation.report.html import Column, Table, Value, fields, render, table
from validation.report.sections.samples import VERDICTS
from validation.wording import group_name, number, spoken


def beyond_ks(of: Distributions, share_of_critical: Sequence[float] = ()) -> Markup:
    """Return the section's HTML.

    Args:
        share_of_critical: of each KS test D over the D that would be significant, for the strip of all samples.
    """
    return render(
        "beyond_ks.html",
        of=of,
        figures=_figures,
        is_sampled=_ORDER not in of.margins,  # other companies' figures have no order to keep
        strip=margins_strip(of, share_of_critical),
        margins=table("margins of equivalence", of.margins.items(), _MARGINS),
        spread=Table(
            name="where the comparisons lie, and the farthest", headings=_SPREAD, rows=_spread(of.samples), kind="cards"
        ),
        correlations=table("change of rank correlations", of.correlations, _CORRELATIONS),
        most_moved=float(max((entry.largest_change or 0 for entry in of.correlations), default=0)),
        fidelity=of.fidelity and _fidelity(of.fidelity, of.others),
    )


def _figures(of: Verdicts) -> list[tuple[str, str]]:
    return [("comparisons", number(of.samples)), *((name, number(getattr(of, name))) for name in VERDICTS)]


def _spread(samples: Columns) -> list[Sequence[Value]]:
    """Return, for each statistic, where its samples lie."""
    columns = pl.DataFrame(samples.rows, schema=list(samples.columns), orient="row", infer_schema_length=None)
    found = [_spread_of(name, columns) for name in columns.columns if name not in _NO_STATISTICS]
    return [row for row in found if row]


def _spread_of(name: str, columns: pl.DataFrame) -> Sequence[Value]:
    """Return the quantiles of a statistic over all samples, and the sample farthest from the median; nothing if none has it."""
    values = columns[name].cast(pl.Float64).to_numpy()
    known = values[~np.isnan(values)]
    if not known.size:
        return ()
    quantiles = np.quantile(known, [0.05, 0.5, 0.95], method="lower") + 0.0  # without a minus before 0
    low, middle, high = quantiles.tolist()
    farthest = int(np.nanargmax(np.abs(values - middle)))
    measure, group, year, n = (columns[field][farthest] for field in ("measure", "group", "year", "n"))
    # The year stands between two names that together might be a company's.
    where = f"{measure}, {year}, {group_name(group)}"
    return spoken(name), low, middle, high, float(values[farthest]), where, n


def _fidelity(found: Fidelity, others: str) -> Table:
    """Return what is left of what it is compared with where records are sampled, and what analysts would conclude."""
    marginals, sums, industries = found.marginals, found.aggregates.sums, found.aggregates.industries
    between, over, conclusions = found.correlations, found.year_on_year, found.conclusions
    rows = [
        ("KS distance by measure, industry and year: median", marginals.tests, marginals.median_distance),
        ("the same of two samples of one distribution", marginals.tests, marginals.chance_distance),
        ("rejected at 5 %", marginals.tests, marginals.rejected),
        ("change of rank correlations between measures: median", between.n, between.median),
        ("change of rank correlations over a year: median", over.n, over.median),
        ("pairs of measures within 0.10", between.n, between.within),
        ("sums by industry and year within 10 %", sums.n, sums.share),
        ("industries whose sums are within 10 % at the median", industries.n, industries.share),
        (f"conclusions that two halves of {others} share", conclusions.shared, conclusions.same_of_shared),
    ]
    return Table(name=f"what is left of {others}", headings=("what", "n", "found"), rows=rows)


_NO_STATISTICS = {"level", "measure", "group", "year", "n", "verdict"}
_MARGINS: Mapping[str, Column] = {
    "what may differ": lambda entry: spoken(entry[0]),
    "by at most": lambda entry: entry[1].margin,
    "why so much": lambda entry: entry[1].why,
}
_SPREAD = ("statistic", "5 of 100 below", "median", "95 of 100 below", "farthest from the median", "where", "n")
_CORRELATIONS: Mapping[str, Column] = {
    "year": lambda entry: str(entry.year),
    **fields("records", "pairs", "median_change"),
    "95 of 100 below": "change_95",
    "largest change": "largest_change",
    "of the pair": lambda entry: " and ".join(entry.pair or ()),
}


# --- all samples against their margins ---------------------------------------------------------------------------------

_WIDTH = 40
"""Width of all fields from 0 to the margin, and the most that a criterion has; one more, beyond the margin, is of width 1."""

_SHADES = (0.18, 0.4, 0.7, 1.0)
_FROM = (1, 10, 100, 1000)
"""Opacity of a field, and from how many samples on it has it."""

_NEARLY = 1e-9
"""Shares that differ by less are one: 0.07 and 7 steps of 0.01 are not the same number."""

Values = npt.NDArray[np.float64]

_Distance = Callable[[Values, float], Values]


def _ratio(found: Values, margin: float) -> Values:
    """Return the distance of ratios from 1 as a share of the margin's; a ratio of 0 is farther off than any."""
    with np.errstate(divide="ignore"):
        return np.abs(np.log(found)) / math.log(margin)


def _rank(found: Values, margin: float) -> Values:
    """Return how far rank correlations fall short of 1, as a share of what they may."""
    return (1 - found) / (1 - margin)


def _plain(found: Values, margin: float) -> Values:
    return np.abs(found) / margin


_KS, _ORDER = "KS: D", "order"

_DISTANCES: Mapping[str, _Distance] = {"factor": _ratio, "spread": _ratio, _ORDER: _rank}
"""How far a criterion is from nothing having changed; others are differences."""


def margins_strip(of: Distributions, share_of_critical: Sequence[float] = ()) -> Markup:
    """Return how many samples come how near to each margin; nothing if there are none.

    Args:
        share_of_critical: of each KS test D over the D that would be significant.
    """
    found = {_KS: np.asarray(share_of_critical, dtype=np.float64)} | {
        name: shares for name in of.margins if (shares := _shares(of, name)).size
    }
    shown = {name: shares for name, shares in found.items() if shares.size}
    if not shown:
        return Markup()
    ticks = {_WIDTH * share: exact_percent(share) for share in (0, 0.25, 0.5, 0.75)} | {_WIDTH: "margin"}
    title = "distance from no change, as a share of the margin; the last field is beyond it"
    across = Axis(ends=(0, _WIDTH + 1), ticks=ticks, title=title, has_grid=False)
    plot = Plot(across=across, down=rows([*shown]), height=34 * len(shown), left=100, right=110)
    for row, (name, shares) in enumerate(shown.items()):
        many = _fields(name, of.margins[name].margin) if name in of.margins else _WIDTH
        ends = [*np.linspace(0, _WIDTH, many + 1).tolist(), _WIDTH + 1]
        for place, count in enumerate(_counts(shares, _is_beyond(name, shares), many)):
            if count:
                ink = BAD if place == many else BLUE
                plot.box(ends[place], ends[place + 1], row, height=26, fill=ink, opacity=_shade(count))
    plot.line((_WIDTH, -0.5), (_WIDTH, len(shown) - 0.5), ink=INK)
    said = "; ".join(_in_words(name, shares) for name, shares in shown.items())
    return plot.drawn("All comparisons against their margins", f"{said}.")


def _fields(name: str, margin: float) -> int:
    """Return into how many fields the way to a margin is divided: none is narrower than a step of the rounded statistic."""
    rounded = np.arange(1, 200) / 10**DECIMALS  # up to 2: ratios have it on both sides of 1
    shares = _DISTANCES.get(name, _plain)(rounded, margin)
    step = np.diff(shares[(shares >= 0) & (shares <= 1 + _NEARLY)])
    widest = max(np.abs(step), default=1.0)
    return max(1, min(int(1 / widest + _NEARLY), _WIDTH))


def _shares(of: Distributions, name: str) -> Values:
    place = of.samples.columns.index(name)
    cells = np.array([row[place] for row in of.samples.rows], dtype=np.float64)
    return _DISTANCES.get(name, _plain)(cells[~np.isnan(cells)], of.margins[name].margin)


def _is_beyond(name: str, shares: Values) -> npt.NDArray[np.bool_]:
    """Say which are beyond the margin: at it, D is significant, and any other statistic is within it."""
    return shares >= 1 if name == _KS else shares > 1


def _counts(shares: Values, is_beyond: npt.NDArray[np.bool_], many: int) -> list[int]:
    """Return how many samples are in each field; those beyond the margin are in the last."""
    fields_of = np.minimum(np.floor(shares * many + _NEARLY), many - 1)
    counts: list[int] = np.bincount(np.where(is_beyond, many, fields_of).astype(np.int64), minlength=many + 1).tolist()
    return counts


def _shade(count: int) -> float:
    return max(shade for shade, least in zip(_SHADES, _FROM, strict=True) if count >= least)


def _in_words(name: str, shares: Values) -> str:
    beyond = int(_is_beyond(name, shares).sum())
    half = float((shares <= 1 / 2).mean())
    every = counted(shares.size, "comparison")
    return f"{name}: {every}, {percent(half)} within half of the margin, {number(beyond)} beyond it"
