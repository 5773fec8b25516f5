"""Of a gate that did not hold: the worst that was found beside its limit, the likely cause, and what to do.

Belongs here: finding the worst in a report, and words on causes. What passes is decided upstream.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from anonymize.policy import POLICIES
from pipeline.publish.refusal import FINDINGS
from pipeline.wording import counted, exact_percent, percent, with_article
from validation.attacks import limits
from validation.attacks.records.order import FAMILY_WISE
from validation.distributions.law import critical_distance
from validation.escapes import Escape
from validation.report.documents import Reports
from validation.report.documents.consistency import Consistency
from validation.report.documents.distributions import Distributions, Ks
from validation.report.documents.noise import Expectations, Noise
from validation.report.documents.privacy import AttackCounts, Privacy
from validation.report.head import gates
from validation.report.head.completed import RAW_ROWS, TRIAL
from validation.report.head.gates import Gate
from validation.report.sections.agreement import differing_measures, may_differ, statistics
from validation.report.sections.attacked import exceeded, unkept_in_words
from validation.report.sections.release import ReportedVariant
from validation.report.sections.unpromised import asked_in_words, attacks_over, excess_in_words, would_show
from validation.wording import cell_of, group_name, number


@dataclass(frozen=True, kw_only=True)
class Worst:
    """The farthest that something went, and how far it may go."""

    what: str
    value: float
    limit: float
    said: str
    """Both in words."""
    has_scale: bool = True
    """Whether how far it went can be drawn beside its limit: what there may not be any of has no scale."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A gate that did not hold, as the top of the page tells it."""

    gate: Gate
    worst: Sequence[Worst]
    """The worst first; of some gates there is one at most."""
    cause: str
    """With code between backticks."""
    raw_rows: Markup | None = None
    """Where the raw tables hold what identifies, on the curator's page."""
    file: str = ""
    """A file of the curator's with more, from the page."""

    @property
    def shown(self) -> Sequence[Worst]:
        """Return those that the top of the page has room for."""
        return self.worst[:_SHOWN]

    @property
    def further(self) -> int:
        """Return how many there are besides."""
        return len(self.worst) - len(self.shown)

    @property
    def has_scale(self) -> bool:
        """Say whether they are drawn: all of them are, or none."""
        return bool(self.worst) and all(worst.has_scale for worst in self.worst)


def failure_of(gate: Gate, reports: Reports) -> Failure:
    """Return what is known of a gate that did not hold."""
    if gate.name == gates.ATTACKS and reports.privacy:
        attacks = [_attack(over) for over in attacks_over(reports.privacy)]
        return Failure(gate=gate, worst=attacks, cause=cause_of_attacks(reports.privacy))
    cause = CAUSES[gate.name]
    if gate.name == gates.IDENTIFIERS:
        found = _identifiers(reports.privacy) if reports.privacy else []
        return Failure(gate=gate, worst=found, cause=cause, raw_rows=RAW_ROWS, file=f"../../../{FINDINGS}")
    name, worst_of = _WORST.get(gate.name, ("noise", lambda _noise: None))
    report = getattr(reports, name)
    worst = None if report is None else worst_of(report)
    return Failure(gate=gate, worst=[worst] if worst else [], cause=cause)


def before_check(reports: Reports, release: ReportedVariant, failed: Collection[Gate]) -> str:
    """Return what leads to `silt check` where it tries all that failed; nothing where it does not, or Silt made the tables."""
    if mended_by(reports, failed):
        return ""
    is_sampled = POLICIES[release.manifest["policy"]].samples_records
    families = _families_over(reports.privacy) if reports.privacy else set()
    names = {gate.name for gate in failed}
    if release.is_of_user_tables and is_sampled and names and names <= _TRIED and families <= {limits.ADAPTIVE}:
        return "the same build is refused again; see what may help"
    if release.is_of_user_tables and names == {gates.ATTACKS, gates.IDENTIFIERS} and families == {limits.COPIES}:
        return "mend the cause, and see whether that is enough"
    return ""


