"""`noise.html`: what `noise.json` says, for people. One sentence first, then what each kind did and what of it can be mended.

Belongs here: the words of the page and their order. What noise did, what the reference cleaner took back and whether that is
enough stands in the report; the page says nothing that the report and the registry of kinds do not.
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from string import Template
from typing import Any

from pipeline.noise.documents.document import summary
from pipeline.noise.kinds import KINDS
from validation.report.charts.drawings import share_bar
from validation.report.frame import document, fact_boxes

_LEAST_SHOWN = 0.0005
"""Share from which a tenth of a per cent shows."""


def noise_page(report: Mapping[str, Any], *, environment: str, title: str) -> bytes:
    """Return `noise.html`, self-contained and without network.

    Args:
        report: what `noise.json` holds: `rules`, `filters`, and `cleaner` (None where the environment has no cleaning plan).
        environment: what names the environment in the command that shows the kinds.
        title: the environment's title.
    """
    cleaner = report["cleaner"]
    body = _BODY.substitute(
        title=escape(title),
        lead=escape(_lead(report)),
        verdict=_verdict(cleaner) if cleaner else "",
        facts=fact_boxes(_facts(report)),
        kinds=_kinds(cleaner["kinds"]) if cleaner else "",
        aggregates=_aggregates(cleaner) if cleaner else "",
        rules="".join(_rule(name, list(of), report["filters"]) for name, of in groupby(report["rules"], _name)),
        environment=escape(shlex.quote(environment)),
    )
    return document(title=f"Noise: {title}", body=body)


# --- the sentence and the verdict --------------------------------------------------------------------------------------


def _lead(report: Mapping[str, Any]) -> str:
    cleaner = report["cleaner"]
    if not _total(report):
        return "No noise: the tables stand as they were rendered."
    if cleaner is None:
        return f"Noise made {_total(report):,} changes. No cleaning plan says what of them could be found out again."
    broken = f"breaks {cleaner['wrong']:,} other cells" if cleaner["wrong"] else "breaks nothing else"
    return (
        f"Noise made {cleaner['changes']:,} changes. The environment alone tells the truth of {cleaner['recoverable']:,} of "
        f"them, and a cleaner that sees nothing else takes back {cleaner['mended']:,} ({_percent(cleaner['share'])}) "
        f"and {broken}; the other {cleaner['unrecoverable']:,} are lost."
    )


def _verdict(cleaner: Mapping[str, Any]) -> str:
    if cleaner["passed"]:
        word, sentence = (
            "passed",
            (
                "What can be found out can be mended, and the mended tables give the aggregates of the clean ones wherever "
                "no lost truth enters: the environment is hard, not broken."
            ),
        )
    else:
        exact = "" if cleaner["aggregates_are_exact"] else " The mended tables do not give the clean aggregates."
        word, sentence = (
            "failed",
            f"{cleaner['missed']:,} recoverable changes were missed, {cleaner['wrong']:,} cells wrongly changed.{exact}",
        )
    return f'<p class="verdict {word}"><b>{word}</b> <span>{escape(sentence)}</span></p>'


def _facts(report: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    cleaner = report["cleaner"]
    rules = (("rules", f"{len({entry['rule'] for entry in report['rules']}):,}"),)
    if cleaner is None:
        return (*rules, ("changes", f"{_total(report):,}"))
    names = ("changes", "recoverable", "mended", "missed", "unrecoverable", "wrong")
    labels = {"unrecoverable": "lost", "wrong": "wrongly changed"}
    return (*rules, *((labels.get(name, name), f"{cleaner[name]:,}") for name in names))


def _total(report: Mapping[str, Any]) -> int:
    return sum(entry["cells"] for entry in report["rules"])


# --- kinds -------------------------------------------------------------------------------------------------------------

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


def _kinds(entries: Sequence[Mapping[str, Any]]) -> str:
    heads = "".join(f'<th scope="col" class="n">{label}</th>' for label in _COUNTS.values())
    return _KINDS.substitute(heads=heads, rows="".join(map(_kind, entries)))


def _kind(entry: Mapping[str, Any]) -> str:
    cells = "".join(f'<td class="n" data-label="{label}">{entry[name]:,}</td>' for name, label in _COUNTS.items())
    kind = KINDS[entry["kind"]]
    return (
        f"<tr><td><b>{escape(entry['kind'])}</b> ({escape(entry['family'])})<small>{_prose(summary(kind))}</small>"
        f"<small>Recoverable? {_prose(kind.recovery)}</small>{_mended_share(entry)}</td>{cells}</tr>\n"
    )


def _mended_share(entry: Mapping[str, Any]) -> str:
    if not entry["recoverable"]:
        return ""
    share = entry["mended"] / entry["recoverable"]
    text = f"{_percent(share)} of what is recoverable is mended"
    return f'<div class="rate">{text}{share_bar(share, label=text)}</div>'


def _aggregates(cleaner: Mapping[str, Any]) -> str:
    published = cleaner["published_aggregates"]
    return _AGGREGATES.substitute(
        mended=f"{published['mended']:,}",
        recoverable=f"{published['recoverable']:,}",
        rows="".join(map(_recomputed, cleaner["recomputed_aggregates"])),
    )


def _recomputed(entry: Mapping[str, Any]) -> str:
    verdict = "differs" if entry["unexplained"] else "alike"
    word = "DIFFERS" if entry["unexplained"] else "exact"
    cells = "".join(f'<td class="n" data-label="{label}">{entry[name]:,}</td>' for name, label in _CELLS.items())
    return f'<tr><td><b>{escape(entry["table"])}</b></td>{cells}<td class="{verdict}">{word}</td></tr>\n'


_CELLS = {
    "cells": "cells",
    "touched": "touched by lost truth",
    "differing": "differing",
    "unexplained": "differing without that reason",
}


# --- rules -------------------------------------------------------------------------------------------------------------


def _name(entry: Mapping[str, Any]) -> str:
    return str(entry["rule"])


def _rule(name: str, entries: Sequence[Mapping[str, Any]], filters: Iterable[Mapping[str, Any]]) -> str:
    told = [each for each in filters if each["rule"] == name]
    rows = "".join(_place(entry, [each for each in told if each["table"] == entry["table"]]) for entry in entries)
    return (
        f"<h3>{escape(name)}</h3>\n<p><code>{escape(entries[0]['kind'])}</code></p>\n"
        '<table class="cards">\n<thead><tr><th scope="col">where</th><th scope="col" class="n">changed</th>'
        '<th scope="col">rate</th><th scope="col">recoverable</th><th scope="col">told apart?</th></tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table>\n"
    )


def _place(entry: Mapping[str, Any], told: Sequence[Mapping[str, Any]]) -> str:
    column = f"<small>{escape(entry['column'])}</small>" if entry["column"] else "<small>rows, or the file</small>"
    rate = _percent(entry["rate"])
    recoverable = "" if entry["recoverable"] is None else "yes" if entry["recoverable"] else "not all"
    return (
        f"<tr><td><b>{escape(entry['table'])}</b>{column}</td>"
        f'<td class="n" data-label="changed">{entry["cells"]:,}</td>'
        f'<td class="rate" data-label="rate">{rate}{share_bar(min(entry["rate"], 1.0), label=rate)}</td>'
        f'<td data-label="recoverable">{recoverable}</td>{_attempts(told)}</tr>\n'
    )


def _attempts(told: Sequence[Mapping[str, Any]]) -> str:
    """Return what each way of telling changed rows from unchanged ones came to."""
    tried = "".join(map(_attempt, (each for each in told if each["records"])))
    return f'<td data-label="told apart?">{tried or "not tried"}</td>'


def _attempt(told: Mapping[str, Any]) -> str:
    text = f"{told['attack']}: {_percent(told['rate'])} of {told['records']:,} rows sorted rightly"
    if told["limit"] is not None:
        text += f", where a kind that claims realism may be sorted to {_percent(told['limit'])}"
    if not told["passed"]:
        return f'<div class="exceeded">OVER ITS LIMIT. {escape(text)}<small>{escape(told["detail"])}</small></div>'
    if told["told_apart"]:
        return f'<div class="kept">Told apart. {escape(text)}<small>{escape(told["detail"])}</small></div>'
    return f'<div class="kept">No better than guessing. {escape(text)}</div>'


def _prose(text: str) -> str:
    """Return text with what stands between backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _percent(share: float) -> str:
    """Return a share so that only 0 reads as 0% and only 1 as 100%."""
    if share in {0, 1}:
        return f"{share:.0%}"
    if share < _LEAST_SHOWN:
        return "under 0.1%"
    return f"{share:.1%}" if share < 1 - _LEAST_SHOWN else "over 99.9%"


