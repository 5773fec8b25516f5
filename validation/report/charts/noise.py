"""What became of noise, kind by kind, and the rate of each rule against what is specified.

Belongs here: two pictures. The same numbers stand below them as tables.
"""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from pipeline.wording import percent
from validation.expectations.rates import RuleRate
from validation.report.charts.plot import BAD, BLUE, FAINT, PAPER, RULE, Plot, logarithmic, rows, shares
from validation.report.documents.noise import OfKind
from validation.wording import number

_PITCH = 20

_TREATED: Mapping[str, str] = {"mended": BLUE, "missed": BAD, "unrecoverable": PAPER}
"""Field of what became of changes -> its ink, from left to right; what is lost is left empty."""


def noise_by_kind(kinds: Sequence[OfKind]) -> Markup:
    """Return for each kind which shares of its changes were mended, missed and lost; nothing without any."""
    shown = sorted((kind for kind in kinds if kind.changes), key=lambda kind: (-kind.changes, kind.kind))
    if not shown:
        return Markup()
    across, down = shares("share of the changes of a kind"), rows([kind.kind for kind in shown])
    plot = Plot(across=across, down=down, height=_PITCH * len(shown), left=190, right=90)
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
        f"Of {number(changes)} changes of {len(shown)} kinds, {number(mended)} are mended and {number(lost)} are lost."
    )
    return plot.drawn("What became of noise, by kind", f"{counts} {said}.")


def rates(rules: Sequence[RuleRate]) -> Markup:
    """Return each rule's rate against the specified one, with the bounds that chance allows; nothing without any."""
    shown = [rule for rule in rules if rule.expected > 0 and rule.rate > 0]
    if not shown:
        return Markup()
    least, most = min(min(rule.expected, rule.rate) for rule in shown) / 2, max(1.0, *(rule.high for rule in shown))
    across, down = logarithmic((least, most), "specified rate"), logarithmic((most, least), "observed rate")
    plot = Plot(across=across, down=down, height=380, left=80, right=40, top=25)
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
