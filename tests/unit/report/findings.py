"""Reports of a small variant, as a build writes them: two levels, three measures, one rejection, one sample too small."""

from collections.abc import Mapping
from typing import Any

from pipeline.report_json import report_json
from validation.report.documents import Reports
from validation.report.labels import Labels
from validation.report.pages import about_truth, report_page
from validation.report.sections.release import ReportedVariant

NAMES = {"environment": "shops", "title": "Shops & <stalls>", "variant": "noisy"}
INDUSTRIES = {"银行": "金融", "(none)": "其他"}
STATISTICS = ("shift", "factor", "order")
HOSTILE = "</script><script>alert(1)</script>\"'&<!--\u2028]]>"


def a_test(**changes: Any) -> dict[str, Any]:
    fields = {"level": "sub_industry", "measure": "revenue", "group": "银行", "year": 2022, "n": 34, "n_anonymised": 34}
    return fields | {"statistic": 0.1, "p_value": 0.99, "p_holm": 1.0, "detectable_shift": 0.8} | changes


TESTS = (
    *(a_test(year=year) for year in (2020, 2021)),
    a_test(year=2022, statistic=0.5, p_value=0.0004, p_holm=0.002),
    a_test(measure="profit", n=1_234, n_anonymised=1_234, statistic=0.0123456),
    a_test(level="industry", group="金融", n=80, n_anonymised=80, statistic=0.02),
    a_test(level="industry", group=None, measure="profit", statistic=0.2),
)


