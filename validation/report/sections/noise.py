"""The section on noise: what each kind did and what of it can be mended, an example of each rule, the rate of each rule.

Belongs here: the words and their order. What noise did, what the reference cleaner took back and whether that is enough stands
in `noise.json`, the bounds of rates in `expectations.json`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from pipeline.documents.document import summary
from pipeline.noise.kinds import KINDS
from pipeline.wording import counted, percent
from validation.attacks.limits import TOO_FEW
from validation.expectations.rates import RuleRate
from validation.report.charts.plot import BAD, BLUE, FAINT, NARROW, PAPER, RULE, Plot, logarithmic, rows, shares
from validation.report.data.links import anchor_of_rule
from validation.report.documents.noise import Cleaner, Expectations, Filter, Noise, OfKind, OfRule, RuleChanges
from validation.report.html import Cell, Column, Table, prose, render, share, table, visible, with_note, word
from validation.wording import number


def noise_section(of: Noise, expectations: Expectations | None) -> Markup:
    """Return the section's HTML; `expectations` have the bounds of rates, if the build made them."""
    return render(
        "noise.html",
        of=of,
        lead=_lead(of),
        has_twice=changes_of(of) != sum(rule.cells for rule in of.rules),
        examples=table("an example of each rule in each table", of.examples, _EXAMPLES),
        rules=_rules(of, expectations),
        by_kind=noise_by_kind(of.cleaner.kinds if of.cleaner else ()),
        rates=rates(expectations.rules if expectations else ()),
        **(_cleaned(of.cleaner, is_judged=of.is_blocking) if of.cleaner else {}),
    )


def changes_of(of: Noise) -> int:
    """Return how many changes noise made."""
    return of.cleaner.changes if of.cleaner else sum(rule.cells for rule in of.rules)


def changes_and_entries(of: Noise, entries: int) -> str:
    """Return how many changes noise made, in how many entries of the ledger, which has more where rules met in a cell."""
    changes = counted(changes_of(of), "change")
    return changes if entries == changes_of(of) else f"{changes} in {entries:,} entries of the ledger ({_TWICE})"


_TWICE = "a cell that was changed twice has two"


def untried(of: Noise) -> str:
    """Return how many changes are marked as recoverable, where no cleaner tried to undo them: of rules, all or none count."""
    marked = sum(rule.cells for rule in of.rules if rule.recoverable)
    sure = f"By their rules, {marked:,} of {changes_of(of):,} can surely be undone."
    return f"{sure} No cleaner has tried: there is no cleaning plan."


def _lead(of: Noise) -> str:
    cleaner, changes = of.cleaner, changes_of(of)
    if not of.rules:
        return "No noise: the tables stand as they were rendered."
    if not changes:
        return "No rule changed anything: the tables stand as they were rendered."
    entries = sum(rule.cells for rule in of.rules)
    every, active = ({rule.rule for rule in of.rules if rule.cells >= least} for least in (0, 1))
    rules = f"{len(active):,} of " * (active != every) + counted(len(every), "rule")
    made = f"{rules} of noise made {changes_and_entries(of, entries)}."
    if cleaner is None:
        return f"{made} {untried(of)}"
    broken = f"breaks {cleaner.wrong:,} other cells" if cleaner.wrong else "breaks nothing else"
    return (
        f"{made} {cleaner.recoverable:,} can be undone from the published data alone; {cleaner.unrecoverable:,} cannot. "
        f"The reference cleaner undoes {cleaner.mended:,} ({percent(cleaner.share)}) and {broken}."
    )


# --- what was mended ---------------------------------------------------------------------------------------------------


def _cleaned(cleaner: Cleaner, *, is_judged: bool) -> Mapping[str, Any]:
    outcome = word(cleaner.passed, is_judged=is_judged)
    return {
        "outcome": outcome.text.lower(),
        "kind": {"kept": "passed", "doubtful": "doubtful"}.get(outcome.kind or "", "failed"),
        "sentence": _sentence(cleaner),
        "kinds": table("kinds of noise", cleaner.kinds, {"kind": _kind, **_COUNTED}, kind="cards"),
        "aggregates": table(
            "aggregates after cleaning",
            cleaner.recomputed_aggregates,
            {**_AGGREGATES, "verdict": lambda entry: word(not entry.unexplained, is_judged=is_judged)},
            kind="cards",
        ),
    }


