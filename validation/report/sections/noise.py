"""The section on noise: each kind with what it did, one example of each rule, and the rate of each rule against its bounds.

Belongs here: words and order. `noise.json` and `expectations.json` hold the figures, `noise.html` tells them in full.
"""

from collections.abc import Mapping, Sequence
from string import Template
from typing import Any

from validation.report.frame import fact_boxes
from validation.report.tables import Cell, Html, sortable, word
from validation.report.words import percent, visible


def noise_section(noise: Mapping[str, Any], expectations: Mapping[str, Any] | None) -> str:
    """Return the section's HTML for a variant that has noise.

    Args:
        noise: what `noise.json` holds.
        expectations: what `expectations.json` holds, if the build made it: the bounds of rates.
    """
    return _BODY.substitute(
        facts=fact_boxes(_facts(noise)),
        kinds=_kinds(noise),
        examples=_examples(noise.get("examples")),
        rates=_rates(noise, expectations),
    )


def changes_of(noise: Mapping[str, Any]) -> int:
    """Return how many changes noise made."""
    cleaner = noise.get("cleaner")
    return int(cleaner["changes"]) if cleaner else sum(entry["cells"] for entry in noise["rules"])


def _facts(noise: Mapping[str, Any]) -> list[tuple[str, str]]:
    cleaner = noise.get("cleaner")
    rules = ("rules", f"{len({entry['rule'] for entry in noise['rules']}):,}")
    if not cleaner:
        return [rules, ("changes", f"{changes_of(noise):,}")]
    labels = {"unrecoverable": "lost", "wrong": "wrongly changed"}
    names = ("changes", "recoverable", "mended", "missed", "unrecoverable", "wrong")
    return [rules, *((labels.get(name, name), f"{cleaner[name]:,}") for name in names)]


def _kinds(noise: Mapping[str, Any]) -> str:
    cleaner = noise.get("cleaner")
    if not cleaner:
        return "<p>The environment has no cleaning plan, so nothing was mended.</p>\n"
    rows = [(entry["family"], entry["kind"], *(entry[name] for name in _COUNTS)) for entry in cleaner["kinds"]]
    return sortable(("family", "kind", *_COUNTS.values()), rows, name="kinds of noise")


def _examples(examples: Sequence[Mapping[str, Any]] | None) -> str:
    if examples is None:
        return "<p>This build tells none.</p>\n"
    rows = [
        (
            entry["kind"],
            entry["rule"],
            f"{entry['table']}, {entry['column']}" if entry["column"] else entry["table"],
            Html(visible(entry["before"])),
            Html(visible(entry["after"])),
            {True: "yes", False: "no"}.get(entry["recoverable"], ""),
        )
        for entry in examples
    ]
    return sortable(_EXAMPLES, rows, name="an example of each rule")


def _rates(noise: Mapping[str, Any], expectations: Mapping[str, Any] | None) -> str:
    if expectations is None:
        rows = [
            (e["rule"], e["kind"], e["table"], e["column"] or "", e["cells"], _share(e["rate"])) for e in noise["rules"]
        ]
        return sortable(_COUNTED, rows, name="rates of rules")
    return sortable(_JUDGED, map(_judged, expectations["rules"]), name="rates of rules against the specification")


def _judged(entry: Mapping[str, Any]) -> Sequence[Cell]:
    place = (entry["rule"], entry["kind"], entry["table"], entry["column"] or "")
    rates = (_share(entry[name]) for name in ("rate", "expected", "low", "high"))
    return *place, entry["eligible"], entry["cells"], *rates, word(entry["passed"])


def _share(share: float | None) -> Cell:
    return None if share is None else Html(percent(share), float(share))


_COUNTS = {
    "changes": "changes",
    "recoverable": "recoverable",
    "mended": "mended",
    "missed": "missed",
    "unrecoverable": "lost",
    "wrong": "wrongly changed",
}
"""Field of a kind's entry -> heading of its column."""

_EXAMPLES = ("kind", "rule", "where", "before", "after", "recoverable")
_COUNTED = ("rule", "kind", "table", "column", "changed", "rate")
_JUDGED = (
    "rule",
    "kind",
    "table",
    "column",
    "eligible",
    "changed",
    "rate",
    "specified",
    "at least",
    "at most",
    "verdict",
)

_BODY = Template("""<p>A change is one cell, one row, one column or one file. It is recoverable if the tables
themselves tell the truth; the reference cleaner, which sees nothing else, mends it, misses it, or changes what noise
had left alone. All of it: <a href="noise.html">noise.html</a>. What a specification would do, and to which rows:
<code>silt noise explain SPEC</code>.</p>
$facts
<h3>By kind</h3>
$kinds<h3>An example of each rule</h3>
<p><mark>&#x2423;</mark> is a blank, <mark>U+3000</mark> a character that cannot be seen.</p>
$examples<h3>Rates against the specification</h3>
<p>The rate is the share of what a rule could have changed. Bounds are those within which a rule at its specified rate
stays.</p>
$rates""")