def ks(*tests: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    small = {"level": "sub_industry", "measure": "staff", "group": "银行", "year": 2020, "n": 3}
    summary = {"smallest_p_value": 0.0004, "smallest_p_holm": 0.002, "largest_statistic": 0.5}
    return {
        "passed": False,
        "alpha": 0.05,
        "allowed": 0,
        "power": 0.8,
        "rejected": 1,
        "unequal_sizes": 0,
        **summary,
        "median_detectable_shift": 0.8,
        "multiplicity": "Each must pass alone.",
        "tests": list(tests or TESTS),
        "too_small": [small],
        **changes,
    }


def distributions(*tests: Mapping[str, Any]) -> dict[str, Any]:
    verdicts = ("equivalent", "undecided", "different", "equivalent", "undecided", "equivalent")
    tests = tests or TESTS
    rows = [
        [test["level"], test["measure"], test["group"], test["year"], test["n"], 0.01 * i, 1 - 0.1 * i, None, verdict]
        for i, (test, verdict) in enumerate(zip(tests, verdicts, strict=False))
    ]
    counts = {"samples": 6, "equivalent": 3, "undecided": 2, "different": 1}
    of_judged = {"samples": 5, "equivalent": 3, "undecided": 2, "different": 0}
    judged = {
        "fewest": 4,
        "allowed": 0,
        "met": {"shift": 6},
        "met_on_average": [],
        "missed": {"shift": 0},
        "most_must_meet": ["shift"],
    }
    return {
        "passed": True,
        "alpha": 0.05,
        "margins": {"shift": {"margin": 0.2, "why": "a small effect"}},
        "summary": counts | {"pairs_needed": 20},
        "judged": of_judged | judged | {"passed": True},
        "multiplicity": "Each at its own level.",
        "samples": {"columns": ["level", "measure", "group", "year", "n", *STATISTICS, "verdict"], "rows": rows},
        "correlations": [
            {
                "year": 2022,
                "records": 80,
                "pairs": 3,
                "median_change": 0.01,
                "change_95": 0.02,
                "largest_change": 0.03,
                "pair": ["revenue", "profit"],
            }
        ],
    }


def curves() -> dict[str, Any]:
    pair = [[-120.0, 0.0, 3.4e9], [-120.0, 0.0, 3.5e9]]
    same = [[1.0, None, 25.0], [1.0, None, 25.0]]
    return {"probabilities": [0.1667, 0.5, 0.8333], "curves": [pair, same, pair, None, pair, same]}


UNCHANGED = {"missing": 0, "extra": 0, "changed": 0}


def consistency(**changes: Any) -> dict[str, Any]:
    aggregate = {"table": "national", "statistic": "mean", "measure": "revenue", "cells": 45, "mean_offset": -0.001}
    rest = {"max_offset": 0.0086, "near": 45, "ks_p_value": 0.999, "from_zero": 0, "bound": 0.01, "outside": 0}
    rest |= {"bounded_cells": 45, "bounded_mean_offset": -0.001}
    cell = {"worst_cell": {"industry": "银行", "year": 2021}}
    return {
        "passed": True,
        "alpha": 0.05,
        "aggregates": [aggregate | rest | cell, aggregate | rest | cell | {"statistic": "max", "max_offset": None}],
        "structures": [{"table": "national", "content": "counts", "cells": 9, **UNCHANGED, "worst_cell": {}}],
        "identities": [{"identity": "ratio = 100 * a / b", "records": 20, "max_residual": 0, "worst_cell": {}}],
        "broken": [{"identity": "ratio", "originals": 1, "published": 1, "only_published": 0}],
        "given": [],
        "totals": [
            {
                "total": "national",
                "parts": "regional",
                "statistic": "sum",
                "cells": 40,
                "disagreeing": 0,
                "max_gap": 0,
                "worst_cell": {},
            }
        ],
        "chain": [
            {
                "from": "enterprise",
                "to": "industry",
                "what": "sums",
                "cells": 12,
                "disagreeing": 0,
                "worst_cell": {},
                "passed": True,
            }
        ],
        **changes,
    }


def an_attack(**changes: Any) -> dict[str, Any]:
    fields = {"attack": "nearest neighbour", "knowledge": "revenue", "records": 80, "successes": 20, "chance": 0.0125}
    rest = {"detail": "", "rate": 0.25, "upper_95": 0.36, "family": "linkage", "limit": "reported only", "passed": True}
    return fields | rest | changes


def privacy(**changes: Any) -> dict[str, Any]:
    nothing = {"records": 0, "successes": 0, "rate": 0.0, "upper_95": 0.0, "passed": None}
    untried = an_attack(family="codes", limit="15%", **nothing)
    kept = an_attack(family="codes", attack="arithmetic", limit="no better than guessing", highest_kept=0.1)
    kept |= {"successes": 0, "rate": 0.0, "upper_95": 0.04}
    return {
        "summary": "Someone finds a quarter.",
        "policy": "lsd",
        "passed": True,
        "attacks": [an_attack(), untried, kept],
        "quasi_identifiers": {"k": 5, "records": 80, "smallest": 1, "below": 3, "unique": 1, "share_below": 0.04},
        "further_kinds": {},
        "given_up": [],
        "escapes": [],
        **changes,
    }


def a_filter(**changes: Any) -> dict[str, Any]:
    fields = {"rule": "blanks", "kind": "stray_blanks", "table": "shops", "attack": "one filter", "knowledge": "rows"}
    found = {"records": 600, "successes": 300, "chance": 0.5, "detail": "Best: id.", "rate": 0.5, "upper_95": 0.54}
    return fields | found | {"is_detected": False, "limit": 0.6, "passed": True} | changes


def noise(**changes: Any) -> dict[str, Any]:
    counts = {
        "changes": 9,
        "recoverable": 8,
        "mended": 8,
        "missed": 0,
        "unrecoverable": 1,
        "right_anyway": 0,
        "wrong": 0,
    }
    kind = {"kind": "stray_blanks", "family": "names", **counts}
    example = {"rule": "blanks", "kind": "stray_blanks", "family": "names", "table": "shops", "column": "name"}
    shares = (
        {"one record": 0.6, "one group": 0.1, "two groups": None},
        {"one record": 1, "one group": 1, "two groups": None},
    )
    return {
        "rules": [
            {
                "rule": "blanks",
                "kind": "stray_blanks",
                "table": "shops",
                "column": "name",
                "cells": 9,
                "rate": 0.25,
                "recoverable": True,
            }
        ],
        "is_blocking": True,
        "filters": [a_filter()],
        "cleaner": {
            "passed": True,
            **counts,
            "share": 1.0,
            "aggregates_are_exact": True,
            "published_aggregates": {name: count for name, count in counts.items() if name != "wrong"},
            "recomputed_aggregates": [],
            "kinds": [kind],
        },
        "examples": [example | {"before": "Corner shop", "after": " Corner\u3000shop ", "recoverable": True}],
        "ladder": [
            {"step": 0, "mended": [], "changes": 9, "answered": shares[0]},
            {"step": 1, "mended": ["names"], "changes": 0, "answered": shares[1]},
        ],
        **changes,
    }


def expectations(**changes: Any) -> dict[str, Any]:
    rule = {"rule": "blanks", "kind": "stray_blanks", "table": "shops", "column": "name", "eligible": 36, "cells": 9}
    return {
        "passed": True,
        "variant": "noisy",
        "expectations": 12,
        "met": 12,
        "tables": [{"table": "shops", "records": 36, "expectations": 12, "met": 12, "page": "data_docs/shops.html"}],
        "failed": [],
        "rules": [rule | {"rate": 0.25, "expected": 0.25, "low": 0.1, "high": 0.4, "passed": True}],
        **changes,
    }


def manifest(**changes: Any) -> dict[str, Any]:
    file = {"path": "database/shops.csv", "bytes": 1_234, "records": 36, "columns": 3, "sha256": "ab" * 32}
    return {
        "environment": "shops",
        "variant": "noisy",
        "source": "generated corpus 3",
        "scale": 1.0,
        "policy": "lsd",
        "key_fingerprint": "0123456789abcdef",
        "is_demonstration_key": True,
        "specs": {"noise": "cd" * 32},
        "versions": {"silt": "0.1.0"},
        "files": [file],
        "left_out": {},
        **changes,
    }


def a_column(**changes: Any) -> dict[str, Any]:
    told = {"column": "town", "type": "text", "unit": "", "unit_in": "", "meaning": "where it is"}
    told |= {"is_key": False, "refers_to": ""}
    bars = {"of": "values", "values": ["Aachen", "Bremen"], "edges": [], "counts": [2, 1], "other": 0}
    counts = {"missing": 1, "formulas": 0, "distinct": 2, "histogram": bars, "examples": ["Aachen", "Bremen"]}
    return counts | told | {"made_of": ["shops.town"]} | changes


def profile(**changes: Any) -> dict[str, Any]:
    figure = a_column(
        column="revenue", type="number", unit="EUR", made_of=["figures.revenue"], meaning="sold in a year"
    )
    bins = {"of": "numbers", "values": [], "edges": [0.0, 10.0, 20.0], "counts": [3, 1], "other": 0}
    key = a_column(
        column="id", is_key=True, distinct=4, missing=0, histogram=None, made_of=[], examples=["1", "2", "3"]
    )
    cell = {"column": "town", "before": "Bremen", "after": "Brmen ", "rules": ["typos"]}
    table = {
        "table": "shops",
        "file": "database/shops.csv",
        "description": "One row for each shop.",
        "records": 4,
        "row_key": "id",
        "columns": [key, a_column(), figure | {"histogram": bins}],
        "first": [["1", "Aachen", "7.5"], ["2", None, "12"]],
        "declared": ["id", "town", "revenue"],
        "changed": [{"row": ["3", "Bremen", "9"], "cells": [cell]}],
        "changes": {"rows": 1, "of_rows": 4, "cells": 1, "added": 0, "removed": 0, "is_rebuilt": False},
    }
    return {"tables": [table | changes]}


def reports(**changes: Any) -> dict[str, Any]:
    made = {
        "ks": ks(),
        "distributions": distributions(),
        "curves": curves(),
        "consistency": consistency(),
        "privacy": privacy(),
        "noise": noise(),
        "expectations": expectations(),
        "profile": profile(),
    }
    return made | changes


_OWN = {
    *("columns", "content", "family", "key_fingerprint", "kind", "level", "limit", "margins", "met", "missed"),
    *("most_must_meet", "of", "page", "policy", "statistic", "type", "variant", "verdict", "sha256"),
}
"""Fields whose texts are Silt's own; all others may come from a user."""


def hostile(node: Any, end: str, field: str = "") -> Any:
    """Return reports in which every text that is not Silt's own has another end."""
    match node:
        case str():
            return node if field in _OWN else node + end
        case dict():
            return {name: hostile(value, end, name) for name, value in node.items()}
        case list() | tuple():
            return [hostile(value, end, field) for value in node]
    return node


def typed(made: Mapping[str, Any]) -> Reports:
    return Reports.of({name: report_json(report).decode() for name, report in made.items()})


def page(made: Mapping[str, Any], **changes: Any) -> bytes:
    settings: dict[str, Any] = NAMES | {"manifest": manifest()} | changes
    industries, labels = settings.pop("industries", INDUSTRIES), settings.pop("labels", Labels())
    found, rows = typed(made), settings.pop("rows", None)
    bodies = about_truth(found, industries, labels)
    return report_page(found, ReportedVariant(**settings), bodies=bodies, labels=labels, rows=rows)