def mended_by(reports: Reports, failed: Collection[Gate]) -> str:
    """Return what to change before the same build, where a bound or statistics of aggregates alone refused it; else nothing."""
    names = {gate.name for gate in failed}
    if names == {gates.STATISTICS}:
        return _NEARER
    return would_show(reports.privacy) if names == {gates.ATTACKS} and reports.privacy else ""


_NEARER = "give a larger --budget (a build shows whether it is enough), declare coarser groups, or leave a measure out"
"""Not `silt check`: its trials draw under keys of their own, and few of them may fail where one build did."""

_TRIED = frozenset({gates.ATTACKS, gates.DISTRIBUTIONS, gates.STATISTICS})

_SHOWN = 5
"""The farthest of what went too far that the top of the page names (our choice)."""


CAUSES: Mapping[str, str] = {
    gates.DISTRIBUTIONS: (
        "Figures moved farther than their low digits: a measure whose `decimals`, unit or `significant_digits` is not what "
        "its raw column holds. Look at the measure in the declaration. Under `guarded` a figure that many share cannot "
        "stay: leave out a measure that is the same for all."
    ),
    gates.EQUIVALENCE: (
        "Few companies or few distinct figures in a group: the mechanism moves its tails. Look at what differs, and "
        "declare coarser groups or the measure's true precision."
    ),
    gates.AGREEMENT: (
        "An identity, a total or a link between tables is declared that the raw tables do not keep, or a rendered table "
        "computes one of its own. The row on top of the section names it."
    ),
    gates.STATISTICS: (
        "Few companies in an industry, or figures whose distribution the model of an industry does not have. Declare coarser "
        "groups, leave the measure out, or spend a larger budget, which tells more of each company."
    ),
    gates.ATTACKS: (
        "Something that leads to companies is published as it is, or groups have few of them. The section says what an "
        "attack knows."
    ),
    gates.IDENTIFIERS: (
        "A name or code stands in a column that is not declared to hold one, or an ordinary word equals a name. "
        "Mend the cell in the raw table, or declare that column: `Role.IDENTIFIER` if every cell identifies somebody, "
        "`Role.IGNORED` if nobody needs it (both are left out; take them out of the rules of noise), `Role.TEXT` if it is "
        "prose, in which names are replaced. Nothing can be grouped by such a column: take it out of `industry` and "
        f"`sub_industry` of the entities, and out of `aggregates`. `{FINDINGS}` says of each place what to do."
    ),
    gates.EXACT: (
        "A kind of noise changes something that it does not write down: a defect in Silt, or in a kind of your own. "
        "The terminal names the table."
    ),
    gates.MENDING: (
        "The cleaning plan does not suspect what a rule does, or two rules hit the same cells. Look at the kind on top of the "
        "section, and at its rule."
    ),
    gates.REALISM: (
        "Changed rows differ from unchanged ones in something that can be filtered: a format, a position, a stamp. "
        "`silt noise explain` shows the rows."
    ),
    gates.TABLES: (
        "The declaration says of a column what the table does not keep: a type, a range, a reference, a unique key. The "
        "expectation on top of the section names it."
    ),
    gates.RATES: (
        "A rule reaches fewer or more cells than its rate says, mostly because an earlier rule took them. "
        "`silt noise explain` counts them."
    ),
}
"""Name of a gate -> the likely cause of a failure, and where to look."""

_NAMED = (
    "A record leads to its company by something that is published as it is. Declare the role of the column that the attack "
    "knows, or coarser categories."
)

_NO_KEY = "Another key is no answer: whoever tries some gets past a bound."

