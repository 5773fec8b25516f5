"""`privacy.html`: what `privacy.json` says, for people. The sentence for everybody first, then verdict, promise and evidence.

Belongs here: the words of the page and their order. What is found and judged stands in the report, and the page says nothing
that the report does not; so it names a company as little as that does.
"""

import shlex
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from string import Template
from typing import Any

from anonymize.policy import GUARDED, LSD, POLICIES
from anonymize.synthesis import FEWEST_OF_CATEGORY
from validation.attacks.limits import (
    ADAPTIVE,
    CODES,
    COPIES,
    EVENTS,
    EXACT,
    FILTERS,
    LINKAGE,
    NAMES,
    NOTHING_TO_TRY,
    OPINION,
    ORDER,
    PROSE,
    REGISTER,
    TOLD_ONLY,
    in_words,
    is_over,
)
from validation.report.charts.drawings import rate_bar, share_bar
from validation.report.frame import document, fact_boxes
from validation.report.sections.attacked import exempted

SHOWN_ESCAPES = 50
"""Rows of the table of escapes; all stand in `privacy.json`."""

_LEAST_SHOWN = 0.0005
"""Rate from which a tenth of a per cent shows."""

FAMILIES: Mapping[str, tuple[str, str]] = {
    CODES: ("Undoing codes", "Counts published codes that lead back to their original without the key."),
    EXACT: ("Searching figures as they stand", "Counts published figures, or pairs, that lead to the right company."),
    COPIES: (
        "Comparing every column",
        (
            "Compares each published column with each raw one, whatever the declaration says, and each figure with its "
            "original. Counts the columns that are copies, and the measures that came out as they were."
        ),
    ),
    LINKAGE: (
        "Looking for the nearest company",
        "For each record, takes the company whose own figures come nearest. Counts the records for which that is right.",
    ),
    REGISTER: (
        "Looking companies up in a register",
        "Counts the records that agree with one company alone, the right one, in what a register says.",
    ),
    NAMES: ("Reading invented names", "Counts the companies whose invented name is likest to their own."),
    ORDER: (
        "Reading the order of rows",
        "Compares the order of rows with that of each column of the originals. Counts the columns that it follows.",
    ),
    FILTERS: (
        "Filtering decoys out",
        "Tries every single-column filter on one half of the rows. Counts the rows of the other half that it sorts rightly.",
    ),
    EVENTS: (
        "Looking events up",
        "Compares cells with the same event's in the originals, and looks for owners by figures, days and counts.",
    ),
    PROSE: (
        "Searching the originals' prose",
        "Looks for clauses and numbers of published texts in the originals'. Counts the texts whose company it finds.",
    ),
    ADAPTIVE: (
        "Attackers who know the code",
        (
            "They have the originals and this code, make releases under keys of their own, and learn from them. Counts the "
            "records whose owner they name; of what is learnt, how much more a release with the company tells than one without."
        ),
    ),
    OPINION: ("An independent opinion", "The same question, asked of the published method Anonymeter."),
}
"""Family of attacks -> its heading, and what is counted."""

_KEPT_BY_ALL = (
    "Names and codes are replaced under a secret key; an invented name tells the industry and nothing else. Rows stand in an "
    "order that says nothing. Day and month of dates and the low digits of figures are drawn anew."
)


PROMISES: Mapping[str, tuple[str, str]] = {
    LSD.name: (
        _KEPT_BY_ALL,
        (
            "The leading digits of figures are real, short figures to the last digit, and so are industry, place, ownership, "
            "exchange and years: whoever has the annual reports or a register can tell most companies. Statistics of cells "
            "with one or two companies are published. Attacks on what is not promised are told below, and refuse nothing."
        ),
    ),
    GUARDED.name: (
        (
            f"{_KEPT_BY_ALL} Records are sampled, not masked: figures, years, gaps, places and categories are drawn from "
            "statistics of each industry, and no record has an owner whose figures it resembles. Whoever has the originals and "
            "the code names owners as often as guessing does. Categories that fewer than "
            f"{FEWEST_OF_CATEGORY} companies have are left out, and every text about a company is written anew."
        ),
        (
            "That nobody learns what an industry is like: its statistics are what the release is for. That nobody learns "
            "whether a company is among the originals: whoever has the figures of all others tells it where an industry is "
            "small, and how many companies an industry has is published. Policies keep their sentences."
        ),
    ),
}
"""Policy -> what it promises and what it does not, in plain words."""


