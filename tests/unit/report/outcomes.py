"""Made-up outcomes of builds, as hypothesis draws them: of each report one of the ways in which it can come out."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from anonymize.policy import POLICIES
from tests.unit.report import findings
from tests.unit.report.findings import TESTS, a_filter, a_test, an_attack
from validation.report.documents.base import FRESH

Report = Mapping[str, Any]

_ALIKE = tuple(test | {"p_value": 0.9, "p_holm": 1.0} for test in TESTS)
_NOTHING = {
    "smallest_p_value": None,
    "smallest_p_holm": None,
    "largest_statistic": None,
    "median_detectable_shift": None,
}
_OF_EVENTS = {"unequal_sizes": 0, "too_small": [], "rejected": 1, "tests": [a_test(p_value=0.001)]}
_COUNTS = ("alpha", "power", "multiplicity", *_NOTHING)


def _ks(*tests: Mapping[str, Any], is_sampled: bool = False, **changes: Any) -> Report:
    rejected = sum(test["p_value"] <= 0.05 for test in tests)
    allowed = int(0.15 * len(tests)) if is_sampled else 0
    return findings.ks(*tests, rejected=rejected, allowed=allowed, passed=rejected <= allowed, **changes)


def _with_events() -> Report:
    ks = _ks(*_ALIKE)
    return {**ks, "events": {"sales": {name: ks[name] for name in _COUNTS} | _OF_EVENTS}}


_KS: Mapping[str, Report | None] = {
    "was not made": None,
    "all alike": _ks(*_ALIKE),
    "one differs": _ks(*TESTS),
    "one differs, as chance may": _ks(*_ALIKE, *_ALIKE, *_ALIKE, *TESTS, is_sampled=True),
    "more differ than chance explains, and no more than may": _ks(*_ALIKE, *_ALIKE, *TESTS, is_sampled=True),
    "figures of events differ, which is reported only": _with_events(),
    "nothing to test": findings.ks(tests=[], rejected=0, passed=True, **_NOTHING),
}


def _shapes(*, is_passed: bool = True, **judged: int) -> Report:
    made = findings.distributions()
    counts = {"samples": 6, "equivalent": 6, "undecided": 0, "different": 0, "allowed": 2} | judged
    return made | {"passed": is_passed, "judged": made["judged"] | counts | {"passed": is_passed}}


_SHAPES: Mapping[str, Report | None] = {
    "was not made": None,
    "all equivalent": _shapes(),
    "one differs, as it may": _shapes(equivalent=4, undecided=1, different=1),
    "too many differ": _shapes(is_passed=False, equivalent=1, undecided=2, different=3),
    "nothing to judge": _shapes(samples=0, equivalent=0),
}

_PARTS = findings.consistency()


def _agreement(part: str = "", *, is_passed: bool = True, **changes: Any) -> Report:
    changed = {part: [_PARTS[part][0] | changes]} if part else {}
    return {**_PARTS, "passed": is_passed, **changed}


_NO_BOUND = {"bound": None, "bounded_cells": 0, "bounded_mean_offset": None}


def _statistics(*p_values: float) -> Report:
    """Return what is found where records are sampled, and cells with them: three of four statistics may differ."""
    every = [entry | _NO_BOUND | {"ks_p_value": p} for entry, p in zip(_PARTS["aggregates"], p_values, strict=True)]
    cells = [each | {"is_judged": False} for each in _PARTS["structures"]]
    is_passed = sum(p <= 0.05 for p in p_values) <= 0.75 * len(p_values)
    return {**_PARTS, "passed": is_passed, "aggregates": every, "structures": cells}


_CONSISTENCY: Mapping[str, Report | None] = {
    "was not made": None,
    "all agree": _agreement(),
    "no bound, and far off": _agreement("aggregates", max_offset=240_000.0, **_NO_BOUND),
    "no bound, and the same": _agreement("aggregates", max_offset=0.0, mean_offset=0.0, **_NO_BOUND),
    "some cells without a bound": _agreement("aggregates", max_offset=9.0, bounded_cells=40),
    "an aggregate is outside its bound": _agreement("aggregates", is_passed=False, outside=3, max_offset=0.5),
    "statistics that are reported only differ": _agreement("aggregates", is_judged=False, ks_p_value=0.001),
    "statistics differ, as they may": _statistics(0.001, 0.9),
    "too many statistics differ": _statistics(0.001, 0.001),
    "cells are missing, and may be": _agreement("structures", missing=7, changed=2, is_judged=False),
    "cells are missing": _agreement("structures", is_passed=False, missing=7),
    "a total is not its parts": _agreement("totals", is_passed=False, disagreeing=2, max_gap=5),
    "an identity is broken": _agreement("identities", is_passed=False, max_residual=3),
    "nothing compared": {
        **_PARTS,
        **{part: [] for part in ("aggregates", "structures", "identities", "totals", "chain")},
    },
}


def _privacy(*attacks: Mapping[str, Any], **changes: Any) -> Report:
    is_kept = all(attack["passed"] is not False for attack in attacks)
    return findings.privacy(attacks=list(attacks), passed=is_kept and not changes.get("escapes"), **changes)


_HELD = an_attack(limit="no better than guessing", successes=1, rate=0.0125, highest_kept=0.1)
_OVER = _HELD | {"successes": 20, "rate": 0.25, "passed": False}
_TOLD = an_attack(
    attack="membership by the nearest record",
    family="attackers who know the code",
    records=270,
    successes=223,
    rate=0.826,
    chance=0.5,
    area=0.826,
    standard_error=0.02,
)
_PUBLISHED = ("attack", "knowledge", "family", "limit", "passed")
_ESCAPE = {"file": "database/shops.csv", "row": 2, "column": "town", "kind": "name", "rows": 3}

_PRIVACY: Mapping[str, Report | None] = {
    "was not made": None,
    "owners are named, without a limit": _privacy(an_attack(), _HELD),
    "owners are guessed, without a limit": _privacy(an_attack(successes=1, rate=0.0125)),
    "owners are named, of too few records": _privacy(an_attack(records=2, successes=2, rate=1.0, chance=0.3)),
    "too few records to exceed a limit": _privacy(_HELD | {"records": 2, "highest_kept": 1.0}),
    "every limit kept": _privacy(_HELD),
    "one over its limit": _privacy(an_attack(), _OVER),
    "something escaped": _privacy(_HELD, escapes=[_ESCAPE]),
    "not searched": _privacy(_HELD, escapes=None),
    "owners named and not searched": _privacy(an_attack(), escapes=None),
    "outcomes alone": _privacy(*({name: each[name] for name in _PUBLISHED} for each in (_HELD, _TOLD))),
    "members are told": _privacy(_HELD, _TOLD),
    "nobody looked for owners": _privacy(_HELD | {"family": "codes"}),
    "nothing tried": _privacy(),
}


def _noise(*, is_blocking: bool = True, is_mended: bool = True, **changes: Any) -> Report:
    made = findings.noise(is_blocking=is_blocking, **changes)
    wrong = {} if is_mended else {"passed": False, "mended": 1, "missed": 7, "wrong": 4, "aggregates_are_exact": False}
    return made | {"cleaner": made["cleaner"] | wrong}


_TWICE = [rule | {"cells": 10} for rule in findings.noise()["rules"]]
_ON_FEW = a_filter(records=32, successes=18, rate=0.5625, upper_95=0.71)
_FOUND = a_filter(passed=False, is_detected=True, rate=0.9, successes=540, upper_95=0.92)

_NOISE: Mapping[str, Report | None] = {
    "was not made": None,
    "none": {"rules": []},
    "all mended": _noise(),
    "a cell that two rules changed": _noise(rules=_TWICE),
    "not mended": _noise(is_mended=False),
    "a user's own, not mended": _noise(is_blocking=False, is_mended=False),
    "a user's own, detected": _noise(is_blocking=False, filters=[_FOUND]),
    "detected": _noise(filters=[_FOUND]),
    "nobody tried": _noise() | {"cleaner": None, "ladder": [], "filters": []},
    "nothing to filter": _noise(filters=[a_filter(records=0, successes=0, rate=0.0)]),
    "half of the filters on too few rows": _noise(filters=[a_filter(), _ON_FEW]),
    "too few rows to filter": _noise(filters=[_ON_FEW]),
}

_RATE = findings.expectations()["rules"][0]
_TABLE = findings.expectations()["tables"][0]
_UNMET = [{"table": "shops", "column": "town", "expectation": "not null", "observed": "3 nulls"}]

_EXPECTATIONS: Mapping[str, Report | None] = {
    "was not made": None,
    "all met": findings.expectations(),
    "one unmet": findings.expectations(passed=False, met=11, failed=_UNMET, tables=[_TABLE | {"met": 11}]),
    "too seldom": findings.expectations(passed=False, rules=[_RATE | {"rate": 0.01, "cells": 1, "passed": False}]),
    "none": findings.expectations(tables=[], expectations=0, met=0, rules=[]),
}

_SOUND = ("all alike", "all equivalent", "all agree", "every limit kept", "all mended", "all met")

_WAYS: Mapping[str, Mapping[str, Report | None]] = {
    "ks": _KS,
    "distributions": _SHAPES,
    "consistency": _CONSISTENCY,
    "privacy": _PRIVACY,
    "noise": _NOISE,
    "expectations": _EXPECTATIONS,
}

_COMPARING = ("ks", "distributions", "consistency")

SOUND = {name: next(way for way in ways if way in _SOUND) for name, ways in _WAYS.items()}
"""How each report comes out where nothing is amiss, in words."""

ONE_AMISS = [SOUND | {name: way} for name, ways in _WAYS.items() for way in ways]
"""Outcomes in which one report alone comes out otherwise."""

outcomes = st.fixed_dictionaries({name: st.sampled_from(list(ways)) for name, ways in _WAYS.items()})
"""Any outcomes."""


def reports_of(outcome: Mapping[str, str], policy: str, *, is_curators: bool = False) -> dict[str, Any]:
    """Return the reports of an outcome: of a policy that samples records those that are published, or the curator's."""
    found = {name: ways[outcome[name]] for name, ways in _WAYS.items()}
    made: dict[str, Any] = {name: report for name, report in found.items() if report is not None}
    if "privacy" in made:
        made["privacy"] = made["privacy"] | {"policy": policy}
    if is_curators:
        return {name: made[name] for name in made if name not in {"noise", "expectations"}} | {"noise": {"rules": []}}
    if POLICIES[policy].samples_records:
        made |= {name: made[name] | {"compared_with": FRESH} for name in _COMPARING if name in made}
    return made
