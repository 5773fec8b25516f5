"""The section on privacy: what an outsider finds, what escaped, and where the mechanism stands on its frontier.

Belongs here: words and order. `privacy.json` holds the figures, `privacy.html` tells them in full.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from validation.attacks.limits import LINKAGE, NOTHING_TO_TRY, TOLD_ONLY, in_words, is_over
from validation.attacks.records.linkage import AMONG_FIVE
from validation.report.charts.drawings import rate_bar
from validation.report.frame import fact_boxes
from validation.report.tables import Cell, Html, sortable
from validation.report.words import percent

SHOWN_ESCAPES = 20
"""Rows of the table of escapes; all stand in `privacy.json`."""

NO_ESCAPE = "None: no name, code or other identifier of the originals stands in any published file."

NOT_SEARCHED = "Not searched: another gate had refused the build, and there are no files to search."


def attacked(privacy: Mapping[str, Any]) -> str:
    """Return the section's HTML of what `privacy.json` holds."""
    return _BODY.substitute(
        summary=escape(privacy["summary"]),
        facts=fact_boxes(_facts(privacy)),
        attacks=sortable(_ATTACKS, map(_attack, privacy["attacks"]), name="attacks"),
        escapes=_escapes(privacy.get("escapes")) + exempted(privacy),
        picture=b64encode(_frontier()).decode(),
        subject=_subject(),
        point=_point(privacy),
    )


def exceeded(privacy: Mapping[str, Any]) -> int:
    """Return how many attacks found more than the policy allows."""
    return sum(map(is_over, privacy["attacks"]))


def limited(privacy: Mapping[str, Any]) -> int:
    """Return to how many of the attacks that were tried the policy sets a limit."""
    return sum(entry["limit"] != TOLD_ONLY and bool(entry["records"]) for entry in privacy["attacks"])


def highest_linkage(privacy: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the most successful attack that names the nearest company, if one was tried."""
    tried = [e for e in privacy["attacks"] if e["family"] == LINKAGE and e["attack"] != AMONG_FIVE and e["records"]]
    return max(tried, key=lambda entry: entry["rate"], default=None)


def _facts(privacy: Mapping[str, Any]) -> list[tuple[str, str]]:
    classes = privacy["quasi_identifiers"]
    return [
        ("policy", privacy["policy"]),
        ("attacks", f"{len(privacy['attacks']):,}"),
        ("with a limit", f"{limited(privacy):,}"),
        ("over their limit", f"{exceeded(privacy):,}"),
        ("escapes", f"{len(privacy['escapes']):,}" if "escapes" in privacy else "not searched"),
        *([("smallest class of a register", f"{classes['smallest']:,}")] if classes else []),
    ]


def _attack(entry: Mapping[str, Any]) -> Sequence[Cell]:
    detail = f"<small>{escape(entry['detail'])}</small>" if entry["detail"] else ""
    name = Html(f"<b>{escape(entry['attack'])}</b>{detail}", entry["attack"])
    is_told = entry["limit"] == TOLD_ONLY or entry["passed"] is None
    kept = Html(in_words(entry), kind="exceeded" if is_over(entry) else "told" if is_told else "kept")
    counts = (entry["records"], entry["successes"], _rate(entry))
    return entry["family"], name, entry["knowledge"], *counts, "" if is_told else entry["limit"], kept


def _rate(entry: Mapping[str, Any]) -> Html:
    if not entry["records"]:
        return Html(NOTHING_TO_TRY, -1.0)
    rate, upper, chance = entry["rate"], entry["upper_95"], entry["chance"]
    text = f"{percent(rate)}, at most {percent(upper)}, guessing {percent(chance)}"
    return Html(f"{text}{rate_bar(rate, upper=upper, chance=chance, label=text)}", float(rate), kind="rate")


def exempted(privacy: Mapping[str, Any]) -> str:
    """Return what was found and exempted, as HTML; nothing where no exemption is declared."""
    if "exemptions" not in privacy:
        return ""
    told = privacy["exemptions"]
    places = ", ".join(f"{count:,} of kind {escape(kind)}" for kind, count in told["places"].items())
    return (
        f"<p>Places exempted by the declaration, as ordinary words: {places}. Exemptions declared: {told['declared']:,}, of "
        f"which {told['unused']:,} excuse nothing here.</p>\n"
    )


def _escapes(escapes: Sequence[Mapping[str, Any]] | None) -> str:
    if escapes is None:
        return f"<p>{NOT_SEARCHED}</p>"
    if not escapes:
        return f"<p>{NO_ESCAPE}</p>"
    names = ("file", "row", "column", "kind", "rows")
    rows = [tuple(entry[name] for name in names) for entry in escapes[:SHOWN_ESCAPES]]
    told = f"<p>{len(escapes):,} found; the first {len(rows):,}, without what stands there:</p>\n"
    return told + sortable(names, rows, name="escapes")


@cache
def _frontier() -> bytes:
    return (files("validation") / "frontier.svg").read_bytes()


def _subject() -> str:
    """Return what the picture was made of, as HTML: its own title says it."""
    return _frontier().decode().partition("<title>")[2].partition("</title>")[0]


def _point(privacy: Mapping[str, Any]) -> str:
    worst = highest_linkage(privacy)
    if worst is None:
        return "No attack looked for the nearest company in this release, so it has no point on the frontier."
    return (
        f"<b>This release</b> ({escape(privacy['policy'])}): at worst {percent(worst['rate'])} of records are named by whoever "
        f"knows {escape(worst['knowledge'])}."
    )


_ATTACKS = ("family", "attack", "who knows", "tried", "found", "rate", "limit", "kept?")

_BODY = Template("""<p class="lead">$summary</p>
$facts
<h3>Attacks</h3>
<p>Each was carried out on this release with the originals in hand. In a bar, the filled part is the share found, the
thin line runs on to its 95&nbsp;% upper bound, the tick across is what guessing would find. Promises and limits in
words: <a href="privacy.html">privacy.html</a>.</p>
$attacks<h3>Escapes</h3>
$escapes
<h3>The frontier</h3>
<figure class="broad"><img alt="What each mechanism protects and costs: owners named and figures told, against what is lost"
src="data:image/svg+xml;base64,$picture"/>
<figcaption>Each mechanism tried, at several strengths, on one sample (not on this release): $subject. The share of
records whose owner is named by attackers who know the mechanism, and the share of figures told to whoever has those of all
other companies, against what is lost. Recompute with <code>make frontier</code>. $point</figcaption></figure>
""")