def privacy_page(report: Mapping[str, Any], *, environment: str, title: str) -> bytes:
    """Return `privacy.html`, self-contained and without network.

    Args:
        report: what `privacy.json` holds: what `privacy.privacy_report` returns, and `escapes`.
        environment: what names the environment in the command that repeats the attacks.
        title: the environment's title.
    """
    policy = POLICIES[report["policy"]]
    promised, not_promised = PROMISES[policy.name]
    body = _BODY.substitute(
        title=escape(title),
        summary=escape(report["summary"]),
        verdict="passed" if report["passed"] else "failed",
        sentence=escape(_verdict(report)),
        facts=fact_boxes(_facts(report)),
        policy=escape(policy.name),
        promised=escape(promised),
        not_promised=escape(not_promised),
        families="".join(_family(name, list(of)) for name, of in groupby(report["attacks"], lambda e: e["family"])),
        register=_register(report),
        prose=_prose(report.get("prose")),
        escapes=_escapes(report["escapes"]) + exempted(report),
        environment=escape(shlex.quote(environment)),
    )
    return document(title=f"Privacy: {title}", body=body)


def _verdict(report: Mapping[str, Any]) -> str:
    attacks, escapes = report["attacks"], len(report["escapes"])
    over, tried = sum(map(is_over, attacks)), [entry for entry in attacks if entry["records"]]
    if not over and not escapes:
        limited = sum(not _is_told_only(entry) for entry in tried)
        untried = f", {len(attacks) - len(tried)} had nothing to try" if len(tried) < len(attacks) else ""
        return (
            f"{len(tried)} attacks were tried{untried}. The policy sets a limit to {limited} of them, and each stayed within "
            "it; the others are told. Nothing that identifies a company was found in any file."
        )
    return (
        f"{over} of {len(attacks)} attacks found more than the policy allows, and {escapes} places hold something that "
        "identifies a company. Such a build is not published."
    )


