"""Recomputes what the reports say: `python -m tests.independent.recompute BUILD RAW`.

BUILD is the folder of a built environment of Silt's own (`environments/dataclaw-18`, say), RAW that of the raw tables it was
built from. From the published CSV files and the raw tables, 50 tests of distributions, 50 published aggregates, 50 offsets of
aggregates from the originals' and 50 noise rates are worked out again, and held against what was published. Which ones is
decided by the digest of the manifest, so nobody can choose them.

Where published reports compare with fresh draws (under `guarded`), tests and offsets are held against the curator's reports,
which compare with the originals: BUILD must have `curator/reports/` then.

Nothing of Silt is imported here, nor the library that it computes with: only the standard library, numpy, pandas and scipy.
What is known of the two environments stands in `raw_and_published.py`.
"""

import argparse
import hashlib
import json
import math
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ks_2samp

from tests.independent.raw_and_published import LAYOUTS, Aggregate, Layout, csv_table

SAMPLE = 50
"""Results of each kind that are looked at."""

JSON_DIGITS = 1e-9
"""What a number in a report may be off by, relative to itself: reports keep twelve digits."""

MEAN_DIGITS = 15
"""Digits of a published mean, as many decimals where it is below 1; sums, extremes and medians are exact."""

ENOUGH_CELLS = 30
NEAR = Fraction(1, 10)
"""Cells from which on a published mean offset has two significant digits; two decimals below."""

COARSE = 0.01
"""The last digit of other published offsets below 1; above, the second one is the last."""

_NO_DIGIT = -99
"""The magnitude of zero: what is published instead must be zero, too."""

NULL = "\0"
"""Stands for a missing group."""


@dataclass(frozen=True)
class Finding:
    """One result, published and worked out again."""

    kind: str
    what: str
    published: object
    recomputed: object
    agrees: bool


Report = dict[str, Any]
Place = tuple[Any, ...]
Cells = dict[Place, list[Fraction]]