def _sentence(cleaner: Cleaner) -> str:
    if cleaner.passed:
        return (
            "What can be found out can be mended, and the mended tables give the aggregates of the clean ones wherever "
            "no lost truth enters: the environment is hard, not broken."
        )
    exact = "" if cleaner.aggregates_are_exact else " The mended tables do not give the clean aggregates."
    return f"{cleaner.missed:,} recoverable changes were missed, {cleaner.wrong:,} cells wrongly changed.{exact}"


def _kind(entry: OfKind) -> Cell:
    kind = KINDS[entry.kind]
    notes = [
        Markup("<small>{}</small>").format(prose(each)) for each in (summary(kind), f"Recoverable? {kind.recovery}")
    ]
    name = Markup("<b>{}</b> ({}){}{}{}").format(entry.kind, entry.family, *notes, _mended(entry))
    return Cell(name, entry.kind)


def _mended(entry: OfKind) -> Markup:
    if not entry.recoverable:
        return Markup()
    cell = share(entry.mended / entry.recoverable, suffix=" of what is recoverable is mended")
    return Markup('<div class="rate">{}</div>').format(cell.text)


# --- rules -------------------------------------------------------------------------------------------------------------


def _rules(of: Noise, expectations: Expectations | None) -> Table:
    judged = {(rate.rule, rate.table, rate.column): rate for rate in (expectations.rules if expectations else ())}
    tried: dict[tuple[str, str], list[Markup]] = {}
    for each in of.filters:
        if each.records:
            tried.setdefault((each.rule, each.table), []).append(_attempt(each, is_judged=of.is_blocking))
    places = {id(rule): place for place, rule in enumerate(of.rules)}
    columns: dict[str, Column] = {
        "rule": lambda rule: _placed(rule, places[id(rule)]),
        "where": _where,
        "changed": "cells",
        "rate": lambda rule: _rate(rule, judged.get((rule.rule, rule.table, rule.column))),
        "recoverable": lambda rule: {True: "yes", False: "not all", None: ""}[rule.recoverable],
        "detectable?": lambda rule: Cell(Markup().join(tried.get((rule.rule, rule.table), ["not tried"]))),
    }
    return table("rules of the specification", of.rules, columns, kind="cards rules")


def _named(entry: OfRule) -> Cell:
    return Cell(Markup("<b>{}</b><small><code>{}</code></small>").format(entry.rule, entry.kind), entry.rule)


def _placed(rule: RuleChanges, place: int) -> Cell:
    """Return the name of a rule as what columns lead to."""
    return Cell(Markup('<span id="{}">{}</span>').format(anchor_of_rule(place), _named(rule).text), rule.rule)


def _where(entry: OfRule) -> Cell:
    return with_note(entry.table, entry.column or "rows, or the file")


def _rate(rule: RuleChanges, judged: RuleRate | None) -> Cell:
    """Return the rate, and whether it keeps to what is specified."""
    shown = share(min(rule.rate, 1.0))
    if judged is None:
        return shown
    low, high = percent(judged.low), percent(judged.high)
    bounds = f"of {judged.eligible:,}; specified {percent(judged.expected)}, between {low} and {high}: "
    outcome = Cell(TOO_FEW, kind="note") if judged.is_free else word(judged.passed)
    note = Markup('<small>{}<span class="{}">{}</span></small>').format(bounds, outcome.kind, outcome.text)
    return Cell(
        Markup("{}{}").format(shown.text, note), shown.value, shown.kind if judged.passed else f"{shown.kind} exceeded"
    )


def _attempt(tried: Filter, *, is_judged: bool) -> Markup:
    """Return what one way of distinguishing changed rows from unchanged ones came to."""
    text = f"{tried.attack}: {percent(tried.rate)} of {tried.records:,} rows sorted rightly"
    if tried.limit is not None:
        text += f", where a kind that claims realism may be sorted to {percent(tried.limit)}"
    kind, found = _outcome(tried, is_judged=is_judged)
    detail = Markup("<small>{}</small>").format(tried.detail) if tried.is_detected or not tried.passed else ""
    return Markup('<div class="{}">{}. {}{}</div>').format(kind, found, text, detail)


