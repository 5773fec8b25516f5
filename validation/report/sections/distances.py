"""The section on KS tests: the verdict, the map of all of them, and the table of those with the smallest p.

Belongs here: words and order. Samples are embedded by `samples.py` and drawn by `sections/heat_map.py` and scripts.
"""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from validation.report.documents.distributions import Ks
from validation.report.html import Column, render, table, word
from validation.report.labels import Labels
from validation.report.sections.heat_map import heat_maps, kind_of, level_name
from validation.report.sections.samples import ReportedSamples, embedded
from validation.wording import NOTHING, group_name, number, verdict

SHOWN_TESTS = 200
"""Rows of the table that stands there without a script; a page of all 20,000 would not open on a phone."""


def distances(ks: Ks, drawn: Mapping[str, Any] | None = None) -> Markup:
    """Return the section's HTML.

    Args:
        ks: the tests.
        drawn: what `drawn_of` returned; without it there is no map.
    """
    return render("distances.html", ks=ks, **_shown(ks), **(drawn or {"maps": None}))


def drawn_of(samples: ReportedSamples, industries: Mapping[str, str], labels: Labels) -> Mapping[str, Any]:
    """Return the maps of all samples, the first as HTML and all of them as the script draws them.

    Args:
        samples: all samples of the variant.
        industries: sub-industry -> its industry; may be empty.
        labels: names in English.
    """
    maps = heat_maps(samples, industries)
    data = embedded(samples, [each.packed() for each in maps], labels)
    return {"maps": maps, "kind_of": kind_of, "has_verdicts": bool(samples.statistics), "data": data}


_SAMPLED = ("figures are sampled from the distributions of the originals", "both are samples of the same statistics")


def sentence_of(ks: Ks) -> str:
    """Return the verdict in a sentence."""
    total, alpha = len(ks.tests), ks.alpha
    if not total:
        return "No sample is large enough for a test, so there is no evidence either way."
    if ks.passed and ks.rejected:
        return (
            f"{ks.rejected:,} of {total:,} tests find a difference (p <= {alpha}); chance alone would give about "
            f"{alpha * total:,.0f}, and {ks.allowed:,} are allowed: {_SAMPLED[ks.is_of_fresh]}."
        )
    if ks.passed:
        return f"None of {total:,} tests finds a difference (every p > {alpha}), and {_sizes(ks.unequal_sizes)}."
    return (
        f"{ks.rejected:,} of {total:,} tests find a difference (p <= {alpha}); "
        f"{ks.unequal_sizes:,} samples lost or gained figures."
    )


def _shown(ks: Ks) -> dict[str, Any]:
    is_empty = ks.passed and not ks.tests
    tests = sorted(ks.tests, key=lambda test: (test.p_value, -test.statistic))[:SHOWN_TESTS]
    return {
        "word": NOTHING if is_empty else verdict(ks.passed),
        "kind": "note" if is_empty else verdict(ks.passed),
        "sentence": sentence_of(ks),
        "figures": _facts(ks),
        "tests": table("tests with the smallest p", tests, _columns(ks.alpha)),
    }


def _sizes(unequal: int) -> str:
    """Return how many samples have another number of figures, which passes where records are sampled."""
    if not unequal:
        return "no sample lost or gained a figure"
    return f"{unequal:,} samples have more figures than the originals' or fewer, for records are sampled"


def _facts(ks: Ks) -> list[tuple[str, str]]:
    return [
        ("tests", number(len(ks.tests))),
        ("rejected", f"{ks.rejected:,} ({ks.allowed:,} allowed)"),
        ("largest D", number(ks.largest_statistic)),
        ("smallest p", number(ks.smallest_p_value)),
        ("smallest p after Holm", number(ks.smallest_p_holm)),
        ("median detectable shift", f"{number(ks.median_detectable_shift)} sd"),
        ("too small to test", number(len(ks.too_small))),
    ]


def _columns(alpha: float) -> Mapping[str, Column]:
    return {
        "measure": "measure",
        # Measure and group do not stand side by side: together they might be a company's name.
        "year": lambda test: str(test.year),
        "level": lambda test: level_name(test.level),
        "group": lambda test: group_name(test.group),
        "n": "n",
        "D": "statistic",
        "p": "p_value",
        "detectable shift (sd)": "detectable_shift",
        "verdict": lambda test: word(test.p_value > alpha),
    }
