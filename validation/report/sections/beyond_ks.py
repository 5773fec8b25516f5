"""The section on what a KS test cannot see: equivalence within stated margins, statistic by statistic, and correlations.

Belongs here: words and order; every figure stands in `distributions.json`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from markupsafe import Markup

from validation.fidelity.report import Fidelity
from validation.report.charts.margins import margins_strip
from validation.report.documents.distributions import Columns, Distributions
from validation.report.html import Column, Table, Value, fields, render, table
from validation.report.sections.samples import VERDICTS
from validation.wording import group_name, number, spoken


def beyond_ks(of: Distributions, share_of_critical: Sequence[float] = ()) -> Markup:
    """Return the section's HTML.

    Args:
        of: what `distributions.json` holds.
        share_of_critical: of each KS test D over the D that would be significant, for the strip of all samples.
    """
    return render(
        "beyond_ks.html",
        of=of,
        figures=[(name, number(getattr(of.summary, name))) for name in ("samples", *VERDICTS)],
        strip=margins_strip(of, share_of_critical),
        margins=table("margins of equivalence", of.margins.items(), _MARGINS),
        spread=Table(name="where the samples lie, and the farthest", headings=_SPREAD, rows=_spread(of.samples)),
        correlations=table("change of rank correlations", of.correlations, _CORRELATIONS),
        most_moved=float(max((entry.largest_change or 0 for entry in of.correlations), default=0)),
        fidelity=of.fidelity and _fidelity(of.fidelity),
    )


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


def _fidelity(found: Fidelity) -> Table:
    """Return what is left of the originals where records are sampled, and what analysts would conclude."""
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
        ("conclusions that two halves of the originals share", conclusions.shared, conclusions.same_of_shared),
    ]
    return Table(name="what is left of the originals", headings=("what", "n", "found"), rows=rows)


_NO_STATISTICS = {"level", "measure", "group", "year", "n", "verdict"}
_MARGINS: Mapping[str, Column] = {
    "what may differ": lambda entry: spoken(entry[0]),
    "by at most": lambda entry: entry[1].margin,
    "why so much": lambda entry: entry[1].why,
}
_SPREAD = ("statistic", "5 of 100 below", "median", "95 of 100 below", "farthest from it", "where", "n")
_CORRELATIONS: Mapping[str, Column] = {
    "year": lambda entry: str(entry.year),
    **fields("records", "pairs", "median_change"),
    "95 of 100 below": "change_95",
    "largest change": "largest_change",
    "of the pair": lambda entry: " and ".join(entry.pair or ()),
}
