"""How the outcome of a check is shown: facts, a few samples, a small picture. What fails is judged elsewhere.

Metadata is kept in Dagster's event log for good, so it holds counts, names of published tables and what stands in published
cells, never an original.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from anonymize.policy import LSD, Policy
from assets.making.keys import Stage
from assets.making.results import CheckOutcome, Fact, Result
from validation.report.documents import Reports
from validation.report.head import gates
from validation.report.head.failures import failure_of
from validation.report.sections.release import ReportedVariant

SAMPLES = 5
"""Rows of a sample: enough to see what is meant."""

PROMISES: Mapping[str, str] = {
    "no_distribution_differs": (
        "no test finds another distribution than the originals'; of sampled figures, at most a stated share of tests does"
    ),
    "distributions_are_equivalent": "shift, spread, factor, tails and ranks stay within margins",
    "aggregates_agree": "re-derived aggregates are those of the originals, within what perturbing may do",
    "totals_are_their_parts": "the nation is the sum of its provinces, an industry of its breakdowns",
    "domains_agree": "every published statistic and count is worked out again from the published firms and policies",
    "identities_hold": "identities that the originals keep hold to the last digit",
    "attacks_stay_within_limits": "no attack finds more than its limit",
    "nothing_identifies_a_company": "no code, name or other identifier that is searched for stands in any published byte",
    "gives_no_noise_away": (
        "of a release: nothing public names a rule or kind of noise, or a rate, unless noise is disclosed"
    ),
    "verifies": "of a release: `silt verify` finds no difference",
    "is_mounted_read_only": (
        "of a release: its database, mounted as its page says, cannot be written; not tried without bubblewrap"
    ),
    "two_programs_agree": "of tasks: each answer is what its SQL statement gives, and what its commitment binds to",
    "answers_cannot_be_guessed": "of tasks: no answer is that of more than 5 % of them",
    "answerable_from_noisy": (
        "of tasks: each can be answered from the noisy tables, or is marked; warns if nobody could try"
    ),
    "clean_meets_its_suite": "the clean tables meet every expectation",
    "noisy_meets_its_suite": "each deviation of the noisy tables is a change by a rule",
    "noise_keeps_its_rates": "each rule changes as many cells as its specification says",
    gates.LEDGER_IS_EXACT: "clean plus ledger is noisy, and noisy plus ledger is clean, byte for byte",
    "cleaner_mends_what_is_recoverable": (
        "a reference cleaner mends at least 99.9 % of what is recoverable, and breaks nothing else"
    ),
    "realistic_noise_is_not_detectable": "noise that claims realism cannot be found by filters or a small classifier",
}
"""What must hold for each check to pass, as the graph and the page on evidence say it.

Of sampled records, published reports have fresh draws in the place of the originals; those with originals are the curator's.
"""

ONLY_WARN = frozenset({(Stage.CURATOR, "distributions_are_equivalent"), (Stage.TASKS, "answerable_from_noisy")})
"""Stage and check of what never stops publishing."""

GATES: Mapping[str, str] = {
    "no_distribution_differs": gates.DISTRIBUTIONS,
    "distributions_are_equivalent": gates.EQUIVALENCE,
    "aggregates_agree": gates.AGREEMENT,
    "totals_are_their_parts": gates.AGREEMENT,
    "domains_agree": gates.AGREEMENT,
    "identities_hold": gates.AGREEMENT,
    "attacks_stay_within_limits": gates.ATTACKS,
    "nothing_identifies_a_company": gates.IDENTIFIERS,
    "clean_meets_its_suite": gates.TABLES,
    "noisy_meets_its_suite": gates.TABLES,
    "noise_keeps_its_rates": gates.RATES,
    gates.LEDGER_IS_EXACT: gates.EXACT,
    "cleaner_mends_what_is_recoverable": gates.MENDING,
    "realistic_noise_is_not_detectable": gates.REALISM,
}
"""Check of a build -> the gate of the report under which it is."""

_BESIDE = {"aggregates_agree": gates.STATISTICS}
"""Check -> another gate of the report that it holds as well."""

IN_THE_REPORT, CAUSE = "in the report", "likely cause"
"""Facts of a check: the claim, the verdict and the figure that the report has for its gate; and of a failure, what to do."""

TRIED, ELSEWHERE = "how far it was tried", "judged elsewhere"
"""Facts of a check that had too little to judge by, or for which another one judges; they stand above its other facts."""


FIGURES = "figures"
"""Fact of what compares with the originals where others are published: which page has the figures."""

_APART = "on the curator's page"

ON_CURATORS_PAGE = f"{FIGURES} {_APART}"
"""How that fact is said."""


def kept_apart(result: Result) -> Result:
    """Return what may be shown of a result of the curator's: whether a check passed, what it lacked, and where to look."""
    facts = {name: fact for name, fact in result.metadata.items() if name in (TRIED, ELSEWHERE, CAUSE)}
    return replace(result, metadata=facts if ELSEWHERE in facts else {**facts, FIGURES: _APART})


def in_the_report(policy: Policy = LSD, **reports: str) -> Callable[[str], dict[str, str]]:
    """Return what gives these facts of a check; nothing where the report has no such gate.

    Args:
        policy: what is judged depends on it for distributions alone.
        reports: by their names, as JSON.
    """
    release = ReportedVariant(environment="", title="", variant="", manifest={"policy": policy.name})
    read = Reports.of(reports)
    found = {gate.name: gate for gate in gates.gates_of(read, release)}

    def said(check: str) -> dict[str, str]:
        own = [found[name] for name in (GATES[check], _BESIDE.get(check)) if name in found]
        if failed := [gate for gate in own if gate.has_failed]:
            causes = " ".join(failure_of(gate, read).cause for gate in failed)
            return {IN_THE_REPORT: "; ".join(map(_in_words, failed)), CAUSE: causes}
        few = {TRIED: own[0].word.text} if own and own[0].is_open else {}
        return few | ({IN_THE_REPORT: "; ".join(map(_in_words, own))} if own else {})

    return said


def _in_words(gate: gates.Gate) -> str:
    return f"{gate.claims}: {gate.word.text}; {gate.figure}"


def verdict(
    check: str,
    *,
    is_passed: bool,
    facts: Mapping[str, Any],
    is_warning: bool = False,
    samples: Sequence[Mapping[str, Any]] = (),
    picture: str = "",
) -> CheckOutcome:
    """Return the outcome of a check.

    Args:
        facts: what was counted.
        is_warning: whether a failure only warns.
        samples: records of which the first few are shown, all with the same fields.
        picture: a small drawing (`validation/report/charts/drawings.py`), empty for none.
    """
    shown: dict[str, Any] = dict(facts)
    if samples:
        shown["samples"] = Fact("markdown", _table(samples[:SAMPLES]))
    if picture:
        shown["picture"] = drawn(check, picture)
    return CheckOutcome(check=check, is_passed=bool(is_passed), is_warning=is_warning, metadata=shown)


def drawn(name: str, picture: str) -> Fact:
    """Return a drawing, which is SVG, as Dagster's pages show it."""
    return Fact("markdown", f"![{name}](data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()})")


def _table(samples: Sequence[Mapping[str, Any]]) -> str:
    """Return records as a table of Markdown; what would end a cell is written otherwise."""
    cells = [[_cell(value) for value in sample.values()] for sample in samples]
    rows = [list(samples[0]), ["---"] * len(samples[0]), *cells]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _cell(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return " ".join(text.split()).replace("|", "/")