@dataclass(frozen=True)
class Recomputation:
    """A build and its raw tables, which are read and grouped once, whatever reports are held against them."""

    build: Path
    raw: Path

    def findings(self, instead: Mapping[str, Report] | None = None) -> list[Finding]:
        """Return what was looked at, and whether it agrees; some reports may be others than the build's own."""
        chosen = random.Random(hashlib.sha256(self._manifest).hexdigest())  # noqa: S311 - a choice that anybody can repeat
        told = {name: self.report(name) for name in ("ks", "consistency", "noise")} | (instead or {})
        return [
            *_distributions(told["ks"], self, chosen),
            *_aggregates(self, chosen),
            *_offsets(told["consistency"], self, chosen),
            *_noise(told["noise"], self.build, chosen),
        ]

    def report(self, name: str) -> Report:
        """Return a published report; the curator's, if the published one does not compare with the originals."""
        published = _json(self.build / "noisy" / "reports" / f"{name}.json")
        return _json(self.build / "curator" / "reports" / f"{name}.json") if "compared_with" in published else published

    @cached_property
    def _manifest(self) -> bytes:
        return (self.build / "clean" / "manifest.json").read_bytes()

    @property
    def environment(self) -> str:
        """Return the name of the environment that was built."""
        return str(json.loads(self._manifest)["environment"])

    @cached_property
    def layout(self) -> Layout:
        """Return where things stand."""
        return LAYOUTS[self.environment]()

    @cached_property
    def sides(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the figures, original and published."""
        return self.layout.originals(self.raw), self.layout.published(self.build / "clean" / "database")

    @cached_property
    def cells(self) -> dict[str, list[Cells]]:
        """Return the figures behind each cell of each table of aggregates, original and published."""
        return {a.name: [_cells(a.members(side), a.by) for side in self.sides] for a in self.layout.aggregates}

    @cached_property
    def stated(self) -> dict[str, list[tuple[Place, str, str]]]:
        """Return the place, statistic and value of each row of each table of aggregates."""
        return {a.name: list(_stated(a, self.build / "clean" / "database")) for a in self.layout.aggregates}


def _json(file: Path) -> Report:
    found: Report = json.loads(file.read_text(encoding="utf-8"))
    return found


def _sample(chosen: random.Random, entries: Sequence[Any]) -> list[Any]:
    return chosen.sample(list(entries), min(SAMPLE, len(entries)))


def _is_close(published: float | None, recomputed: float) -> bool:
    return published is not None and abs(published - recomputed) <= JSON_DIGITS * max(abs(recomputed), 1e-300)


# Distributions


def _distributions(report: Report, found: Recomputation, chosen: random.Random) -> Iterator[Finding]:
    by_level: dict[str, list[dict[str, Any]]] = {}
    for test in report["tests"]:
        by_level.setdefault(test.get("level", "sub_industry"), []).append(test)
    for level, tests in sorted(by_level.items()):
        grouped = _values(found, level)
        for test in _sample(chosen, tests):
            place = test["measure"], NULL if test["group"] is None else test["group"], test["year"]
            samples = [side.get(place, []) for side in grouped]
            again = len(samples[0]), len(samples[1]), *_test(*samples)
            told = tuple(test[name] for name in ("n", "n_anonymised", "statistic", "p_value"))
            agrees = all(_is_close(one, other) for one, other in zip(told, again, strict=True))
            yield Finding(f"test by {level}", " / ".join(map(str, place)), told, again, agrees)


def _test(original: list[float], anonymised: list[float]) -> tuple[float, float]:
    if not original or not anonymised:
        return math.nan, math.nan
    orders = math.comb(len(original) + len(anonymised), len(original))
    method = "exact" if orders < sys.float_info.max else "asymp"
    with warnings.catch_warnings(action="ignore"):  # where an exact p of 1 exceeds it by a rounding
        outcome = ks_2samp(np.asarray(original), np.asarray(anonymised), method=method)
    return float(outcome.statistic), float(outcome.pvalue)


@cache
def _values(found: Recomputation, level: str) -> list[dict[tuple[str, str, int], list[float]]]:
    """Return the figures of each group, original and published."""
    groups = [side.assign(group=side[level].fillna(NULL)).groupby(["measure", "group", "year"]) for side in found.sides]
    return [{place: [float(value) for value in values] for place, values in side["value"]} for side in groups]


# Aggregates


STATISTICS: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "sum": lambda values: sum(values, Fraction()),
    "mean": lambda values: sum(values, Fraction()) / len(values),
    "max": max,
    "min": min,
    "median": median,
}


def _cells(side: pd.DataFrame, by: Sequence[str]) -> Cells:
    """Return the figures behind each cell: group, year and measure."""
    groups = side.dropna(subset=list(by)).groupby([*by, "year", "measure"])["value"]
    return {place: [Fraction(value) for value in values] for place, values in groups}


def _stated(aggregate: Aggregate, database: Path) -> Iterator[tuple[Place, str, str]]:
    rows = aggregate.published(database)
    places = rows[[*aggregate.by, "year", "measure"]].itertuples(index=False, name=None)
    return zip(places, rows["statistic"], rows["value"], strict=True)


def _aggregates(found: Recomputation, chosen: random.Random) -> Iterator[Finding]:
    reported = [
        (name, place, statistic, value)
        for name, rows in found.stated.items()
        for place, statistic, value in rows
        if place in found.cells[name][1]
    ]
    for name, place, statistic, value in _sample(chosen, reported):
        exact = STATISTICS[statistic](found.cells[name][1][place])
        allowed = _half_a_digit(exact) if statistic == "mean" else 0
        agrees = value != "" and abs(Fraction(value) - exact) <= allowed
        yield Finding(f"aggregate {name}", " / ".join(map(str, (*place, statistic))), value, float(exact), agrees)


def _half_a_digit(mean: Fraction) -> Fraction:
    whole = int(abs(mean))
    return Fraction(1, 2 * 10 ** max(MEAN_DIGITS - (len(str(whole)) if whole else 0), 0))


def _offsets(report: Report, found: Recomputation, chosen: random.Random) -> Iterator[Finding]:
    stated = {name: {place for place, _, _ in rows} for name, rows in found.stated.items()}
    for entry in _sample(chosen, report["aggregates"]):
        statistic, measure = STATISTICS[entry["statistic"]], entry["measure"]
        original, anonymised = found.cells[entry["table"]]
        both = [place for place in original.keys() & anonymised.keys() & stated[entry["table"]] if place[-1] == measure]
        moved = [
            offset
            for place in both
            for offset in [_offset(statistic(original[place]), statistic(anonymised[place]))]
            if offset is not None
        ]
        exact = len(both), float(sum(moved, Fraction()) / len(moved)), float(max(map(abs, moved)))
        told = tuple(entry[name] for name in ("cells", "mean_offset", "max_offset"))
        mean, largest = (10.0 ** (_magnitude(offset) - 1) for offset in exact[1:])
        near = sum(abs(offset) <= NEAR for offset in moved)
        mean = mean if len(moved) >= ENOUGH_CELLS else max(COARSE, mean)
        is_told = _is_rounded(told[1], exact[1], mean), _is_rounded(told[2], exact[2], max(COARSE, largest))
        agrees = told[0] == exact[0] and all(is_told) and entry["near"] == near
        yield Finding("offset", f"{entry['table']} / {entry['statistic']} / {measure}", told, exact, agrees)


def _offset(original: Fraction, anonymised: Fraction) -> Fraction | None:
    """Return the relative change; none from zero to something."""
    if original == anonymised:
        return Fraction()
    return (anonymised - original) / abs(original) if original else None


def _is_rounded(published: float | None, exact: float, digit: float) -> bool:
    """Say whether a published offset is the exact one, rounded to a digit; a tie may go either way."""
    return published is not None and abs(published - exact) <= digit * 0.5 * (1 + 1e-6)


def _magnitude(value: float) -> int:
    return Decimal(f"{value:.1e}").adjusted() if value else _NO_DIGIT


# Noise


def _noise(report: Report, build: Path, chosen: random.Random) -> Iterator[Finding]:
    """Count changed cells; where several rules write into a column, one may write over what another wrote."""
    paths = {path.stem: path for path in (build / "clean" / "database").rglob("*.csv")}
    rules = [rule for rule in report["rules"] if rule["column"] and rule["table"] in paths]
    for rule in _sample(chosen, rules):
        place = rule["table"], rule["column"]
        counts = [other["cells"] for other in rules if (other["table"], other["column"]) == place]
        rows, gone, changed = _compared(build, paths[rule["table"]], rule["column"])
        is_there = max(counts) - gone <= changed <= sum(counts)
        kind = "noise of one rule in its column" if len(counts) == 1 else "noise of several rules in a column"
        agrees = is_there and _is_share(rule["rate"], rule["cells"], rows)
        yield Finding(kind, f"{rule['rule']} / {place}", (rule["cells"], rule["rate"]), changed, agrees)


def _is_share(rate: float | None, cells: int, rows: int) -> bool:
    """Say whether a rate is that number of cells out of a whole number of them, no more than there are."""
    if not rate or not cells:
        return not rate and not cells
    eligible = cells / rate
    return abs(eligible - round(eligible)) <= JSON_DIGITS * eligible and cells <= round(eligible) <= rows


@cache
def _compared(build: Path, path: Path, column: str) -> tuple[int, int, int]:
    """Return how many rows the clean table has, how many of them the noisy one has not, in how many others the cell differs."""
    files = path, build / "noisy" / path.relative_to(build / "clean")
    clean, noisy = (csv_table(file).drop_duplicates("id", keep="first").set_index("id")[column] for file in files)
    both = pd.concat([clean, noisy], axis=1, join="inner", keys=["clean", "noisy"])
    return len(clean), len(clean) - len(both), int((both["clean"] != both["noisy"]).sum())


def main(arguments: Sequence[str]) -> int:
    """Print how many results of each kind agree, and each that does not; return the exit status."""
    raw_text = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m tests.independent.recompute", description=__doc__, formatter_class=raw_text
    )
    parser.add_argument("build", metavar="BUILD", type=Path, help=f"folder of a build of {' or '.join(LAYOUTS)}")
    parser.add_argument("raw", metavar="RAW", type=Path, help="folder of the raw tables that it was built from")
    found = Recomputation(**vars(parser.parse_args(arguments)))
    try:
        if found.environment not in LAYOUTS:
            parser.error(f"{found.build} is a build of {found.environment}; expected {' or '.join(LAYOUTS)}")
        findings = found.findings()
    except FileNotFoundError as error:
        parser.error(f"{error.filename} is missing")
    for kind, count in sorted(Counter(finding.kind for finding in findings).items()):
        agreeing = sum(finding.agrees for finding in findings if finding.kind == kind)
        print(f"{kind}: {agreeing} of {count} agree")  # noqa: T201 - its output
    for finding in findings:
        if not finding.agrees:
            print(f"{finding.kind}, {finding.what}: published {finding.published}, recomputed {finding.recomputed}")  # noqa: T201
    return int(not all(finding.agrees for finding in findings))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