def _outcome(tried: Filter, *, is_judged: bool) -> tuple[str, str]:
    """Return how an attempt is marked, and what it shows: that nothing is detected only where enough rows were tried."""
    if not tried.passed:
        return "exceeded" if is_judged else "doubtful", "OVER ITS LIMIT"
    if tried.is_detected:
        return "kept", "Detected; that is allowed"
    return ("note", TOO_FEW.capitalize()) if tried.is_undecided else ("kept", "No better than guessing")


_COUNTS = {
    "changes": "changes",
    "recoverable": "recoverable",
    "mended": "mended",
    "missed": "missed",
    "unrecoverable": "lost",
    "right_anyway": "lost, right anyway",
    "wrong": "wrongly changed",
}
"""Field of a kind's entry -> heading of its column."""
_COUNTED: Mapping[str, Column] = {heading: name for name, heading in _COUNTS.items()}
_AGGREGATES: Mapping[str, Column] = {
    "aggregate": lambda entry: with_note(entry.table),
    "cells": "cells",
    "touched by lost truth": "touched",
    "differing": "differing",
    "differing without that reason": "unexplained",
}
_EXAMPLES: Mapping[str, Column] = {
    "rule": _named,
    "where": _where,
    "before": lambda entry: Cell(visible(entry.before)),
    "after": lambda entry: Cell(visible(entry.after)),
    "recoverable": lambda entry: {True: "yes", False: "no", None: ""}[entry.recoverable],
}


# --- pictures ----------------------------------------------------------------------------------------------------------

_PITCH = 20

_TREATED: Mapping[str, str] = {"mended": BLUE, "missed": BAD, "unrecoverable": PAPER}
"""Field of what became of changes -> its ink, from left to right; what is lost is left empty."""


def noise_by_kind(kinds: Sequence[OfKind]) -> Markup:
    """Return for each kind which shares of its changes were mended, missed and lost; nothing without any."""
    shown = sorted((kind for kind in kinds if kind.changes), key=lambda kind: (-kind.changes, kind.kind))
    if not shown:
        return Markup()
    across, down = shares("share of the changes of a kind"), rows([kind.kind for kind in shown])
    plot = Plot(across=across, down=down, height=_PITCH * len(shown), width=NARROW, left=170, right=75)
    for row, kind in enumerate(shown):
        start = 0.0
        for field, ink in _TREATED.items():
            end = start + getattr(kind, field) / kind.changes
            if end > start:
                plot.box(start, end, row, height=12, fill=ink)
            start = end
        plot.text(1, row, number(kind.changes))
    mended, lost, changes = (sum(getattr(kind, of) for kind in shown) for of in ("mended", "unrecoverable", "changes"))
    said = "; ".join(f"{kind.kind}: {percent(kind.mended / kind.changes)} mended" for kind in shown)
    counts = (
        f"Of {number(changes)} entries of the ledger, of {len(shown)} kinds, {number(mended)} are mended and {number(lost)} "
        "are lost."
    )
    return plot.drawn("What became of noise, by kind", f"{counts} {said}.")


def rates(rules: Sequence[RuleRate]) -> Markup:
    """Return each rule's rate against the specified one, with the bounds that chance allows; nothing without any."""
    shown = [rule for rule in rules if rule.expected > 0 and rule.rate > 0]
    if not shown:
        return Markup()
    least, most = min(min(rule.expected, rule.rate) for rule in shown) / 2, max(1.0, *(rule.high for rule in shown))
    across, down = logarithmic((least, most), "specified rate"), logarithmic((most, least), "observed rate")
    plot = Plot(across=across, down=down, height=380, width=NARROW, left=65, right=20, top=25)
    plot.line((least, least), (most, most), ink=RULE, width=1, dashes="4 4")
    for rule in shown:
        plot.line((rule.expected, max(rule.low, least)), (rule.expected, rule.high), ink=FAINT)
    for rule in shown:
        shape, ink = ("circle", BLUE) if rule.passed else ("cross", BAD)
        plot.point(rule.expected, rule.rate, shape, ink=ink)
    beyond = ", ".join(f"{rule.rule} in {rule.table}" for rule in shown if not rule.passed)
    verdict = f"out of their bounds are {beyond}" if beyond else "each is within the bounds that chance allows"
    ends = f"from {percent(least * 2)} to {percent(max(rule.rate for rule in shown))}"
    return plot.drawn("Rates of rules, specified and observed", f"{len(shown)} rates of rules {ends}: {verdict}.")
