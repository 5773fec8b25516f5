"""Reports agree with the files beside them and with each other, as far as that follows from public files.

What they say of the originals cannot be repeated without these.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl
from pydantic import ValidationError

from pipeline.conform.source import shortened
from pipeline.errors import Problem
from pipeline.model import PERIOD
from pipeline.publish.manifest import MANIFEST
from pipeline.report_json import report_json
from validation.release.checks.pair import pairs
from validation.release.opened import Release, ReleasedVariant
from validation.report.documents import KINDS
from validation.report.documents.distributions import Ks, Tests
from validation.report.documents.noise import Expectations, Noise
from validation.report.documents.privacy import AttackCounts, Privacy

_LAST_DIGITS = 1e-11
"""A rate is written with twelve digits, and so is the chance that is taken from it."""


def of_their_types(release: Release) -> Iterator[Problem]:
    """Find reports that are not what their published schema says, or not written as reports are."""
    for variant in release.variants:
        for name, kind in KINDS.items():
            path = variant.path_of_report(f"{name}.json")
            if path not in release.tree.files:
                continue
            content = release.tree.content(path)
            try:
                kind.model_validate_json(content)
            except ValidationError as error:
                first = error.errors(include_url=False, include_context=False, include_input=False)[0]
                where = ".".join(map(str, first["loc"]))
                yield Problem(path, 0, where, "", f"expected what the schema of {name}.json says: {first['msg']}")
                continue
            if report_json(json.loads(content)) != content:
                yield Problem(path, 0, "", "", "expected JSON as reports are written")


def same_in_variants(release: Release) -> Iterator[Problem]:
    """Find keys of manifests, and reports about what is beneath the noise, that differ between the variants."""
    if release.clean is None or release.noisy is None:
        return
    keys = [variant.manifest.get("key_fingerprint") for variant in (release.clean, release.noisy) if variant.manifest]
    if len({*keys}) > 1:
        expected = f"what {release.clean.prefix}{MANIFEST} states"
        yield Problem(f"{release.noisy.prefix}{MANIFEST}", 0, "key_fingerprint", shortened(str(keys[1])), expected)
    for name in ("ks", "distributions", "consistency", "model"):
        sides = [variant.path_of_report(f"{name}.json") for variant in (release.clean, release.noisy)]
        there = [path for path in sides if path in release.tree.files]
        for path in {*sides}.difference(there) if there else ():
            yield Problem(path, 0, "", "no such file", f"expected what {there[0]} says")
        are_read = there == sides and all(map(release.tree.is_as_long, sides))
        if are_read and release.tree.digest(sides[0]) != release.tree.digest(sides[1]):
            field = _first_difference(release.tree.json(sides[0]), release.tree.json(sides[1]))
            yield Problem(sides[1], 0, field, "", f"expected what {sides[0]} says")


def agree_with_files(release: Release) -> Iterator[Problem]:
    """Find figures of reports that do not follow from the files and from their other figures."""
    for variant in release.variants:
        for name, judge in _OF_REPORT.items():
            try:
                report = KINDS[name].model_validate(variant.report(name), strict=False)
            except ValidationError:
                continue  # the check of types names it, or there is none
            path = variant.path_of_report(f"{name}.json")
            yield from (Problem(path, 0, field, found, expected) for field, found, expected in judge(variant, report))
    yield from _of_chain(release)
    yield from _of_samples(release)
    yield from _of_examples(release)


# --- each report by itself ---------------------------------------------------------------------------------------------

Wrong = Iterator[tuple[str, str, str]]
"""Field, what it says, and what it should."""


def _of_ks(_variant: ReleasedVariant, ks: Ks) -> Wrong:
    for name, tests in {"": ks, **{f"events.{table}.": each for table, each in ks.events.items()}}.items():
        yield from _differing(name, tests, _of_tests(tests))
    yield from _differing("", ks, {"passed": ks.rejected <= ks.allowed})


def _of_tests(tests: Tests) -> dict[str, Any]:
    every = tests.tests
    unequal = sum(test.n != test.n_anonymised for test in every)
    return {
        # Samples that are too small are listed without their second size.
        "unequal_sizes": max(unequal, tests.unequal_sizes) if tests.too_small else unequal,
        "rejected": sum(test.p_value <= tests.alpha for test in every),
        "smallest_p_value": min((test.p_value for test in every), default=None),
        "smallest_p_holm": min((test.p_holm for test in every), default=None),
        "largest_statistic": max((test.statistic for test in every), default=None),
    }


def _of_privacy(variant: ReleasedVariant, privacy: Privacy) -> Wrong:
    if variant.manifest:
        yield from _differing("", privacy, {"policy": variant.manifest.get("policy")})
    yield from _differing("", privacy, {"passed": all(one.passed is not False for one in privacy.attacks)})
    for number, attack in enumerate(privacy.attacks):
        if not isinstance(attack, AttackCounts):
            continue
        rate = _rate(attack)
        if not math.isclose(attack.rate, rate, abs_tol=_LAST_DIGITS):
            yield from _differing(f"attacks.{number}.", attack, {"rate": float(f"{rate:.12g}")})


def _rate(attack: AttackCounts) -> float:
    """Return the rate of an attack: an area, or the share of successes, beyond guessing where figures are guessed."""
    if attack.area is not None or not attack.records:
        return attack.area or 0.0
    share = attack.successes / attack.records
    return share if attack.standard_error is None else share - attack.chance


def _of_expectations(variant: ReleasedVariant, report: Expectations) -> Wrong:
    """Compare counts with those of the files, and totals with their parts."""
    stated = {
        "variant": variant.name,
        "expectations": sum(suite.expectations for suite in report.tables),
        "met": sum(suite.met for suite in report.tables),
        "passed": not report.failed,
    }
    yield from _differing("", report, stated)
    records = {each.name: variant.listed.get(path, {}).get("records") for path, each in variant.declared.items()}
    for number, suite in enumerate(report.tables):
        if isinstance(records.get(suite.table), int):
            yield from _differing(f"tables.{number}.", suite, {"records": records[suite.table]})
    for number, rule in enumerate(report.rules):
        share = float(f"{rule.cells / rule.eligible if rule.eligible else 0.0:.12g}")
        yield from _differing(f"rules.{number}.", rule, {"rate": share, "passed": rule.low <= rule.rate <= rule.high})


def _of_noise(variant: ReleasedVariant, noise: Noise) -> Wrong:
    """Compare what rules changed with what the expectations say of the same rules."""
    stated = variant.report("expectations").get("rules")
    counted = {
        (rule["rule"], rule["table"], rule["column"]): rule["cells"]
        for rule in (stated if isinstance(stated, list) else ())
    }
    for number, rule in enumerate(noise.rules):
        cells = counted.get((rule.rule, rule.table, rule.column))
        if cells is not None:
            yield from _differing(f"rules.{number}.", rule, {"cells": cells})


_OF_REPORT: Mapping[str, Callable[[ReleasedVariant, Any], Wrong]] = {
    "ks": _of_ks,
    "privacy": _of_privacy,
    "expectations": _of_expectations,
    "noise": _of_noise,
}


def _differing(field: str, report: Any, expected: Mapping[str, Any]) -> Wrong:
    for name, value in expected.items():
        found = getattr(report, name)
        if found != value:
            yield f"{field}{name}", str(found), f"expected {value}"


# --- reports and files -------------------------------------------------------------------------------------------------


def _of_chain(release: Release) -> Iterator[Problem]:
    """Compare what the report says of statements across domains with what they come to when computed again."""
    again = [json.loads(report_json(link.as_record())) for link in release.links]
    for variant in release.variants if again else ():
        stated = variant.report("consistency").get("chain")
        for number, (found, expected) in enumerate(
            zip(stated if isinstance(stated, list) else [], again, strict=False)
        ):
            if {**found, "worst_cell": None} != {**expected, "worst_cell": None}:
                field = f"chain.{number}.{_first_difference(found, expected)}"
                path = variant.path_of_report("consistency.json")
                yield Problem(
                    path,
                    0,
                    field,
                    "",
                    f"expected {expected['cells']:,} cells, {expected['disagreeing']:,} of them wrong",
                )


def _of_samples(release: Release) -> Iterator[Problem]:
    """Compare the sizes of samples with the published figures, group by group."""
    clean, environment = release.clean, release.environment
    counted = _counted(release)
    if clean is None or environment is None or counted is None:
        return
    path = clean.path_of_report("ks.json")
    for number, test in enumerate(clean.report("ks").get("tests") or ()):
        if not isinstance(test, dict):
            return
        found = counted.get((test["level"], test["measure"], test["group"], str(test["year"])), 0)
        if found != test["n_anonymised"]:
            at = f"tests.{number}.n_anonymised"
            yield Problem(path, 0, at, str(test["n_anonymised"]), f"expected {found}, as many as the published figures")


def _counted(release: Release) -> dict[tuple[str, str, str | None, str], int] | None:
    """Count the published figures of each level, measure, group and period; None if they cannot be read."""
    environment, read = release.environment, release.read
    if environment is None or read is None:
        return None
    kind, measures = environment.entities, [measure.name for measure in environment.panel.measures]
    joined = read.figures.join(read.entities, on=kind.code, how="left")
    named = joined.with_columns(environment.panel.period.text(pl.col(PERIOD)).alias(PERIOD))
    counts: dict[tuple[str, str, str | None, str], int] = {}
    for level, group in {"industry": kind.industry, "sub_industry": kind.sub_industry}.items():
        sizes = named.group_by(group, PERIOD).agg(pl.col(measures).count())
        long = sizes.unpivot(measures, index=[group, PERIOD])
        counts |= {(level, m, g, str(y)): n for g, y, m, n in long.iter_rows()}
    return counts


def _of_examples(release: Release) -> Iterator[Problem]:
    """Find examples of changes that no cell of the pair shows."""
    noisy = release.noisy
    stated = noisy.report("noise").get("examples") if noisy else None
    if noisy is None or not isinstance(stated, list):
        return
    for pair in pairs(release):
        own = [
            (n, each)
            for n, each in enumerate(stated)
            if (each["table"], bool(each["column"])) == (pair.table.name, True)
        ]
        for number, example in own:
            column = example["column"]
            sides = {"before": pair.clean(column), "after": pair.noisy(column)}
            both = pl.DataFrame(sides).fill_null("")
            # A later rule may have changed the cell once more, and an earlier one before: one end has to show.
            shown = both.filter(pl.any_horizontal(_shows(pl.col(side), example[side] or "") for side in sides))
            if shown.is_empty():
                path = noisy.path_of_report("noise.json")
                yield Problem(
                    path, 0, f"examples.{number}", str(example["after"]), "expected a change that some cell shows"
                )


def _shows(cell: pl.Expr, stated: str) -> pl.Expr:
    """Return whether a cell is what an example tells, of which a long text is cut at its ends."""
    inner = stated.strip("…")
    return cell == stated if inner == stated else cell.str.contains(inner, literal=True)


def _first_difference(one: Any, other: Any, at: str = "") -> str:
    """Return the first field in which two pieces of JSON differ, with dots between its parts; empty if they are equal."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        parts = [(str(name), one.get(name), other.get(name)) for name in dict.fromkeys((*one, *other))]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        parts = [(str(n), a, b) for n, (a, b) in enumerate(zip(one, other, strict=True))]
    else:
        return at
    return next((_first_difference(a, b, f"{at}.{name}".lstrip(".")) for name, a, b in parts if a != b), at)