_OF_FAMILY: Mapping[str, str] = {
    limits.CODES: "A published code follows from the original one. Publish the code of the identity map.",
    limits.EXACT: (
        "Figures stand as they are in the originals. Declare the measure's true precision (`decimals`, unit or "
        "`significant_digits`), or its low digits cannot move."
    ),
    limits.COPIES: (
        "A published column is a raw one. Render the anonymised column in its place, or leave it out. Where a company alone "
        "has a figure, leave out the measure."
    ),
    limits.LINKAGE: _NAMED,
    limits.REGISTER: _NAMED,
    limits.NAMES: "An invented name says something of the real one. Publish names as the step `names` gives them.",
    limits.ORDER: (
        f"Rows stand in an order like one of the originals. Chance does this to about 1 table in {1 / FAMILY_WISE:,.0f}: then "
        "another key mends it. Move the key file away (`.silt/NAME.POLICY.key`, or leave out `--key-file`), and build "
        "again. If that is refused, too, the declaration orders the rows: sort the table where it is rendered by "
        '`.sort(truth.order.mac(pl.lit("table"), "key"))`.'
    ),
    limits.FILTERS: "Decoys differ from companies in the column that the attack knows. Render it for both in the same way.",
    limits.EVENTS: (
        "An event can be told by its day, its figures or their number. Declare its days and amounts as such, or coarser kinds "
        "of events."
    ),
    limits.PROSE: "A published text is an original's. Declare its column as `Role.TEXT`, or leave it out.",
    limits.ADAPTIVE: (
        "A group has so few companies that its statistics say much of each, or so few figures were guessed at that the bound "
        "is wide. Give more companies, declare larger groups, or leave out a measure. "
        f"`{TRIAL}` tries whether another `--budget` helps. {_NO_KEY}"
    ),
}
"""Family of attacks -> the likely cause, if one of them is over its limit, and what to do."""


def refused_by_attacks(of: Privacy) -> str:
    """Return how many attacks refused a build, and why; empty if none did."""
    said = f"{unkept_in_words(exceeded(of), len(of.attacks))}. {cause_of_attacks(of)}"
    return said if attacks_over(of) else ""


def cause_of_attacks(of: Privacy) -> str:
    """Return the likely causes of attacks that are over their limit, each once; with a number where a bound alone is."""
    if shown := would_show(of):
        return f"So few figures were guessed at that the bound is wide. {shown[0].upper()}{shown[1:]}. {_NO_KEY}"
    families = _families_over(of)
    causes = dict.fromkeys(cause for family, cause in _OF_FAMILY.items() if family in families)
    return " ".join(causes) or CAUSES[gates.ATTACKS]


def _families_over(of: Privacy) -> set[str]:
    return {attack.family for attack in of.attacks if limits.is_over(vars(attack))}


# --- the worst of each -------------------------------------------------------------------------------------------------


def _distance(ks: Ks) -> Worst | None:
    if not ks.tests:
        return None
    worst = min(ks.tests, key=lambda test: (test.p_value, -test.statistic))
    if worst.p_value > ks.alpha:
        return _counted("Comparisons in which figures were lost or gained", ks.unequal_sizes)
    critical = critical_distance(worst.n, worst.n_anonymised, ks.alpha)
    # The year stands between two names that together might be a company's.
    where = f"{worst.measure}, {worst.year}, {group_name(worst.group)}"
    said = f"distance D {number(worst.statistic)}, significant from {number(critical)}"
    return Worst(what=where, value=worst.statistic, limit=critical, said=said)


def _offset(of: Consistency) -> Worst | None:
    if beyond := [entry for entry in of.aggregates if entry.outside and entry.max_offset is not None]:
        worst = max(beyond, key=lambda entry: abs(entry.max_offset or 0) / (entry.bound or 1))
        offset, bound = abs(worst.max_offset or 0), worst.bound or 0.0
        where = f"{worst.table}, {worst.statistic}, {worst.measure}: {cell_of(worst.worst_cell)}"
        said = f"off by {exact_percent(offset)}, at most {exact_percent(bound)}"
        return Worst(what=where, value=offset, limit=bound, said=said)
    apart = {entry.total: entry.disagreeing for entry in of.totals} | {each.what: each.disagreeing for each in of.chain}
    apart |= {entry.identity: entry.only_published for entry in of.broken}
    name = max(apart, key=lambda name: apart[name], default="")
    return _counted(f"Cells that disagree: {name}", apart.get(name, 0))


