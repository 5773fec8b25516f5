"""Puts the pages together: `report.html` of all sections, and pages of one section each.

Belongs here: which sections there are, their order, and what stands where a build made no such report.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from pipeline.publish.manifest import treatments_in
from validation.profile.rows import ShownRows
from validation.report.charts.frontier import frontier_chart
from validation.report.data import data_section
from validation.report.data.links import Links
from validation.report.documents import Reports
from validation.report.documents.consistency import Consistency
from validation.report.documents.distributions import Distributions, Ks
from validation.report.documents.noise import Expectations, Noise
from validation.report.documents.privacy import Privacy
from validation.report.documents.profile import Profile
from validation.report.head.gates import uncompared
from validation.report.head.top import FOR_CURATOR, is_curators, top
from validation.report.head.verdicts import NOISE_IS_HIDDEN
from validation.report.html import SHAPES, Section, render
from validation.report.labels import Labels
from validation.report.sections.agreement import agreement
from validation.report.sections.attacked import ON_THE_FRONTIER, attacked, most_named
from validation.report.sections.beyond_ks import beyond_ks
from validation.report.sections.distances import distances, drawn_of
from validation.report.sections.met import met
from validation.report.sections.noise import noise_section
from validation.report.sections.recovery import recovery
from validation.report.sections.release import ReportedVariant, provenance
from validation.report.sections.samples import samples_of

_KS, _CONSISTENCY = "Distributions: KS tests", "Consistency across domains"
_PRIVACY, _NOISE = "Privacy", "Noise and its recovery"
_BEFORE_NOISE = "before noise"
"""What a page is about that every variant has."""
_NO_NOISE = "Without noise there is nothing to mend."
_NO_LADDER = "This build tells of no ladder."
_ENGLISH = Labels()


def report_page(
    reports: Reports,
    release: ReportedVariant,
    *,
    bodies: Mapping[str, Markup],
    labels: Labels = _ENGLISH,
    rows: Mapping[str, ShownRows] | None = None,
) -> bytes:
    """Return `report.html` of one variant, complete but for rows of tables, which lie beside it, and without network.

    Args:
        reports: what the build found; a report that is absent leaves a sentence in its place.
        bodies: the bodies of sections that are made already, by their reports (`about_truth`).
        rows: rows of tables that can be looked into, by the table's name.
    """
    sections = list(
        _sections(reports, release, bodies, lambda found: _data(found, reports, release, labels, rows or {}))
    )
    title = f"Evidence: {release.title}, {release.variant}"
    page = render("report.html", title=title, top=top(reports, release), sections=sections)
    return labels.marked(page).encode()


def as_released(page: bytes) -> bytes:
    """Return a page of a build as a release has it: what its makers do, and where only they can look, is not a reader's."""
    for of_makers, of_readers in _OF_READERS:
        page = of_makers.sub(of_readers, page, count=1)
    return page


_OF_RELEASE = (
    b'<p class="how">This page is part of a release: its <code>../../README.md</code> says which one it is and of when, and '
    b"how to load, verify and cite it.</p>"
)
_HELD_BY_MAKERS = b"The makers hold a comparison with the originals, which is not published: its answers may be others."
_VERIFIED = (
    b"<h3>Verify it, and make it again</h3>\n<ul>\n"
    b"<li><code>silt verify</code> checks the release. It takes no originals, no release key and no network; "
    b"<code>../../README.md</code> has the command.</li>\n"
    b"<li><code>silt rebuild</code> builds it again and compares every byte, for whoever has the originals and the key: see "
    b"&ldquo;Building again&rdquo; in Silt's <code>docs/releases.md</code>.</li>\n"
)
_OF_READERS = tuple(
    (re.compile(of_makers, re.DOTALL), of_readers)
    for of_makers, of_readers in {
        rb'<section aria-labelledby="next".*?</section>': _OF_RELEASE,
        rb'<span class="makers">.*?</span>': _HELD_BY_MAKERS,
        rb"<h3>Make it again</h3>.*?(?=<li><code>sha256sum )": _VERIFIED,
    }.items()
)
"""What stands on a page of a build, and what in its place on that of a release."""


def about_truth(reports: Reports, industries: Mapping[str, str], labels: Labels = _ENGLISH) -> dict[str, Markup]:
    """Return the bodies of the sections on what is beneath the noise, by their reports: every variant has the same.

    Args:
        industries: sub-industry -> its industry, for looking at one industry's; empty where there is one level.
    """
    samples = reports.ks and samples_of(reports.ks, reports.distributions, reports.curves)

    def drawn(ks: Ks) -> Markup:
        return distances(ks, drawn_of(samples, industries, labels) if samples else None)

    def beyond(of: Distributions) -> Markup:
        return beyond_ks(of, [test.share_of_critical for test in samples.tests] if samples else ())

    body: dict[str, Callable[[Any], Markup]] = {"ks": drawn, "distributions": beyond, "consistency": agreement}
    return {name: of(report) for name, of in body.items() if (report := getattr(reports, name)) is not None}


def with_truth_of(page: bytes, built: bytes) -> bytes:
    """Return a page with the sections of another on what is beneath the noise: their curves are in no published report."""
    own = dict(_OF_TRUTH.findall(built))
    return _OF_TRUTH.sub(lambda section: b"".join((section[1], own[section[1]])), page)