_KINDS = Template("""<h2>What each kind did, and what was mended</h2>
<p>A change is one cell, one row, one column or one file. It counts under each kind that had a hand in it, and as recoverable
only if all that was done to it is. The reference cleaner reads the noisy tables, the environment's public declaration and a
list of what to suspect; never the ledger. <em>Missed</em> is recoverable and was not taken back; <em>wrongly changed</em>
is what noise had left alone.</p>
<table class="cards">
<thead><tr><th scope="col">kind</th>$heads</tr></thead>
<tbody>
$rows</tbody>
</table>
""")

_AGGREGATES = Template("""<h2>Aggregates after cleaning</h2>
<p>Of $recoverable recoverable changes in the published tables of aggregates, $mended are mended. Below, the aggregates are
computed anew from the mended figures of the firms, and compared with those of the clean figures, cell for cell. A cell into
which a figure enters that nobody can recover may differ; no other may.</p>
<table class="cards">
<thead><tr><th scope="col">aggregate</th><th scope="col" class="n">cells</th>
<th scope="col" class="n">touched by lost truth</th><th scope="col" class="n">differing</th>
<th scope="col" class="n">differing without that reason</th><th scope="col">verdict</th></tr></thead>
<tbody>
$rows</tbody>
</table>
""")

_BODY = Template("""<h1>What did noise change, and what can be mended? $title</h1>
<p class="lead">$lead</p>
$verdict
$facts
$kinds$aggregates<h2>Rules</h2>
<p>What each rule of the specification changed, and its share of what it could have changed; then whether changed rows can be
told from unchanged ones: by one test of one column, and by a small classifier that looks at position, metadata and formatting
(never at words). Guessing sorts half of them rightly. Most noise may be seen, if one knows where to look; kinds that claim
realism are held to a limit.</p>
$rules<h2>How to check this</h2>
<p>All of this stands in <code>noise.json</code>; the curator's <code>noise_ledger.parquet</code> holds every change. Build
again with <code>silt build --environment $environment</code> and the settings of the build, which stand in
<code>report.html</code>.</p>
""")
