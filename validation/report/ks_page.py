"""The page on the KS tests, `ks.html`: the same findings give the same bytes.

Belongs here: form. What is found, and whether it passes, stands in the findings; nothing is computed, judged or named
here that they do not hold, so no company can appear that they do not name.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from string import Template
from typing import Any

from validation.report.frame import document, fact_boxes, number
from validation.report.words import NOTHING

SHOWN_TESTS = 200
"""Rows of the page's table; a page of all 20,000 would not open on a phone, and they stand in `ks.json`."""


def ks_page(report: Mapping[str, Any], *, environment: str, title: str) -> bytes:
    """Return `ks.html`: the verdict, its figures, then the tests with the smallest p; self-contained, without network.

    Args:
        report: what `two_sample.ks_report` returns.
        environment: what names the environment in the command that recomputes the page.
        title: the environment's title.
    """
    tests = sorted(report["tests"], key=lambda test: (test["p_value"], -test["statistic"]))
    body = _BODY.substitute(
        title=escape(title),
        environment=escape(shlex.quote(environment)),
        verdict="failed" if not report["passed"] else "passed" if tests else "told",
        word="failed" if not report["passed"] else "passed" if tests else NOTHING,
        sentence=escape(_sentence(report)),
        alpha=number(report["alpha"]),
        power=f"{report['power']:.0%}",
        facts=fact_boxes(_facts(report)),
        multiplicity=escape(report["multiplicity"]),
        shown=min(len(tests), SHOWN_TESTS),
        total=f"{len(tests):,}",
        rows="".join(_row(test, report["alpha"]) for test in tests[:SHOWN_TESTS]),
        too_small=f"{len(report['too_small']):,}",
    )
    return document(title=f"Distributions: {title}", body=body)


def _sentence(report: Mapping[str, Any]) -> str:
    total, alpha = len(report["tests"]), report["alpha"]
    if not total:
        return "No sample is large enough for a test, so there is no evidence either way."
    if report["passed"] and report["rejected"]:
        return (
            f"{report['rejected']:,} of {total:,} tests find a difference (p <= {alpha}), of {report['allowed']:,} that "
            "chance would find: figures are sampled from the distributions of the originals."
        )
    if report["passed"]:
        return f"None of {total:,} tests finds a difference (every p > {alpha}), and {_sizes(report['unequal_sizes'])}."
    return (
        f"{report['rejected']:,} of {total:,} tests find a difference (p <= {alpha}); "
        f"{report['unequal_sizes']:,} samples lost or gained figures."
    )


def _sizes(unequal: int) -> str:
    """Return how many samples have another number of figures, which passes where records are sampled."""
    if not unequal:
        return "no sample lost or gained a figure"
    return f"{unequal:,} samples have more figures than the originals' or fewer, for records are sampled"


def _facts(report: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    return (
        ("tests", f"{len(report['tests']):,}"),
        ("smallest p", number(report["smallest_p_value"])),
        ("largest D", number(report["largest_statistic"])),
        ("median detectable shift", f"{number(report['median_detectable_shift'])} sd"),
    )


def _row(test: Mapping[str, Any], alpha: float) -> str:
    verdict = "differs" if test["p_value"] <= alpha else "alike"
    group = "(none)" if test["group"] is None else str(test["group"])
    texts = (str(test["measure"]), str(test["level"]).replace("_", "-"), group, str(test["year"]))
    numbers = (test["n"], test["statistic"], test["p_value"], test["detectable_shift"])
    cells = [*_cells("", texts), *_cells(' class="n"', map(number, numbers)), f'<td class="{verdict}">{verdict}</td>']
    return f"<tr>{''.join(cells)}</tr>\n"


def _cells(attribute: str, texts: Iterable[str]) -> list[str]:
    return [f"<td{attribute}>{escape(text)}</td>" for text in texts]


_BODY = Template("""<h1>Do anonymised and original figures have the same distributions? $title</h1>
<p class="verdict $verdict"><b>$word</b> <span>$sentence</span></p>
$facts
<h2>How to read this</h2>
<p>Each measure is tested in each industry, sub-industry and year by the two-sample Kolmogorov-Smirnov test at level
$alpha. D is the largest distance between the two cumulative distributions, 0 (same) to 1 (apart); p is asymptotic.
$multiplicity A test that finds nothing says little if it could not have
found much, so beside p stands the <em>detectable shift</em>: by how many standard deviations a normal distribution
would have to move for the test to notice in $power of cases. $too_small further samples are too small for any outcome
to be significant; they are listed in <code>ks.json</code> and are no evidence. Likeness of distributions says nothing
about privacy.</p>
<h2>Tests by smallest p: $shown of $total</h2>
<div class="wide"><table>
<thead><tr><th scope="col">measure</th><th scope="col">level</th><th scope="col">group</th><th scope="col">year</th>
<th scope="col" class="n">n</th><th scope="col" class="n">D</th><th scope="col" class="n">p</th>
<th scope="col" class="n">detectable shift (sd)</th><th scope="col">verdict</th></tr></thead>
<tbody>
$rows</tbody>
</table></div>
<p>All tests stand in <code>ks.json</code>. Recompute with <code>silt build --environment $environment</code>
and the settings of the build, which stand in <code>report.html</code>.</p>
""")