_OF_TRUTH = re.compile(rb'(<section id="(?:ks|beyond-ks|consistency)")(.*?</section>)', re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class PageContext:
    """Where a page that shows one section of the report stands."""

    title: str
    policy: str
    variant: str = ""
    """Which one a page is about; empty where it is about several."""
    labels: Labels = _ENGLISH
    report: str = "report.html"
    """The page of all sections; empty where there is none beside this one."""
    treated: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """What became of published columns, as a manifest says it."""
    is_curators: bool = False
    """Whether it is one of those that compare sampled records with the originals, which are never published."""

    def page(self, question: str, section: Section, *, about: str) -> bytes:
        """Return the page of a section that answers a question, with a word on what it is about, and the policy."""
        page = render(
            "part.html",
            title=f"{section.heading}: {self.title}",
            build=self.title,
            question=question,
            about=FOR_CURATOR if self.is_curators else about,
            policy=self.policy,
            shown=section,
            report=self.report,
        )
        return self.labels.marked(page).encode()


def ks_page(ks: Ks, part: PageContext) -> bytes:
    """Return `ks.html`: the section on KS tests without its map."""
    section = Section(anchor="ks", heading=_KS, body=distances(ks), source="ks.json")
    question = f"Do the figures, before noise, have the same distributions as those of {ks.others}?"
    return part.page(question, section, about=_BEFORE_NOISE)


def consistency_page(consistency: Consistency, part: PageContext) -> bytes:
    """Return `consistency.html`: the section on consistency."""
    section = Section(
        anchor="consistency", heading=_CONSISTENCY, body=agreement(consistency), source="consistency.json"
    )
    question = f"Do aggregates, before noise, agree with those of {consistency.others}?"
    return part.page(question, section, about=_BEFORE_NOISE)


def privacy_page(privacy: Privacy, part: PageContext) -> bytes:
    """Return `privacy.html`: the section on privacy without the picture of all mechanisms."""
    section = Section(anchor="privacy", heading=_PRIVACY, body=attacked(privacy, part.treated), source="privacy.json")
    return part.page("What could an outsider find out from these tables?", section, about=part.variant)


def noise_page(noise: Noise, expectations: Expectations | None, part: PageContext) -> bytes:
    """Return `noise.html`: the section on noise; with the bounds of rates, if there are expectations."""
    body = noise_section(noise, expectations)
    section = Section(anchor="noise", heading=_NOISE, body=body, source="noise.json")
    return part.page("What did noise change, and what can be mended?", section, about=part.variant)


def _data(
    found: Profile, reports: Reports, release: ReportedVariant, labels: Labels, rows: Mapping[str, ShownRows]
) -> Markup:
    return data_section(found, Links.of(reports, release.manifest), rows=rows, labels=labels)


def _sections(
    reports: Reports, release: ReportedVariant, bodies: Mapping[str, Markup], data: Callable[[Profile], Markup]
) -> Iterator[Section]:
    def of(
        name: str, anchor: str, heading: str, body: Callable[[Any], Markup] = lambda _: Markup(), *, page: str = ""
    ) -> Section:
        report = getattr(reports, name)
        if report is None:
            return Section(anchor=anchor, heading=heading, body=_said(_absent(name, reports, release)))
        made = bodies[name] if name in bodies else body(report)
        return Section(anchor=anchor, heading=heading, body=made, source=f"{name}.json", page=page)

    is_apart = is_curators(reports, release)  # the curator's page does not stand beside tables
    is_whole = not (is_apart or release.hides_noise)
    if reports.profile or is_whole:
        yield of("profile", "data", "The data", data)
    if release.has_figures:
        yield of("ks", "ks", _KS, page="ks.html")
        yield of("distributions", "beyond-ks", SHAPES)
    else:
        yield Section(anchor="ks", heading="Distributions", body=_said(uncompared(release.figures_of_events)))
    yield of("consistency", "consistency", _CONSISTENCY, page="consistency.html")
    yield of(
        "privacy",
        "privacy",
        _PRIVACY,
        lambda found: attacked(
            found, treatments_in(release.manifest), frontier=_frontier(found, reports.distributions)
        ),
        page="privacy.html",
    )
    has_noise = bool(reports.noise and reports.noise.rules)
    if has_noise or not is_apart:
        page = "noise.html" if has_noise else ""
        yield of("noise", "noise", _NOISE, lambda found: noise_section(found, reports.expectations), page=page)
    if has_noise or is_whole:
        yield _ladder(reports.noise)
    if reports.expectations or is_whole:
        yield of("expectations", "expectations", "Expectations", met)
    records = {table.file: table.records for table in reports.profile.tables} if reports.profile else {}
    is_refused = bool(release.refused_by or (reports.privacy and reports.privacy.escapes))
    yield Section(anchor="provenance", heading="Provenance", body=provenance(release, records, is_refused=is_refused))


def _absent(name: str, reports: Reports, release: ReportedVariant) -> str:
    """Return why the page does not show a report."""
    if release.hides_noise:
        return NOISE_IS_HIDDEN
    if name == "profile" and reports.privacy and reports.privacy.escapes:
        return "Not shown, since some values identify a company. This page is for the curator alone."
    return f"There is no {name}.json beside this page."


def _ladder(noise: Noise | None) -> Section:
    nothing = _NO_NOISE if noise and not noise.rules else _NO_LADDER
    body = recovery(noise.ladder, noise.questions) if noise and noise.ladder else _said(nothing)
    return Section(
        anchor="ladder",
        heading="The ladder: what is untouched without one family of noise after another",
        body=body,
        source="noise.json" if noise else "",
    )


def _frontier(privacy: Privacy, distributions: Distributions | None) -> Markup | None:
    """Return the picture of all mechanisms with this release on it; None where it has no point there."""
    worst = most_named(privacy, ON_THE_FRONTIER)
    changes = [each.median_change for each in (distributions.correlations if distributions else ())]
    known = [change for change in changes if change is not None]
    return frontier_chart(worst.rate, max(known)) if worst and known else None


def _said(sentence: str) -> Markup:
    return Markup("<p>{}</p>").format(sentence)
