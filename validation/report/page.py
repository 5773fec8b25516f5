"""Puts `report.html` together: the verdict, then a section for each report, each with the command that makes it again.

Belongs here: which sections there are, their order, and what stands where a build made no such report.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from validation.report.frame import document
from validation.report.sections.agreement import agreement
from validation.report.sections.attacked import attacked
from validation.report.sections.beyond_ks import beyond_ks
from validation.report.sections.distances import distances
from validation.report.sections.gates import NO_FIGURES, Reports, top
from validation.report.sections.met import met
from validation.report.sections.noise import noise_section
from validation.report.sections.provenance import provenance
from validation.report.sections.recovery import recovery
from validation.report.sections.release import Release
from validation.report.sections.samples import samples_of
from validation.report.words import command

_NO_NETWORK = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
)
"""Makes the browser hold the page to its word: nothing is fetched, from anywhere."""


def report_page(
    reports: Reports,
    *,
    environment: str,
    title: str,
    variant: str,
    manifest: Mapping[str, Any],
    industries: Mapping[str, str],
    has_figures: bool = True,
) -> bytes:
    """Return `report.html` of one variant, self-contained and without network.

    Args:
        reports: name -> what its JSON holds, of `ks`, `distributions`, `curves`, `consistency`, `privacy`, `noise` and
            `expectations`; one that is absent leaves a sentence in its place.
        environment: what names the environment in commands.
        title: the environment's title.
        variant: the variant's name.
        manifest: what `manifest.json` holds.
        industries: sub-industry -> its industry, for looking at one industry's; empty where there is one level.
        has_figures: whether the environment declares any.
    """
    release = Release(environment=environment, title=title, variant=variant, manifest=manifest, has_figures=has_figures)
    sections = list(_sections(reports, release, industries))
    head = f"{_NO_NETWORK}<style>\n{_resource('report.css')}</style>\n"
    contents = "".join(f'<li><a href="#{section.anchor}">{section.heading}</a></li>\n' for section in sections)
    body = (
        f'{top(reports, release)}<nav aria-label="sections"><ul>\n{contents}</ul></nav>\n'
        f"{''.join(map(_written, sections))}<script>\n{_resource('report.js')}</script>\n"
    )
    return document(title=f"Evidence: {title}, {variant}", body=body, head=head)


@dataclass(frozen=True, kw_only=True)
class _Section:
    anchor: str
    heading: str
    body: str
    source: str = ""
    """The file that holds its figures."""
    command: str = ""
    """What makes them again."""


def _sections(reports: Reports, release: Release, industries: Mapping[str, str]) -> Iterator[_Section]:
    build = release.command("build noisy clean", is_build=True)
    if release.has_figures:
        yield _distances(reports, build, industries)
        yield _of(reports, "distributions", "beyond-ks", "What KS cannot see", build, beyond_ks)
    else:
        yield _Section(anchor="ks", heading="Distributions", body=f"<p>{escape(NO_FIGURES)}</p>")
    yield _of(reports, "consistency", "consistency", "Consistency across domains", build, agreement)
    yield _privacy(reports, release)
    yield from _noise(reports, build)
    yield _of(reports, "expectations", "expectations", "Expectations", build, met)
    yield _Section(anchor="provenance", heading="Provenance", body=provenance(release))


def _of(reports: Reports, name: str, anchor: str, heading: str, build: str, body: Any) -> _Section:
    if name not in reports:
        return _Section(anchor=anchor, heading=heading, body=f"<p>This build made no <code>{name}.json</code>.</p>")
    return _Section(anchor=anchor, heading=heading, body=body(reports[name]), source=f"{name}.json", command=build)


def _distances(reports: Reports, build: str, industries: Mapping[str, str]) -> _Section:
    def body(ks: Mapping[str, Any]) -> str:
        return distances(samples_of(ks, reports.get("distributions"), reports.get("curves")), industries)

    return _of(reports, "ks", "ks", "Distributions: KS tests", build, body)


def _privacy(reports: Reports, release: Release) -> _Section:
    return _of(reports, "privacy", "privacy", "Privacy", release.command(f"audit {release.variant}"), attacked)


def _noise(reports: Reports, build: str) -> Iterator[_Section]:
    noise = reports.get("noise")
    if noise is not None and not noise["rules"]:
        told = "<p>This variant has no noise: the tables stand as they were rendered.</p>"
        yield _Section(anchor="noise", heading="Noise", body=told, source="noise.json", command=build)
        yield _Section(anchor="ladder", heading="The ladder", body="<p>Without noise there is nothing to mend.</p>")
        return

    def body(report: Mapping[str, Any]) -> str:
        return noise_section(report, reports.get("expectations"))

    yield _of(reports, "noise", "noise", "Noise and its recovery", build, body)
    steps = noise.get("ladder") if noise else None
    told = recovery(steps) if steps else "<p>This build tells of no ladder.</p>"
    yield _Section(
        anchor="ladder",
        heading="The ladder",
        body=told,
        source="noise.json",
        command=build if steps else "",
    )


def _written(section: _Section) -> str:
    source = f"Figures: <code>{section.source}</code>. " if section.source else ""
    how = f"Recompute: {command(section.command)}." if section.command else ""
    told = f'<p class="how">{source}{how}</p>\n' if section.command else ""
    return f'<section id="{section.anchor}">\n<h2>{section.heading}</h2>\n{section.body}\n{told}</section>\n'


@cache
def _resource(name: str) -> str:
    return (files("validation.report") / name).read_text(encoding="utf-8")
