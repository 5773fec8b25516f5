"""The section on noise: what each kind did and what of it can be mended, an example of each rule, the rate of each rule.

Belongs here: the words and their order. What noise did, what the reference cleaner took back and whether that is enough stands
in `noise.json`, the bounds of rates in `expectations.json`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from pipeline.noise.described.docstrings import summary
from pipeline.noise.kinds import KINDS
from validation.expectations.rates import RuleRate
from validation.noise.cleaner.aggregates import Recomputed
from validation.report.documents.noise import Cleaner, Expectations, Filter, Noise, OfKind, Rule
from validation.report.html import Cell, Table, Value, prose, render, share, visible, with_note, word
from validation.wording import number, percent, verdict

_Place = tuple[str, str, str]
"""Rule, table and column."""


def noise_section(of: Noise, expectations: Expectations | None = None) -> Markup:
    """Return the section's HTML.

    Args:
        of: what `noise.json` holds.
        expectations: what `expectations.json` holds, if the build made it: the bounds of rates.
    """
    cleaner = of.cleaner
    judged = {(rate.rule, rate.table, rate.column): rate for rate in (expectations.rules if expectations else ())}
    rules = [_rule(rule, of.filters, judged) for rule in of.rules]
    of_cleaner = _cleaned(cleaner) if cleaner else {}
    return render(
        "noise.html",
        of=of,
        lead=_lead(of),
        figures=_facts(of),
        examples=_examples(of),
        rules=Table(name="rules of the specification", headings=_RULES, rows=rules, kind="cards"),
        **of_cleaner,
    )


def changes_of(of: Noise) -> int:
    """Return how many changes noise made."""
    return of.cleaner.changes if of.cleaner else sum(rule.cells for rule in of.rules)


def _lead(of: Noise) -> str:
    cleaner, changes = of.cleaner, changes_of(of)
    if not changes:
        return "No noise: the tables stand as they were rendered."
    if cleaner is None:
        return f"Noise made {changes:,} changes. No cleaning plan says what of them could be found out again."
    broken = f"breaks {cleaner.wrong:,} other cells" if cleaner.wrong else "breaks nothing else"
    return (
        f"Noise made {changes:,} changes. The environment alone tells the truth of {cleaner.recoverable:,} of "
        f"them, and a cleaner that sees nothing else takes back {cleaner.mended:,} ({percent(cleaner.share)}) "
        f"and {broken}; the other {cleaner.unrecoverable:,} are lost."
    )


def _facts(of: Noise) -> list[tuple[str, str]]:
    rules = ("rules", number(len({rule.rule for rule in of.rules})))
    if not of.cleaner:
        return [rules, ("changes", number(changes_of(of)))]
    names = ("changes", "recoverable", "mended", "missed", "unrecoverable", "wrong")
    return [rules, *((_COUNTS[name], number(getattr(of.cleaner, name))) for name in names)]


# --- what was mended ---------------------------------------------------------------------------------------------------


def _cleaned(cleaner: Cleaner) -> Mapping[str, Any]:
    return {
        "outcome": verdict(cleaner.passed),
        "sentence": _sentence(cleaner),
        "kinds": Table(
            name="kinds of noise",
            headings=("kind", *_COUNTS.values()),
            rows=list(map(_kind, cleaner.kinds)),
            kind="cards",
        ),
        "aggregates": Table(
            name="aggregates after cleaning",
            headings=_AGGREGATES,
            rows=list(map(_recomputed, cleaner.recomputed_aggregates)),
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


def _kind(entry: OfKind) -> Sequence[Value]:
    kind = KINDS[entry.kind]
    told = [
        Markup("<small>{}</small>").format(prose(each)) for each in (summary(kind), f"Recoverable? {kind.recovery}")
    ]
    name = Markup("<b>{}</b> ({}){}{}{}").format(entry.kind, entry.family, *told, _mended(entry))
    return Cell(name, entry.kind), *(getattr(entry, count) for count in _COUNTS)


def _mended(entry: OfKind) -> Markup:
    if not entry.recoverable:
        return Markup()
    cell = share(entry.mended / entry.recoverable, suffix=" of what is recoverable is mended")
    return Markup('<div class="rate">{}</div>').format(cell.text)


def _recomputed(entry: Recomputed) -> Sequence[Value]:
    counts = (entry.cells, entry.touched, entry.differing, entry.unexplained)
    return with_note(entry.table), *counts, word(not entry.unexplained, good="exact", bad="DIFFERS")


def _examples(of: Noise) -> Table:
    rows = [
        (
            *(each.kind, each.rule, f"{each.table}, {each.column}" if each.column else each.table),
            *(Cell(visible(each.before)), Cell(visible(each.after))),
            _YES[each.recoverable],
        )
        for each in of.examples
    ]
    return Table(name="an example of each rule", headings=_EXAMPLES, rows=rows)


# --- rules -------------------------------------------------------------------------------------------------------------


def _rule(rule: Rule, filters: Sequence[Filter], judged: Mapping[_Place, RuleRate]) -> Sequence[Value]:
    rate = judged.get((rule.rule, rule.table, rule.column))
    tried = [each for each in filters if (each.rule, each.table) == (rule.rule, rule.table) and each.records]
    return (
        Cell(Markup("<b>{}</b><small><code>{}</code></small>").format(rule.rule, rule.kind), rule.rule),
        with_note(rule.table, rule.column or "rows, or the file"),
        rule.cells,
        share(min(rule.rate, 1.0)),
        _bounds(rate),
        "" if rule.recoverable is None else "yes" if rule.recoverable else "not all",
        Cell(Markup().join(map(_attempt, tried)) or "not tried"),
    )


def _bounds(rate: RuleRate | None) -> Cell:
    """Return the specified rate, and whether the rule keeps it."""
    if rate is None:
        return Cell("")
    text = f"{percent(rate.expected)} of {rate.eligible:,}, between {percent(rate.low)} and {percent(rate.high)}: "
    told = word(rate.passed)
    return Cell(Markup('{}<span class="{}">{}</span>').format(text, told.kind, told.text), float(rate.expected))


def _attempt(tried: Filter) -> Markup:
    """Return what one way of telling changed rows from unchanged ones came to."""
    text = f"{tried.attack}: {percent(tried.rate)} of {tried.records:,} rows sorted rightly"
    if tried.limit is not None:
        text += f", where a kind that claims realism may be sorted to {percent(tried.limit)}"
    kind, told, detail = "kept", "No better than guessing", ""
    if not tried.passed or tried.told_apart:
        kind, told = ("kept", "Told apart") if tried.passed else ("exceeded", "OVER ITS LIMIT")
        detail = Markup("<small>{}</small>").format(tried.detail)
    return Markup('<div class="{}">{}. {}{}</div>').format(kind, told, text, detail)


_YES = {True: "yes", False: "no", None: ""}

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

_AGGREGATES = ("aggregate", "cells", "touched by lost truth", "differing", "differing without that reason", "verdict")
_EXAMPLES = ("kind", "rule", "where", "before", "after", "recoverable")
_RULES = ("rule", "where", "changed", "rate", "specified", "recoverable", "told apart?")
