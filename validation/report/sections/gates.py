"""The top of the page: one sentence, a row for each gate, and what each of three readers should look at first.

Belongs here: the words of verdicts. Every verdict was reached by a report; a page passes if all that it tells passed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from string import Template
from typing import Any

from anonymize.policy import POLICIES
from validation.attacks.records.unchanged import UNCHANGED
from validation.report.frame import number
from validation.report.sections.agreement import cells_of, outside
from validation.report.sections.attacked import exceeded, highest_linkage, limited
from validation.report.sections.noise import changes_of
from validation.report.sections.recovery import easiest
from validation.report.sections.release import Release
from validation.report.words import NOTHING, command, percent, verdict

NO_FIGURES = "No figures are declared, so there is nothing to compare."

Reports = Mapping[str, Mapping[str, Any]]
"""Name of a report -> what its JSON holds."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """One thing that had to hold."""

    asks: str
    anchor: str
    is_passed: bool
    figure: str
    command: str
    is_blocking: bool = True
    """Whether a failure stops publishing; of others a person is told."""
    compared: int = 1
    """How much was looked at; where that is nothing, nothing was found, and nothing shown."""

    @property
    def is_empty(self) -> bool:
        """Say whether it holds because there is nothing of what it asks about."""
        return self.is_passed and not self.compared


def top(reports: Reports, release: Release) -> str:
    """Return the HTML that stands before all sections."""
    gates = gates_of(reports, release)
    failed = [gate for gate in gates if not gate.is_passed and gate.is_blocking]
    doubtful = [gate for gate in gates if not gate.is_passed and not gate.is_blocking]
    word = verdict(not failed)
    return _BODY.substitute(
        title=escape(release.title),
        variant=escape(release.variant),
        verdict=word,
        sentence=escape(_sentence(gates, failed, doubtful)),
        demonstration=_DEMONSTRATION if release.is_demonstration else "",
        rows="".join(map(_row, gates)),
        readers="".join(
            f"<li><b>{who}</b>: {escape(what)} {_links(anchors)}</li>\n"
            for who, what, anchors in _readers(reports, release)
        ),
    )


def gates_of(reports: Reports, release: Release) -> Sequence[Gate]:
    """Return the gates that the reports of this build tell of, in the order of the page."""
    makers = {
        "ks": _distances,
        "distributions": _shapes,
        "consistency": _agreement,
        "privacy": _privacy,
        "noise": _noise,
        "expectations": _expectations,
    }
    told = [gate for name, made in makers.items() if name in reports for gate in made(reports[name], release)]
    return told if release.has_figures else [_without_figures(release), *told]


def _without_figures(release: Release) -> Gate:
    return Gate(
        asks="Do figures have the distribution of the originals?",
        anchor="ks",
        is_passed=True,
        figure=NO_FIGURES,
        command=_build(release),
        compared=0,
    )


def _distances(ks: Mapping[str, Any], release: Release) -> Iterator[Gate]:
    yield Gate(
        asks="Do figures have the distribution of the originals?",
        anchor="ks",
        is_passed=ks["passed"],
        figure=f"{ks['rejected']:,} of {len(ks['tests']):,} KS tests rejected; largest D {number(ks['largest_statistic'])}",
        command=_build(release),
        compared=len(ks["tests"]),
    )


def _shapes(distributions: Mapping[str, Any], release: Release) -> Iterator[Gate]:
    judged = distributions.get("judged", distributions["summary"])
    allowed = f" ({judged['allowed']:,} allowed)" if "allowed" in judged else ""
    is_sampled = POLICIES[release.manifest["policy"]].samples_records
    yield Gate(
        asks=(
            "Do most industries keep their distributions, in what KS cannot see?"
            if is_sampled
            else "Are they equivalent in what KS cannot see?"
        ),
        anchor="beyond-ks",
        is_passed=distributions["passed"],
        figure=(
            f"{judged['equivalent']:,} of {judged['samples']:,} samples shown to be equivalent; {judged['different']:,} shown "
            f"to differ{allowed}"
        ),
        command=_build(release),
        # Sampled figures are other companies': how many samples are large enough to be shown equivalent is not promised.
        is_blocking=not is_sampled,
        compared=judged["samples"],
    )


def _agreement(consistency: Mapping[str, Any], release: Release) -> Iterator[Gate]:
    yield Gate(
        asks="Do aggregates, totals and identities agree?",
        anchor="consistency",
        is_passed=consistency["passed"],
        figure=(
            f"{cells_of(consistency):,} cells of aggregates, {outside(consistency):,} outside their bound; "
            f"{_compared(consistency):,} totals and links between tables, {_disagreeing(consistency):,} disagreeing"
        ),
        command=_build(release),
        compared=cells_of(consistency) + _compared(consistency) + len(consistency["identities"]),
    )


def _compared(consistency: Mapping[str, Any]) -> int:
    return len(consistency.get("totals", ())) + len(consistency.get("chain", ()))


def _disagreeing(consistency: Mapping[str, Any]) -> int:
    """Return how many cells of totals, and of tables that are recounted from others, disagree."""
    return sum(entry["disagreeing"] for name in ("totals", "chain") for entry in consistency.get(name, ()))


def _privacy(privacy: Mapping[str, Any], release: Release) -> Iterator[Gate]:
    attacks, over = len(privacy["attacks"]), exceeded(privacy)
    audit = release.command(f"audit {release.variant}")
    yield Gate(
        asks="Does an outsider find no more than the policy allows?",
        anchor="privacy",
        is_passed=not over,
        figure=f"{attacks:,} attacks, {limited(privacy):,} with a limit, {over:,} over it",
        command=audit,
    )
    if "escapes" in privacy:
        yield Gate(
            asks="Does nothing that identifies a company stand in a file?",
            anchor="privacy",
            is_passed=not privacy["escapes"],
            figure=_escaped(privacy["escapes"]),
            command=audit,
        )


def _escaped(escapes: Sequence[Mapping[str, Any]]) -> str:
    told = f"{len(escapes):,} escapes"
    return f"{told}, in {sum(entry['rows'] for entry in escapes):,} rows" if escapes else told


def _noise(noise: Mapping[str, Any], release: Release) -> Iterator[Gate]:
    if cleaner := noise.get("cleaner"):
        mended = f"{cleaner['mended']:,} of {cleaner['recoverable']:,} recoverable changes"
        yield Gate(
            asks="Can what is recoverable be mended, and nothing else breaks?",
            anchor="noise",
            is_passed=cleaner["passed"],
            compared=cleaner["recoverable"] + cleaner["wrong"],
            figure=f"{mended} mended, {cleaner['wrong']:,} cells wrongly changed",
            command=_build(release),
            is_blocking=noise["is_blocking"],
        )
    if held := [entry for entry in noise.get("filters", ()) if entry["limit"] is not None]:
        told_apart = sum(not entry["passed"] for entry in held)
        yield Gate(
            asks="Is noise that claims realism not told apart?",
            anchor="noise",
            is_passed=not told_apart,
            figure=f"{len(held):,} attempts on kinds that claim it, {told_apart:,} found more than they may",
            command=_build(release),
            is_blocking=noise["is_blocking"],
        )


def _expectations(expectations: Mapping[str, Any], release: Release) -> Iterator[Gate]:
    yield Gate(
        asks="Does every published table meet its suite?",
        anchor="expectations",
        is_passed=expectations["passed"],
        figure=f"{expectations['met']:,} of {expectations['expectations']:,} expectations met",
        command=_build(release),
        compared=expectations["expectations"],
    )
    if rules := expectations["rules"]:
        yield Gate(
            asks="Does noise keep the rates of its specification?",
            anchor="noise",
            is_passed=all(rule["passed"] for rule in rules),
            figure=f"{sum(rule['passed'] for rule in rules):,} of {len(rules):,} rates within their bounds",
            command=_build(release),
        )


def _build(release: Release) -> str:
    return release.command(f"build {release.variant}", is_build=True)


def _sentence(gates: Sequence[Gate], failed: Sequence[Gate], doubtful: Sequence[Gate]) -> str:
    if not gates:
        return "No report tells anything of this variant, so there is no evidence either way."
    look = f" A person should look at this: {_questions(doubtful)}" if doubtful else ""
    if failed:
        return f"{len(failed)} of {len(gates)} gates do not hold: {_questions(failed)}{look}"
    empty = [gate for gate in gates if gate.is_empty]
    nothing = f" {len(empty)} had nothing to compare, which shows nothing: {_questions(empty)}" if empty else ""
    if doubtful:
        return f"Nothing that stops publishing was found.{look}{nothing}"
    held = (
        f"{len(gates) - len(empty)} of {len(gates)} gates below hold"
        if empty
        else f"Each of the {len(gates)} gates below holds"
    )
    return f"{held}.{nothing}"


def _questions(gates: Sequence[Gate]) -> str:
    return " ".join(gate.asks for gate in gates)


def _row(gate: Gate) -> str:
    kind = "told" if gate.is_empty else "kept" if gate.is_passed else "exceeded"
    bad = "FAILED" if gate.is_blocking else "LOOK AT IT"
    word = NOTHING if gate.is_empty else "passed" if gate.is_passed else bad
    return (
        f'<tr><td><a href="#{gate.anchor}">{escape(gate.asks)}</a></td><td class="{kind}">{word}</td>'
        f"<td>{escape(gate.figure)}</td><td>{command(gate.command)}</td></tr>\n"
    )


def _readers(reports: Reports, release: Release) -> Iterator[tuple[str, str, Sequence[str]]]:
    yield "The curator, before publishing", _for_curator(reports, release), ("privacy", "consistency")
    yield "The evaluator, choosing it", _for_evaluator(reports, release), ("noise", "ladder", "ks")
    made = f"{len(release.manifest['files']):,} files stand with their digests"
    yield (
        "The auditor, trusting nobody",
        f"{made}; every figure names the command that makes it again.",
        ("provenance",),
    )


def _for_curator(reports: Reports, release: Release) -> str:
    if not release.has_figures and "privacy" in reports:
        return str(reports["privacy"]["summary"])
    worst = highest_linkage(reports["privacy"]) if "privacy" in reports else None
    if worst is None:
        return "nothing is known of what an outsider could find."
    return (
        f"under the policy {reports['privacy']['policy']} an outsider finds the right company for {percent(worst['rate'])} of "
        f"records at worst.{_as_they_were(reports['privacy'])}"
    )


def _as_they_were(privacy: Mapping[str, Any]) -> str:
    """Return how many measures are the originals, for the first lines; nothing where none is."""
    found = next((entry for entry in privacy["attacks"] if entry["attack"] == UNCHANGED and entry["successes"]), None)
    if found is None:
        return ""
    return (
        f" {found['successes']} of {found['records']} measures are the originals to the last digit. {found['detail']}"
    )


def _for_evaluator(reports: Reports, release: Release) -> str:
    noise = reports.get("noise", {})
    if not noise.get("rules"):
        return f"the {release.variant} variant has no noise: gold answers are computed here."
    told = f"noise made {changes_of(noise):,} changes"
    ladder = noise.get("ladder")
    return f"{told}; who mends nothing is right {easiest(ladder)}." if ladder else f"{told}."


def _links(anchors: Sequence[str]) -> str:
    return " ".join(f'<a href="#{anchor}">{anchor}</a>' for anchor in anchors)


_DEMONSTRATION = "<p>The release key is public and the originals are invented: a demonstration, not a secret.</p>\n"

_BODY = Template("""<h1>Can this environment be believed? $title, $variant</h1>
<p class="verdict $verdict"><b>$verdict</b> <span>$sentence</span></p>
$demonstration<div class="wide"><table class="gates cards">
<thead><tr><th scope="col">gate</th><th scope="col">verdict</th><th scope="col">figure</th>
<th scope="col">recomputed by</th></tr></thead>
<tbody>
$rows</tbody>
</table></div>
<h2>Where to look first</h2>
<ul>
$readers</ul>
""")