def _facts(report: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    attacks, classes = report["attacks"], report["quasi_identifiers"]
    return (
        ("policy", report["policy"]),
        ("attacks", f"{len(attacks):,}"),
        ("over their limit", f"{sum(map(is_over, attacks)):,}"),
        ("escapes", f"{len(report['escapes']):,}"),
        *([("smallest class", f"{classes['smallest']:,}")] if classes else []),
    )


def _family(name: str, entries: Sequence[Mapping[str, Any]]) -> str:
    heading, counted = FAMILIES[name]
    return (
        f"<h3>{escape(heading)}</h3>\n<p>{escape(counted)}</p>\n"
        '<table class="cards attacks">\n<thead><tr><th scope="col">attack</th><th scope="col">who knows</th>'
        '<th scope="col" class="n">tried</th><th scope="col" class="n">found</th><th scope="col">rate</th>'
        '<th scope="col">limit</th><th scope="col">kept?</th></tr></thead>\n'
        f"<tbody>\n{''.join(map(_attack, entries))}</tbody>\n</table>\n"
    )


def _attack(entry: Mapping[str, Any]) -> str:
    detail = f"<small>{escape(entry['detail'])}</small>" if entry["detail"] else ""
    limit = "none" if _is_told_only(entry) else entry["limit"]
    return (
        f"<tr><td><b>{escape(entry['attack'])}</b>{detail}</td>"
        f'<td data-label="who knows">{escape(entry["knowledge"])}</td>'
        f'<td class="n" data-label="tried">{entry["records"]:,}</td>'
        f'<td class="n" data-label="found">{entry["successes"]:,}</td>'
        f'<td class="rate">{_rate(entry)}</td>'
        f'<td data-label="limit">{escape(limit)}</td>{_is_kept(entry)}</tr>\n'
    )


def _rate(entry: Mapping[str, Any]) -> str:
    if not entry["records"]:
        return NOTHING_TO_TRY
    rate, upper, chance = entry["rate"], entry["upper_95"], entry["chance"]
    text = f"{_percent(rate)} (bound {_percent(upper)}, guessing {_percent(chance)})"
    return f"{text}{rate_bar(rate, upper=upper, chance=chance, label=text)}"


def _is_kept(entry: Mapping[str, Any]) -> str:
    kind = "exceeded" if is_over(entry) else "told" if _is_told_only(entry) or not entry["records"] else "kept"
    return f'<td class="{kind}">{in_words(entry)}</td>'


def _is_told_only(entry: Mapping[str, Any]) -> bool:
    return bool(entry["limit"] == TOLD_ONLY)


def _register(report: Mapping[str, Any]) -> str:
    classes = report["quasi_identifiers"]
    further = "".join(
        f"<p>Of the kind {escape(kind)}: {_classes(found)}</p>\n"
        for kind, found in report.get("further_kinds", {}).items()
    )
    if not classes:
        return f"<p>The environment declares nothing that a register would say of a company.</p>\n{further}"
    told = (
        "<p>A class is the companies that read the same in everything that a register says. "
        f"{_classes(classes)}</p>\n{further}"
    )
    if not report["given_up"]:
        return told + "<p>The policy publishes these columns as they are.</p>"
    return told + _GIVEN_UP.substitute(rows="".join(map(_given_up, report["given_up"])))


def _classes(found: Mapping[str, Any]) -> str:
    return (
        f"The smallest of the release has {found['smallest']:,}; {found['below']:,} of {found['records']:,} records "
        f"({_percent(found['share_below'])}) are in classes of fewer than {found['k']}, and {found['unique']:,} are alone in "
        "theirs."
    )


def _given_up(entry: Mapping[str, Any]) -> str:
    left = entry["share_left"]
    text = _percent(left)
    return (
        f"<tr><td><b>{escape(entry['column'])}</b></td>"
        f'<td class="n" data-label="filled before">{entry["filled"]:,}</td>'
        f'<td class="n" data-label="left blank">{entry["given_up"]:,}</td>'
        f'<td class="rate" data-label="left">{text}{share_bar(left, label=text)}</td></tr>\n'
    )


def _prose(prose: Mapping[str, Any] | None) -> str:
    """Return how companies are written in the originals' prose, by rule, and what was left."""
    if not prose or not prose["texts"]:
        return "<p>The originals have no prose.</p>"
    told = (
        f"<p>{prose['texts']:,} texts were read. {prose['naming_it']:,} of {prose['about_a_company']:,} texts about a company "
        f"name it; {prose['ordinary_names']:,} names are ordinary words, which count in full only.</p>\n"
    )
    warned = "".join(f"<p><b>Warning:</b> {escape(warning)}.</p>\n" for warning in prose["warnings"])
    rows = "".join(
        f'<tr><td>{escape(rule)}</td><td class="n">{prose["replaced"].get(rule, 0):,}</td>'
        f'<td class="n">{prose["left_as_doubtful"].get(rule, 0):,}</td></tr>\n'
        for rule in sorted({*prose["replaced"], *prose["left_as_doubtful"]})
    )
    return (
        f'{told}{warned}<div class="wide"><table>\n<thead><tr><th scope="col">written as</th><th scope="col" class="n">replaced'
        f'</th><th scope="col" class="n">left as doubtful</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>'
    )


def _escapes(escapes: Sequence[Mapping[str, Any]]) -> str:
    if not escapes:
        return "<p>0 found: no name, code or other identifier of the originals stands in any published file.</p>"
    rows = "".join(
        f"<tr><td>{escape(e['file'])}</td><td>{e['row']:,}</td><td>{escape(e['column'])}</td><td>{escape(e['kind'])}</td>"
        f"<td>{e['rows']:,}</td></tr>\n"
        for e in escapes[:SHOWN_ESCAPES]
    )
    return (
        f"<p>{len(escapes):,} found; the first {min(len(escapes), SHOWN_ESCAPES):,}, without what stands there:</p>\n"
        '<div class="wide"><table>\n<thead><tr><th scope="col">file</th><th scope="col">row</th>'
        '<th scope="col">column</th><th scope="col">kind</th><th scope="col">rows</th></tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table></div>"
    )


def _percent(rate: float) -> str:
    """Return a rate so that only 0 reads as 0% and only 1 as 100%."""
    if rate in {0, 1}:
        return f"{rate:.0%}"
    return (
        f"{rate:.1%}"
        if _LEAST_SHOWN <= rate < 1 - _LEAST_SHOWN
        else "under 0.1%"
        if rate < _LEAST_SHOWN
        else "over 99.9%"
    )


_GIVEN_UP = Template("""<table class="cards">
<thead><tr><th scope="col">column</th><th scope="col" class="n">filled before</th><th scope="col" class="n">left blank</th>
<th scope="col">left</th></tr></thead>
<tbody>
$rows</tbody>
</table>""")

_BODY = Template("""<h1>What could an outsider find out from this release? $title</h1>
<p class="lead">$summary</p>
<p class="verdict $verdict"><b>$verdict</b> <span>$sentence</span></p>
$facts
<h2>What the policy &ldquo;$policy&rdquo; promises</h2>
<p><b>Promised.</b> $promised</p>
<p><b>Not promised.</b> $not_promised</p>
<h2>Attacks</h2>
<p>Each attack was carried out on this release with the originals in hand, and its successes counted. In a bar, the filled
part is the share found, the thin line runs on to the 95&nbsp;% upper bound of that share (Clopper and Pearson 1934), and
the tick across is what guessing would find. A limit is set to the share and to its bound, or to what guessing finds.</p>
$families<h2>What a register says</h2>
$register
<h2>Prose</h2>
$prose
<h2>Escapes</h2>
$escapes
<h2>How to check this</h2>
<p>All of this stands in <code>privacy.json</code>. Whoever has the originals and the key repeats every attack on the published
files with <code>silt audit --environment $environment</code>.</p>
""")