def _unlike(of: Consistency) -> Worst | None:
    differing, tested = statistics(of, is_judged=True)
    most = may_differ(tested)
    said = f"{differing:,} of {tested:,} that are judged, at most {most:,}: those of {differing_measures(of)}"
    return Worst(what="Statistics with another distribution", value=differing, limit=most, said=said)


def _attack(over: AttackCounts) -> Worst:
    most = over.highest_kept or 0.0
    # Of two limits, of the rate and of its bound, one tick says too little.
    has_scale = most > 0 and limits.BOUND not in over.limit
    return Worst(
        what=asked_in_words(over), value=over.rate, limit=most, said=excess_in_words(over), has_scale=has_scale
    )


def _filter(of: Noise) -> Worst | None:
    over = [(tried.rate, tried.limit or 0.0, tried) for tried in of.filters if not tried.passed]
    if not over:
        return None
    rate, limit, worst = max(over, key=lambda each: each[0] - each[1])
    said = f"{percent(rate)} of rows sorted rightly, at most {percent(limit)}"
    return Worst(what=f"{worst.rule}, {worst.table}: {worst.attack}", value=rate, limit=limit, said=said)


def _mended(of: Noise) -> Worst | None:
    if of.cleaner is None:
        return None
    what = {"Recoverable changes that were missed": of.cleaner.missed, "Cells wrongly changed": of.cleaner.wrong}
    return _counted(*max(what.items(), key=lambda each: each[1]))


def _unmet(of: Expectations) -> Worst | None:
    if not of.failed:
        return None
    first = of.failed[0]
    where = ", ".join(part for part in (first.table, first.column, first.expectation) if part)
    return _counted(f"Expectations not met, the first: {where}", len(of.failed))


def _rate(of: Expectations) -> Worst | None:
    out = [rule for rule in of.rules if not rule.passed]
    if not out:
        return None
    worst = max(out, key=lambda rule: max(rule.low - rule.rate, rule.rate - rule.high))
    limit = worst.high if worst.rate > worst.high else worst.low
    said = f"changed {percent(worst.rate)}, specified between {percent(worst.low)} and {percent(worst.high)}"
    return Worst(what=f"{worst.rule}: {worst.table}, {worst.column}", value=worst.rate, limit=limit, said=said)


def _counted(what: str, count: int) -> Worst | None:
    """Return a count of what there may not be any of."""
    return Worst(what=what, value=count, limit=0, said=f"{count:,}; none may be", has_scale=False) if count else None


def _different(of: Distributions) -> Worst:
    judged = of.judged
    said = f"{judged.different:,} of {counted(judged.samples, 'comparison')}, at most {judged.allowed:,}"
    return Worst(what="Comparisons that show a difference", value=judged.different, limit=judged.allowed, said=said)


def _identifiers(of: Privacy) -> list[Worst]:
    return [_identifier(escape) for escape in sorted(of.escapes or (), key=lambda escape: -escape.rows)]


def _identifier(most: Escape) -> Worst:
    where, unit = (f"{most.file}, column {most.column}", "row") if most.column else (most.file, "line")
    hold = f"{counted(most.rows, unit)} {'holds' if most.rows == 1 else 'hold'} {with_article(most.kind)}"
    row = f" ({'' if most.rows == 1 else 'first '}{unit} {most.row:,})" if most.row else ""
    return Worst(what=where, value=most.rows, limit=0, said=f"{hold}{row}; none may", has_scale=False)


_WORST: Mapping[str, tuple[str, Callable[[Any], Worst | None]]] = {
    gates.DISTRIBUTIONS: ("ks", _distance),
    gates.EQUIVALENCE: ("distributions", _different),
    gates.AGREEMENT: ("consistency", _offset),
    gates.STATISTICS: ("consistency", _unlike),
    gates.MENDING: ("noise", _mended),
    gates.REALISM: ("noise", _filter),
    gates.TABLES: ("expectations", _unmet),
    gates.RATES: ("expectations", _rate),
}
"""Name of a gate -> the report that says what was found, and what finds the worst of it."""
