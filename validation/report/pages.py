"""Puts the pages together: `report.html` of all sections, and `ks.html`, `privacy.html`, `noise.html` of one section each.

Belongs here: which sections there are, their order, and what stands where a build made no such report.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from markupsafe import Markup

from validation.report.documents import Reports
from validation.report.documents.distributions import Ks
from validation.report.documents.noise import Expectations, Noise
from validation.report.documents.privacy import Privacy
from validation.report.html import Section, render
from validation.report.sections.agreement import agreement
from validation.report.sections.attacked import attacked
from validation.report.sections.beyond_ks import beyond_ks
from validation.report.sections.distances import distances
from validation.report.sections.gates import NO_FIGURES, top
from validation.report.sections.met import met
from validation.report.sections.noise import noise_section
from validation.report.sections.provenance import provenance
from validation.report.sections.recovery import recovery
from validation.report.sections.release import Release
from validation.report.sections.samples import samples_of

_KS, _PRIVACY, _NOISE = "Distributions: KS tests", "Privacy", "Noise and its recovery"
_NO_NOISE = "Without noise there is nothing to mend."
_NO_LADDER = "This build tells of no ladder."


def report_page(
    reports: Reports,
    *,
    environment: str,
    title: str,
    variant: str,
    manifest: Mapping[str, Any],
    bodies: Mapping[str, Markup],
    has_figures: bool = True,
) -> bytes:
    """Return `report.html` of one variant, self-contained and without network.

    Args:
        reports: what the build found; a report that is absent leaves a sentence in its place.
        environment: what names the environment in commands.
        title: the environment's title.
        variant: the variant's name.
        manifest: what `manifest.json` holds.
        bodies: the bodies of sections that are made already, by their reports (`about_truth`).
        has_figures: whether the environment declares any.
    """
    release = Release(environment=environment, title=title, variant=variant, manifest=manifest, has_figures=has_figures)
    sections = list(_sections(reports, release, bodies))
    page = render("report.html", title=f"Evidence: {title}, {variant}", top=top(reports, release), sections=sections)
    return page.encode()


def about_truth(reports: Reports, industries: Mapping[str, str]) -> dict[str, Markup]:
    """Return the bodies of the sections on what is beneath the noise, by their reports: every variant has the same.

    Args:
        reports: what the build found.
        industries: sub-industry -> its industry, for looking at one industry's; empty where there is one level.
    """

    def drawn(ks: Ks) -> Markup:
        return distances(ks, samples_of(ks, reports.distributions, reports.curves), industries)

    body: dict[str, Callable[[Any], Markup]] = {"ks": drawn, "distributions": beyond_ks, "consistency": agreement}
    return {name: of(report) for name, of in body.items() if (report := getattr(reports, name)) is not None}


def ks_page(ks: Ks, *, environment: str, title: str) -> bytes:
    """Return `ks.html`: the section on KS tests without its map.

    Args:
        ks: what `ks.json` holds.
        environment: what names the environment in the command that recomputes the page.
        title: the environment's title.
    """
    question = f"Do anonymised and original figures have the same distributions? {title}"
    return _short(question, f"Distributions: {title}", _KS, "ks", distances(ks), f"build {_named(environment)}")


def privacy_page(privacy: Privacy, *, environment: str, title: str) -> bytes:
    """Return `privacy.html`: the section on privacy without the picture of all mechanisms; arguments as of `ks_page`."""
    question = f"What could an outsider find out from this release? {title}"
    body = attacked(privacy)
    return _short(question, f"Privacy: {title}", _PRIVACY, "privacy", body, f"audit {_named(environment)}")


def noise_page(noise: Noise, expectations: Expectations | None = None, *, environment: str, title: str) -> bytes:
    """Return `noise.html`: the section on noise; arguments as of `noise_section` and `ks_page`."""
    question = f"What did noise change, and what can be mended? {title}"
    body = noise_section(noise, expectations)
    return _short(question, f"Noise: {title}", _NOISE, "noise", body, f"build {_named(environment)}")


def _named(environment: str) -> str:
    return f"--environment {shlex.quote(environment)}"


def _short(question: str, title: str, heading: str, anchor: str, body: Markup, action: str) -> bytes:
    section = Section(anchor=anchor, heading=heading, body=body, source=f"{anchor}.json", command=f"silt {action}")
    return render("short.html", title=title, question=question, shown=section).encode()


def _sections(reports: Reports, release: Release, bodies: Mapping[str, Markup]) -> Iterator[Section]:
    def of(
        name: str,
        anchor: str,
        heading: str,
        body: Callable[[Any], Markup] = lambda _: Markup(),
        command: str = release.build,
    ) -> Section:
        report = getattr(reports, name)
        if report is None:
            return Section(anchor=anchor, heading=heading, body=_said(f"This build made no {name}.json."))
        made = bodies[name] if name in bodies else body(report)
        return Section(anchor=anchor, heading=heading, body=made, source=f"{name}.json", command=command)

    if release.has_figures:
        yield of("ks", "ks", _KS)
        yield of("distributions", "beyond-ks", "What KS cannot see")
    else:
        yield Section(anchor="ks", heading="Distributions", body=_said(NO_FIGURES))
    yield of("consistency", "consistency", "Consistency across domains")
    yield of("privacy", "privacy", _PRIVACY, lambda found: attacked(found, has_frontier=True), release.audit)
    yield of("noise", "noise", _NOISE, lambda found: noise_section(found, reports.expectations))
    yield _ladder(reports.noise, release)
    yield of("expectations", "expectations", "Expectations", met)
    yield Section(anchor="provenance", heading="Provenance", body=provenance(release))


def _ladder(noise: Noise | None, release: Release) -> Section:
    if noise and noise.ladder:
        body, command = recovery(noise.ladder), release.build
    else:
        body, command = _said(_NO_NOISE if noise and not noise.rules else _NO_LADDER), ""
    return Section(anchor="ladder", heading="The ladder", body=body, source="noise.json", command=command)


def _said(sentence: str) -> Markup:
    return Markup("<p>{}</p>").format(sentence)
