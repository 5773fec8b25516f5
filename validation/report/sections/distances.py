"""The section on KS tests: the map of all of them, the cell that the reader opens, and the table of them all.

Belongs here: words and order. Samples are embedded by `samples.py` and drawn by `heat_map.py` and `report.js`.
"""

from collections.abc import Mapping
from html import escape
from string import Template
from typing import Any

from validation.report.charts.heat_map import heat_maps, level_name
from validation.report.frame import fact_boxes, number
from validation.report.sections.samples import SUB_INDUSTRY, Samples, embedded, levels_of
from validation.report.tables import sortable, word
from validation.report.words import group_name

SHOWN = 100
"""Tests of the table that stands there without a script: those with the smallest p."""

_NOT_CORRECTED = "p is not corrected for the number of tests: each must pass alone."
"""How many tests at once are handled by a report that does not say."""


def distances(samples: Samples, industries: Mapping[str, str]) -> str:
    """Return the section's HTML.

    Args:
        samples: all samples of the variant.
        industries: sub-industry -> its industry; may be empty.
    """
    ks = samples.ks
    return _BODY.substitute(
        facts=fact_boxes(_facts(ks)),
        multiplicity=escape(ks.get("multiplicity", _NOT_CORRECTED)),
        power=f"{ks['power']:.0%}",
        too_small=f"{len(ks['too_small']):,}",
        levels=_options(levels_of(samples)),
        colours=_COLOURS if samples.statistics else "",
        maps=heat_maps(samples, industries),
        legend=_LEGEND,
        total=f"{len(ks['tests']):,}",
        shown=f"{min(SHOWN, len(ks['tests'])):,}",
        table=_smallest(ks),
        data=embedded(samples),
    )


def _facts(ks: Mapping[str, Any]) -> list[tuple[str, str]]:
    holm = [("smallest p after Holm", number(ks["smallest_p_holm"]))] if "smallest_p_holm" in ks else []
    return [
        ("tests", f"{len(ks['tests']):,}"),
        ("rejected", f"{ks['rejected']:,} ({ks['allowed']:,} allowed)"),
        ("largest D", number(ks["largest_statistic"])),
        ("smallest p", number(ks["smallest_p_value"])),
        *holm,
        ("median detectable shift", f"{number(ks['median_detectable_shift'])} sd"),
        ("too small to test", f"{len(ks['too_small']):,}"),
    ]


def _options(levels: list[str]) -> str:
    return "".join(f'<option value="{escape(level)}">{escape(level_name(level))}</option>' for level in levels)


def _smallest(ks: Mapping[str, Any]) -> str:
    tests = sorted(ks["tests"], key=lambda test: (test["p_value"], -test["statistic"]))[:SHOWN]
    rows = [
        (
            test["measure"],
            group_name(test["group"]),
            level_name(test.get("level", SUB_INDUSTRY)),
            str(test["year"]),
            *(test[name] for name in ("n", "statistic", "p_value", "detectable_shift")),
            word(test["p_value"] > ks["alpha"], good="alike", bad="DIFFERS"),
        )
        for test in tests
    ]
    return sortable(_HEADINGS, rows, name="tests with the smallest p")


_HEADINGS = ("measure", "group", "level", "year", "n", "D", "p", "detectable shift (sd)", "verdict")

_COLOURS = """<label>colour <select id="colour"><option value="by-distance">D against its critical value</option>
<option value="by-verdict">equivalence</option></select></label>"""

_LEGEND = """<p class="legend by-distance-only"><b class="d0">0</b> &hellip; <b class="d9">9</b> tenths of the D that
would be
significant, worst of all years <b class="over">&#x2715;</b> significant <b class="small">/</b> too few firms to test
<b>&nbsp;</b>
no figures</p>
<p class="legend by-verdict-only"><b class="v0">=</b> equivalent in every year <b class="v1">?</b> undecided in some
<b class="v2">&ne;</b> different in some <b class="small">/</b> too few firms to test</p>"""

_BODY = Template("""<p>Every measure is tested in every industry and year: do the anonymised and the original figures
have the same distribution? D is the largest distance between the two cumulative distributions, 0 (same) to 1 (apart).
A test that finds nothing says little if it could not have found much: the detectable shift is the one, in standard
deviations, that it would notice in $power of cases. $multiplicity</p>
$facts
<h3>Measure by industry</h3>
<div class="controls needs-script" hidden><label>level <select id="level">$levels</select></label>
<label>industry <input id="only-group" type="search" placeholder="all" size="10"/></label>
<label>measure <input id="only-measure" type="search" placeholder="all" size="10"/></label>
$colours</div>
<p class="told needs-script" id="pointed" role="status" hidden>Point at a cell or move with the arrow keys; click or
press Enter to open its curves.</p>
<div id="maps" class="by-distance">
$maps$legend
</div>
<div id="opened" tabindex="-1" aria-live="polite"></div>
<h3>All $total tests</h3>
<p class="told without-script">The $shown with the smallest p; all stand in <code>ks.json</code>, and $too_small
samples too small to test.</p>
<div id="tests">
$table</div>
<script type="application/json" id="samples">$data</script>
""")
