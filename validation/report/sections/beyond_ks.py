"""The section on what a KS test cannot see: equivalence within stated margins, statistic by statistic, and correlations.

Belongs here: words and order; every figure stands in `distributions.json`.
"""

from collections.abc import Mapping, Sequence
from html import escape
from string import Template
from typing import Any

import numpy as np
import polars as pl

from validation.report.frame import fact_boxes, number
from validation.report.sections.samples import VERDICTS
from validation.report.tables import Cell, sortable
from validation.report.words import group_name, spoken


def beyond_ks(distributions: Mapping[str, Any]) -> str:
    """Return the section's HTML."""
    summary = distributions["summary"]
    return _BODY.substitute(
        facts=fact_boxes((name, f"{summary[name]:,}") for name in ("samples", *VERDICTS)),
        multiplicity=escape(distributions["multiplicity"]),
        judged=_judged(distributions.get("judged")),
        margins=_margins(distributions["margins"]),
        spread=_spread(distributions["samples"]),
        correlations=_correlations(distributions["correlations"]),
        fidelity=_fidelity(distributions.get("fidelity")),
    )


def _judged(judged: Mapping[str, Any] | None) -> str:
    """Return by what the samples as a whole pass."""
    if judged is None:
        return ""
    most = ", ".join(map(spoken, judged["most_must_meet"]))
    return (
        f"<p>Judged are the {judged['samples']:,} samples of {judged['fewest']:,} companies or more: {judged['different']:,} "
        f"are different, {judged['allowed']:,} may be; most must be shown to meet: {escape(most)}.</p>\n"
    )


def _margins(margins: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [(spoken(name), _scalar(entry["margin"]), entry["why"]) for name, entry in margins.items()]
    return sortable(("what may differ", "by at most", "why so much"), rows, name="margins of equivalence")


def _scalar(value: Any) -> Cell:
    return value if isinstance(value, int | float) else str(value)


def _spread(samples: Mapping[str, Any]) -> str:
    """Return, for each statistic, where its samples lie."""
    columns = pl.DataFrame(samples["rows"], schema=samples["columns"], orient="row", infer_schema_length=None)
    found = [_spread_of(name, columns) for name in columns.columns if name not in _NO_STATISTICS]
    return sortable(_SPREAD, [row for row in found if row], name="where the samples lie, and the farthest")


def _spread_of(name: str, columns: pl.DataFrame) -> Sequence[Cell]:
    """Return the quantiles of a statistic over all samples, and the sample farthest from the median; nothing if none has it."""
    values = columns[name].cast(pl.Float64).to_numpy()
    known = values[~np.isnan(values)]
    if not known.size:
        return ()
    low, middle, high = (
        np.quantile(known, [0.05, 0.5, 0.95], method="lower") + 0.0
    ).tolist()  # without a minus before 0
    farthest = int(np.nanargmax(np.abs(values - middle)))
    measure, group, year, n = (columns[field][farthest] for field in ("measure", "group", "year", "n"))
    # The year stands between two names that together might be a company's.
    where = f"{measure}, {year}, {group_name(group)}"
    return spoken(name), low, middle, high, float(values[farthest]), where, n


def _correlations(entries: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        (
            str(entry["year"]),
            entry["records"],
            entry["pairs"],
            *(entry[name] for name in ("median_change", "change_95", "largest_change")),
            " and ".join(map(str, entry["pair"] or ())),
        )
        for entry in entries
    ]
    if not rows:
        return "<p>No two measures have enough records in common to be correlated.</p>"
    largest = max((entry["largest_change"] or 0 for entry in entries), default=0)
    told = f"<p>The rank correlation of no pair of measures moved by more than {number(float(largest))}.</p>"
    return told + sortable(_CORRELATIONS, rows, name="change of rank correlations between measures")


def _fidelity(found: Mapping[str, Any] | None) -> str:
    """Return what is left of the originals where records are sampled, and what analysts would conclude."""
    if found is None:
        return ""
    marginals, sums, conclusions = found["marginals"], found["aggregates"]["sums"], found["conclusions"]
    rows = [
        ("KS distance by measure, industry and year: median", marginals["tests"], marginals["median_distance"]),
        ("the same of two samples of one distribution", marginals["tests"], marginals["chance_distance"]),
        ("rejected at 5 %", marginals["tests"], marginals["rejected"]),
        *(
            (f"change of rank correlations {what}: median", found[name]["n"], found[name]["median"])
            for name, what in (("correlations", "between measures"), ("year_on_year", "over a year"))
        ),
        ("pairs of measures within 0.10", found["correlations"]["n"], found["correlations"]["within"]),
        ("sums by industry and year within 10 %", sums["n"], sums["share"]),
        (
            "industries whose sums are within 10 % at the median",
            *map(found["aggregates"]["industries"].get, ("n", "share")),
        ),
        ("conclusions that two halves of the originals share", conclusions["shared"], conclusions["same_of_shared"]),
    ]
    return _FIDELITY + sortable(("what", "n", "found"), rows, name="what is left of the originals")


_FIDELITY = """<h3>What is left of the originals</h3>
<p>No record is a company's own, so that nothing is compared company by company. A conclusion is the answer to a fixed question
(which industry has the largest median, does a trend rise, which sign has a regression); shared are those on which two halves of
the originals agree more often than not.</p>
"""

_NO_STATISTICS = {"level", "measure", "group", "year", "n", "verdict"}
_SPREAD = ("statistic", "5 of 100 below", "median", "95 of 100 below", "farthest from it", "where", "n")
_CORRELATIONS = ("year", "records", "pairs", "median change", "95 of 100 below", "largest change", "of the pair")

_BODY = Template("""<p>A sample is equivalent if it differs from the original by less than a stated margin in
everything below, different if it surely differs by more, and undecided if it has too few firms to tell.
$multiplicity</p>
$facts
$judged<h3>Margins</h3>
$margins<h3>How far off the samples are</h3>
<p>Where each statistic of all samples lies, and the sample farthest from the median. Those of a single sample stand
with its curves, above.</p>
$spread<h3>Correlations between measures</h3>
$correlations$fidelity""")
